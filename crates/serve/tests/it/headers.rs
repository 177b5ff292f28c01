//! What every answer carries, whatever it answers.

use crate::site::{Answer, NOW, Site};
use axum::http::{Method, StatusCode};
use serve::ROUTES;

fn check(answer: &Answer, of: &str) {
    let policy = answer.header("content-security-policy");
    for part in ["default-src 'none'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"] {
        assert!(policy.contains(part), "{of}: {policy}");
    }
    assert!(!policy.contains("unsafe"), "{of}: {policy}");
    assert_eq!(answer.header("x-content-type-options"), "nosniff", "{of}");
    assert_eq!(answer.header("cross-origin-opener-policy"), "same-origin", "{of}");
    assert!(["no-referrer", "same-origin"].contains(&answer.header("referrer-policy")), "{of}");
    assert!(answer.header("permissions-policy").contains("camera=()"), "{of}");
    assert!(!answer.header("cache-control").is_empty(), "{of}");
    assert_eq!(answer.header("x-request-id").len(), 16, "{of}");
}

#[tokio::test]
async fn x12_every_route_and_every_error_carries_the_headers() {
    let site = Site::new().await;
    for route in ROUTES {
        let of = format!("{} {}", route.method, route.path);
        check(&site.ask(route.method.clone(), &route.path.replace("{id}", "1"), &[], "").await, &of);
    }
    let refused = [
        (Method::GET, "/no/such/page", "", StatusCode::NOT_FOUND),
        (Method::DELETE, "/", "", StatusCode::METHOD_NOT_ALLOWED),
        (Method::GET, "/setup?token=wrong", "", StatusCode::FORBIDDEN),
        (Method::POST, "/setup", "token=wrong", StatusCode::FORBIDDEN),
        (Method::POST, "/setup", "name=a&name=b", StatusCode::UNPROCESSABLE_ENTITY),
        (Method::POST, "/no/such/page", "a=b", StatusCode::NOT_FOUND),
    ];
    for (method, path, body, status) in refused {
        let answer = site.ask(method.clone(), path, &[], body).await;
        assert_eq!(answer.status, status, "{method} {path}");
        assert!(answer.body.contains("<h1>"), "{method} {path} has a sentence: {}", answer.body);
        check(&answer, path);
    }
    let large = site.ask(Method::POST, "/setup", &[], &"x".repeat(serve::BODY_BYTES_MAX + 1)).await;
    assert_eq!(large.status, StatusCode::PAYLOAD_TOO_LARGE);
    check(&large, "a body that is too large");
}

#[tokio::test]
async fn x12_a_page_whose_store_is_gone_carries_the_headers_too() {
    let site = Site::new().await;
    site.store.close().await;
    for path in ["/", "/setup"] {
        let answer = site.get(path).await;
        assert!(answer.status.is_server_error(), "{path}: {}", answer.status);
        assert!(
            answer.body.contains(answer.header("x-request-id")),
            "the number leads to the log: {}",
            answer.body
        );
        check(&answer, path);
    }
}

#[tokio::test]
async fn a_number_sent_by_a_client_is_not_used() {
    let site = Site::new().await;
    let answer = site.ask(Method::GET, "/", &[("x-request-id", "0000000000000000")], "").await;
    assert_ne!(answer.header("x-request-id"), "0000000000000000");
}

#[tokio::test]
async fn a8_no_page_sends_a_reader_elsewhere() {
    for is_set_up in [false, true] {
        let site = Site::new().await;
        if is_set_up {
            site.store.add_user("root", None, true, NOW).await.unwrap();
        }
        for next in ["//evil", "/%5Cevil", "/%09/evil", "https:evil", "javascript:alert(1)"] {
            for route in ROUTES {
                let path = format!("{}?next={next}&return={next}", route.path.replace("{id}", "1"));
                let answer = site.ask(route.method.clone(), &path, &[], "").await;
                let location = answer.header("location");
                let stays = location.is_empty() || location == "/" || location.starts_with("/login");
                assert!(stays, "{path}: {location}");
                assert!(!answer.headers.contains_key("refresh"), "{path}");
            }
        }
        for path in ["//evil", "/%5Cevil", "/%09/evil"] {
            assert_eq!(site.get(path).await.status, StatusCode::NOT_FOUND, "{path}");
        }
    }
}
