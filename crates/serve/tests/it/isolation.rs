//! Nobody sees or changes what belongs to somebody else (A5), over the whole route table.

use crate::site::{Site, posted};
use axum::http::{Method, StatusCode};
use serve::{Access, ROUTES};

/// For every route with a number in it: how to fill it with somebody else's object, and the form to send with it.
/// A route that is missing here fails the test, so that nobody adds one without thinking about whose it is.
fn foreign(path: &str) -> Option<(&'static str, &'static str)> {
    Some(match path {
        "/folder/{id}" => ("folder", ""),
        "/feed/{id}" | "/icon/{id}" => ("feed", ""),
        "/part/item/{id}" | "/item/{id}/why" => ("item", ""),
        "/item/{id}/full-text" => ("item", "back=/unread"),
        "/item/{id}/position" => ("item", "enclosure=0&seconds=3"),
        _ => return crate::foreign::more(path),
    })
}

#[tokio::test]
async fn a5_somebody_elses_id_answers_like_one_that_never_was() {
    let site = Site::new().await;
    let (mira, eve) = (site.person("mira").await, site.person("eve").await);
    let feed = site.feed(&[&mira], "Mira's feed", &[posted("Secret title", "<p>Secret text</p>")]).await;
    let item = mira.items(feed).await[0];
    let folder = site.store.add_folder(mira.user, None, "Mira's folder").await.unwrap();
    let others = crate::foreign::make(&site, &mira, feed).await;
    for route in ROUTES.iter().filter(|route| route.path.contains("{id}")) {
        let Some((kind, form)) = foreign(route.path) else {
            panic!("{} {} has no entry in the isolation test", route.method, route.path);
        };
        let id = match kind {
            "folder" => folder.0,
            "feed" => feed.0,
            "item" => item.0,
            other => others.iter().find(|(name, _)| *name == other).unwrap_or_else(|| panic!("{other}")).1,
        };
        let ask = async |id: i64| {
            let path = route.path.replace("{id}", &id.to_string());
            let answer =
                if *route.method == Method::GET { eve.get(&path).await } else { eve.post(&path, form).await };
            (
                answer.status,
                answer.header("location").replace(&path, "PATH"),
                answer.body.replace(&path, "PATH"),
            )
        };
        let (theirs, never) = (ask(id).await, ask(999_999_999).await);
        assert_eq!(theirs, never, "{} {}", route.method, route.path);
        assert!(!theirs.2.contains("Secret") && !theirs.2.contains("Mira"), "{}: {}", route.path, theirs.2);
        if route.access == Access::User {
            assert_eq!(theirs.0, StatusCode::NOT_FOUND, "{} {}", route.method, route.path);
        }
    }
}

#[tokio::test]
async fn a5_lists_of_ids_pass_over_what_is_not_yours() {
    let site = Site::new().await;
    let (mira, eve) = (site.person("mira").await, site.person("eve").await);
    let feed = site.feed(&[&mira], "Mira's feed", &[posted("One", ""), posted("Two", "")]).await;
    let own = site.feed(&[&eve], "Eve's feed", &[posted("Three", "")]).await;
    let (theirs, mine) = (mira.items(feed).await, eve.items(own).await[0]);
    let all = format!("{},{},{mine}", theirs[0], theirs[1]);
    for verb in ["read", "star", "hide"] {
        let answer = eve.send("/mark", &format!("mark={verb}:{all}")).await;
        assert_eq!(answer.json()["changed"], serde_json::json!([mine]), "{verb}");
    }
    assert_eq!(site.store.counts(mira.user).await.unwrap().total, 2);
    assert_eq!(site.store.starred_count(mira.user).await.unwrap(), 0);
    let seen =
        format!(r#"{{"place":"newest","events":[{{"item":{},"kind":"open","dwell_ms":5}}]}}"#, theirs[0]);
    assert_eq!(eve.send_json("/seen", &seen).await.status, StatusCode::NO_CONTENT);
    // An undo token of somebody else takes nothing back.
    let marked = mira.send("/mark-all", "place=newest&up_to=9000000000000000-999999").await.json();
    assert_eq!(marked["count"], 2);
    eve.send("/undo", &format!("token={}", marked["undo"])).await;
    assert_eq!(site.store.counts(mira.user).await.unwrap().total, 0);
}

#[tokio::test]
async fn every_route_needs_a_user_unless_it_is_listed_as_public() {
    let public = [
        "/",
        "/login",
        "/about-fetcher",
        "/healthz",
        "/readyz",
        "/robots.txt",
        "/favicon.svg",
        "/assets/{version}/{*name}",
        "/manifest.webmanifest",
        "/sw.js",
        "/join",
        "/shared/{secret}",
    ];
    let site = Site::new().await;
    site.admin("root").await;
    let reader = site.person("mira").await;
    for route in ROUTES {
        let path = route.path.replace("{id}", "1").replace("{tag}", "x").replace("{class}", "image");
        let path = path.replace("{version}", "v").replace("{*name}", "wellread.css");
        let path = path.replace("{signature}", "s").replace("{address}", "a");
        let answer = site.ask(route.method.clone(), &path, &[("sec-fetch-site", "same-origin")], "").await;
        let of = format!("{} {}: {}", route.method, route.path, answer.status);
        match route.access {
            Access::Public => assert!(public.contains(&route.path), "{of} is public but not in the list"),
            Access::SetupToken => assert_eq!(route.path, "/setup"),
            Access::User | Access::Admin if *route.method == Method::GET => {
                assert!(answer.header("location").starts_with("/login"), "{of}");
            }
            Access::User | Access::Admin | Access::AdminToken | Access::Api => {
                assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{of}");
            }
        }
        if route.access == Access::Admin {
            let answer = if *route.method == Method::GET {
                reader.get(&path).await
            } else {
                reader.post(&path, "").await
            };
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{of}");
        }
    }
}
