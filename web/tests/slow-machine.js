// How the list feels on a machine four times slower: `WELLREAD=target/release/wellread node web/tests/slow-machine.js`.
// Bars: a list of 200 items usable in < 1 s, j and k < 50 ms. A benchmark: it prints, and asserts nothing about time.
//
// Keys are real ones, sent by the browser's own debugging protocol. "Usable" is from the start of the navigation to
// the frame that shows the row a key has chosen. A step is from the key to the frame in which the row is marked and its
// item stands in the pane, styled, laid out and painted; "on the screen" is the browser's own word (Event Timing, in
// steps of 8 ms) for when that frame was shown. The same is measured on a page that does nothing but mark a line, which
// is the least this machine and its drawing without a graphics card can do: what is above that is ours.
// The demo has no older history to fill in, which would take the same cores. PROFILE=1 says where the time of j goes.
import { startDemo } from "./demo.js";
import { WIDE, signIn, startBrowser, startContext } from "./stage.js";

const SLOWER = 4;
const LOADS = 11;
const ROWS = 200;
const STEPS = 60;
const PAUSE_MS = 150;

// Marks the next line, and nothing else.
const FLOOR = `<!doctype html><title>Floor</title><ol id="rows"><li data-id="0">A line</ol><div class="open-item"></div><script>
let n = 0;
const [row, item] = [document.querySelector("li"), document.querySelector(".open-item")];
document.addEventListener("keydown", () => {
  row.setAttribute("aria-current", "true");
  row.dataset.id = item.dataset.item = row.textContent = n += 1;
});</script>`;

const browser = await startBrowser();
const demo = await startDemo({ feeds: 150, days: 7 });
try {
  const context = await startContext(browser, { viewport: WIDE, theme: "light", serviceWorkers: "block" });
  await context.addInitScript(stopwatch);
  const page = await context.newPage();
  await page.route("**/floor", (route) => route.fulfill({ contentType: "text/html", body: FLOOR }));
  await signIn(page, demo.origin, "mira", demo.password);
  const devtools = await context.newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });

  const floor = await measure(page, "/floor");
  // Whatever is intercepted goes the long way and is never cached.
  await page.unrouteAll();
  const list = await measure(page, `/newest?rows=${ROWS}`);
  const [rows, nodes] = await page.evaluate(() => [document.querySelectorAll("#rows .row").length, document.querySelectorAll("*").length]);
  console.log(`\nthe list has ${rows} rows and ${nodes} elements`);
  for (const [name, key] of [["usable after", "usable"], ["j", "j"], ["j, row alone", "jRow"], ["j, on the screen", "jScreen"], ["k", "k"], ["k, on the screen", "kScreen"], ["j, held down", "held"]]) {
    print(name, list[key]);
    print("  an empty page", floor[key]);
  }
  if (process.env.PROFILE) await profile(page, devtools);
} finally {
  await demo.stop();
  await browser.close();
}

async function measure(page, path) {
  const usable = [];
  for (let round = 0; round < LOADS; round += 1) {
    await page.goto("about:blank");
    await page.goto(demo.origin + path, { waitUntil: "commit" });
    // A key that comes before the scripts does nothing; a person presses it again.
    while (!(await page.evaluate(() => window.stopwatch.chosenAt))) await page.keyboard.press("j");
    usable.push(await page.evaluate(() => window.stopwatch.chosenAt));
  }
  await page.goto(demo.origin + path, { waitUntil: "load" });
  await page.waitForTimeout(3000);
  const j = await steps(page, "j", STEPS, PAUSE_MS);
  // The first j chose the first row, so there is one step less back.
  const k = await steps(page, "k", STEPS - 1, PAUSE_MS);
  const held = await steps(page, "j", STEPS, 0);
  return { usable, j: j.both, jRow: j.row, jScreen: j.screen, k: k.both, kScreen: k.screen, held: held.both };
}

async function steps(page, key, count, pause) {
  await page.evaluate(() => window.stopwatch.reset());
  for (let step = 0; step < count; step += 1) {
    await page.keyboard.press(key);
    await page.waitForFunction((n) => window.stopwatch.both.length > n, step);
    // People read, if only the title.
    await page.waitForTimeout(pause);
  }
  return page.evaluate(() => ({ row: window.stopwatch.row, both: window.stopwatch.both, screen: window.stopwatch.screen }));
}

// Runs in the page, before its own scripts: notes when each key was answered.
function stopwatch() {
  const marked = () => document.querySelector("#rows [aria-current]")?.dataset.id;
  const open = () => document.querySelector(".open-item")?.dataset.item;
  // After the rendering of the next frame: a message posted in its callback comes when the frame is done.
  const frame = () =>
    new Promise((resolve) =>
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = resolve;
        port2.postMessage(0);
      }),
    );
  const watch = (window.stopwatch = { row: [], both: [], screen: [], chosenAt: 0, reset: () => Object.assign(watch, { row: [], both: [], screen: [] }) });
  let before;
  addEventListener("keydown", () => (before = marked()), { capture: true });
  addEventListener("keydown", async ({ timeStamp }) => {
    const [was, limit] = [before, timeStamp + 5000];
    while (marked() === was && performance.now() < limit) await frame();
    if (marked() === was) return;
    const isOpen = open() === marked();
    await frame();
    watch.row.push(performance.now() - timeStamp);
    watch.chosenAt ||= performance.now();
    if (!isOpen) {
      while (open() !== marked() && performance.now() < limit) await frame();
      await frame();
    }
    watch.both.push(performance.now() - timeStamp);
  });
  new PerformanceObserver((entries) => {
    for (const one of entries.getEntries()) if (one.name === "keydown") watch.screen.push(one.duration);
  }).observe({ type: "event", durationThreshold: 16 });
}

// Where the main thread spends the time of a step.
async function profile(page, devtools) {
  const events = [];
  devtools.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  const done = new Promise((resolve) => devtools.once("Tracing.tracingComplete", resolve));
  await devtools.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: ["devtools.timeline", "v8.execute", "blink.user_timing"] } });
  await steps(page, "j", 20, PAUSE_MS);
  await devtools.send("Tracing.end");
  await done;
  const sums = new Map();
  for (const { name, ph, dur } of events) {
    if (ph !== "X" || !dur) continue;
    const [count, total] = sums.get(name) ?? [0, 0];
    sums.set(name, [count + 1, total + dur / 1000]);
  }
  console.log("\nmain thread, per step (ms, with what they call):");
  for (const [name, [count, total]] of [...sums].sort((a, b) => b[1][1] - a[1][1]).slice(0, 25)) {
    console.log(`${name.padEnd(36)} ${(total / 20).toFixed(2).padStart(8)}   ${(count / 20).toFixed(1)} times`);
  }
}

function print(name, times) {
  if (!times.length) return console.log(`${name.padEnd(20)} under 16 ms throughout`);
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share) => sorted[Math.floor((sorted.length - 1) * share)].toFixed(0).padStart(5);
  console.log(`${name.padEnd(20)} median ${at(0.5)} ms   p95 ${at(0.95)} ms   worst ${at(1)} ms`);
}
