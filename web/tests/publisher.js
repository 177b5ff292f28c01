// A small web of our own on loopback: an honest paper, and one that attacks in every field it has.
import { createServer } from "node:http";

const HOUR_MS = 3_600_000;
export const ONLY_ON_THE_PAGE = "This sentence stands only on the page, never in the feed.";

const TITLES = [
  "The harbour clerks who measured the sea",
  "Tide barrier to close twice a week by spring",
  "A register allocator you can hold in your head",
  "Cordgrass is moving uphill faster than the maps",
  "What a failed lifting lug teaches about paint",
  "Nine months of one percentile",
  "Night ferry returns after eleven years",
  "In praise of the bad index",
  "Why the forecast for the sound got worse in October",
  "A lighthouse keeper's last ledger",
];

// Each tells the page that it ran, if it ran.
const RUN = "window.hit=(window.hit||0)+1";
const PLAIN = `<img src=x onerror="${RUN}"><script>${RUN}</script>`;
const BODIES = [
  `<script>${RUN}</script><p>after a script</p>`,
  `<img src=x onerror="${RUN}"><img src="x" onload='${RUN}'>`,
  `<svg><set attributeName=href to=javascript:${RUN}></svg><svg onload="${RUN}"></svg>`,
  `<svg><iframe><a title="</iframe><img src onerror=${RUN}>"></svg>`,
  `<math><annotation-xml encoding="text/html"><style><img src=x onerror=${RUN}></style></annotation-xml></math>`,
  `<iframe srcdoc="<script>parent.${RUN}</script>"></iframe><object data="javascript:${RUN}"></object><embed src="javascript:${RUN}">`,
  `<details open ontoggle="${RUN}"><summary>x</summary></details><video onloadstart="${RUN}"><source onerror="${RUN}"></video>`,
  `<a href="javascript:${RUN}">click</a> <a href="java&#09;script:${RUN}">click</a> <a href="JaVaScRiPt:${RUN}">click</a> <a href="data:text/html,<script>${RUN}</script>">click</a>`,
  `<form action="/logout" method="post"><button formaction="javascript:${RUN}">go</button></form><base href="//evil.test/"><meta http-equiv="refresh" content="0;url=//evil.test/">`,
  `<div style="position:fixed;inset:0;background:url(//evil.test/beacon)" id="csrf" class="toasts">over</div><link rel=stylesheet href="//evil.test/a.css">`,
  `<a href="/logout">relative</a><img src="/logout" alt="relative"><img src="http://evil.test/pixel.gif" width="1" height="1">`,
  `<style>@import "//evil.test/b.css"; body{display:none}</style><marquee onstart="${RUN}">m</marquee><input autofocus onfocus="${RUN}">`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>"></noscript><template><img src=x onerror=${RUN}></template>`,
];

export async function startPublisher() {
  const asked = [];
  let items = TITLES.length;
  const server = createServer((request, response) => {
    asked.push({ path: request.url, agent: request.headers["user-agent"] ?? "" });
    const [status, type, body] = answer(request.url, server.address().port, items);
    response.writeHead(status, { "Content-Type": type, Connection: "close" });
    response.end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const place = `127.0.0.1:${server.address().port}`;
  return {
    place,
    origin: `http://${place}`,
    asked,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

function answer(path, port, items) {
  const home = `http://127.0.0.1:${port}`;
  if (path === "/feed.xml") return [200, "application/rss+xml; charset=utf-8", honest(home, items)];
  if (path === "/hostile.xml") return [200, "application/rss+xml; charset=utf-8", hostile(home)];
  if (path === "/") return [200, "text/html; charset=utf-8", front()];
  if (path === "/favicon.ico" || path.endsWith(".svg")) return [200, "image/svg+xml", icon()];
  const number = /^\/article\/(\d+)$/.exec(path)?.[1];
  if (number && TITLES[number]) return [200, "text/html; charset=utf-8", article(Number(number))];
  if (path === "/bell.wav") return [200, "audio/wav", bell()];
  return [404, "text/plain", "nothing here"];
}

function front() {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Harbour Ledger</title>
<link rel="alternate" type="application/rss+xml" title="Harbour Ledger" href="/feed.xml"></head><body><h1>Harbour Ledger</h1></body></html>`;
}

function honest(home, count) {
  const items = TITLES.slice(0, count).map((title, n) => {
    const sound = n === 9 ? `<enclosure url="${home}/bell.wav" type="audio/wav" length="4044"/>` : "";
    return `<item><title>${title}</title><link>${home}/article/${n}</link><guid isPermaLink="false">item-${n}</guid>
<pubDate>${new Date(Date.now() - (n + 1) * HOUR_MS).toUTCString()}</pubDate><dc:creator>Ilse Morrane</dc:creator>
<description>The beginning of ${title.toLowerCase()}, and no more than that.</description>${sound}</item>`;
  });
  return `<?xml version="1.0" encoding="utf-8"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
<title>Harbour Ledger</title><link>${home}/</link><description>News from the quay</description><language>en</language>${items.join("\n")}</channel></rss>`;
}

function article(n) {
  const paragraph = "The clerks wrote down the height of the water four times a day for ninety years, and nobody told them why. ";
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${TITLES[n]}</title></head><body>
<nav><a href="/">Home</a></nav><main><article><h1>${TITLES[n]}</h1><p>${paragraph.repeat(4)}</p>
<p>${ONLY_ON_THE_PAGE} ${paragraph.repeat(3)}</p><p>${paragraph.repeat(4)}</p></article></main><footer>Harbour Ledger</footer></body></html>`;
}

// Script in every field an item and a feed have (X1–X9).
function hostile(home) {
  const cdata = (text) => `<![CDATA[${text.replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;
  const text = (plain) => plain.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
  const items = BODIES.map((body, n) => `<item><title>${text(text(PLAIN))} no. ${n}</title>
<link>${n % 2 ? `javascript:${text(RUN)}` : `${home}/article/${n}`}</link><guid isPermaLink="false">bad-${n}</guid>
<pubDate>${new Date(Date.now() - (n + 1) * HOUR_MS).toUTCString()}</pubDate><dc:creator>${text(PLAIN)}</dc:creator>
<category>${text(PLAIN)}</category><comments>javascript:${text(RUN)}</comments>
<description>${text(text(PLAIN))}</description><content:encoded>${cdata(body)}</content:encoded>
<enclosure url="javascript:${text(RUN)}" type="audio/mpeg" length="1"/>
<enclosure url="${home}/picture.svg&quot; onerror=&quot;${text(RUN)}" type="image/svg+xml" length="1"/></item>`);
  return `<?xml version="1.0" encoding="utf-8"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
<title>${text(text(PLAIN))}</title><link>javascript:${text(RUN)}</link><description>${text(PLAIN)}</description><language>en"&gt;${text(PLAIN)}</language>
<image><url>${home}/icon.svg</url><title>${text(PLAIN)}</title></image>${items.join("\n")}</channel></rss>`;
}

// An icon that would like to run something (X11).
function icon() {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><script>${RUN}</script><rect width="16" height="16" fill="#246"/></svg>`;
}

function bell() {
  const bytes = Buffer.alloc(44 + 4000, 128);
  bytes.write("RIFF", 0);
  bytes.writeUInt32LE(36 + 4000, 4);
  bytes.write("WAVEfmt ", 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(8000, 24);
  bytes.writeUInt32LE(8000, 28);
  bytes.writeUInt16LE(1, 32);
  bytes.writeUInt16LE(8, 34);
  bytes.write("data", 36);
  bytes.writeUInt32LE(4000, 40);
  return bytes;
}
