//! One feed: the page about it and its settings.

use crate::feeds::fail;
use crate::site::{Answer, Person, Posted, Site, posted};
use axum::http::StatusCode;
use domain::secret::FeedSecrets;
use domain::{FeedId, FeedState, PollOutcome, Timestamp};
use serve::Refreshed;
use store::SecretKey;

const DAY: i64 = 86_400;

/// What is stored to be sent with a feed's polls.
async fn sent(site: &Site, mira: &Person<'_>, feed: FeedId) -> FeedSecrets {
    let url = site.store.feed(feed).await.unwrap().unwrap().url;
    let sealed = site.store.feed_secret(mira.user, feed).await.unwrap();
    sealed.map(|sealed| SecretKey::from_bytes([7; 32]).open(&sealed, &url).unwrap()).unwrap_or_default()
}

/// The feed that a saved form leads to.
fn saved(answer: &Answer) -> FeedId {
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.body);
    FeedId(answer.header("location").split('/').nth(2).unwrap().parse().unwrap())
}

#[tokio::test]
async fn a_feeds_page_says_what_it_brings_and_when_it_is_checked_next() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let weeks: Vec<Posted<'_>> = (0..28).map(|n| Posted { ago: n * DAY, ..posted("x", "") }).collect();
    let feed = site.feed(&[&mira], "Harbour Ledger", &weeks).await;
    let page = mira.get(&format!("/feed/{feed}/about")).await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.body.contains("because we ask no feed more often than every 60 minutes"), "{}", page.body);
    assert!(page.body.contains("Posts come on all days, 8–9 h"), "{}", page.body);
    assert!(page.body.contains("expected posts") && page.body.contains("28 new items"));
    assert!(page.body.contains("opened 0 times in 8 weeks"), "too little is said as such");
    let fresh = site.feed(&[&mira], "Fresh", &[]).await;
    let page = mira.get(&format!("/feed/{fresh}/about")).await;
    assert!(page.body.contains("Not enough data: 0 posts in 8 weeks"), "{}", page.body);
    assert!(page.body.contains("<b>not enough data</b> posts a day"), "{}", page.body);
}

#[tokio::test]
async fn trouble_is_a_sentence_with_a_next_step_in_both_languages() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let feed = site.feed(&[&mira], "Lost", &[posted("x", "")]).await;
    site.wait(3 * 3600);
    let since = Timestamp::from_seconds(site.now().seconds() - 3 * DAY);
    let cases = [
        (PollOutcome::NotFound, "has answered “not found” since", "mit „nicht gefunden“"),
        (PollOutcome::Denied, "has refused us since", "weist uns seit"),
        (PollOutcome::NotAFeed, "has sent a web page instead", "eine Webseite statt eines Feeds"),
        (PollOutcome::Busy, "has asked us to wait since", "um Geduld"),
        (PollOutcome::Failed, "has not answered properly since", "nicht richtig"),
    ];
    for (outcome, english, german) in cases {
        site.wait(4 * 3600);
        fail(&site, feed, outcome, since, FeedState::Active).await;
        let path = format!("/feed/{feed}/about");
        let page = mira.get(&path).await;
        assert!(page.body.contains(english), "{outcome:?}: {}", page.body);
        assert!(page.body.contains("the last new item came on") && page.body.contains("Unsubscribe"));
        let headers = [("cookie", mira.cookie.as_str()), ("accept", "text/html"), ("accept-language", "de")];
        let page = site.ask(axum::http::Method::GET, &path, &headers, "").await;
        assert!(page.body.contains(german), "{outcome:?}: {}", page.body);
    }
    site.wait(4 * 3600);
    fail(&site, feed, PollOutcome::Gone, since, FeedState::Gone).await;
    let page = mira.get(&format!("/feed/{feed}/about")).await;
    assert!(
        page.body.contains("gone for good") && page.body.contains("No check is planned"),
        "{}",
        page.body
    );
}

#[tokio::test]
async fn n22_a_button_held_down_is_told_when_it_may_be_pressed_again() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let feed = site.feed(&[&mira], "One", &[]).await;
    let path = format!("/feed/{feed}/refresh");
    *site.desk.refreshed.lock().unwrap() = Some(Refreshed::Done { items_new: 3 });
    let answer = mira.post(&path, "back=").await;
    assert!(mira.get(answer.header("location")).await.body.contains("Checked: 3 new items."));
    let until = Timestamp::from_seconds(site.now().seconds() + 300);
    *site.desk.refreshed.lock().unwrap() = Some(Refreshed::NotBefore(until));
    for _ in 0..20 {
        let answer = mira.post(&path, "back=").await;
        let page = mira.get(answer.header("location")).await;
        assert!(page.body.contains("Not before 08:05"), "{}", page.body);
        assert_eq!(mira.send(&path, "back=").await.json()["ok"], false);
    }
    *site.desk.refreshed.lock().unwrap() = Some(Refreshed::Halted);
    assert_eq!(mira.send(&path, "back=").await.json()["said"], "All fetching is stopped by the operator.");
    let polls = site.store.polls(feed, 100, None).await.unwrap();
    assert_eq!(polls.len(), 1, "pages ask; only the working side polls");
}

#[tokio::test]
async fn a_feed_is_named_filed_paused_and_kept_as_its_reader_wants() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let feed = site.feed(&[&mira], "Its title", &[]).await;
    let path = format!("/feed/{feed}/edit");
    let form = "settings=1&title=My%20name&new_folder=Work&full_text=1&paused=1&keep_days=30&keep_items=200";
    assert_eq!(saved(&mira.post(&path, form).await), feed);
    let one = site.store.subscription(mira.user, feed).await.unwrap().unwrap().subscription;
    assert_eq!((one.title.as_deref(), one.full_text, one.paused), (Some("My name"), true, true));
    assert_eq!(site.store.folders(mira.user).await.unwrap()[0].name, "Work");
    let kept = site.store.feed_retention(feed).await.unwrap();
    assert_eq!((kept.age.unwrap().as_secs(), kept.count), (30 * 86_400, Some(200)));
    let page = mira.get(&path).await;
    assert!(page.body.contains("value=\"My name\"") && page.body.contains("value=\"200\""), "{}", page.body);
    let wrong = mira.post(&path, "settings=1&title=Other&keep_days=-3").await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    let one = site.store.subscription(mira.user, feed).await.unwrap().unwrap().subscription;
    assert_eq!(one.title.as_deref(), Some("My name"), "nothing is stored when something is wrong");

    let eve = site.person("eve").await;
    let shared = site.feed(&[&mira, &eve], "Shared", &[]).await;
    eve.post(&format!("/feed/{shared}/edit"), "settings=1&keep_items=1").await;
    assert_eq!(
        site.store.feed_retention(shared).await.unwrap().count,
        None,
        "not for one of several readers"
    );
    assert!(!eve.get(&format!("/feed/{shared}/edit")).await.body.contains("keep_items"));
}

#[tokio::test]
async fn a_new_address_is_followed_in_place_of_the_old() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let feed = site.feed(&[&mira], "One", &[posted("Kept", "")]).await;
    let path = format!("/feed/{feed}/edit");
    let moved = saved(&mira.post(&path, "address=https%3A%2F%2Fnew.example%2Ffeed").await);
    assert_eq!(site.store.feed(moved).await.unwrap().unwrap().url, "https://new.example/feed");
    assert_eq!(mira.titles(&format!("/feed/{moved}?all=1")).await, ["Kept"]);
    for bad in ["javascript:alert(1)", "file:///etc/passwd", "nonsense", "http:"] {
        let answer = mira
            .post(&format!("/feed/{moved}/edit"), &format!("address={}", crate::site::encoded(bad)))
            .await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{bad}");
    }
}

#[tokio::test]
async fn a11_a_browser_that_fills_in_logins_gives_a_feed_nothing() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let feed = site.feed(&[&mira], "One", &[]).await;
    let path = format!("/feed/{feed}/edit");
    let page = mira.get(&path).await.body;
    assert!(!page.contains("type=\"password\"") && !page.contains("feed_phrase"), "no field until asked for");
    let asked = mira.get(&format!("{path}?credentials=1")).await.body;
    assert!(asked.contains("autocomplete=\"new-password\""));
    for login in [
        "name=\"name\"",
        "name=\"password\"",
        "name=\"user\"",
        "autocomplete=\"username\"",
        "current-password",
    ] {
        assert!(!asked.contains(login), "{login}");
    }
    assert!(!mira.get("/subscribe").await.body.contains("type=\"password\""));
    assert!(!mira.get("/welcome").await.body.contains("type=\"password\""));

    // Filled in beside a switch that is off, or sent without the fields having been there: nothing is stored.
    for form in [
        "settings=1&access=1&feed_account=mira&feed_phrase=hunter2",
        "settings=1&send_access=1&feed_account=mira&feed_phrase=hunter2",
        "settings=1&name=mira&password=hunter2&user=mira",
    ] {
        let same = saved(&mira.post(&path, form).await);
        assert!(sent(&site, &mira, same).await.is_empty(), "{form}");
        assert_eq!(site.store.feed(same).await.unwrap().unwrap().private_to, None, "{form}");
    }
}

#[tokio::test]
async fn a_password_is_stored_sealed_shown_as_a_fact_and_never_follows_to_another_site() {
    let site = Site::new().await;
    let (mira, eve) = (site.person("mira").await, site.person("eve").await);
    let shared = site.feed(&[&mira, &eve], "Shared", &[posted("x", "")]).await;
    let form = "settings=1&access=1&send_access=1&feed_account=mira&feed_phrase=hunter2&feed_agent=Odd%2F1";
    let own = saved(&mira.post(&format!("/feed/{shared}/edit"), form).await);
    assert_ne!(own, shared, "others keep the feed as it was");
    assert_eq!(site.store.feed(own).await.unwrap().unwrap().private_to, Some(mira.user));
    let secrets = sent(&site, &mira, own).await;
    assert_eq!(secrets.password.as_ref().map(domain::Secret::reveal), Some("hunter2"));
    assert_eq!(secrets.headers[0].1.reveal(), "Odd/1");
    let page = mira.get(&format!("/feed/{own}/edit?credentials=1")).await.body;
    assert!(page.contains("This feed is sent a password.") && !page.contains("hunter2"), "{page}");
    assert!(!eve.get(&format!("/feed/{shared}/edit")).await.body.contains("is sent a password"));
    assert_eq!(eve.get(&format!("/feed/{own}/about")).await.status, StatusCode::NOT_FOUND);

    // An empty field keeps what is stored; another site gets nothing.
    let form = "settings=1&access=1&send_access=1&feed_account=mira2&feed_phrase=";
    assert_eq!(saved(&mira.post(&format!("/feed/{own}/edit"), form).await), own);
    let secrets = sent(&site, &mira, own).await;
    assert_eq!(
        (secrets.user.as_deref(), secrets.password.map(|one| one.reveal().to_owned()).as_deref()),
        (Some("mira2"), Some("hunter2"))
    );
    let answer =
        mira.post(&format!("/feed/{own}/edit"), "settings=1&address=https%3A%2F%2Fevil.example%2F").await;
    let moved = saved(&answer);
    assert!(sent(&site, &mira, moved).await.password.is_none());
    assert!(mira.get(answer.header("location")).await.body.contains("the password was not taken along"));
    for bad in [
        "feed_account=a%3Ab&feed_phrase=x",
        "feed_account=a&feed_phrase=x%0Ay",
        "feed_agent=x%0D%0AHost%3A+y",
    ] {
        let answer =
            mira.post(&format!("/feed/{moved}/edit"), &format!("access=1&send_access=1&{bad}")).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{bad}");
    }
}

#[tokio::test]
async fn further_headers_are_checked_sealed_never_shown_and_stay_with_their_site() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let feed = site.feed(&[&mira], "Keyed", &[]).await;
    let named = |secrets: &domain::secret::FeedSecrets| -> Vec<String> {
        secrets.headers.iter().map(|(name, value)| format!("{name}={}", value.reveal())).collect()
    };
    let typed = crate::site::encoded("X-Api-Key: k3y:1\r\n\r\nCookie: a=b\r\n");
    let form = format!("settings=1&access=1&send_headers=1&feed_agent=Odd&feed_headers={typed}");
    let own = saved(&mira.post(&format!("/feed/{feed}/edit"), &form).await);
    let path = format!("/feed/{own}/edit");
    assert_eq!(named(&sent(&site, &mira, own).await), ["X-Api-Key=k3y:1", "Cookie=a=b", "User-Agent=Odd"]);
    let page = mira.get(&format!("{path}?credentials=1")).await.body;
    assert!(page.contains("This feed is sent further headers.") && !page.contains("k3y"), "{page}");

    // Empty keeps them; a wrong line changes nothing and is named by its number alone.
    saved(&mira.post(&path, "settings=1&access=1&send_headers=1&feed_headers=").await);
    assert_eq!(named(&sent(&site, &mira, own).await), ["X-Api-Key=k3y:1", "Cookie=a=b"]);
    let many = "X-A: s3cret\n".repeat(9);
    for (bad, expected) in [
        ("X-A: fine\nHost: s3cret", "Line 2 of the headers"),
        ("user-agent: s3cret", "Line 1 of the headers"),
        ("X s3cret: a", "Line 1 of the headers"),
        ("X-A:", "Line 1 of the headers"),
        ("s3cret", "Line 1 of the headers"),
        ("X-A: s3cret\u{7}", "Line 1 of the headers"),
        (many.as_str(), "At most 8 further headers"),
    ] {
        let form = format!("access=1&send_headers=1&feed_headers={}", crate::site::encoded(bad));
        let answer = mira.post(&path, &form).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{bad}");
        assert!(answer.body.contains(expected) && !answer.body.contains("s3cret"), "{bad}: {}", answer.body);
    }
    assert_eq!(sent(&site, &mira, own).await.headers.len(), 2);

    let moved = saved(&mira.post(&path, "settings=1&address=https%3A%2F%2Fevil.example%2F").await);
    assert!(sent(&site, &mira, moved).await.is_empty(), "another site gets nothing");
    let form = "settings=1&access=1&feed_headers=X-A%3A+b";
    let same = saved(&mira.post(&format!("/feed/{moved}/edit"), form).await);
    assert!(sent(&site, &mira, same).await.is_empty(), "the switch is off");
}

#[tokio::test]
async fn a_lost_feed_is_looked_for_where_it_lived() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let feed = site.feed(&[&mira], "Lost", &[]).await;
    *site.desk.found.lock().unwrap() = Some(Ok(vec![serve::Candidate {
        url: "https://new.example/feed".into(),
        title: Some("Found again".into()),
        kind: "linked".into(),
    }]));
    let page = mira.get(&format!("/feed/{feed}/edit?find=1")).await;
    assert!(page.body.contains("Found again") && page.body.contains("Use this one"), "{}", page.body);
    let asked = site.desk.asked.lock().unwrap().clone();
    assert!(
        asked.iter().any(|one| one.starts_with("find https://f") && one.ends_with(".example/")),
        "{asked:?}"
    );
}
