//! `/search` and `/saved`: what is found, for whom, and what is said when nothing can be.

use crate::shelf::{Shelf, one_story};
use crate::site::{Person, Site, encoded, posted};
use axum::http::{Method, StatusCode};
use domain::{FeedId, ItemId};
use serde_json::Value;

async fn json(person: &Person<'_>, path: &str) -> (StatusCode, Value) {
    let headers = [("cookie", person.cookie.as_str()), ("accept", "application/json")];
    let answer = person.site.ask(Method::GET, path, &headers, "").await;
    (answer.status, answer.json())
}

async fn found(person: &Person<'_>, query: &str) -> Vec<String> {
    let (status, body) = json(person, &format!("/search?q={}", encoded(query))).await;
    assert_eq!(status, StatusCode::OK, "{query}: {body}");
    body["items"].as_array().unwrap().iter().map(|item| item["title"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn words_are_found_and_marked_in_title_and_text_without_scripts() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let tide = posted("Tide barrier to close", "<p>Wear on the hinge of the tide <b>barrier</b>.</p>");
    site.feed(&[&mira], "Harbour Ledger", &[tide, posted("Weather", "<p>Rain.</p>")]).await;
    let _shelf = Shelf::of(&site).await;
    let page = mira.get("/search?q=tide+barriers").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.body.contains("<h2 data-count>1 item</h2>"), "{}", page.body);
    assert!(page.body.contains("<mark>Tide barrier</mark> to close"), "{}", page.body);
    assert!(page.body.contains("hinge of the <mark>tide barrier</mark>"), "{}", page.body);
    assert!(page.body.contains("value=\"tide barriers\""), "the field says what was asked");
    assert!(!page.body.contains("Rain"));
    // An item opens in the list's manner.
    let item = mira.items(FeedId(1)).await;
    let open = mira.get(&format!("/search?q=tide&item={}", item[1])).await;
    assert!(open.body.contains("class=\"open-item\"") && open.body.contains("value=\"tide\""));
    assert_eq!(mira.get("/search?q=tide&item=999").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn filters_of_the_page_and_of_the_language_mean_the_same() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let ledger = site.feed(&[&mira], "Ledger", &[posted("Tide one", "ebb"), posted("Ebb two", "tide")]).await;
    let news = site.feed(&[&mira], "Ledger of News", &[posted("Tide three", "")]).await;
    let folder = site.store.add_folder(mira.user, None, "City").await.unwrap();
    let edit = store::SubscriptionEdit { folder: Some(Some(folder)), ..Default::default() };
    site.store.edit_subscription(mira.user, news, &edit).await.unwrap();
    let _shelf = Shelf::of(&site).await;
    let (one, two) = (mira.items(ledger).await[1], mira.items(ledger).await[0]);
    mira.send("/mark", &format!("mark=star:{one}")).await;
    mira.send("/mark", &format!("mark=read:{two}")).await;
    mira.send("/mark", &format!("mark=tag:{two}&tag=Sea+Side")).await;
    for (typed, chips, titles) in [
        ("tide feed:ledger", format!("q=tide&feed={ledger}"), vec!["Tide one", "Ebb two"]),
        ("tide feed:news", format!("q=tide&feed={news}"), vec!["Tide three"]),
        ("tide folder:city", format!("q=tide&folder={folder}"), vec!["Tide three"]),
        ("title:tide", "q=tide&titles=1".into(), vec!["Tide one", "Tide three"]),
        ("tide is:starred", "q=tide&starred=1".into(), vec!["Tide one"]),
        ("tide is:unread", "q=tide&unread=1".into(), vec!["Tide one", "Tide three"]),
        ("tag:\"sea side\"", "tag=Sea+Side".into(), vec!["Ebb two"]),
        ("tide after:2027-01-10", "q=tide&when=week".into(), vec!["Tide one", "Ebb two", "Tide three"]),
        ("tide before:2020", "q=tide&lang=fr".into(), vec![]),
    ] {
        let mut by_words = found(&mira, typed).await;
        let (_, body) = json(&mira, &format!("/search?{chips}&sort=newest")).await;
        let mut by_chips: Vec<String> = body["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["title"].as_str().unwrap().into())
            .collect();
        let mut titles: Vec<String> = titles.into_iter().map(str::to_owned).collect();
        by_words.sort();
        by_chips.sort();
        titles.sort();
        assert_eq!((&by_words, &by_chips), (&titles, &titles), "{typed}");
    }
    let (status, _) = json(&mira, "/search?q=tide&feed=999").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a5_and_a6_nobody_finds_completes_or_counts_what_is_not_theirs() {
    let site = Site::new().await;
    let (mira, eve) = (site.person("mira").await, site.person("eve").await);
    let secret =
        site.feed(&[&mira], "Mira's feed", &[posted("Quicksilver vault", "<p>quicksilver</p>")]).await;
    site.feed(&[&eve], "Eve's feed", &[posted("Plain", "<p>quick</p>")]).await;
    let mut shelf = Shelf::of(&site).await;
    shelf.channel(&site, secret, "Quicksilver", &["quicksilver", "vaults"]);
    assert_eq!(found(&mira, "quicksilver").await, ["Quicksilver vault"]);
    for query in ["quicksilver", "quick*", "quicksilvr", "feed:mira", "is:unread", "title:vault OR quick"] {
        let (_, body) = json(&eve, &format!("/search?q={}", encoded(query))).await;
        let text = body["items"].to_string() + &body["did_you_mean"].to_string();
        assert!(!text.contains("vault") && !text.contains("uicksilver"), "{query}: {body}");
        assert!(body["count"].as_u64().unwrap() <= 1, "{query}: {body}");
    }
    let live = eve.get("/part/search?q=quicks&live=1").await;
    assert!(live.body.contains("data-rest=\"\""), "{}", live.body);
    let live = mira.get("/part/search?q=quicks&live=1").await;
    assert!(live.body.contains("data-rest=\"ilver\""), "{}", live.body);
    for path in [format!("/search?feed={secret}&q=x"), "/search?feed=99999&q=x".to_owned()] {
        assert_eq!(eve.get(&path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn x2_titles_texts_and_queries_are_only_ever_text() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let evil = "<img src=x onerror=alert(1)> tide";
    let text = "<p>&lt;script&gt;alert(2)&lt;/script&gt; tide &amp; ebb</p>";
    site.feed(&[&mira], "<b>Feed</b>", &[posted(evil, text)]).await;
    let mut shelf = Shelf::of(&site).await;
    shelf.channel(&site, FeedId(1), "<b>Feed</b>", &["tide<i>"]);
    let query = encoded("tide OR \"<script>\" OR \"onerror\"");
    for path in [
        format!("/search?q={query}"),
        format!("/part/search?q={query}&live=1"),
        format!("/search?q={}", encoded("\"><script>alert(3)</script>")),
        format!("/search?tag={}", encoded("\"><script>alert(4)</script>")),
    ] {
        let page = mira.get(&path).await;
        for raw in ["<img src=x", "<script>alert", "<b>Feed", "tide<i>"] {
            assert!(!page.body.contains(raw), "{raw} in {path}: {}", page.body);
        }
    }
    let saved =
        mira.post("/saved", &format!("query=tide&name={}", encoded("<script>alert(5)</script>"))).await;
    assert_eq!(saved.status, StatusCode::SEE_OTHER);
    for path in ["/search", "/saved/1", "/part/saved"] {
        assert!(!mira.get(path).await.body.contains("<script>alert"), "{path}");
    }
}

#[tokio::test]
async fn o3_long_nested_and_empty_queries_are_bad_requests_with_a_sentence() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    site.feed(&[&mira], "Feed", &[posted("Tide", "")]).await;
    let _shelf = Shelf::of(&site).await;
    for (query, sentence) in [
        ("(".repeat(1_000), "too long"),
        ("a OR ".repeat(1_000), "too long"),
        (format!("{}tide", "(".repeat(30)), "nested too deeply"),
        ("a ".repeat(100), "too many words"),
        ("*".to_owned(), "nothing to look for"),
        ("OR AND NOT".to_owned(), "nothing to look for"),
        ("after:yesterday".to_owned(), "is not a date"),
        ("is:blue".to_owned(), "is not known"),
        ("lang:?".to_owned(), "is not a language"),
    ] {
        let short: String = query.chars().take(20).collect();
        let path = format!("/search?q={}", encoded(&query));
        let (status, body) = json(&mira, &path).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{short}");
        assert!(body["error"].as_str().unwrap().contains(sentence), "{short}: {body}");
        let page = mira.get(&path).await;
        assert_eq!(page.status, StatusCode::BAD_REQUEST);
        assert!(page.body.contains(sentence) && page.body.contains("id=\"ask\""), "{short}");
    }
    // A save that could not be read again is refused, too.
    let answer = mira.send("/saved", &format!("query={}", encoded(&"(".repeat(600)))).await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(mira.send("/saved", "query=%2A").await.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn the_page_teaches_before_helps_after_and_says_when_the_index_is_away() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    site.feed(&[&mira], "Feed", &[posted("Tide barrier", ""), posted("Tides", "")]).await;
    let away = mira.get("/search?q=tide").await;
    assert_eq!(away.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(
        away.body.contains("The index is being opened") && away.body.contains("Try again"),
        "{}",
        away.body
    );
    assert_eq!(json(&mira, "/search?q=tide").await.0, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(mira.get("/newest").await.status, StatusCode::OK, "reading goes on");
    let idle = mira.get("/search").await;
    assert_eq!(idle.status, StatusCode::OK);
    assert!(idle.body.contains("title:climate") && idle.body.contains("autofocus"), "{}", idle.body);

    let mut shelf = Shelf::empty(&site);
    shelf.rebuild(50_000);
    let building = mira.get("/search?q=tide").await;
    assert!(building.body.contains("0 of 50,000 items. Results are incomplete."), "{}", building.body);
    let _shelf = Shelf::of(&site).await;
    let meant = mira.get("/search?q=barier").await;
    assert!(
        meant.body.contains("Did you mean") && meant.body.contains("data-meant=\"barrier\""),
        "{}",
        meant.body
    );
    let none = mira.get("/search?q=zebra&unread=1").await;
    assert!(
        none.body.contains("Nothing found") && none.body.contains("Search without filters"),
        "{}",
        none.body
    );
    site.finder.fill(None, None, Some("No room on the disk.".into()));
    let away = mira.get("/search?q=tide").await;
    assert!(away.body.contains("The index cannot be used right now"), "{}", away.body);
}

#[tokio::test]
async fn pages_neither_lose_nor_repeat_a_row_in_either_order_with_copies_put_together() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let titles: Vec<String> = (0..100).map(|n| format!("Tide {}", "tide ".repeat(n % 7))).collect();
    let items: Vec<_> = titles
        .iter()
        .zip(0..)
        .map(|(title, n)| crate::site::Posted { ago: n * 3_600, ..posted(title, "<p>tide</p>") })
        .collect();
    let one = site.feed(&[&mira], "One", &items[..50]).await;
    let two = site.feed(&[&mira], "Two", &items[50..]).await;
    let (one, two) = (mira.items(one).await, mira.items(two).await);
    // Ten stories, each with a copy in the other feed, mostly on another page.
    let stories: Vec<[ItemId; 2]> = (0..10).map(|n| [one[5 * n], two[49 - 4 * n]]).collect();
    for story in &stories {
        one_story(&site, story).await;
    }
    let mut shelf = Shelf::of(&site).await;
    let mut later = 0;
    for sort in ["best", "newest"] {
        let (mut seen, mut pages, mut after) = (Vec::new(), 0, String::new());
        let (mut folded, there) = (0, 90 + later);
        loop {
            let (_, body) = json(&mira, &format!("/search?q=tide&sort={sort}&after={after}")).await;
            seen.extend(body["items"].as_array().unwrap().iter().map(|item| item["id"].as_i64().unwrap()));
            folded += body["folded"].as_u64().unwrap();
            pages += 1;
            // What comes meanwhile does not shift the pages.
            site.poll(FeedId(1), "One", &[posted("Tide tide tide tide", "tide")]).await;
            shelf.follow(&site).await;
            later += 1;
            match body["after"].as_str() {
                Some(next) => after = next.to_owned(),
                None => break,
            }
        }
        let mut once = seen.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!((once.len(), seen.len(), folded, pages), (there, there, 10, 4), "{sort}");
        for [a, b] in &stories {
            assert!(seen.contains(&a.0) != seen.contains(&b.0), "{sort}: one row per story");
        }
        site.wait(60);
    }
    let (_, each) = json(&mira, "/search?q=tide&each=1").await;
    assert_eq!(each["folded"], 0);
    let page = mira.get("/search?q=tide").await;
    assert!(page.body.contains("also in 1 feed</summary>"), "{}", page.body);
}

#[tokio::test]
async fn a_saved_search_counts_what_is_new_and_can_be_renamed_removed_and_brought_back() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let feed = site.feed(&[&mira], "Feed", &[posted("Night ferry", ""), posted("Day ferry", "")]).await;
    let mut shelf = Shelf::of(&site).await;
    let page = mira.get("/search?q=Night+ferry&unread=1").await;
    assert!(page.body.contains("It would have found 1 item this week."), "{}", page.body);
    assert!(page.body.contains("name=\"query\" value=\"night ferry is:unread\""), "{}", page.body);
    let saved = mira.post("/saved", "query=night+ferry+is%3Aunread&name=Night+ferry&back=/search").await;
    assert_eq!(saved.header("location"), "/search?said=saved");
    let page = mira.get("/search?q=night+ferry+is%3Aunread").await;
    assert!(
        page.body.contains("Saved as Night ferry.") && page.body.contains("nothing since"),
        "{}",
        page.body
    );

    site.poll(feed, "Feed", &[posted("Night ferry again", ""), posted("Night train", "")]).await;
    shelf.follow(&site).await;
    let page = mira.get("/search").await;
    assert!(page.body.contains(">1 new</span>"), "{}", page.body);
    let list = mira.get("/saved/1").await;
    assert!(list.body.contains("class=\"row hit new fresh\""), "{}", list.body);
    assert_eq!(list.body.matches(" fresh\"").count(), 1, "only what came since is new");
    assert_eq!(
        mira.get("/search").await.body.matches(">1 new</span>").count(),
        1,
        "looking by GET changes nothing"
    );
    let newest = site.store.newest_item().await.unwrap();
    mira.post("/saved/1/seen", &format!("to={newest}")).await;
    assert!(mira.get("/part/saved").await.body.contains("nothing since"));

    mira.post("/saved/1", "name=Ferries").await;
    assert!(mira.get("/saved/1").await.body.contains("<h1 class=\"saved-name\" dir=\"auto\">Ferries</h1>"));
    let removed = mira.post("/saved/1/remove", "back=/saved/1").await;
    assert!(removed.header("location").starts_with("/search?said=removed&undo="), "{:?}", removed.headers);
    assert_eq!(mira.get("/saved/1").await.status, StatusCode::NOT_FOUND);
    let undo = removed.header("location").rsplit('=').next().unwrap().to_owned();
    assert!(mira.get(removed.header("location")).await.body.contains(&format!("value=\"{undo}\"")));
    mira.post("/undo", &format!("token={undo}&back=/search")).await;
    assert!(mira.get("/search").await.body.contains(">Ferries</a>"));
}

#[tokio::test]
async fn what_is_seen_in_search_is_taken_and_other_places_are_refused() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    site.feed(&[&mira], "Feed", &[posted("Tide", "")]).await;
    for (place, status) in [
        ("search", StatusCode::NO_CONTENT),
        ("saved/3", StatusCode::NO_CONTENT),
        ("saved/x", StatusCode::UNPROCESSABLE_ENTITY),
        ("search/more", StatusCode::UNPROCESSABLE_ENTITY),
    ] {
        let event = r#"{"item":1,"kind":"impression","position":0}"#;
        let report = format!(r#"{{"place":"{place}","events":[{event}]}}"#);
        assert_eq!(mira.send_json("/seen", &report).await.status, status, "{place}");
    }
    assert_eq!(
        mira.send("/mark", "mark=star:1&place=search").await.json()["changed"],
        serde_json::json!([1])
    );
}
