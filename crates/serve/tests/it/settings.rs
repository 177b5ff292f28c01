//! `/settings`: how a person reads, who may sign in as them, and taking everything along.

use crate::site::{PASSWORD, Person, Site, encoded, posted, secret};
use axum::http::{Method, StatusCode};
use domain::preferences::{Density, Language, ReadingOrder, Theme};
use domain::{Condition, Pattern, Preferences, RuleAction, RuleField, RuleOrder, RuleScope};
use store::Mark;

const HOSTILE: &str = "<img src=x onerror=alert(1)>\"'&";

async fn likes(site: &Site, person: &Person<'_>) -> Preferences {
    site.store.account(person.user).await.unwrap().unwrap().preferences
}

#[tokio::test]
async fn a_list_changes_one_thing_and_comes_back_to_itself() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let answer = mira.post("/settings/comfort", "density=titles&back=/unread?all=1").await;
    assert_eq!((answer.status, answer.header("location")), (StatusCode::SEE_OTHER, "/unread?all=1"));
    mira.post("/settings/comfort", "order=oldest").await;
    let likes = likes(&site, &mira).await;
    assert_eq!((likes.density, likes.order), (Density::Titles, ReadingOrder::OldestFirst));
}

#[tokio::test]
async fn the_whole_page_shows_what_was_chosen_in_the_persons_language() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let form = "theme=dark&font=sans&text_size=5&text_width=wide&language=de&time_zone=europe/berlin&mark_read=never&images=none&start=starred&hide_read=yes";
    assert_eq!(mira.post("/settings/comfort", form).await.status, StatusCode::SEE_OTHER);
    let page = mira.get("/settings").await;
    for part in [
        "<html lang=\"de\" data-theme=\"dark\" data-font=\"sans\" data-size=\"5\" data-width=\"wide\"",
        "value=\"Europe/Berlin\"",
        "<option value=\"never\" selected>",
        "Einstellungen",
    ] {
        assert!(page.body.contains(part), "{part}");
    }
    let refused = mira.post("/settings/comfort", "time_zone=Mars/Olympus").await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.body.contains("Diese Zeitzone gibt es nicht"), "{}", refused.body);
    assert_eq!(likes(&site, &mira).await.language, Some(Language::German));
}

#[tokio::test]
async fn a7_unknown_and_privileged_fields_change_nothing() {
    let site = Site::new().await;
    site.admin("root").await;
    let mira = site.person("mira").await;
    let more = "is_admin=true&admin=1&id=1&user=1&user_id=1&disabled=true&password=x&budget=288";
    for (path, form) in [
        ("/settings/comfort", "theme=dark"),
        ("/settings/name", "name=mira2"),
        ("/settings/tokens", "label=x"),
        ("/rules", "pattern0=a&action=hide"),
    ] {
        let answer = mira.post(path, &format!("{form}&{more}")).await;
        assert!(answer.status.is_success() || answer.status.is_redirection(), "{path}: {}", answer.body);
    }
    let account = site.store.account(mira.user).await.unwrap().unwrap();
    assert_eq!(
        (account.user.name.as_str(), account.user.is_admin, account.disabled),
        ("mira2", false, false)
    );
    assert_eq!(account.preferences, Preferences { theme: Theme::Dark, ..Preferences::default() });
    assert_eq!(site.store.setting(serve::BUDGET_SETTING).await.unwrap(), None);
    assert_eq!(mira.get("/admin").await.status, StatusCode::FORBIDDEN);
    // Only the person's own things were made.
    let root = site.store.user_by_name("root").await.unwrap().unwrap().id;
    assert!(
        site.store.rules(root).await.unwrap().is_empty() && site.store.tokens(root).await.unwrap().is_empty()
    );
}

#[tokio::test]
async fn a4_changing_the_password_needs_the_old_one_and_wrong_tries_cost_time() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let hash = serve::password::hash(&secret(PASSWORD)).unwrap();
    site.store.set_password(mira.user, &hash).await.unwrap();
    let new = "another long password";
    let form = |old: &str, new: &str, again: &str| {
        format!("old={}&password={}&again={}", encoded(old), encoded(new), encoded(again))
    };
    for (form, sentence) in [
        (form("wrong wrong wrong", new, new), "That is not your password"),
        (form(PASSWORD, "short", "short"), "too short"),
        (form(PASSWORD, new, "different one!"), "The two passwords differ"),
        (form(PASSWORD, &"x".repeat(1_025), ""), "at most 1,024 bytes"),
    ] {
        let answer = mira.post("/settings/password", &form).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{sentence}");
        assert!(answer.body.contains(sentence), "{sentence}: {}", answer.body);
        assert!(
            !answer.body.contains(PASSWORD) && !answer.body.contains(new),
            "a password is never sent back"
        );
    }
    let kept = site.store.password_hash(mira.user).await.unwrap().unwrap();
    assert_eq!(kept, hash);
    let changed = mira.post("/settings/password", &form(PASSWORD, new, new)).await;
    assert_eq!(changed.status, StatusCode::SEE_OTHER, "{}", changed.body);
    let kept = site.store.password_hash(mira.user).await.unwrap().unwrap();
    assert!(serve::password::verify(&secret(new), &kept) && kept.starts_with("$argon2id$"));
}

#[tokio::test]
async fn a2_a_new_password_gives_a_new_session_and_ends_the_others_on_request() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let phone = site.signed_in(mira.user).await;
    site.store.set_password(mira.user, &serve::password::hash(&secret(PASSWORD)).unwrap()).await.unwrap();
    let form = format!(
        "old={}&password=longer%20than%20before&again=longer%20than%20before&others=1",
        encoded(PASSWORD)
    );
    let changed = mira.post("/settings/password", &form).await;
    let cookie = changed.header("set-cookie");
    assert!(cookie.starts_with("wellread-session=") && !cookie.contains(&mira.cookie), "{cookie}");
    for old in [&mira, &phone] {
        assert_eq!(old.get("/settings").await.status, StatusCode::SEE_OTHER, "the old session is gone");
    }
    assert_eq!(site.store.sessions(mira.user, site.now()).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a2_devices_are_listed_and_signed_out_one_by_one_or_all() {
    let site = Site::new().await;
    let (mira, eve) = (site.person("mira").await, site.person("eve").await);
    let (phone, desk) = (site.signed_in(mira.user).await, site.signed_in(mira.user).await);
    let page = mira.get("/settings").await;
    assert_eq!(page.body.matches("192.0.2.1").count(), 3, "{}", page.body);
    assert_eq!(page.body.matches(">this one<").count(), 1);
    let sessions = site.store.sessions(mira.user, site.now()).await.unwrap();
    let last = sessions.iter().map(|one| one.id).max().unwrap();
    assert_eq!(eve.post(&format!("/settings/sessions/{last}/end"), "").await.status, StatusCode::NOT_FOUND);
    assert_eq!(desk.get("/settings").await.status, StatusCode::OK);
    mira.post(&format!("/settings/sessions/{last}/end"), "").await;
    assert_eq!(desk.get("/settings").await.status, StatusCode::SEE_OTHER);
    let answer = mira.post("/settings/sessions/end-others", "").await;
    assert_eq!(answer.header("location"), "/settings?said=others&n=1");
    assert_eq!(phone.get("/settings").await.status, StatusCode::SEE_OTHER);
    assert_eq!(mira.get("/settings").await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_token_is_shown_once_works_and_can_be_taken_back() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let made = mira.post("/settings/tokens", &format!("label={}", encoded(HOSTILE))).await;
    let token = made.body.split("class=\"secret\">").nth(1).unwrap().split('<').next().unwrap().to_owned();
    assert_eq!(token.len(), 64);
    assert!(!made.body.contains("<img src=x"), "x2: a label is text");
    assert!(!mira.get("/settings").await.body.contains(&token), "never again");
    let known = site.store.tokens(mira.user).await.unwrap();
    assert_eq!(known.len(), 1);
    mira.post(&format!("/settings/tokens/{}/remove", known[0].id), "").await;
    assert!(site.store.tokens(mira.user).await.unwrap().is_empty());
    assert_eq!(mira.post("/settings/tokens", "label=+").await.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn x2_a_hostile_name_is_text_on_every_page_of_settings() {
    let site = Site::new().await;
    let mira = site.admin(HOSTILE).await;
    for path in ["/settings", "/admin", "/rules", "/tags", "/rules/new"] {
        let page = mira.get(path).await;
        assert_eq!(page.status, StatusCode::OK, "{path}");
        assert!(page.body.contains("&#60;img src=x") && !page.body.contains("<img src=x"), "{path}");
    }
}

fn upload(json: &str) -> (String, String) {
    let body = format!(
        "--b0undary\r\nContent-Disposition: form-data; name=\"file\"; filename=\"../../x.json\"\r\nContent-Type: application/json\r\n\r\n{json}\r\n--b0undary--\r\n"
    );
    ("multipart/form-data; boundary=b0undary".to_owned(), body)
}

async fn bring(person: &Person<'_>, json: &str) -> crate::site::Answer {
    let (kind, body) = upload(json);
    let headers =
        [("cookie", person.cookie.as_str()), ("sec-fetch-site", "same-origin"), ("content-type", &kind)];
    person.site.ask(Method::POST, "/import-everything", &headers, &body).await
}

fn hide_words(scope: RuleScope) -> RuleOrder {
    let condition = Condition {
        field: RuleField::Title,
        pattern: Pattern::Words(vec!["sponsored".into()]),
        negated: false,
    };
    RuleOrder { scope, conditions: vec![condition], action: RuleAction::Hide }
}

#[tokio::test]
async fn everything_can_be_taken_to_another_server_and_back() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let feed =
        site.feed(&[&mira], "Tide Tables", &[posted("One", "<p>Text of one</p>"), posted("Two", "")]).await;
    let items = mira.items(feed).await;
    site.store.mark(mira.user, &items[..1], &Mark::Star, site.now()).await.unwrap();
    site.store.mark(mira.user, &items, &Mark::Tag("sea \"level\"".into()), site.now()).await.unwrap();
    site.store.add_rule(mira.user, &hide_words(RuleScope::Feed(feed)), site.now()).await.unwrap();
    site.store.add_saved_search(mira.user, "Tides", "tide OR surge", items[0], site.now()).await.unwrap();
    mira.post("/settings/comfort", "theme=dark").await;

    let file = mira.get("/export.json").await;
    assert_eq!(file.status, StatusCode::OK);
    let json = file.json();
    assert_eq!(json["items"].as_array().unwrap().len(), 2, "starred and tagged is written once");
    assert_eq!(json["feeds"][0]["url"], json["rules"][0]["feed"]);

    // The same feed, polled there too; the person is new.
    let eve = site.person("eve").await;
    let wish = store::Wish {
        subscription: domain::NewSubscription {
            url: json["feeds"][0]["url"].as_str().unwrap().to_owned(),
            title: None,
            site_url: None,
            folder: vec![],
        },
        provider: "f.example".into(),
        private: false,
        sealed: None,
    };
    site.store.subscribe(eve.user, &wish, site.now(), site.now()).await.unwrap();
    let answer = bring(&eve, &file.body).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    assert!(answer.body.contains("1 feeds, 1 rules, marks on 2 items"), "{}", answer.body);
    assert_eq!(site.store.starred_count(eve.user).await.unwrap(), 1);
    assert_eq!(site.store.tags(eve.user).await.unwrap()[0].items, 2);
    assert_eq!(site.store.rules(eve.user).await.unwrap()[0].order, hide_words(RuleScope::Feed(feed)));
    assert_eq!(likes(&site, &eve).await.theme, Theme::Dark);
    bring(&eve, &file.body).await;
    assert_eq!(site.store.rules(eve.user).await.unwrap().len(), 1, "bringing it twice changes nothing more");
    let searches = site.store.saved_searches(eve.user).await.unwrap();
    assert_eq!((searches.len(), searches[0].query.as_str()), (1, "tide OR surge"));
}

#[tokio::test]
async fn o5_the_name_of_an_export_is_ours_and_names_in_uploads_and_paths_lead_nowhere() {
    let site = Site::new().await;
    let mira = site.person("../../x\"").await;
    let file = mira.get("/export.json").await;
    assert_eq!(file.header("content-disposition"), "attachment; filename=\"wellread.json\"");
    assert_eq!(bring(&mira, &file.body).await.status, StatusCode::OK, "the file's own name is not looked at");
    for path in
        ["/assets/v/..%2f..%2fetc/passwd", "/assets/v/../../../etc/passwd", "/assets/v/%2e%2e/Cargo.toml"]
    {
        let answer = mira.get(path).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        assert!(!answer.body.contains("root:") && !answer.body.contains("[package]"), "{path}");
    }
}

#[tokio::test]
async fn a5_and_o2_a_hostile_file_reaches_nobody_else_and_brings_no_bad_rules() {
    let site = Site::new().await;
    let (mira, eve) = (site.person("mira").await, site.person("eve").await);
    let feed = site.feed(&[&mira], "Mira's", &[posted("Secret", "")]).await;
    let url = site.store.feed(feed).await.unwrap().unwrap().url;
    let bad = r#"{"format":"wellread-everything-1","feeds":[],
        "rules":[{"feed":"URL","conditions":[{"field":"title","pattern":{"phrase":"x"}}],"action":"hide","enabled":true},
                 {"conditions":[{"field":"title","pattern":{"regex":"(x{1000}){1000}"}}],"action":"hide","enabled":true},
                 {"conditions":[],"action":"star","enabled":true}],
        "items":[{"feed":"URL","identity":"1","starred":true,"tags":["x"]},{"feed":"URL","identity":"zz"}]}"#
        .replace("URL", &url);
    let answer = bring(&eve, &bad).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    assert!(site.store.rules(eve.user).await.unwrap().is_empty());
    assert_eq!(site.store.starred_count(eve.user).await.unwrap(), 0);
    for odd in [
        "",
        "{}",
        "[]",
        "{\"format\":\"other\"}",
        &"[".repeat(10_000),
        "{\"format\":\"wellread-everything-1\",\"feeds\":5}",
    ] {
        assert_eq!(bring(&eve, odd).await.status, StatusCode::UNPROCESSABLE_ENTITY, "{odd:.40}");
    }
}

#[tokio::test]
async fn items_can_be_saved_elsewhere_by_a_known_name_or_an_address() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let feed = site.feed(&[&mira], "F", &[posted("Tides & \"winds\"", "")]).await;
    let item = mira.items(feed).await[0];
    mira.post("/settings/save-to", "name=pinboard").await;
    let own = encoded("https://later.test/add?u={url}&t={title}");
    mira.post("/settings/save-to", &format!("name=Later&address={own}")).await;
    assert!(mira.get("/settings").await.body.contains("later.test"));
    let open = mira.get(&format!("/part/item/{item}")).await;
    assert!(open.body.contains("Save to Pinboard") && open.body.contains("Save to Later"), "{}", open.body);
    assert!(open.body.contains("&#38;t=Tides%20%26%20%22winds%22"), "{}", open.body);
    for address in ["javascript:alert(1)//{url}", "https://later.test/", HOSTILE] {
        let answer = mira.post("/settings/save-to", &format!("name=x&address={}", encoded(address))).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{address}");
    }
    mira.post("/settings/save-to/remove", "name=Later").await;
    let names: Vec<String> = likes(&site, &mira).await.save_to.into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["Pinboard"]);
    for nth in 0..20 {
        mira.post("/settings/save-to", &format!("name=n{nth}&address={own}")).await;
    }
    assert_eq!(likes(&site, &mira).await.save_to.len(), domain::preferences::SAVE_TO_MAX);
}
