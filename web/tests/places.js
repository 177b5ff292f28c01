// Every page a signed-in person can look at.
export const PLACES = ["/foryou", "/foryou/learned", "/foryou/trial", "/newest", "/buzz", "/buzz?window=week", "/search", "/search?q=ferry", "/unread", "/starred", "/hidden", "/feeds", "/discover", "/discover?by=text", "/discover?by=opml", "/discover?by=popular", "/discover?q=harbour", "/popular", "/friends", "/tags", "/rules", "/rules/new", "/folders", "/schedule", "/subscribe", "/welcome", "/settings", "/admin", "/keys", "/offline", "/about-fetcher", "/nowhere"];

// Pages that have a number in their address.
export async function inside(page, origin) {
  await page.goto(origin + "/newest");
  const row = page.locator("#rows .row").first();
  const [item, feed] = [await row.getAttribute("data-id"), await row.getAttribute("data-feed")];
  const folder = await page.locator(".nav [data-folder]").first().getAttribute("data-folder");
  return [`/newest?item=${item}`, `/item/${item}/why`, `/feed/${feed}`, `/feed/${feed}/about`, `/feed/${feed}/edit`, `/folder/${folder}`, "/tag/ferries"];
}
