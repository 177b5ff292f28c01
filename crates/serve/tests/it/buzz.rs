//! `/buzz` and `/api/buzz`: what is talked about, for whom, and what is said when nothing is.

use crate::learned::private_feed;
use crate::site::{Person, Site, posted};
use axum::http::StatusCode;
use domain::{FeedId, ItemId, Limits};
use rank::buzz::{Buzz, BuzzLimits, Post, mentions};
use std::sync::{Arc, RwLock};
use text::Language;

const DAY_S: i64 = 86_400;

/// The index of everything the store has, as the job that follows items makes it.
async fn listen(site: &Site) {
    let today = site.now().seconds().div_euclid(DAY_S);
    let mut buzz = Buzz::new(BuzzLimits::default(), today - 8);
    buzz.roll_to(today);
    for card in site.store.feed_cards(FeedId(0), 500).await.unwrap() {
        buzz.put_feed(card.feed, !card.is_private, &card.url);
    }
    for whole in site.store.items_after(ItemId(0), 2_000).await.unwrap().items {
        let (item, body) = (whole.content.item, whole.content.body);
        let text = html::plain_text(body.content.as_deref().unwrap_or_default(), &Limits::default());
        let links = html::links(body.content.as_deref().unwrap_or_default(), 100);
        let links: Vec<&str> = links.iter().map(String::as_str).collect();
        let title = item.title.as_deref().unwrap_or_default();
        let language = Some(Language::ENGLISH);
        let said = mentions(&Post { title, text: &text, language, links: &links, ..Post::default() });
        let seconds = item.sort_at.seconds();
        let second = u32::try_from(seconds.rem_euclid(DAY_S)).unwrap();
        buzz.hear(item.feed, item.id, seconds.div_euclid(DAY_S), second, &said);
    }
    buzz.settle();
    site.ear.fill(Arc::new(RwLock::new(buzz)), true);
}

async fn talked(person: &Person<'_>) -> Vec<String> {
    let answer = person.get("/api/buzz").await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    let lines = answer.json();
    lines["words"].as_array().unwrap().iter().map(|line| line["text"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn words_and_links_of_several_feeds_open_to_their_items_without_scripts() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let text = r#"<p>The <a href="https://port.example/report?utm_source=x">report</a> on the hinge.</p>"#;
    site.feed(&[&mira], "Ledger", &[posted("Tide barrier closes", text), posted("Rain", "")]).await;
    site.feed(&[&mira], "Courier", &[posted("The tide barrier", &text.replace("=x", "=y"))]).await;
    listen(&site).await;
    let page = mira.get("/buzz").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.body.contains(">tide barrier</span>"), "{}", page.body);
    assert!(page.body.contains("port.example"), "one link, however it is decorated: {}", page.body);
    assert!(page.body.contains("class=\"ch spark\"") && page.body.contains("class=\"ch against\""));
    let lines = mira.get("/api/buzz").await.json();
    assert_eq!((&lines["links"][0]["items"], lines["links"].as_array().unwrap().len()), (&2.into(), 1));
    let key = lines["words"][0]["key"].as_str().unwrap();
    let pane = mira.get(&format!("/buzz?open={key}")).await;
    assert!(pane.body.contains("2 items in 2 of your 2 feeds."), "{}", pane.body);
    assert!(pane.body.contains("<mark>Tide barrier</mark> closes"), "{}", pane.body);
    assert!(pane.body.contains("class=\"ch mentions\"") && pane.body.contains("<table class=\"sr\">"));
    assert!(pane.body.contains("/search?q=%22tide%20barrier%22"), "{}", pane.body);
    let gone = mira.get("/buzz?window=week&open=0000000000000007").await;
    assert_eq!(gone.status, StatusCode::OK);
    assert!(gone.body.contains("do not mention this any more"));
    assert_eq!(mira.get("/buzz?open=%3Cscript%3E").await.status, StatusCode::OK);
}

#[tokio::test]
async fn empty_states_teach() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    assert!(mira.get("/buzz").await.body.contains("Follow a few feeds first"));
    site.feed(&[&mira], "Ledger", &[posted("Tide barrier", "")]).await;
    assert!(mira.get("/buzz").await.body.contains("is being made from the last days"));
    assert_eq!(mira.get("/api/buzz").await.status, StatusCode::SERVICE_UNAVAILABLE);
    listen(&site).await;
    assert!(mira.get("/buzz").await.body.contains("you follow one"));
    site.feed(&[&mira], "Courier", &[posted("Rain", "")]).await;
    listen(&site).await;
    assert!(mira.get("/buzz").await.body.contains("in the last 24 hours"));
    assert!(mira.get("/buzz?window=week").await.body.contains("this week"));
    assert_eq!(mira.get("/api/buzz?window=year").await.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn a10_nobody_hears_what_others_feeds_say_nor_what_others_read() {
    let site = Site::new().await;
    let (mira, eve) = (site.person("mira").await, site.person("eve").await);
    let secret = private_feed(&site, &mira, "https://mira.example/private", "Mira's own").await;
    site.poll(secret, "Mira's own", &[posted("Quicksilver vault merger", "<p>quicksilver</p>")]).await;
    let shared = site.feed(&[&mira, &eve], "Ledger", &[posted("Quicksilver merger", "")]).await;
    site.feed(&[&mira, &eve], "Courier", &[posted("Merger", "")]).await;
    listen(&site).await;
    assert!(talked(&mira).await.iter().any(|word| word.contains("quicksilver")));
    let body = eve.get("/buzz?window=week").await.body;
    assert!(!body.contains("uicksilver") && !body.contains("Mira"), "{body}");
    let before = eve.get("/api/buzz").await.json();
    let of_merger = before["words"].as_array().unwrap().iter().find(|line| line["text"] == "merger").unwrap();
    assert_eq!(
        of_merger["everyones"], 1.0,
        "two public feeds and both say it; the private one is not counted"
    );
    // Whatever Mira opens, weighs or follows changes nothing of it.
    let item = mira.items(shared).await[0];
    mira.get(&format!("/newest?item={item}")).await;
    mira.send("/mark", &format!("mark=star:{item}")).await;
    let edit = store::SubscriptionEdit { weight: Some(Some(0)), ..Default::default() };
    site.store.edit_subscription(mira.user, shared, &edit).await.unwrap();
    assert_eq!(eve.get("/api/buzz").await.json(), before);
    // Nor does the key of a word tell that somebody has it.
    let lines = mira.get("/api/buzz").await.json();
    let keys: Vec<&str> =
        lines["words"].as_array().unwrap().iter().map(|line| line["key"].as_str().unwrap()).collect();
    for key in keys {
        let pane = eve.get(&format!("/buzz?open={key}")).await.body;
        assert!(!pane.contains("vault") && !pane.contains("Mira"), "{pane}");
    }
}

#[tokio::test]
async fn a_subscription_counts_as_said_or_by_what_is_opened() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let ledger = site.feed(&[&mira], "Ledger", &[posted("Tide barrier", "")]).await;
    site.feed(&[&mira], "Courier", &[posted("Tide barrier", "")]).await;
    site.wait(1);
    listen(&site).await;
    assert_eq!(talked(&mira).await, ["tide barrier"]);
    let form = mira.get(&format!("/feed/{ledger}/edit")).await.body;
    assert!(form.contains("You opened 0 of 1 items") && form.contains("name=\"weight\""), "{form}");
    let save = |counts: &str| format!("settings=1&title=&folder=0&counts={counts}&weight=0");
    mira.post(&format!("/feed/{ledger}/edit"), &save("own")).await;
    assert!(talked(&mira).await.is_empty(), "one feed that counts is no talk");
    let form = mira.get(&format!("/feed/{ledger}/edit")).await.body;
    assert!(form.contains("value=\"own\" checked"), "{form}");
    mira.post(&format!("/feed/{ledger}/edit"), &save("auto")).await;
    assert_eq!(talked(&mira).await, ["tide barrier"]);
}

#[tokio::test]
async fn x2_words_and_links_are_only_ever_text() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let link = r#"<p><a href="https://x.example/&lt;script&gt;alert(1)?b=&lt;script&gt;alert(3)">a</a></p>"#;
    for title in ["<b>One</b>", "<b>Two</b>"] {
        site.feed(&[&mira], title, &[posted("<script>alert(2)</script> tide barrier", link)]).await;
    }
    listen(&site).await;
    let lines = mira.get("/api/buzz").await.json();
    let keys = ["words", "links"].iter().flat_map(|kind| lines[kind].as_array().unwrap());
    let mut pages = vec!["/buzz".to_owned()];
    pages.extend(keys.map(|line| format!("/buzz?open={}", line["key"].as_str().unwrap())));
    assert!(pages.len() >= 3, "{lines}");
    for path in pages {
        let body = mira.get(&path).await.body;
        assert!(!body.contains("<script>alert") && !body.contains("<b>One"), "{path}: {body}");
    }
}
