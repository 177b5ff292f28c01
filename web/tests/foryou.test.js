// For you in the demo: ranked with reasons, sent away and taken back, what was learnt looked at and corrected; by keyboard, on
// a phone, without scripts.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startDemo } from "./demo.js";
import { PHONE, WIDE, accessible, said, signIn, startBrowser, startContext, watchOrigins } from "./stage.js";

let browser, demo;
before(async () => {
  browser = await startBrowser();
  demo = await startDemo({ feeds: 60, days: 7, speed: 10 });
});
after(async () => {
  await demo?.stop();
  await browser?.close();
});

// A page on which the demo has learnt what Mira reads about.
async function begin(options) {
  const context = await startContext(browser, { serviceWorkers: "block", ...options });
  const page = await context.newPage();
  await signIn(page, demo.origin, "mira", demo.password);
  await learnt(page);
  return { context, page };
}

const LIKED = /you open .+ often|you read about/;

async function learnt(page) {
  for (let tries = 0; ; tries += 1) {
    await page.goto(demo.origin + "/foryou");
    const reasons = await page.locator("#rows .reason").allTextContents();
    if (reasons.some((reason) => LIKED.test(reason))) return;
    assert.ok(tries < 120, `nothing is learnt: ${reasons.slice(0, 20).join(" | ")}`);
    await page.waitForTimeout(500);
  }
}

const rows = (page) => page.locator("#rows .row");
const ids = (page) => rows(page).evaluateAll((all) => all.filter((row) => !row.hidden).map((row) => row.dataset.id));

for (const [name, viewport, theme] of [
  ["wide and light", WIDE, "light"],
  ["wide and dark", WIDE, "dark"],
  ["a phone in the light", PHONE, "light"],
  ["a phone in the dark", PHONE, "dark"],
]) {
  describe(`for you, ${name}`, () => {
    let context, page, leaks;
    before(async () => {
      ({ context, page } = await begin({ viewport, theme }));
      leaks = watchOrigins(context, demo.origin);
    });
    after(() => context?.close());

    test("g y leads there, and it differs from Newest with a reason on every row", async () => {
      await page.goto(demo.origin + "/newest");
      const newest = (await ids(page)).slice(0, 10);
      await page.keyboard.press("g");
      await page.keyboard.press("y");
      await page.waitForURL("**/foryou");
      await rows(page).first().waitFor();
      assert.notDeepEqual((await ids(page)).slice(0, 10), newest);
      const reasons = await page.locator("#rows .reason").allTextContents();
      assert.equal(reasons.length, await rows(page).count());
      assert.ok(reasons.some((reason) => LIKED.test(reason)), reasons.slice(0, 10).join(" | "));
      await accessible(page, "for you");
    });

    test("the top twenty rows have several feeds, none of them too often", async () => {
      const feeds = await rows(page).evaluateAll((all) => all.slice(0, 20).map((row) => row.dataset.feed));
      assert.ok(new Set(feeds).size >= 5, feeds.join(" "));
      for (let from = 0; from + 10 <= feeds.length; from += 1) {
        const ten = feeds.slice(from, from + 10);
        assert.ok(ten.every((feed) => ten.filter((other) => other === feed).length <= 3), ten.join(" "));
      }
    });

    test("an open item says why, and back shows the same list", async () => {
      const before = await ids(page);
      await rows(page).nth(2).locator("a.open").click();
      await page.locator(".open-item [data-why-line]").waitFor();
      assert.match(await page.locator("[data-why-line]").first().textContent(), /\w+.*\./);
      assert.match(page.url(), /after=\d+-\d+-0/);
      await accessible(page, "for you, an open item");
      await page.reload();
      await rows(page).first().waitFor();
      assert.deepEqual(await ids(page), before);
      await page.goto(demo.origin + "/foryou");
    });

    test("x sends a row away at once, and Undo brings it back", async () => {
      const [first] = await ids(page);
      await rows(page).first().locator("a.open").click();
      await page.locator(".open-item").waitFor();
      if (viewport.width < 640) {
        await page.locator(".only-phone summary").click();
        await page.locator(".only-phone [data-hide]").click();
      } else await page.keyboard.press("x");
      await said(page, "Hidden");
      assert.ok(!(await ids(page)).includes(first));
      await page.locator("#toasts .toast button").first().click();
      await said(page, "Taken back");
      assert.ok((await ids(page)).includes(first));
    });

    test("Why leads to what was learnt, which can be corrected, forgotten and brought back", async () => {
      await page.goto(demo.origin + "/foryou/learned");
      const line = page.locator(".learned tr").first();
      const liked = await line.locator("td.m").textContent();
      assert.match(liked, /liked/);
      await accessible(page, "what was learnt");
      await line.getByRole("button", { name: /^Less of/ }).click();
      await page.locator(".said", { hasText: "Changed" }).waitFor();
      await page.getByRole("button", { name: "Forget everything" }).click();
      await page.locator(".said", { hasText: "forgotten" }).waitFor();
      assert.equal(await page.locator(".learned tr").count(), 0);
      await accessible(page, "what was learnt, forgotten");
      await page.locator(".said button").click();
      await page.waitForURL("**/foryou/learned");
      assert.ok((await page.locator(".learned tr").count()) > 0);
    });

    test("nothing left this server", () => assert.deepEqual(leaks, []));
  });
}

test("without scripts pages follow each other and the reason has a page of its own", async () => {
  const { context, page } = await begin({ viewport: WIDE, theme: "light", javaScriptEnabled: false });
  await page.goto(demo.origin + "/foryou");
  const first = await ids(page);
  await page.locator(".onward a").click();
  await page.waitForURL(/after=/);
  const second = await ids(page);
  assert.ok(second.length > 0 && second.every((id) => !first.includes(id)));
  const opened = page.url();
  await rows(page).first().locator("a.open").click();
  await page.waitForURL((url) => url.href !== opened);
  await page.locator(".open-item").waitFor();
  assert.deepEqual(await ids(page), second);
  await page.locator(".tools [data-why].btn").click();
  await page.waitForURL("**/why");
  await page.locator("[data-why-line]").waitFor();
  await context.close();
});

test("For you is the start page only for who chose it", async () => {
  const { context, page } = await begin({ viewport: WIDE, theme: "light" });
  await page.goto(demo.origin + "/");
  assert.match(page.url(), /\/unread$/);
  await page.request.post(demo.origin + "/settings/comfort", {
    form: { start: "foryou" },
    headers: { "sec-fetch-site": "same-origin", origin: demo.origin },
  });
  await page.goto(demo.origin + "/");
  assert.match(page.url(), /\/foryou$/);
  await context.close();
});
