// The list and its open item: choosing, opening, marking, more rows, and back to the same place.
import { base, canUndo, change, count, send, texts, toast } from "./act.js";
import { afterFrame, whenIdle } from "./later.js";
import { forget, forgetAll, keep, parse, part, prepare, ready } from "./parts.js";
import { look, opened } from "./seen.js";

const list = document.getElementById("list");
const rows = document.getElementById("rows");
const pane = document.querySelector(".pane");
const markRead = document.body.dataset.markRead;
// A page asked for again has as many rows, but no more than the server gives.
const ROWS_MAX = 200;
let delay = 0;
// The row whose item is open or on its way, and which way the person goes.
let current = rows?.querySelector(".row[aria-current]") ?? null;
let heading = "nextElementSibling";
// The item the page came with.
const cameWith = pane?.querySelector(".open-item") ?? null;

export const place = list?.dataset.place;

export function startList() {
  if (!list) return;
  rows.addEventListener("click", onRowClick);
  pane.addEventListener("click", onPaneClick);
  pane.addEventListener("submit", onTagging);
  nameBack();
  list.querySelector("[data-mark-all]")?.addEventListener("submit", onMarkAll);
  addEventListener("popstate", () => show(new URL(location.href).searchParams.get("item"), { push: false }));
  whenIdle(startReading);
}

// What the first key does not need.
function startReading() {
  const id = openId();
  // Whoever was quick has opened another one already.
  if (id && pane.querySelector(".open-item") === cameWith) {
    current?.scrollIntoView({ block: "nearest" });
    keep(id, cameWith);
    startPlayers();
    arrived(id);
  }
  lookAhead();
  if (!("paged" in list.dataset)) loadMoreOnScroll();
  if (markRead === "scroll") readOnScroll();
}

// Other rows than before: the list answers another question now.
export function setRows(fresh) {
  rows.replaceChildren(...fresh);
  current = rows.querySelector(".row[aria-current]");
  look();
  whenIdle(lookAhead);
}

export function rowOf(id) {
  return document.getElementById("i" + id);
}

export function chosen() {
  return current?.isConnected ? current : null;
}

export function openId() {
  return pane?.querySelector(".open-item")?.dataset.item;
}

function atHand() {
  return openId() ?? chosen()?.dataset.id;
}

// Opens the row before or after the chosen one.
export async function go(step) {
  heading = step > 0 ? "nextElementSibling" : "previousElementSibling";
  const from = chosen() ?? rowOf(openId());
  const next = from ? nextShown(from, heading) : firstShown();
  if (!next) {
    if (step > 0 && (await more())) return go(step);
    return;
  }
  const shown = show(next.dataset.id);
  // After the change, so that the page is laid out once.
  next.scrollIntoView({ block: "nearest" });
  await shown;
}

function firstShown() {
  const first = heading === "nextElementSibling" ? rows.firstElementChild : rows.lastElementChild;
  return first && isShown(first) ? first : nextShown(first, heading);
}

// Who steps through a list sees the next items at once.
function lookAhead() {
  const next = chosen() ? nextShown(chosen(), heading) : firstShown();
  prepare(next?.dataset.id);
  prepare(nextShown(next, heading)?.dataset.id);
}

export async function show(id, { push = true, full } = {}) {
  leaveOpen();
  choose(id);
  if (!id) {
    document.body.classList.remove("has-item");
    pane.replaceChildren();
    return;
  }
  let node = full === undefined ? ready(id) : null;
  if (!node) {
    node = await comes(id, full);
    // Somebody may have stepped on meanwhile.
    if (!node || (rowOf(id) && chosen()?.dataset.id !== String(id))) return;
  }
  for (const menu of pane.querySelectorAll("details[open]")) menu.open = false;
  pane.replaceChildren(node);
  document.body.classList.add("has-item");
  nameBack();
  afterFrame(() => {
    if (openId() !== String(id)) return;
    document.title = (node.dataset.title ?? "") + " · Wellread";
    pane.querySelector(".paper")?.focus({ preventScroll: true });
    if (push && full === undefined) remember({ item: id, full: null }, "pushState");
    startPlayers();
    arrived(id);
    whenIdle(lookAhead);
  });
}

// Puts where we are into the address; of a ranked list its moment too, so that going back shows the same one.
function remember(changes, how) {
  const url = new URL(location.href);
  if (list.dataset.pin) url.searchParams.set("after", list.dataset.pin);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  history[how](how === "pushState" ? {} : history.state, "", url);
}

// On a phone the bar above an open item names the list it came from.
function nameBack() {
  const back = pane.querySelector("[data-back]");
  if (!back) return;
  back.querySelector("span").textContent = list.querySelector("h1").textContent;
  back.href = listAddress();
}

// The list as it is, with no item open.
function listAddress() {
  const url = new URL(location.href);
  url.searchParams.delete("item");
  url.searchParams.delete("full");
  return url.pathname + url.search;
}

async function comes(id, full) {
  try {
    return await part(id, full);
  } catch (error) {
    const { stored } = await import("./offline.js");
    const taken = await stored(id);
    if (taken) return parse(taken.item);
    toast(error instanceof TypeError ? texts.offline : error.message);
    return null;
  }
}

async function startPlayers() {
  if (pane.querySelector("[data-player]")) (await import("./player.js")).startPlayers(pane);
}

function choose(id) {
  current?.removeAttribute("aria-current");
  current = id ? rowOf(id) : null;
  current?.setAttribute("aria-current", "true");
}

// An item is on screen now: it counts as opened, and as read the way the person likes it.
function arrived(id) {
  const row = rowOf(id);
  opened(id, row ? Number(row.dataset.position) : null);
  clearTimeout(delay);
  const isUnread = pane.querySelector("[data-read]")?.value.startsWith("read:");
  if (!isUnread) return;
  if (markRead === "open") setRead([id], true, { quiet: true });
  if (markRead === "delay") delay = setTimeout(() => openId() === id && setRead([id], true, { quiet: true }), 3000);
}

function leaveOpen() {
  clearTimeout(delay);
  opened(null);
}

export function setRead(ids, read, { quiet = false } = {}) {
  const group = ids.length === 1 && rowOf(ids[0])?.dataset.group;
  if (group) return setGroupRead(ids[0], group, read, quiet);
  const showIt = (isRead) => () => ids.forEach((id) => paintRead(id, isRead));
  const verb = (isRead) => ({ mark: `${isRead ? "read" : "unread"}:${ids.join(",")}`, place });
  return change({
    path: "/mark",
    fields: verb(read),
    now: showIt(read),
    back: showIt(!read),
    said: quiet ? "" : read ? texts.read : texts.unread,
    undo: quiet ? undefined : () => ({ path: "/mark", fields: verb(!read) }),
  });
}

// A row that stands for a story: all its copies are marked, and taken back, as one.
function setGroupRead(id, group, read, quiet) {
  const showIt = (isRead) => () => paintRead(id, isRead);
  return change({
    path: "/mark",
    // What happens by itself needs no way back, and must not cost the one of "mark all read".
    fields: { mark: `${read ? "read" : "unread"}:${group}`, group: quiet ? 0 : 1, place },
    now: showIt(read),
    back: showIt(!read),
    said: quiet ? "" : read ? texts.read : texts.unread,
    undo: quiet
      ? undefined
      : (answer) =>
          answer?.undo
            ? { path: "/undo", fields: { token: answer.undo } }
            : { path: "/mark", fields: { mark: `${read ? "unread" : "read"}:${id}`, place } },
  });
}

function paintRead(id, isRead) {
  const row = rowOf(id);
  row?.classList.toggle("new", !isRead);
  row?.querySelector(".state")?.remove();
  for (const node of nodesOf(id)) {
    for (const button of node.querySelectorAll("[data-read]")) {
      button.value = `${isRead ? "unread" : "read"}:${id}`;
      button.querySelector("span").textContent = isRead ? texts.markUnread : texts.markRead;
    }
  }
}

// The item where it is shown, and where it is kept to be shown again.
function nodesOf(id) {
  const open = openId() === String(id) ? pane.querySelector(".open-item") : null;
  return new Set([open, ready(id)].filter(Boolean));
}

export function toggleRead() {
  const id = atHand();
  const row = id && rowOf(id);
  const isUnread = row ? row.classList.contains("new") : pane.querySelector("[data-read]")?.value.startsWith("read:");
  if (id) setRead([id], isUnread);
}

export function toggleStar(id = atHand()) {
  if (!id) return;
  const buttons = [rowOf(id), ...nodesOf(id)].flatMap((node) => [...(node?.querySelectorAll(".star") ?? [])]);
  const on = !buttons.some((one) => one.classList.contains("on"));
  const paint = (starred) => () => {
    for (const one of buttons) {
      one.classList.toggle("on", starred);
      one.setAttribute("aria-pressed", String(starred));
      one.value = `${starred ? "unstar" : "star"}:${id}`;
      const words = one.querySelector("span");
      if (words) words.textContent = starred ? texts.unstar : texts.star;
    }
  };
  const fields = (starred) => ({ mark: `${starred ? "star" : "unstar"}:${id}`, place });
  change({
    path: "/mark",
    fields: fields(on),
    now: paint(on),
    back: paint(!on),
    said: on ? texts.starred : texts.unstarred,
    undo: () => ({ path: "/mark", fields: fields(!on) }),
  });
}

// "Less like this": the row goes, the next one is shown, and it can be taken back.
export function hide(id = atHand()) {
  const row = id && rowOf(id);
  if (!id) return;
  forget(id);
  change({
    path: "/mark",
    fields: { mark: `hide:${id}`, place },
    now: () => row && (row.hidden = true),
    back: () => row && (row.hidden = false),
    said: texts.hidden,
    undo: () => ({ path: "/mark", fields: { mark: `unhide:${id}`, place } }),
  });
  if (openId() === String(id)) {
    const next = nextShown(row, "nextElementSibling") ?? nextShown(row, "previousElementSibling");
    if (next) show(next.dataset.id);
  }
}

function nextShown(row, way) {
  for (let one = row?.[way]; one; one = one[way]) if (isShown(one)) return one;
  return null;
}

function isShown(row) {
  return row.classList.contains("row") && !row.hidden;
}

export async function fullText() {
  const id = openId();
  const button = pane.querySelector("[data-full]");
  if (!id || !button) return;
  if (button.dataset.full === "true") return show(id, { full: false });
  button.disabled = true;
  toast(texts.working);
  try {
    const answer = await send(`/item/${id}/full-text`, {}, { queue: false });
    if (answer.ok) await show(id, { full: true });
    else toast(answer.error);
  } catch (error) {
    toast(error instanceof TypeError ? texts.offline : error.message);
  } finally {
    button.disabled = false;
  }
}

export function startTagging() {
  const form = pane.querySelector("[data-tagging]");
  if (!form) return;
  form.hidden = !form.hidden;
  if (!form.hidden) form.querySelector("input").focus();
}

async function onTagging(event) {
  const form = event.target.closest("[data-tagging]");
  if (!form) return;
  event.preventDefault();
  const id = openId();
  const split = (text) => [...new Set(text.split(",").map((tag) => tag.trim()).filter(Boolean))];
  const now = split(form.querySelector("input").value);
  const before = [...pane.querySelectorAll("[data-tag-name]")].map((link) => link.dataset.tagName);
  const added = now.filter((tag) => !before.includes(tag));
  const removed = before.filter((tag) => !now.includes(tag));
  form.hidden = true;
  forget(id);
  const mark = (verb, tags) => ({ path: "/mark", fields: { mark: `${verb}:${id}`, tag: tags.join(","), place } });
  const text = (template, tags) => template.replace("{tag}", tags.join(", "));
  if (added.length) {
    await change({ ...mark("tag", added), said: text(texts.tagged, added), undo: () => mark("untag", added) });
  }
  if (removed.length) {
    await change({ ...mark("untag", removed), said: text(texts.untagged, removed), undo: () => mark("tag", removed) });
  }
  if (added.length || removed.length) show(id, { push: false });
}

export async function markAll(upTo = list.dataset.upTo) {
  if (!upTo) return markShown();
  const shown = [...rows.querySelectorAll(".row.new")];
  let answer;
  try {
    answer = await send("/mark-all", { place, up_to: upTo });
  } catch (error) {
    return toast(texts.notDone.replace("{why}", error.message));
  }
  if (!answer?.count) return toast(texts.nothingMarked);
  if (upTo === list.dataset.upTo) shown.forEach((row) => row.classList.remove("new"));
  forgetAll();
  const back = async () => {
    await send("/undo", { token: answer.undo });
    forgetAll();
    shown.forEach((row) => row.classList.add("new"));
    toast(texts.undone);
  };
  canUndo(back);
  toast(count(texts.markedAll, answer.count), back);
}

// Where a list has no end that could be named, what is shown is all.
async function markShown() {
  const shown = [...rows.querySelectorAll(".row.new")];
  if (!shown.length) return toast(texts.nothingMarked);
  const ids = shown.map((row) => row.dataset.group ?? row.dataset.id).join(",");
  const paint = (isRead) => () => shown.forEach((row) => paintRead(row.dataset.id, isRead));
  await change({
    path: "/mark",
    fields: { mark: `read:${ids}`, group: 1, place },
    now: paint(true),
    back: paint(false),
    said: count(texts.markedAll, shown.length),
    undo: (answer) => ({ path: "/undo", fields: { token: answer?.undo ?? 0 } }),
  });
}

function onMarkAll(event) {
  event.preventDefault();
  event.target.closest("details").open = false;
  markAll(event.submitter?.value);
}

function onRowClick(event) {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  const row = event.target.closest(".row");
  if (event.target.closest(".star")) {
    event.preventDefault();
    toggleStar(row.dataset.id);
  } else if (event.target.closest("a.open")) {
    event.preventDefault();
    show(row.dataset.id);
  } else if (event.target.closest("[data-other]")) {
    event.preventDefault();
    show(event.target.closest("[data-other]").dataset.other);
  } else if (event.target.closest("[data-after]")) {
    event.preventDefault();
    more();
  }
}

// Shows the open item to friends with the note beside the button, or no longer.
async function shareOpen(button, isShared) {
  const box = button.closest(".with-friends");
  const note = box.querySelector("textarea");
  const path = `/item/${openId()}/${isShared ? "share" : "withdraw"}`;
  const done = await change({ path, fields: { note: note.value }, said: isShared ? texts.shared : texts.withdrawn });
  if (done === undefined) return;
  const [share, withdraw] = box.querySelectorAll("button");
  share.dataset.first ??= share.textContent;
  share.textContent = isShared ? texts.shareAgain : share.dataset.first;
  withdraw.hidden = !isShared;
  if (!isShared) note.value = "";
  button.closest("details").open = false;
}

function onPaneClick(event) {
  const button = event.target.closest("button, a");
  if (!button) return;
  const does = {
    star: () => toggleStar(openId()),
    hide: () => hide(openId()),
    read: toggleRead,
    tag: startTagging,
    full: fullText,
    unhide: () => {
      forget(openId());
      change({ path: "/mark", fields: { mark: `unhide:${openId()}`, place }, said: texts.undone });
    },
    back: () => (history.state ? history.back() : location.assign(listAddress())),
    copy: () => navigator.clipboard.writeText(button.dataset.copy).then(() => toast(texts.copied)),
    why: () => toggleWhy(openId(), button.href),
    go: () => go(button.dataset.go === "next" ? 1 : -1),
    share: () => shareOpen(button, true),
    withdraw: () => shareOpen(button, false),
  };
  const name = button.classList.contains("star") ? "star" : Object.keys(does).find((key) => key in button.dataset);
  if (!name || !does[name]) return;
  event.preventDefault();
  button.closest("details.menu")?.removeAttribute("open");
  does[name]();
}

// Why the item is in For you: the sentence comes with the item, or is asked for.
async function toggleWhy(id, address) {
  const line = pane.querySelector("[data-why-line]");
  if (line) {
    line.hidden = !line.hidden;
    return;
  }
  try {
    const response = await fetch(address, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const fresh = page.querySelector("[data-why-line]");
    if (fresh && openId() === id) pane.querySelector(".facts").after(fresh);
  } catch {
    toast(texts.offline);
  }
}

// More rows, once; true when some came.
let loading = null;
export function more() {
  loading ??= loadMore().finally(() => (loading = null));
  return loading;
}

async function loadMore() {
  const link = rows.querySelector("[data-after]");
  if (!link) return false;
  const all = new URL(location.href).searchParams.get("all");
  const query = new URLSearchParams({ place, after: link.dataset.after, from: rows.querySelectorAll(".row").length });
  if (all !== null) query.set("all", all);
  const address = link.dataset.rows ?? `${base}/part/rows?${query}`;
  try {
    const response = await fetch(address, { headers: { Accept: "text/html" } });
    if (!response.ok || response.redirected) return false;
    const parsed = new DOMParser().parseFromString(await response.text(), "text/html");
    link.closest("li").remove();
    const fresh = [...parsed.body.querySelectorAll("li.row, li.onward")].filter((row) => !row.id || !document.getElementById(row.id));
    rows.append(...fresh);
    look();
    remember({ rows: Math.min(rows.querySelectorAll(".row").length, ROWS_MAX) }, "replaceState");
    return fresh.length > 0;
  } catch {
    return false;
  }
}

function loadMoreOnScroll() {
  const scroll = document.getElementById("scroll");
  new IntersectionObserver(
    (seen) => seen.some((one) => one.isIntersecting) && more(),
    { root: scroll, rootMargin: "600px" },
  ).observe(rows.parentElement.appendChild(Object.assign(document.createElement("div"), { className: "end-of-rows" })));
}

// A row that leaves the list at the top was read.
function readOnScroll() {
  const scroll = document.getElementById("scroll");
  let waiting = [];
  let timer = 0;
  const observer = new IntersectionObserver(
    (seen) => {
      for (const { target, isIntersecting, boundingClientRect, rootBounds } of seen) {
        const above = !isIntersecting && rootBounds && boundingClientRect.bottom <= rootBounds.top;
        if (above && target.classList.contains("new")) waiting.push(target.dataset.id);
      }
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (waiting.length) setRead(waiting.splice(0), true, { quiet: true });
      }, 400);
    },
    { root: scroll },
  );
  const observe = () => rows.querySelectorAll(".row").forEach((row) => observer.observe(row));
  observe();
  new MutationObserver(observe).observe(rows, { childList: true });
}
