// graph_edges.js - the lines of the call graph, and where their figures stand: beside the line, over no box and no
// other figure. A figure without a free place is left out; pointing at the line tells it.

const LABEL_LETTER = 6.4;
const LABEL_HEIGHT = 13;
const ARROW = 9; // length of an arrow's head
const LABEL_PLACES = [0.5, 0.38, 0.62, 0.26, 0.74, 0.14, 0.86];

export function edgeWidth(call, all) {
  return 1 + 7 * Math.min(1, Math.abs(call.weight) / all);
}

// From the lower rim of the caller to the upper rim of the callee (or the reverse, upwards), as curves
// [x0, y0, x1, y1, x2, y2, x3, y3]; the last one ends where the head begins.
export function edgeCurves(call) {
  const path = call.path.map((point) => ({ ...point }));
  const [first, last] = [path[0], path[path.length - 1]];
  const down = last.y >= first.y ? 1 : -1;
  first.y += (down * call.boxes[0].h) / 2;
  last.y -= (down * call.boxes[1].h) / 2 + down * ARROW;
  return path.slice(1).map((b, i) => {
    const a = path[i];
    const bend = (b.y - a.y) / 2;
    return [a.x, a.y, a.x, a.y + bend, b.x, b.y - bend, b.x, b.y];
  });
}

export function curvesText(curves) {
  const point = (x, y) => `${x.toFixed(1)} ${y.toFixed(1)}`;
  return `M${point(curves[0][0], curves[0][1])}${curves.map((c) => `C${point(c[2], c[3])} ${point(c[4], c[5])} ${point(c[6], c[7])}`).join("")}`;
}

function pointAt(c, t) {
  const u = 1 - t;
  const mix = (a, b, d, e) => u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * d + t * t * t * e;
  return { x: mix(c[0], c[2], c[4], c[6]), y: mix(c[1], c[3], c[5], c[7]) };
}

function overlaps(a, b) {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

// calls: by weight, each with text, width, and curves; gives each its label {x, y} (left end, middle) or null.
export function placeLabels(calls, nodes) {
  const taken = nodes.map((node) => ({ x: node.x - node.w / 2 - 1, y: node.y - node.h / 2 - 1, w: node.w + 2, h: node.h + 2 }));
  for (const call of calls) {
    const w = call.text.length * LABEL_LETTER + 2;
    const beside = call.width / 2 + 3;
    const middle = (call.curves.length - 1) / 2;
    const curves = call.curves.map((curve, i) => ({ curve, far: Math.abs(i - middle) })).sort((a, b) => a.far - b.far);
    call.label = null;
    for (const { curve } of curves.slice(0, 5)) {
      for (const t of LABEL_PLACES) {
        const { x, y } = pointAt(curve, t);
        const free = [x + beside, x - beside - w].find((left) => !taken.some((one) => overlaps(one, { x: left, y: y - LABEL_HEIGHT / 2, w, h: LABEL_HEIGHT })));
        if (free !== undefined) {
          call.label = { x: free, y };
          taken.push({ x: free, y: y - LABEL_HEIGHT / 2, w, h: LABEL_HEIGHT });
          break;
        }
      }
      if (call.label) {
        break;
      }
    }
  }
}
