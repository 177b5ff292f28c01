// Starts everything on a signed-in page: what answers keys and clicks at once, the rest when there is time. Pages work
// without any of this; scripts make them quicker.
import { flush, listenForConnection, texts } from "./act.js";
import { startKeys } from "./keys.js";
import { whenIdle } from "./later.js";
import { startList } from "./list.js";

const base = document.body.dataset.base;

startKeys();
startList();
foldFolders();
openRail();
closeMenus();
submitOnChange();
startPage();
whenIdle(async () => {
  const [seen, live, offline] = await Promise.all([import("./seen.js"), import("./live.js"), import("./offline.js")]);
  seen.startSeen();
  live.startLive();
  listenForConnection();
  flush();
  offline.startOffline();
});

// Folded folders are remembered in a cookie, so that the next page comes folded already.
function foldFolders() {
  const nav = document.getElementById("nav");
  nav?.addEventListener("click", (event) => {
    const button = event.target.closest(".fold");
    if (!button) return;
    const folded = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!folded));
    const text = texts[folded ? "showFolder" : "hideFolder"];
    button.setAttribute("aria-label", text.replace("{name}", button.dataset.name));
    showInside(button.closest("li"), !folded);
    const ids = [...nav.querySelectorAll(".fold[aria-expanded=false]")].map((one) => one.closest("li").dataset.folder);
    document.cookie = `wellread-folded=${ids.join(".")}; path=${base}/; max-age=31536000; samesite=lax`;
  });
}

function showInside(folder, shown) {
  const depth = Number(folder.dataset.depth);
  let skip = Infinity;
  for (let row = folder.nextElementSibling; row; row = row.nextElementSibling) {
    const inner = row.classList.contains("folder");
    const level = Number(row.dataset.depth);
    if (level <= depth) break;
    if (level <= skip) skip = Infinity;
    row.hidden = !shown || level > skip;
    if (inner && row.querySelector(".fold").getAttribute("aria-expanded") === "false") skip = level;
  }
}

function openRail() {
  const rail = document.getElementById("rail");
  const set = (open) => {
    document.body.classList.toggle("rail-open", open);
    for (const button of document.querySelectorAll("[data-open-rail]")) button.setAttribute("aria-expanded", String(open));
    if (open) rail.querySelector("a")?.focus();
  };
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-open-rail]")) set(!document.body.classList.contains("rail-open"));
    else if (document.body.classList.contains("rail-open") && !event.target.closest(".rail")) set(false);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && document.body.classList.contains("rail-open")) set(false);
  });
}

// A click elsewhere, or Escape, closes an open menu.
function closeMenus() {
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
}

function submitOnChange() {
  document.addEventListener("change", (event) => {
    if (event.target.closest("[data-submit]")) event.target.form?.requestSubmit();
  });
}

// A page, or a part of it, may name a module of its own.
function startPage() {
  for (const { dataset } of document.querySelectorAll("[data-script]")) {
    if (/^[a-z]+$/.test(dataset.script)) import(`./${dataset.script}.js`);
  }
}
