//! The page of feeds and folders: what it says, what its buttons do, and that everything can be taken back.

use crate::site::{Answer, Person, Posted, Site, posted};
use axum::http::StatusCode;
use domain::{FeedId, FeedState, PollOutcome, PollRecord, Reason, Schedule, Timestamp};
use std::time::Duration;
use store::PollCommit;

const HOSTILE: &str = "<img src=x onerror=alert(1)>";
const DAY: i64 = 86_400;

/// A poll that fails in this way.
pub(crate) async fn fail(
    site: &Site,
    feed: FeedId,
    outcome: PollOutcome,
    since: Timestamp,
    state: FeedState,
) {
    let now = site.now();
    let leased = site
        .store
        .lease_feed(feed, now, Duration::from_secs(60), Duration::ZERO, "test")
        .await
        .unwrap()
        .unwrap();
    let commit = PollCommit {
        lease: leased.lease,
        record: PollRecord {
            feed,
            started_at: now,
            finished_at: now,
            outcome,
            http_status: None,
            wire_bytes: 0,
            items_seen: 0,
            items_new: 0,
            items_changed: 0,
            error: Some(format!("The server said so {HOSTILE}")),
        },
        schedule: Schedule {
            next_poll_at: now.saturating_add(Duration::from_secs(3 * 3600)),
            reason: Reason::BackOff { failures: 4 },
            last_poll_at: Some(now),
            failures: 4,
            failing_since: Some(since),
            ..leased.schedule.clone()
        },
        found: domain::Found::default(),
        floor: Duration::from_secs(3600),
        facts: None,
        items: vec![],
        effects: vec![],
        provider_free_at: now,
        provider_blocked_until: None,
        adopt_url: None,
        state,
        wake: false,
    };
    assert!(site.store.commit_poll(commit).await.unwrap().accepted);
}

/// Follows the line that a form ends with, and takes the change back.
async fn undo(mira: &Person<'_>, answer: &Answer) -> Answer {
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.body);
    let page = mira.get(answer.header("location")).await;
    let undo = page
        .body
        .split("name=\"undo\" value=\"")
        .nth(1)
        .expect("an undo")
        .split('"')
        .next()
        .unwrap()
        .to_owned();
    mira.post("/feeds", &format!("undo={undo}&back=/feeds")).await
}

fn ago(site: &Site, days: i64) -> Timestamp {
    Timestamp::from_seconds(site.now().seconds() - days * DAY)
}

#[tokio::test]
async fn feeds_are_told_apart_by_what_is_wrong_with_them() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let old = Posted { ago: 100 * DAY, ..posted("Old", "") };
    site.feed(&[&mira], "Lively", &[posted("New", "")]).await;
    site.feed(&[&mira], "Quiet", std::slice::from_ref(&old)).await;
    let lost = site.feed(&[&mira], "Lost", &[posted("x", "")]).await;
    let ill = site.feed(&[&mira], "Ill", &[posted("x", "")]).await;
    site.wait(3 * 3600);
    fail(&site, lost, PollOutcome::NotFound, ago(&site, 20), FeedState::Active).await;
    fail(&site, ill, PollOutcome::Failed, ago(&site, 1), FeedState::Active).await;
    let shown = async |filter: &str| {
        let page = mira.get(&format!("/feeds?show={filter}")).await;
        let table = page.body.split("<tbody>").nth(1).unwrap_or_default().to_owned();
        let names = ["Lively", "Quiet", "Lost", "Ill"];
        names.into_iter().filter(|name| table.contains(&format!(">{name}</a>"))).collect::<Vec<_>>()
    };
    assert_eq!(shown("all").await, ["Lively", "Quiet", "Lost", "Ill"]);
    assert_eq!(shown("failing").await, ["Lost", "Ill"]);
    assert_eq!(shown("silent").await, ["Quiet"]);
    assert_eq!(shown("dead").await, ["Lost"]);
    assert_eq!(shown("unopened").await, ["Lively", "Lost", "Ill"]);
    assert_eq!(shown("noisy").await, Vec::<&str>::new());
    assert_eq!(shown("';--").await.len(), 4, "an unknown filter is none");
    let page = mira.get("/feeds?show=failing").await;
    assert!(page.body.contains("has answered “not found” since"), "{}", page.body);
    assert!(page.body.contains("Find its new address") && page.body.contains("We try again in 3 h."));
}

#[tokio::test]
async fn a_feed_that_says_what_another_says_is_called_a_duplicate() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let links: Vec<String> = (0..10).map(|n| format!("https://site.example/{n}")).collect();
    let items: Vec<Posted<'_>> =
        links.iter().map(|link| Posted { link: Some(link), ..posted("x", "") }).collect();
    site.feed(&[&mira], "Original", &items).await;
    site.feed(&[&mira], "Copy", &items[..9]).await;
    let page = mira.get("/feeds?show=duplicate").await;
    assert!(page.body.contains("is a duplicate of Original: 100 % of its items"), "{}", page.body);
}

#[tokio::test]
async fn every_button_can_be_taken_back() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let feed = site.feed(&[&mira], "One", &[posted("a", ""), posted("b", "")]).await;
    let other = site.feed(&[&mira], "Two", &[posted("c", "")]).await;
    let folder = site.store.add_folder(mira.user, None, "Work").await.unwrap();
    let all = async || site.store.subscriptions(mira.user).await.unwrap();

    let left = mira.post("/feeds", &format!("do=unsubscribe&feed={feed}&feed={other}&back=/feeds")).await;
    assert!(all().await.is_empty());
    undo(&mira, &left).await;
    assert_eq!(all().await.len(), 2);
    assert_eq!(site.store.counts(mira.user).await.unwrap().total, 3, "unread again as before");

    let paused = mira.post("/feeds", &format!("one=pause:{feed}")).await;
    assert!(all().await[0].subscription.paused);
    undo(&mira, &paused).await;
    assert!(!all().await[0].subscription.paused);

    let moved = mira.post("/feeds", &format!("do=move&folder={folder}&feed={feed}&feed={other}")).await;
    assert!(all().await.iter().all(|one| one.subscription.folder == Some(folder)));
    undo(&mira, &moved).await;
    assert!(all().await.iter().all(|one| one.subscription.folder.is_none()));

    let read = mira.post("/feeds", &format!("one=read:{feed}")).await;
    assert_eq!(site.store.counts(mira.user).await.unwrap().total, 1);
    undo(&mira, &read).await;
    assert_eq!(site.store.counts(mira.user).await.unwrap().total, 3);

    let json = mira.send("/feeds", &format!("one=unsubscribe:{feed}")).await.json();
    assert_eq!((&json["ok"], json["undo"].is_string()), (&true.into(), true));
}

#[tokio::test]
async fn a5_buttons_do_nothing_to_feeds_of_others() {
    let site = Site::new().await;
    let (mira, eve) = (site.person("mira").await, site.person("eve").await);
    let feed = site.feed(&[&mira], "Mira's", &[posted("a", "")]).await;
    let folder = site.store.add_folder(mira.user, None, "Mira's folder").await.unwrap();
    let own = site.feed(&[&eve], "Eve's", &[]).await;
    for verb in ["unsubscribe", "pause", "read", "move"] {
        let answer = eve.post("/feeds", &format!("do={verb}&feed={feed}")).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{verb}");
    }
    let answer = eve.post("/feeds", &format!("do=move&feed={own}&folder={folder}")).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    let left = mira.send("/feeds", &format!("one=unsubscribe:{feed}")).await.json();
    let said = eve.send("/feeds", &format!("undo={}", left["undo"].as_str().unwrap())).await.json();
    assert_eq!(said["ok"], false, "somebody else's undo takes nothing back");
    assert!(site.store.subscriptions(mira.user).await.unwrap().is_empty());
    assert!(!eve.get("/feeds").await.body.contains("Mira"));
}

#[tokio::test]
async fn folders_are_made_named_moved_and_removed_with_undo() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let feed = site.feed(&[&mira], "One", &[]).await;
    mira.post("/folders", "name=Work").await;
    let work = site.store.folders(mira.user).await.unwrap()[0].id;
    mira.post("/folders", &format!("name=Tools&parent={work}")).await;
    let tools =
        site.store.folders(mira.user).await.unwrap().iter().find(|one| one.name == "Tools").unwrap().id;
    mira.post("/feeds", &format!("do=move&feed={feed}&folder={tools}")).await;
    mira.post(&format!("/folders/{tools}"), "do=rename&name=Hammers").await;
    assert!(mira.get("/folders").await.body.contains("Hammers"));
    let refused = mira.post(&format!("/folders/{work}"), &format!("do=move&parent={tools}")).await;
    assert!(
        mira.get(refused.header("location")).await.body.contains("That does not work"),
        "not into itself"
    );
    let empty = mira.post("/folders", "name=%20").await;
    assert!(mira.get(empty.header("location")).await.body.contains("Give the folder a name"));
    let removed = mira.post(&format!("/folders/{tools}"), "do=remove").await;
    let at = async || site.store.subscription(mira.user, feed).await.unwrap().unwrap().subscription.folder;
    assert_eq!(at().await, Some(work), "its feeds are where it was");
    undo(&mira, &removed).await;
    assert_eq!(at().await, Some(tools));
}

#[tokio::test]
async fn x2_hostile_names_of_feeds_and_folders_are_text_on_every_page_about_feeds() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let feed = site.feed(&[&mira], HOSTILE, &[posted(HOSTILE, "")]).await;
    let folder = site.store.add_folder(mira.user, None, HOSTILE).await.unwrap();
    mira.post("/feeds", &format!("do=move&feed={feed}&folder={folder}")).await;
    site.wait(3 * 3600);
    fail(&site, feed, PollOutcome::Failed, ago(&site, 1), FeedState::Active).await;
    let complaints = [HOSTILE.to_owned()];
    let import = store::NewImport { name: HOSTILE, feeds: &[feed], left_out: 0, complaints: &complaints };
    site.store.add_import(mira.user, &import, ago(&site, 0)).await.unwrap();
    for path in [
        "/feeds".to_owned(),
        "/feeds?show=failing&sort=state&down=1".to_owned(),
        "/folders".to_owned(),
        "/welcome".to_owned(),
        "/subscribe".to_owned(),
        format!("/feed/{feed}/about"),
        format!("/feed/{feed}/edit?credentials=1"),
        format!("/feeds?said={HOSTILE}&undo={HOSTILE}").replace(['<', '>', ' '], "%3C"),
        format!("/feed/{feed}/about?said=followed&n={feed}"),
    ] {
        let page = mira.get(&path).await;
        assert_eq!(page.status, StatusCode::OK, "{path}: {}", page.body);
        assert!(!page.body.contains("<img src=x"), "{path}: {}", page.body);
    }
}
