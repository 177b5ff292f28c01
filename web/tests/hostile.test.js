// Script in every field of a feed and its items never runs: not under the Content-Security-Policy, and not without it.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startPublisher } from "./publisher.js";
import { WIDE, signIn, startBrowser, startContext, startWellread, watchOrigins } from "./stage.js";

const PASSWORD = "four quiet words here";

describe("x1 to x11: a hostile feed in a real browser", () => {
  let browser, publisher, server;

  before(async () => {
    browser = await startBrowser();
    publisher = await startPublisher();
    server = await startWellread(["--allow", publisher.place], (out) => /\S+\/setup\?token=\S+/.exec(out)?.[0]);
    const context = await startContext(browser, { viewport: WIDE, theme: "light" });
    const page = await context.newPage();
    await page.goto(server.found);
    await page.fill("#name", "mira");
    await page.fill("#password", PASSWORD);
    await page.fill("#again", PASSWORD);
    await page.click("button[type=submit]");
    await page.waitForURL("**/welcome*");
    await page.goto(`${server.origin}/subscribe?url=${encodeURIComponent(publisher.origin + "/hostile.xml")}`);
    await page.locator("#candidates button").first().click();
    await page.waitForLoadState("load");
    await context.close();
  });
  after(async () => {
    await server?.stop();
    await publisher?.stop();
    await browser?.close();
  });

  for (const policy of [true, false]) {
    test(policy ? "as served" : "with the policy taken away", async () => {
      const context = await startContext(browser, { viewport: WIDE, theme: "light", serviceWorkers: "block" });
      const leaks = watchOrigins(context, server.origin);
      const dialogs = [];
      if (!policy) await context.route("**/*", withoutPolicy);
      const page = await context.newPage();
      page.on("dialog", (dialog) => dialogs.push(dialog.message()) && dialog.dismiss());
      await signIn(page, server.origin, "mira", PASSWORD);
      await page.goto(server.origin + "/newest");
      const rows = page.locator("#rows .row");
      await rows.first().waitFor();
      const count = await rows.count();
      assert.ok(count >= 10, `${count} items`);
      assert.equal(await canary(page), !policy, "a script of this kind runs only where the policy was taken away");
      for (let n = 0; n < count; n += 1) {
        const id = await rows.nth(n).getAttribute("data-id");
        await rows.nth(n).locator("a.open").click();
        await page.waitForFunction((id) => document.querySelector(".open-item")?.dataset.item === id, id);
        for (const link of await page.locator(".open-item .body a").all()) assert.match((await link.getAttribute("href")) ?? "https:", /^(https?|mailto):/);
      }
      await inert(page, "the list");
      const feed = await rows.first().getAttribute("data-feed");
      for (const path of [`/newest?item=${await rows.first().getAttribute("data-id")}`, `/feed/${feed}/about`, "/feeds", "/rules/new", `/feed/${feed}/edit`, "/admin"]) {
        await page.goto(server.origin + path);
        await inert(page, path);
      }
      assert.deepEqual(dialogs, []);
      assert.deepEqual(leaks, []);
      await context.close();
    });
  }

  test("x11: an icon with a script in it runs nothing, even when opened alone", async () => {
    const context = await startContext(browser, { viewport: WIDE, theme: "light" });
    const page = await context.newPage();
    await signIn(page, server.origin, "mira", PASSWORD);
    await page.goto(server.origin + "/newest");
    const feed = await page.locator("#rows .row").first().getAttribute("data-feed");
    const answer = await page.goto(`${server.origin}/icon/${feed}`);
    if (answer.ok()) {
      assert.match(answer.headers()["content-security-policy"], /sandbox/);
      assert.equal(await page.evaluate(() => window.hit), undefined);
    }
    await context.close();
  });
});

// Answers without the policy; the stream of news never ends, so it is let through as it is.
async function withoutPolicy(route) {
  if (route.request().url().includes("/events")) return route.continue();
  const response = await route.fetch({ maxRedirects: 0 }).catch(() => null);
  if (!response) return route.abort().catch(() => {});
  const headers = response.headers();
  delete headers["content-security-policy"];
  return route.fulfill({ response, headers }).catch(() => {});
}

// Whether a page would run what the feed tries to smuggle in, if it came through: so that silence means something.
function canary(page) {
  return page.evaluate(async () => {
    const image = document.createElement("div");
    image.innerHTML = '<img src="data:," onerror="window.canary = true">';
    document.body.append(image);
    await new Promise((resolve) => setTimeout(resolve, 300));
    image.remove();
    return window.canary === true;
  });
}

async function inert(page, where) {
  const found = await page.evaluate(() => {
    const handlers = [...document.querySelectorAll("*")].flatMap((element) =>
      [...element.attributes].filter(({ name }) => name.startsWith("on")).map(({ name }) => `${element.tagName} ${name}`),
    );
    const foreign = [...document.querySelectorAll(".body :is(script, iframe, object, embed, form, base, meta, link, style, svg, math, input, button)")];
    const links = [...document.querySelectorAll("a[href], area[href]")].map((link) => link.getAttribute("href"));
    const bad = links.filter((href) => /^\s*(javascript|data|vbscript|blob):/i.test(href.replace(/[\u0000-\u0020]/g, "")));
    return { hit: window.hit, handlers, foreign: foreign.map((element) => element.outerHTML), bad };
  });
  // The bookmarklet is ours and lives on another page.
  assert.deepEqual(found, { hit: undefined, handlers: [], foreign: [], bad: [] }, where);
}
