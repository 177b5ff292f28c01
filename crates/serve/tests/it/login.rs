//! Signing in and out, and what a session is worth.

use crate::site::{Made, PASSWORD, Site, encoded, secret};
use axum::http::{Method, StatusCode};

async fn with_mira() -> Site {
    let site = Site::new().await;
    let hash = serve::password::hash(&secret(PASSWORD)).unwrap();
    site.store.add_user("mira", Some(&hash), true, site.now()).await.unwrap();
    site
}

fn form(name: &str, password: &str, next: &str) -> String {
    format!(
        "name={}&password={}&next={}&zone=Europe%2FBerlin",
        encoded(name),
        encoded(password),
        encoded(next)
    )
}

fn cookie_of(answer: &crate::site::Answer) -> String {
    answer.header("set-cookie").split(';').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_page_leads_to_the_login_and_from_there_back() {
    let site = with_mira().await;
    let turned = site.get("/feed/7?item=3").await;
    assert_eq!(
        (turned.status, turned.header("location")),
        (StatusCode::SEE_OTHER, "/login?next=%2Ffeed%2F7%3Fitem%3D3")
    );
    let answer = site.post("/login", &form("mira", PASSWORD, "/feed/7?item=3")).await;
    assert_eq!((answer.status, answer.header("location")), (StatusCode::SEE_OTHER, "/feed/7?item=3"));
    let cookie = answer.header("set-cookie");
    for part in ["HttpOnly", "SameSite=Lax", "Path=/;", "Max-Age="] {
        assert!(cookie.contains(part), "{part}: {cookie}");
    }
    assert!(!cookie.contains("Secure"), "plain HTTP on loopback");
    let page = site.ask(Method::GET, "/unread", &[("cookie", &cookie_of(&answer))], "").await;
    assert_eq!(page.status, StatusCode::OK);
    let account = site.store.user_by_name("mira").await.unwrap().unwrap();
    let zone = site.store.account(account.id).await.unwrap().unwrap().preferences.time_zone;
    assert_eq!(zone.as_deref(), Some("Europe/Berlin"), "the browser's zone is the first setting");
}

#[tokio::test]
async fn a2_a_login_makes_a_new_session_and_the_old_one_dies() {
    let site = with_mira().await;
    let first = site.post("/login", &form("mira", PASSWORD, "")).await;
    let old = cookie_of(&first);
    let headers = [("cookie", old.as_str()), ("sec-fetch-site", "same-origin")];
    let second = site.ask(Method::POST, "/login", &headers, &form("mira", PASSWORD, "")).await;
    let new = cookie_of(&second);
    assert_ne!(old, new);
    let status =
        async |cookie: &str| site.ask(Method::GET, "/unread", &[("cookie", cookie)], "").await.status;
    assert_eq!(status(&old).await, StatusCode::SEE_OTHER);
    assert_eq!(status(&new).await, StatusCode::OK);
    // A cookie somebody planted is not adopted.
    let planted = [("cookie", "wellread-session=planted"), ("sec-fetch-site", "same-origin")];
    let third = site.ask(Method::POST, "/login", &planted, &form("mira", PASSWORD, "")).await;
    assert_ne!(cookie_of(&third), "wellread-session=planted");
    assert_eq!(status("wellread-session=planted").await, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn a2_signing_out_and_disabling_end_a_session_and_time_does_too() {
    let site = with_mira().await;
    let mira = site.store.user_by_name("mira").await.unwrap().unwrap();
    let person = site.signed_in(mira.id).await;
    assert_eq!(person.get("/unread").await.status, StatusCode::OK);
    let left = person.post("/logout", "").await;
    assert_eq!(left.header("location"), "/login");
    assert!(left.header("clear-site-data").contains("storage"), "nothing stays in the browser");
    assert_eq!(person.get("/unread").await.status, StatusCode::SEE_OTHER);

    let person = site.person("tobias").await;
    site.store.set_disabled(person.user, true).await.unwrap();
    assert_eq!(person.get("/unread").await.status, StatusCode::SEE_OTHER);

    let person = site.person("nora").await;
    site.wait(400 * 86_400);
    assert_eq!(person.get("/unread").await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn a2_the_cookie_is_secure_whenever_https_is_used_or_declared() {
    let made = [
        (Made { secure: true, ..Made::default() }, true),
        (Made { proxies: &["127.0.0.1"], ..Made::default() }, false),
    ];
    for (made, expected) in made {
        let site = Site::made(made).await;
        let headers = [("x-forwarded-proto", "https"), ("sec-fetch-site", "same-origin")];
        let form = site.entered("mira", PASSWORD, PASSWORD);
        let answer = site.ask(Method::POST, "/setup", &headers, &form).await;
        // Without a socket there is no peer, so no proxy is believed.
        assert_eq!(answer.header("set-cookie").contains("Secure"), expected);
    }
}

#[tokio::test]
async fn a3_wrong_passwords_cost_growing_waits_and_unknown_names_look_the_same() {
    let site = with_mira().await;
    let wrong = site.post("/login", &form("mira", "wrong password", "")).await;
    let unknown = site.post("/login", &form("nobody", "wrong password", "")).await;
    assert_eq!((wrong.status, unknown.status), (StatusCode::UNAUTHORIZED, StatusCode::UNAUTHORIZED));
    assert_eq!(wrong.body.replace("mira", "X"), unknown.body.replace("nobody", "X"));
    for _ in 0..4 {
        site.post("/login", &form("mira", "wrong password", "")).await;
    }
    let waiting = site.post("/login", &form("mira", PASSWORD, "")).await;
    assert_eq!(waiting.status, StatusCode::TOO_MANY_REQUESTS, "even the right password waits");
    assert_eq!(waiting.header("retry-after"), "1");
    site.wait(2);
    assert_eq!(site.post("/login", &form("mira", PASSWORD, "")).await.status, StatusCode::SEE_OTHER);
    // A thousand tries would take days; the address waits as well, whatever names it tries.
    for number in 0..30 {
        site.post("/login", &form(&format!("name{number}"), "wrong password", "")).await;
    }
    let other = site.post("/login", &form("mira", PASSWORD, "")).await;
    assert_eq!(other.status, StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn a8_the_login_leads_to_our_own_pages_only() {
    let site = with_mira().await;
    for evil in ["//evil.test", "/\\evil.test", "https://evil.test", "javascript:alert(1)", "/\t/evil.test"] {
        let answer = site.post("/login", &form("mira", PASSWORD, evil)).await;
        let location = answer.header("location");
        assert!(location.starts_with('/') && !location.starts_with("//"), "{evil:?} leads to {location}");
        assert!(
            !location.contains('\\') && !location.contains("javascript:"),
            "{evil:?} leads to {location}"
        );
    }
}

#[tokio::test]
async fn x2_a_name_and_a_target_in_the_login_form_are_text() {
    let site = with_mira().await;
    let hostile = "\"><img src=x onerror=alert(1)>";
    let answer = site.post("/login", &form(hostile, "wrong password", hostile)).await;
    assert!(!answer.body.contains("<img"), "{}", answer.body);
    let page = site.get(&format!("/login?next={}", encoded(hostile))).await;
    assert!(!page.body.contains("<img"), "{}", page.body);
}

#[tokio::test]
async fn the_login_speaks_the_browsers_language() {
    let site = with_mira().await;
    let page = site.ask(Method::GET, "/login", &[("accept-language", "de-DE,de;q=0.9")], "").await;
    assert!(page.body.contains("lang=\"de\"") && page.body.contains("Passwort"), "{}", page.body);
}
