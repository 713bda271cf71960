// Sets the theme before the first paint: what the person chose, or else what their system shows.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("quandura.theme");
  } catch {
    // Storage may be blocked; the system's is fine.
  }
  const light = chosen === "light" || (chosen !== "dark" && matchMedia("(prefers-color-scheme: light)").matches);
  document.documentElement.dataset.theme = light ? "light" : "dark";
})();
