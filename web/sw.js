// The worker behind the installed app: our files from the cache, pages from the server, and without a connection the
// offline page. VERSION and BASE are written in front of this text by the server.
const FILES = "wellread-files-" + VERSION;
const SCRIPTS = ["main", "act", "keys", "later", "list", "live", "offline", "parts", "player", "seen"];
const WANTED = [
  BASE + "/favicon.svg",
  ...["wellread.css", ...SCRIPTS.map((name) => `js/${name}.js`)].map((name) => `${BASE}/assets/${VERSION}/${name}`),
];

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(FILES)
      .then(async (cache) => {
        await cache.addAll(WANTED);
        await keepOfflinePage(cache);
      })
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => names.filter((name) => name.startsWith("wellread-files-") && name !== FILES))
      .then((old) => Promise.all(old.map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin) return;
  if (url.pathname.startsWith(`${BASE}/assets/`) || url.pathname === `${BASE}/favicon.svg`) {
    event.respondWith(caches.match(event.request).then((kept) => kept ?? fetch(event.request)));
  } else if (event.request.mode === "navigate") {
    event.respondWith(
      fetch(event.request).catch(() => caches.match(BASE + "/offline").then((kept) => kept ?? Response.error())),
    );
  }
});

// The offline page carries the person's name and feeds, so it is kept only while somebody is signed in.
async function keepOfflinePage(cache) {
  const response = await fetch(BASE + "/offline", { headers: { Accept: "text/html" } });
  if (response.ok && !response.redirected) await cache.put(BASE + "/offline", response);
}
