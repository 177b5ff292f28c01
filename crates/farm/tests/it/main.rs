//! The farm as its users see it: a world that repeats itself, documents, a server that lies on purpose, and a judge.

#![allow(clippy::unwrap_used, reason = "tests")]

mod client;
mod content;
mod documents;
mod politeness;
mod wire;
mod world;

use domain::Timestamp;
use std::time::Duration;

/// Monday, 5 January 2026.
const START: Timestamp = Timestamp::from_seconds(1_767_571_200);

fn after(days: u64, hours: u64) -> Timestamp {
    START.saturating_add(Duration::from_secs(days * 86_400 + hours * 3_600))
}
