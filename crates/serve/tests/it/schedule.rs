//! `/schedule`: what polls give, what more would, and who may change it; and a feed's own mark and numbers.

use crate::site::{Site, posted};
use axum::http::StatusCode;
use domain::planning::FRONTIER_SETTING;
use domain::{AccessHabit, Frontier, FrontierPoint};

async fn know_the_frontier(site: &Site) {
    let point = |polls_per_day: f64| FrontierPoint {
        polls_per_day,
        delay_s: 22_320.0 / polls_per_day,
        even_delay_s: 43_200.0 / polls_per_day,
    };
    let points = [3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0].map(point).to_vec();
    let text = serde_json::to_string(&Frontier { made_at: site.now(), feeds: 7, points }).unwrap();
    site.store.set_setting(FRONTIER_SETTING, Some(&text)).await.unwrap();
}

#[tokio::test]
async fn the_page_says_what_the_budget_gives_and_what_others_would() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let empty = mira.get("/schedule").await;
    assert_eq!(empty.status, StatusCode::OK);
    assert!(empty.body.contains("Follow some feeds") && empty.body.contains("is not known yet"));
    site.feed(&[&mira], "Harbour Ledger", &[posted("One", "")]).await;
    know_the_frontier(&site).await;
    let page = mira.get("/schedule").await;
    for part in [
        "Your 1 feed shares 12 polls per feed and day.",
        "12 polls a day, well placed, are as fresh as 23 spread evenly",
        "31 min with 12 polls",
        "equal polling needs 23",
        "now, the default",
        "1 poll so far today",
        "100 % of today&#39;s polls brought something new",
        "only to look: an administrator sets the budget",
    ] {
        assert!(page.body.contains(part), "{part}: {}", page.body);
    }
    assert!(page.body.contains("Not enough data"), "numbers are honest");
}

#[tokio::test]
async fn a_budget_beyond_what_floors_allow_keeps_its_picture_and_says_so() {
    let site = Site::new().await;
    let root = site.admin("root").await;
    site.feed(&[&root], "Harbour Ledger", &[posted("One", "")]).await;
    know_the_frontier(&site).await;
    site.store.set_setting("budget", Some("288")).await.unwrap();
    let page = root.get("/schedule").await;
    for part in [
        "48 polls a day, well placed, find posts after 8 min",
        "Floors allow no more polls than that.",
        "data-slider",
    ] {
        assert!(page.body.contains(part), "{part}: {}", page.body);
    }
    let usual = root.send("/schedule/budget", "budget=12").await;
    assert_eq!(usual.status, StatusCode::OK);
    assert!(!root.get("/schedule").await.body.contains("Floors allow no more"));
}

#[tokio::test]
async fn a5_nobody_sees_from_the_schedule_what_others_follow() {
    let site = Site::new().await;
    let (mira, noor) = (site.person("mira").await, site.person("noor").await);
    let feed = site.feed(&[&noor], "Secret Ledger", &[posted("One", "")]).await;
    let provider = site.store.feed_schedule(feed).await.unwrap().unwrap().provider;
    let page = mira.get("/schedule").await;
    assert!(!page.body.contains(&provider) && !page.body.contains("Secret"), "{}", page.body);
    assert!(noor.get("/schedule").await.body.contains("1 other host"));
}

#[tokio::test]
async fn only_an_administrator_sets_the_budget_and_can_take_it_back() {
    let site = Site::new().await;
    let (root, mira) = (site.admin("root").await, site.person("mira").await);
    site.feed(&[&root], "F", &[posted("One", "")]).await;
    know_the_frontier(&site).await;
    assert_eq!(mira.post("/schedule/budget", "budget=48").await.status, StatusCode::FORBIDDEN);
    let answer = root.send("/schedule/budget", "budget=16").await.json();
    assert_eq!(answer["said"], "Budget set to 16 polls per feed and day");
    assert_eq!(site.store.setting("budget").await.unwrap().as_deref(), Some("16"));
    let second = root.send("/schedule/budget", "budget=6").await.json();
    assert!(root.get("/schedule").await.body.contains("6 polls a day, well placed"));
    let undo = second["undo"].as_str().unwrap().to_owned();
    mira.send("/feeds", &format!("undo={undo}")).await;
    assert_eq!(site.store.setting("budget").await.unwrap().as_deref(), Some("6"), "not mira's to take back");
    root.send("/feeds", &format!("undo={undo}")).await;
    assert_eq!(site.store.setting("budget").await.unwrap().as_deref(), Some("16"));
    let first = answer["undo"].as_str().unwrap();
    root.send("/feeds", &format!("undo={first}")).await;
    assert_eq!(site.store.setting("budget").await.unwrap(), None);
    for odd in ["", "0", "nan", "1e9", "twelve"] {
        let refused = root.send("/schedule/budget", &format!("budget={odd}")).await;
        assert!(refused.status.is_client_error(), "{odd}: {}", refused.status);
    }
}

#[tokio::test]
async fn a_feed_can_be_marked_important_and_shows_when_its_reader_reads() {
    let site = Site::new().await;
    let (mira, noor) = (site.person("mira").await, site.person("noor").await);
    let feed = site.feed(&[&mira], "Harbour Ledger", &[posted("One", "")]).await;
    let about = format!("/feed/{feed}/about");
    assert!(mira.get(&about).await.body.contains("aria-pressed=\"false\""));
    assert_eq!(noor.send("/feeds", &format!("one=important:{feed}")).await.status, StatusCode::NOT_FOUND);
    let said = mira.send("/feeds", &format!("one=important:{feed}")).await.json();
    assert_eq!(said["said"], "Its posts are found sooner from now on");
    let mut habit = AccessHabit::default();
    habit.hours[19] = 30.0;
    let text = serde_json::to_string(&habit).unwrap();
    site.store.set_habit(mira.user, &text, 0).await.unwrap();
    let page = mira.get(&about).await;
    assert!(page.body.contains("aria-pressed=\"true\"") && page.body.contains("you read"), "{}", page.body);
    assert!(page.body.contains("items lost in 90 days"));
    mira.send("/feeds", &format!("one=usual:{feed}")).await;
    assert!(mira.get(&about).await.body.contains("aria-pressed=\"false\""));
}
