//! `/friends`, `/shared/…` and `/popular`: by consent, without names, and never from a private feed.

use crate::site::{Site, posted};
use axum::http::{Method, StatusCode};
use domain::interaction::{Interaction, InteractionKind};

#[tokio::test]
async fn a10_a_friend_is_asked_agrees_shares_withdraws_and_is_left() {
    let site = Site::new().await;
    let (mira, noor) = (site.person("mira").await, site.person("noor").await);
    let feed = site.feed(&[&noor], "Noor's feed", &[posted("Tides", "<p>They rise.</p>")]).await;
    let item = noor.items(feed).await[0];
    assert!(mira.get("/friends").await.body.contains("Nothing shared yet"));
    // Whether somebody is there cannot be told from the answer.
    let ask = async |name: &str| {
        let answer = mira.post("/friends/ask", &format!("name={name}")).await;
        (answer.status, answer.header("location").to_owned(), answer.body)
    };
    assert_eq!(ask("noor").await, ask("nobody").await);
    let asked = mira.get("/friends?said=asked").await.body;
    assert!(asked.contains("If there is somebody of that name"), "{asked}");
    assert!(asked.contains(">noor<") && asked.contains(">nobody<"), "{asked}");
    for (name, why) in [("mira", "your own name"), ("", "Type a name")] {
        let refused = mira.post("/friends/ask", &format!("name={name}")).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(refused.body.contains(why), "{}", refused.body);
    }
    assert!(noor.get("/friends").await.body.contains("Agree: mira may follow you"));
    let request = site.store.friends(noor.user, site.now()).await.unwrap().waiting[0].id;
    let agreed = noor.post(&format!("/friends/requests/{request}/agree"), "").await;
    assert_eq!(agreed.header("location"), "/friends?said=agreed");
    let shared = noor.post(&format!("/item/{item}/share"), "note=Read+%3Cb%3Ethis").await;
    assert_eq!(shared.header("location"), "/friends?said=shared");
    let seen = mira.get("/friends").await.body;
    assert!(seen.contains("noor shared this") && seen.contains("Tides"), "{seen}");
    assert!(seen.contains("Read &#60;b&#62;this") && !seen.contains("<b>this"), "{seen}");
    let everything = noor.get("/export.json").await.json();
    assert_eq!(everything["shared"][0]["note"], "Read <b>this");
    let own = noor.get(&format!("/part/item/{item}")).await.body;
    assert!(own.contains("Change the note"), "{own}");
    let gone = noor.send(&format!("/item/{item}/withdraw"), "").await;
    assert_eq!(gone.json()["ok"], true);
    assert!(!mira.get("/friends").await.body.contains("Tides"));
    let left = mira.post(&format!("/friends/{}/leave", noor.user), "").await;
    assert_eq!(left.header("location"), "/friends?said=left");
    assert_eq!(noor.post(&format!("/friends/{}/remove", mira.user), "").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a6_a_feed_with_credentials_has_no_share_button_and_refuses_the_form() {
    let site = Site::new().await;
    let noor = site.person("noor").await;
    let feed = site.feed(&[&noor], "Noor's feed", &[posted("Secret tides", "<p>Rise.</p>")]).await;
    let item = noor.items(feed).await[0];
    assert!(noor.get(&format!("/part/item/{item}")).await.body.contains("data-share"));
    let feed = site.store.make_private(noor.user, feed, Some(vec![1]), None, site.now()).await.unwrap();
    let item = noor.items(feed).await[0];
    assert!(!noor.get(&format!("/part/item/{item}")).await.body.contains("data-share"));
    let refused = noor.send(&format!("/item/{item}/share"), "note=x").await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.json()["error"].as_str().unwrap().contains("never shared"), "{}", refused.body);
}

#[tokio::test]
async fn what_is_shared_is_a_feed_at_a_secret_address_that_can_be_renewed() {
    let site = Site::new().await;
    let noor = site.person("noor").await;
    let feed = site.feed(&[&noor], "Noor & feed", &[posted("Tides <1>", "<p>Rise.</p>")]).await;
    let item = noor.items(feed).await[0];
    site.store.share(noor.user, item, "look & see", site.now()).await.unwrap();
    let make = async || {
        let page = noor.post("/friends/address", "").await.body;
        let rest = page.split("/shared/").nth(1).expect("an address");
        format!("/shared/{}", rest.split('<').next().unwrap_or_default())
    };
    let first = make().await;
    let atom = site.get(&first).await;
    assert_eq!(atom.header("content-type"), "application/atom+xml; charset=utf-8");
    assert_eq!(atom.header("x-robots-tag"), "noindex");
    let input = parse::Input { bytes: atom.body.as_bytes(), content_type: None, base: None, complete: true };
    let read = parse::parse(&input, &domain::Limits::default()).expect("a feed");
    assert!(read.complaints.is_empty(), "{:?}", read.complaints);
    assert_eq!(read.document.items[0].title.as_deref(), Some("Tides <1>"));
    assert!(atom.body.contains("look &#38; see"), "{}", atom.body);
    let known = site.ask(Method::GET, &first, &[("if-none-match", atom.header("etag"))], "").await;
    assert_eq!((known.status, known.body.as_str()), (StatusCode::NOT_MODIFIED, ""));
    assert!(!noor.get("/friends").await.body.contains(first.as_str()), "it is shown once");
    let second = make().await;
    assert_ne!(first, second);
    assert_eq!(site.get(&first).await.status, StatusCode::NOT_FOUND);
    assert_eq!(site.get(&second).await.status, StatusCode::OK);
    noor.post("/friends/address/drop", "").await;
    assert_eq!(site.get(&second).await.status, StatusCode::NOT_FOUND);
    assert_eq!(noor.post("/friends/address/drop", "").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a10_popular_shows_round_numbers_from_five_on_and_can_be_switched_off() {
    let site = Site::new().await;
    let admin = site.admin("root").await;
    let mut readers = vec![site.person("mira").await];
    for nth in 0..5 {
        readers.push(site.person(&format!("reader-{nth}")).await);
    }
    let people: Vec<&_> = readers.iter().collect();
    let feed = site.feed(&people, "Shared feed", &[posted("Tides", "<p>Rise.</p>")]).await;
    let item = readers[0].items(feed).await[0];
    let open = |user| Interaction {
        user,
        item,
        kind: InteractionKind::Open,
        at: site.now(),
        place: "newest".into(),
        position: None,
        dwell_ms: None,
    };
    let opens: Vec<Interaction> = readers[..4].iter().map(|reader| open(reader.user)).collect();
    site.store.record_interactions(&opens).await.unwrap();
    assert!(readers[0].get("/popular").await.body.contains("Nothing was opened by 5 people"));
    let opens: Vec<Interaction> = readers[4..].iter().map(|reader| open(reader.user)).collect();
    site.store.record_interactions(&opens).await.unwrap();
    let page = readers[0].get("/popular").await.body;
    assert!(page.contains("5 or more readers") && page.contains("Tides"), "{page}");
    // Two do not want to be counted: four are left.
    for reader in &readers[..2] {
        assert_eq!(reader.post("/popular/count", "counted=").await.header("location"), "/popular");
    }
    assert!(!readers[0].get("/popular").await.body.contains("Tides"));
    readers[0].post("/popular/count", "counted=1").await;
    assert!(readers[0].get("/popular").await.body.contains("Tides"));
    admin.post("/admin/popular", "shown=").await;
    let page = readers[0].get("/popular").await.body;
    assert!(page.contains("Switched off") && !page.contains("Tides"), "{page}");
}

#[tokio::test]
async fn a_blind_trial_is_started_counted_and_ended() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let posts: Vec<String> = (0..12).map(|nth| format!("Post {nth}")).collect();
    let posts: Vec<_> = posts.iter().map(|title| posted(title, "<p>Tides rise.</p>")).collect();
    let feed = site.feed(&[&mira], "Feed", &posts).await;
    let items = mira.items(feed).await;
    assert!(mira.get("/foryou/trial").await.body.contains("Start a trial"));
    for form in ["one=newest&other=newest", "one=newest&other=oracle", "one=newest"] {
        let refused = mira.post("/foryou/trial", form).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{form}");
    }
    assert_eq!(mira.post("/foryou/trial/end", "").await.status, StatusCode::NOT_FOUND);
    let started = mira.post("/foryou/trial", "one=wellread&other=ee-10").await;
    assert_eq!(started.header("location"), "/foryou/trial");
    site.wait(1);
    let list = mira.get("/foryou").await.body;
    assert!(list.contains("Post 3") && !list.contains("class=\"reason\""), "rows say nothing: {list}");
    let events: Vec<String> =
        items[..2].iter().map(|item| format!(r#"{{"item":{item},"kind":"open","dwell_ms":9000}}"#)).collect();
    let seen = format!(r#"{{"place":"foryou","events":[{}]}}"#, events.join(","));
    assert_eq!(mira.send_json("/seen", &seen).await.status, StatusCode::NO_CONTENT);
    let lists = site.store.trial_lists(mira.user).await.unwrap();
    assert_eq!(lists.iter().map(|(one, other)| one + other).collect::<Vec<_>>(), [2]);
    let page = mira.get("/foryou/trial").await.body;
    assert!(page.contains("Under way") && page.contains("No winner yet, after 1 list"), "{page}");
    mira.post("/foryou/trial/end", "").await;
    let page = mira.get("/foryou/trial").await.body;
    assert!(page.contains("Ended") && !page.contains("End the trial"), "{page}");
}
