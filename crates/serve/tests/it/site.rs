//! A server without a socket, people who are signed in, and feeds with items.

use crate::log;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use domain::{
    DocumentItem, FeedFacts, FeedId, FeedState, Identity, ItemId, Limits, NewSubscription, PollOutcome,
    PollRecord, Preview, Reason, Schedule, Secret, Timestamp, UserId,
};
use fetch::{AllowList, FetchConfig, Fetcher, Resolver, TestNames};
use serve::{
    App, BasePath, Candidate, Errand, Errands, FetcherFacts, Finder, Followed, Listeners, MediaKey, NotFound,
    ProxyRange, Refreshed, SetupToken, router,
};
use sha2::{Digest, Sha256};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::{FullText, ItemKind, ItemWrite, Place, PollCommit, SecretKey, Store, StoreConfig, Wish};
use tower::ServiceExt;

pub(crate) const NOW: Timestamp = Timestamp::from_seconds(1_800_000_000);
pub(crate) const PASSWORD: &str = "correct horse battery";

pub(crate) struct Site {
    pub(crate) router: Router,
    pub(crate) store: Store,
    pub(crate) token: String,
    pub(crate) desk: Arc<Desk>,
    /// Empty until a test fills it; see [`crate::shelf`].
    pub(crate) finder: Finder,
    pub(crate) ear: serve::Ear,
    /// Seconds since [`NOW`].
    later: Arc<AtomicI64>,
    next: AtomicU64,
}

pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
    pub(crate) bytes: Vec<u8>,
}

/// Stands in for the working side, which is another crate's: it answers what a test told it, and remembers.
#[derive(Default)]
pub(crate) struct Desk {
    pub(crate) asked: Mutex<Vec<String>>,
    pub(crate) found: Mutex<Option<Result<Vec<Candidate>, NotFound>>>,
    pub(crate) followed: Mutex<Option<Result<Followed, NotFound>>>,
    pub(crate) refreshed: Mutex<Option<Refreshed>>,
    pub(crate) full_text: Mutex<Option<Result<FullText, String>>>,
    store: Mutex<Option<Store>>,
}

impl Desk {
    fn note(&self, text: String) {
        self.asked.lock().unwrap().push(text);
    }
}

impl Errands for Desk {
    fn find<'a>(&'a self, address: &'a str) -> Errand<'a, Result<Vec<Candidate>, NotFound>> {
        self.note(format!("find {address}"));
        let answer = self.found.lock().unwrap().clone();
        Box::pin(async move { answer.unwrap_or_else(|| Err(NotFound::Because("nothing there".into()))) })
    }

    fn follow<'a>(
        &'a self,
        user: UserId,
        address: &'a str,
        folder: Vec<String>,
    ) -> Errand<'a, Result<Followed, NotFound>> {
        self.note(format!("follow {user} {address} {folder:?}"));
        let answer = self.followed.lock().unwrap().clone();
        Box::pin(async move { answer.unwrap_or_else(|| Err(NotFound::Because("nothing there".into()))) })
    }

    fn refresh(&self, feed: FeedId) -> Errand<'_, Refreshed> {
        self.note(format!("refresh {feed}"));
        let answer = self.refreshed.lock().unwrap().clone();
        Box::pin(async move { answer.unwrap_or(Refreshed::Done { items_new: 0 }) })
    }

    fn full_text(&self, user: UserId, item: ItemId) -> Errand<'_, Result<FullText, String>> {
        self.note(format!("full text {user} {item}"));
        let answer = self.full_text.lock().unwrap().clone();
        let store = self.store.lock().unwrap().clone();
        Box::pin(async move {
            let answer = answer.unwrap_or_else(|| Err("The page does not answer.".into()));
            if let (Ok(text), Some(store)) = (&answer, store) {
                store.keep_full_text(item, text).await.unwrap();
            }
            answer
        })
    }

    fn wake(&self) {
        self.note("wake".into());
    }
}

/// Fetches from loopback only where a test allows it.
fn fetcher(allow: &[String]) -> Fetcher {
    let addr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    Fetcher::new(FetchConfig {
        allow: AllowList::parse(allow.iter().map(String::as_str)).unwrap(),
        resolver: Resolver::Injected(Arc::new(TestNames { addr })),
        ..FetchConfig::default()
    })
    .unwrap()
}

/// How a site differs from the usual one.
#[derive(Default)]
pub(crate) struct Made<'a> {
    pub(crate) base: &'a str,
    pub(crate) secure: bool,
    pub(crate) proxies: &'a [&'a str],
    /// `host:port` that the media proxy may reach.
    pub(crate) allow: Vec<String>,
}

impl Site {
    pub(crate) async fn new() -> Site {
        Site::made(Made::default()).await
    }

    pub(crate) async fn under(base: &str) -> Site {
        Site::made(Made { base, ..Made::default() }).await
    }

    pub(crate) async fn made(made: Made<'_>) -> Site {
        log::keep();
        let store = Store::open(&StoreConfig::new(Place::SqliteMemory), NOW).await.unwrap();
        let setup = SetupToken::random();
        let base_path = BasePath::parse(made.base).unwrap();
        let link = setup.link("", &base_path);
        let token = link.split_once("token=").unwrap().1.to_owned();
        let later = Arc::new(AtomicI64::new(0));
        let desk = Arc::new(Desk::default());
        *desk.store.lock().unwrap() = Some(store.clone());
        let key = SecretKey::from_bytes([7; 32]);
        let (finder, ear) = (Finder::default(), serve::Ear::default());
        let clock = later.clone();
        let app = App {
            store: store.clone(),
            setup,
            clock: Arc::new(move || Timestamp::from_seconds(NOW.seconds() + clock.load(Ordering::SeqCst))),
            version: "1.2.3".into(),
            base_path,
            secure: made.secure,
            proxies: made.proxies.iter().map(|range| ProxyRange::parse(range).unwrap()).collect(),
            fetcher: FetcherFacts::new("Wellread/1.2.3 (+https://reader.example/about-fetcher)"),
            fetcher_door: fetcher(&made.allow),
            media_key: MediaKey::new(key.derive("media")),
            key,
            errands: desk.clone(),
            listeners: Listeners::default(),
            finder: finder.clone(),
            ear: ear.clone(),
            limits: Arc::new(Limits::default()),
        };
        Site { router: router(app), store, token, desk, finder, ear, later, next: AtomicU64::new(1) }
    }

    /// Time passes for the server.
    pub(crate) fn wait(&self, seconds: i64) {
        self.later.fetch_add(seconds, Ordering::SeqCst);
    }

    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_seconds(NOW.seconds() + self.later.load(Ordering::SeqCst))
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.ask(Method::GET, path, &[], "").await
    }

    /// As a browser sends a form of our own page.
    pub(crate) async fn post(&self, path: &str, form: &str) -> Answer {
        self.ask(Method::POST, path, &[("sec-fetch-site", "same-origin")], form).await
    }

    pub(crate) async fn ask(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path).header(header::HOST, "reader.example");
        let has_kind = headers.iter().any(|(name, _)| *name == "content-type");
        if !body.is_empty() && !has_kind {
            request = request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(body.to_owned())).unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, 32 << 20).await.unwrap().to_vec();
        let body = String::from_utf8_lossy(&bytes).into_owned();
        Answer { status: parts.status, headers: parts.headers, body, bytes }
    }

    pub(crate) async fn set_up(&self, name: &str) -> Answer {
        self.post("/setup", &self.entered(name, PASSWORD, PASSWORD)).await
    }

    /// The set-up form with the right token.
    pub(crate) fn entered(&self, name: &str, password: &str, again: &str) -> String {
        let [name, password, again] = [name, password, again].map(encoded);
        format!("token={}&name={name}&password={password}&again={again}", self.token)
    }

    pub(crate) async fn names(&self) -> Vec<String> {
        self.store.users().await.unwrap().into_iter().map(|user| user.name).collect()
    }

    /// A new person with a session, without the cost of a password.
    pub(crate) async fn person(&self, name: &str) -> Person<'_> {
        self.person_who(name, false).await
    }

    pub(crate) async fn admin(&self, name: &str) -> Person<'_> {
        self.person_who(name, true).await
    }

    async fn person_who(&self, name: &str, is_admin: bool) -> Person<'_> {
        let user = self.store.add_user(name, None, is_admin, self.now()).await.unwrap();
        self.signed_in(user).await
    }

    /// One more session of somebody.
    pub(crate) async fn signed_in(&self, user: UserId) -> Person<'_> {
        let token = format!("session-{}", self.next.fetch_add(1, Ordering::SeqCst));
        let hash: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        let ends_at = self.now().saturating_add(Duration::from_secs(30 * 86_400));
        self.store.add_session(user, hash, "Test", "192.0.2.1", self.now(), ends_at).await.unwrap();
        Person { site: self, user, cookie: format!("wellread-session={token}") }
    }

    /// A feed that everybody named follows, with items whose titles and bodies are given, oldest first.
    pub(crate) async fn feed(&self, people: &[&Person<'_>], title: &str, items: &[Posted<'_>]) -> FeedId {
        let number = self.next.fetch_add(1, Ordering::SeqCst);
        self.feed_at(people, &format!("https://f{number}.example/feed.xml"), title, items).await
    }

    /// The same at an address.
    pub(crate) async fn feed_at(
        &self,
        people: &[&Person<'_>],
        url: &str,
        title: &str,
        items: &[Posted<'_>],
    ) -> FeedId {
        let host = url.split('/').nth(2).unwrap();
        let wish = Wish {
            subscription: NewSubscription {
                url: url.to_owned(),
                title: None,
                site_url: None,
                folder: vec![],
            },
            provider: host.to_owned(),
            private: false,
            sealed: None,
        };
        let mut feed = FeedId(0);
        for person in people {
            feed = self.store.subscribe(person.user, &wish, self.now(), self.now()).await.unwrap().feed;
        }
        self.poll(feed, title, items).await;
        feed
    }

    /// One poll that brings these items.
    pub(crate) async fn poll(&self, feed: FeedId, title: &str, items: &[Posted<'_>]) -> Vec<ItemId> {
        let now = self.now();
        let leased = self
            .store
            .lease_feed(feed, now, Duration::from_secs(60), Duration::ZERO, "test")
            .await
            .unwrap()
            .expect("leasable");
        let writes: Vec<ItemWrite> = items.iter().map(|item| item.write(self, now)).collect();
        let commit = PollCommit {
            lease: leased.lease,
            record: PollRecord {
                feed,
                started_at: now,
                finished_at: now,
                outcome: PollOutcome::Fresh,
                http_status: Some(200),
                wire_bytes: 1_000,
                items_seen: u32::try_from(items.len()).unwrap(),
                items_new: u32::try_from(items.len()).unwrap(),
                items_changed: 0,
                error: None,
            },
            schedule: Schedule {
                next_poll_at: now.saturating_add(Duration::from_secs(3600)),
                reason: Reason::OwnFloor { minutes: 60 },
                last_poll_at: Some(now),
                last_success_at: Some(now),
                ..leased.schedule.clone()
            },
            found: domain::Found::default(),
            floor: Duration::from_secs(3600),
            facts: Some(FeedFacts { title: Some(title.to_owned()), ..FeedFacts::default() }),
            items: writes,
            effects: vec![],
            provider_free_at: now,
            provider_blocked_until: None,
            adopt_url: None,
            state: FeedState::Active,
            wake: false,
        };
        self.store.commit_poll(commit).await.unwrap().new_items
    }
}

/// An item of a feed; the rest is plain.
#[derive(Debug, Clone, Default)]
pub(crate) struct Posted<'a> {
    pub(crate) title: &'a str,
    pub(crate) html: &'a str,
    pub(crate) author: Option<&'a str>,
    pub(crate) link: Option<&'a str>,
    pub(crate) tags: &'a [&'a str],
    pub(crate) enclosures: Vec<domain::Enclosure>,
    /// Seconds before now.
    pub(crate) ago: i64,
}

pub(crate) fn posted<'a>(title: &'a str, html: &'a str) -> Posted<'a> {
    Posted { title, html, link: Some("https://site.example/page"), ..Posted::default() }
}

impl Posted<'_> {
    fn write(&self, site: &Site, now: Timestamp) -> ItemWrite {
        let number = site.next.fetch_add(1, Ordering::SeqCst);
        let item = DocumentItem {
            identity: Identity(u128::from(number)),
            twin: None,
            guid: None,
            title: Some(self.title.to_owned()),
            link: self.link.map(str::to_owned),
            author: self.author.map(str::to_owned),
            published: Some(Timestamp::from_seconds(now.seconds() - self.ago)),
            updated: None,
            summary: None,
            content: Some(self.html.to_owned()),
            language: None,
            tags: self.tags.iter().map(|tag| (*tag).to_owned()).collect(),
            enclosures: self.enclosures.clone(),
            content_hash: number,
        };
        let sort_at =
            Timestamp::from_micros(now.micros() - self.ago * 1_000_000 + i64::try_from(number).unwrap());
        let preview =
            Preview { excerpt: Some(format!("Excerpt of {}", self.title)), words: 500, ..Preview::default() };
        ItemWrite::new(&item, ItemKind::New { sort_at, unread: true }, preview)
    }
}

/// Somebody with a session.
pub(crate) struct Person<'a> {
    pub(crate) site: &'a Site,
    pub(crate) user: UserId,
    pub(crate) cookie: String,
}

impl Person<'_> {
    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.site.ask(Method::GET, path, &[("cookie", &self.cookie), ("accept", "text/html")], "").await
    }

    /// A form without scripts.
    pub(crate) async fn post(&self, path: &str, form: &str) -> Answer {
        let headers =
            [("cookie", self.cookie.as_str()), ("sec-fetch-site", "same-origin"), ("accept", "text/html")];
        self.site.ask(Method::POST, path, &headers, form).await
    }

    /// The same by a script.
    pub(crate) async fn send(&self, path: &str, form: &str) -> Answer {
        let headers = [
            ("cookie", self.cookie.as_str()),
            ("sec-fetch-site", "same-origin"),
            ("accept", "application/json"),
        ];
        self.site.ask(Method::POST, path, &headers, form).await
    }

    pub(crate) async fn send_json(&self, path: &str, json: &str) -> Answer {
        let headers = [
            ("cookie", self.cookie.as_str()),
            ("sec-fetch-site", "same-origin"),
            ("accept", "application/json"),
            ("content-type", "application/json"),
        ];
        self.site.ask(Method::POST, path, &headers, json).await
    }

    /// The titles of a list, in order.
    pub(crate) async fn titles(&self, path: &str) -> Vec<String> {
        let page = self.get(path).await;
        assert_eq!(page.status, StatusCode::OK, "{path}: {}", page.body);
        let of = |part: &str| {
            let text = part.split_once('>')?.1.split("</a>").next()?;
            Some(text.rsplit("</span>").next()?.to_owned())
        };
        page.body.split("class=\"open\"").skip(1).filter_map(of).collect()
    }

    pub(crate) async fn items(&self, feed: FeedId) -> Vec<ItemId> {
        let query = store::ListQuery {
            scope: store::Scope::Feed(feed),
            unread_only: false,
            order: store::Order::NewestFirst,
            limit: 100,
            after: None,
        };
        self.site.store.list(self.user, &query).await.unwrap().into_iter().map(|row| row.item.id).collect()
    }
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("JSON: {}", self.body))
    }
}

pub(crate) fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

pub(crate) fn secret(text: &str) -> Secret {
    Secret::new(text)
}
