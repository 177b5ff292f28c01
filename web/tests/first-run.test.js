// From the link in the terminal to signing out: one person's first minutes, at both sizes, light and dark.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ONLY_ON_THE_PAGE, startPublisher } from "./publisher.js";
import { PHONE, WIDE, accessible, said, signIn, startBrowser, startContext, startWellread, watchOrigins } from "./stage.js";

const PASSWORD = "four quiet words here";
let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.close());

for (const [name, viewport, theme] of [["wide and light", WIDE, "light"], ["a phone in the dark", PHONE, "dark"]]) {
  describe(`first run, ${name}`, () => {
    let server, publisher, context, page, leaks;

    before(async () => {
      publisher = await startPublisher();
      server = await startWellread(["--allow", publisher.place], (out) => /\S+\/setup\?token=\S+/.exec(out)?.[0]);
      context = await startContext(browser, { viewport, theme });
      leaks = watchOrigins(context, server.origin);
      page = await context.newPage();
    });
    after(async () => {
      await context?.close();
      await server?.stop();
      await publisher?.stop();
    });

    const at = (path) => page.goto(server.origin + path);
    const row = (n = 0) => page.locator("#rows .row").nth(n);
    const item = () => page.locator(".open-item");
    // Keys are for lists, so they are pressed where no field has the focus.
    const press = async (...keys) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const opened = (n) => page.waitForFunction((n) => document.querySelectorAll("#rows .row")[n]?.dataset.id === document.querySelector(".open-item")?.dataset.item, n);

    test("the link from the terminal makes the first account", async () => {
      await page.goto(server.found);
      await accessible(page, "set-up");
      await page.fill("#name", "mira");
      await page.fill("#password", PASSWORD);
      await page.fill("#again", PASSWORD);
      await page.getByRole("button", { name: "Make the account" }).click();
      await page.waitForURL("**/welcome*");
      await accessible(page, "welcome");
    });

    test("the address of a page is enough to follow its feed, and its items appear", async () => {
      await at(`/subscribe?url=${encodeURIComponent(publisher.origin)}`);
      await accessible(page, "subscribe");
      await page.locator("#candidates button").first().click();
      await page.waitForLoadState("load");
      await at("/unread");
      await row(9).waitFor();
      assert.equal(await page.locator("#rows .row.new").count(), 10);
      await accessible(page, "unread");
    });

    test("j and k open, and what was opened is read", async () => {
      await press("j");
      await opened(0);
      await press("j");
      await opened(1);
      await press("k");
      await opened(0);
      assert.match(page.url(), /item=\d+/);
      await page.waitForFunction(() => document.querySelectorAll("#rows .row.new").length === 8);
      await accessible(page, "an open item");
    });

    test("back returns to the same place in the list", async () => {
      await page.goBack();
      await opened(1);
      await page.goForward();
      await opened(0);
    });

    test("s stars, u takes it back, and a star survives a reload", async () => {
      await press("s");
      await said(page, "");
      await page.locator('.open-item .star[aria-pressed="true"]').waitFor();
      await press("u");
      await page.locator('.open-item .star[aria-pressed="false"]').waitFor();
      const kept = page.waitForResponse((response) => response.url().endsWith("/mark"));
      await press("s");
      await kept;
      await at("/starred");
      assert.equal(await page.locator("#rows .row").count(), 1);
    });

    test("m marks unread and back", async () => {
      await at("/newest");
      await press("j");
      await opened(0);
      await page.waitForFunction(() => !document.querySelector("#rows .row").classList.contains("new"));
      await press("m");
      await page.waitForFunction(() => document.querySelector("#rows .row").classList.contains("new"));
      await press("u");
      await page.waitForFunction(() => !document.querySelector("#rows .row").classList.contains("new"));
    });

    test("t tags", async () => {
      await press("t");
      await page.locator(".tagging input").fill("sea, archives");
      await page.keyboard.press("Enter");
      await page.locator('.facts [data-tag-name="archives"]').waitFor();
      await at("/tag/sea");
      assert.equal(await page.locator("#rows .row").count(), 1);
      await at("/tags");
      await page.getByText("archives").first().waitFor();
      await accessible(page, "tags");
    });

    test("f brings the whole text, fetched once", async () => {
      await at("/newest");
      await press("j");
      await opened(0);
      assert.ok(!(await item().innerText()).includes(ONLY_ON_THE_PAGE));
      await press("f");
      await page.getByText(ONLY_ON_THE_PAGE).first().waitFor();
      await press("f");
      await page.waitForFunction((text) => !document.querySelector(".open-item").innerText.includes(text), ONLY_ON_THE_PAGE);
      await press("f");
      await page.getByText(ONLY_ON_THE_PAGE).first().waitFor();
      const pages = publisher.asked.filter(({ path }) => path === "/article/0");
      assert.equal(pages.length, 1, "one request for the page");
      assert.match(pages[0].agent, /Wellread/);
    });

    test("v opens the original in a window of its own", async () => {
      const waiting = context.waitForEvent("page");
      await press("v");
      const original = await waiting;
      await original.waitForURL(`${publisher.origin}/article/0`);
      assert.equal(await original.evaluate(() => window.opener), null);
      assert.equal(await original.evaluate(() => document.referrer), "");
      await original.close();
      // The person asked for this one.
      leaks.splice(0, leaks.length, ...leaks.filter((url) => !url.startsWith(`${publisher.origin}/`)));
    });

    test("x takes an item away and u brings it back", async () => {
      const count = await page.locator("#rows .row:visible").count();
      await press("x");
      await page.waitForFunction((n) => [...document.querySelectorAll("#rows .row")].filter((row) => row.offsetParent).length === n - 1, count);
      await press("u");
      await page.waitForFunction((n) => [...document.querySelectorAll("#rows .row")].filter((row) => row.offsetParent).length === n, count);
    });

    test("Shift A reads everything and u undoes it", async () => {
      await at("/unread");
      const before = await page.locator("#rows .row.new").count();
      assert.ok(before > 0);
      await press("Shift+A");
      await page.waitForFunction(() => document.querySelectorAll("#rows .row.new").length === 0);
      await press("u");
      await page.waitForFunction((n) => document.querySelectorAll("#rows .row.new").length === n, before);
      await at("/unread");
      assert.equal(await page.locator("#rows .row.new").count(), before);
    });

    test("? shows the keys, g n goes to Newest", async () => {
      await press("?");
      await page.locator("dialog[open]").waitFor();
      await accessible(page, "keys");
      await page.keyboard.press("Escape");
      await page.locator("dialog").waitFor({ state: "detached" });
      await Promise.all([page.waitForURL("**/newest"), press("g", "n")]);
    });

    test("a rule is tried, kept, and says what it hid", async () => {
      await at("/rules/new");
      await accessible(page, "a new rule");
      await page.locator("[name=pattern0]").fill("lighthouse");
      await page.locator("[name=action][value=hide]").check({ force: true });
      await page.locator("button[value=try]").click();
      await page.locator(".trial").waitFor();
      assert.match(await page.locator(".trial").innerText(), /lighthouse keeper/i);
      await page.locator("[name=apply]").check({ force: true });
      await page.getByRole("button", { name: "Save" }).click();
      await page.waitForURL("**/rules*");
      await accessible(page, "rules");
      await at("/hidden");
      assert.match(await row().innerText(), /lighthouse/i);
      await row().locator("a.open").click();
      await page.locator(".open-item .because").waitFor();
      await accessible(page, "a hidden item");
    });

    test("a tap opens and the star in the list works", { skip: viewport.width > 640 }, async () => {
      await at("/newest");
      await row(2).locator("a.open").tap();
      await opened(2);
      await page.locator(".open-item [data-back]").tap();
      await page.waitForFunction(() => !document.body.classList.contains("has-item"));
      await row(2).locator(".star").tap();
      await row(2).locator('.star[aria-pressed="true"]').waitFor();
    });

    test("without a connection it can be read, and what was done is sent later", async () => {
      await at("/unread");
      await page.evaluate(() => navigator.serviceWorker.ready);
      await page.waitForFunction(() => localStorage.getItem("wellread-kept-at"));
      const starred = await page.locator("#rows .row").nth(1).getAttribute("data-id");
      await context.setOffline(true);
      await page.locator(`#i${starred} .star`).click();
      await page.waitForFunction(() => document.body.dataset.waiting === "1");
      await page.locator(`#i${starred} .star[aria-pressed="true"]`).waitFor();
      const second = await context.newPage();
      await second.goto(server.origin + "/unread");
      await second.locator("#rows .row").first().waitFor();
      await second.locator("#rows .row a.open").first().click();
      await second.locator(".open-item").waitFor();
      await accessible(second, "offline");
      await second.close();
      const sent = page.waitForResponse((response) => response.url().endsWith("/mark"));
      await context.setOffline(false);
      await page.evaluate(() => dispatchEvent(new Event("online")));
      await sent;
      await at("/starred");
      await page.locator(`#i${starred}`).waitFor();
    });

    test("signing out ends it", async () => {
      await at("/settings");
      await accessible(page, "settings");
      await page.locator('form[action$="/logout"] button').click();
      await page.waitForURL("**/login*");
      await accessible(page, "sign in");
      await at("/unread");
      assert.match(page.url(), /\/login/);
      await signIn(page, server.origin, "mira", PASSWORD);
      await row().waitFor();
    });

    test("nothing was asked of anybody but this server", () => {
      assert.deepEqual(leaks, []);
      const browsers = publisher.asked.filter(({ agent, path }) => /Mozilla.*Chrome/.test(agent) && !path.startsWith("/article/0") && path !== "/favicon.ico");
      assert.deepEqual(browsers, []);
    });
  });
}
