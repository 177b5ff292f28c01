//! Rows X, M4, P3 and P7 as far as they need no browser, and the laws of sanitising.

use super::*;
use crate::token::{Token, Tokens};
use proptest::prelude::*;

fn limits() -> Limits {
    Limits::default()
}

fn base() -> Url {
    Url::parse("https://site.test/blog/post").expect("valid")
}

fn safe(html: &str) -> String {
    sanitise(html, Some(&base()), &limits()).html
}

fn check(html: &str, expected: &str) {
    assert_eq!(safe(html), expected, "{html}");
}

/// The first stage alone.
fn first_stage(html: &str) -> String {
    let base = base();
    clean(
        html,
        Resolver::new(Some(&base), limits().url_bytes_max),
        &limits(),
        limits().item_html_bytes_max,
        Purpose::Body,
    )
    .html
}

#[test]
fn x1_scripts_and_handlers_are_removed() {
    check("a<script>alert(1)</script>b", "ab");
    check("a<script>alert(1)", "a");
    check("<img src=x onerror=alert(1)>", "<img src=\"https://site.test/blog/x\" loading=\"lazy\">");
    check("<body onload=alert(1)>text", "text");
    check(
        "<details ontoggle=alert(1) open><summary>s</summary>t</details>",
        "<details open=\"\"><summary>s</summary>t</details>",
    );
    let video = safe("<video onloadstart=alert(1) autoplay><source onerror=alert(1) src=v.mp4></video>");
    assert_eq!(
        video,
        "<video controls=\"\" preload=\"none\"><source src=\"https://site.test/blog/v.mp4\"></video>"
    );
    check("<p/onclick=alert(1)>x", "<p>x</p>");
    check("<scr<script>ipt>alert(1)</script>x", "ipt&gt;alert(1)x");
}

#[test]
fn x4_script_addresses_leave_only_their_text() {
    for scheme in [
        "javascript:",
        "JaVaScRiPt:",
        "java\tscript:",
        "&#106;avascript:",
        "data:text/html,",
        "vbscript:",
        "blob:",
    ] {
        check(&format!("<a href='{scheme}alert(1)'>x</a>"), "x");
        check(&format!("<img src='{scheme}alert(1)' srcset='{scheme}alert(1) 2x'>"), "");
        check(
            &format!("<video poster='{scheme}x'></video>"),
            "<video controls=\"\" preload=\"none\"></video>",
        );
        check(&format!("<q cite='{scheme}x'>y</q>"), "<q>y</q>");
    }
    check("<form action=javascript:x><button formaction=javascript:x>b</button></form>", "<div>b</div>");
}

#[test]
fn x4_srcset_errors_do_not_echo_markup() {
    check(
        "<img src=a srcset='http:a<script>alert(1)</script> 2x'>",
        "<img src=\"https://site.test/blog/a\" loading=\"lazy\">",
    );
}

#[test]
fn x5_foreign_content_is_dropped_whole() {
    check("a<svg><set attributeName=href to=javascript:alert(1)></svg>b", "ab");
    check("a<svg><iframe><a title=\"</iframe><img src onerror=alert(1)>\"></svg>b", "ab");
    check("a<math><annotation-xml encoding=text/html><style><img onerror=alert(1)></style></math>b", "ab");
    check(
        "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
        "<table></table>",
    );
    check("a<svg>never closed<p>b", "anever closed<p>b</p>");
    check(
        "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">t</noscript>",
        "<p title=\"&lt;/noscript&gt;&lt;img src=x onerror=alert(1)&gt;\">t</p>",
    );
}

#[test]
fn x6_frames_vanish_and_known_videos_become_links() {
    check("a<iframe srcdoc='<script>alert(1)</script>'></iframe>b", "ab");
    check(
        "<iframe src=https://youtube.com.evil.test/embed/x></iframe><object data=x>c</object><embed src=x>",
        "c",
    );
    check(
        "<iframe src='//www.youtube.com/embed/abc-_1?rel=0' title='A &amp; B'></iframe>",
        "<p><a href=\"https://www.youtube.com/watch?v=abc-_1\" rel=\"noopener noreferrer\">Video on YouTube: A &amp; B</a></p>",
    );
    check(
        "<p>see <iframe data-src=https://player.vimeo.com/video/42></iframe></p>",
        "<p>see <a href=\"https://vimeo.com/42\" rel=\"noopener noreferrer\">Video on Vimeo</a></p>",
    );
}

#[test]
fn x7_forms_base_and_meta_are_dropped() {
    check(
        "<base href=//evil.test><meta http-equiv=refresh content='0;url=//evil.test'><link rel=stylesheet href=x>\
         <form action=/logout><input name=q value=v><select><option>a<option>b</select><textarea><b>t</b></textarea></form>",
        "<div>a b&lt;b&gt;t&lt;/b&gt;</div>",
    );
    check(
        "<base href=//evil.test/><a href=x>y</a>",
        "<a href=\"https://site.test/blog/x\" rel=\"noopener noreferrer\">y</a>",
    );
}

#[test]
fn x8_styles_classes_and_ids_are_dropped() {
    check(
        "<style>*{display:none}</style><p id=csrf class=x style='position:fixed;background:url(//e.test)'>t</p>",
        "<p>t</p>",
    );
}

#[test]
fn x9_no_address_points_back_at_us() {
    check(
        "<a href=/feeds/1/delete>x</a>",
        "<a href=\"https://site.test/feeds/1/delete\" rel=\"noopener noreferrer\">x</a>",
    );
    let without = |html: &str| sanitise(html, None, &limits()).html;
    assert_eq!(without("<a href=/feeds/1/delete>x</a><img src=/logout><img srcset='/a 1x'>"), "x");
    assert_eq!(
        without("<q cite=/x>y</q><video poster=/logout src=\\logout></video>"),
        "<q>y</q><video controls=\"\" preload=\"none\"></video>"
    );
    assert_eq!(
        without("<a href=//h.test/>x</a>"),
        "<a href=\"https://h.test/\" rel=\"noopener noreferrer\">x</a>"
    );
}

#[test]
fn x10_links_carry_no_opener_and_no_target() {
    check(
        "<a target=_blank rel=opener href=https://h.test>x</a>",
        "<a href=\"https://h.test/\" rel=\"noopener noreferrer\">x</a>",
    );
}

#[test]
fn m4_beacons_are_dropped_and_pictures_stay() {
    for beacon in [
        "<img width=1 height=1 src=p.gif>",
        "<img height='0' src=p.gif>",
        "<img style='width:1px' src=p.gif>",
        "<img style='display:none' src=p.gif>",
        "<img hidden src=p.gif>",
        "<img src=http://feeds.feedburner.com/~r/site/~4/abc>",
        "<img src=https://www.facebook.com/tr?id=1>",
        "<img src=https://pixel.wp.com/b.gif?x>",
    ] {
        check(&format!("a{beacon}b"), "ab");
    }
    check(
        "<img width=10 height=100% src=p.gif alt=x>",
        "<img src=\"https://site.test/blog/p.gif\" alt=\"x\" width=\"10\" loading=\"lazy\">",
    );
}

#[test]
fn lazy_images_are_shown_once() {
    check(
        "<img src='data:image/gif;base64,R0' data-src=/real.jpg><noscript><img src=/real.jpg></noscript>",
        "<img src=\"https://site.test/real.jpg\" loading=\"lazy\">",
    );
    check(
        "<img src='data:image/gif;base64,R0'><noscript><img src=/r.jpg></noscript>",
        "<img src=\"https://site.test/r.jpg\" loading=\"lazy\">",
    );
    check(
        "<img data-srcset='/a.jpg 1x, /b.jpg 2x'>",
        "<img src=\"https://site.test/a.jpg\" srcset=\"https://site.test/a.jpg 1x, https://site.test/b.jpg 2x\" loading=\"lazy\">",
    );
}

#[test]
fn ordinary_articles_stay_readable() {
    check(
        "<h2>Title</h2>\n<p>One<p>Two <b>bold</b> &amp; <i>it</i><ul><li>a<li>b</ul>",
        "<h2>Title</h2>\n<p>One</p><p>Two <b>bold</b> &amp; <i>it</i></p><ul><li>a</li><li>b</li></ul>",
    );
    check("<center>x</center>y<font color=red>z</font><my-tag>w</my-tag>", "<div>x</div>yzw");
    check("<pre>\n\n  code\n</pre>", "<pre>  code\n</pre>");
    check("<b><p>x</b>y</p>", "<b><p>x</p></b>y");
    check("<ol start=3 type=A><li value=5>x</ol>", "<ol start=\"3\" type=\"A\"><li value=\"5\">x</li></ol>");
    check("1 < 2 > 0 & \u{A0}", "1 &lt; 2 &gt; 0 &amp; &nbsp;");
    check("<![CDATA[<p>x</p>]]>", "<p>x</p>");
}

#[test]
fn tables_and_rubies_keep_their_text_in_place() {
    check(
        "<table>a<tr><td>b<td colspan=9999999>c<p>d<tr><th scope=ROW>e</table>f",
        "<table><tbody><tr><td>a</td></tr><tr><td>b</td><td>c<p>d</p></td></tr><tr><th scope=\"row\">e</th></tr></tbody></table>f",
    );
    check("<ruby>a<dd>b<rp>c", "<ruby>a<dd>b</dd><rp>c</rp></ruby>");
    check("<tr><td>a</td><td>b</td></tr>", "a b");
}

#[test]
fn p3_deep_html_is_flattened_before_any_tree_is_built() {
    let deep = |n: usize, tag: &str| {
        format!("{}deep text{}", format!("<{tag}>").repeat(n), format!("</{tag}>").repeat(n))
    };
    for tag in
        ["div", "b", "blockquote", "span", "ul><li", "font><a href=x", "table", "select", "p><b", "section"]
    {
        let found =
            sanitise(&deep(if tag.contains("href") { 5_000 } else { 40_000 }, tag), Some(&base()), &limits());
        assert!(found.html.contains("deep text"), "{tag}");
        assert!(depth(&found.html) <= limits().html_depth_max, "{tag}: {}", depth(&found.html));
    }
    let found = sanitise(&deep(40_000, "div"), None, &limits());
    assert_eq!(found.complaints, [TOO_DEEP]);
    assert_eq!(found.html.matches("<div>").count(), 200);
}

#[test]
fn p3_what_is_left_out_for_depth_closes_nothing_else() {
    let narrow = Limits { html_depth_max: 2, ..limits() };
    let found = sanitise("<div>a<div>b<div>c</div>d</div>e</div>f", None, &narrow).html;
    assert_eq!(found, "<div>a<div>bcd</div>e</div>f");
}

#[test]
fn p3_parsers_meet_no_misnesting_after_the_first_stage() {
    // Each of these is quadratic or worse in a tree builder. The first stage must close all it opens, in order, and
    // leave nothing between table parts, so that nothing is adopted, reconstructed or fostered.
    for piece in [
        "<p><b>",
        "<b></p>",
        "<a href=x><div></a>",
        "<font x><i><p>",
        "<table>x",
        "<table><b>x<tr>y",
        "<b class=1><p></b>",
    ] {
        let html = first_stage(&piece.repeat(20_000));
        let mut open = Vec::new();
        for token in Tokens::new(&html) {
            match token {
                Token::Start(start) => open.push(start.name),
                Token::End(name) => assert_eq!(open.pop(), Some(name), "{piece}"),
                Token::Text(text) => assert!(
                    !matches!(open.last(), Some(&("table" | "tbody" | "tr"))),
                    "{text} between table parts: {piece}"
                ),
            }
        }
        assert!(open.is_empty(), "{piece}: {open:?}");
    }
}

#[test]
fn p4_attribute_floods_are_cut() {
    let flood: String = (0..20_000).map(|n| format!(" a{n}=1")).collect();
    check(&format!("<p{flood} title=late>x</p>"), "<p>x</p>");
}

#[test]
fn p5_long_html_is_cut_between_characters_and_stays_whole() {
    let short = Limits { item_html_bytes_max: 100, ..limits() };
    for n in 80..120 {
        let html = format!("<p>{}{}</p>", "x".repeat(n), "&amp;é<b>👩</b>".repeat(10));
        let found = sanitise(&html, None, &short);
        assert!(found.html.len() <= 100 && found.html.ends_with("</p>"), "{}", found.html);
        assert_eq!(found.complaints, [TOO_LONG]);
        assert_eq!(sanitise(&found.html, None, &short).html, found.html);
    }
}

#[test]
fn p5_a_long_base_cannot_inflate_short_links() {
    let base = Url::parse(&format!("https://site.test/{}/", "x".repeat(1_900))).expect("valid");
    let found = sanitise(&"<a href=y>z".repeat(90_000), Some(&base), &limits());
    assert!(found.html.len() <= limits().item_html_bytes_max);
}

#[test]
fn p7_controls_are_removed_and_surrogates_replaced() {
    check("a\0b&#0;c\u{1F}&#xD800;<b>\u{8}d</b>", "abc\u{FFFD}<b>d</b>");
    check("no markup \0 at all\u{7}", "no markup  at all");
}

fn depth(html: &str) -> usize {
    let (mut now, mut deepest) = (0_usize, 0);
    for token in Tokens::new(html) {
        match token {
            Token::Start(start) if Tag::from_name(start.name).is_some_and(|tag| tag.fate() == Fate::Void) => {
            }
            Token::Start(_) => now += 1,
            Token::End(_) => now -= 1,
            Token::Text(_) => {}
        }
        deepest = deepest.max(now);
    }
    deepest
}

fn only_listed(html: &str) -> Result<(), TestCaseError> {
    for token in Tokens::new(html) {
        let Token::Start(start) = token else { continue };
        let tag = Tag::from_name(start.name);
        prop_assert!(
            tag.is_some_and(|tag| matches!(tag.fate(), Fate::Keep | Fate::Void)),
            "{}",
            start.source
        );
        for (name, value) in start.attributes() {
            let listed = tag
                .is_some_and(|tag| attributes_of(tag).iter().chain(GENERIC).any(|(a, _)| a.name() == name));
            prop_assert!(listed || (name == "rel" && value == REL), "{}", start.source);
            let lower = value.to_ascii_lowercase();
            if matches!(name, "href" | "src" | "poster" | "cite") {
                prop_assert!(
                    LINK_SCHEMES.iter().any(|s| lower.starts_with(&format!("{s}:"))),
                    "{}",
                    start.source
                );
            }
        }
    }
    Ok(())
}

/// Pieces that meet each other in unlucky orders.
fn soup() -> impl Strategy<Value = String> {
    let tags: Vec<String> =
        Tag::ALL.iter().map(|tag| tag.name().to_owned()).chain(["x-y".into(), "T".into()]).collect();
    let piece = prop_oneof![
        4 => proptest::sample::select(tags.clone()).prop_map(|tag| format!("<{tag}>")),
        4 => proptest::sample::select(tags.clone()).prop_map(|tag| format!("</{tag}>")),
        2 => (proptest::sample::select(tags), proptest::sample::select(ATTRIBUTES.to_vec()))
            .prop_map(|(tag, attribute)| format!("<{tag} {attribute}>")),
        2 => proptest::sample::select(TEXTS.to_vec()).prop_map(str::to_owned),
        1 => "\\PC{0,8}",
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

const ATTRIBUTES: [&str; 18] = [
    "href=x",
    "href='javascript:x'",
    "src=\"/y?a=1&b=2&amp;c\"",
    "srcset='a 1x, b,c 2x'",
    "title='<p>\"&quot;'",
    "class=c",
    "onclick=x",
    "cite=http://h.test/ü",
    "dir=RTL lang=de",
    "width=5 height=1",
    "src=//h.test:99/ poster='data:x'",
    "alt=''",
    "href=mailto:a@b.test?x=%20y z",
    "data-src=z",
    "colspan=2 start=3 value=4 open",
    "src=https://www.youtube.com/embed/a",
    "href='http://[::1'",
    "style='display:none'",
];

const TEXTS: [&str; 16] = [
    "text",
    " ",
    "\n",
    "\r\n",
    "&amp;",
    "&lt;b&gt;",
    "&nbsp;",
    "&#0;",
    "<",
    "<!--",
    "-->",
    "]]>",
    "<![CDATA[",
    "\u{FEFF}",
    "&",
    "\"'",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn sanitising_twice_changes_nothing(html in soup()) {
        let once = safe(&html);
        prop_assert_eq!(safe(&once), once);
    }

    #[test]
    fn only_listed_names_and_schemes_come_out(html in soup()) {
        only_listed(&safe(&html))?;
    }

    #[test]
    fn both_judges_of_the_first_stage_find_nothing_to_change(html in soup()) {
        let first = first_stage(&html);
        prop_assert!(is_plainly_safe(&first), "{}", first);
        prop_assert_eq!(by_ammonia(&first), first);
    }

    #[test]
    fn what_is_plainly_safe_is_safe_to_ammonia_too(pieces in proptest::collection::vec(proptest::sample::select(STRICT.to_vec()), 0..20)) {
        let html = pieces.concat();
        if is_plainly_safe(&html) {
            let (verified, judged) = (names(&html), names(&by_ammonia(&html)));
            prop_assert!(verified.is_subset(&judged), "{:?} {:?}", verified, judged);
        }
    }

    #[test]
    fn words_outside_tags_survive(words in proptest::collection::vec("[a-z]{1,6}", 1..10), tags in proptest::collection::vec(soup_tag(), 10)) {
        let html: String = words.iter().zip(&tags).map(|(word, tag)| format!("{tag} {word} ")).collect();
        let text = crate::plain_text(&safe(&html), &limits());
        prop_assert_eq!(text.split_whitespace().collect::<Vec<_>>(), words);
    }

    #[test]
    fn nothing_panics_and_all_stays_in_bounds(html in "\\PC{0,200}|[<>/a-z\"'=&;! \\-]{0,200}") {
        let narrow = Limits { html_depth_max: 3, item_html_bytes_max: 64, ..limits() };
        let found = sanitise(&html, None, &narrow).html;
        prop_assert!(found.len() <= 64 && depth(&found) <= 3);
        prop_assert_eq!(&sanitise(&found, None, &narrow).html, &found);
        crate::plain_text(&html, &narrow);
        crate::one_line(&html, &narrow);
        crate::discover(&html, &base(), &narrow);
    }
}

/// Pieces of the strict spelling and near misses of it.
const STRICT: [&str; 16] = [
    "x",
    "&amp;",
    "&lt;",
    "<p>",
    "</p>",
    "<b>",
    "<i title=\"y\">",
    "<img src=\"https://h.test/\" loading=\"lazy\">",
    "<a href=\"https://h.test/\" rel=\"noopener noreferrer\">",
    "<br>",
    "&",
    "<",
    "\"",
    " onclick=\"z\"",
    "<div lang=\"en\">",
    "</div>",
];

/// The tags with attributes; those without may be moved or doubled by a parser.
fn names(html: &str) -> HashSet<String> {
    Tokens::new(html)
        .filter_map(|token| match token {
            Token::Start(start) if start.has_attributes() => Some(start.source.to_owned()),
            _ => None,
        })
        .collect()
}

/// Start and end tags that keep their content.
fn soup_tag() -> impl Strategy<Value = String> {
    let tags: Vec<&str> = Tag::ALL
        .iter()
        .filter(|tag| matches!(tag.fate(), Fate::Keep | Fate::Void | Fate::Block))
        .map(|tag| tag.name())
        .collect();
    proptest::sample::select(tags)
        .prop_flat_map(|tag| prop_oneof![Just(format!("<{tag}>")), Just(format!("</{tag}>"))])
}
