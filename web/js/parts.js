// Items as they stand in the pane: asked for before somebody steps on, and kept for a while after.
import { base, texts } from "./act.js";

const KEPT_MAX = 16;
const KEPT_MS = 5 * 60_000;
// By item: { at, node }, without a node while it is on its way; the one longest unused first.
const kept = new Map();

// The item's node, if it is here already.
export function ready(id) {
  return fresh(id)?.node ?? null;
}

// Asks for an item nobody wants yet; one that does not come is asked for again when somebody does.
export function prepare(id) {
  if (id) part(id).catch(() => {});
}

// The item's node; `full` asks for the whole article or for the feed's own text. Throws why it does not come.
export async function part(id, full) {
  if (full !== undefined) {
    forget(id);
    return ask(id, full);
  }
  const known = fresh(id);
  if (known) return known.node ?? known.coming;
  const one = { at: Date.now(), coming: ask(id) };
  put(id, one);
  try {
    one.node = await one.coming;
  } catch (error) {
    if (kept.get(String(id)) === one) forget(id);
    throw error;
  }
  return one.node;
}

// A node that is here anyway, such as the one the page came with.
export function keep(id, node) {
  put(id, { at: Date.now(), node });
}

// Something about the item changed that only the server can tell.
export function forget(id) {
  kept.delete(String(id));
}

export function forgetAll() {
  kept.clear();
}

// Scripts and pictures of a parsed text do nothing until it stands in the page.
export function parse(html) {
  return new DOMParser().parseFromString(html, "text/html").querySelector(".open-item");
}

function fresh(id) {
  const one = kept.get(String(id));
  if (!one) return null;
  forget(id);
  if (Date.now() - one.at > KEPT_MS) return null;
  kept.set(String(id), one);
  return one;
}

function put(id, one) {
  kept.set(String(id), one);
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT_MAX) break;
    kept.delete(oldest);
  }
}

async function ask(id, full) {
  const query = full === undefined ? "" : `?full=${full ? 1 : 0}`;
  const response = await fetch(`${base}/part/item/${id}${query}`, { headers: { Accept: "text/html" } });
  if (response.redirected || response.status === 401) throw new Error(texts.signedOut);
  const html = await response.text();
  const node = parse(html);
  if (node) return node;
  const page = new DOMParser().parseFromString(html, "text/html");
  throw new Error(page.querySelector("main p")?.textContent ?? String(response.status));
}
