//! `/api/channels` as scripts meet it: docs/api.md is the contract.

use crate::learned::{About, learn};
use crate::site::{Answer, Site};
use axum::http::{Method, StatusCode};
use sha2::{Digest, Sha256};

async fn token(site: &Site, user: domain::UserId, text: &str) -> String {
    let hash: [u8; 32] = Sha256::digest(text.as_bytes()).into();
    site.store.add_token(user, "script", hash, site.now()).await.unwrap();
    format!("Bearer {text}")
}

/// As curl asks: any kind of answer will do.
async fn get(site: &Site, token: &str, path: &str) -> Answer {
    site.ask(Method::GET, path, &[("authorization", token), ("accept", "*/*")], "").await
}

async fn post(site: &Site, token: &str, kind: &str, body: &str) -> Answer {
    let headers = [("authorization", token), ("accept", "*/*"), ("content-type", kind)];
    site.ask(Method::POST, "/api/channels", &headers, body).await
}

#[tokio::test]
async fn scripts_get_ranked_channels_with_score_profile_cohesion_and_rate() {
    let site = Site::new().await;
    let (mira, eve) = (site.person("mira").await, site.person("eve").await);
    let harbour = site.feed(&[&mira], "Harbour Ledger", &[]).await;
    let bees = site.feed(&[&eve], "Hive Notes", &[]).await;
    learn(&site, &[About { feed: harbour, topics: &[("tide barrier", 45)] }]).await;
    learn(&site, &[About { feed: bees, topics: &[("beekeeping", 45)] }]).await;
    let token = token(&site, eve.user, "t0ken").await;
    let answer = get(&site, &token, "/api/channels?q=tide%20barrier").await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    assert_eq!(answer.header("content-type"), "application/json");
    let json = answer.json();
    let first = &json["channels"][0];
    assert_eq!((&first["title"], &first["feed"]), (&"Harbour Ledger".into(), &harbour.0.into()));
    assert_eq!(first["subscribed"], false);
    assert!(first["score"].as_f64().unwrap() > 0.1 && first["change"].as_f64().unwrap() <= 1.0);
    assert!(first["cohesion"].as_f64().unwrap() > 0.5, "{first}");
    assert!(
        first["why"].as_array().unwrap().iter().any(|term| term.as_str().unwrap().contains("tide")),
        "{first}"
    );
    let profile = first["profile"].as_array().unwrap();
    assert!(profile.iter().any(|term| term["term"] == "tide barrier" && term["kind"] == "phrase"), "{first}");
    assert!(first["url"].as_str().unwrap().starts_with("https://f"));

    let text = "People who know beekeeping say that the honey and the hives were never so good as they are in this year.";
    for (kind, body) in [
        ("text/plain; charset=utf-8", text.to_owned()),
        ("application/x-www-form-urlencoded", format!("text={}", crate::site::encoded(text))),
    ] {
        let answer = post(&site, &token, kind, &body).await;
        assert_eq!(answer.json()["channels"][0]["title"], "Hive Notes", "{kind}: {}", answer.body);
        assert_eq!(answer.json()["channels"][0]["subscribed"], true);
    }
    let url = site.store.feed(harbour).await.unwrap().unwrap().url;
    let opml = format!("<opml><body><outline xmlUrl=\"{url}\"/></body></opml>");
    let answer = post(&site, &token, "text/x-opml", &opml).await;
    assert_eq!(answer.json()["note"], "1 of the 1 feeds in the file are known here.", "{}", answer.body);
    let like = get(&site, &token, &format!("/api/channels?like={bees}&limit=1")).await.json();
    assert!(like["channels"].as_array().unwrap().len() <= 1);
    // The session of a browser does as well as a token.
    assert_eq!(mira.get("/api/channels?by=reading").await.status, StatusCode::OK);
}

#[tokio::test]
async fn a9_only_a_right_token_opens_and_every_error_is_a_sentence_in_json() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let right = token(&site, mira.user, "right").await;
    let feed = site.feed(&[&mira], "Harbour Ledger", &[]).await;
    learn(&site, &[About { feed, topics: &[("tide barrier", 45)] }]).await;
    for wrong in ["Bearer wrong", "Bearer ", "right", "Basic cmlnaHQ="] {
        let headers = [("authorization", wrong), ("cookie", mira.cookie.as_str()), ("accept", "*/*")];
        let answer = site.ask(Method::GET, "/api/channels?q=tide", &headers, "").await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{wrong}");
        assert!(
            answer.json()["error"].as_str().unwrap().contains("Tokens are made in the settings"),
            "{}",
            answer.body
        );
    }
    assert_eq!(site.get("/api/channels?q=tide").await.status, StatusCode::UNAUTHORIZED);
    for (path, sentence) in [
        ("/api/channels", "Say what to look for"),
        ("/api/channels?by=magic", "Say what to look for"),
        ("/api/channels?q=a&like=1", "one thing at a time"),
        ("/api/channels?q=the", "say nothing"),
        ("/api/channels?q=", "say nothing"),
        ("/api/channels?like=x", "no such channel"),
        ("/api/channels?like=999", "no such channel"),
        ("/api/channels?q=tide&limit=0", "from 1 to 100"),
        ("/api/channels?q=tide&limit=101", "from 1 to 100"),
        ("/api/channels?q=tide&limit=x", "from 1 to 100"),
    ] {
        let answer = get(&site, &right, path).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{path}: {}", answer.body);
        assert!(answer.json()["error"].as_str().unwrap().contains(sentence), "{path}: {}", answer.body);
    }
    for (kind, body, status) in [
        ("text/plain", String::new(), StatusCode::UNPROCESSABLE_ENTITY),
        ("text/plain", "\u{0}\u{1}\u{2}".repeat(1_000), StatusCode::UNPROCESSABLE_ENTITY),
        ("text/plain", "tide barrier ".repeat(80_000), StatusCode::OK),
        ("text/plain", "x".repeat((1 << 20) + 1), StatusCode::PAYLOAD_TOO_LARGE),
        ("text/x-opml", "<html>".to_owned(), StatusCode::UNPROCESSABLE_ENTITY),
        ("application/pdf", "x".to_owned(), StatusCode::UNPROCESSABLE_ENTITY),
        ("", "x".to_owned(), StatusCode::UNPROCESSABLE_ENTITY),
    ] {
        let answer = post(&site, &right, kind, &body).await;
        assert_eq!(answer.status, status, "{kind} of {} bytes: {}", body.len(), answer.body);
        if status != StatusCode::OK {
            assert!(
                answer.json()["error"].as_str().is_some_and(|text| text.ends_with('.')),
                "{}",
                answer.body
            );
        }
    }
    assert_eq!(
        get(&site, &right, "/api/nothing").await.json()["error"].as_str().map(|text| text.ends_with('.')),
        Some(true)
    );
}
