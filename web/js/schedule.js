// The frontier's slider: shows what each budget would give while it moves, and sets it when it is let go.
import { send, texts, toast } from "./act.js";

document.documentElement.classList.add("scripted");

const form = document.querySelector("[data-slider]");
const slider = form?.querySelector("input[type=range]");
const steps = slider?.dataset.steps.split(" ") ?? [];

function show() {
  for (const mark of document.querySelectorAll(".frontier .here")) {
    const isShown = mark.dataset.step === slider.value;
    mark.classList.toggle("hidden", !isShown);
    // The same words the picture shows.
    if (isShown) slider.setAttribute("aria-valuetext", [...mark.querySelectorAll(".t1, .t2")].map((one) => one.textContent).join(", "));
  }
  slider.style.setProperty("--share", Number(slider.value) / Math.max(1, Number(slider.max)));
}

async function set() {
  try {
    const answer = await send("/schedule/budget", { budget: steps[Number(slider.value)] }, { queue: false });
    const takeBack = async () => {
      await send("/feeds", { undo: answer.undo }, { queue: false });
      location.reload();
    };
    toast(answer.said, answer.undo && takeBack);
  } catch (error) {
    toast(texts.notDone.replace("{why}", error.message));
  }
}

if (slider) {
  show();
  slider.addEventListener("input", show);
  if ("sets" in form.dataset) slider.addEventListener("change", set);
}
