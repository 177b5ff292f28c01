//! Throughput of sanitising, text extraction, discovery and article search, on HTML like that of real feeds.
//!
//! `cargo bench -p html`. As a test (`cargo test -p html --benches`) each runs once.

use divan::counter::BytesCount;
use domain::Limits;
use url::Url;

fn main() {
    divan::main();
}

/// An article of a weblog: paragraphs, links, an image with candidates, a list, a quotation, a beacon.
fn post(paragraphs: usize) -> String {
    let mut html = String::from("<div class=\"entry\" id=\"post-1\"><h2>Notes from the estuary</h2>\n");
    for n in 0..paragraphs {
        html.push_str(&format!(
            "<p style=\"margin:0\">On day {n} the water rose &amp; fell, and <em>nobody</em> on the pier &ndash; not \
             even <a href=\"/people/{n}?ref=rss&amp;utm_source=feed\" target=\"_blank\">the harbour master</a> &ndash; \
             could say when the ferry would come back. The gulls did not mind; they had found the crates of herring \
             and told everyone within a mile about it, at length, and in verse.</p>\n"
        ));
        if n % 4 == 0 {
            html.push_str(
                "<figure><img src=\"/img/a.jpg\" srcset=\"/img/a.jpg 1x, /img/b.jpg 2x\" alt=\"The pier\" width=\"640\" \
                 height=\"480\" class=\"wide\"><figcaption>The pier</figcaption></figure>\n<ul><li>herring</li>\
                 <li>rope</li></ul>\n<blockquote><p>It was &quot;fine&quot;.</p></blockquote>\n",
            );
        }
    }
    html.push_str("<img src=\"https://pixel.wp.com/b.gif\" width=\"1\" height=\"1\"></div>");
    html
}

fn base() -> Url {
    Url::parse("https://site.test/blog/").expect("valid")
}

#[divan::bench(args = [1, 10, 100])]
fn sanitise(bencher: divan::Bencher<'_, '_>, paragraphs: usize) {
    let (html, base, limits) = (post(paragraphs), base(), Limits::default());
    bencher.counter(BytesCount::of_str(&html)).bench(|| html::sanitise(&html, Some(&base), &limits));
}

#[divan::bench]
fn sanitise_deep(bencher: divan::Bencher<'_, '_>) {
    let (html, limits) =
        (format!("{}x{}", "<div>".repeat(40_000), "</div>".repeat(40_000)), Limits::default());
    bencher.counter(BytesCount::of_str(&html)).bench(|| html::sanitise(&html, None, &limits));
}

#[divan::bench]
fn sanitise_text_only(bencher: divan::Bencher<'_, '_>) {
    let (html, limits) = ("Plain words &amp; nothing else. ".repeat(100), Limits::default());
    bencher.counter(BytesCount::of_str(&html)).bench(|| html::sanitise(&html, None, &limits));
}

#[divan::bench]
fn plain_text(bencher: divan::Bencher<'_, '_>) {
    let (html, limits) = (post(20), Limits::default());
    bencher.counter(BytesCount::of_str(&html)).bench(|| html::plain_text(&html, &limits));
}

#[divan::bench]
fn one_line(bencher: divan::Bencher<'_, '_>) {
    let (html, limits) =
        ("Tides &amp; <em>times</em>: what the estuary told us".to_owned(), Limits::default());
    bencher.counter(BytesCount::of_str(&html)).bench(|| html::one_line(&html, &limits));
}

#[divan::bench]
fn discover(bencher: divan::Bencher<'_, '_>) {
    let (html, base, limits) = (post(100), base(), Limits::default());
    bencher.counter(BytesCount::of_str(&html)).bench(|| html::discover(&html, &base, &limits));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn article(bencher: divan::Bencher<'_, '_>) {
    let (html, base, limits) = (format!("<html><body>{}</body></html>", post(50)), base(), Limits::default());
    bencher.counter(BytesCount::of_str(&html)).bench(|| html::article(&html, &base, &limits));
}
