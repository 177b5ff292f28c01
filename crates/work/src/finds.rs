//! What was found at addresses in the last few minutes, so that looking and then following asks once. Bounded.

use crate::follow::Found;
use domain::Timestamp;
use fetch::Outcome;
use std::collections::VecDeque;
use std::time::Duration;
use url::Url;

const KEPT_FOR: Duration = Duration::from_secs(5 * 60);
const KEPT_MAX: usize = 32;
const BYTES_MAX: usize = 16 << 20;

#[derive(Debug, Default)]
pub(crate) struct Finds {
    /// The oldest first.
    kept: VecDeque<(Url, Found, Timestamp)>,
}

impl Finds {
    pub(crate) fn get(&mut self, url: &Url, now: Timestamp) -> Option<Found> {
        // A clock that was set back must not stretch the minutes.
        self.kept.retain(|(_, _, at)| now.since(*at) < KEPT_FOR && *at <= now);
        self.kept.iter().find(|(known, _, _)| known == url).map(|(_, found, _)| found.clone())
    }

    pub(crate) fn keep(&mut self, url: &Url, found: &Found, now: Timestamp) {
        self.kept.retain(|(known, _, _)| known != url);
        self.kept.push_back((url.clone(), found.clone(), now));
        while self.kept.len() > KEPT_MAX || self.bytes() > BYTES_MAX {
            self.kept.pop_front();
        }
    }

    fn bytes(&self) -> usize {
        self.kept.iter().map(|(_, found, _)| bytes(found)).sum()
    }
}

fn bytes(found: &Found) -> usize {
    match found {
        Found::Feed { answer, .. } => match &answer.outcome {
            Outcome::Body { bytes, .. } => bytes.len(),
            _ => 0,
        },
        Found::Links(_) => 0,
    }
}
