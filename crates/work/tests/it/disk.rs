//! A full disk: no poll counts without its items, and what could not be kept comes when there is room again.

use crate::promises::{DAY, START, Stage};
use crate::web::SimulatedWeb;
use domain::{Limits, Timestamp};
use farm::{Behaviour, Cast, FarmConfig, Part, Pattern};
use fetch::{Answer, FeedRequest, PageRequest};
use plan::Policy;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use store::Store;
use work::{Clock, CrawlSettings, Crawler, Network};

/// The web, seen from a machine whose disk fills up while an answer is on its way: after the lease, before the commit.
struct FillingDisk {
    web: Arc<SimulatedWeb>,
    store: Store,
    fills_up: AtomicBool,
}

impl Network for FillingDisk {
    async fn feed(&self, request: &FeedRequest, now: Timestamp) -> Answer {
        let answer = Network::feed(&*self.web, request, now).await;
        if self.fills_up.load(Ordering::SeqCst) {
            self.store.set_size_max(Some(1)).await.unwrap();
        }
        answer
    }

    async fn page(&self, request: &PageRequest, now: Timestamp) -> Answer {
        Network::page(&*self.web, request, now).await
    }
}

#[tokio::test]
async fn a_full_disk_stops_polls_from_counting_and_they_resume_when_there_is_room() {
    let stage = Stage::scripted(&[Behaviour::Good; 5]).await;
    stage.store.set_size_max(Some(1)).await.unwrap();
    assert!(stage.crawler.cycle().await.is_err(), "nothing can be written");
    stage.store.set_size_max(None).await.unwrap();
    stage.pass(DAY).await;
    for (index, feed) in stage.feeds.iter().enumerate() {
        assert!(stage.items(*feed).await > 0, "feed {index} came back by itself");
    }
}

#[tokio::test]
async fn a_disk_that_fills_up_between_lease_and_commit_loses_nothing_and_doubles_nothing() {
    // Nothing ever leaves the document, so that all it has shown must be there in the end.
    let often = Part::Posts { pattern: Pattern::AroundTheClock, posts_per_day: 6.0 };
    let config = FarmConfig {
        items_per_document: 600,
        casting: vec![Cast { feed: 0, part: often }],
        ..FarmConfig::scripted(7, START, &[Behaviour::Good])
    };
    let stage = Stage::new(config).await;
    let feed = stage.feeds[0];
    let network = Arc::new(FillingDisk {
        web: Arc::clone(&stage.web),
        store: stage.store.clone(),
        fills_up: AtomicBool::new(false),
    });
    let crawler = Arc::new(Crawler::new(
        stage.store.clone(),
        Arc::clone(&network),
        Arc::clone(&stage.clock),
        Policy::default(),
        Limits::default(),
        CrawlSettings::default(),
        None,
    ));
    let (mut kept, mut refused) = (0, 0);
    for turn in 0..10 {
        network.fills_up.store(turn % 2 == 0, Ordering::SeqCst);
        let (now, before) = (stage.clock.now(), stage.items(feed).await);
        match crawler.cycle().await {
            Ok(reports) => {
                assert_eq!(reports.len(), 1, "the feed is polled again");
                kept += 1;
                stage.clock.set(now.saturating_add(3 * DAY));
            }
            Err(full) => {
                refused += 1;
                let sentence = full.to_string();
                assert!(full.is_full() && sentence.contains("full"), "{sentence}");
                assert!(sentence.ends_with("was not kept"), "{sentence}");
                assert_eq!(
                    stage.items(feed).await,
                    before,
                    "reading goes on, and there is nothing by halves"
                );
                let known = stage.store.feed_schedule(feed).await.unwrap().unwrap();
                let lease_ends = known.leased_until.expect("still leased");
                assert!(lease_ends > now && known.schedule.next_poll_at >= lease_ends);
                stage.store.set_size_max(None).await.unwrap();
                // Room again; but the request went out, so that nobody asks before its floor.
                assert!(crawler.cycle().await.unwrap().is_empty());
                assert!(crawler.poll_now(feed).await.is_err());
                stage.clock.set(known.schedule.next_poll_at);
            }
        }
        stage.store.set_size_max(None).await.unwrap();
        let recorded = stage.store.polls(feed, 100, None).await.unwrap().len();
        assert_eq!(recorded, kept, "no poll is recorded without its items");
        assert_eq!(stage.web.asked(), kept + refused, "one request each");
    }
    assert!(refused > 1, "the disk was full {refused} times");
    let shown: BTreeSet<String> =
        stage.web.shown.lock().unwrap().iter().flat_map(|shown| shown.links.clone()).collect();
    let links: Vec<String> = stage.rows(feed).await.into_iter().filter_map(|row| row.item.link).collect();
    assert_eq!(links.iter().cloned().collect::<BTreeSet<_>>(), shown, "nothing lost, nothing made up");
    // Stories elsewhere are linked by several posts; a feed's own pages are one post each.
    let own: Vec<_> = links.iter().filter(|link| !link.contains("//wire.test")).collect();
    assert_eq!(own.len(), own.iter().collect::<BTreeSet<_>>().len(), "nothing doubled");
    assert_eq!(stage.store.integrity_check().await.unwrap(), Vec::<String>::new());
    let asked: Vec<_> = stage.web.entries().iter().map(|entry| entry.at).collect();
    let floor = Policy::default().fast_floor;
    assert!(asked.windows(2).all(|pair| pair[1].since(pair[0]) >= floor), "{asked:?}");
}
