// Friends in the demo: asked, agreed, shared from the toolbar, seen, withdrawn, followed from outside; and what is popular.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startDemo } from "./demo.js";
import { PHONE, WIDE, accessible, said, signIn, startBrowser, startContext, watchOrigins } from "./stage.js";

// Mira follows Tobias in the demo already; here he asks her.
const [asker, friend] = ["tobias", "mira"];

let browser, demo;
before(async () => {
  browser = await startBrowser();
  demo = await startDemo({ feeds: 20, days: 7 });
});
after(async () => {
  await demo?.stop();
  await browser?.close();
});

async function begin(name, options) {
  const context = await startContext(browser, { serviceWorkers: "block", ...options });
  const page = await context.newPage();
  await signIn(page, demo.origin, name, demo.password);
  return { context, page };
}

const press = (page, name) => page.getByRole("button", { name }).first().click();

for (const [name, viewport, theme] of [
  ["wide and light", WIDE, "light"],
  ["a phone in the dark", PHONE, "dark"],
]) {
  describe(`friends, ${name}`, () => {
    let tobias, mira, leaks;
    before(async () => {
      tobias = await begin(asker, { viewport, theme });
      mira = await begin(friend, { viewport, theme });
      leaks = watchOrigins(tobias.context, demo.origin);
    });
    after(async () => {
      await tobias?.context.close();
      await mira?.context.close();
    });

    test("asking a name that nobody has looks like asking somebody", async () => {
      const { page } = tobias;
      for (const asked of ["nobody-of-that-name", friend]) {
        await page.goto(demo.origin + "/friends");
        await page.locator("#name").fill(asked);
        await page.locator("#name").press("Enter");
        await page.waitForURL("**/friends?said=asked");
        assert.match(await page.locator(".said").textContent(), /If there is somebody/);
      }
      await accessible(page, "friends, asked");
    });

    test("the other agrees and shares an item with a note from the toolbar", async () => {
      const { page } = mira;
      await page.goto(demo.origin + "/friends");
      await press(page, `Agree: ${asker} may follow you`);
      await page.waitForURL("**/friends?said=agreed");
      await page.goto(demo.origin + "/newest");
      await page.locator("#rows .row a.open").first().click();
      await page.locator(".open-item .tools summary", { hasText: "Share" }).first().click();
      await page.locator(".with-friends textarea").fill("Read this, it is short.");
      await page.locator("[data-share]").click();
      await said(page, /Shared with who follows you/);
      await page.goto(demo.origin + "/friends");
      assert.equal(await page.locator("#own .share").count(), 1);
      await accessible(page, "friends, own share");
    });

    test("it stands under Friends, and is gone when it is withdrawn", async () => {
      await tobias.page.goto(demo.origin + "/friends");
      const row = tobias.page.locator(".beside > div .share").first();
      assert.match(await row.textContent(), new RegExp(`${friend} shared this`));
      assert.match(await row.locator(".note-of").textContent(), /it is short/);
      await accessible(tobias.page, "friends, shared");
      await mira.page.goto(demo.origin + "/friends");
      await mira.page.locator("#own button").first().click();
      await mira.page.waitForURL("**/friends?said=withdrawn");
      await tobias.page.goto(demo.origin + "/friends");
      assert.equal(await tobias.page.locator(".beside > div .share").count(), 0);
    });

    test("the secret address is a feed until it is ended", async () => {
      const { page } = mira;
      await page.goto(demo.origin + "/friends");
      await press(page, /Make a(n| new) address/);
      const address = await page.locator(".secret").textContent();
      const feed = await page.request.get(address);
      assert.equal(feed.status(), 200);
      assert.match(feed.headers()["content-type"], /atom/);
      await press(page, "End it");
      await page.waitForURL("**/friends?said=address-gone");
      assert.equal((await page.request.get(address)).status(), 404);
    });

    test("what is popular names nobody, and one can be left out", async () => {
      const { page } = tobias;
      await page.goto(demo.origin + "/popular");
      await accessible(page, "popular");
      await page.locator("input[name=counted]").uncheck();
      await press(page, "Save");
      assert.equal(await page.locator("input[name=counted]").isChecked(), false);
      await page.locator("input[name=counted]").check();
      await press(page, "Save");
      assert.equal(await page.locator("input[name=counted]").isChecked(), true);
    });

    test("ending it leaves nothing, and nothing was asked of other servers", async () => {
      const { page } = tobias;
      await page.goto(demo.origin + "/friends");
      await press(page, `Stop following ${friend}`);
      await page.waitForURL("**/friends?said=left");
      while ((await page.getByRole("button", { name: /^Take back/ }).count()) > 0) {
        await press(page, /^Take back/);
        await page.waitForURL("**/friends?said=taken-back");
      }
      assert.deepEqual(leaks, []);
    });
  });
}
