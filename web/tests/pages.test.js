// Every page of the demo, at both sizes, light and dark: no accessibility violation, no error, nothing from elsewhere.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startDemo } from "./demo.js";
import { PHONE, WIDE, accessible, signIn, startBrowser, startContext, watchOrigins } from "./stage.js";

const PLACES = ["/newest", "/unread", "/starred", "/hidden", "/feeds", "/discover", "/discover?by=text", "/discover?by=opml", "/discover?by=popular", "/discover?q=harbour", "/tags", "/rules", "/rules/new", "/folders", "/schedule", "/subscribe", "/welcome", "/settings", "/admin", "/keys", "/offline", "/about-fetcher", "/nowhere"];

describe("every page", () => {
  let browser, demo;
  before(async () => {
    browser = await startBrowser();
    demo = await startDemo({ feeds: 60, days: 7 });
  });
  after(async () => {
    await demo?.stop();
    await browser?.close();
  });

  for (const [name, viewport, theme] of [
    ["wide and light", WIDE, "light"],
    ["wide and dark", WIDE, "dark"],
    ["a phone in the light", PHONE, "light"],
    ["a phone in the dark", PHONE, "dark"],
  ]) {
    test(`is accessible and calm, ${name}`, async () => {
      const context = await startContext(browser, { viewport, theme, serviceWorkers: "block" });
      const leaks = watchOrigins(context, demo.origin);
      const page = await context.newPage();
      const errors = [];
      page.on("pageerror", (error) => errors.push(`${page.url()}: ${error.message}`));
      page.on("console", (message) => message.type() === "error" && !/40[1-9]/.test(message.text()) && errors.push(`${page.url()}: ${message.text()}`));
      await page.goto(demo.origin + "/login");
      await accessible(page, "sign in");
      await signIn(page, demo.origin, "mira", demo.password);
      const wrong = [];
      for (const path of [...PLACES, ...(await inside(page, demo.origin))]) {
        const answer = await page.goto(demo.origin + path);
        assert.equal(answer.status(), path === "/nowhere" ? 404 : 200, path);
        await accessible(page, path).catch((error) => wrong.push(error.message));
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        if (wide > 0) wrong.push(`${path} is ${wide} px too wide`);
      }
      assert.deepEqual(wrong, []);
      assert.deepEqual(errors, []);
      assert.deepEqual(leaks, []);
      await context.close();
    });
  }

  test("the schedule's slider shows what a budget would give, sets it, and takes it back", async () => {
    const context = await startContext(browser, { viewport: WIDE, theme: "light", serviceWorkers: "block" });
    const page = await context.newPage();
    await signIn(page, demo.origin, "mira", demo.password);
    await page.goto(demo.origin + "/schedule");
    const slider = page.locator("input[type=range]");
    const shown = page.locator(".frontier.page .here:not(.hidden) .t1");
    const before = await shown.textContent();
    assert.match(before, /with 12 polls/);
    await slider.focus();
    await page.keyboard.press("ArrowRight");
    const toast = page.locator(".toast");
    await toast.waitFor();
    assert.match(await toast.textContent(), /Budget set to 16 polls/);
    assert.match(await shown.textContent(), /with 16 polls/);
    await page.reload();
    assert.match(await shown.textContent(), /with 16 polls/);
    await slider.focus();
    await page.keyboard.press("ArrowLeft");
    await toast.getByRole("button", { name: "Undo" }).click();
    await page.waitForFunction(() => /with 16 polls/.test(document.querySelector(".frontier.page .here:not(.hidden) .t1")?.textContent ?? ""));
    await context.close();
  });

  test("somebody who is no administrator can look but not set", async () => {
    const context = await startContext(browser, { viewport: WIDE, theme: "light", serviceWorkers: "block" });
    const page = await context.newPage();
    await signIn(page, demo.origin, "tobias", demo.password);
    await page.goto(demo.origin + "/schedule");
    const sets = await page.locator("form[data-sets]").count();
    const answer = await page.request.post(demo.origin + "/schedule/budget", { form: { budget: "48" }, headers: { origin: demo.origin } });
    assert.deepEqual([sets, answer.status()], [0, 403]);
    await context.close();
  });
});

// Pages that have a number in their address.
async function inside(page, origin) {
  await page.goto(origin + "/newest");
  const row = page.locator("#rows .row").first();
  const [item, feed] = [await row.getAttribute("data-id"), await row.getAttribute("data-feed")];
  const folder = await page.locator(".nav [data-folder]").first().getAttribute("data-folder");
  return [`/newest?item=${item}`, `/feed/${feed}`, `/feed/${feed}/about`, `/feed/${feed}/edit`, `/folder/${folder}`, "/tag/ferries"];
}
