//! `/rules`: made, tried, applied, switched, removed and brought back, all without scripts.

use crate::site::{Person, Site, encoded, posted};
use axum::http::StatusCode;
use domain::{FeedId, RuleAction};
use store::{HiddenBy, ListQuery, Order, Scope};

const HOSTILE: &str = "<img src=x onerror=alert(1)>\"'&";

async fn hidden(site: &Site, person: &Person<'_>) -> Vec<Option<HiddenBy>> {
    let query = ListQuery {
        scope: Scope::Hidden,
        unread_only: false,
        order: Order::NewestFirst,
        limit: 100,
        after: None,
    };
    site.store.list(person.user, &query).await.unwrap().into_iter().map(|row| row.hidden).collect()
}

async fn harbour(site: &Site, mira: &Person<'_>) -> FeedId {
    let items = [
        posted("Sponsored: buy a boat", "<p>now</p>"),
        posted("Tide barrier closes", "<p>twice a week, sponsored by nobody</p>"),
        posted("A sponsored walk", "<p>for the lifeboat</p>"),
    ];
    site.feed(&[mira], "Harbour Ledger", &items).await
}

#[tokio::test]
async fn a_rule_is_tried_before_it_is_kept_and_trying_changes_nothing() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    harbour(&site, &mira).await;
    let form = "field0=title&has0=yes&kind0=words&pattern0=sponsored&action=hide&do=try";
    let tried = mira.post("/rules/try", form).await;
    assert_eq!(tried.status, StatusCode::OK, "{}", tried.body);
    assert!(tried.body.contains("Would hide 2 of the last 3 items"), "{}", tried.body);
    assert!(tried.body.contains("A sponsored walk") && !tried.body.contains("Tide barrier closes"));
    assert!(tried.body.contains("value=\"sponsored\""), "the form keeps what was typed");
    assert!(site.store.rules(mira.user).await.unwrap().is_empty());
    assert_eq!(site.store.counts(mira.user).await.unwrap().total, 3);
    let none = mira.post("/rules/try", "field0=title&pattern0=zeppelin&do=try").await;
    assert!(none.body.contains("Would touch none of the last 3 items"), "{}", none.body);
}

#[tokio::test]
async fn a_kept_rule_may_also_sweep_what_is_there_and_say_which_rule_it_was() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let feed = harbour(&site, &mira).await;
    let form = format!("scope=feed:{feed}&field0=title&kind0=phrase&pattern0=sponsored&action=hide&apply=1");
    let saved = mira.post("/rules", &form).await;
    assert_eq!(saved.status, StatusCode::OK, "{}", saved.body);
    assert!(
        saved.body.contains("2 items here were changed") && saved.body.contains("Harbour Ledger"),
        "{}",
        saved.body
    );
    let rule = site.store.rules(mira.user).await.unwrap()[0].id;
    assert_eq!(hidden(&site, &mira).await, [Some(HiddenBy::Rule(rule)); 2]);
    let undo = saved.body.split("name=\"mark\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let undone = mira.post("/mark", &format!("mark={}&back=/rules", encoded(undo))).await;
    assert_eq!(undone.header("location"), "/rules");
    assert!(hidden(&site, &mira).await.is_empty());
    assert_eq!(site.store.counts(mira.user).await.unwrap().total, 3);
}

#[tokio::test]
async fn conditions_are_added_and_dropped_without_scripts_up_to_five() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let mut form = "pattern0=a".to_owned();
    for place in 1..5 {
        let page = mira.post("/rules/try", &format!("{form}&do=add")).await;
        assert!(page.body.contains(&format!("name=\"pattern{place}\"")), "{place}");
        form.push_str(&format!("&pattern{place}=w{place}"));
    }
    let full = mira.post("/rules/try", &format!("{form}&do=add")).await;
    assert!(!full.body.contains("name=\"pattern5\"") && !full.body.contains("value=\"add\""));
    let fewer = mira.post("/rules/try", &format!("{form}&do=drop-1")).await;
    assert!(!fewer.body.contains("value=\"w1\"") && fewer.body.contains("value=\"w2\""), "{}", fewer.body);
}

#[tokio::test]
async fn o2_patterns_that_would_cost_too_much_are_refused_beside_their_field() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let (long, many) = ("x".repeat(501), (0..60).map(|n| format!("w{n},")).collect::<String>());
    for (kind, pattern, sentence) in [
        ("regex", "(x{1000}){1000}", "too complex"),
        ("regex", "(a)\\1", "not supported"),
        ("regex", "a[", "cannot be read"),
        ("phrase", long.as_str(), "At most 500 characters"),
        ("words", "w,", ""),
        ("words", " , ", "Write what to look for"),
        ("words", many.as_str(), "At most 50 words"),
    ] {
        let form = format!(
            "field0=title&pattern0=fine&field1=title&kind1={kind}&pattern1={}&action=hide",
            encoded(pattern)
        );
        let answer = mira.post("/rules", &form).await;
        if sentence.is_empty() {
            assert_eq!(answer.status, StatusCode::SEE_OTHER, "{pattern}");
            continue;
        }
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{pattern}");
        assert!(
            answer.body.contains("id=\"pattern-said-1\"") && answer.body.contains(sentence),
            "{}",
            answer.body
        );
    }
    assert_eq!(
        mira.post("/rules", "pattern0=a&action=tag&tag=").await.status,
        StatusCode::UNPROCESSABLE_ENTITY
    );
    assert_eq!(site.store.rules(mira.user).await.unwrap().len(), 1);
}

#[tokio::test]
async fn o2_a_person_has_at_most_two_hundred_rules() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    mira.post("/rules", "pattern0=a&action=star").await;
    let order = site.store.rules(mira.user).await.unwrap()[0].order.clone();
    for _ in 1..200 {
        site.store.add_rule(mira.user, &order, site.now()).await.unwrap();
    }
    let answer = mira.post("/rules", "pattern0=b&action=star").await;
    assert_eq!(answer.status, StatusCode::CONFLICT);
    assert!(answer.body.contains("There are 200 rules already"), "{}", answer.body);
}

#[tokio::test]
async fn o2_a_rule_switched_off_by_the_server_says_why_until_it_is_switched_on() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    mira.post("/rules", "pattern0=a&action=star").await;
    let rule = site.store.rules(mira.user).await.unwrap()[0].id;
    site.store.disable_rule(rule, "It took too much work.").await.unwrap();
    let page = mira.get("/rules").await;
    assert!(page.body.contains("Switched off by the server: It took too much work."), "{}", page.body);
    mira.post(&format!("/rules/{rule}/switch"), "on=true").await;
    assert!(!mira.get("/rules").await.body.contains("too much work"));
    assert!(site.store.rules(mira.user).await.unwrap()[0].enabled);
}

#[tokio::test]
async fn a_removed_rule_comes_back_by_undo_and_only_as_something_that_may_be_kept() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    mira.post("/rules", "pattern0=a&action=tag&tag=sea").await;
    let before = site.store.rules(mira.user).await.unwrap();
    let removed = mira.post(&format!("/rules/{}/remove", before[0].id), "").await;
    assert!(site.store.rules(mira.user).await.unwrap().is_empty());
    let order = removed.body.split("name=\"order\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let order = order.replace("&#34;", "\"");
    assert_eq!(
        mira.post("/rules/restore", &format!("order={}", encoded(&order))).await.status,
        StatusCode::SEE_OTHER
    );
    let after = site.store.rules(mira.user).await.unwrap();
    assert_eq!((&after[0].order, &after[0].order.action), (&before[0].order, &RuleAction::Tag("sea".into())));
    let bomb = r#"{"scope":"everything","conditions":[{"field":"title","pattern":{"regex":"(x{1000}){1000}"}}],"action":"hide"}"#;
    for bad in ["", "{}", bomb, &order.replace("\"everything\"", "{\"feed\":999}")] {
        let answer = mira.post("/rules/restore", &format!("order={}", encoded(bad))).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{bad}");
    }
}

#[tokio::test]
async fn x2_a_hostile_pattern_tag_and_title_are_text_everywhere() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    site.feed(&[&mira], HOSTILE, &[posted(HOSTILE, "x")]).await;
    let text = encoded(HOSTILE);
    let form = format!("field0=title&kind0=phrase&pattern0={text}&action=tag&tag={text}");
    let tried = mira.post("/rules/try", &format!("{form}&do=try")).await;
    assert!(tried.body.contains("Would tag 1 of the last 1 items"), "{}", tried.body);
    mira.post("/rules", &form).await;
    let id = site.store.rules(mira.user).await.unwrap()[0].id;
    let prefilled = format!("/rules/new?author={text}&title={text}");
    for body in [
        tried.body,
        mira.get("/rules").await.body,
        mira.get(&format!("/rules/{id}")).await.body,
        mira.get(&prefilled).await.body,
    ] {
        assert!(body.contains("&#60;img src=x") && !body.contains("<img src=x"), "{body}");
    }
}

#[tokio::test]
async fn a_rule_is_begun_from_an_item_and_changed_later() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let feed = harbour(&site, &mira).await;
    let page =
        mira.get(&format!("/rules/new?feed={feed}&title={}", encoded("Tide barrier closes at Port"))).await;
    assert!(page.body.contains("value=\"barrier, closes\""), "{}", page.body);
    assert!(page.body.contains(&format!("value=\"feed:{feed}\" selected")));
    mira.post("/rules", "pattern0=a&action=star").await;
    let id = site.store.rules(mira.user).await.unwrap()[0].id;
    let edited = mira.post(&format!("/rules/{id}"), "pattern0=b&action=read").await;
    assert_eq!(edited.header("location"), "/rules?said=saved");
    let rules = site.store.rules(mira.user).await.unwrap();
    assert_eq!((rules.len(), &rules[0].order.action), (1, &RuleAction::MarkRead));
}

#[tokio::test]
async fn a5_a_rule_cannot_be_aimed_at_somebody_elses_feed() {
    let site = Site::new().await;
    let (mira, eve) = (site.person("mira").await, site.person("eve").await);
    let feed = harbour(&site, &mira).await;
    for scope in [format!("feed:{feed}"), "feed:999".into(), "folder:1".into()] {
        for path in ["/rules", "/rules/try"] {
            let answer = eve.post(path, &format!("scope={scope}&pattern0=sponsored&action=hide")).await;
            assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{path} {scope}");
            assert!(!answer.body.contains("Harbour") && !answer.body.contains("boat"), "{}", answer.body);
        }
    }
}
