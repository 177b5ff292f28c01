// Takes the newest unread items along, and shows them on the offline page.
import { base } from "./act.js";

const STORE = "wellread-items";
const EVERY_MS = 15 * 60 * 1000;
const KEPT_AT = "wellread-kept-at";

export async function startOffline() {
  if (!("serviceWorker" in navigator)) return;
  const list = document.getElementById("list");
  if (list && "offline" in list.dataset) return fill(list);
  try {
    await navigator.serviceWorker.register(base + "/sw.js", { scope: base + "/" });
  } catch {
    return;
  }
  const last = Number(localStorage.getItem(KEPT_AT) ?? 0);
  if (navigator.onLine && Date.now() - last > EVERY_MS) setTimeout(takeAlong, 3000);
}

// Asks portion by portion, so that neither side holds all of it at once.
async function takeAlong() {
  const kept = [];
  let after = null;
  try {
    do {
      const query = new URLSearchParams({ from: kept.length });
      if (after) query.set("after", after);
      const response = await fetch(`${base}/offline/items?${query}`, { headers: { Accept: "application/json" } });
      if (!response.ok) return;
      const portion = await response.json();
      kept.push(...portion.items);
      after = portion.after;
    } while (after && kept.length < 500);
    const cache = await caches.open(STORE);
    await cache.put(base + "/offline/kept", new Response(JSON.stringify(kept)));
    localStorage.setItem(KEPT_AT, String(Date.now()));
  } catch {
    // Without a connection there is nothing to take along; the last time's items stay.
  }
}

async function all() {
  const cache = await caches.open(STORE);
  const response = await cache.match(base + "/offline/kept");
  return response ? response.json() : [];
}

export async function stored(id) {
  if (!("caches" in window)) return null;
  return (await all()).find((one) => String(one.id) === String(id)) ?? null;
}

async function fill(list) {
  const rows = list.querySelector("#rows");
  const html = (await all()).map((one) => one.row).join("");
  const parsed = new DOMParser().parseFromString(`<ol>${html}</ol>`, "text/html");
  rows.replaceChildren(...parsed.querySelectorAll("li"));
}
