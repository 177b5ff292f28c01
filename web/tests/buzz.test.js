// Buzz in the demo: words and links, today and the week, opened, closed and searched for; on a phone, without scripts.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startDemo } from "./demo.js";
import { PHONE, WIDE, accessible, signIn, startBrowser, startContext, watchOrigins } from "./stage.js";

let browser, demo;
before(async () => {
  browser = await startBrowser();
  demo = await startDemo({ feeds: 60, days: 7 });
});
after(async () => {
  await demo?.stop();
  await browser?.close();
});

// A page on which Buzz has read the last days.
async function begin(options) {
  const context = await startContext(browser, { serviceWorkers: "block", ...options });
  const page = await context.newPage();
  await signIn(page, demo.origin, "mira", demo.password);
  await heard(page);
  return { context, page };
}

async function heard(page) {
  for (let tries = 0; ; tries += 1) {
    const answer = await page.request.get(`${demo.origin}/api/buzz?window=week`);
    const body = await answer.json();
    if (body.is_whole && body.words.length > 3) return body;
    assert.ok(tries < 120, `nothing is talked about: ${JSON.stringify(body).slice(0, 300)}`);
    await page.waitForTimeout(500);
  }
}

const words = (page) => page.locator(".words a.wrow");

for (const [name, viewport, theme] of [
  ["wide and light", WIDE, "light"],
  ["wide and dark", WIDE, "dark"],
  ["a phone in the light", PHONE, "light"],
  ["a phone in the dark", PHONE, "dark"],
]) {
  describe(`buzz, ${name}`, () => {
    let context, page, leaks;
    before(async () => {
      ({ context, page } = await begin({ viewport, theme }));
      leaks = watchOrigins(context, demo.origin);
    });
    after(() => context?.close());

    test("g b leads there, and words stand with their feeds and pictures", async () => {
      await page.goto(demo.origin + "/newest");
      await page.keyboard.press("g");
      await page.keyboard.press("b");
      await page.waitForURL("**/buzz");
      await page.goto(demo.origin + "/buzz?window=week");
      await words(page).first().waitFor();
      assert.ok((await words(page).count()) > 3);
      assert.ok((await page.locator(".spark").count()) > 3);
      assert.match(await page.locator(".lede").textContent(), /\w/);
      await accessible(page, "buzz, lists");
    });

    test("a word opens beside them, at an address of its own", async () => {
      const first = await words(page).first().locator(".t").textContent();
      await words(page).first().click();
      await page.locator("#pane h2").waitFor();
      assert.equal(await page.locator("#pane h2").textContent(), first);
      assert.match(page.url(), /open=[0-9a-f]{16}/);
      assert.ok((await page.locator("#pane .items .row").count()) > 0);
      await accessible(page, "buzz, a word");
      await page.reload();
      assert.equal(await page.locator("#pane h2").textContent(), first);
    });

    test("it closes, and back opens it again", async () => {
      await page.locator("[data-close]").click();
      await page.locator("#pane").waitFor({ state: "detached" });
      await page.goBack();
      await page.locator("#pane h2").waitFor();
      await page.keyboard.press("Escape");
      await page.locator("#pane").waitFor({ state: "detached" });
    });

    test("nothing leaves the server", () => assert.deepEqual(leaks, []));
  });
}

describe("buzz without scripts", () => {
  test("words, the week and a word's items are plain links", async () => {
    const { context } = await begin({ viewport: WIDE, theme: "light" });
    const plain = await startContext(browser, { viewport: WIDE, theme: "light", javaScriptEnabled: false, storageState: await context.storageState() });
    const page = await plain.newPage();
    await page.goto(demo.origin + "/buzz");
    await page.locator(".seg a").last().click();
    await words(page).first().click();
    await page.locator("#pane .items .row").first().waitFor();
    await page.locator("#pane .items .row h3 a").first().click();
    await page.locator(".open-item").waitFor();
    await plain.close();
    await context.close();
  });
});
