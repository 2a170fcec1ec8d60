// search.js - the expression in the search box, and which functions it matches.

let last = { text: null };

// {matches: Uint8Array by function, count, test(name), error}; null when nothing is searched. Lower case finds upper case too.
export function searchFunctions(model, text) {
  if (!text) {
    return null;
  }
  if (last.text !== text || last.model !== model) {
    let regexp;
    let error = "";
    try {
      regexp = new RegExp(text, text === text.toLowerCase() ? "iu" : "u");
    } catch {
      error = "no regular expression: searched as plain text";
      regexp = { test: (name) => name.includes(text) };
    }
    const matches = Uint8Array.from(model.functions, (name) => (regexp.test(name) ? 1 : 0));
    last = { text, model, matches, error, test: (name) => regexp.test(name), count: matches.reduce((sum, one) => sum + one, 0) };
  }
  return last;
}
