// Sets the stored theme before the first paint. Dark unless the person chose light.
try {
  if (localStorage.getItem("quandura.theme") === "light") document.documentElement.dataset.theme = "light";
} catch {
  // Storage may be blocked; dark is fine.
}
