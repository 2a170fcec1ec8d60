// dom.js - making elements. Text goes in as text only, never as markup: names come from profiles.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (name.startsWith("on")) {
      node.addEventListener(name.slice(2), value);
    } else if (value === true) {
      node.setAttribute(name, "");
    } else if (value !== false && value !== null && value !== undefined) {
      node.setAttribute(name, value);
    }
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

export function el(tag, properties, ...children) {
  return fill(document.createElement(tag), properties, children);
}

export function svgEl(tag, properties, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

export function byId(id) {
  return document.getElementById(id);
}

// For readers of the screen, and for those who wonder whether something happened.
export function announce(text) {
  byId("live").textContent = text;
}
