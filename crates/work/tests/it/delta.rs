//! An answer that brings only what is new (226, RFC 3229).

use crate::clock::StillClock;
use crate::promises::{DAY, START, subscribe};
use crate::web::blank;
use domain::{Limits, PollOutcome, Timestamp, Validators};
use fetch::{Answer, FeedRequest, Outcome, PageRequest};
use plan::Policy;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use store::{ListQuery, Order, Place, Scope, Store, StoreConfig};
use url::Url;
use work::{Clock, CrawlSettings, Crawler, Network};

const FEED: &str = "https://a.test/feed";

/// A network that gives the answers it was told to give, in order, and notes which requests would take a delta.
struct Told {
    answers: Mutex<VecDeque<Answer>>,
    deltas: Mutex<Vec<bool>>,
}

impl Network for Told {
    async fn feed(&self, request: &FeedRequest, _now: Timestamp) -> Answer {
        assert!(request.gate.ask(&request.url, false).await.is_ok());
        self.deltas.lock().unwrap().push(request.delta);
        self.answers.lock().unwrap().pop_front().unwrap()
    }

    async fn page(&self, request: &PageRequest, _now: Timestamp) -> Answer {
        blank(Outcome::NotFound, Some(404), request.url.clone())
    }
}

fn answer(status: u16, etag: &str, numbers: &[u32]) -> Answer {
    let item = |number: &u32| {
        format!(
            "<item><guid isPermaLink=\"false\">post-{number}</guid><title>Post {number}</title>\
             <link>https://a.test/{number}</link><description>Text {number}.</description></item>"
        )
    };
    let items: Vec<String> = numbers.iter().map(item).collect();
    let body = format!(
        "<rss version=\"2.0\"><channel><title>A</title><link>https://a.test/</link>{}</channel></rss>",
        items.concat()
    );
    let outcome = Outcome::Body { bytes: body.into(), complete: true, delta: status == 226 };
    Answer {
        validators: Validators { etag: Some(etag.to_owned()), last_modified: None },
        content_type: Some("application/rss+xml".to_owned()),
        ..blank(outcome, Some(status), Url::parse(FEED).unwrap())
    }
}

#[tokio::test]
async fn n28_a_delta_adds_what_is_new_and_takes_nothing_away() {
    let clock = StillClock::at(START);
    let config = StoreConfig { durable: false, ..StoreConfig::new(Place::SqliteMemory) };
    let store = Store::open(&config, START).await.unwrap();
    let user = store.add_user("mira", None, false, START).await.unwrap();
    let feed = subscribe(&store, user, FEED, START).await;
    let answers = VecDeque::from([answer(200, "\"1\"", &[3, 2, 1]), answer(226, "\"2\"", &[4])]);
    let web = Arc::new(Told { answers: Mutex::new(answers), deltas: Mutex::default() });
    let crawler = Crawler::new(
        store.clone(),
        Arc::clone(&web),
        Arc::clone(&clock),
        Policy::default(),
        Limits::default(),
        CrawlSettings::default(),
        None,
    );
    let whole = crawler.poll_now(feed).await.unwrap().record;
    assert_eq!((whole.outcome, whole.items_new), (PollOutcome::Fresh, 3));
    let before = store.feed_schedule(feed).await.unwrap().unwrap().schedule;
    assert!(before.body_hash.is_some());
    clock.set(clock.now().saturating_add(DAY));
    let delta = crawler.poll_now(feed).await.unwrap().record;
    assert_eq!((delta.outcome, delta.http_status), (PollOutcome::Partial, Some(226)));
    assert_eq!((delta.items_seen, delta.items_new, delta.items_changed), (1, 1, 0));
    let after = store.feed_schedule(feed).await.unwrap().unwrap().schedule;
    assert_eq!(after.body_hash, before.body_hash, "it is the hash of a whole document");
    assert_eq!(
        (before.rate.window_items, after.rate.window_items),
        (3, 3),
        "so is the number of items in one"
    );
    assert_eq!(after.validators.etag.as_deref(), Some("\"2\""), "the next delta starts from here");
    assert_eq!(*web.deltas.lock().unwrap(), [false, true]);
    let query = ListQuery {
        scope: Scope::Feed(feed),
        unread_only: false,
        order: Order::NewestFirst,
        limit: 10,
        after: None,
    };
    let rows = store.list(user, &query).await.unwrap();
    let mut titles: Vec<_> = rows.into_iter().filter_map(|row| row.item.title).collect();
    titles.sort();
    assert_eq!(titles, ["Post 1", "Post 2", "Post 3", "Post 4"]);
}
