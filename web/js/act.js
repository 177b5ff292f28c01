// Changes: shown at once, sent at once, kept and sent later when there is no connection, put back when refused.
export const base = document.body.dataset.base;
export const texts = JSON.parse(document.getElementById("texts")?.textContent ?? "{}");

const QUEUE = "wellread-queue:" + document.body.dataset.user;
const QUEUE_MAX = 1000;
let undoLast = null;

// Sends a form. Answers the server's JSON, or null when the change was queued for later; throws what was refused.
export async function send(path, fields, { queue = true } = {}) {
  let response;
  try {
    response = await fetch(base + path, {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { Accept: "application/json" },
    });
  } catch (error) {
    if (!queue) throw error;
    keep(path, fields);
    return null;
  }
  if (response.status === 401) throw new Error(texts.signedOut);
  const answer = response.status === 204 ? {} : await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.error ?? String(response.status));
  if (answer.feeds) showCounts(answer);
  return answer;
}

// Does a change: `now` shows it, `back` shows it undone, and the toast offers to take it back.
export async function change({ path, fields, now, back, said, undo }) {
  now?.();
  const sent = send(path, fields);
  // It can be taken back before the server has answered: whoever is quick waits for the answer, not for a second try.
  const takeBack = undo && (() => sent.then((answer) => change({ ...undo(answer), now: back, back: now, said: texts.undone }), () => {}));
  undoLast = takeBack ?? undoLast;
  try {
    const answer = await sent;
    if (said) toast(said, takeBack);
    return answer;
  } catch (error) {
    if (undoLast === takeBack) undoLast = null;
    back?.();
    toast(texts.notDone.replace("{why}", error.message));
    return undefined;
  }
}

export function undo() {
  const last = undoLast;
  undoLast = null;
  last?.();
}

export function canUndo(action) {
  undoLast = action;
}

export function toast(text, action, label = texts.undo) {
  const box = document.getElementById("toasts");
  const one = document.createElement("div");
  one.className = "toast";
  const words = document.createElement("span");
  words.textContent = text;
  one.append(words);
  if (action) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.addEventListener("click", () => {
      one.remove();
      action();
    });
    one.append(button);
  }
  while (box.children.length > 2) box.firstChild.remove();
  box.append(one);
  setTimeout(() => one.remove(), 10000);
}

// The rail's numbers, as the server counts them. Only what differs is touched: most people have many feeds.
export function showCounts({ unread, feeds }) {
  let differs = false;
  for (const link of document.querySelectorAll(".nav [data-feed]")) {
    const n = feeds[link.dataset.feed] ?? 0;
    if (!setNumber(link.lastElementChild, n)) continue;
    link.classList.toggle("none", n === 0);
    differs = true;
  }
  for (const place of document.querySelectorAll('[data-count="unread"], [data-count="foryou"]')) setNumber(place, unread);
  if (differs) countFolders(feeds);
}

function countFolders(feeds) {
  const sums = new Map();
  const around = [];
  for (const row of document.querySelectorAll(".nav li.folder, .nav li.feed")) {
    around.length = Math.min(around.length, Number(row.dataset.depth));
    if (row.classList.contains("folder")) {
      around.push(row);
      sums.set(row, 0);
      continue;
    }
    const n = feeds[row.querySelector("[data-feed]").dataset.feed] ?? 0;
    for (const folder of around) sums.set(folder, sums.get(folder) + n);
  }
  for (const [folder, sum] of sums) setNumber(folder.querySelector("b"), sum);
}

// True when another number stood there.
function setNumber(place, n) {
  const text = n > 0 ? number(n) : "";
  if (!place || place.textContent === text) return false;
  place.textContent = text;
  return true;
}

let format;
function number(n) {
  format ??= new Intl.NumberFormat(document.documentElement.lang);
  return format.format(n);
}

// The queue: marks are states, so sending one twice changes nothing more.
function keep(path, fields) {
  const waiting = read();
  waiting.push({ path, fields: [...new URLSearchParams(fields)] });
  localStorage.setItem(QUEUE, JSON.stringify(waiting.slice(-QUEUE_MAX)));
  document.body.dataset.waiting = waiting.length;
}

function read() {
  try {
    return JSON.parse(localStorage.getItem(QUEUE) ?? "[]");
  } catch {
    return [];
  }
}

export async function flush() {
  const waiting = read();
  if (!waiting.length || !navigator.onLine) return;
  for (const [at, { path, fields }] of waiting.entries()) {
    try {
      await send(path, fields, { queue: false });
    } catch (error) {
      if (error instanceof TypeError) {
        localStorage.setItem(QUEUE, JSON.stringify(waiting.slice(at)));
        return;
      }
      toast(texts.notDone.replace("{why}", error.message));
    }
  }
  localStorage.removeItem(QUEUE);
  delete document.body.dataset.waiting;
  toast(texts.online);
}

export function listenForConnection() {
  addEventListener("offline", () => toast(texts.offline));
  addEventListener("online", flush);
}

export function count(text, n) {
  const [one, many] = text.split("|");
  return (n === 1 ? one : many ?? one).replace("{n}", number(n));
}
