// Follows a channel where it stands, with Undo. Without this the same form leads back to the page.
import { send, texts, toast } from "./act.js";

document.documentElement.classList.add("scripted");

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("[data-follow]");
  if (!form) return;
  event.preventDefault();
  const button = form.querySelector("button");
  const done = document.createElement("span");
  done.className = "m";
  done.tabIndex = -1;
  done.textContent = form.dataset.follow;
  form.replaceWith(done);
  try {
    const answer = await send("/discover/follow", { feed: button.value }, { queue: false });
    if (answer.ok === false) throw new Error(answer.said);
    const takeBack = async () => {
      await send("/feeds", { undo: answer.undo }, { queue: false });
      done.replaceWith(form);
      button.focus();
      toast(texts.undone);
    };
    toast(answer.said, answer.undo && takeBack);
    done.focus();
  } catch (error) {
    done.replaceWith(form);
    toast(texts.notDone.replace("{why}", error.message));
  }
});
