// Getting feeds in: drop a file, find feeds while typing, and watch an import. Without this the forms do the same.
import { base } from "./act.js";

const PAUSE_MS = 600;
const POLL_MS = 2000;

document.documentElement.classList.add("scripted");
drop();
find();
watch();

// A dropped or chosen file is sent at once.
function drop() {
  const form = document.querySelector("[data-drop]");
  if (!form) return;
  const field = form.querySelector("input[type=file]");
  const zone = form.querySelector(".drop");
  field.addEventListener("change", () => field.files.length && form.requestSubmit());
  for (const kind of ["dragenter", "dragover"]) {
    zone.addEventListener(kind, (event) => {
      event.preventDefault();
      zone.classList.add("over");
    });
  }
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    if (!event.dataTransfer.files.length) return;
    field.files = event.dataTransfer.files;
    form.requestSubmit();
  });
}

// Each look costs a publisher a request, so only what looks like a whole address is looked at, after a pause.
function find() {
  const form = document.querySelector("[data-find]");
  const box = document.getElementById("candidates");
  if (!form || !box) return;
  const field = form.querySelector("input[name=url]");
  let timer = 0;
  let last = field.value.trim();
  const look = async () => {
    const address = field.value.trim();
    if (!address || address === last) return;
    last = address;
    box.setAttribute("aria-busy", "true");
    box.textContent = box.dataset.searching;
    try {
      const answer = await fetch(`${base}/part/candidates?url=${encodeURIComponent(address)}`, { headers: { Accept: "text/html" } });
      const text = answer.ok ? await answer.text() : "";
      if (last !== address) return;
      box.innerHTML = text;
      const folder = form.parentElement.querySelector(".choose-folder");
      if (folder) folder.hidden = !box.querySelector("button");
    } catch {
      box.textContent = "";
    } finally {
      box.removeAttribute("aria-busy");
    }
  };
  field.addEventListener("input", () => {
    clearTimeout(timer);
    if (isWhole(field.value.trim())) timer = setTimeout(look, PAUSE_MS);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    look();
  });
}

// A host with an ending of two letters or more, or an account such as @name@host.
function isWhole(text) {
  return /^(https?:\/\/|feed:(\/\/)?)?(@[^\s@]+@)?([a-z0-9-]+\.)+[a-z]{2,}(:\d+)?(\/\S*)?$/i.test(text);
}

function watch() {
  const section = document.querySelector("[data-import]");
  if (!section || section.hasAttribute("data-done")) return;
  const ask = async () => {
    if (!document.hidden) {
      const answer = await fetch(`${base}/import/${section.dataset.import}?from=${section.dataset.from}`).catch(() => null);
      // Somebody who is using a button is not disturbed.
      if (answer?.ok && !section.contains(document.activeElement)) section.innerHTML = await answer.text();
      if (answer?.headers.get("x-import-done")) return;
    }
    setTimeout(ask, POLL_MS);
  };
  setTimeout(ask, POLL_MS);
}
