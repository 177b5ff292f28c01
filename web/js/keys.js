// The keyboard, everywhere but in text fields.
import { base, undo } from "./act.js";
import { chosen, fullText, go, hide, markAll, openId, place, show, startTagging, toggleRead, toggleStar } from "./list.js";

const GOES = { y: "/foryou", n: "/newest", u: "/unread", b: "/buzz", s: "/starred", t: "/tags", f: "/feeds", r: "/rules", p: "/schedule", d: "/discover" };
let prefix = "";

export function startKeys() {
  document.addEventListener("keydown", (event) => {
    const field = event.target.closest("input, textarea, select, [contenteditable], dialog[open]");
    if (event.key === "Escape" && event.target.closest("input")) event.target.blur();
    if (field || event.ctrlKey || event.metaKey || event.altKey) return;
    if (prefix === "g") {
      prefix = "";
      if (GOES[event.key]) location.href = base + GOES[event.key];
      return;
    }
    const does = place ? (READING[event.key] ?? ALWAYS[event.key]) : ALWAYS[event.key];
    if (!does) return;
    if ((event.key === "Enter" || event.key === " ") && event.target.closest("a, button, summary, label")) return;
    event.preventDefault();
    does();
  });
}

const ALWAYS = {
  g: () => {
    prefix = "g";
    setTimeout(() => (prefix = ""), 1500);
  },
  "?": showKeys,
  "/": toSearch,
  a: () => (location.href = base + "/subscribe"),
  u: undo,
};

const READING = {
  j: () => go(1),
  k: () => go(-1),
  o: openChosen,
  Enter: openChosen,
  m: toggleRead,
  s: () => toggleStar(),
  t: startTagging,
  f: fullText,
  v: original,
  x: () => hide(),
  A: () => markAll(),
  z: () => document.body.classList.toggle("only-text"),
  Escape: () => document.body.classList.remove("only-text"),
};

function toSearch() {
  const field = document.getElementById("q");
  if (!field) return (location.href = base + "/search");
  field.focus();
  field.select();
}

function openChosen() {
  const row = chosen() ?? document.querySelector(".row");
  if (row) show(row.dataset.id);
}

function original() {
  const link = document.querySelector(".open-item")?.dataset.link ?? (openId() ? null : chosen()?.dataset.link);
  if (link) window.open(link, "_blank", "noopener,noreferrer");
}

// The list of keys as a dialog; the page /keys has the same for everybody else.
async function showKeys() {
  const response = await fetch(base + "/keys", { headers: { Accept: "text/html" } });
  const parsed = new DOMParser().parseFromString(await response.text(), "text/html");
  const main = parsed.getElementById("main");
  if (!main) return;
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-label", main.querySelector("h1").textContent);
  dialog.append(...main.childNodes);
  // Higher than some screens: arrow keys must scroll it.
  dialog.tabIndex = 0;
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
}
