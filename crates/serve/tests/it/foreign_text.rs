//! Text and media that are not ours (X, M): shown as text, served in a world of their own, never trusted.
//!
//! The browser tests assert the same in a real browser; here it is asserted on the bytes.

use crate::site::{Answer, Made, Person, Posted, Site, encoded, posted};
use axum::Router;
use axum::http::{Method, StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use domain::Enclosure;

const HOSTILE: &str = "<img src=x onerror=alert(1)>\"'&lt;b&gt;";

/// Everything a page shows of one hostile item, on every list.
async fn pages(site: &Site, mira: &Person<'_>, item: Posted<'_>) -> Vec<Answer> {
    let feed = site.feed(&[mira], HOSTILE, &[item]).await;
    let id = mira.items(feed).await[0];
    mira.send("/mark", &format!("mark=tag:{id}&tag={}", encoded("<script>alert(1)</script>"))).await;
    mira.send("/mark", &format!("mark=star:{id}")).await;
    let mut pages = Vec::new();
    for path in [
        format!("/newest?item={id}"),
        "/unread".to_owned(),
        "/starred".to_owned(),
        format!("/feed/{feed}?item={id}"),
        format!("/part/item/{id}"),
        "/offline/items".to_owned(),
        format!("/tag/{}", encoded("<script>alert(1)</script>")),
    ] {
        pages.push(mira.get(&path).await);
    }
    pages
}

#[tokio::test]
async fn x2_a_script_in_any_plain_field_is_shown_as_text() {
    let site = Site::new().await;
    let mira = site.person("mira<b>").await;
    site.store.add_folder(mira.user, None, HOSTILE).await.unwrap();
    let item = Posted { author: Some(HOSTILE), tags: &[HOSTILE], ..posted(HOSTILE, "<p>Fine</p>") };
    for page in pages(&site, &mira, item).await {
        assert_eq!(page.status, StatusCode::OK);
        assert!(!page.body.contains("<img src=x"), "{}", page.body);
        assert!(!page.body.contains("<script>alert"), "{}", page.body);
        assert!(!page.body.contains("mira<b>"), "{}", page.body);
    }
}

#[tokio::test]
async fn x3_a_title_is_decoded_once_and_shown_as_written() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let feed =
        site.feed(&[&mira], "One", &[posted("&lt;img src=x onerror=alert(1)&gt; &amp;amp;", "")]).await;
    let id = mira.items(feed).await[0];
    let page = mira.get(&format!("/newest?item={id}")).await;
    // What is stored is text; a page escapes it exactly once, so a browser shows the very same characters.
    assert!(page.body.contains("&#38;lt;img src=x onerror=alert(1)&#38;gt; &#38;amp;amp;"), "{}", page.body);
}

#[tokio::test]
async fn x4_a_script_address_in_a_link_or_an_enclosure_is_inert() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    for (number, address) in
        ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,<script>x</script>", "vbscript:x"]
            .iter()
            .enumerate()
    {
        let title = format!("Item {number}");
        let enclosures = vec![Enclosure {
            url: (*address).to_owned(),
            media_type: Some("audio/mpeg".into()),
            bytes: None,
            seconds: None,
        }];
        // The parser lets none of these through; the page must hold even if one were stored.
        let item = Posted { link: Some(address), enclosures, ..posted(&title, "") };
        for page in pages(&site, &mira, item).await {
            for attribute in ["href", "src", "action", "formaction", "poster"] {
                let opened = format!("{attribute}=\"{}", address.split(':').next().unwrap());
                assert!(!page.body.contains(&opened), "{address}: {opened} in {}", page.body);
            }
        }
    }
}

#[tokio::test]
async fn x10_links_to_other_sites_tell_them_nothing_and_cannot_reach_back() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let feed = site
        .feed(
            &[&mira],
            "One",
            &[posted("A", "<p><a href=\"https://other.example/\" rel=\"noopener noreferrer\">x</a></p>")],
        )
        .await;
    let id = mira.items(feed).await[0];
    let page = mira.get(&format!("/newest?item={id}")).await;
    for link in page.body.split("<a ").skip(1) {
        let link = link.split('>').next().unwrap();
        if link.contains("href=\"https://") {
            assert!(link.contains("noopener") && link.contains("noreferrer"), "{link}");
        }
    }
}

/// An origin on loopback that serves whatever it is told.
async fn origin() -> u16 {
    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n0000000000000000000000000000";
    const SVG: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";
    let page = || async { ([(header::CONTENT_TYPE, "image/png")], "<html><script>alert(1)</script></html>") };
    let router = Router::new()
        .route("/a.png", get(|| async { ([(header::CONTENT_TYPE, "text/html")], PNG).into_response() }))
        .route("/page.png", get(page))
        .route("/a.svg", get(|| async { ([(header::CONTENT_TYPE, "image/svg+xml")], SVG) }))
        .route("/missing.png", get(|| async { (StatusCode::NOT_FOUND, "<b>no</b>") }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move { axum::serve(listener, router).await });
    port
}

/// The proxied address of a picture in an item.
async fn proxied(site: &Site, mira: &Person<'_>, address: &str) -> String {
    let html = format!("<p><img src=\"{address}\" alt=\"x\"></p>");
    let feed = site.feed(&[mira], "One", &[posted("A", &html)]).await;
    let id = mira.items(feed).await[0];
    let page = mira.get(&format!("/part/item/{id}")).await;
    page.body
        .split('"')
        .find(|part| part.starts_with("/media/"))
        .unwrap_or_else(|| panic!("{}", page.body))
        .to_owned()
}

#[tokio::test]
async fn m1_only_signed_addresses_are_fetched_and_a_signature_opens_no_private_door() {
    let port = origin().await;
    let site = Site::made(Made { allow: vec![format!("pics.test:{port}")], ..Made::default() }).await;
    let mira = site.person("mira").await;
    let path = proxied(&site, &mira, &format!("http://pics.test:{port}/a.png")).await;
    assert_eq!(mira.get(&path).await.status, StatusCode::OK);
    let parts: Vec<&str> = path.split('/').collect();
    let altered = [
        path.replace("/image/", "/video/"),
        path.replace(parts[3], "AAAAAAAAAAAAAAAAAAAAAA"),
        path.replace(parts[3], &parts[3][..4]),
        path.replace(parts[4], "aHR0cDovLzEyNy4wLjAuMS8"),
        "/media/html/x/y".to_owned(),
    ];
    for altered in altered {
        assert_eq!(mira.get(&altered).await.status, StatusCode::NOT_FOUND, "{altered}");
    }
    // Signed by us because an item named it, refused by the guard all the same.
    for inside in ["http://127.0.0.1/x.png", "http://169.254.169.254/latest", "http://[::1]/x.png"] {
        let path = proxied(&site, &mira, inside).await;
        assert_eq!(mira.get(&path).await.status, StatusCode::NOT_FOUND, "{inside}");
    }
    // Keys change with the month; last month's pages still work, older ones do not.
    site.wait(31 * 86_400);
    let again = site.signed_in(mira.user).await;
    assert_eq!(again.get(&path).await.status, StatusCode::OK);
    site.wait(62 * 86_400);
    let again = site.signed_in(mira.user).await;
    assert_eq!(again.get(&path).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn m2_foreign_bytes_are_named_by_what_they_are_and_live_in_a_sandbox() {
    let port = origin().await;
    let site = Site::made(Made { allow: vec![format!("pics.test:{port}")], ..Made::default() }).await;
    let mira = site.person("mira").await;
    let picture = mira.get(&proxied(&site, &mira, &format!("http://pics.test:{port}/a.png")).await).await;
    assert_eq!(picture.header("content-type"), "image/png", "by its bytes, not by its header");
    for policy in ["default-src 'none'", "sandbox"] {
        assert!(picture.header("content-security-policy").contains(policy));
    }
    assert_eq!(picture.header("x-content-type-options"), "nosniff");
    assert_eq!(picture.header("set-cookie"), "");
    for name in ["page.png", "missing.png"] {
        let path = proxied(&site, &mira, &format!("http://pics.test:{port}/{name}")).await;
        let answer = mira.get(&path).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{name}");
        assert!(
            !answer.body.contains("pics.test") && !answer.body.contains("<script>alert"),
            "{}",
            answer.body
        );
    }
}

#[tokio::test]
async fn x11_an_svg_is_served_in_a_sandbox_and_never_as_part_of_a_page() {
    let port = origin().await;
    let site = Site::made(Made { allow: vec![format!("pics.test:{port}")], ..Made::default() }).await;
    let mira = site.person("mira").await;
    let feed = site.feed(&[&mira], "One", &[posted("A", "")]).await;
    let icon = store::Icon {
        kind: "image/svg+xml".into(),
        bytes: b"<svg><script>alert(1)</script></svg>".to_vec(),
        version: 7,
    };
    let found =
        store::IconFound { icon: Some(icon), validators: domain::Validators::default(), unchanged: false };
    site.store.keep_icon(feed, found, site.now()).await.unwrap();
    let answer = mira.get(&format!("/icon/{feed}")).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert!(answer.header("content-security-policy").contains("sandbox"));
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    let page = mira.get("/newest").await;
    assert!(page.body.contains(&format!("<img class=\"fav\" src=\"/icon/{feed}?v=7\"")), "{}", page.body);
    assert!(!page.body.contains("alert(1)"));
    let path = proxied(&site, &mira, &format!("http://pics.test:{port}/a.svg")).await;
    let answer = mira.get(&path).await;
    assert!(
        answer.status == StatusCode::NOT_FOUND
            || answer.header("content-security-policy").contains("sandbox")
    );
}

#[tokio::test]
async fn m4_a_picture_is_fetched_without_anything_of_the_reader() {
    use std::sync::{Arc, Mutex};
    let seen: Arc<Mutex<Vec<axum::http::HeaderMap>>> = Arc::default();
    let keep = seen.clone();
    let router = Router::new().route(
        "/pixel.png",
        get(move |headers: axum::http::HeaderMap| async move {
            keep.lock().unwrap().push(headers);
            b"\x89PNG\r\n\x1a\n0000000000000000000000000000".to_vec()
        }),
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move { axum::serve(listener, router).await });
    let site = Site::made(Made { allow: vec![format!("pics.test:{port}")], ..Made::default() }).await;
    let mira = site.person("mira").await;
    let path = proxied(&site, &mira, &format!("http://pics.test:{port}/pixel.png")).await;
    let headers = [
        ("cookie", mira.cookie.as_str()),
        ("user-agent", "Mozilla/5.0 (Reader's own)"),
        ("referer", "https://reader.example/newest"),
        ("accept-language", "de-AT"),
        ("x-forwarded-for", "203.0.113.7"),
    ];
    assert_eq!(site.ask(Method::GET, &path, &headers, "").await.status, StatusCode::OK);
    let seen = seen.lock().unwrap();
    let text = format!("{:?}", seen[0]);
    for private in ["session", "Reader's own", "reader.example", "de-AT", "203.0.113.7"] {
        assert!(!text.contains(private), "{private}: {text}");
    }
}

#[tokio::test]
async fn n29_no_picture_is_fetched_while_fetching_is_halted() {
    let port = origin().await;
    let site = Site::made(Made { allow: vec![format!("pics.test:{port}")], ..Made::default() }).await;
    let mira = site.person("mira").await;
    let path = proxied(&site, &mira, &format!("http://pics.test:{port}/a.png")).await;
    site.store.set_halted(true).await.unwrap();
    assert_eq!(mira.get(&path).await.status, StatusCode::SERVICE_UNAVAILABLE);
    site.store.set_halted(false).await.unwrap();
    assert_eq!(mira.get(&path).await.status, StatusCode::OK);
}

#[tokio::test]
async fn m5_no_name_from_outside_gets_into_a_header() {
    let port = origin().await;
    let site = Site::made(Made { allow: vec![format!("pics.test:{port}")], ..Made::default() }).await;
    let mira = site.person("mira").await;
    let path =
        proxied(&site, &mira, &format!("http://pics.test:{port}/a.png?x%22%0d%0aSet-Cookie:a=b.png")).await;
    let answer = mira.get(&path).await;
    assert_eq!(answer.header("set-cookie"), "");
    assert_eq!(answer.header("content-disposition"), "inline");
}

#[tokio::test]
async fn n30_the_original_is_always_one_key_away_and_the_author_is_kept() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let feed = site
        .feed(&[&mira], "One", &[Posted { author: Some("Ilse Morrane"), ..posted("A", "<p>x</p>") }])
        .await;
    let id = mira.items(feed).await[0];
    let page = mira.get(&format!("/newest?item={id}")).await;
    assert!(
        page.body.contains("data-original") && page.body.contains("https://site.example/page"),
        "{}",
        page.body
    );
    assert!(page.body.contains("Ilse Morrane"));
}
