// columns.js - what approf sends: JSON, a NUL, and columns of numbers that are decoded when asked for (docs/WEB.md).

function wholeNumbers(bytes, start, count) {
  const out = new Int32Array(count);
  let at = start;
  for (let i = 0; i < count; i++) {
    let byte = bytes[at++];
    let value = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++];
      value |= (byte & 127) << shift;
    }
    out[i] = value;
  }
  return out;
}

// The sign is the lowest bit. Exact up to 2^53.
function signedNumbers(bytes, start, count) {
  const out = new Float64Array(count);
  let at = start;
  for (let i = 0; i < count; i++) {
    let byte = bytes[at++];
    const negative = byte & 1;
    let value = (byte & 127) >> 1;
    for (let scale = 64; byte > 127; scale *= 128) {
      byte = bytes[at++];
      value += (byte & 127) * scale;
    }
    out[i] = negative ? -1 - value : value;
  }
  return out;
}

// {facts, whole(name), signed(name, nth)}; the latter for the nth column of that name.
export function readColumns(bytes) {
  const end = bytes.indexOf(0);
  const facts = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  const places = [];
  let start = end + 1;
  for (const [name, count, length] of facts.columns) {
    places.push({ name, start, count });
    start += length;
  }
  const place = (name, nth) => places.filter((one) => one.name === name)[nth];
  return {
    facts,
    whole: (name, nth = 0) => wholeNumbers(bytes, place(name, nth).start, place(name, nth).count),
    signed: (name, nth = 0) => signedNumbers(bytes, place(name, nth).start, place(name, nth).count),
  };
}

// A list whose elements are made when they are first looked at.
export function lazyList(count, make) {
  const made = new Array(count);
  const list = {};
  for (let i = 0; i < count; i++) {
    Object.defineProperty(list, i, { get: () => (made[i] ??= make(i)) });
  }
  return list;
}
