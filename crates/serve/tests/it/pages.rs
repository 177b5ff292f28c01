//! Everything that is not set-up: the front page, health, the page for publishers, assets, the route table.

use crate::site::{NOW, Site};
use axum::http::{Method, StatusCode};
use serve::{Access, ROUTES};

#[tokio::test]
async fn the_router_and_the_table_agree() {
    let site = Site::new().await;
    for route in ROUTES {
        let answer = site.ask(route.method.clone(), route.path, &[], "").await;
        assert!(
            answer.status != StatusCode::NOT_FOUND && answer.status != StatusCode::METHOD_NOT_ALLOWED,
            "{} {}: {}",
            route.method,
            route.path,
            answer.status
        );
        match route.access {
            Access::Public => assert_eq!(answer.status, StatusCode::OK, "{}", route.path),
            Access::SetupToken => assert_ne!(answer.status, StatusCode::OK, "{}", route.path),
        }
        let listed =
            |method: &Method| ROUTES.iter().any(|other| other.path == route.path && other.method == *method);
        for method in [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS]
        {
            if !listed(&method) {
                let answer = site.ask(method.clone(), route.path, &[], "").await;
                assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED, "{method} {}", route.path);
                assert!(!answer.header("allow").is_empty(), "{method} {}", route.path);
            }
        }
    }
}

#[tokio::test]
async fn head_is_get_without_a_body() {
    let site = Site::new().await;
    let paths = ROUTES.iter().filter(|route| route.method == Method::GET).map(|route| route.path);
    for path in paths.chain(["/no/such/page"]) {
        let (get, head) = (site.get(path).await, site.ask(Method::HEAD, path, &[], "").await);
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
    site.store.add_user("mira", None, false, NOW).await.unwrap();
    assert!(site.get("/").await.body.contains("has no account yet"), "a reader is no admin");
    site.store.add_user("root", None, true, NOW).await.unwrap();
    let after = site.get("/").await;
    assert!(
        after.body.contains("1.2.3") && after.body.contains("Waiting for a first feed."),
        "{}",
        after.body
    );
    assert!(!after.body.contains("mira"), "a public page names nobody");
}

#[tokio::test]
async fn the_front_page_says_when_fetching_is_stopped() {
    let site = Site::new().await;
    site.set_up("mira").await;
    site.store.set_halted(true).await.unwrap();
    assert!(site.get("/").await.body.contains("Stopped by the operator"));
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
async fn the_stylesheet_is_kept_by_browsers_until_it_changes() {
    let site = Site::new().await;
    let page = site.get("/").await;
    let link =
        page.body.split('"').find(|part| part.starts_with("/assets/wellread.css?v=")).unwrap().to_owned();
    let versioned = site.get(&link).await;
    assert_eq!(versioned.header("content-type"), "text/css; charset=utf-8");
    assert!(versioned.header("cache-control").contains("immutable"));
    assert!(versioned.body.len() < 25 << 10, "the stylesheet stays small");

    let plain = site.get("/assets/wellread.css?v=old").await;
    assert_eq!(plain.header("cache-control"), "no-cache");
    let tag = format!("\"other\", W/{}", plain.header("etag"));
    let again = site.ask(Method::GET, "/assets/wellread.css", &[("if-none-match", &tag)], "").await;
    assert_eq!((again.status, again.body.as_str()), (StatusCode::NOT_MODIFIED, ""));
    assert_eq!(again.header("etag"), plain.header("etag"));
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
    pages.push(site.post("/reader/setup", &site.entered("mira", "a long password", "a long password")).await);
    assert_eq!(site.names().await, ["mira"]);
    for page in &pages {
        let links = page.body.split(['"']).skip(1).step_by(2).filter(|value| value.starts_with('/'));
        let links: Vec<&str> = links.collect();
        assert!(links.len() >= 3, "{}", page.body);
        assert!(links.iter().all(|link| link.starts_with("/reader/")), "{links:?}");
    }
    assert_eq!(site.get("/setup").await.status, StatusCode::NOT_FOUND);
}
