// The settings page: what is chosen for reading shows at once, in the preview and in the colours, before it is saved.
const names = { theme: "theme", font: "font", text_size: "size", text_width: "width" };

document.querySelector("[data-comfort]")?.addEventListener("change", ({ target }) => {
  const name = names[target.name];
  if (name) document.documentElement.dataset[name] = target.value;
});
