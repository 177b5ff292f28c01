//! The same story in several feeds: one row where the reader wants it, every copy counted, marked and undone as one.

use crate::shelf::{Shelf, one_story};
use crate::site::{Person, Posted, Site, posted};
use domain::ItemId;

async fn group(person: &Person<'_>) {
    let answer = person.post("/settings/comfort", "group_stories=yes").await;
    assert_eq!(answer.header("location"), "/settings?said=saved");
}

fn at<'a>(title: &'a str, hours: i64) -> Posted<'a> {
    Posted { ago: hours * 3_600, ..posted(title, "<p>tide</p>") }
}

#[tokio::test]
async fn copies_share_a_row_only_where_the_reader_switched_it_on() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let one = site.feed(&[&mira], "One", &[at("Old copy", 9), at("Alone", 5)]).await;
    let two = site.feed(&[&mira], "Two", &[at("New copy", 2), at("Other", 7)]).await;
    let copies = [mira.items(one).await[1], mira.items(two).await[0]];
    one_story(&site, &copies).await;
    assert_eq!(
        mira.titles("/newest").await,
        ["New copy", "Alone", "Other", "Old copy"],
        "nothing is thinned unasked"
    );
    group(&mira).await;
    assert_eq!(mira.titles("/newest").await, ["New copy", "Alone", "Other"]);
    let page = mira.get("/newest").await;
    assert!(page.body.contains("also in 1 feed</summary>"), "{}", page.body);
    assert!(
        page.body.contains(&format!("/newest?item={}\" data-other", copies[0])),
        "each copy has its link"
    );
    assert!(page.body.contains("data-count=\"unread\">4<"), "counters count items");
    assert_eq!(
        mira.titles(&format!("/feed/{one}")).await,
        ["Alone", "Old copy"],
        "a feed keeps its own copy"
    );
    assert_eq!(mira.titles("/starred").await, Vec::<String>::new());
    mira.post("/settings/comfort", "order=oldest").await;
    assert_eq!(
        mira.titles("/newest").await,
        ["Old copy", "Other", "Alone"],
        "a story stands where it is met first"
    );
    // A copy that is read is not in Unread, so the other one is shown there.
    mira.send("/mark", &format!("mark=read:{}", copies[0])).await;
    assert_eq!(mira.titles("/unread").await, ["Other", "Alone", "New copy"]);
}

#[tokio::test]
async fn pages_of_a_list_with_copies_neither_lose_nor_repeat_a_row() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let items: Vec<Posted<'_>> = (0..70).map(|n| at("Story", n)).collect();
    let one = site.feed(&[&mira], "One", &items).await;
    let two = site.feed(&[&mira], "Two", &items).await;
    let (one, two) = (mira.items(one).await, mira.items(two).await);
    for n in 0..35 {
        one_story(&site, &[one[n], two[69 - n]]).await;
    }
    group(&mira).await;
    let (mut seen, mut path) = (Vec::new(), "/newest".to_owned());
    for _ in 0..10 {
        let page = mira.get(&path).await.body;
        seen.extend(page.split("<li class=\"row").skip(1).map(|row| {
            row.split("data-id=\"")
                .nth(1)
                .and_then(|rest| rest.split('"').next())
                .unwrap()
                .parse::<i64>()
                .unwrap()
        }));
        let Some(more) = page.split("href=\"").find(|part| part.starts_with("/newest?after=")) else { break };
        path = more.split('"').next().unwrap().replace("&amp;", "&");
    }
    let mut once = seen.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!((seen.len(), once.len()), (105, 105), "140 items, 35 of them copies");
    for n in 0..35 {
        let shown: Vec<&ItemId> =
            [&one[n], &two[69 - n]].into_iter().filter(|item| seen.contains(&item.0)).collect();
        assert_eq!(shown.len(), 1);
    }
}

#[tokio::test]
async fn a_group_is_marked_and_taken_back_as_one() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let one = site.feed(&[&mira], "One", &[at("A", 1)]).await;
    let two = site.feed(&[&mira], "Two", &[at("B", 2), at("C", 3)]).await;
    let (a, b, c) = (mira.items(one).await[0], mira.items(two).await[0], mira.items(two).await[1]);
    one_story(&site, &[a, b, c]).await;
    mira.send("/mark", &format!("mark=read:{c}")).await;
    let _shelf = Shelf::of(&site).await;
    let page = mira.get("/search?q=tide").await;
    let group =
        page.body.split("data-group=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap().to_owned();
    let marked = mira.send("/mark", &format!("mark=read:{group}&group=1&place=search")).await.json();
    assert_eq!((marked["count"].as_u64(), marked["unread"].as_u64()), (Some(2), Some(0)));
    let undone = mira.send("/undo", &format!("token={}", marked["undo"])).await.json();
    assert_eq!(
        (undone["count"].as_u64(), undone["unread"].as_u64()),
        (Some(2), Some(2)),
        "what was read before stays so"
    );
}

#[tokio::test]
async fn a6_a_copy_in_somebody_elses_feed_is_not_told() {
    let site = Site::new().await;
    let (mira, eve) = (site.person("mira").await, site.person("eve").await);
    let hers = site.feed(&[&mira], "Mira's", &[at("Copy", 1)]).await;
    let own = site.feed(&[&eve], "Eve's", &[at("Story", 2)]).await;
    one_story(&site, &[mira.items(hers).await[0], eve.items(own).await[0]]).await;
    group(&eve).await;
    let _shelf = Shelf::of(&site).await;
    for path in ["/newest", "/search?q=tide"] {
        let page = eve.get(path).await.body;
        assert!(page.contains("Story") || page.contains(">Story<"), "{page}");
        assert!(!page.contains("also in") && !page.contains("Mira"), "{path}: {page}");
    }
}
