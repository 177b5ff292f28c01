//! Politeness, scored as the people who run feeds score it: unconditional repeats, impatience, cookies and the rest.
//! Reads a log and nothing else, so the same judge serves the simulator, the tests and a run over sockets.

use crate::log::{LogEntry, Resource};
use domain::Timestamp;
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// What is asked of the client.
pub struct Rules<'a> {
    /// The least time between two polls of a feed.
    pub floor: &'a dyn Fn(usize) -> Duration,
    /// The least time between two requests to one host; zero switches the rule off.
    pub host_spacing: Duration,
    /// An unconditional repeat is forgiven when the one before it is at least this long ago (validators may be thrown
    /// away once a day, N4); `None` forgives nothing.
    pub reset_every: Option<Duration>,
    /// Icons may be asked for this often.
    pub icon_every: Duration,
}

impl Default for Rules<'_> {
    fn default() -> Self {
        Rules {
            floor: &|_| Duration::from_secs(300),
            host_spacing: Duration::from_secs(2),
            reset_every: None,
            icon_every: Duration::from_secs(7 * 86_400),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub feed: Option<usize>,
    pub at: Timestamp,
    pub kind: ViolationKind,
    /// A sentence with the numbers.
    pub detail: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ViolationKind {
    /// The whole document again, although validators were given.
    UnconditionalRepeat,
    /// A validator that this address never sent, or sent before something newer.
    MadeUpValidator,
    /// Sooner than the floor.
    TooSoon,
    /// Before `Retry-After`.
    RetryIgnored,
    /// While the answer still called itself fresh.
    FreshnessIgnored,
    /// More than twice after 410.
    GoneIgnored,
    CookieSent,
    RefererSent,
    NoAgent,
    /// An agent that says it is a browser.
    BrowserAgent,
    /// No compression accepted.
    IdentityOnly,
    /// Two requests to one host at once.
    Concurrent,
    /// Requests to one host closer than the spacing.
    Crowded,
    /// HEAD before GET.
    Head,
    /// A query the address does not have.
    OddUrl,
    /// An article or picture fetched again.
    PageAgain,
    IconTooOften,
}

/// Judges entries in the order of their times.
pub fn score(entries: &[LogEntry], rules: &Rules<'_>) -> Vec<Violation> {
    let mut order: Vec<&LogEntry> = entries.iter().collect();
    order.sort_by_key(|entry| entry.at);
    let mut judge = Judge {
        rules,
        found: Vec::new(),
        addresses: HashMap::new(),
        documents: HashMap::new(),
        hosts: HashMap::new(),
        pages: HashSet::new(),
        icons: HashMap::new(),
    };
    for entry in order {
        judge.manners(entry);
        let follows = judge.host(entry);
        match entry.resource {
            Resource::Feed => judge.feed(entry, follows),
            Resource::Article | Resource::Media => judge.page(entry),
            Resource::Icon => judge.icon(entry),
            Resource::Site | Resource::Robots | Resource::Other => {}
        }
    }
    judge.found
}

/// A host and a path without its query.
type Address<'a> = (&'a str, &'a str);

struct Judge<'a, 'b> {
    rules: &'a Rules<'b>,
    found: Vec<Violation>,
    addresses: HashMap<Address<'a>, Visits>,
    /// By feed: validators may be shown at the old address of a feed that redirects to where they came from.
    documents: HashMap<usize, Given<'a>>,
    hosts: HashMap<&'a str, Host>,
    pages: HashSet<Address<'a>>,
    icons: HashMap<Address<'a>, Timestamp>,
}

#[derive(Default)]
struct Visits {
    last_at: Option<Timestamp>,
    fresh_until: Option<Timestamp>,
    gone: u32,
}

/// What a feed last gave its reader.
#[derive(Default)]
struct Given<'a> {
    /// Where a whole answer with validators came from; `None` when the reader may well ask for everything.
    at: Option<Address<'a>>,
    etag: Option<&'a str>,
    last_modified: Option<&'a str>,
    unconditional_at: Option<Timestamp>,
}

#[derive(Default)]
struct Host {
    last_at: Option<Timestamp>,
    retry_at: Option<Timestamp>,
    redirected: bool,
}

impl<'a> Judge<'a, '_> {
    fn blame(&mut self, entry: &LogEntry, kind: ViolationKind, detail: String) {
        self.found.push(Violation { feed: entry.feed, at: entry.at, kind, detail });
    }

    fn manners(&mut self, entry: &LogEntry) {
        if entry.cookie {
            self.blame(entry, ViolationKind::CookieSent, format!("a cookie was sent to {}", entry.host));
        }
        if entry.referer {
            self.blame(entry, ViolationKind::RefererSent, format!("a referrer was sent to {}", entry.host));
        }
        match entry.user_agent.as_deref().map(str::trim) {
            None | Some("") => self.blame(entry, ViolationKind::NoAgent, "no User-Agent".to_owned()),
            Some(agent) if agent.starts_with("Mozilla/") => {
                self.blame(entry, ViolationKind::BrowserAgent, format!("the agent says {agent}"));
            }
            Some(_) => {}
        }
        if entry.method == "HEAD" {
            self.blame(entry, ViolationKind::Head, format!("HEAD {}", entry.path));
        }
    }

    /// Says whether the request follows a redirect of this host, and so belongs to the request before it.
    fn host(&mut self, entry: &'a LogEntry) -> bool {
        if entry.in_flight > 1 {
            let detail = format!("{} requests to {} at once", entry.in_flight, entry.host);
            self.blame(entry, ViolationKind::Concurrent, detail);
        }
        let host = self.hosts.entry(&entry.host).or_default();
        let since = host.last_at.map(|last| entry.at.since(last));
        let waited_for = host.retry_at.filter(|&until| entry.at < until);
        let near = since.filter(|&since| since < self.rules.host_spacing);
        let follows = host.redirected && since.is_some_and(|since| since < Duration::from_secs(60));
        host.last_at = Some(entry.at);
        host.retry_at = entry.retry_at.or(host.retry_at);
        host.redirected = is_redirect(entry.status);
        if let Some(until) = waited_for {
            let detail = format!("{} asked to be left alone until {until}", entry.host);
            self.blame(entry, ViolationKind::RetryIgnored, detail);
        }
        if let Some(since) = near.filter(|_| !follows) {
            let detail = format!("{} ms after the last request to {}", since.as_millis(), entry.host);
            self.blame(entry, ViolationKind::Crowded, detail);
        }
        follows
    }

    fn feed(&mut self, entry: &'a LogEntry, follows: bool) {
        let compressed = entry.accept_encoding.as_deref().is_some_and(|accepted| {
            ["gzip", "br", "zstd", "deflate"].iter().any(|coding| accepted.contains(coding))
        });
        if !compressed {
            self.blame(entry, ViolationKind::IdentityOnly, "no compression accepted".to_owned());
        }
        // Redirect targets of ours may carry a query; a feed's own address never does.
        let path = entry.path.split('?').next().unwrap_or_default();
        if path.len() != entry.path.len() && !entry.path.contains("again=") {
            self.blame(entry, ViolationKind::OddUrl, format!("asked for {}", entry.path));
        }
        let address = (entry.host.as_str(), path);
        let mut visits = self.addresses.remove(&address).unwrap_or_default();
        if !follows {
            self.timing(entry, &visits);
        }
        visits.last_at = Some(entry.at);
        visits.fresh_until = entry.fresh_until;
        visits.gone += u32::from(entry.status == 410);
        self.addresses.insert(address, visits);
        if let Some(feed) = entry.feed.filter(|_| !is_redirect(entry.status)) {
            let mut given = self.documents.remove(&feed).unwrap_or_default();
            self.validators(entry, address, &given);
            given.learn(entry, address);
            self.documents.insert(feed, given);
        }
    }

    fn timing(&mut self, entry: &LogEntry, visits: &Visits) {
        let floor = entry.feed.map_or(Duration::ZERO, |feed| (self.rules.floor)(feed));
        if let Some(since) = visits.last_at.map(|last| entry.at.since(last)).filter(|&since| since < floor) {
            let detail =
                format!("{} s after the last poll, the floor is {} s", since.as_secs(), floor.as_secs());
            self.blame(entry, ViolationKind::TooSoon, detail);
        }
        if let Some(until) = visits.fresh_until.filter(|&until| entry.at < until) {
            self.blame(entry, ViolationKind::FreshnessIgnored, format!("fresh until {until}"));
        }
        if visits.gone >= 2 {
            self.blame(entry, ViolationKind::GoneIgnored, format!("410 was answered {} times", visits.gone));
        }
    }

    fn validators(&mut self, entry: &LogEntry, address: Address<'_>, given: &Given<'_>) {
        if !entry.is_conditional() {
            let forgiven = match (self.rules.reset_every, given.unconditional_at) {
                (Some(every), Some(last)) => entry.at.since(last) >= every,
                _ => false,
            };
            if given.at == Some(address) && !forgiven {
                self.blame(
                    entry,
                    ViolationKind::UnconditionalRepeat,
                    format!("the whole of {} again", entry.path),
                );
            }
            return;
        }
        let strange = |sent: &Option<String>, given: Option<&str>| {
            sent.as_deref().is_some_and(|tag| Some(tag) != given)
        };
        if strange(&entry.if_none_match, given.etag) || strange(&entry.if_modified_since, given.last_modified)
        {
            let detail = format!(
                "sent {:?} and {:?}, was given {:?} and {:?}",
                entry.if_none_match, entry.if_modified_since, given.etag, given.last_modified
            );
            self.blame(entry, ViolationKind::MadeUpValidator, detail);
        }
    }

    fn page(&mut self, entry: &'a LogEntry) {
        if entry.status == 200 && !self.pages.insert((&entry.host, &entry.path)) {
            self.blame(entry, ViolationKind::PageAgain, format!("{} again", entry.path));
        }
    }

    fn icon(&mut self, entry: &'a LogEntry) {
        let last = self.icons.insert((&entry.host, &entry.path), entry.at);
        if let Some(since) =
            last.map(|last| entry.at.since(last)).filter(|&since| since < self.rules.icon_every)
        {
            let detail = format!("the icon again after {} h", since.as_secs() / 3_600);
            self.blame(entry, ViolationKind::IconTooOften, detail);
        }
    }
}

impl<'a> Given<'a> {
    fn learn(&mut self, entry: &'a LogEntry, address: Address<'a>) {
        if !entry.is_conditional() {
            self.unconditional_at = Some(entry.at);
        }
        match entry.status {
            // A cut body must not be remembered as seen (B10), so the next request may well be unconditional.
            200 | 226 if !entry.complete => self.at = None,
            200 | 226 if entry.sent_etag.is_none() && entry.sent_last_modified.is_none() => self.at = None,
            200 | 226 => {
                self.etag = entry.sent_etag.as_deref();
                self.last_modified = entry.sent_last_modified.as_deref();
                self.at = Some(address);
            }
            // A 304 renews what it repeats and leaves the rest (RFC 9111 §3.2).
            304 => {
                self.etag = entry.sent_etag.as_deref().or(self.etag);
                self.last_modified = entry.sent_last_modified.as_deref().or(self.last_modified);
            }
            _ => {}
        }
    }
}

fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}
