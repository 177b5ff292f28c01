//! Finding channels, and what a feed's page says of its profile.

use crate::learned::{About, learn, private_feed, same_stories};
use crate::site::{Person, Posted, Site, posted};
use axum::http::{Method, StatusCode};
use domain::FeedId;

/// Three people's feeds about different things.
async fn library(site: &Site, mira: &Person<'_>, eve: &Person<'_>) -> [FeedId; 4] {
    let harbour = site.feed(&[mira], "Harbour Ledger", &[posted("Cranes stand still", "")]).await;
    let tide = site.feed(&[mira], "The Surge Desk", &[]).await;
    let bees = site.feed(&[eve], "Hive Notes", &[]).await;
    let chess = site.feed(&[mira], "Endgame Weekly", &[]).await;
    let about = |feed, topic| (feed, topic);
    let all = [
        about(harbour, "tide barrier"),
        about(tide, "tide gauge"),
        about(bees, "beekeeping"),
        about(chess, "chess"),
    ];
    for (feed, topic) in all {
        learn(site, &[About { feed, topics: &[(topic, 45)] }]).await;
    }
    [harbour, tide, bees, chess]
}

/// The names of the channels in a page's list, in order.
fn channels(page: &str) -> Vec<String> {
    let main = page.split("<aside>").next().unwrap_or_default();
    let name = |part: &str| {
        Some(
            part.split("<h3")
                .nth(1)?
                .split("</h3>")
                .next()?
                .rsplit('>')
                .find(|text| !text.is_empty())?
                .replace("</a", ""),
        )
    };
    main.split("class=\"channel\"").skip(1).filter_map(name).collect()
}

/// A form with a file or a text.
async fn bring(person: &Person<'_>, name: &str, body: &str) -> crate::site::Answer {
    let file = if name == "file" { "; filename=\"list.opml\"" } else { "" };
    let body =
        format!("--x\r\ncontent-disposition: form-data; name=\"{name}\"{file}\r\n\r\n{body}\r\n--x--\r\n");
    let headers = [
        ("cookie", person.cookie.as_str()),
        ("sec-fetch-site", "same-origin"),
        ("accept", "text/html"),
        ("content-type", "multipart/form-data; boundary=x"),
    ];
    person.site.ask(Method::POST, "/discover", &headers, &body).await
}

#[tokio::test]
async fn a_channel_is_found_by_words_followed_by_one_click_and_left_by_another() {
    let site = Site::new().await;
    let (mira, eve) = (site.person("mira").await, site.person("eve").await);
    let [harbour, ..] = library(&site, &mira, &eve).await;
    let page = eve.get("/discover?q=tides").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.body.contains("2 channels about “tides”"), "{}", page.body);
    let mut found = channels(&page.body);
    found.sort();
    assert_eq!(found, ["Harbour Ledger", "The Surge Desk"]);
    assert!(
        page.body.contains("<mark>tide barrier</mark>") || page.body.contains("<mark>tide</mark>"),
        "{}",
        page.body
    );
    assert!(page.body.contains("Cranes stand still"), "a recent title helps to choose");
    assert!(page.body.contains("keeps to its subject 0.") && page.body.contains("match 0."));

    let done = eve.post("/discover/follow", &format!("feed={harbour}&back=%2Fdiscover%3Fq%3Dtides")).await;
    let page = eve.get(done.header("location")).await;
    assert!(
        page.body.contains("You now follow Harbour Ledger.") && page.body.contains("Undo"),
        "{}",
        page.body
    );
    assert!(page.body.contains(">subscribed<"));
    assert!(site.store.subscription(eve.user, harbour).await.unwrap().is_some());
    assert!(site.desk.asked.lock().unwrap().iter().all(|asked| asked == "wake"), "nothing is fetched for it");
    eve.post("/feeds", &format!("undo=l{harbour}&back=%2Fdiscover")).await;
    assert!(site.store.subscription(eve.user, harbour).await.unwrap().is_none());

    let none = eve.get("/discover?q=zeppelin").await;
    assert!(
        none.body.contains("No channel here is about “zeppelin”.")
            && none.body.contains("looks nowhere else")
    );
    assert!(none.body.contains("Start from a pack"));
}

#[tokio::test]
async fn a_text_a_list_a_channel_and_what_is_read_find_what_is_near() {
    let site = Site::new().await;
    let (mira, eve) = (site.person("mira").await, site.person("eve").await);
    let [harbour, tide, bees, _] = library(&site, &mira, &eve).await;
    let text = "The beekeeping season begins, and people who love beekeeping say that nothing was ever so good for their bees.";
    assert_eq!(
        channels(&bring(&mira, "text", text).await.body).first().map(String::as_str),
        Some("Hive Notes")
    );

    let url = site.store.feed(harbour).await.unwrap().unwrap().url;
    let opml = format!(
        "<opml><body><outline xmlUrl=\"{url}\"/><outline xmlUrl=\"https://else.example/\"/></body></opml>"
    );
    let page = bring(&eve, "file", &opml).await;
    assert!(page.body.contains("1 of the 2 feeds in the file are known here."), "{}", page.body);
    assert_eq!(channels(&page.body).first().map(String::as_str), Some("The Surge Desk"));
    assert!(
        site.store.subscription(eve.user, harbour).await.unwrap().is_none(),
        "nothing of the file is followed"
    );

    let page = mira.get(&format!("/discover?like={harbour}")).await;
    assert_eq!(channels(&page.body).first().map(String::as_str), Some("The Surge Desk"), "{}", page.body);
    assert!(page.body.contains("like Harbour Ledger"));

    // Eve reads about bees; a second feed about them appears once somebody else follows it.
    let wax = site.feed(&[&mira], "Wax and Wings", &[]).await;
    learn(&site, &[About { feed: wax, topics: &[("beekeeping", 30)] }]).await;
    site.wait(10);
    let page = eve.get("/discover").await;
    assert!(page.body.contains("You have opened little so far"), "{}", page.body);
    assert_eq!(channels(&page.body).first().map(String::as_str), Some("Wax and Wings"));
    assert!(!channels(&page.body).contains(&"Hive Notes".to_owned()), "what is followed is no news");
    let _ = (tide, bees);
}

#[tokio::test]
async fn a6_private_feeds_and_their_words_are_nobody_elses() {
    let site = Site::new().await;
    let (mira, eve) = (site.person("mira").await, site.person("eve").await);
    let own = site.feed(&[&eve], "Eve's own", &[]).await;
    let private = private_feed(&site, &mira, "https://private.example/feed", "Airship Diary").await;
    let keyed = "https://keyed.example/feed?token=s3cret";
    let secret = site.feed_at(&[&mira], keyed, "Keyed Diary", &[posted("Gondola", "")]).await;
    for feed in [private, secret, own] {
        learn(&site, &[About { feed, topics: &[("zeppelin gondola", 45)] }]).await;
    }
    let hears_nothing = |answer: &crate::site::Answer| {
        for word in ["Airship", "Keyed", "private.example", "keyed.example", "s3cret"] {
            assert!(!answer.body.contains(word), "{word}: {}", answer.body);
        }
    };
    let text = "The zeppelin and its gondola, as people who know the zeppelin say, were never so good as in this year.";
    let ways = [
        eve.get("/discover?q=zeppelin+gondola").await,
        eve.get("/discover").await,
        eve.get("/discover?by=popular").await,
        eve.get(&format!("/discover?like={own}")).await,
        eve.get(&format!("/feed/{own}/about")).await,
        bring(&eve, "text", text).await,
        eve.get("/api/channels?q=zeppelin").await,
        eve.get("/api/channels?by=reading").await,
        eve.get(&format!("/api/channels?like={own}")).await,
    ];
    ways.iter().for_each(hears_nothing);
    for feed in [private, secret] {
        assert_eq!(eve.post("/discover/follow", &format!("feed={feed}")).await.status, StatusCode::NOT_FOUND);
        assert_eq!(eve.get(&format!("/icon/{feed}")).await.status, StatusCode::NOT_FOUND);
        let like = |id: i64| format!("/api/channels?like={id}");
        let (theirs, never) = (eve.get(&like(feed.0)).await, eve.get(&like(999_999)).await);
        assert_eq!((theirs.status, &theirs.body), (never.status, &never.body));
    }
    let opml = format!(
        "<opml><body><outline xmlUrl=\"{}\"/><outline xmlUrl=\"https://private.example/feed\"/></body></opml>",
        keyed
    );
    let page = bring(&eve, "file", &opml).await;
    assert!(!page.body.contains("are known here"), "a list does not tell what others follow: {}", page.body);
    // Their own people find them.
    assert_eq!(channels(&mira.get("/discover?q=zeppelin").await.body).len(), 3);
}

#[tokio::test]
async fn popular_is_what_five_people_follow_and_can_be_switched_off() {
    let site = Site::new().await;
    let root = site.admin("root").await;
    let names = ["a", "b", "c", "d", "e"];
    let mut people = Vec::new();
    for name in names {
        people.push(site.person(name).await);
    }
    let all: Vec<&Person<'_>> = people.iter().collect();
    let many = site.feed(&all, "Read by many", &[]).await;
    site.feed(&all[..4], "Read by few", &[]).await;
    learn(&site, &[About { feed: many, topics: &[("chess", 30)] }]).await;
    let page = root.get("/discover?by=popular").await;
    assert_eq!(channels(&page.body), ["Read by many"]);
    assert!(page.body.contains("5 read it here"), "{}", page.body);
    assert_eq!(
        channels(&people[0].get("/discover?by=popular").await.body),
        [""; 0],
        "no news to those who follow it"
    );
    root.post("/admin/popular", "shown=").await;
    let page = root.get("/discover?by=popular").await;
    assert!(channels(&page.body).is_empty() && !page.body.contains("Popular here"), "{}", page.body);
    root.post("/admin/popular", "shown=1").await;
    assert_eq!(channels(&root.get("/discover?by=popular").await.body), ["Read by many"]);
}

#[tokio::test]
async fn a_new_server_says_what_discover_needs() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let page = mira.get("/discover").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(
        page.body.contains("You follow nothing yet.") && page.body.contains("Start from a pack"),
        "{}",
        page.body
    );
    for path in ["/discover?by=text", "/discover?by=opml", "/discover?by=words", "/discover?by=nonsense"] {
        assert_eq!(mira.get(path).await.status, StatusCode::OK, "{path}");
    }
}

#[tokio::test]
async fn whatever_is_pasted_or_uploaded_is_answered_with_a_sentence() {
    let site = Site::new().await;
    let (mira, eve) = (site.person("mira").await, site.person("eve").await);
    library(&site, &mira, &eve).await;
    for nothing in ["", "   ", "the of and", "\u{0}\u{1}\u{2}", "🎉"] {
        let page = bring(&mira, "text", nothing).await;
        assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY, "{nothing:?}");
        assert!(page.body.contains("Paste a text with a few words in it."), "{nothing:?}: {}", page.body);
    }
    for (file, sentence) in [
        ("", "empty"),
        ("<html><body>x</body></html>", "web page"),
        ("\u{0}\u{1}binary", "OPML"),
        ("<opml><body/></opml>", "There is no feed in this file."),
    ] {
        let page = bring(&mira, "file", file).await;
        assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY, "{file:?}");
        assert!(page.body.contains(sentence), "{file:?}: {}", page.body);
    }
    let long = bring(&mira, "text", &"beekeeping and honey ".repeat(49_000)).await;
    assert_eq!(long.status, StatusCode::OK, "a megabyte is read as far as it helps");
    let longer = bring(&mira, "text", &"x".repeat(2 << 20)).await;
    assert_eq!(longer.status, StatusCode::PAYLOAD_TOO_LARGE);
    let outlines: String = (0..9_000)
        .map(|n| format!("<outline xmlUrl=\"https://h{n}.example/feed\" text=\"chess {n}\"/>"))
        .collect();
    let page = bring(&mira, "file", &format!("<opml><body>{outlines}</body></opml>")).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.body);
    assert!(page.body.contains("this goes by their names"), "{}", page.body);
    let words = format!("/discover?q={}", "tide+".repeat(3_000));
    assert_eq!(mira.get(&words).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_feeds_page_tells_what_it_is_about_and_how_that_changed() {
    let site = Site::new().await;
    let (mira, eve) = (site.person("mira").await, site.person("eve").await);
    let [_, _, _, chess] = library(&site, &mira, &eve).await;
    let feed = site.feed(&[&mira], "Port Ansel Daily", &[]).await;
    learn(&site, &[About { feed, topics: &[("dredging", 120), ("tide barrier", 80)] }]).await;
    let path = format!("/feed/{feed}/about");
    let page = mira.get(&path).await;
    assert!(page.body.contains("is new since"), "{}", page.body);
    assert!(page.body.contains("now leads") && page.body.contains("class=\"riv hot\""), "{}", page.body);
    assert!(page.body.contains("Now mostly") && page.body.contains("tide barrier"));
    assert!(page.body.contains("Channels like this one") && page.body.contains("The Surge Desk"));
    assert!(page.body.contains("class=\"ch cohesion page\""), "{}", page.body);
    let general = mira.get(&format!("{path}?window=500")).await;
    assert!(
        general.body.contains("In general mostly") && general.body.contains("dredging"),
        "{}",
        general.body
    );
    for odd in ["0", "19", "99999999"] {
        assert!(mira.get(&format!("{path}?window={odd}")).await.body.contains("Now mostly"), "{odd}");
    }
    let page = mira.get(&format!("/feed/{chess}/about")).await;
    assert!(
        page.body.contains("Not enough data: 45 items so far."),
        "two times are no history: {}",
        page.body
    );
    let fresh = site.feed(&[&mira], "Fresh", &[]).await;
    let page = mira.get(&format!("/feed/{fresh}/about")).await;
    assert!(
        page.body.contains("Nothing is known of it yet.")
            && page.body.contains("No channel here is like it.")
    );
}

#[tokio::test]
async fn a_feed_that_another_contains_can_be_dropped_and_taken_back() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let items: Vec<Posted<'_>> = (0..40).map(|n| Posted { ago: n * 3600, ..posted("Story", "") }).collect();
    let part = site.feed(&[&mira], "Baseball", &items[..10]).await;
    let whole = site.feed(&[&mira], "All Sports", &items).await;
    let pairs: Vec<_> = mira.items(part).await.into_iter().zip(mira.items(whole).await).collect();
    same_stories(&site, &pairs).await;
    let page = mira.get(&format!("/feed/{part}/about")).await;
    assert!(page.body.contains("Contained in All Sports: 100 % of its stories"), "{}", page.body);
    assert!(page.body.contains("Unsubscribe from this one"));
    let page = mira.get(&format!("/feed/{whole}/about")).await;
    assert!(page.body.contains("Contains Baseball: 100 %"), "{}", page.body);
    assert!(page.body.contains("Unsubscribe from Baseball"));
    let left = mira.post("/feeds", &format!("one=unsubscribe:{part}&back=/feed/{whole}/about")).await;
    let page = mira.get(left.header("location")).await;
    assert!(
        page.body.contains("Unsubscribed from 1 feed.") && page.body.contains("data-undo"),
        "{}",
        page.body
    );
    assert!(!page.body.contains("Unsubscribe from Baseball"), "nothing is offered twice");
}
