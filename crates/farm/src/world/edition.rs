//! One state of one feed's document: which items it shows, its validators, for how long it stays as it is, and its
//! bytes once somebody asked for them. A request for an unchanged feed costs a look at the times.

use super::{Post, World, edited_after, lock};
use crate::behaviour::Behaviour;
use crate::calendar::{DAY_S, HOUR_S, day_of, http_date};
use crate::document;
use crate::spec::FeedSpec;
use bytes::Bytes;
use domain::Timestamp;
use flate2::{Compress, Compression, Crc, FlushCompress, Status};
use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

const REPLAYED: usize = 500;

pub(crate) struct Edition {
    /// Newest first, with the revision each is at.
    pub(crate) posts: Vec<(Post, u8)>,
    pub(crate) changed_at: Timestamp,
    /// Which second, hour or day it is, for documents that change with the time alone.
    pub(crate) phase: u64,
    pub(crate) replaying: bool,
    pub(crate) etag: String,
    pub(crate) last_modified: String,
    valid_from: Timestamp,
    valid_until: Timestamp,
    body: OnceLock<Bytes>,
    gzip: OnceLock<Bytes>,
    kept: AtomicUsize,
    budget: Arc<AtomicUsize>,
}

impl Drop for Edition {
    fn drop(&mut self) {
        self.budget.fetch_sub(*self.kept.get_mut(), Ordering::Relaxed);
    }
}

impl World {
    /// Renders every document that a client with gzip would get at this time, as far as the memo holds: a benchmark
    /// calls it first and then measures the client instead of us.
    pub fn warm(&self, now: Timestamp) {
        for spec in &self.feeds {
            let edition = self.edition(spec, now);
            if spec.habits.gzip {
                edition.gzip(self, spec, now);
            } else {
                edition.body(self, spec, now);
            }
        }
    }

    pub(crate) fn edition(&self, spec: &FeedSpec, now: Timestamp) -> Arc<Edition> {
        let Some(memo) = self.memo.get(spec.index) else { return Arc::new(self.draw_edition(spec, now)) };
        let mut memo = lock(memo);
        if let Some(known) = memo.as_ref().filter(|known| known.valid_from <= now && now < known.valid_until)
        {
            return Arc::clone(known);
        }
        let fresh = Arc::new(self.draw_edition(spec, now));
        *memo = Some(Arc::clone(&fresh));
        fresh
    }

    /// Only what changed since the edition with this newest number: the body of a 226 (RFC 3229).
    pub(crate) fn delta(&self, spec: &FeedSpec, edition: &Edition, known: u64, now: Timestamp) -> Bytes {
        let posts: Vec<_> = edition.posts.iter().copied().filter(|(post, _)| post.number > known).collect();
        document::render(self, spec, &posts, edition, now).into()
    }

    fn draw_edition(&self, spec: &FeedSpec, now: Timestamp) -> Edition {
        let behaviour = spec.behaviour_at(now);
        let (phase, since, until) = phase(behaviour, now);
        let replaying = behaviour == Behaviour::Replay && replays(spec, now);
        let count = if replaying { REPLAYED } else { self.config.items_per_document };
        let mut posts = self.newest(spec, now, count);
        if behaviour == Behaviour::Vanishing && hour(now) % 2 == 1 {
            posts.retain(|post| post.number.is_multiple_of(2));
        }
        let mut edition = Edition {
            changed_at: posts.first().map_or(self.config.start, |post| post.at).max(since),
            valid_from: now,
            valid_until: self.next_post(spec, now).min(until),
            posts: Vec::with_capacity(posts.len()),
            phase,
            replaying,
            etag: String::new(),
            last_modified: String::new(),
            body: OnceLock::new(),
            gzip: OnceLock::new(),
            kept: AtomicUsize::new(0),
            budget: Arc::clone(&self.memo_bytes),
        };
        if now < spec.onset {
            edition.valid_until = edition.valid_until.min(spec.onset);
        }
        let mut salt = phase;
        for post in posts {
            let edited = behaviour == Behaviour::Edits && post.number.is_multiple_of(3);
            let mut revision = 0;
            for next in 1..=if edited { 2 } else { 0 } {
                let at = post.at.saturating_add(edited_after(next));
                if at <= now {
                    revision = next;
                    edition.changed_at = edition.changed_at.max(at);
                } else {
                    edition.valid_until = edition.valid_until.min(at);
                }
            }
            salt = salt.wrapping_mul(3).wrapping_add(u64::from(revision));
            edition.posts.push((post, revision));
        }
        let newest = edition.posts.first().map_or(0, |(post, _)| post.number);
        let weak = if spec.habits.weak_etag { "W/" } else { "" };
        edition.etag = format!("{weak}\"{newest}-{salt:x}\"");
        edition.last_modified = http_date(edition.changed_at);
        edition
    }
}

impl Edition {
    pub(crate) fn body(&self, world: &World, spec: &FeedSpec, now: Timestamp) -> Bytes {
        if let Some(body) = self.body.get() {
            return body.clone();
        }
        let body: Bytes = document::render(world, spec, &self.posts, self, now).into();
        self.keep(world, &self.body, &body);
        body
    }

    pub(crate) fn gzip(&self, world: &World, spec: &FeedSpec, now: Timestamp) -> Bytes {
        if let Some(gzip) = self.gzip.get() {
            return gzip.clone();
        }
        // The plain text is not kept for this: most clients accept gzip, and one copy is enough.
        let body = self.body.get().cloned();
        let body = body.unwrap_or_else(|| document::render(world, spec, &self.posts, self, now).into());
        let gzip: Bytes = compress(&body).into();
        self.keep(world, &self.gzip, &gzip);
        gzip
    }

    /// The number that an ETag of ours names as newest.
    pub(crate) fn known_number(etag: &str) -> Option<u64> {
        let bare = etag.trim().trim_start_matches("W/").trim_matches('"');
        bare.split('-').next()?.parse().ok()
    }

    fn keep(&self, world: &World, cell: &OnceLock<Bytes>, bytes: &Bytes) {
        let total = self.budget.fetch_add(bytes.len(), Ordering::Relaxed).saturating_add(bytes.len());
        if total <= world.config.memo_bytes_max && cell.set(bytes.clone()).is_ok() {
            self.kept.fetch_add(bytes.len(), Ordering::Relaxed);
        } else {
            self.budget.fetch_sub(bytes.len(), Ordering::Relaxed);
        }
    }
}

impl FeedSpec {
    /// Good before its onset, itself after it.
    pub(crate) fn behaviour_at(&self, now: Timestamp) -> Behaviour {
        if now < self.onset { Behaviour::Good } else { self.behaviour }
    }
}

thread_local! {
    /// A compressor is some 300 KiB of tables; making one costs more than using it on a document.
    static DEFLATE: RefCell<Compress> = RefCell::new(Compress::new(Compression::fast(), false));
}

/// One gzip member (RFC 1952).
pub(crate) fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() / 2 + 64);
    out.extend_from_slice(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
    DEFLATE.with_borrow_mut(|deflate| {
        deflate.reset();
        loop {
            let read = usize::try_from(deflate.total_in()).unwrap_or(bytes.len());
            let rest = bytes.get(read..).unwrap_or_default();
            match deflate.compress_vec(rest, &mut out, FlushCompress::Finish) {
                Ok(Status::Ok | Status::BufError) => out.reserve(bytes.len() / 4 + 64),
                Ok(Status::StreamEnd) | Err(_) => break,
            }
        }
    });
    let mut crc = Crc::new();
    crc.update(bytes);
    out.extend_from_slice(&crc.sum().to_le_bytes());
    out.extend_from_slice(&crc.amount().to_le_bytes());
    out
}

/// For behaviours whose document changes without a post: which state it is in, since when and until when.
fn phase(behaviour: Behaviour, now: Timestamp) -> (u64, Timestamp, Timestamp) {
    let span = match behaviour {
        Behaviour::RollingDates | Behaviour::EditStorm => 1,
        Behaviour::Vanishing => HOUR_S,
        Behaviour::RotatingGuid | Behaviour::Replay => DAY_S,
        _ => return (0, Timestamp::EPOCH, Timestamp::FAR_FUTURE),
    };
    let nth = now.seconds().div_euclid(span);
    let since = Timestamp::from_seconds(nth.saturating_mul(span));
    (nth.unsigned_abs(), since, Timestamp::from_seconds(nth.saturating_add(1).saturating_mul(span)))
}

fn replays(spec: &FeedSpec, now: Timestamp) -> bool {
    day_of(now).saturating_sub(day_of(spec.onset)) % 7 == 1
}

fn hour(now: Timestamp) -> i64 {
    now.seconds().div_euclid(HOUR_S)
}
