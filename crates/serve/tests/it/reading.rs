//! Lists, items and marks, as a browser with and without scripts meets them.

use crate::site::{NOW, Posted, Site, encoded, posted};
use axum::http::StatusCode;
use domain::preferences::{Images, ReadingOrder};
use domain::{Enclosure, Preferences};
use store::FullText;

#[tokio::test]
async fn lists_show_what_they_promise_newest_first() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let one = site
        .feed(&[&mira], "One", &[Posted { ago: 600, ..posted("Old", "<p>x</p>") }, posted("New", "")])
        .await;
    site.feed(&[&mira], "Two", &[Posted { ago: 60, ..posted("Middle", "") }]).await;
    assert_eq!(mira.titles("/newest").await, ["New", "Middle", "Old"]);
    assert_eq!(mira.titles(&format!("/feed/{one}")).await, ["New", "Old"]);
    let items = mira.items(one).await;
    mira.send("/mark", &format!("mark=read:{}", items[0])).await;
    mira.send("/mark", &format!("mark=star:{}", items[1])).await;
    mira.send("/mark", &format!("mark=tag:{}&tag=sea,c%2B%2B", items[1])).await;
    assert_eq!(mira.titles("/unread").await, ["Middle", "Old"]);
    assert_eq!(mira.titles("/starred").await, ["Old"]);
    assert_eq!(mira.titles("/tag/c++").await, ["Old"]);
    assert_eq!(mira.titles(&format!("/feed/{one}?all=0")).await, ["Old"]);
    mira.send("/mark", &format!("mark=hide:{}", items[1])).await;
    assert_eq!(mira.titles("/newest").await, ["New", "Middle"]);
    assert_eq!(mira.titles("/hidden").await, ["Old"]);
    let hidden = mira.get("/hidden").await;
    assert!(hidden.body.contains("hidden by you"), "{}", hidden.body);
}

#[tokio::test]
async fn an_open_item_shows_its_text_and_its_facts() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    site.wait(86_400);
    let item = Posted {
        author: Some("Ilse Morrane"),
        ago: 360,
        ..posted("The clerks", "<p>In the <b>ledger</b> room</p>")
    };
    let feed = site.feed(&[&mira], "Foreshore", &[]).await;
    site.wait(86_400);
    site.poll(feed, "Foreshore", &[item]).await;
    let id = mira.items(feed).await[0];
    let page = mira.get(&format!("/newest?item={id}")).await;
    for text in [
        "<p>In the <b>ledger</b> room</p>",
        "Ilse Morrane",
        "found 6 min after it was posted",
        "3 min to read",
        "href=\"https://site.example/page\"",
    ] {
        assert!(page.body.contains(text), "{text}: {}", page.body);
    }
    let part = mira.get(&format!("/part/item/{id}")).await;
    assert!(part.body.contains("ledger") && !part.body.contains("<html"), "{}", part.body);
    assert_eq!(site.store.counts(mira.user).await.unwrap().total, 1, "a GET changes nothing (A1)");
}

#[tokio::test]
async fn pages_go_on_where_the_last_one_ended() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let titles: Vec<String> = (0..120).map(|n| format!("Item {n:03}")).collect();
    let items: Vec<Posted<'_>> = titles.iter().map(|title| posted(title, "")).collect();
    site.feed(&[&mira], "Many", &items).await;
    let mut path = "/newest".to_owned();
    let mut seen = Vec::new();
    for _ in 0..5 {
        seen.extend(mira.titles(&path).await);
        let page = mira.get(&path).await;
        let Some(next) = page.body.split("class=\"onward\"").nth(1) else { break };
        path = next.split('"').find(|part| part.starts_with("/newest?after=")).unwrap().to_owned();
        // What arrives meanwhile neither shifts nor repeats rows.
        site.feed(&[&mira], "Fresh", &[posted("Arrived meanwhile", "")]).await;
    }
    let mut expected: Vec<String> = titles;
    expected.reverse();
    assert_eq!(seen, expected);
    let cursor = path.split("after=").nth(1).unwrap();
    let part = mira.get(&format!("/part/rows?place=newest&after={cursor}&from=100")).await;
    assert!(part.body.contains("data-position=\"100\""), "{}", part.body);
}

#[tokio::test]
async fn a_page_asked_for_again_has_as_many_rows_within_bounds_and_its_open_row_is_marked() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let titles: Vec<String> = (0..230).map(|n| format!("Item {n:03}")).collect();
    let items: Vec<Posted<'_>> = titles.iter().map(|title| posted(title, "")).collect();
    let feed = site.feed(&[&mira], "Many", &items).await;
    for (asked, rows) in [("?rows=120", 120), ("?rows=9999", 200), ("?rows=1", 50), ("", 50)] {
        assert_eq!(mira.titles(&format!("/newest{asked}")).await.len(), rows, "{asked}");
    }
    let id = mira.items(feed).await[99];
    let page = mira.get(&format!("/newest?rows=120&item={id}")).await;
    let rows: Vec<&str> =
        page.body.split("<li class=\"row").skip(1).filter_map(|row| row.split('>').next()).collect();
    let marked: Vec<&&str> = rows.iter().filter(|row| row.contains("aria-current")).collect();
    assert_eq!((rows.len(), marked.len()), (120, 1));
    assert!(marked[0].contains(&format!("data-id=\"{id}\"")), "{marked:?}");
    assert!(page.body.contains(&format!("item={id}&#38;rows=120")), "a click keeps the place");
}

#[tokio::test]
async fn a_feed_in_no_folder_is_not_taken_for_one_of_the_last_folder() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let (inside, outside) =
        (site.feed(&[&mira], "Inside", &[]).await, site.feed(&[&mira], "Outside", &[]).await);
    let folder = site.store.add_folder(mira.user, None, "Sea").await.unwrap();
    let edit = store::SubscriptionEdit { folder: Some(Some(folder)), ..store::SubscriptionEdit::default() };
    site.store.edit_subscription(mira.user, inside, &edit).await.unwrap();
    let page = mira.get("/newest").await;
    let depth = |feed| {
        let before = page.body.split(&format!("data-feed=\"{feed}\"")).next()?;
        before.rsplit("data-depth=\"").next()?.chars().next()
    };
    assert_eq!((depth(inside), depth(outside)), (Some('1'), Some('0')));
}

#[tokio::test]
async fn marks_work_without_scripts_and_can_be_taken_back() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let feed = site.feed(&[&mira], "One", &[posted("A", ""), posted("B", "")]).await;
    let id = mira.items(feed).await[0];
    let back = format!("/newest?item={id}");
    let answer = mira.post("/mark", &format!("mark=star:{id}&back={}", encoded(&back))).await;
    assert_eq!((answer.status, answer.header("location")), (StatusCode::SEE_OTHER, back.as_str()));
    assert_eq!(mira.titles("/starred").await, ["B"]);
    let all = mira
        .send("/mark-all", &format!("place=newest&up_to={}-{}", NOW.micros() + 10_000_000, 1_000))
        .await
        .json();
    assert_eq!((all["count"].as_u64(), all["unread"].as_u64()), (Some(2), Some(0)));
    let undone = mira.send("/undo", &format!("token={}", all["undo"])).await.json();
    assert_eq!(undone["unread"], 2);
}

#[tokio::test]
async fn mark_all_reaches_only_what_the_page_showed() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let feed = site.feed(&[&mira], "One", &[posted("A", "")]).await;
    let page = mira.get("/unread").await;
    let up_to = page.body.split("data-up-to=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    site.wait(10);
    site.poll(feed, "One", &[Posted { ago: 5, ..posted("Arrived since", "") }]).await;
    mira.send("/mark-all", &format!("place=unread&up_to={up_to}")).await;
    assert_eq!(mira.titles("/unread").await, ["Arrived since"]);
    // A phone whose clock is a day off sends the page's own words; a made-up future reaches no further than it says.
    for odd in ["", "x", "1", "99999999999999999999-1"] {
        let answer = mira.send("/mark-all", &format!("place=unread&up_to={odd}")).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{odd}");
    }
}

#[tokio::test]
async fn two_tabs_and_two_devices_end_in_the_same_place() {
    let site = Site::new().await;
    let phone = site.person("mira").await;
    let desk = site.signed_in(phone.user).await;
    let feed = site.feed(&[&phone], "One", &[posted("A", "")]).await;
    let id = phone.items(feed).await[0];
    let unread = async || site.store.counts(phone.user).await.unwrap().total;
    for _ in 0..3 {
        phone.send("/mark", &format!("mark=read:{id}")).await;
        desk.send("/mark", &format!("mark=read:{id}")).await;
        assert_eq!(unread().await, 0);
    }
    desk.send("/mark", &format!("mark=unread:{id}")).await;
    assert_eq!(unread().await, 1);
    // The queue of a phone that was offline arrives late: the last writer by the server's order wins.
    phone.send("/mark", &format!("mark=read:{id}")).await;
    assert_eq!(unread().await, 0);
}

#[tokio::test]
async fn full_text_is_shown_on_demand_or_the_reason_why_not() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let feed = site.feed(&[&mira], "One", &[posted("A", "<p>Short</p>")]).await;
    let id = mira.items(feed).await[0];
    let refused = mira.send(&format!("/item/{id}/full-text"), "back=/newest").await.json();
    assert_eq!(refused["ok"], false);
    assert!(refused["error"].as_str().unwrap().contains("does not answer"), "{refused}");
    *site.desk.full_text.lock().unwrap() = Some(Ok(FullText {
        fetched_at: NOW,
        html: Some("<p>The whole story</p>".into()),
        sentence: None,
        title: None,
    }));
    let answer = mira
        .post(&format!("/item/{id}/full-text"), &format!("back={}", encoded(&format!("/newest?item={id}"))))
        .await;
    assert_eq!(answer.header("location"), format!("/newest?item={id}&full=1"));
    let page = mira.get(answer.header("location")).await;
    assert!(page.body.contains("The whole story") && !page.body.contains("<p>Short</p>"), "{}", page.body);
    let page = mira.get(&format!("/newest?item={id}")).await;
    assert!(page.body.contains("<p>Short</p>"), "{}", page.body);
}

#[tokio::test]
async fn sound_is_played_where_it_was_left() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let enclosures = vec![Enclosure {
        url: "https://site.example/e1.mp3".into(),
        media_type: Some("audio/mpeg".into()),
        bytes: None,
        seconds: None,
    }];
    let feed = site.feed(&[&mira], "Cast", &[Posted { enclosures, ..posted("Episode", "") }]).await;
    let id = mira.items(feed).await[0];
    assert_eq!(
        mira.send(&format!("/item/{id}/position"), "enclosure=0&seconds=61.5").await.status,
        StatusCode::NO_CONTENT
    );
    let page = mira.get(&format!("/part/item/{id}")).await;
    assert!(page.body.contains("<audio") && page.body.contains("data-position=\"61.5\""), "{}", page.body);
    for odd in [
        "enclosure=0&seconds=NaN",
        "enclosure=0&seconds=-1",
        "enclosure=9&seconds=1",
        "enclosure=0&seconds=1e9",
    ] {
        let answer = mira.send(&format!("/item/{id}/position"), odd).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{odd}");
    }
}

#[tokio::test]
async fn times_and_words_follow_the_person() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let feed = site.feed(&[&mira], "One", &[posted("A", "<p>x</p>")]).await;
    let likes = Preferences {
        language: Some(domain::preferences::Language::German),
        time_zone: Some("Asia/Tokyo".into()),
        order: ReadingOrder::OldestFirst,
        ..Preferences::default()
    };
    site.store.set_preferences(mira.user, &likes).await.unwrap();
    let id = mira.items(feed).await[0];
    let page = mira.get(&format!("/unread?item={id}")).await;
    // 1,800,000,000 s is 15 January 2027, 08:00 UTC: 17:00 in Tokyo.
    for text in ["lang=\"de\"", "Ungelesen", "Heute, 17:00", "Als gelesen markieren"] {
        assert!(page.body.contains(text), "{text}: {}", page.body);
    }
}

#[tokio::test]
async fn empty_lists_teach() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let page = mira.get("/unread").await;
    assert!(page.body.contains("No feeds yet") && page.body.contains("href=\"/subscribe\""), "{}", page.body);
    site.feed(&[&mira], "One", &[]).await;
    for (path, text) in
        [("/unread", "Nothing unread"), ("/starred", "Press s"), ("/hidden", "Nothing hidden")]
    {
        assert!(mira.get(path).await.body.contains(text), "{path}");
    }
}

#[tokio::test]
async fn what_was_on_screen_is_recorded_and_nonsense_is_not() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let feed = site.feed(&[&mira], "One", &[posted("A", "")]).await;
    let id = mira.items(feed).await[0];
    let report = format!(
        r#"{{"place":"feed/{feed}","visit":true,"events":[{{"item":{id},"kind":"impression","position":0,"ago_ms":1500}},
            {{"item":{id},"kind":"open","position":0,"dwell_ms":42000}},{{"item":{id},"kind":"star"}},
            {{"item":{id},"kind":"open","ago_ms":99999999999}}]}}"#
    );
    assert_eq!(mira.send_json("/seen", &report).await.status, StatusCode::NO_CONTENT);
    let worth =
        site.store.feed_worth(mira.user, domain::Timestamp::from_seconds(0), site.now()).await.unwrap();
    assert_eq!((worth[0].opened, worth[0].starred), (1, 0), "a star is told by starring, not by a script");
    for odd in ["{}", "[]", r#"{"place":"nowhere"}"#, r#"{"place":"newest","events":[{"item":"x"}]}"#] {
        assert!(mira.send_json("/seen", odd).await.status.is_client_error(), "{odd}");
    }
}

#[tokio::test]
async fn pictures_go_through_the_proxy_straight_or_nowhere_as_the_person_likes() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let html = "<p><img src=\"https://pics.example/a.png\" alt=\"A harbour\"></p>";
    let feed = site.feed(&[&mira], "One", &[posted("A", html)]).await;
    let id = mira.items(feed).await[0];
    for (images, has, lacks) in [
        (Images::Proxy, "src=\"/media/image/", "https://pics.example"),
        (Images::Direct, "src=\"https://pics.example/a.png\"", "/media/"),
        (Images::Hidden, "A harbour", "<img src"),
    ] {
        let likes = Preferences { images, ..Preferences::default() };
        site.store.set_preferences(mira.user, &likes).await.unwrap();
        let page = mira.get(&format!("/part/item/{id}")).await;
        assert!(page.body.contains(has) && !page.body.contains(lacks), "{images:?}: {}", page.body);
        let policy = page.header("content-security-policy");
        assert_eq!(policy.contains("https:"), images == Images::Direct, "{policy}");
    }
}
