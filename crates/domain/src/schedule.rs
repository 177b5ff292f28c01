//! When a feed is polled next, and all that decision rests on.
//!
//! The whole of [`Schedule`] is stored as one JSON text beside `next_poll_at`: `plan` may learn new things without a
//! migration, and every field has a default so that older texts still read.

use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Schedule {
    pub next_poll_at: Timestamp,
    pub reason: Reason,
    /// The last request that may have reached the publisher, successful or not.
    pub last_poll_at: Option<Timestamp>,
    pub last_success_at: Option<Timestamp>,
    /// Failures in a row.
    pub failures: u32,
    pub failing_since: Option<Timestamp>,
    pub validators: Validators,
    /// When validators were last thrown away on purpose; at most once a day (N4).
    pub validators_reset_at: Option<Timestamp>,
    /// Hash of the last body, to skip parsing what did not change (N5).
    pub body_hash: Option<u64>,
    /// Whole bodies in a row that did not change although the server offers no validators (N5).
    pub unchanged_bodies: u32,
    pub hints: Hints,
    pub relocation: Option<Relocation>,
    /// First 410 of the current run (N17).
    pub gone_since: Option<Timestamp>,
    pub rate: PostingRate,
    pub plan: Planned,
}

/// Sent back byte for byte, quotes included (N3).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Validators {
    pub etag: Option<String>,
    pub last_modified: Option<String>,
}

impl Validators {
    pub fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }
}

/// What the publisher asked for. These are floors: policy may only choose later than them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Hints {
    /// `Retry-After`, already a point in time.
    pub retry_after: Option<Timestamp>,
    /// Freshness by Cache-Control, Expires and Age, already a point in time and capped.
    pub fresh_until: Option<Timestamp>,
    pub ttl_minutes: Option<u32>,
    /// GMT hours 0–23.
    pub skip_hours: Vec<u8>,
    /// 0 = Monday.
    pub skip_days: Vec<u8>,
    pub update_period_s: Option<u64>,
}

/// A permanent redirect on its way to being adopted (N18).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relocation {
    pub to: String,
    /// Equal answers in a row.
    pub answers: u32,
    pub since: Timestamp,
}

/// What polling a feed taught about its posting (`scheduling.md` §8): decayed counts, the exposure they were seen in, and
/// when in the day and the week (UTC) they came.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PostingRate {
    /// Decayed count of posts.
    pub posts: f64,
    /// Decayed observation time, in days.
    pub exposure_days: f64,
    /// Up to when observation reaches.
    pub observed_until: Option<Timestamp>,
    pub last_post_at: Option<Timestamp>,
    /// Items one document shows; losing items between polls bounds the interval.
    pub window_items: u32,
    /// Decayed posts by UTC hour of the day, and by day of the week from Monday.
    pub hours: [f32; 24],
    pub days: [f32; 7],
    /// Where observation began; the first document reaches back to its oldest dated item.
    pub observed_since: Option<Timestamp>,
    /// Decayed count of bursts: posts within ten minutes are one.
    pub bursts: f64,
    /// Starts of the latest bursts, unix seconds, ascending; at most 64 and at most a day old.
    pub recent_bursts: Vec<u32>,
    /// Decayed: bursts that followed others more than chance would have, and all that were judged.
    pub excited: f32,
    pub judged: f32,
    /// Decayed polls, those that showed anything new, and the days between them: all that is known of a feed whose
    /// items can be neither dated nor counted.
    pub polls: f32,
    pub changes: f32,
    pub poll_days: f32,
}

/// What the last plan of a feed asked for, kept so that the price can be found again without planning everything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Planned {
    /// Polls per day the plan makes in the long run; zero before the first plan.
    pub polls_per_day: f64,
    /// The price per poll it was made at.
    pub price: f64,
    /// Polls per day times the square root of the price: where the price decides, this hardly depends on it.
    pub demand: f64,
    /// A floor or the longest interval decides, so that the price changes nothing.
    pub fixed: bool,
    /// From posting to found, a mean over posts, as the plan expects it.
    pub delay_s: f64,
}

/// What is kept of the price of a poll between runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PriceMemory {
    /// What the price by the model is multiplied with, learned from the polls really used.
    pub correction: f64,
    pub week_started_at: Option<Timestamp>,
    /// Polls used and allowed since then.
    pub used: f64,
    pub allowed: f64,
    /// Up to when `allowed` counts.
    pub counted_until: Option<Timestamp>,
}

impl Default for PriceMemory {
    fn default() -> Self {
        PriceMemory { correction: 1.0, week_started_at: None, used: 0.0, allowed: 0.0, counted_until: None }
    }
}

/// When one person looks: decayed visits by local hour and weekday, in the person's own time zone.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AccessHabit {
    pub hours: [f32; 24],
    /// From Monday.
    pub days: [f32; 7],
    /// Up to when `hours` and `days` are decayed: the last visit that counted.
    pub shaped_at: Option<Timestamp>,
    pub level: AccessLevel,
}

/// How often somebody looks, at anything or at one feed: decayed visits and exposure. Looks within half an hour are one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AccessLevel {
    pub visits: f64,
    pub exposure_days: f64,
    pub observed_until: Option<Timestamp>,
    pub last_access_at: Option<Timestamp>,
}

/// Why `next_poll_at` is what it is: the floor or rule that won. Worded by the pages in the reader's time zone.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "because", rename_all = "kebab-case")]
pub enum Reason {
    /// Just subscribed: as soon as its provider has a free slot.
    #[default]
    New,
    /// The plan: the learned posting pattern and, where known, when people read.
    Rate {
        posts_per_day: f64,
        interval_s: u64,
        /// The feed's busiest hours of the day in UTC, [from, until), where it has any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        busy_hours: Option<(u8, u8)>,
        /// When people are expected to read next, where that decided.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reading_at: Option<Timestamp>,
        /// Sooner than the plan would have it, because the document would overflow.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        window: bool,
    },
    /// Silent or rare: the longest interval we allow.
    Maximum { interval_s: u64 },
    /// Our own politeness floor.
    OwnFloor { minutes: u64 },
    /// Cache-Control or Expires.
    Fresh,
    /// RSS `ttl`, or half of `sy:updatePeriod`.
    PublisherInterval { minutes: u64 },
    /// `skipHours` or `skipDays`.
    SkipWindow,
    /// 429 or 503, with or without Retry-After.
    Busy,
    /// Failures in a row.
    BackOff { failures: u32 },
    /// 401, 403 or 451: ask the person.
    Denied,
    /// First 410: asked once more a day later, then never.
    Gone,
    /// Another feed of the same provider was first.
    ProviderSlot,
    /// Overdue after a pause of ours; spread so that nothing bursts.
    Spread,
    /// Our own network was down.
    Offline,
    /// A person asked.
    Asked,
    /// Somebody came to read, and much was expected here.
    Opened,
    /// A person paused the feed.
    Paused,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_text_with_fields_missing_still_reads() {
        let read: Schedule =
            serde_json::from_str(r#"{"next_poll_at":5,"reason":{"because":"fresh"}}"#).expect("reads");
        assert_eq!(read.next_poll_at, Timestamp::from_micros(5));
        assert_eq!(read.reason, Reason::Fresh);
        assert_eq!(read.rate, PostingRate::default());
    }
}
