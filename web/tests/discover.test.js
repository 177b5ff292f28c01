// Finding channels in the demo: what is near, following where it stands, taking it back, and what a feed is about.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startDemo } from "./demo.js";
import { PHONE, WIDE, accessible, said, signIn, startBrowser, startContext } from "./stage.js";

describe("discover", () => {
  let browser, demo;
  before(async () => {
    browser = await startBrowser();
    demo = await startDemo({ feeds: 60, days: 7 });
  });
  after(async () => {
    await demo?.stop();
    await browser?.close();
  });

  // Profiles are learned in the background: the demo is asked until it knows some channels.
  async function learned(page) {
    for (let tries = 0; tries < 120; tries += 1) {
      const answer = await page.request.get(demo.origin + "/api/channels?by=reading&limit=100", { headers: { accept: "*/*" } });
      const { channels = [] } = await answer.json();
      if (channels.length >= 3) return channels;
      await new Promise((done) => setTimeout(done, 500));
    }
    throw new Error("no channel was learned");
  }

  async function asTobias(viewport, theme, more = {}) {
    const context = await startContext(browser, { viewport, theme, serviceWorkers: "block", ...more });
    const page = await context.newPage();
    await signIn(page, demo.origin, "tobias", demo.password);
    return { context, page, channels: await learned(page) };
  }

  test("a channel near what is read is followed where it stands, and left again by Undo", async () => {
    const { context, page, channels } = await asTobias(WIDE, "light");
    await page.keyboard.press("g");
    await page.keyboard.press("d");
    await page.waitForURL(/\/discover$/);
    const first = page.locator(".channels .channel").first();
    const id = await first.getAttribute("data-channel");
    assert.ok(channels.some((channel) => String(channel.feed) === id));
    await first.getByRole("button").click();
    await said(page, "You now follow");
    assert.equal(await first.locator(".do .m").first().textContent(), "subscribed");
    await page.locator("#toasts").getByRole("button", { name: "Undo" }).click();
    await first.getByRole("button").waitFor();
    await page.goto(`${demo.origin}/feed/${id}/about`);
    assert.match(await page.title(), /no such page/i);
    await context.close();
  });

  test("words find a channel by what it says, and say so", async () => {
    const { context, page, channels } = await asTobias(WIDE, "light");
    const term = channels[0].profile.find((one) => one.kind === "word").term;
    await page.goto(demo.origin + "/discover");
    await page.getByRole("searchbox").fill(term);
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=/);
    // While the demo learns, the map of channels may be five seconds behind the words they are shown with.
    const marks = page.locator(".channels .channel mark");
    for (let tries = 0; tries < 20 && (await marks.count()) === 0; tries += 1) {
      await page.waitForTimeout(1000);
      await page.reload();
    }
    assert.ok((await marks.count()) > 0, `no channel is marked with ${term}`);
    await accessible(page, "words");
    await context.close();
  });

  test("without scripts the same forms work", async () => {
    const { context, page } = await asTobias(PHONE, "dark", { javaScriptEnabled: false });
    await page.goto(demo.origin + "/discover");
    await page.locator(".channels .channel form button").first().click();
    await page.locator(".said", { hasText: "You now follow" }).waitFor();
    await page.locator(".said button", { hasText: "Undo" }).click();
    await page.locator(".said", { hasText: "Taken back." }).waitFor();
    await page.goto(demo.origin + "/discover?by=text");
    await page.locator("#text").fill("the of and");
    await page.getByRole("button", { name: "Find" }).last().click();
    await page.locator("text=Paste a text with a few words in it.").waitFor();
    await context.close();
  });

  for (const [name, viewport, theme] of [
    ["wide and light", WIDE, "light"],
    ["wide and dark", WIDE, "dark"],
    ["a phone in the light", PHONE, "light"],
    ["a phone in the dark", PHONE, "dark"],
  ]) {
    test(`discover and a feed's profile are accessible and fit, ${name}`, async () => {
      const { context, page } = await asTobias(viewport, theme);
      await page.goto(demo.origin + "/newest");
      const feed = await page.locator("#rows .row").first().getAttribute("data-feed");
      for (const path of ["/discover", `/discover?like=${feed}`, `/feed/${feed}/about`, `/feed/${feed}/about?window=500`]) {
        await page.goto(demo.origin + path);
        await accessible(page, path);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(wide <= 0, `${path} is ${wide} px too wide`);
      }
      await context.close();
    });
  }
});
