// New items announce themselves as a pill and enter the list when it is pressed; counters follow by themselves.
import { base, count, showCounts, texts } from "./act.js";
import { place } from "./list.js";

export function startLive() {
  const list = document.getElementById("list");
  if (!list?.dataset.newest || "offline" in list.dataset || !window.EventSource) return;
  const pill = list.querySelector("[data-pill]");
  const query = new URLSearchParams({ place, since: list.dataset.newest });
  let source;
  const listen = () => {
    source = new EventSource(`${base}/events?${query}`);
    source.addEventListener("news", ({ data }) => {
      const news = JSON.parse(data);
      showCounts(news);
      pill.hidden = news.new === 0;
      pill.querySelector("span").textContent = count(texts.new, news.new);
    });
  };
  // A page nobody looks at listens to nothing.
  document.addEventListener("visibilitychange", () => {
    source?.close();
    if (!document.hidden) listen();
  });
  addEventListener("pagehide", () => source?.close());
  if (!document.hidden) listen();
  pill.addEventListener("click", () => (location.href = `${base}/${place}`));
}
