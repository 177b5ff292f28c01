//! `/setup`: one admin, made once, by whoever reads the terminal.

use crate::log::logged;
use crate::site::{NOW, PASSWORD, Site, encoded};
use axum::http::{Method, StatusCode};
use domain::Secret;
use std::sync::Arc;

#[tokio::test]
async fn the_link_from_the_terminal_leads_to_a_form_that_makes_the_admin() {
    let site = Site::new().await;
    let form = site.get(&format!("/setup?token={}", site.token)).await;
    assert_eq!(form.status, StatusCode::OK);
    assert!(form.body.contains("action=\"/setup\"") && form.body.contains(&site.token), "{}", form.body);
    for hint in ["autocomplete=\"username\"", "autocomplete=\"new-password\"", "<label for=\"again\">"] {
        assert!(form.body.contains(hint), "{hint}");
    }

    let made = site.set_up(" mira ").await;
    assert_eq!((made.status, made.header("location")), (StatusCode::SEE_OTHER, "/welcome"), "{}", made.body);
    assert!(made.header("set-cookie").starts_with("wellread-session="), "the person is signed in at once");

    let mira = site.store.user_by_name("mira").await.unwrap().unwrap();
    assert!(mira.is_admin);
    assert_eq!(mira.created_at, NOW);
    let hash = site.store.password_hash(mira.id).await.unwrap().unwrap();
    assert!(serve::password::verify(&Secret::new(PASSWORD), &hash));
}

#[tokio::test]
async fn o12_a_second_set_up_makes_nobody() {
    let site = Site::new().await;
    site.set_up("mira").await;
    let form = site.get(&format!("/setup?token={}", site.token)).await;
    let again = site.set_up("eve").await;
    for answer in [form, again] {
        assert_eq!(answer.status, StatusCode::NOT_FOUND);
        assert!(answer.body.contains("already set up"), "{}", answer.body);
    }
    assert_eq!(site.names().await, ["mira"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn o12_forms_sent_at_the_same_moment_make_one_admin() {
    let site = Arc::new(Site::new().await);
    let mut racers = Vec::new();
    for number in 0..6 {
        let site = site.clone();
        racers.push(tokio::spawn(async move { site.set_up(&format!("reader{number}")).await.status }));
    }
    let mut statuses = Vec::new();
    for racer in racers {
        statuses.push(racer.await.unwrap());
    }
    assert_eq!(statuses.iter().filter(|status| **status == StatusCode::SEE_OTHER).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == StatusCode::NOT_FOUND).count(), 5, "{statuses:?}");
    assert_eq!(site.names().await.len(), 1);
}

#[tokio::test]
async fn o12_without_the_token_there_is_no_form_and_no_account() {
    let site = Site::new().await;
    let wrong = "0".repeat(site.token.len());
    for path in ["/setup".to_owned(), "/setup?token=".to_owned(), format!("/setup?token={wrong}")] {
        let answer = site.get(&path).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path}");
        assert!(
            answer.body.contains("in the terminal") && answer.body.contains("<code>wellread serve</code>"),
            "{}",
            answer.body
        );
        assert!(!answer.body.contains("<form"), "{}", answer.body);
    }
    for token in ["", &wrong] {
        let form = format!("token={token}&name=eve&password={0}&again={0}", encoded(PASSWORD));
        assert_eq!(site.post("/setup", &form).await.status, StatusCode::FORBIDDEN);
    }
    assert!(site.names().await.is_empty());
}

#[tokio::test]
async fn o12_an_admin_made_in_the_terminal_closes_set_up_too() {
    let site = Site::new().await;
    site.store.add_user("root", Some("$argon2id$x"), true, NOW).await.unwrap();
    assert_eq!(site.set_up("eve").await.status, StatusCode::NOT_FOUND);
    assert_eq!(site.names().await, ["root"]);
}

#[tokio::test]
async fn a_refused_form_says_why_beside_the_field_and_keeps_the_name() {
    let site = Site::new().await;
    let check = async |name: &str, password: &str, again: &str, sentences: &[&str]| {
        let answer = site.post("/setup", &site.entered(name, password, again)).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{name:?}");
        for sentence in sentences {
            assert!(answer.body.contains(sentence), "{name:?}: {sentence}\n{}", answer.body);
        }
        assert!(!answer.body.contains(PASSWORD), "a password is never sent back");
        answer
    };
    check("  ", PASSWORD, PASSWORD, &["Choose a name."]).await;
    check(&"x".repeat(65), PASSWORD, PASSWORD, &["at most 64 characters"]).await;
    check("a\u{202e}b", PASSWORD, PASSWORD, &["cannot be seen"]).await;
    check("mira", "short", "short", &["at least 10 characters", "One field needs a change"]).await;
    let kept = check("mira", PASSWORD, "another one entirely", &["The two passwords differ"]).await;
    assert!(kept.body.contains("value=\"mira\""), "{}", kept.body);
    check("", "short", "", &["Choose a name.", "too short", "2 fields need a change"]).await;
    assert!(site.names().await.is_empty());
}

#[tokio::test]
async fn a_name_taken_by_a_reader_is_refused_beside_the_field() {
    let site = Site::new().await;
    site.store.add_user("mira", None, false, NOW).await.unwrap();
    let answer = site.set_up("mira").await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(answer.body.contains("already is an account with this name"), "{}", answer.body);
    assert_eq!(
        site.set_up("nora").await.status,
        StatusCode::SEE_OTHER,
        "set-up is still open for another name"
    );
}

#[tokio::test]
async fn x2_a_script_in_the_name_is_shown_as_text() {
    let hostile = "<img src=x onerror=alert(1)>\"'&";
    let site = Site::new().await;
    let refused = site.post("/setup", &site.entered(hostile, "short", "short")).await;
    assert!(
        refused.body.contains("value=\"&#60;img src=x onerror=alert(1)&#62;&#34;&#39;&#38;\""),
        "{}",
        refused.body
    );
    let made = site.set_up(hostile).await;
    assert_eq!(made.status, StatusCode::SEE_OTHER);
    for body in [refused.body, made.body] {
        assert!(!body.contains("<img"), "{body}");
    }
    let token = site.get("/setup?token=%22%3E%3Cscript%3E").await;
    assert!(!token.body.contains("<script>"), "{}", token.body);
}

#[tokio::test]
async fn a1_a_form_from_another_site_changes_nothing() {
    let site = Site::new().await;
    let form = site.entered("eve", PASSWORD, PASSWORD);
    let strangers: [&[(&str, &str)]; 5] = [
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "same-site")],
        &[("sec-fetch-site", "cross-site"), ("origin", "https://reader.example")],
        &[("origin", "https://evil.example")],
        &[("origin", "null")],
    ];
    for headers in strangers {
        let answer = site.ask(Method::POST, "/setup", headers, &form).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{headers:?}");
        assert!(answer.body.contains("came from another site"), "{}", answer.body);
    }
    assert!(site.names().await.is_empty());

    let own = site.ask(Method::POST, "/setup", &[("origin", "http://reader.example")], &form).await;
    assert_eq!(
        own.status,
        StatusCode::SEE_OTHER,
        "our own form on plain HTTP, where there is no Sec-Fetch-Site"
    );
}

#[tokio::test]
async fn a1_the_form_lets_browsers_name_their_origin_to_us() {
    let site = Site::new().await;
    let form = site.get(&format!("/setup?token={}", site.token)).await;
    assert_eq!(form.header("referrer-policy"), "same-origin");
}

#[tokio::test]
async fn a1_getting_any_route_changes_nothing() {
    let site = Site::new().await;
    let query = site.entered("eve", PASSWORD, PASSWORD);
    for route in serve::ROUTES {
        for method in [Method::GET, Method::HEAD] {
            site.ask(method, &format!("{}?{query}", route.path), &[("sec-fetch-site", "cross-site")], "")
                .await;
        }
    }
    assert!(site.names().await.is_empty());
    assert!(!site.store.first_admin_exists().await.unwrap());
}

#[tokio::test]
async fn a4_a_password_of_ten_megabytes_is_refused_before_it_is_read() {
    let site = Site::new().await;
    let form = site.entered("mira", "x", "x") + &"x".repeat(10 << 20);
    let answer = site.post("/setup", &form).await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(answer.body.contains("larger than this page accepts"), "{}", answer.body);

    let long = "x".repeat(1025);
    let answer = site.post("/setup", &site.entered("mira", &long, &long)).await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(answer.body.contains("at most 1,024 bytes"), "{}", answer.body);
    assert!(site.names().await.is_empty());
}

#[tokio::test]
async fn a_body_that_is_no_form_is_refused_with_a_sentence() {
    let site = Site::new().await;
    for (kind, body) in [("application/json", "{}"), ("application/x-www-form-urlencoded", "name=a&name=b")] {
        let answer = site.ask(Method::POST, "/setup", &[("content-type", kind)], body).await;
        assert!(answer.status.is_client_error(), "{kind}");
        assert!(answer.body.contains("<h1>"), "{}", answer.body);
    }
}

#[tokio::test]
async fn o4_the_log_holds_no_token_no_password_and_no_line_of_a_stranger() {
    let site = Site::new().await;
    site.get(&format!("/setup?token={}", site.token)).await;
    site.post("/setup", &site.entered("x\n2026 ERROR admin logged in", PASSWORD, PASSWORD)).await;
    site.get("/x%0A2026%20ERROR%20admin%20logged%20in").await;
    site.set_up("mira").await;

    let text = logged();
    assert!(text.contains("answered a request") && text.contains("set-up is closed"), "{text}");
    assert!(!text.contains(&site.token) && !text.contains(PASSWORD), "{text}");
    assert!(!text.lines().any(|line| line.starts_with("2026 ERROR admin")), "{text}");
}
