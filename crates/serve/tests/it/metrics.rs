//! `/metrics`: numbers for machines that hold an administrator's token.

use crate::site::{Site, posted};
use axum::http::{Method, StatusCode};
use domain::UserId;
use sha2::{Digest, Sha256};

async fn token(site: &Site, user: UserId, text: &str) {
    site.store.add_token(user, "test", Sha256::digest(text.as_bytes()).into(), site.now()).await.unwrap();
}

#[tokio::test]
async fn a9_metrics_need_an_administrators_token() {
    let site = Site::new().await;
    let (root, mira) = (site.admin("root").await, site.person("mira").await);
    token(&site, root.user, "root-token").await;
    token(&site, mira.user, "mira-token").await;
    let ask = async |headers: &[(&str, &str)]| site.ask(Method::GET, "/metrics", headers, "").await;
    let forged = ("x-forwarded-for", "127.0.0.1");
    for headers in [
        vec![],
        vec![forged],
        vec![("cookie", root.cookie.as_str())],
        vec![("authorization", "Bearer mira-token"), forged],
        vec![("authorization", "Bearer wrong")],
        vec![("authorization", "Basic root-token")],
    ] {
        let answer = ask(&headers).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{headers:?}");
        assert!(!answer.body.contains("wellread_users"));
    }
    let used = async || site.store.tokens(root.user).await.unwrap()[0].last_used_at;
    assert_eq!(used().await, None);
    assert_eq!(ask(&[("authorization", "Bearer root-token")]).await.status, StatusCode::OK);
    assert_eq!(used().await, Some(site.now()));
}

#[tokio::test]
async fn metrics_count_what_was_answered_and_what_is_kept() {
    let site = Site::new().await;
    let root = site.admin("root").await;
    token(&site, root.user, "root-token").await;
    site.feed(&[&root], "F", &[posted("One", ""), posted("Two", "")]).await;
    root.get("/unread").await;
    root.get("/no/such/page").await;
    root.post("/settings/comfort", "theme=dark").await;
    let answer = site.ask(Method::GET, "/metrics", &[("authorization", "Bearer root-token")], "").await;
    assert!(answer.header("content-type").starts_with("text/plain; version=0.0.4"));
    for line in [
        "wellread_users 1",
        "wellread_feeds 1",
        "wellread_items 2",
        "wellread_polls_day 1",
        "wellread_halted 0",
        "wellread_build_info{version=\"1.2.3\"} 1",
        "wellread_requests_total{class=\"list\",status=\"2xx\"} 1",
        "wellread_requests_total{class=\"change\",status=\"3xx\"} 1",
        "wellread_requests_total{class=\"other\",status=\"4xx\"} 1",
        "wellread_request_seconds_count{class=\"list\"} 1",
    ] {
        assert!(answer.body.lines().any(|have| have == line), "{line}\n{}", answer.body);
    }
    // Every line is a comment or a name, perhaps labels, and a number.
    for line in answer.body.lines().filter(|line| !line.starts_with('#')) {
        let (_, value) = line.rsplit_once(' ').unwrap();
        assert!(value.parse::<f64>().is_ok(), "{line}");
    }
}
