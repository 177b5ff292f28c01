// Search: results while somebody types, the rest of a word, filters, and searches that are kept.
import { base, canUndo, send, texts, toast } from "./act.js";
import { setRows, show } from "./list.js";

// Long enough that a quick typist asks once a word, short enough to feel at once.
const WAIT_MS = 120;
const form = document.getElementById("ask");
const input = form.elements.q;
const ghost = form.querySelector("[data-ghost]");
const tab = form.querySelector("[data-tab]");
const told = document.querySelector("[data-told]");
let timer = 0;
let rest = "";
// One request at a time: what is asked meanwhile waits, and answers to what is no longer asked are dropped.
let isAsking = false;
let waiting = null;

document.documentElement.classList.add("scripted");
input.addEventListener("input", () => {
  offer("");
  clearTimeout(timer);
  timer = setTimeout(() => ask({ live: true }), WAIT_MS);
});
input.addEventListener("keydown", onKey);
for (const event of ["blur", "select", "pointerup", "keyup"]) input.addEventListener(event, () => atEnd() || offer(""));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  ask({ push: true });
});
form.addEventListener("change", (event) => {
  if (event.target === input) return;
  paintChips();
  ask({ push: true });
});
form.querySelector("[data-clear]").addEventListener("click", (event) => {
  event.preventDefault();
  input.value = "";
  input.focus();
  ask({});
});
document.getElementById("main").addEventListener("click", onResults);
document.querySelector(".side").addEventListener("submit", onSide);
addEventListener("popstate", followAddress);
markSeen();

function onKey(event) {
  const takes = (event.key === "Tab" && !event.shiftKey) || event.key === "ArrowRight";
  if (takes && rest && atEnd()) {
    event.preventDefault();
    input.value += rest;
    offer("");
    ask({ live: true });
  } else if (event.key === "ArrowDown") {
    const first = document.querySelector("#rows a.open");
    if (!first) return;
    event.preventDefault();
    first.focus();
  }
}

// What is asked for now, as it stands in an address.
function query() {
  const all = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value !== "") all.set(name, value);
  return all;
}

async function ask({ live = false, push = false }) {
  clearTimeout(timer);
  if (isAsking) {
    waiting = { live, push: push || waiting?.push };
    return;
  }
  isAsking = true;
  const asked = query();
  const params = new URLSearchParams(asked);
  if (live) params.set("live", "1");
  let page = null;
  try {
    const response = await fetch(`${form.dataset.part}?${params}`, { headers: { Accept: "text/html" } });
    if (response.redirected || response.status === 401) throw new Error(texts.signedOut);
    page = new DOMParser().parseFromString(await response.text(), "text/html");
  } catch (error) {
    if (!waiting) toast(error instanceof TypeError ? texts.offline : error.message);
  }
  isAsking = false;
  if (waiting) {
    const next = waiting;
    waiting = null;
    return ask(next);
  }
  // A refused query comes as a part of a page, too; an error page has none.
  if (page?.getElementById("head") && String(query()) === String(asked)) paint(page, asked, push);
}

function paint(page, asked, push) {
  for (const id of ["head", "tail", "beside"]) {
    document.getElementById(id).replaceChildren(...page.getElementById(id).childNodes);
  }
  if (document.body.classList.contains("has-item")) show(null);
  setRows([...page.getElementById("rows").children]);
  offer(document.querySelector("[data-rest]")?.dataset.rest ?? "");
  told.textContent = document.querySelector("#head h2")?.textContent ?? "";
  const address = `${base}/search${asked.size ? `?${asked}` : ""}`;
  if (address !== location.pathname + location.search) history[push ? "pushState" : "replaceState"]({}, "", address);
  if (push) document.getElementById("scroll").scrollTop = 0;
}

// The grey rest of a word, behind what is typed, while it fits.
function offer(words) {
  rest = words && atEnd() && input.scrollWidth <= input.clientWidth ? words : "";
  const typed = document.createElement("b");
  typed.textContent = input.value;
  ghost.replaceChildren(...(rest ? [typed, rest] : []));
  tab.hidden = !rest;
}

function atEnd() {
  const { selectionStart, selectionEnd, value } = input;
  return document.activeElement === input && selectionStart === value.length && selectionEnd === value.length;
}

function paintChips() {
  for (const select of form.querySelectorAll(".chip select")) {
    select.parentElement.classList.toggle("on", "always" in select.dataset || select.value !== "");
  }
}

function onResults(event) {
  const link = event.target.closest("[data-sort], [data-meant], [data-example]");
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  const { sort, meant, example } = link.dataset;
  if (sort !== undefined) form.elements.sort.value = sort;
  else input.value = meant ?? example;
  // What was meant says its filters itself.
  if (meant !== undefined) clearFilters();
  ask({ push: true });
}

function clearFilters() {
  for (const select of form.querySelectorAll("select")) select.value = "";
  for (const box of form.querySelectorAll("[type=checkbox]")) box.checked = false;
  paintChips();
}

// Back and forward: the form says what the address says.
function followAddress() {
  const params = new URL(location.href).searchParams;
  // Which item is open and how many rows there are is the list's to know.
  for (const name of ["item", "full", "rows"]) params.delete(name);
  if (location.pathname !== `${base}/search` || String(params) === String(query())) return;
  for (const field of form.elements) {
    if (!field.name) continue;
    if (field.type === "checkbox") field.checked = params.get(field.name) === field.value;
    else field.value = params.get(field.name) ?? "";
  }
  paintChips();
  ask({});
}

function onSide(event) {
  const sent = event.target;
  const does = "keep" in sent.dataset ? keep : "rename" in sent.dataset ? rename : "remove" in sent.dataset ? remove : null;
  if (!does) return;
  event.preventDefault();
  const path = new URL(sent.action).pathname.slice(base.length);
  does(path, new URLSearchParams(new FormData(sent))).catch((error) => {
    toast(texts.notDone.replace("{why}", error instanceof TypeError ? texts.offline : error.message));
  });
}

async function keep(path, fields) {
  const { id } = await send(path, fields, { queue: false });
  await renew();
  tell(texts.searchSaved, () => send(`/saved/${id}/remove`, {}, { queue: false }));
}

async function rename(path, fields) {
  await send(path, fields, { queue: false });
  await renew();
  toast(texts.searchRenamed);
}

async function remove(path) {
  const { undo } = await send(path, {}, { queue: false });
  await renew();
  tell(texts.searchRemoved, () => send("/undo", { token: undo }, { queue: false }));
}

function tell(words, takeBack) {
  const back = async () => {
    await takeBack();
    await renew();
    toast(texts.undone);
  };
  canUndo(back);
  toast(words, back);
}

// The searches that are kept, and whether this one is.
async function renew() {
  const back = location.pathname.slice(base.length) + location.search;
  const response = await fetch(`${base}/part/saved?${new URLSearchParams({ back })}`, { headers: { Accept: "text/html" } });
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  document.getElementById("saved").replaceChildren(...page.body.childNodes);
  if (location.pathname === `${base}/search`) ask({});
}

// Whoever looks at a saved search has seen what it found.
function markSeen() {
  const seen = document.querySelector("[data-seen]");
  if (!seen) return;
  const path = new URL(seen.action).pathname.slice(base.length);
  send(path, { to: seen.dataset.seen }, { queue: false }).catch(() => {});
}
