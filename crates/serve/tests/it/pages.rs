//! Everything that is not set-up: the front page, health, the page for publishers, assets, the route table.

use crate::site::{NOW, Site};
use axum::http::{Method, StatusCode};
use serve::ROUTES;

/// A path of the table with its places filled.
fn filled(path: &str) -> String {
    let path = path.replace("{id}", "1").replace("{tag}", "x").replace("{class}", "image");
    let path = path.replace("{version}", "v").replace("{*name}", "wellread.css");
    path.replace("{signature}", "s").replace("{address}", "a")
}

#[tokio::test]
async fn the_router_and_the_table_agree() {
    let site = Site::new().await;
    for route in ROUTES {
        let path = filled(route.path);
        let listed =
            |method: &Method| ROUTES.iter().any(|other| other.path == route.path && other.method == method);
        for method in [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS]
        {
            let answer = site.ask(method.clone(), &path, &[], "").await;
            if listed(&method) {
                assert_ne!(answer.status, StatusCode::METHOD_NOT_ALLOWED, "{method} {path}");
            } else {
                assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED, "{method} {path}");
                assert!(!answer.header("allow").is_empty(), "{method} {path}");
            }
        }
    }
}

#[tokio::test]
async fn head_is_get_without_a_body() {
    let site = Site::new().await;
    let paths = ROUTES.iter().filter(|route| *route.method == Method::GET).map(|route| filled(route.path));
    for path in paths.chain(["/no/such/page".to_owned()]) {
        let (get, head) = (site.get(&path).await, site.ask(Method::HEAD, &path, &[], "").await);
        assert_eq!(head.status, get.status, "{path}");
        assert_eq!(head.header("content-type"), get.header("content-type"), "{path}");
        assert_eq!(head.body, "", "{path}");
    }
}

#[tokio::test]
async fn the_front_page_leads_to_the_terminal_until_there_is_an_admin() {
    let site = Site::new().await;
    let before = site.get("/").await;
    assert!(before.body.contains("has no account yet"), "{}", before.body);
    assert!(!before.body.contains(&site.token), "the token is for the terminal only");
    let mira = site.person("mira").await;
    assert!(site.get("/").await.body.contains("has no account yet"), "a reader is no admin");
    site.store.add_user("root", None, true, NOW).await.unwrap();
    assert_eq!(site.get("/").await.header("location"), "/login");
    assert_eq!(mira.get("/").await.header("location"), "/unread", "a person's start page");
}

#[tokio::test]
async fn every_page_says_when_fetching_is_stopped() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    site.store.set_halted(true).await.unwrap();
    assert!(mira.get("/unread").await.body.contains("Fetching is stopped by the operator"));
}

#[tokio::test]
async fn health_tells_a_living_process_from_a_working_one() {
    let site = Site::new().await;
    for path in ["/healthz", "/readyz"] {
        let answer = site.get(path).await;
        assert_eq!((answer.status, answer.body.as_str()), (StatusCode::OK, "ok\n"), "{path}");
    }
    site.store.close().await;
    assert_eq!(site.get("/healthz").await.status, StatusCode::OK);
    let ready = site.get("/readyz").await;
    assert_eq!(ready.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(ready.body.starts_with("The database does not answer"), "{}", ready.body);
}

#[tokio::test]
async fn n2_a_page_explains_the_fetcher_to_publishers() {
    let site = Site::new().await;
    let page = site.get("/about-fetcher").await;
    assert_eq!(page.status, StatusCode::OK);
    let promised = [
        "Wellread/1.2.3",
        "12 times a day",
        "every 60 minutes",
        "every 15 minutes",
        "Retry-After",
        "robots.txt",
        "410 Gone",
    ];
    for words in promised {
        assert!(page.body.contains(words), "{words}: {}", page.body);
    }
}

#[tokio::test]
async fn robots_may_read_the_page_for_publishers_only() {
    let site = Site::under("/reader").await;
    let robots = site.get("/reader/robots.txt").await;
    assert_eq!(robots.body, "User-agent: *\nAllow: /reader/about-fetcher\nDisallow: /reader/\n");
    assert!(robots.header("content-type").starts_with("text/plain"));
}

#[tokio::test]
async fn our_files_are_kept_by_browsers_until_they_change() {
    let site = Site::new().await;
    let page = site.get("/").await;
    let link = page.body.split('"').find(|part| part.ends_with("/wellread.css")).unwrap().to_owned();
    let versioned = site.get(&link).await;
    assert_eq!(versioned.header("content-type"), "text/css; charset=utf-8");
    assert!(versioned.header("cache-control").contains("immutable"));

    let plain = site.get("/assets/old/wellread.css").await;
    assert_eq!(plain.header("cache-control"), "no-cache");
    let tag = format!("\"other\", W/{}", plain.header("etag"));
    let again = site.ask(Method::GET, "/assets/old/wellread.css", &[("if-none-match", &tag)], "").await;
    assert_eq!((again.status, again.body.as_str()), (StatusCode::NOT_MODIFIED, ""));
    assert_eq!(again.header("etag"), plain.header("etag"));
}

#[tokio::test]
async fn o5_only_our_own_files_have_an_address() {
    let site = Site::new().await;
    for path in [
        "/assets/v/..%2f..%2fetc%2fpasswd",
        "/assets/v/../../etc/passwd",
        "/assets/v//etc/passwd",
        "/assets/v/js/..%5c..%5cmain.js",
        "/assets/v/wellread.css%00",
        "/assets/v/templates/list.html",
    ] {
        assert_eq!(site.get(path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn styles_and_scripts_stay_small() {
    let site = Site::new().await;
    let page = site.person("mira").await.get("/unread").await;
    let version = page.body.split("/assets/").nth(1).unwrap().split('/').next().unwrap().to_owned();
    let size = async |name: &str| {
        let headers = [("accept-encoding", "gzip")];
        let answer = site.ask(Method::GET, &format!("/assets/{version}/{name}"), &headers, "").await;
        assert_eq!((answer.status, answer.header("content-encoding")), (StatusCode::OK, "gzip"), "{name}");
        answer.bytes.len()
    };
    assert!(size("wellread.css").await < 25 << 10);
    let mut scripts = 0;
    for name in ["main", "act", "keys", "later", "list", "live", "offline", "parts", "player", "seen"] {
        scripts += size(&format!("js/{name}.js")).await;
    }
    assert!(scripts < 60 << 10, "{scripts}");
}

#[tokio::test]
async fn under_a_base_path_every_link_stays_under_it() {
    let site = Site::under("/reader").await;
    let token = &site.token;
    let mut pages = Vec::new();
    for path in ["/reader", "/reader/", "/reader/about-fetcher", "/reader/nothing"] {
        pages.push(site.get(path).await);
    }
    pages.push(site.get(&format!("/reader/setup?token={token}")).await);
    assert_eq!(pages.iter().filter(|page| page.status == StatusCode::OK).count(), 4);
    let made = site.post("/reader/setup", &site.entered("mira", "a long password", "a long password")).await;
    assert_eq!(made.header("location"), "/reader/welcome");
    assert!(made.header("set-cookie").contains("Path=/reader/;"));
    let mira = site.signed_in(site.store.users().await.unwrap()[0].id).await;
    let feed = site.feed(&[&mira], "One", &[crate::site::posted("A", "<p>x</p>")]).await;
    let id = mira.items(feed).await[0];
    for path in
        ["/reader/unread".to_owned(), format!("/reader/feed/{feed}?item={id}"), "/reader/keys".to_owned()]
    {
        pages.push(mira.get(&path).await);
    }
    for page in &pages {
        let links = page.body.split(['"']).skip(1).step_by(2).filter(|value| value.starts_with('/'));
        let links: Vec<&str> = links.collect();
        assert!(links.len() >= 3, "{}", page.body);
        // Forms say where to return to below the base path; the server puts it in front.
        let own = |link: &&str| {
            *link == "/reader"
                || link.starts_with("/reader/")
                || link.starts_with("/unread")
                || link.starts_with("/feed/")
        };
        assert!(links.iter().all(own), "{links:?}");
    }
    assert_eq!(site.get("/setup").await.status, StatusCode::NOT_FOUND);
}
