//! Each format, read as its authors meant it.

use crate::{atom, document, entry, item, only, read, rss, titles};
use domain::{Format, Timestamp};

fn time(text: &str) -> Option<Timestamp> {
    let time: jiff::Timestamp = text.parse().unwrap();
    Some(Timestamp::from_seconds(time.as_second()))
}

#[test]
fn rss_2_gives_every_field_of_the_feed() {
    let document = document(
        r#"<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/">
        <channel><title>A &amp; B</title><link>https://h.test/</link><description>About</description>
        <language>en_GB</language><copyright>Mira 2024</copyright><managingEditor>m@h.test (Mira)</managingEditor>
        <lastBuildDate>Tue, 02 Jan 2024 03:04:05 GMT</lastBuildDate><ttl>90</ttl>
        <image><url>/icon.png</url><title>Icon</title><link>https://elsewhere.test/</link></image>
        <atom:link rel="self" href="https://h.test/feed"/><atom:link rel="hub" href="https://hub.test/"/>
        <skipHours><hour>24</hour><hour>5</hour></skipHours><skipDays><day>Sunday</day></skipDays>
        <sy:updatePeriod>hourly</sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency></channel></rss>"#,
    );
    assert_eq!(document.format, Format::Rss20);
    assert_eq!(document.title.as_deref(), Some("A & B"));
    assert_eq!(document.link.as_deref(), Some("https://h.test/"));
    assert_eq!(document.self_link.as_deref(), Some("https://h.test/feed"));
    assert_eq!(document.description.as_deref(), Some("About"));
    assert_eq!(document.language.as_deref(), Some("en-GB"));
    assert_eq!(document.rights.as_deref(), Some("Mira 2024"));
    assert_eq!(document.author.as_deref(), Some("Mira"));
    assert_eq!(document.icon.as_deref(), Some("https://feed.test/icon.png"));
    assert_eq!(document.updated, time("2024-01-02T03:04:05Z"));
    assert_eq!(document.hubs, ["https://hub.test/"]);
    assert_eq!((document.ttl_minutes, document.update_period_s), (Some(90), Some(1800)));
    assert_eq!((document.skip_hours, document.skip_days), (vec![0, 5], vec![6]));
    assert!(!document.truncated);
}

#[test]
fn rss_2_gives_every_field_of_an_item() {
    let item = item(
        r#"<title>One</title><link>/1</link><guid isPermaLink="false">g1</guid><author>m@h.test (Mira)</author>
        <pubDate>Tue, 02 Jan 2024 03:04:05 GMT</pubDate><description>&lt;p&gt;Short&lt;/p&gt;</description>
        <content:encoded><![CDATA[<p>Long <a href="/x">link</a></p>]]></content:encoded><category>a</category>
        <category>b</category><comments>https://h.test/comments</comments>
        <enclosure url="https://h.test/a.mp3" type="audio/mpeg" length="12"/><itunes:duration>1:30</itunes:duration>"#,
    );
    assert_eq!(item.title.as_deref(), Some("One"));
    assert_eq!(item.link.as_deref(), Some("https://feed.test/1"));
    assert_eq!(item.guid.as_deref(), Some("g1"));
    assert_eq!(item.author.as_deref(), Some("Mira"));
    assert_eq!(item.published, time("2024-01-02T03:04:05Z"));
    assert_eq!(item.summary.as_deref(), Some("<p>Short</p>"));
    assert!(item.content.as_deref().unwrap().contains("https://feed.test/x"));
    assert_eq!(item.tags, ["a", "b"]);
    let file = &item.enclosures[0];
    assert_eq!((file.url.as_str(), file.media_type.as_deref()), ("https://h.test/a.mp3", Some("audio/mpeg")));
    assert_eq!((file.bytes, file.seconds), (Some(12), Some(90)));
}

#[test]
fn rss_versions_are_told_apart() {
    let check = |root: &str, format: Format| {
        let text =
            format!("<{root}><channel><title>x</title></channel></{}>", root.split(' ').next().unwrap());
        assert_eq!(document(&text).format, format, "{root}");
    };
    check("rss version='0.91'", Format::Rss091);
    check("rss version='0.92'", Format::Rss092);
    check("rss version='0.94'", Format::Rss09x);
    check("rss version='2.0'", Format::Rss20);
    check("rss", Format::Rss20);
    check("rdf:RDF xmlns='http://purl.org/rss/1.0/'", Format::Rss10);
    check("rdf:RDF xmlns='http://my.netscape.com/rdf/simple/0.9/'", Format::Rss090);
}

#[test]
fn rss_1_items_stand_beside_the_channel() {
    let document = document(
        r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
        xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="https://h.test/"><title>Feed</title>
        <link>https://h.test/</link><items><rdf:Seq><rdf:li rdf:resource="https://h.test/1"/></rdf:Seq></items></channel>
        <image rdf:about="x"><title>Image</title><url>https://h.test/i.png</url><link>https://i.test/</link></image>
        <item rdf:about="https://h.test/1"><title>One</title><link>https://h.test/1</link><dc:creator>Mira</dc:creator>
        <dc:date>2024-01-02T03:04:05+01:00</dc:date><dc:subject>a</dc:subject></item>
        <textinput><title>Search</title><name>q</name></textinput></rdf:RDF>"#,
    );
    assert_eq!(
        (document.title.as_deref(), document.link.as_deref()),
        (Some("Feed"), Some("https://h.test/"))
    );
    assert_eq!(document.icon.as_deref(), Some("https://h.test/i.png"));
    let item = only(document);
    assert_eq!(item.guid.as_deref(), Some("https://h.test/1"));
    assert_eq!((item.author.as_deref(), item.tags), (Some("Mira"), vec!["a".to_owned()]));
    assert_eq!(item.published, time("2024-01-02T02:04:05Z"));
}

#[test]
fn atom_1_gives_every_field() {
    let document = document(
        r#"<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de" xml:base="https://h.test/a/"><title type="html">A &amp;amp; B</title>
        <subtitle>Sub</subtitle><link href="."/><link rel="self" href="feed.atom"/><link rel="hub" href="https://hub.test/"/>
        <updated>2024-01-02T03:04:05Z</updated><author><name>Mira</name><email>m@h.test</email></author>
        <rights>Mira</rights><icon>/favicon.ico</icon>
        <entry xml:lang="en"><id>tag:h.test,2024:1</id><title>One &lt;two&gt;</title><link rel="alternate" href="1.html"/>
        <link rel="enclosure" href="a.mp3" type="audio/mpeg" length="7"/><published>2024-01-01T00:00:00Z</published>
        <updated>2024-01-02T00:00:00Z</updated><author><name>Ada</name></author><author><name>Bo</name></author>
        <category term="t1" label="Tag 1"/><summary>Just text &amp; more</summary>
        <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Hi <b>there</b></p></div></content></entry></feed>"#,
    );
    assert_eq!(document.format, Format::Atom10);
    assert_eq!(document.title.as_deref(), Some("A & B"));
    assert_eq!(document.link.as_deref(), Some("https://h.test/a/"));
    assert_eq!(document.self_link.as_deref(), Some("https://h.test/a/feed.atom"));
    assert_eq!(document.icon.as_deref(), Some("https://h.test/favicon.ico"));
    assert_eq!((document.language.as_deref(), document.author.as_deref()), (Some("de"), Some("Mira")));
    let entry = only(document);
    assert_eq!(entry.title.as_deref(), Some("One <two>"));
    assert_eq!(entry.link.as_deref(), Some("https://h.test/a/1.html"));
    assert_eq!(entry.author.as_deref(), Some("Ada, Bo"));
    assert_eq!(
        (entry.published, entry.updated),
        (time("2024-01-01T00:00:00Z"), time("2024-01-02T00:00:00Z"))
    );
    assert_eq!(entry.summary.as_deref(), Some("Just text &amp; more"));
    assert!(entry.content.as_deref().unwrap().contains("<p>Hi <b>there</b></p>"));
    assert_eq!((entry.language.as_deref(), entry.tags), (Some("en"), vec!["t1".to_owned()]));
    assert_eq!(entry.enclosures[0].url, "https://h.test/a/a.mp3");
}

#[test]
fn atom_0_3_is_read_in_all_its_modes() {
    let document = document(
        r#"<feed version="0.3" xmlns="http://purl.org/atom/ns#"><title>Old</title><tagline>Sub</tagline>
        <link rel="alternate" type="text/html" href="https://h.test/"/><modified>2004-01-02T03:04:05Z</modified>
        <entry><title>One</title><link rel="alternate" type="text/html" href="https://h.test/1"/><id>1</id>
        <issued>2004-01-01T00:00:00Z</issued><content type="text/html" mode="escaped">&lt;b&gt;x&lt;/b&gt;</content></entry>
        <entry><title>Two</title><id>2</id><created>2003-01-01</created>
        <content type="text/html" mode="base64">PGI+eTwvYj4=</content></entry>
        <entry><title>Three</title><id>3</id><content type="application/xhtml+xml" mode="xml"><b>z</b></content></entry></feed>"#,
    );
    assert_eq!((document.format, document.description.as_deref()), (Format::Atom03, Some("Sub")));
    let bodies: Vec<&str> = document.items.iter().map(|item| item.content.as_deref().unwrap()).collect();
    assert_eq!(bodies, ["<b>x</b>", "<b>y</b>", "<b>z</b>"]);
    assert_eq!(document.items[1].published, time("2003-01-01T00:00:00Z"));
}

#[test]
fn atoms_source_is_another_feeds_business() {
    let entry = entry(
        r#"<id>1</id><title>Mine</title><source><title>Theirs</title><id>other</id><link href="https://o.test/"/>
        <updated>2001-01-01T00:00:00Z</updated><author><name>Them</name></author></source><link href="https://h.test/1"/>"#,
    );
    assert_eq!((entry.title.as_deref(), entry.guid.as_deref()), (Some("Mine"), Some("1")));
    assert_eq!((entry.link.as_deref(), entry.updated), (Some("https://h.test/1"), None));
    assert_eq!(entry.author.as_deref(), Some("Them"));
}

#[test]
fn json_feed_1_1_gives_every_field() {
    let document = document(
        r#"{"version":"https://jsonfeed.org/version/1.1","title":"Feed","home_page_url":"https://h.test/",
        "feed_url":"https://h.test/feed.json","description":"About","language":"en","icon":"https://h.test/i.png",
        "authors":[{"name":"Mira"}],"hubs":[{"type":"WebSub","url":"https://hub.test/"}],
        "items":[{"id":"1","url":"/1","title":"One","content_html":"<p>x</p>","summary":"s","tags":["a"],
        "date_published":"2024-01-02T03:04:05Z","date_modified":"2024-01-03T03:04:05Z","authors":[{"name":"Ada"}],
        "attachments":[{"url":"https://h.test/a.mp3","mime_type":"audio/mpeg","size_in_bytes":7,"duration_in_seconds":9}]},
        {"id":2,"content_text":"a < b"}]}"#,
    );
    assert_eq!((document.format, document.title.as_deref()), (Format::Json11, Some("Feed")));
    assert_eq!((document.author.as_deref(), document.hubs.len()), (Some("Mira"), 1));
    let first = &document.items[0];
    assert_eq!((first.link.as_deref(), first.author.as_deref()), (Some("https://feed.test/1"), Some("Ada")));
    assert_eq!((first.content.as_deref(), first.summary.as_deref()), (Some("<p>x</p>"), Some("s")));
    assert_eq!(first.published, time("2024-01-02T03:04:05Z"));
    assert_eq!(first.enclosures[0].seconds, Some(9));
    let second = &document.items[1];
    assert_eq!((second.guid.as_deref(), second.content.as_deref()), (Some("2"), Some("a &lt; b")));
}

#[test]
fn rss_written_as_json_is_read() {
    let document = document(
        r##"{"rss":{"version":"2.0","channel":{"title":"Feed","link":"https://h.test/","item":[{"title":"One",
        "description":"<b>x</b>","pubDate":"Tue, 02 Jan 2024 03:04:05 GMT","guid":{"isPermaLink":true,"#value":"https://h.test/1"}}]}}}"##,
    );
    let item = only(document);
    assert_eq!((item.link.as_deref(), item.summary.as_deref()), (Some("https://h.test/1"), Some("<b>x</b>")));
}

#[test]
fn a_guid_is_a_link_only_where_nothing_better_is_said() {
    let link = |fields: &str| item(fields).link;
    assert_eq!(link("<guid>https://h.test/1</guid>").as_deref(), Some("https://h.test/1"));
    assert_eq!(link("<guid isPermaLink='false'>https://h.test/1</guid>"), None);
    assert_eq!(
        link("<guid>https://h.test/1</guid><link>https://h.test/2</link>").as_deref(),
        Some("https://h.test/2")
    );
    assert_eq!(link("<guid isPermaLink='true'>/1</guid>").as_deref(), Some("https://feed.test/1"));
    assert_eq!(link("<guid>17</guid><comments>https://h.test/c</comments>"), None);
}

#[test]
fn videos_described_by_media_rss_have_a_body_and_no_second_title() {
    let entry = only(document(
        r#"<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/"><title>Channel</title>
        <entry><id>yt:video:1</id><title>Real title</title><link rel="alternate" href="https://v.test/1"/>
        <media:group><media:title>Media title</media:title><media:content url="https://v.test/1.mp4" type="video/mp4" duration="61"/>
        <media:thumbnail url="https://v.test/1.jpg"/><media:description>Two
lines</media:description></media:group></entry></feed>"#,
    ));
    assert_eq!(entry.title.as_deref(), Some("Real title"));
    assert_eq!(entry.summary.as_deref(), Some("Two<br>lines"));
    assert_eq!((entry.enclosures.len(), entry.enclosures[0].seconds), (1, Some(61)));
}

#[test]
fn items_keep_the_order_of_the_document() {
    let text = rss(
        "<item><title>b</title><pubDate>2024-01-01</pubDate></item><item><title>a</title><pubDate>2024-01-02</pubDate></item>",
    );
    assert_eq!(titles(&document(&text)), ["b", "a"]);
}

#[test]
fn n7_absurd_hints_are_ignored_with_a_complaint() {
    let parsed = read(&rss(
        "<ttl>0</ttl><skipHours><hour>99</hour></skipHours><skipDays><day>Caturday</day></skipDays>",
    ));
    assert_eq!(parsed.document.ttl_minutes, None);
    assert!(parsed.document.skip_hours.is_empty() && parsed.document.skip_days.is_empty());
    assert_eq!(parsed.complaints.len(), 3, "{:?}", parsed.complaints);
}

#[test]
fn n8_skipped_hours_and_days_are_numbers() {
    let hours: String = (1..=24).map(|hour| format!("<hour>{hour}</hour>")).collect();
    let parsed = document(&rss(&format!(
        "<skipHours>{hours}</skipHours><skipDays><day>saturday</day><day>Sunday</day></skipDays>"
    )));
    let mut seen = parsed.skip_hours.clone();
    seen.sort_unstable();
    assert_eq!(seen, (0..24).collect::<Vec<u8>>());
    assert_eq!(parsed.skip_days, [5, 6]);
}

#[test]
fn n9_a_partly_given_period_has_the_modules_defaults() {
    let period = |fields: &str| {
        let xmlns = "xmlns:sy='http://purl.org/rss/1.0/modules/syndication/'";
        document(&format!("<rss version='2.0' {xmlns}><channel><title>x</title>{fields}</channel></rss>"))
            .update_period_s
    };
    assert_eq!(period("<sy:updateFrequency>4</sy:updateFrequency>"), Some(21_600));
    assert_eq!(period("<sy:updatePeriod>weekly</sy:updatePeriod>"), Some(604_800));
    assert_eq!(
        period("<sy:updatePeriod>hourly</sy:updatePeriod><sy:updateFrequency>0</sy:updateFrequency>"),
        Some(3600)
    );
    assert_eq!(period(""), None);
}

#[test]
fn an_atom_feed_without_entries_is_a_feed() {
    assert!(document(&atom("")).items.is_empty());
}
