// theme.js - light or dark: as the system has it, until the button is pressed.

import { state, go } from "./state.js";
import { isDark } from "./palette.js";

export function applyTheme() {
  if (state.theme === "light" || state.theme === "dark") {
    document.documentElement.dataset.theme = state.theme;
  } else {
    delete document.documentElement.dataset.theme;
  }
}

export function toggleTheme() {
  go({ theme: isDark() ? "light" : "dark" }, true);
}
