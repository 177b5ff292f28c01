//! For you: ranked by what one person did, at a moment, with reasons; and the page of what was learnt.

use crate::shelf::one_story;
use crate::site::{Person, Posted, Site, posted};
use axum::http::StatusCode;
use domain::{FeedId, ItemId};
use learn::{Gathered, Summary, Topics, Weighted};
use std::time::Duration;
use store::{ItemTerms, Learned, Model};
use text::TermId;

fn about(title: &str, hours: i64) -> Posted<'_> {
    Posted { ago: hours * 3_600, ..posted(title, "<p>text</p>") }
}

/// What the digest would have kept of items that say these words.
async fn says(site: &Site, items: &[ItemId], words: &[&str]) {
    let bag: Vec<(TermId, u16)> = words.iter().map(|word| (TermId::of_stem(word), 1)).collect();
    let kept = rank::item_terms(&bag, &|_: TermId| 1.0);
    let written = |term: &TermId| words.iter().find(|word| TermId::of_stem(word) == *term).copied().unwrap();
    let surfaces: Vec<&str> = kept.iter().map(|(term, _)| written(term)).collect();
    let terms = |item: &ItemId| ItemTerms {
        item: *item,
        terms: rank::pack_terms(&kept),
        surfaces: surfaces.join("\n"),
    };
    let from = site.store.learned_to().await.unwrap();
    let learned = Learned {
        from,
        to: site.store.newest_item().await.unwrap().max(from),
        profiles: vec![],
        stories: vec![],
        terms: items.iter().map(terms).collect(),
        model: None,
    };
    assert!(site.store.keep_learned(learned).await.unwrap());
}

/// Topics as they would have been made of these feeds.
async fn topics_of(site: &Site, feeds: &[(FeedId, &[&str])]) {
    let mut gathered = Gathered::default();
    for (feed, words) in feeds {
        let term = |(nth, word): (usize, &&str)| Weighted {
            id: TermId::of_stem(word),
            text: (*word).to_owned(),
            weight: 9.0 - nth as f64,
            count: 3,
            phrase: false,
        };
        gathered.add(*feed, &Summary::new(20, words.iter().enumerate().map(term)));
    }
    let state = gathered.topics(&Topics::default()).to_bytes();
    site.store.keep_model("topics", &Model { learned_to: ItemId(0), state }).await.unwrap();
}

const SEA: &[&str] = &["tide", "harbour", "pilot", "buoy"];
const CODE: &[&str] = &["compiler", "register", "linker", "parser"];

/// Two feeds, one of the sea and one of code, whose items come in turn; the newest is of code.
async fn two_feeds(site: &Site, mira: &Person<'_>) -> (FeedId, FeedId) {
    let titles: Vec<(String, String)> = (0..12).map(|n| (format!("Sea {n}"), format!("Code {n}"))).collect();
    let hours = |n: usize, odd: i64| 2 * i64::try_from(n).unwrap() + odd;
    let sea: Vec<Posted<'_>> =
        titles.iter().enumerate().map(|(n, (sea, _))| about(sea, hours(n, 2))).collect();
    let code: Vec<Posted<'_>> =
        titles.iter().enumerate().map(|(n, (_, code))| about(code, hours(n, 1))).collect();
    let (sea, code) =
        (site.feed(&[mira], "Foreshore", &sea).await, site.feed(&[mira], "Slow Compiler", &code).await);
    says(site, &mira.items(sea).await, SEA).await;
    says(site, &mira.items(code).await, CODE).await;
    topics_of(site, &[(sea, SEA), (code, CODE)]).await;
    (sea, code)
}

async fn opens(person: &Person<'_>, items: &[ItemId]) {
    let event = |item: &ItemId| {
        format!(
            r#"{{"item":{item},"kind":"impression","position":1}},{{"item":{item},"kind":"open","position":1,"dwell_ms":90000}}"#
        )
    };
    let events: Vec<String> = items.iter().map(event).collect();
    let report = format!(r#"{{"place":"foryou","events":[{}]}}"#, events.join(","));
    assert_eq!(person.send_json("/seen", &report).await.status, StatusCode::NO_CONTENT);
}

#[tokio::test]
async fn without_feeds_without_anything_unread_and_on_the_first_day_the_page_says_what_to_do() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    assert!(mira.get("/foryou").await.body.contains("No feeds yet"));
    let feed = site.feed(&[&mira], "Foreshore", &[about("Only one", 1)]).await;
    let page = mira.get("/foryou").await;
    assert!(page.body.contains("after about 20 opens; you have 0."), "{}", page.body);
    assert_eq!(mira.titles("/foryou").await, ["Only one"]);
    let item = mira.items(feed).await[0];
    mira.send("/mark", &format!("mark=hide:{item}&place=foryou")).await;
    assert!(mira.get("/foryou").await.body.contains("Nothing unread"), "all is hidden");
    assert!(mira.get("/foryou/learned").await.status.is_success());
}

#[tokio::test]
async fn what_somebody_opens_comes_first_with_its_reason_and_less_like_this_works_at_once() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let (sea, code) = two_feeds(&site, &mira).await;
    assert_eq!(mira.titles("/newest").await[0], "Code 0");
    let items = mira.items(sea).await;
    opens(&mira, &items[6..]).await;
    mira.send("/mark", &format!("mark=star:{}&place=foryou", items[6])).await;
    let first = mira.titles("/foryou").await;
    let sea_first = first.iter().take(3).filter(|title| title.starts_with("Sea")).count();
    assert!(sea_first >= 2, "{first:?}");
    let page = mira.get("/foryou").await.body;
    assert!(page.contains("class=\"reason\""), "{page}");
    assert!(
        page.contains("you open Foreshore often")
            || page.contains("you read about")
            || page.contains("like items you kept")
    );
    // Said outright, it is believed with the next page.
    let liked = |page: &str| page.matches("Sea ").count();
    let before = liked(&mira.titles("/foryou").await[..4].join(" "));
    for item in &items[..3] {
        mira.send("/mark", &format!("mark=hide:{item}&place=foryou")).await;
    }
    let after = mira.titles("/foryou").await;
    assert!(!after.contains(&"Sea 0".to_owned()), "what is hidden is gone");
    assert!(liked(&after[..4].join(" ")) < before.max(1), "{after:?}");
    let _ = code;
}

#[tokio::test]
async fn a_page_the_next_one_and_the_way_back_show_one_list() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let titles: Vec<String> = (0..120).map(|n| format!("Item {n}")).collect();
    let items: Vec<Posted<'_>> = titles.iter().map(|title| about(title, 1)).collect();
    let one = site.feed(&[&mira], "One", &items[..60]).await;
    site.feed(&[&mira], "Two", &items[60..]).await;
    let page = mira.get("/foryou").await.body;
    let pin = page.split("data-pin=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap().to_owned();
    let address = |body: &str| {
        let more = body
            .split("href=\"")
            .find(|part| part.starts_with("/foryou?after=") && !part.contains("item="))?;
        Some(more.split('"').next()?.replace("&amp;", "&"))
    };
    let first = mira.titles("/foryou").await;
    let next = address(&page).expect("a way on");
    let second = mira.titles(&next).await;
    // Time passes, something is read, something new comes.
    site.wait(60);
    let read = mira.items(one).await[3];
    opens(&mira, &[read]).await;
    mira.send("/mark", &format!("mark=read:{read}&place=foryou")).await;
    site.poll(one, "One", &[about("Brand new", 0)]).await;
    assert_eq!(mira.titles(&format!("/foryou?after={pin}")).await, first, "the way back");
    assert_eq!(mira.titles(&next).await, second, "the page after");
    let mut all = [first.clone(), second].concat();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 100, "no row twice");
    assert!(mira.titles("/foryou").await.contains(&"Brand new".to_owned()), "a new list has it");
    // The true rows are recorded, and a strange moment is now.
    let part = mira.get(&format!("/part/rows?place=foryou&after={}", next.split('=').nth(1).unwrap())).await;
    assert!(part.body.contains("data-position=\"50\""), "{}", part.body);
    for odd in ["1-2-3", "x", "99999999999999999-1-0"] {
        assert_eq!(mira.get(&format!("/foryou?after={odd}")).await.status, StatusCode::OK);
    }
    assert_eq!(first.len(), 50);
}

#[tokio::test]
async fn newest_and_unread_are_neither_reordered_nor_thinned_by_what_was_learnt() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let (sea, code) = two_feeds(&site, &mira).await;
    one_story(&site, &[mira.items(sea).await[0], mira.items(code).await[0]]).await;
    let before = (mira.titles("/newest").await, mira.titles("/unread").await);
    opens(&mira, &mira.items(sea).await).await;
    mira.titles("/foryou").await;
    assert_eq!((mira.titles("/newest").await, mira.titles("/unread").await), before);
    assert_eq!(before.0.len(), 24);
    let page = mira.get("/foryou").await.body;
    assert!(page.contains("also in 1 feed"), "a story is told once here");
    assert_eq!(mira.get("/").await.header("location"), "/unread", "it is nobody's start page unasked");
    mira.post("/settings/comfort", "start=foryou").await;
    assert_eq!(mira.get("/").await.header("location"), "/foryou");
}

#[tokio::test]
async fn asking_changes_nothing() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let (sea, _) = two_feeds(&site, &mira).await;
    opens(&mira, &mira.items(sea).await[..4]).await;
    let item = mira.items(sea).await[5];
    for path in ["/foryou", "/foryou/learned", "/api/foryou", "/export.json", &format!("/item/{item}/why")] {
        assert!(mira.get(path).await.status.is_success(), "{path}");
    }
    assert_eq!(site.store.taste(mira.user).await.unwrap(), None);
    let records = site.store.deeds(mira.user, 0, site.now(), 100).await.unwrap();
    assert_eq!(records.len(), 8);
}

#[tokio::test]
async fn a10_nobody_can_tell_from_their_list_what_somebody_else_reads() {
    let site = Site::new().await;
    let (mira, eve) = (site.person("mira").await, site.person("eve").await);
    let (sea, code) = two_feeds(&site, &mira).await;
    let own = site.feed(&[&eve], "Eve's own", &[about("Sea of mine", 1), about("Other", 2)]).await;
    says(&site, &eve.items(own).await, &["tide", "boat"]).await;
    let strip = |body: String| {
        let pin =
            body.split("data-pin=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap().to_owned();
        body.replace(&pin, "PIN")
    };
    let before = (strip(eve.get("/foryou").await.body), eve.get("/foryou/learned").await.body);
    for other in [sea, code] {
        assert!(eve.get(&format!("/feed/{other}")).await.status == StatusCode::NOT_FOUND);
    }
    opens(&mira, &mira.items(sea).await).await;
    mira.send("/mark", &format!("mark=hide:{}&place=foryou", mira.items(code).await[0])).await;
    mira.post("/foryou/topics", "topic=0").await;
    mira.titles("/foryou").await;
    let after = (strip(eve.get("/foryou").await.body), eve.get("/foryou/learned").await.body);
    assert_eq!(before, after);
    // Of a topic only words of her own items are named: she has the tide, and no harbour.
    let chips: Vec<&str> = after.0.split("name=\"topic\"").skip(1).collect();
    assert!(chips.iter().any(|chip| chip.contains(">tide<")), "{}", after.0);
    assert!(!after.0.contains("harbour") && !after.0.contains("compiler"));
}

#[tokio::test]
async fn o10_a_feed_that_posts_a_thousand_stuffed_items_gets_no_more_rows_than_others() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let stuffed: Vec<Posted<'_>> = (0..1_000).map(|_| posted("Stuffed", "<p>x</p>")).collect();
    let loud = site.feed(&[&mira], "Loud", &stuffed).await;
    let mut quiet = Vec::new();
    for name in ["A", "B", "C", "D", "E", "F", "G", "H"] {
        let items: Vec<Posted<'_>> = (1..=6).map(|n| about(name, n)).collect();
        quiet.push(site.feed(&[&mira], name, &items).await);
    }
    says(&site, &mira.items(loud).await, SEA).await;
    let kept = mira.items(loud).await;
    opens(&mira, &kept[..20]).await;
    let titles = mira.titles("/foryou").await;
    for ten in titles[..40].windows(10) {
        assert!(ten.iter().filter(|title| *title == "Stuffed").count() <= 3, "{ten:?}");
    }
}

#[tokio::test]
async fn a_first_day_offers_topics_and_asks_nobody_twice() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    two_feeds(&site, &mira).await;
    let page = mira.get("/foryou").await.body;
    let chips: Vec<&str> = page.split("name=\"topic\" value=\"").skip(1).collect();
    assert_eq!(chips.len(), 2, "{page}");
    let sea = chips.iter().find(|chip| chip.contains("tide")).unwrap().split('"').next().unwrap();
    assert_eq!(
        mira.post("/foryou/topics", &format!("topic={sea}&topic=77&topic=x")).await.header("location"),
        "/foryou"
    );
    let page = mira.get("/foryou").await.body;
    assert!(!page.contains("name=\"topic\""));
    assert!(mira.titles("/foryou").await[0].starts_with("Sea"));
    assert!(mira.get("/foryou/learned").await.body.contains("tide, harbour"));
}

#[tokio::test]
async fn what_was_learnt_is_shown_corrected_forgotten_and_brought_back() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let (sea, _) = two_feeds(&site, &mira).await;
    assert!(mira.get("/foryou/learned").await.body.contains("Nothing was learnt yet"));
    let items = mira.items(sea).await;
    opens(&mira, &items[4..10]).await;
    mira.send("/mark", &format!("mark=star:{}&place=foryou", items[4])).await;
    let page = mira.get("/foryou/learned").await.body;
    for word in ["Foreshore", "tide, harbour", ">tide</th>", "liked"] {
        assert!(page.contains(word), "{word}: {page}");
    }
    let change = format!("change=less%3Afeed%3A{sea}");
    for _ in 0..6 {
        assert_eq!(
            mira.post("/foryou/learned", &change).await.header("location"),
            "/foryou/learned?said=changed"
        );
    }
    let page = mira.get("/foryou/learned").await.body;
    let line = page.split("Foreshore</th>").nth(1).unwrap().split("</tr>").next().unwrap();
    assert!(line.contains("disliked much"), "{line}");
    mira.post("/foryou/learned", &format!("change=forget%3Aword%3A{}", TermId::of_stem("tide").0)).await;
    assert!(!mira.get("/foryou/learned").await.body.contains(">tide</th>"));
    for odd in ["change=", "change=more", "change=more%3Afeed%3Ax", "change=drop%3Aage", "x=1"] {
        assert!(mira.post("/foryou/learned", odd).await.status.is_client_error(), "{odd}");
    }
    let export = mira.get("/export.json").await.json();
    let learned = export["learned"].as_array().unwrap();
    assert!(learned.iter().any(|one| one["kind"] == "feed"
        && one["name"] == "Foreshore"
        && one["liking"].as_f64() < Some(0.0)));
    let gone = mira.post("/foryou/reset", "").await;
    let said = gone.header("location").to_owned();
    assert!(said.starts_with("/foryou/learned?said=reset&undo="), "{said}");
    let page = mira.get(&said).await.body;
    assert!(
        page.contains("Nothing was learnt yet") && page.contains("Undo"),
        "what was done before is not learnt again"
    );
    let token = said.rsplit('=').next().unwrap();
    mira.send("/undo", &format!("token={token}")).await;
    assert!(mira.get("/foryou/learned").await.body.contains("disliked much"));
}

#[tokio::test]
async fn every_item_says_why_in_a_sentence() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let (sea, _) = two_feeds(&site, &mira).await;
    let items = mira.items(sea).await;
    opens(&mira, &items[2..12]).await;
    for item in &items[2..12] {
        mira.send("/mark", &format!("mark=read:{item}")).await;
    }
    site.wait(1);
    let page = mira.get(&format!("/item/{}/why", items[0])).await.body;
    assert!(page.contains("of the last 10 from Foreshore") || page.contains("tide"), "{page}");
    mira.titles("/foryou").await;
    let part = mira.get(&format!("/part/item/{}", items[0])).await.body;
    assert!(part.contains("data-why-line") && part.contains("/foryou/learned"), "{part}");
    let read = mira.get(&format!("/item/{}/why", items[5])).await.body;
    assert!(read.contains("It is not in For you"), "{read}");
    let unseen = mira.get(&format!("/part/item/{}", items[5])).await.body;
    assert!(!unseen.contains("data-why-line") && unseen.contains(&format!("/item/{}/why", items[5])));
}

#[tokio::test]
async fn scripts_get_the_same_list_with_scores_and_reasons() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let (sea, _) = two_feeds(&site, &mira).await;
    opens(&mira, &mira.items(sea).await[..5]).await;
    let answer = mira.get("/api/foryou?limit=5").await.json();
    let items = answer["items"].as_array().unwrap();
    assert_eq!(items.len(), 5);
    let titles: Vec<&str> = items.iter().map(|one| one["title"].as_str().unwrap()).collect();
    assert_eq!(titles, mira.titles("/foryou").await[..5]);
    assert!(items[0]["why"].as_str().unwrap().len() > 3 && items[0]["score"].is_f64());
    assert_eq!(items[4]["row"], 4);
    let next = answer["next"].as_str().unwrap();
    let more = mira.get(&format!("/api/foryou?limit=5&after={next}")).await.json();
    assert_eq!(more["items"][0]["row"], 5);
    for odd in ["limit=0", "limit=201", "limit=x", "after=x"] {
        let answer = mira.get(&format!("/api/foryou?{odd}")).await;
        assert!(
            answer.status.is_client_error() && answer.json()["error"].as_str().unwrap().ends_with('.'),
            "{odd}"
        );
    }
}

#[tokio::test]
async fn folding_a_session_changes_nothing_a_person_sees() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let (sea, _) = two_feeds(&site, &mira).await;
    opens(&mira, &mira.items(sea).await[3..7]).await;
    site.wait(3_600);
    let strip = |body: String| body.split("<table class=\"learned\">").skip(1).collect::<String>();
    let before = (mira.titles("/foryou").await, strip(mira.get("/foryou/learned").await.body));
    let topics = recall::topics(&site.store).await.unwrap();
    assert!(recall::fold(&site.store, &topics, mira.user, site.now()).await.unwrap());
    assert!(!recall::fold(&site.store, &topics, mira.user, site.now()).await.unwrap(), "once");
    assert_eq!((mira.titles("/foryou").await, strip(mira.get("/foryou/learned").await.body)), before);
    let row = site.store.taste(mira.user).await.unwrap().unwrap();
    assert_eq!(row.revision, 1);
    // A session that goes on waits.
    opens(&mira, &mira.items(sea).await[..1]).await;
    let soon = site.now().saturating_add(Duration::from_secs(60));
    assert!(!recall::fold(&site.store, &topics, mira.user, soon).await.unwrap());
}
