// Pages about feeds: choose all rows, undo by key, and a button that is pressed once.
import { canUndo } from "./act.js";

document.documentElement.classList.add("scripted");

const all = document.querySelector("[data-select-all]");
all?.addEventListener("change", () => {
  for (const box of all.form.querySelectorAll("input[name=feed]")) box.checked = all.checked;
});

const undo = document.querySelector("[data-undo]");
if (undo) canUndo(() => undo.requestSubmit(undo.querySelector("button")));

for (const form of document.querySelectorAll("[data-once]")) {
  form.addEventListener("submit", () => {
    for (const button of form.querySelectorAll("button")) button.setAttribute("aria-disabled", "true");
    form.addEventListener("submit", (event) => event.preventDefault());
  });
}
