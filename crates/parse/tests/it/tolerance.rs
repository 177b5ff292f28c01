//! Documents as they really are.

use crate::{atom, complains, document, entry, item, only, read, rss, titles, try_read};
use domain::Format;

#[test]
fn junk_before_the_prolog_is_skipped() {
    for junk in [
        "\n\n  ",
        "\u{feff} \n",
        "<br />\n<b>Warning</b>: something on line 3<br />\n",
        "<!-- hello -->\n",
        "php notice\n",
    ] {
        let text = format!("{junk}{}", rss("<item><title>One</title></item>"));
        assert_eq!(titles(&document(&text)), ["One"], "{junk:?}");
    }
}

#[test]
fn bare_ampersands_and_html_names_are_text() {
    let item = item("<title>Q&A: caf&eacute; &nbsp;& tea</title><link>https://h.test/?a=1&b=2</link>");
    assert_eq!(item.title.as_deref(), Some("Q&A: café & tea"));
    assert_eq!(item.link.as_deref(), Some("https://h.test/?a=1&b=2"));
}

#[test]
fn entities_a_document_declares_are_used() {
    let text = format!(
        "<!DOCTYPE rss [<!ENTITY co \"Example Co\">]>{}",
        "<rss><channel><title>&co;!</title></channel></rss>"
    );
    assert_eq!(document(&text).title.as_deref(), Some("Example Co!"));
}

#[test]
fn a_namespace_on_rss_itself_changes_nothing() {
    for xmlns in ["http://backend.userland.com/rss2", "http://nobody.test/ns", "http://purl.org/rss/1.0/"] {
        let text = format!(
            "<rss version='2.0' xmlns='{xmlns}'><channel><title>F</title><item><title>One</title></item></channel></rss>"
        );
        assert_eq!(titles(&document(&text)), ["One"], "{xmlns}");
    }
}

#[test]
fn undeclared_and_renamed_prefixes_are_understood() {
    let text = "<rss version='2.0'><channel><title>F</title><item><title>One</title><dc:creator>Mira</dc:creator>\
        <content:encoded>&lt;p&gt;x&lt;/p&gt;</content:encoded></item></channel></rss>";
    let undeclared = only(document(text));
    assert_eq!(
        (undeclared.author.as_deref(), undeclared.content.as_deref()),
        (Some("Mira"), Some("<p>x</p>"))
    );
    let text = "<a:feed xmlns:a='http://www.w3.org/2005/Atom'><a:entry><a:title>One</a:title><a:id>1</a:id></a:entry></a:feed>";
    assert_eq!(titles(&document(text)), ["One"]);
}

#[test]
fn upper_case_and_mismatched_tags_are_read() {
    let text = "<RSS VERSION='2.0'><CHANNEL><TITLE>F</title><ITEM><TITLE>One</TITLE><LINK>https://h.test/1</link></ITEM></CHANNEL></RSS>";
    let item = only(document(text));
    assert_eq!((item.title.as_deref(), item.link.as_deref()), (Some("One"), Some("https://h.test/1")));
    let text =
        rss("<item><title>One</titel><link>https://h.test/1</link></item><item><title>Two</title></item>");
    let document = document(&text);
    assert_eq!(titles(&document), ["One", "Two"]);
    assert_eq!(document.items[0].link.as_deref(), Some("https://h.test/1"));
}

#[test]
fn p9_an_item_that_was_never_closed_loses_nothing() {
    let parsed = read(&rss(
        "<item><title>One</title><item><title>Two</title></item><item><title>Three</title></item>",
    ));
    assert_eq!(titles(&parsed.document), ["One", "Two", "Three"]);
    assert!(complains(&parsed, "begins inside another"));
}

#[test]
fn p9_illegal_nesting_in_one_item_leaves_the_others() {
    let text = rss(
        "<item><title>One</title></item><item><title>Two</b></i><description><p>x<i>y</p></description></item></b>\
        <item><title>Three</title></item>",
    );
    assert_eq!(titles(&document(&text)), ["One", "Two", "Three"]);
    let json =
        r#"{"version":"https://jsonfeed.org/version/1","items":[{"id":"1"},null,"x",{"id":[]},{"id":"4"}]}"#;
    let parsed = read(json);
    assert_eq!(parsed.document.items.len(), 3);
    assert!(complains(&parsed, "not an object"));
}

#[test]
fn markup_inside_rss_text_is_kept_as_markup() {
    let item =
        item("<title>An <b>odd</b> title</title><description>Some <i>words</i> and <br/> more</description>");
    assert_eq!(item.title.as_deref(), Some("An odd title"));
    assert_eq!(item.summary.as_deref(), Some("Some <i>words</i> and <br> more"));
}

#[test]
fn x3_titles_are_decoded_exactly_once() {
    let title = |written: &str| item(&format!("<title>{written}</title>")).title.unwrap();
    assert_eq!(title("&amp;lt;img src=x&amp;gt;"), "<img src=x>");
    assert_eq!(title("&lt;img src=x onerror=alert(1)&gt;"), "<img src=x onerror=alert(1)>");
    assert_eq!(title("<![CDATA[Tom &amp; Jerry]]>"), "Tom & Jerry");
    assert_eq!(title("1 &lt; 2 &amp; 3"), "1 < 2 & 3");
    assert_eq!(title("&lt;b&gt;bold&lt;/b&gt; move"), "bold move");
    let plain = entry("<title>a &lt;b&gt;c&lt;/b&gt;</title>");
    assert_eq!(plain.title.as_deref(), Some("a <b>c</b>"));
    let html = entry("<title type='html'>a &amp;lt;b&amp;gt; &lt;b&gt;c&lt;/b&gt;</title>");
    assert_eq!(html.title.as_deref(), Some("a <b> c"));
}

#[test]
fn x2_script_in_plain_fields_is_text() {
    let script = "&lt;script&gt;alert(1)&lt;/script&gt;";
    let parsed =
        document(&rss(&format!("<item><author>{script}</author><category>{script}</category></item>")));
    let item = only(parsed);
    // No field of these is ever HTML again; whoever prints them escapes them.
    assert!(!item.tags.iter().any(String::is_empty));
    let entry = entry(&format!("<title>{script}</title>"));
    assert_eq!(entry.title.as_deref(), Some("<script>alert(1)</script>"));
}

#[test]
fn x4_script_links_are_dropped_with_a_complaint() {
    for scheme in [
        "javascript:alert(1)",
        "JaVaScRiPt:x",
        "java&#9;script:x",
        "&#106;avascript:x",
        "data:text/html,x",
        "vbscript:x",
    ] {
        let parsed = read(&rss(&format!(
            "<item><title>One</title><link>{scheme}</link><enclosure url='{scheme}'/></item>"
        )));
        let item = &parsed.document.items[0];
        assert_eq!((&item.link, item.enclosures.len()), (&None, 0), "{scheme}");
        assert!(complains(&parsed, "not followed"), "{scheme}: {:?}", parsed.complaints);
    }
}

#[test]
fn x1_scripts_in_bodies_are_gone_and_links_are_absolute() {
    let item = item(
        "<description><![CDATA[<p onclick=x>Hi<script>alert(1)</script> <a href='/y'>y</a></p>]]></description>",
    );
    let summary = item.summary.unwrap();
    assert!(!summary.contains("script") && !summary.contains("onclick"), "{summary}");
    assert!(summary.contains("\"https://feed.test/y\""), "{summary}");
}

#[test]
fn p10_bases_apply_where_they_stand() {
    let text = "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='/a/'><title>F</title>\
        <entry xml:base='b/'><id>1</id><link href='c'/><content type='html' xml:base='d/'>&lt;a href='e'&gt;x&lt;/a&gt;</content></entry>\
        <entry><id>2</id><link href='//o.test/x'/></entry><entry><id>3</id><link href='?q'/></entry>\
        <entry><id>4</id><title>none</title></entry></feed>";
    let document = document(text);
    let links: Vec<Option<&str>> = document.items.iter().map(|item| item.link.as_deref()).collect();
    assert_eq!(
        links,
        [Some("https://feed.test/a/b/c"), Some("https://o.test/x"), Some("https://feed.test/a/?q"), None]
    );
    assert!(document.items[0].content.as_deref().unwrap().contains("https://feed.test/a/b/d/e"));
}

#[test]
fn truncated_documents_keep_what_came_before() {
    let text =
        rss("<item><title>One</title><guid>1</guid></item><item><title>Two</title><guid>2</guid></item>");
    let cut = &text[..text.find("</guid></item></channel>").unwrap() - 1];
    let parsed = read(cut);
    assert!(parsed.document.truncated && complains(&parsed, "ends in the middle"));
    assert_eq!(titles(&parsed.document), ["One", "Two"]);
    assert!(!read(&text).document.truncated);
}

#[test]
fn truncated_json_keeps_its_whole_items() {
    let text = r#"{"version":"https://jsonfeed.org/version/1.1","title":"F","items":[{"id":"1","title":"a]}"},{"id":"2","ti"#;
    let parsed = read(text);
    assert!(parsed.document.truncated);
    assert_eq!(parsed.document.items.len(), 1);
}

#[test]
fn an_incomplete_download_is_never_a_whole_document() {
    let text = rss("");
    let input = parse::Input { bytes: text.as_bytes(), content_type: None, base: None, complete: false };
    assert!(parse::parse(&input, &domain::Limits::default()).unwrap().document.truncated);
}

#[test]
fn relative_links_without_any_address_stay_as_written() {
    let text = rss("<item><link>/x</link></item>").replace("<link>https://feed.test/</link>", "");
    let input = parse::Input { bytes: text.as_bytes(), content_type: None, base: None, complete: true };
    let parsed = parse::parse(&input, &domain::Limits::default()).unwrap();
    assert_eq!(parsed.document.items[0].link.as_deref(), Some("/x"));
    assert!(complains(&parsed, "relative"));
}

#[test]
fn encodings_are_found_out() {
    let latin =
        b"<?xml version='1.0' encoding='iso-8859-1'?><rss><channel><title>caf\xE9</title></channel></rss>";
    let parsed = try_read(latin).unwrap();
    assert_eq!(
        (parsed.document.title.as_deref(), parsed.document.encoding.as_str()),
        (Some("café"), "windows-1252")
    );
    let wide: Vec<u8> = "<rss><channel><title>café</title></channel></rss>"
        .encode_utf16()
        .flat_map(u16::to_be_bytes)
        .collect();
    assert_eq!(try_read(&wide).unwrap().document.title.as_deref(), Some("café"));
}

#[test]
fn p6_wrong_labels_get_a_complaint_and_the_feed_is_kept() {
    let bytes = b"<?xml version='1.0' encoding='utf-8'?><rss><channel><title>caf\xE9 d\xE9j\xE0 vu</title></channel></rss>";
    let parsed = try_read(bytes).unwrap();
    assert_eq!(parsed.document.title.as_deref(), Some("café déjà vu"));
    assert!(complains(&parsed, "says it is"));
}

#[test]
fn p7_control_characters_never_reach_a_field() {
    let item = item("<title>a\0b&#0;c\u{8}d&#xD800;\u{200d}e\u{1F468}\u{200D}\u{1F469}</title>");
    assert_eq!(item.title.as_deref(), Some("abcd\u{FFFD}\u{200d}e\u{1F468}\u{200D}\u{1F469}"));
}

#[test]
fn p8_formats_are_told_by_content() {
    let text = format!("\n\n{}", rss("<item><title>One</title></item>"));
    let input =
        parse::Input { bytes: text.as_bytes(), content_type: Some("text/html"), base: None, complete: true };
    let parsed = parse::parse(&input, &domain::Limits::default()).unwrap();
    assert_eq!(parsed.document.format, Format::Rss20);
    let bom = format!("\u{feff}  {}", atom("<entry><id>1</id></entry>"));
    assert_eq!(document(&bom).format, Format::Atom10);
}

#[test]
fn rss_with_words_of_atom_is_one_document() {
    let item = item(
        "<atom:title>Never mind</atom:title><atom:updated>2024-01-01T00:00:00Z</atom:updated><atom:link href='/1'/>",
    );
    assert_eq!(
        (item.title.as_deref(), item.link.as_deref()),
        (Some("Never mind"), Some("https://feed.test/1"))
    );
    assert!(item.updated.is_some());
}

#[test]
fn feedburners_original_link_stands_in_for_a_missing_one() {
    let xml = "xmlns:feedburner='http://rssnamespace.org/feedburner/ext/1.0'";
    let item = item(&format!(
        "<feedburner:origLink {xml}>https://h.test/1</feedburner:origLink><guid isPermaLink='false'>x</guid>"
    ));
    assert_eq!(item.link.as_deref(), Some("https://h.test/1"));
}

#[test]
fn podcasts_are_read_without_a_description() {
    let item = item(
        "<title>Episode</title><itunes:summary>What &amp; why</itunes:summary><itunes:author>Mira</itunes:author>\
        <itunes:keywords>a, b</itunes:keywords><enclosure url='https://h.test/a.mp3' type='audio/mpeg' length='0'/>",
    );
    assert_eq!((item.summary.as_deref(), item.author.as_deref()), (Some("What &amp; why"), Some("Mira")));
    assert_eq!((item.tags, item.enclosures[0].bytes), (vec!["a".to_owned(), "b".to_owned()], None));
}

#[test]
fn d6_unreadable_dates_are_none_with_a_complaint() {
    let parsed = read(&rss("<item><title>One</title><pubDate>yesterday</pubDate></item>"));
    assert_eq!(parsed.document.items[0].published, None);
    assert!(complains(&parsed, "\"yesterday\" cannot be read"));
    assert_eq!(parsed.complaints[0].place, "item 1, published");
}

#[test]
fn what_an_entry_is_about_is_not_the_entry() {
    let entry = entry(
        "<activity:object xmlns:activity='http://activitystrea.ms/spec/1.0/'><id>theirs</id><title>Theirs</title>\
        <link rel='alternate' type='text/html' href='https://o.test/'/><published>2001-01-01T00:00:00Z</published></activity:object>\
        <id>mine</id><title>Mine</title><link rel='alternate' type='text/html' href='https://h.test/'/>\
        <activity:object><id>theirs</id><title>Theirs</title><link href='https://o.test/'/></activity:object>",
    );
    assert_eq!((entry.guid.as_deref(), entry.title.as_deref()), (Some("mine"), Some("Mine")));
    assert_eq!(entry.link.as_deref(), Some("https://h.test/"));
}

#[test]
fn channel_definition_files_are_read() {
    let text = "<CHANNEL HREF='https://h.test/'><TITLE>F</TITLE><ITEM HREF='https://h.test/1' LASTMOD='2002-11-05T23:15'><TITLE>One</TITLE></ITEM></CHANNEL>";
    let item = only(document(text));
    assert_eq!((item.link.as_deref(), item.updated.is_some()), (Some("https://h.test/1"), true));
}
