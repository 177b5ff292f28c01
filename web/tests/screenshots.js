// The pictures for the README and docs/, taken from the demo: `node screenshots.js [FOLDER]`. With `every` after the folder,
// every page at both sizes, light and dark, to be looked at.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { startDemo } from "./demo.js";
import { PLACES, inside } from "./places.js";
import { PHONE, WIDE, signIn, startBrowser, startContext } from "./stage.js";

const folder = process.argv[2] ?? "docs/images";

// name, size, theme, where to go, what to do there, as whom.
const PICTURES = [
  ["foryou-light", WIDE, "light", "/foryou", openNicest],
  ["foryou-dark", WIDE, "dark", "/foryou", openNicest],
  ["phone-foryou-light", PHONE, "light", "/foryou"],
  ["list-light", WIDE, "light", "/unread", openNicest],
  ["list-dark", WIDE, "dark", "/unread", openNicest],
  ["phone-list-light", PHONE, "light", "/unread"],
  ["phone-list-dark", PHONE, "dark", "/unread"],
  ["phone-item-light", PHONE, "light", "/unread", openNicest],
  ["phone-item-dark", PHONE, "dark", "/unread", openNicest],
  ["buzz-light", WIDE, "light", "/buzz?window=week", openWord],
  ["buzz-dark", WIDE, "dark", "/buzz?window=week", openWord],
  ["phone-buzz-light", PHONE, "light", "/buzz?window=week"],
  ["search-light", WIDE, "light", "/search?q=ferry", indexed],
  ["search-dark", WIDE, "dark", "/search?q=ferry", indexed],
  ["phone-search-light", PHONE, "light", "/search?q=ferry", indexed],
  ["feeds-light", WIDE, "light", "/feeds"],
  ["feed-light", WIDE, "light", "/newest", aboutFirstFeed],
  ["discover-light", WIDE, "light", "/discover", undefined, "tobias"],
  ["discover-dark", WIDE, "dark", "/discover", undefined, "tobias"],
  ["phone-discover-light", PHONE, "light", "/discover", undefined, "tobias"],
  ["schedule-light", WIDE, "light", "/schedule"],
  ["schedule-dark", WIDE, "dark", "/schedule"],
  ["phone-schedule-light", PHONE, "light", "/schedule"],
  ["rules-light", WIDE, "light", "/rules"],
  ["tags-light", WIDE, "light", "/tags"],
  ["settings-light", WIDE, "light", "/settings"],
  ["settings-dark", WIDE, "dark", "/settings"],
  ["admin-light", WIDE, "light", "/admin"],
  ["welcome-light", WIDE, "light", "/welcome"],
  ["subscribe-light", WIDE, "light", "/subscribe"],
];

await mkdir(folder, { recursive: true });
const browser = await startBrowser();
const demo = await startDemo({ feeds: 300, days: 30, speed: 0.1 });
try {
  const contexts = new Map();
  for (const [name, viewport, theme, path, act, who = "mira"] of process.argv[3] === "every" ? await everyPage() : PICTURES) {
    const key = `${viewport.width} ${theme} ${who}`;
    if (!contexts.has(key)) {
      const context = await startContext(browser, { viewport, theme, serviceWorkers: "block" });
      const page = await context.newPage();
      await signIn(page, demo.origin, who, demo.password);
      contexts.set(key, page);
    }
    const page = contexts.get(key);
    await page.goto(demo.origin + path);
    await act?.(page);
    await settled(page);
    await page.screenshot({ path: join(folder, `${name}.png`), caret: "hide", animations: "disabled" });
    console.log(`${name}.png`);
  }
} finally {
  await browser.close();
  await demo.stop();
}

async function everyPage() {
  const context = await startContext(browser, { viewport: WIDE, theme: "light", serviceWorkers: "block" });
  const page = await context.newPage();
  await signIn(page, demo.origin, "mira", demo.password);
  const places = [...PLACES, ...(await inside(page, demo.origin))];
  await context.close();
  const named = (path) => path.slice(1).replace(/\d+/g, "").replace(/\W+/g, "-").replace(/-$/, "");
  const looks = [["wide-light", WIDE, "light"], ["wide-dark", WIDE, "dark"], ["phone-light", PHONE, "light"], ["phone-dark", PHONE, "dark"]];
  return looks.flatMap(([look, viewport, theme]) => places.map((path) => [`${named(path)}-${look}`, viewport, theme, path]));
}

// Fonts and every picture in sight are there. The page goes on listening for news, so its network is never idle; what is
// folded away or further down is never asked for.
async function settled(page) {
  await page.evaluate(() => document.fonts.ready);
  const loaded = () => [...document.images].every((image) => image.complete || !image.checkVisibility() || image.getBoundingClientRect().top > innerHeight);
  await page.waitForFunction(loaded, undefined, { timeout: 120_000 });
}

// Opens the first item with a picture in its text, as a person would.
async function openNicest(page) {
  const rows = page.locator("#rows .row");
  const count = Math.min(await rows.count(), 8);
  for (let n = 0; n < count; n += 1) {
    await rows.nth(n).locator("a.open").click();
    const id = await rows.nth(n).getAttribute("data-id");
    await page.waitForFunction((id) => document.querySelector(".open-item")?.dataset.item === id, id);
    if (await page.locator(".open-item .body img").count()) break;
    if (page.viewportSize().width < 640) await page.goBack();
  }
}

// The index of a young server is still being built: waits until everything can be found.
async function indexed(page) {
  while ((await page.locator("#rows .hit").count()) === 0 || (await page.locator("#head .note").count())) {
    await page.waitForTimeout(500);
    await page.reload();
  }
}

// Once the last days have been read.
async function openWord(page) {
  for (let tries = 0; tries < 60 && !(await page.locator(".words a.wrow").count()); tries += 1) {
    await page.waitForTimeout(1000);
    await page.reload();
  }
  await page.locator(".words a.wrow").first().click();
  await page.locator("#pane h2").waitFor();
}

async function aboutFirstFeed(page) {
  const feed = await page.locator("#rows .row").first().getAttribute("data-feed");
  await page.goto(`${new URL(page.url()).origin}/feed/${feed}/about`);
}
