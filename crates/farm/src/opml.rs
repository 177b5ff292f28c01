//! The subscription list of a world: what the demo imports.

use crate::document::escape;
use crate::world::World;
use std::collections::BTreeMap;
use std::fmt::Write;

/// All feeds, in folders by topic, with their addresses at the world's port.
pub fn opml(world: &World) -> String {
    let mut folders: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for spec in world.feeds() {
        folders.entry(spec.folder).or_default().push(spec.index);
    }
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<opml version=\"2.0\">\n<head><title>The simulated web</title></head>\n<body>\n",
    );
    for (folder, feeds) in folders {
        out.push_str("<outline text=\"");
        escape(&mut out, folder);
        out.push_str("\">\n");
        for spec in feeds.iter().filter_map(|&feed| world.feeds().get(feed)) {
            out.push_str("<outline type=\"rss\" text=\"");
            escape(&mut out, &spec.title);
            let feed = world.feed_url(spec.index).unwrap_or_default();
            let site = world.site_url(spec.index).unwrap_or_default();
            let _ = writeln!(out, "\" xmlUrl=\"{feed}\" htmlUrl=\"{site}\"/>");
        }
        out.push_str("</outline>\n");
    }
    out.push_str("</body>\n</opml>\n");
    out
}
