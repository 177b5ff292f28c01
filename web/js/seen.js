// What was really on screen: a row half visible for a second; an item, for as long as it is open and looked at.
import { base } from "./act.js";

const SEEN_MS = 1000;
const LOOK_MS = 500;
const list = document.getElementById("list");
const scroll = document.getElementById("scroll");
const waiting = [];
const reported = new Set();
let open = null;

export function startSeen() {
  if (!list) return;
  report([], true);
  setInterval(flush, 15000);
  scroll.addEventListener("scroll", look, { passive: true });
  look();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      pause();
      flush();
      return;
    }
    if (open) open.since = performance.now();
    look();
  });
  addEventListener("pagehide", () => {
    opened(null);
    flush();
  });
}

// Rows in sight and not reported yet, with when they came. An observer per row would be asked with every frame.
const inSight = new Map();
let looking = 0;

// Looks at the list now and twice a second for as long as something in sight is not reported.
export function look() {
  looking ||= setTimeout(() => {
    looking = 0;
    if (document.hidden) return inSight.clear();
    const now = performance.now();
    const rows = new Set(rowsInSight());
    for (const row of inSight.keys()) if (!rows.has(row)) inSight.delete(row);
    for (const row of rows) {
      if (reported.has(row.dataset.id)) continue;
      if (!inSight.has(row)) inSight.set(row, now);
      else if (now - inSight.get(row) >= SEEN_MS) impression(row);
    }
    if (inSight.size) look();
  }, LOOK_MS);
}

// At least half of each. What an open item covers, as on a phone, is not in sight.
function* rowsInSight() {
  const { left, top, bottom } = scroll.getBoundingClientRect();
  let row = document.elementFromPoint(left + 4, top + 4)?.closest("#rows .row");
  for (; row; row = row.nextElementSibling) {
    const place = row.getBoundingClientRect();
    if (place.top >= bottom) return;
    const shown = Math.min(place.bottom, bottom) - Math.max(place.top, top);
    if (row.classList.contains("row") && shown > 0 && shown >= place.height / 2) yield row;
  }
}

function impression(row) {
  inSight.delete(row);
  reported.add(row.dataset.id);
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
