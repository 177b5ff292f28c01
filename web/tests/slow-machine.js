// How the list feels on a machine four times slower: `WELLREAD=target/release/wellread node web/tests/slow-machine.js`.
// The demo has no older history to fill in, which would take the same cores.
// Bars: a list of 200 items usable in < 1 s, j and k < 50 ms. A benchmark: it prints, and asserts nothing about time.
import { startDemo } from "./demo.js";
import { WIDE, signIn, startBrowser, startContext } from "./stage.js";

const SLOWER = 4;
const STEPS = 60;

const browser = await startBrowser();
const demo = await startDemo({ feeds: 150, days: 7 });
try {
  const context = await startContext(browser, { viewport: WIDE, theme: "light", serviceWorkers: "block" });
  const page = await context.newPage();
  await signIn(page, demo.origin, "mira", demo.password);
  const devtools = await context.newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });

  const loads = [];
  for (let round = 0; round < 10; round += 1) {
    await page.goto("about:blank");
    const begun = Date.now();
    await page.goto(demo.origin + "/newest", { waitUntil: "commit" });
    await page.waitForFunction(() => document.readyState !== "loading" && document.querySelectorAll("#rows .row").length > 0);
    // Usable means that a key does something.
    await page.keyboard.press("j");
    await page.waitForFunction(() => document.querySelector("#rows .row[aria-current]"));
    loads.push(Date.now() - begun);
  }
  print("list to first key", loads);

  await page.goto(demo.origin + "/newest");
  const begun = Date.now();
  while ((await page.locator("#rows .row").count()) < 200) {
    const before = await page.locator("#rows .row").count();
    await page.evaluate(() => document.querySelector("#rows [data-after]").click());
    await page.waitForFunction((count) => document.querySelectorAll("#rows .row").length > count, before);
  }
  console.log(`200 rows, loaded page by page: ${Date.now() - begun} ms`);

  for (const [key, name] of [["j", "j, chosen and painted"], ["k", "k, chosen and painted"]]) {
    print(name, await steps(page, key));
  }
  const memory = await devtools.send("Performance.getMetrics").catch(() => null);
  if (memory) console.log("nodes", memory.metrics.find((one) => one.name === "Nodes")?.value);
} finally {
  await demo.stop();
  await browser.close();
}

// From the key to the frame after the row was chosen and its item stood in the pane.
async function steps(page, key) {
  return page.evaluate(
    async ([key, steps]) => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      const open = () => document.querySelector(".open-item")?.dataset.item;
      const times = [];
      for (let step = 0; step < steps; step += 1) {
        const before = open();
        const begun = performance.now();
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
        while (open() === before && performance.now() - begun < 2000) await frame();
        await frame();
        times.push(performance.now() - begun);
        // People read, if only the title.
        await new Promise((resolve) => setTimeout(resolve, 150));
      }
      return times;
    },
    [key, STEPS],
  );
}

function print(name, times) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share) => sorted[Math.floor((sorted.length - 1) * share)].toFixed(1);
  console.log(`${name}: median ${at(0.5)} ms, p95 ${at(0.95)} ms, worst ${at(1)} ms`);
}
