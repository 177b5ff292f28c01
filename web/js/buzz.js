// Buzz: a word or a link opens beside the lists without another page; the addresses are the same without this.
const main = document.querySelector("main");
let asked = 0;

main.addEventListener("click", (event) => {
  const link = event.target.closest("a.wrow, a.lrow, .key-pane .chip, [data-close]");
  if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(link.href, link.matches("[data-close]"));
});
addEventListener("keydown", (event) => {
  const close = document.querySelector("[data-close]");
  if (event.key === "Escape" && close && !event.target.closest("input, dialog")) go(close.href, true);
});
addEventListener("popstate", () => show(location.href, false));

function go(href, closes) {
  history.pushState(null, "", href);
  show(href, closes);
}

async function show(href, closes) {
  const mine = (asked += 1);
  const opened = document.querySelector(".talk [aria-current]");
  let next;
  try {
    const response = await fetch(href, { headers: { Accept: "text/html" } });
    if (!response.ok || response.redirected) throw new Error(response.status);
    next = new DOMParser().parseFromString(await response.text(), "text/html");
  } catch {
    location.href = href;
    return;
  }
  // Somebody has asked for something else meanwhile.
  if (mine !== asked) return;
  const section = next.getElementById("main");
  const scroll = document.getElementById("main").scrollTop;
  document.getElementById("main").replaceChildren(...section.childNodes);
  document.getElementById("main").scrollTop = scroll;
  document.getElementById("pane")?.remove();
  const pane = next.getElementById("pane");
  if (pane) main.append(pane);
  document.body.classList.toggle("has-side", Boolean(pane));
  document.title = next.title;
  if (pane) pane.focus({ preventScroll: true });
  else if (closes && opened) document.querySelector(`.talk a[href="${CSS.escape(opened.getAttribute("href"))}"]`)?.focus();
}
