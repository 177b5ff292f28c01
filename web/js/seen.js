// What was really on screen: a row half visible for a second; an item, for as long as it is open and looked at.
import { base } from "./act.js";

const list = document.getElementById("list");
const waiting = [];
const reported = new Set();
let open = null;

export function startSeen() {
  if (!list) return;
  report([], true);
  setInterval(flush, 15000);
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      pause();
      flush();
    } else if (open) open.since = performance.now();
  });
  addEventListener("pagehide", () => {
    opened(null);
    flush();
  });
}

const timers = new Map();
const observer =
  list &&
  new IntersectionObserver(
    (seen) => {
      for (const { target, isIntersecting } of seen) {
        clearTimeout(timers.get(target));
        if (isIntersecting && !reported.has(target.dataset.id)) timers.set(target, setTimeout(() => impression(target), 1000));
      }
    },
    { root: document.getElementById("scroll"), threshold: 0.5 },
  );

export function watch(rows) {
  rows.forEach((row) => observer?.observe(row));
}

function impression(row) {
  if (document.hidden || reported.has(row.dataset.id)) return;
  reported.add(row.dataset.id);
  observer.unobserve(row);
  waiting.push({ item: Number(row.dataset.id), kind: "impression", position: Number(row.dataset.position), at: performance.now() });
}

// The item that is open now; null when none is. The one before is reported with how long it was looked at.
export function opened(id, position = null) {
  if (!list) return;
  if (open) {
    pause();
    waiting.push({ item: open.id, kind: "open", position: open.position, at: open.at, dwell: open.dwell });
  }
  open = id ? { id: Number(id), position, at: performance.now(), since: performance.now(), dwell: 0 } : null;
}

function pause() {
  if (!open?.since) return;
  open.dwell += performance.now() - open.since;
  open.since = 0;
}

function flush() {
  if (waiting.length) report(waiting.splice(0, 500), false);
}

function report(events, visit) {
  const now = performance.now();
  const body = JSON.stringify({
    place: list.dataset.place,
    visit,
    events: events.map(({ item, kind, position, at, dwell }) => ({
      item,
      kind,
      position,
      ago_ms: Math.max(0, Math.round(now - at)),
      dwell_ms: dwell === undefined ? null : Math.round(dwell),
    })),
  });
  fetch(base + "/seen", {
    method: "POST",
    body,
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    keepalive: true,
  }).catch(() => waiting.unshift(...events.slice(0, 500 - waiting.length)));
}
