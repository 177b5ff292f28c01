//! Beside feed-rs, an independent parser, on well-formed documents both must read alike.

use crate::try_read;
use domain::{Document, Limits};

fn samples() -> Vec<String> {
    let mut samples = Vec::new();
    for n in 0..20 {
        let date = format!("2024-01-{:02}T{:02}:00:00Z", n + 1, n);
        samples.push(format!(
            "<rss version=\"2.0\"><channel><title>Feed {n}</title><link>https://h.test/{n}</link><description>d</description>\
            <item><title>Item &amp; {n}</title><link>https://h.test/{n}/1</link><guid isPermaLink=\"false\">g{n}</guid>\
            <pubDate>Tue, {:02} Mar 2024 03:04:05 +0{}00</pubDate><description>Body {n}</description></item></channel></rss>",
            n + 1,
            n % 10
        ));
        samples.push(format!(
            "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>Feed {n}</title><id>urn:{n}</id><updated>{date}</updated>\
            <entry><id>urn:{n}:1</id><title>Item {n}</title><link href=\"https://h.test/{n}/1\"/><published>{date}</published>\
            <updated>{date}</updated><summary>Body {n}</summary></entry></feed>"
        ));
        samples.push(format!(
            "{{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"Feed {n}\",\"items\":[{{\"id\":\"g{n}\",\"title\":\"Item {n}\",\
            \"url\":\"https://h.test/{n}/1\",\"content_text\":\"Body {n}\",\"date_published\":\"{date}\"}}]}}"
        ));
    }
    samples
}

#[test]
fn well_formed_documents_are_read_as_feed_rs_reads_them() {
    for sample in samples() {
        let ours: Document = try_read(sample.as_bytes()).unwrap().document;
        let theirs = feed_rs::parser::parse(sample.as_bytes()).unwrap();
        assert_eq!(ours.title, theirs.title.map(|title| title.content), "{sample}");
        assert_eq!(ours.items.len(), theirs.entries.len());
        for (mine, other) in ours.items.iter().zip(theirs.entries) {
            let title = other.title.map(|title| html::one_line(&title.content, &Limits::default()));
            assert_eq!(mine.title, title, "{sample}");
            assert_eq!(mine.guid.as_deref(), Some(other.id.as_str()), "{sample}");
            assert_eq!(mine.link.as_deref(), other.links.first().map(|link| link.href.as_str()), "{sample}");
            assert_eq!(
                mine.published.map(domain::Timestamp::seconds),
                other.published.map(|t| t.timestamp()),
                "{sample}"
            );
        }
    }
}
