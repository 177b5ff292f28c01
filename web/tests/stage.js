// Starts what the tests need: a real Wellread, a real Chromium, and a judge for accessibility.
import axe from "axe-core";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const WIDE = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

const BINARY = process.env.WELLREAD ?? fileURLToPath(new URL("../../target/debug/wellread", import.meta.url));
const BROWSERS = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
// Generous, because the machine may be building something else; nothing here asserts how long a thing takes.
const PATIENCE_MS = 60_000;

// Runs `wellread ARGS` on a port of its own until `ready` finds what it needs in the output.
export async function startWellread(args, ready) {
  const folder = await mkdtemp(join(tmpdir(), "wellread-browser-"));
  const port = await freePort();
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder };
  const child = spawn(BINARY, [...args, "--listen", `127.0.0.1:${port}`], { env, cwd: folder });
  let output = "";
  const found = new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`wellread said nothing useful:\n${output}`)), PATIENCE_MS);
    const listen = (bytes) => {
      output += bytes;
      const answer = ready(output);
      if (answer) {
        clearTimeout(timer);
        resolve(answer);
      }
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`wellread ended with ${code}:\n${output}`)));
  });
  const stop = async () => {
    const gone = new Promise((resolve) => child.once("close", resolve));
    if (child.exitCode === null) child.kill("SIGTERM");
    await gone;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    return { origin: `http://127.0.0.1:${port}`, found: await found, output: () => output, folder, stop };
  } catch (error) {
    child.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

export function startBrowser() {
  const executablePath = BROWSERS.find((path) => path && existsSync(path));
  assert.ok(executablePath, "Chromium is missing: scripts/install chromium");
  // A container's root has no sandbox to offer, and its /dev/shm is small.
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"] });
}

// A fresh browser profile of one size and theme.
export async function startContext(browser, { viewport, theme, ...more }) {
  const context = await browser.newContext({
    viewport,
    colorScheme: theme,
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
    reducedMotion: "reduce",
    hasTouch: viewport.width < 640,
    ...more,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

// Every request of a context's pages; whatever leaves to another origin is a leak.
export function watchOrigins(context, origin) {
  const leaks = [];
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (!["data:", "blob:", "about:"].includes(url.protocol) && url.origin !== origin) leaks.push(request.url());
  });
  return leaks;
}

// axe-core's verdict on the page as it is now; no violation is forgiven.
export async function accessible(page, name) {
  await page.waitForLoadState("load");
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    return violations.map(({ id, help, nodes }) => ({
      id,
      help,
      nodes: nodes.slice(0, 5).map((node) => `${node.target.join(" ")}: ${node.failureSummary}`),
      count: nodes.length,
    }));
  });
  const words = violations.map((v) => `${v.id} (${v.count}×): ${v.help}\n    ${v.nodes.join("\n    ")}`).join("\n  ");
  assert.equal(violations.length, 0, `${name} at ${page.url()}\n  ${words}`);
}

export async function signIn(page, origin, name, password) {
  await page.goto(origin + "/login");
  await page.fill("#name", name);
  await page.fill("#password", password);
  await Promise.all([page.waitForURL((url) => url.pathname !== "/login"), page.click("button[type=submit]")]);
}

// Waits for a toast that says something like this.
export async function said(page, words) {
  await page.locator("#toasts .toast", { hasText: words }).first().waitFor();
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
