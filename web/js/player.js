// Sound and pictures that move: the position is remembered on the server, the speed in this browser.
import { send } from "./act.js";

const SPEED = "wellread-speed";

export function startPlayers(root) {
  for (const box of root.querySelectorAll("[data-player]:not([data-started])")) start(box);
}

function start(box) {
  box.dataset.started = "";
  const media = box.querySelector("audio, video");
  const item = box.closest("[data-item]").dataset.item;
  const speed = box.querySelector("[data-speed]");
  const position = Number(box.dataset.position);
  let said = position;
  speed.value = localStorage.getItem(SPEED) ?? "1";
  const apply = () => (media.playbackRate = Number(speed.value));
  speed.addEventListener("change", () => {
    localStorage.setItem(SPEED, speed.value);
    apply();
  });
  media.addEventListener("loadedmetadata", () => {
    apply();
    if (position > 5 && position < media.duration - 5) media.currentTime = position;
  });
  const keep = () => {
    const at = media.ended ? 0 : media.currentTime;
    if (Math.abs(at - said) < 1) return;
    said = at;
    send(`/item/${item}/position`, { enclosure: box.dataset.player, seconds: at.toFixed(1) }).catch(() => {});
  };
  media.addEventListener("pause", keep);
  media.addEventListener("ended", keep);
  media.addEventListener("timeupdate", () => Math.abs(media.currentTime - said) > 15 && keep());
}
