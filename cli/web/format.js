// format.js - figures and names as people read them.

const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB", "PB"]; // powers of 1024, as pprof writes them

function trimmed(number) {
  return number.toFixed(2).replace(/\.00$/, "");
}

export function bytesText(value) {
  let size = Math.abs(value);
  let unit = 0;
  while (size >= 1024 && unit < BYTE_UNITS.length - 1) {
    size /= 1024;
    unit++;
  }
  return (value < 0 ? "-" : "") + trimmed(size) + BYTE_UNITS[unit];
}

export function valueText(value, unit) {
  if (unit === "bytes") {
    return bytesText(value);
  }
  const text = Math.round(value).toLocaleString("en-US");
  return unit === "count" ? text : `${text} ${unit}`;
}

export function signedText(value, unit) {
  return (value > 0 ? "+" : "") + valueText(value, unit);
}

export function percentText(part, whole) {
  if (!whole) {
    return part ? "-" : "0%";
  }
  const percent = (100 * part) / whole;
  const size = Math.abs(percent);
  if (size === 0) {
    return "0%";
  }
  return size < 0.005 ? "<0.01%" : `${percent.toFixed(size >= 99.995 ? 0 : 2)}%`;
}

// In percent of what was before.
export function changeText(before, after) {
  if (before === after) {
    return "=";
  }
  if (!before) {
    return "new";
  }
  if (!after) {
    return "gone";
  }
  const percent = (100 * (after - before)) / Math.abs(before);
  return `${percent > 0 ? "+" : ""}${percent.toFixed(Math.abs(percent) < 10 ? 2 : 1)}%`;
}

// What stands between brackets goes: `f<A<B>>(int)` is `f<…>(…)`. An operator's own signs stay.
function withoutBrackets(name) {
  let out = "";
  let depth = 0;
  for (let i = 0; i < name.length; i++) {
    const sign = name.startsWith("operator", i) ? /^operator\s*(<=>|<<=?|>>=?|->\*?|<=|>=|<|>|\(\))/.exec(name.slice(i, i + 14)) : null;
    if (sign) {
      out += depth ? "" : sign[0];
      i += sign[0].length - 1;
    } else if (name.startsWith("(anonymous namespace)", i)) {
      out += depth ? "" : "(anonymous namespace)";
      i += 20;
    } else if (name[i] === "<" || name[i] === "(") {
      out += depth++ ? "" : name[i] + "…";
    } else if ((name[i] === ">" && name[i - 1] !== "-") || name[i] === ")") {
      depth = Math.max(0, depth - 1);
      out += depth ? "" : name[i];
    } else if (!depth) {
      out += name[i];
    }
  }
  return out;
}

// From long to short; each is shorter than the one before.
function namesOf(name) {
  const names = [name];
  const offer = (shorter) => {
    if (shorter && shorter.length < names[names.length - 1].length) {
      names.push(shorter);
    }
  };
  const bare = withoutBrackets(name).replace(/\s*\[clone [^\]]*\]$/, "");
  offer(bare);
  offer(bare.replace(/\(…\)( const)?$/, ""));
  const plain = bare.replace(/<…>/g, "").replace(/\(…\)( const)?/g, "");
  offer(plain);
  const parts = plain.replace(/^.* (?=[\w:~]+$)/, "").split("::");
  for (let i = 1; i < parts.length; i++) {
    offer(parts.slice(i).join("::"));
  }
  return names;
}

const known = new Map();

// The longest form of a name that has at most `room` characters; the shortest is cut if need be.
export function shortName(name, room) {
  if (name.length <= room) {
    return name;
  }
  let names = known.get(name);
  if (!names) {
    names = namesOf(name);
    known.set(name, names);
  }
  const fits = names.find((form) => form.length <= room);
  if (fits) {
    return fits;
  }
  const last = names[names.length - 1];
  return room < 3 ? "" : last.slice(0, room - 1) + "…";
}
