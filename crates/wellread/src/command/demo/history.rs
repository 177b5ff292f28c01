//! The days before the demo is opened, lived through in virtual time: the real crawler polls the simulated web, and
//! people come and read, in the order in which it would have happened.

use super::people::Reader;
use super::time::StillClock;
use super::visits::visits;
use anyhow::Result;
use domain::Timestamp;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use work::{Clock, Crawler, Network};

/// Polls of a span are done together: the store writes them in groups, which is what makes a week take seconds.
const SPAN: Duration = Duration::from_secs(3_600);
/// Feeds of one provider wait for their turn this far ahead; they still belong to the span.
const TURNS: Duration = Duration::from_secs(600);

const HOP: Duration = Duration::from_secs(300);

pub(super) struct History<'a, N> {
    pub(super) store: &'a Store,
    pub(super) crawler: Arc<Crawler<N, StillClock>>,
    pub(super) clock: Arc<StillClock>,
    pub(super) readers: &'a [Reader],
    pub(super) seed: u64,
}

impl<N: Network> History<'_, N> {
    /// Lives from the clock's time to `to`, telling how far it is.
    pub(super) async fn live_until(&self, to: Timestamp, mut tell: impl FnMut(Timestamp)) -> Result<()> {
        let from = self.clock.now();
        let mut coming: Vec<(Timestamp, &Reader)> = self
            .readers
            .iter()
            .flat_map(|reader| {
                let seed = self.seed ^ reader.user.0.unsigned_abs();
                visits(reader.person, seed, from, to).into_iter().map(move |at| (at, reader))
            })
            .collect();
        coming.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        while self.clock.now() < to {
            self.poll_span().await?;
            let now = self.clock.now();
            while let Some((at, reader)) = coming.pop_if(|(at, _)| *at <= now) {
                reader.visit(self.store, at).await?;
            }
            tell(now);
            let due = self.store.next_due_at(now).await?.unwrap_or(to);
            // Nobody reads what was found only after they left.
            let visit = coming.last().map_or(to, |(at, _)| *at);
            self.clock.advance(due.max(now.saturating_add(SPAN)).min(visit).min(to));
        }
        Ok(())
    }

    async fn poll_span(&self) -> Result<()> {
        let until = self.clock.now().saturating_add(TURNS);
        loop {
            if !self.crawler.cycle().await?.is_empty() {
                continue;
            }
            match self.store.next_due_at(self.clock.now()).await? {
                Some(due) if due < until => {
                    // Each cycle waits for a group to be written, so a few feeds are worth waiting for.
                    self.clock.advance(due.max(self.clock.now().saturating_add(HOP)));
                }
                _ => return Ok(()),
            }
        }
    }
}
