// graph_layout.js - where the boxes of a call graph go: callers above callees, few crossings, straight long calls.
//
// Layered drawing after Sugiyama: cycles are broken, boxes get a layer, calls over several layers a point in each,
// layers are sorted by the middle of their neighbours, and then moved beneath each other.

const GAP_X = 26;
const GAP_Y = 44;

// Calls that close a cycle, found by walking down from the heaviest boxes.
function backCalls(nodes, calls) {
  const out = nodes.map(() => []);
  calls.forEach((call) => out[call.a].push(call));
  const mark = new Uint8Array(nodes.length); // 1: on the way down, 2: done
  const back = new Set();
  for (let start = 0; start < nodes.length; start++) {
    const stack = mark[start] ? [] : [{ node: start, next: 0 }];
    while (stack.length) {
      const top = stack[stack.length - 1];
      mark[top.node] = 1;
      const call = out[top.node][top.next++];
      if (!call) {
        mark[top.node] = 2;
        stack.pop();
      } else if (mark[call.b] === 1) {
        back.add(call);
      } else if (!mark[call.b]) {
        stack.push({ node: call.b, next: 0 });
      }
    }
  }
  return back;
}

// Each box one layer below its lowest caller.
function layersOf(nodes, calls, back) {
  const layer = new Int32Array(nodes.length);
  for (let round = 0; round < nodes.length; round++) {
    let moved = false;
    for (const call of calls) {
      if (!back.has(call) && layer[call.b] <= layer[call.a]) {
        layer[call.b] = layer[call.a] + 1;
        moved = true;
      }
    }
    if (!moved) {
      break;
    }
  }
  return layer;
}

// Adds points to long calls: {layers: [[place]], links: [[upper, lower]]}; a place is a box or a point.
function places(nodes, calls, back) {
  const layer = layersOf(nodes, calls, back);
  const all = nodes.map((node, i) => ({ node, layer: layer[i], w: node.w, up: [], down: [] }));
  calls.forEach((call) => {
    const turned = back.has(call);
    let [from, to] = turned ? [all[call.b], all[call.a]] : [all[call.a], all[call.b]];
    if (from.layer > to.layer) {
      [from, to] = [to, from];
    }
    call.points = [];
    let last = from;
    for (let l = from.layer + 1; l < to.layer; l++) {
      const point = { layer: l, w: -GAP_X + 14, up: [], down: [] };
      all.push(point);
      call.points.push(point);
      last.down.push(point);
      point.up.push(last);
      last = point;
    }
    if (from !== to) {
      last.down.push(to);
      to.up.push(last);
    }
    call.upper = from;
    call.lower = to;
    call.turned = turned;
  });
  const layers = [];
  all.forEach((place) => (layers[place.layer] ??= []).push(place));
  return { all, layers: [...layers].map((one) => one ?? []) };
}

function middle(list, key) {
  return list.reduce((sum, place) => sum + place[key], 0) / list.length;
}

function number(layer) {
  layer.forEach((place, i) => {
    place.index = i;
  });
}

function sortLayers(layers) {
  layers.forEach(number);
  for (let round = 0; round < 12; round++) {
    const down = round % 2 === 0;
    const order = down ? layers : [...layers].reverse();
    for (const layer of order) {
      layer.forEach((place) => {
        const near = down ? place.up : place.down;
        place.want = near.length ? middle(near, "index") : place.index;
      });
      layer.sort((a, b) => a.want - b.want || a.index - b.index);
      number(layer);
    }
  }
}

// Wanted places, then pushed apart from the left and from the right; the mean of both.
function settle(layer) {
  const left = [];
  const right = [];
  layer.forEach((place, i) => {
    const before = i ? left[i - 1] + (layer[i - 1].w + place.w) / 2 + GAP_X : -Infinity;
    left[i] = Math.max(place.want, before);
  });
  for (let i = layer.length - 1; i >= 0; i--) {
    const after = i < layer.length - 1 ? right[i + 1] - (layer[i + 1].w + layer[i].w) / 2 - GAP_X : Infinity;
    right[i] = Math.min(layer[i].want, after);
  }
  layer.forEach((place, i) => {
    place.x = (left[i] + right[i]) / 2;
  });
}

function placeAcross(layers) {
  for (const layer of layers) {
    let x = 0;
    layer.forEach((place) => {
      place.x = x + place.w / 2;
      x += place.w + GAP_X;
    });
    layer.forEach((place) => {
      place.x -= x / 2;
    });
  }
  for (let round = 0; round < 40; round++) {
    const down = round % 2 === 0;
    for (const layer of down ? layers : [...layers].reverse()) {
      layer.forEach((place) => {
        const near = down ? place.up : place.down;
        place.want = near.length ? middle(near, "x") : place.x;
      });
      settle(layer);
    }
  }
}

// nodes: [{w, h}]; calls: [{a, b}] by index. Sets x and y (the middle) of nodes, and path points of calls.
export function layoutGraph(nodes, calls) {
  const back = backCalls(nodes, calls);
  const { all, layers } = places(nodes, calls, back);
  sortLayers(layers);
  placeAcross(layers);
  let y = 0;
  for (const layer of layers) {
    const height = Math.max(24, ...layer.map((place) => place.node?.h ?? 0));
    layer.forEach((place) => {
      place.y = y + height / 2;
    });
    y += height + GAP_Y;
  }
  const leftmost = Math.min(...all.map((place) => place.x - Math.abs(place.w) / 2));
  const rightmost = Math.max(...all.map((place) => place.x + Math.abs(place.w) / 2));
  all.forEach((place) => {
    place.x += 20 - leftmost;
    if (place.node) {
      place.node.x = place.x;
      place.node.y = place.y + 10;
    }
  });
  calls.forEach((call) => {
    const points = [call.upper, ...call.points, call.lower].map((place) => ({ x: place.x, y: place.y + 10 }));
    call.path = call.turned ? points.reverse() : points;
  });
  return { width: rightmost - leftmost + 40, height: y - GAP_Y + 24 };
}
