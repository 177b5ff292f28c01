// Search in the demo: typed, completed, filtered, opened, kept and taken back; by keyboard, on a phone, without scripts.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startDemo } from "./demo.js";
import { PHONE, WIDE, accessible, said, signIn, startBrowser, startContext, watchOrigins } from "./stage.js";

let browser, demo;
before(async () => {
  browser = await startBrowser();
  demo = await startDemo({ feeds: 60, days: 7 });
});
after(async () => {
  await demo?.stop();
  await browser?.close();
});

// A page on which the index has caught up with the demo.
async function begin(options) {
  const context = await startContext(browser, { serviceWorkers: "block", ...options });
  const page = await context.newPage();
  await signIn(page, demo.origin, "mira", demo.password);
  await found(page, "ferry");
  return { context, page };
}

async function found(page, query) {
  for (let tries = 0; ; tries += 1) {
    const answer = await page.request.get(`${demo.origin}/search?q=${query}`, { headers: { accept: "application/json" } });
    const body = await answer.json();
    if (body.count > 0 && body.index.state === "whole") return body;
    assert.ok(tries < 120, `nothing is found: ${JSON.stringify(body).slice(0, 300)}`);
    await page.waitForTimeout(500);
  }
}

const hits = (page) => page.locator("#rows .hit");

for (const [name, viewport, theme] of [
  ["wide and light", WIDE, "light"],
  ["wide and dark", WIDE, "dark"],
  ["a phone in the light", PHONE, "light"],
  ["a phone in the dark", PHONE, "dark"],
]) {
  describe(`search, ${name}`, () => {
    let context, page, leaks;
    before(async () => {
      ({ context, page } = await begin({ viewport, theme }));
      leaks = watchOrigins(context, demo.origin);
    });
    after(() => context?.close());

    test("/ leads there from everywhere, and the empty page teaches", async () => {
      await page.goto(demo.origin + "/newest");
      await page.keyboard.press("/");
      await page.waitForURL("**/search");
      await page.locator(".examples dt").first().waitFor();
      assert.equal(await page.evaluate(() => document.activeElement.id), "q");
      await accessible(page, "search, nothing asked");
    });

    test("results come while typing, with the words marked and the address kept", async () => {
      await page.locator("#q").pressSequentially("ferr", { delay: 20 });
      await hits(page).first().waitFor();
      await page.waitForFunction(() => /q=ferr/.test(location.search));
      assert.match(await page.locator("#head h2").textContent(), /items?$/);
      assert.match(await page.locator("#head .find .m").textContent(), /in [\d,]+ ms/);
      assert.ok((await page.locator("#rows mark").count()) > 0);
      assert.match(await page.locator("[data-told]").textContent(), /items?$/);
      await accessible(page, "search, results");
    });

    test("Tab takes the grey rest of the word", async () => {
      await page.locator("[data-ghost] b").waitFor({ state: "attached" });
      const rest = (await page.locator("[data-ghost]").textContent()).slice("ferr".length);
      assert.ok(rest.length > 0);
      await page.locator("#q").press("Tab");
      assert.equal(await page.locator("#q").inputValue(), "ferr" + rest);
      await page.waitForFunction((q) => new URL(location.href).searchParams.get("q") === q, "ferr" + rest);
    });

    test("filters and order are in the address, and back takes them away", async () => {
      await page.locator(".chip", { hasText: "Titles only" }).click();
      await page.waitForFunction(() => /titles=1/.test(location.search));
      await page.locator("[data-sort=newest]").click();
      await page.waitForFunction(() => /sort=newest/.test(location.search));
      await page.goBack();
      await page.waitForFunction(() => !document.querySelector("#ask [name=sort]").value);
      await page.goBack();
      await page.waitForFunction(() => !document.querySelector("#ask [name=titles]").checked);
    });

    test("an item opens in the list's manner, and back returns to the same results", async () => {
      await page.goto(demo.origin + "/search?q=ferry");
      const before = await hits(page).count();
      await hits(page).nth(1).locator("a.open").click();
      await page.locator(".open-item").waitFor();
      assert.match(page.url(), /q=ferry&item=\d+/);
      await accessible(page, "search, an open item");
      if (viewport.width < 640) await page.locator("[data-back]").click();
      else await page.goBack();
      await page.waitForFunction(() => !document.body.classList.contains("has-item"));
      assert.equal(await hits(page).count(), before);
    });

    test("a search is kept, renamed, removed and brought back", async () => {
      await page.getByRole("button", { name: "Save this search" }).click();
      await said(page, "The search is saved.");
      await page.locator(".kept a", { hasText: "ferry" }).waitFor();
      await accessible(page, "search, kept");
      await page.locator(".kept summary").first().click();
      await page.locator(".kept [data-rename] input[type=text]").first().fill("Crossings");
      await page.locator(".kept [data-rename] button").first().click();
      await page.locator(".kept a", { hasText: "Crossings" }).waitFor();
      await page.locator(".kept a", { hasText: "Crossings" }).click();
      await page.waitForURL("**/saved/*");
      assert.equal(await page.locator("h1").textContent(), "Crossings");
      await accessible(page, "a saved search");
      await page.goto(demo.origin + "/search?q=ferry");
      await page.locator(".kept summary").first().click();
      await page.locator(".kept [data-remove] button").first().click();
      await page.locator(".kept a").waitFor({ state: "detached" });
      await page.locator("#toasts").getByRole("button", { name: "Undo" }).last().click();
      await page.locator(".kept a", { hasText: "Crossings" }).waitFor();
      // Leave nothing behind for the next size.
      await page.locator(".kept summary").first().click();
      await page.locator(".kept [data-remove] button").first().click();
      await page.locator(".kept a").waitFor({ state: "detached" });
    });

    test("a query that cannot be gets a sentence, and nothing found a next step", async () => {
      await page.goto(demo.origin + "/search?q=is%3Ablue");
      await page.locator("[role=alert]", { hasText: "is not known" }).waitFor();
      await accessible(page, "search, refused");
      await page.goto(demo.origin + "/search?q=xyzzyplugh&unread=1");
      await page.getByRole("link", { name: "Search without filters" }).waitFor();
      await accessible(page, "search, nothing found");
    });

    test("nothing came from elsewhere and nothing is too wide", async () => {
      await page.goto(demo.origin + "/search?q=ferry");
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(wide, 0);
      assert.deepEqual(leaks, []);
    });
  });
}

test("by keyboard alone: down to the results, open, next, read, star, back to the field", async () => {
  const { context, page } = await begin({ viewport: WIDE, theme: "light" });
  await page.goto(demo.origin + "/search?q=ferry");
  await page.keyboard.press("/");
  // Until its script is there the field keeps the key to itself.
  do {
    await page.keyboard.press("ArrowDown");
    await page.waitForTimeout(100);
  } while (await page.evaluate(() => !document.activeElement.closest("#rows")));
  await page.keyboard.press("Enter");
  await page.locator(".open-item").waitFor();
  const first = await page.locator(".open-item").getAttribute("data-item");
  await page.keyboard.press("j");
  await page.waitForFunction((id) => document.querySelector(".open-item")?.dataset.item !== id, first);
  await page.keyboard.press("s");
  await said(page, "Starred");
  await page.keyboard.press("u");
  await said(page, "Taken back.");
  await page.keyboard.press("m");
  await said(page, "unread");
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "q");
  await context.close();
});

test("without scripts a form finds, pages and keeps", async () => {
  const { context, page } = await begin({ viewport: WIDE, theme: "light" });
  const plain = await startContext(browser, { viewport: WIDE, theme: "light", javaScriptEnabled: false, storageState: await context.storageState() });
  const quiet = await plain.newPage();
  await quiet.goto(demo.origin + "/search");
  await quiet.fill("#q", "the");
  await quiet.getByRole("button", { name: "Search" }).click();
  await quiet.waitForURL("**/search?q=the*");
  const first = await hits(quiet).first().getAttribute("data-id");
  await quiet.locator(".onward a").click();
  await hits(quiet).first().waitFor();
  assert.notEqual(await hits(quiet).first().getAttribute("data-id"), first);
  await quiet.goto(demo.origin + "/search?q=ferry");
  await quiet.getByRole("button", { name: "Save this search" }).click();
  await quiet.locator(".said", { hasText: "The search is saved." }).waitFor();
  await quiet.locator(".kept summary").first().click();
  await quiet.getByRole("button", { name: "Remove" }).click();
  await quiet.locator(".said").getByRole("button", { name: "Undo" }).click();
  await quiet.locator(".kept a", { hasText: "ferry" }).waitFor();
  await plain.close();
  await context.close();
});
