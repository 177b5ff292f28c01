//! Row O1, what real exports look like, and that nothing is lost on the way out and in again.

use super::*;
use proptest::prelude::*;

fn read(text: &str) -> Opml {
    read_opml(text.as_bytes(), &Limits::default()).expect("OPML")
}

fn wrap(outlines: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><opml version=\"2.0\"><head><title>My feeds</title></head><body>{outlines}</body></opml>"
    )
}

fn feed(n: usize) -> String {
    format!("<outline type=\"rss\" text=\"Feed {n}\" xmlUrl=\"https://f{n}.test/rss\"/>")
}

fn sentences(opml: &Opml) -> String {
    opml.complaints.iter().map(|complaint| complaint.what.as_str()).collect::<Vec<_>>().join("\n")
}

#[test]
fn folders_titles_and_sites_are_read() {
    let found = read(&wrap(
        "<outline text=\"News\"><outline text=\"World &amp; all\">\
         <outline text=\"Tides\" title=\"The Tides\" type=\"rss\" xmlUrl=\"https://tides.test/feed#x\" htmlUrl=\"https://tides.test\"/>\
         </outline></outline><outline title=\"Only a title\" xmlurl=\"http://one.test/\"/>",
    ));
    assert_eq!(found.title.as_deref(), Some("My feeds"));
    assert_eq!(
        found.subscriptions,
        [
            NewSubscription {
                url: "https://tides.test/feed".into(),
                title: Some("Tides".into()),
                site_url: Some("https://tides.test/".into()),
                folder: vec!["News".into(), "World & all".into()],
            },
            NewSubscription {
                url: "http://one.test/".into(),
                title: Some("Only a title".into()),
                site_url: None,
                folder: vec![],
            },
        ]
    );
    assert_eq!(found.complaints, []);
}

#[test]
fn sloppy_exports_are_understood() {
    let found = read(
        "\u{feff}\n<OPML><BODY><Outline TEXT='A & B' XMLURL='https://a.test/?x=1&y=2'>\
         <outline text=x type=RSS url=https://b.test/rss>\
         <outline text='Link' type='link' url='https://not-a-feed.test/'/></BODY></OPML>",
    );
    let urls: Vec<&str> = found.subscriptions.iter().map(|s| s.url.as_str()).collect();
    assert_eq!(urls, ["https://a.test/?x=1&y=2", "https://b.test/rss"]);
    assert_eq!(found.subscriptions[0].title.as_deref(), Some("A & B"));
}

#[test]
fn encodings_are_told_apart() {
    let latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><opml><body><outline text='Caf\xe9' xmlUrl='http://c.test/'/></body></opml>";
    assert_eq!(
        read_opml(latin, &Limits::default()).expect("OPML").subscriptions[0].title.as_deref(),
        Some("Café")
    );
    let wide: Vec<u8> =
        [0xFF, 0xFE].into_iter().chain(wrap(&feed(1)).encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(read_opml(&wide, &Limits::default()).expect("OPML").subscriptions.len(), 1);
}

#[test]
fn only_the_web_is_subscribed_to() {
    let found = read(&wrap(
        "<outline xmlUrl='feed://a.test/rss'/><outline xmlUrl='feed:https://b.test/rss'/><outline xmlUrl='www.c.test'/>\
         <outline xmlUrl='file:///etc/passwd'/><outline xmlUrl='javascript:alert(1)'/><outline xmlUrl='/relative'/>",
    ));
    let urls: Vec<&str> = found.subscriptions.iter().map(|s| s.url.as_str()).collect();
    assert_eq!(urls, ["http://a.test/rss", "https://b.test/rss", "http://www.c.test/"]);
    assert_eq!(found.complaints.len(), 3);
    assert!(sentences(&found).contains("file:///etc/passwd"), "{}", sentences(&found));
}

#[test]
fn what_is_no_opml_is_refused_with_a_next_step() {
    let refuse = |text: &str| read_opml(text.as_bytes(), &Limits::default()).expect_err("refused");
    assert_eq!(refuse(" \n"), OpmlError::Empty);
    assert_eq!(refuse("<rss><channel/></rss>"), OpmlError::Feed);
    assert_eq!(refuse("<!doctype html><html><body>x"), OpmlError::Html);
    assert_eq!(refuse("\u{1}\u{2}binary"), OpmlError::NotOpml);
    assert!(refuse("{}").to_string().contains("Export"));
}

#[test]
fn x2_folder_and_feed_names_are_text() {
    let found = read(&wrap(
        "<outline text='&lt;img src=x onerror=alert(1)&gt;'><outline text='&lt;b&gt;' xmlUrl='http://a.test/'/></outline>",
    ));
    assert_eq!(found.subscriptions[0].folder, ["<img src=x onerror=alert(1)>"]);
    assert_eq!(found.subscriptions[0].title.as_deref(), Some("<b>"));
}

#[test]
fn o1_the_same_address_is_taken_once() {
    let found = read(&wrap(&(feed(1) + &feed(2) + &feed(1) + "<outline text=x>" + &feed(1) + "</outline>")));
    assert_eq!(found.subscriptions.len(), 2);
    assert_eq!(found.duplicates, 2);
}

#[test]
fn o1_feeds_beyond_the_bound_are_counted() {
    let found = read(&wrap(&(0..6_000).map(feed).collect::<String>()));
    assert_eq!(found.subscriptions.len(), 5_000);
    assert_eq!(found.subscriptions[4_999].url, "https://f4999.test/rss");
    assert_eq!(found.left_out, 1_000);
}

#[test]
fn o1_a_file_that_is_too_large_is_refused_before_it_is_read() {
    let limits = Limits { opml_bytes_max: 100, ..Limits::default() };
    let refused = read_opml(&[b' '; 101], &limits).expect_err("refused");
    assert_eq!(refused, OpmlError::TooLarge { bytes: 101, bytes_max: 100 });
    assert!(refused.to_string().contains("import the parts"));
}

#[test]
fn o1_deep_folders_are_flattened_into_the_sixteenth() {
    let folders = |n: usize, inside: &str| {
        let start: String = (0..n).map(|i| format!("<outline text='f{i}'>")).collect();
        format!("{start}{inside}{}", "</outline>".repeat(n))
    };
    let found = read(&wrap(&(folders(16, &feed(1)) + &folders(20, &feed(2)) + &feed(3))));
    let depths: Vec<usize> = found.subscriptions.iter().map(|s| s.folder.len()).collect();
    assert_eq!(depths, [16, 16, 0]);
    assert_eq!(found.flattened, 1);
    assert_eq!(found.subscriptions[0].folder, found.subscriptions[1].folder);
    assert!(sentences(&found).contains("deeper than 16"), "{}", sentences(&found));
}

#[test]
fn o1_twenty_thousand_levels_do_not_recurse() {
    // On a stack this small any recursion per level would end the process.
    let deep =
        wrap(&format!("{}{}{}", "<outline text='x'>".repeat(20_000), feed(1), "</outline>".repeat(20_000)));
    let reader =
        std::thread::Builder::new().stack_size(256 << 10).spawn(move || read(&deep)).expect("a thread");
    let found = reader.join().expect("no overflow");
    assert_eq!(found.subscriptions.len(), 1);
    assert_eq!(found.subscriptions[0].folder.len(), 16);
}

#[test]
fn o1_entities_stay_small_and_files_stay_unread() {
    let small = "<!DOCTYPE opml [<!ENTITY host \"a.test\">]>".to_owned()
        + "<opml><body><outline text='&host;' xmlUrl='http://&host;/'/></body></opml>";
    assert_eq!(read(&small).subscriptions[0].url, "http://a.test/");
    let bomb = format!(
        "<!DOCTYPE opml [<!ENTITY a \"{}\"><!ENTITY b \"{}\"><!ENTITY c \"{}\"><!ENTITY x SYSTEM \"file:///etc/passwd\">]>\
         <opml><body><outline text='&c;&x;' xmlUrl='http://a.test/'/>{}</body></opml>",
        "ha".repeat(100),
        "&a;".repeat(100),
        "&b;".repeat(100),
        feed(1)
    );
    let found = read(&bomb);
    assert_eq!(found.subscriptions.len(), 2);
    assert!(found.subscriptions[0].title.as_deref().is_none_or(|title| title.chars().count() <= 1_000));
    assert!(sentences(&found).contains("entities grew too large"), "{}", sentences(&found));
    assert!(sentences(&found).contains("other files"), "{}", sentences(&found));
}

#[test]
fn o1_a_cut_file_keeps_what_was_good() {
    let whole = wrap(&(0..10).map(feed).collect::<String>());
    let cut = &whole[..whole.find("f7.test").expect("there")];
    let found = read(cut);
    assert_eq!(found.subscriptions.len(), 7);
    assert!(sentences(&found).contains("ends early"), "{}", sentences(&found));
}

#[test]
fn o1_attribute_floods_are_cut() {
    let flood: String = (0..20_000).map(|n| format!(" a{n}='1'")).collect();
    let found = read(&wrap(&format!("<outline{flood} xmlUrl='http://late.test/'/>{}", feed(1))));
    assert_eq!(found.subscriptions.len(), 1);
}

#[test]
fn the_written_file_says_when_and_what() {
    let one = NewSubscription {
        url: "https://a.test/?x=1&y".into(),
        title: None,
        site_url: None,
        folder: vec!["A \"B\"".into()],
    };
    let text = write_opml("Mira's <feeds>", &[one], Timestamp::from_seconds(1_700_000_000));
    assert_eq!(
        text,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\">\n  <head>\n    <title>Mira's &lt;feeds&gt;</title>\n    \
         <dateCreated>Tue, 14 Nov 2023 22:13:20 GMT</dateCreated>\n  </head>\n  <body>\n    \
         <outline text=\"A &quot;B&quot;\" title=\"A &quot;B&quot;\">\n      \
         <outline type=\"rss\" text=\"https://a.test/?x=1&amp;y\" title=\"https://a.test/?x=1&amp;y\" \
         xmlUrl=\"https://a.test/?x=1&amp;y\"/>\n    </outline>\n  </body>\n</opml>\n"
    );
}

fn name() -> impl Strategy<Value = String> {
    "[a-zA-Zé<>&\"'日;#]{1,8}( [a-z]{1,4})?"
}

proptest! {
    #[test]
    fn what_is_written_reads_back(feeds in proptest::collection::vec((proptest::option::of(name()), proptest::collection::vec(name(), 0..4)), 0..30)) {
        let subscriptions: Vec<NewSubscription> = feeds.into_iter().enumerate().map(|(n, (title, folder))| NewSubscription {
            url: format!("https://f{n}.test/rss?a=1&b={n}"),
            title,
            site_url: (n % 2 == 0).then(|| format!("https://f{n}.test/")),
            folder,
        }).collect();
        let text = write_opml("x", &subscriptions, Timestamp::EPOCH);
        let found = read(&text);
        prop_assert_eq!(&found.complaints, &[]);
        // Folders gather what belongs to them, so only the order may differ.
        let sorted = |mut list: Vec<NewSubscription>| { list.sort_by(|a, b| a.url.cmp(&b.url)); list };
        prop_assert_eq!(sorted(found.subscriptions.clone()), sorted(subscriptions));
        prop_assert_eq!(write_opml("x", &found.subscriptions, Timestamp::EPOCH), text);
    }

    #[test]
    fn any_bytes_give_a_list_or_a_sentence(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = read_opml(&bytes, &Limits::default());
    }

    #[test]
    fn any_soup_gives_a_list_or_a_sentence(pieces in proptest::collection::vec(proptest::sample::select(SOUP.to_vec()), 0..40)) {
        let _ = read_opml(pieces.concat().as_bytes(), &Limits::default());
    }
}

const SOUP: [&str; 14] = [
    "<opml>",
    "</opml>",
    "<outline ",
    "<outline>",
    "</outline>",
    "text='a'",
    " xmlUrl=\"http://a.test/\"",
    "/>",
    ">",
    "&amp;",
    "<![CDATA[",
    "]]>",
    "<!DOCTYPE [",
    "<title>",
];
