//! What happens beside the polls: full texts, icons, rules, and finding feeds; counted request by request.

use crate::promises::{DAY, MINUTE, START, Stage};
use domain::{
    Condition, FeedId, ItemId, Limits, NewSubscription, Pattern, RuleAction, RuleField, RuleOrder, RuleScope,
    Timestamp, UserId,
};
use farm::{Behaviour, FarmConfig, Resource, Rules, ViolationKind, score};
use fetch::{AllowList, FetchConfig, Fetcher, Resolver, TestNames};
use plan::Policy;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use store::{ItemKind, ListQuery, ListRow, Order, Place, Scope, Store, StoreConfig, SubscriptionEdit, Wish};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use url::Url;
use work::{CandidateKind, Clock, CrawlSettings, Crawler, NoFullText, NotFollowed, SystemClock};

async fn list(stage: &Stage, user: UserId, scope: Scope) -> Vec<ListRow> {
    let query = ListQuery { scope, unread_only: false, order: Order::NewestFirst, limit: 1000, after: None };
    stage.store.list(user, &query).await.unwrap()
}

fn asked(stage: &Stage, resource: Resource) -> Vec<String> {
    let entries = stage.web.entries();
    entries
        .iter()
        .filter(|entry| entry.resource == resource)
        .map(|e| format!("{}{}", e.host, e.path))
        .collect()
}

fn impolite(stage: &Stage) -> Vec<farm::Violation> {
    let kinds = [
        ViolationKind::Crowded,
        ViolationKind::Concurrent,
        ViolationKind::PageAgain,
        ViolationKind::IconTooOften,
        ViolationKind::TooSoon,
    ];
    score(&stage.web.entries(), &Rules::default()).into_iter().filter(|v| kinds.contains(&v.kind)).collect()
}

async fn want_full_text(stage: &Stage, feed: FeedId) {
    let edit = SubscriptionEdit { full_text: Some(true), ..SubscriptionEdit::default() };
    stage.store.edit_subscription(stage.user, feed, &edit).await.unwrap();
}

#[tokio::test]
async fn n24_each_page_is_fetched_once_and_only_where_somebody_wants_it() {
    let stage = Stage::scripted(&[Behaviour::Good, Behaviour::Good]).await;
    want_full_text(&stage, stage.feeds[0]).await;
    stage.pass(MINUTE).await;
    assert_eq!(asked(&stage, Resource::Article).len(), 0, "the poll itself fetches no page");
    stage.crawler.side_cycle().await;
    let first = asked(&stage, Resource::Article);
    assert_eq!(first.len(), 10, "the newest ten: {first:?}");
    let rows = list(&stage, stage.user, Scope::Feed(stage.feeds[0])).await;
    let other = stage.store.add_user("jan", None, false, stage.clock.now()).await.unwrap();
    stage.subscribe(other, 0).await;
    for user in [stage.user, other] {
        let text = stage.crawler.full_text(user, rows[0].item.id).await.unwrap();
        assert!(text.html.unwrap().contains("<p>"));
    }
    assert_eq!(asked(&stage, Resource::Article), first, "the page is there already");
    stage.pass(5 * DAY).await;
    while stage.crawler.side_cycle().await > 0 {}
    let all = asked(&stage, Resource::Article);
    let distinct: std::collections::BTreeSet<_> = all.iter().collect();
    assert!(all.len() > first.len() && distinct.len() == all.len(), "each once: {all:?}");
    let host = &stage.web.world.feeds()[0].host;
    assert!(all.iter().all(|page| page.starts_with(host.as_str())), "nobody wanted the other feed's pages");
    assert_eq!(impolite(&stage), []);
}

#[tokio::test]
async fn n24_two_people_who_open_an_item_at_once_wait_for_one_fetch() {
    let stage = Stage::scripted(&[Behaviour::Good]).await;
    stage.pass(MINUTE).await;
    let other = stage.store.add_user("jan", None, false, stage.clock.now()).await.unwrap();
    stage.subscribe(other, 0).await;
    let item = list(&stage, stage.user, Scope::All).await[0].item.id;
    let (one, two) =
        tokio::join!(stage.crawler.full_text(stage.user, item), stage.crawler.full_text(other, item));
    assert_eq!(one.unwrap(), two.unwrap());
    assert_eq!(asked(&stage, Resource::Article).len(), 1);
    let stranger = stage.store.add_user("nosy", None, false, stage.clock.now()).await.unwrap();
    let refused = stage.crawler.full_text(stranger, item).await;
    assert!(matches!(refused, Err(NoFullText::NotFound)), "whoever may not see the item gets nothing");
}

#[tokio::test]
async fn n29_while_fetching_is_halted_nothing_is_fetched_beside_the_polls_either() {
    let stage = Stage::scripted(&[Behaviour::Good]).await;
    stage.pass(MINUTE).await;
    let before = stage.web.log.len();
    stage.store.set_halted(true).await.unwrap();
    let item = list(&stage, stage.user, Scope::All).await[0].item.id;
    assert!(matches!(stage.crawler.full_text(stage.user, item).await, Err(NoFullText::Halted)));
    let found = stage.crawler.find("https://elsewhere.test/feed").await;
    assert!(matches!(found, Err(NotFollowed::Halted)), "{found:?}");
    stage.crawler.side_cycle().await;
    assert_eq!(stage.web.log.len(), before);
}

#[tokio::test]
async fn n24_an_icon_is_asked_for_once_a_week_and_conditionally() {
    let stage = Stage::scripted(&[Behaviour::Good, Behaviour::Good]).await;
    assert_eq!(stage.crawler.side_cycle().await, 0, "not before the feed has answered once");
    stage.pass(MINUTE).await;
    stage.crawler.side_cycle().await;
    for feed in &stage.feeds {
        let icon = stage.store.icon(*feed).await.unwrap().expect("an icon");
        assert!(icon.kind.starts_with("image/"), "{}", icon.kind);
    }
    let first = asked(&stage, Resource::Icon).len();
    stage.pass(6 * DAY).await;
    stage.crawler.side_cycle().await;
    assert_eq!(asked(&stage, Resource::Icon).len(), first, "not again within a week");
    stage.pass(2 * DAY).await;
    stage.crawler.side_cycle().await;
    assert!(asked(&stage, Resource::Icon).len() > first);
    let with_validators =
        stage.web.entries().into_iter().filter(|e| e.resource == Resource::Icon).skip(first);
    for entry in with_validators {
        assert!(entry.sent_etag.is_none() || entry.is_conditional(), "{entry:?}");
    }
    assert_eq!(impolite(&stage), []);
    assert!(stage.store.icon(stage.feeds[0]).await.unwrap().is_some(), "and it is still there");
}

fn hide(word: &str) -> RuleOrder {
    let pattern = Pattern::Words(vec![word.to_owned()]);
    let condition = Condition { field: RuleField::Title, pattern, negated: false };
    RuleOrder { scope: RuleScope::Everything, conditions: vec![condition], action: RuleAction::Hide }
}

#[tokio::test]
async fn rules_are_applied_with_the_poll_so_that_nothing_flashes() {
    let stage = Stage::scripted(&[Behaviour::Good]).await;
    let now = stage.clock.now();
    let other = stage.store.add_user("jan", None, false, now).await.unwrap();
    stage.subscribe(other, 0).await;
    // A word that some titles have: taken from the world itself.
    let posts = stage.web.world.numbers_between(0, START, now).len();
    let rule = stage.store.add_rule(stage.user, &hide("the"), now).await.unwrap();
    stage.pass(MINUTE).await;
    let (mine, theirs) = (list(&stage, stage.user, Scope::All).await, list(&stage, other, Scope::All).await);
    let hidden = list(&stage, stage.user, Scope::Hidden).await;
    let says = |row: &ListRow| {
        let title = row.item.title.clone().unwrap_or_default().to_lowercase();
        title.split(|c: char| !c.is_alphanumeric()).any(|word| word == "the")
    };
    assert!(posts > 0 && !theirs.is_empty());
    assert_eq!(hidden.len(), theirs.iter().filter(|row| says(row)).count(), "rule {rule}");
    assert!(hidden.iter().all(|row| says(row) && row.is_read));
    assert!(!mine.iter().any(says), "never in a list");
    assert_eq!(mine.len() + hidden.len(), theirs.len());
}

#[tokio::test]
async fn o2_a_rule_that_costs_too_much_is_switched_off_with_a_notice_and_the_poll_goes_on() {
    let stage = Stage::scripted(&[Behaviour::Good]).await;
    let now = stage.clock.now();
    let mut order = hide("x");
    order.conditions[0].pattern = Pattern::Regex("(x{1000}){1000}".into());
    let bad = stage.store.add_rule(stage.user, &order, now).await.unwrap();
    let good = stage.store.add_rule(stage.user, &hide("zzzz"), now).await.unwrap();
    let reports = stage.pass(MINUTE).await;
    assert!(reports[0].record.outcome.is_success());
    let rules = stage.store.rules(stage.user).await.unwrap();
    let bad = rules.iter().find(|rule| rule.id == bad).unwrap();
    assert!(!bad.enabled && bad.notice.as_ref().is_some_and(|notice| notice.ends_with('.')), "{bad:?}");
    assert!(rules.iter().any(|rule| rule.id == good && rule.enabled));
}

#[tokio::test]
async fn items_come_with_a_preview() {
    let stage = Stage::scripted(&[Behaviour::Good]).await;
    stage.pass(MINUTE).await;
    let rows = list(&stage, stage.user, Scope::All).await;
    assert!(rows.iter().all(|row| row.item.preview.words > 0));
    let excerpt = rows[0].item.preview.excerpt.clone().unwrap();
    assert!(excerpt.chars().count() <= 200 && !excerpt.contains('<'), "{excerpt}");
}

#[tokio::test]
async fn looking_and_then_following_asks_for_the_feed_once() {
    let stage = Stage::empty(FarmConfig::scripted(7, START, &[Behaviour::Good])).await;
    let feed = stage.web.world.feed_url(0).unwrap();
    let found = stage.crawler.find(&feed).await.unwrap();
    assert_eq!((found.len(), found[0].kind), (1, CandidateKind::Feed));
    assert_eq!(found[0].title.as_ref(), Some(&stage.web.world.feeds()[0].title));
    let followed = stage.crawler.follow(stage.user, found[0].url.as_str(), vec![]).await.unwrap();
    assert!(followed.report.is_some_and(|report| report.accepted && report.record.items_new > 0));
    assert_eq!(stage.web.log.len(), 1);
    let again = stage.crawler.follow(stage.user, &feed, vec![]).await.unwrap();
    assert!(again.was_subscribed);
    assert_eq!(stage.web.log.len(), 1, "a known feed is not asked for at all");
}

#[tokio::test]
async fn a_page_leads_to_its_feed_with_one_request_each_and_spaced() {
    let stage = Stage::empty(FarmConfig::scripted(7, START, &[Behaviour::Good])).await;
    let page = stage.web.world.site_url(0).unwrap();
    let found = stage.crawler.find(&page).await.unwrap();
    assert_eq!(found[0].kind, CandidateKind::Linked);
    let followed = stage.crawler.follow(stage.user, &page, vec![]).await.unwrap();
    assert_eq!(followed.url, found[0].url);
    assert!(followed.report.is_some());
    assert_eq!(stage.web.log.len(), 2, "the page once, the feed once");
    assert_eq!(impolite(&stage), []);
    let nothing = stage.crawler.find("https://nowhere.test/").await.unwrap_err();
    assert!(matches!(nothing, NotFollowed::Answer(_)) && nothing.to_string().ends_with('.'), "{nothing:?}");
}

/// A real server on loopback that counts who comes and answers each path as told.
struct Canary {
    addr: SocketAddr,
    visits: Arc<AtomicUsize>,
}

impl Canary {
    async fn start(answer: fn(&str) -> (String, usize)) -> Canary {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let canary = Canary { addr: listener.local_addr().unwrap(), visits: Arc::default() };
        let visits = Arc::clone(&canary.visits);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                visits.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(async move {
                    let mut head = vec![0; 4096];
                    let read = stream.read(&mut head).await.unwrap_or(0);
                    let text = String::from_utf8_lossy(&head[..read]).into_owned();
                    let (head, filler) = answer(text.split(' ').nth(1).unwrap_or_default());
                    let _ = stream.write_all(head.as_bytes()).await;
                    for _ in 0..filler {
                        if stream.write_all(&[b' '; 64 << 10]).await.is_err() {
                            return;
                        }
                    }
                });
            }
        });
        canary
    }
}

async fn real(allow: Option<&Canary>) -> (Store, UserId, Crawler<Fetcher, SystemClock>) {
    let now = SystemClock.now();
    let store = Store::open(&StoreConfig::new(Place::SqliteMemory), now).await.unwrap();
    let user = store.add_user("mira", None, false, now).await.unwrap();
    let addr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let allowed = allow.map(|canary| format!("{addr}/32:{}", canary.addr.port()));
    let fetcher = Fetcher::new(FetchConfig {
        allow: AllowList::parse(allowed.iter().map(String::as_str)).unwrap(),
        resolver: Resolver::Injected(Arc::new(TestNames { addr })),
        ..FetchConfig::default()
    })
    .unwrap();
    let settings = CrawlSettings { spacing: Duration::from_millis(10), ..CrawlSettings::default() };
    let clock = Arc::new(SystemClock);
    let crawler = Crawler::new(
        store.clone(),
        Arc::new(fetcher),
        clock,
        Policy::default(),
        Limits::default(),
        settings,
        None,
    );
    (store, user, crawler)
}

/// A feed with one item that points at `link`, as if polled a moment ago.
async fn item_with_link(store: &Store, user: UserId, feed_url: &str, link: &str) -> ItemId {
    let now = SystemClock.now();
    let wish = Wish {
        provider: fetch::provider(&Url::parse(feed_url).unwrap()),
        subscription: NewSubscription {
            url: feed_url.to_owned(),
            title: None,
            site_url: None,
            folder: vec![],
        },
        private: false,
        sealed: None,
    };
    let feed = store.subscribe(user, &wish, now, now).await.unwrap().feed;
    let second = Duration::from_secs(1);
    let leased = store.lease_feed(feed, now, 60 * second, Duration::ZERO, "test").await.unwrap().unwrap();
    let text = format!(
        "<rss version=\"2.0\"><channel><title>t</title><image><url>{link}</url></image><link>{link}</link>\
         <item><guid>1</guid><title>x</title><link>{link}</link></item></channel></rss>"
    );
    let input = parse::Input { bytes: text.as_bytes(), content_type: None, base: None, complete: true };
    let document = parse::parse(&input, &Limits::default()).unwrap().document;
    let kind = ItemKind::New { sort_at: now, unread: true };
    let write = store::ItemWrite::new(&document.items[0], kind, domain::Preview::default());
    let facts =
        domain::FeedFacts { site_url: Some(link.into()), icon_url: Some(link.into()), ..Default::default() };
    let commit = store::PollCommit {
        record: domain::PollRecord {
            feed,
            started_at: now,
            finished_at: now,
            outcome: domain::PollOutcome::Fresh,
            http_status: Some(200),
            wire_bytes: 0,
            items_seen: 1,
            items_new: 1,
            items_changed: 0,
            error: None,
        },
        schedule: domain::Schedule { last_success_at: Some(now), next_poll_at: far(now), ..leased.schedule },
        found: domain::Found::default(),
        lease: leased.lease,
        floor: 60 * second,
        facts: Some(facts),
        items: vec![write],
        effects: vec![],
        provider_free_at: now,
        provider_blocked_until: None,
        adopt_url: None,
        state: domain::FeedState::Active,
        wake: false,
    };
    store.commit_poll(commit).await.unwrap().new_items[0]
}

fn far(now: Timestamp) -> Timestamp {
    now.saturating_add(30 * DAY)
}

#[tokio::test]
async fn an_article_page_of_fifty_megabytes_ends_in_a_sentence() {
    let canary = Canary::start(|path| match path {
        "/robots.txt" => ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".into(), 0),
        _ => ("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>long".into(), 800),
    })
    .await;
    let (store, user, crawler) = real(Some(&canary)).await;
    let link = format!("http://long.test:{}/article", canary.addr.port());
    let item =
        item_with_link(&store, user, &format!("http://long.test:{}/feed", canary.addr.port()), &link).await;
    let Err(NoFullText::Why(sentence)) = crawler.full_text(user, item).await else { panic!("no text") };
    assert!(sentence.contains("larger than") && sentence.ends_with('.'), "{sentence}");
    let visits = canary.visits.load(Ordering::SeqCst);
    assert!(crawler.full_text(user, item).await.is_err());
    assert_eq!(canary.visits.load(Ordering::SeqCst), visits, "not tried again within the hour");
}

#[tokio::test]
async fn n25_robots_txt_decides_about_full_text() {
    let canary = Canary::start(|path| match path {
        "/robots.txt" => {
            ("HTTP/1.1 200 OK\r\nContent-Length: 33\r\n\r\nUser-agent: *\nDisallow: /private/".into(), 0)
        }
        _ => ("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\n\r\n<p>".into(), 0),
    })
    .await;
    let (store, user, crawler) = real(Some(&canary)).await;
    let site = format!("http://shy.test:{}", canary.addr.port());
    let item = item_with_link(&store, user, &format!("{site}/feed"), &format!("{site}/private/x")).await;
    let Err(NoFullText::Why(sentence)) = crawler.full_text(user, item).await else { panic!("no text") };
    assert!(sentence.contains("robots.txt"), "{sentence}");
    assert_eq!(canary.visits.load(Ordering::SeqCst), 1, "only robots.txt was asked for");
}

#[tokio::test]
async fn e9_full_text_icons_and_discovery_do_not_open_inner_doors() {
    let canary = Canary::start(|_| ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".into(), 0)).await;
    let (store, user, crawler) = real(None).await;
    for (nth, inner) in ["127.0.0.1", "inside.test", "[::1]", "localhost"].into_iter().enumerate() {
        let link = format!("http://{inner}:{}/canary", canary.addr.port());
        let item = item_with_link(&store, user, &format!("https://f{nth}.example/feed"), &link).await;
        let refused = crawler.full_text(user, item).await.unwrap_err();
        assert!(matches!(refused, NoFullText::Why(_)), "{refused:?}");
        assert!(crawler.find(&link).await.is_err());
        assert!(crawler.follow(user, &link, vec![]).await.is_err());
    }
    crawler.side_cycle().await;
    assert_eq!(canary.visits.load(Ordering::SeqCst), 0);
}
