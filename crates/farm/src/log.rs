//! What was asked and answered, for oracles and for scoring politeness. A ring: the oldest entries go first.

use crate::message::{Request, Response};
use crate::respond::Route;
use crate::world::{World, lock};
use domain::Timestamp;
use std::collections::VecDeque;
use std::sync::Mutex;

const VALUE_BYTES_MAX: usize = 512;

/// What kind of thing was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Resource {
    Feed,
    /// A front page or an about page.
    Site,
    Article,
    Robots,
    Icon,
    Media,
    /// Nothing we have.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    pub at: Timestamp,
    pub feed: Option<usize>,
    pub resource: Resource,
    pub method: String,
    /// Without the port.
    pub host: String,
    /// With the query.
    pub path: String,
    pub user_agent: Option<String>,
    pub accept_encoding: Option<String>,
    pub if_none_match: Option<String>,
    pub if_modified_since: Option<String>,
    pub asked_for_delta: bool,
    pub cookie: bool,
    pub referer: bool,
    pub authorization: bool,
    /// Names of all header fields as they were written, in order, separated by spaces.
    pub fields: String,
    /// Requests of this host in flight when this one arrived, itself included.
    pub in_flight: u32,
    pub status: u16,
    pub sent_etag: Option<String>,
    pub sent_last_modified: Option<String>,
    pub complete: bool,
    pub retry_at: Option<Timestamp>,
    pub fresh_until: Option<Timestamp>,
    /// Bytes of body promised by the answer.
    pub body_bytes: u64,
}

impl LogEntry {
    pub fn is_conditional(&self) -> bool {
        self.if_none_match.is_some() || self.if_modified_since.is_some()
    }
}

pub struct Log {
    capacity: usize,
    entries: Mutex<VecDeque<LogEntry>>,
}

impl Log {
    pub fn new(capacity: usize) -> Log {
        Log { capacity: capacity.max(1), entries: Mutex::new(VecDeque::new()) }
    }

    /// For callers that ask a [`World`] without a socket; [`crate::Farm`] does this itself.
    pub fn record(
        &self,
        world: &World,
        request: &Request<'_>,
        response: &Response,
        in_flight: u32,
        at: Timestamp,
    ) {
        self.push(entry(world.route(request), request, response, in_flight, at));
    }

    pub fn entries(&self) -> Vec<LogEntry> {
        lock(&self.entries).iter().cloned().collect()
    }

    pub fn of_feed(&self, feed: usize) -> Vec<LogEntry> {
        lock(&self.entries).iter().filter(|entry| entry.feed == Some(feed)).cloned().collect()
    }

    /// Takes everything out, so that long runs can be scored piece by piece.
    pub fn drain(&self) -> Vec<LogEntry> {
        lock(&self.entries).drain(..).collect()
    }

    pub fn len(&self) -> usize {
        lock(&self.entries).len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn push(&self, entry: LogEntry) {
        let mut entries = lock(&self.entries);
        if entries.len() >= self.capacity {
            entries.pop_front();
        }
        entries.push_back(entry);
    }
}

fn entry(
    route: Route,
    request: &Request<'_>,
    response: &Response,
    in_flight: u32,
    at: Timestamp,
) -> LogEntry {
    let asked = |name: &str| request.header(name).map(short);
    LogEntry {
        at,
        feed: route.feed,
        resource: route.resource,
        method: short(request.method),
        host: short(request.host_name()),
        path: short(request.path),
        user_agent: asked("User-Agent"),
        accept_encoding: asked("Accept-Encoding"),
        if_none_match: asked("If-None-Match"),
        if_modified_since: asked("If-Modified-Since"),
        asked_for_delta: request.names("A-IM", "feed"),
        cookie: request.header("Cookie").is_some(),
        referer: request.header("Referer").is_some(),
        authorization: request.header("Authorization").is_some(),
        fields: fields(request),
        in_flight,
        status: response.status,
        sent_etag: response.header("ETag").map(short),
        sent_last_modified: response.header("Last-Modified").map(short),
        complete: response.is_complete(),
        retry_at: response.retry_at,
        fresh_until: response.fresh_until,
        body_bytes: response.body.len(),
    }
}

fn fields(request: &Request<'_>) -> String {
    let mut names = String::with_capacity(96);
    for (name, _) in request.headers {
        if names.len() + name.len() >= VALUE_BYTES_MAX {
            break;
        }
        if !names.is_empty() {
            names.push(' ');
        }
        names.push_str(name);
    }
    names
}

fn short(value: &str) -> String {
    let mut end = value.len().min(VALUE_BYTES_MAX);
    while !value.is_char_boundary(end) {
        end -= 1;
    }
    value[..end].to_owned()
}
