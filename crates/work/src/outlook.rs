//! What a node knows beyond single feeds: the price of a poll, and what all feeds have in common.
//!
//! The price is found by adding up what every feed's plan asks for, so no node has to plan for all. It lives in the
//! database with its correction, is read again every few minutes, and is the same for all nodes.

use crate::clock::Clock;
use crate::crawler::Crawler;
use crate::network::Network;
use domain::planning::{POPULATION_SETTING, PRICE_SETTING};
use domain::{FeedId, PriceMemory, Timestamp};
use plan::control::{Totals, calls_for_replanning, count, pass_over, price, replan, typical_price};
use plan::{Outlook, Population};
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::Duration;
use store::StoreError;

/// While many feeds have no plan yet the sum moves fast; later it hardly does.
const FRESH_FOR: Duration = Duration::from_secs(60);
const SETTLED_FOR: Duration = Duration::from_secs(900);
/// Feeds re-planned at a time.
const PAGE: u32 = 500;

#[derive(Debug, Clone)]
pub(crate) struct Knowledge {
    pub(crate) price: f64,
    pub(crate) population: Arc<Population>,
    /// All polls a day the budget allows.
    pub(crate) polls_per_day: f64,
    budget: f64,
    read_at: Timestamp,
    fresh_for: Duration,
}

impl<N: Network, C: Clock> Crawler<N, C> {
    /// A few minutes old at most. When the store does not answer, what was known before stands.
    pub(crate) async fn knowledge(&self) -> Arc<Knowledge> {
        if let Some(known) = self.known_now() {
            return known;
        }
        let _one_at_a_time = self.looking.lock().await;
        if let Some(known) = self.known_now() {
            return known;
        }
        let (now, budget) = (self.clock.now(), self.policy_now().budget_polls_per_day);
        let known = match self.look(now, budget).await {
            Ok(known) => Arc::new(known),
            Err(error) => {
                tracing::warn!(%error, "the price of a poll could not be read; the last one stands");
                let before = self.known().clone();
                before.unwrap_or_else(|| Arc::new(Knowledge::typical(now, budget)))
            }
        };
        *self.known() = Some(Arc::clone(&known));
        known
    }

    fn known_now(&self) -> Option<Arc<Knowledge>> {
        let (now, budget) = (self.clock.now(), self.policy_now().budget_polls_per_day);
        let is_current = |known: &Knowledge| {
            known.read_at <= now && now.since(known.read_at) < known.fresh_for && known.budget == budget
        };
        self.known().clone().filter(|known| is_current(known))
    }

    async fn look(&self, now: Timestamp, budget: f64) -> Result<Knowledge, StoreError> {
        let totals = self.store.plan_totals().await?;
        let polls_per_day = budget * totals.feeds as f64;
        let memory = self.count_polls(now, polls_per_day).await?;
        let population = self.store.setting(POPULATION_SETTING).await?;
        let totals = Totals {
            feeds: totals.feeds,
            planned: totals.planned,
            demand: totals.demand,
            fixed_polls_per_day: totals.fixed_polls_per_day,
        };
        let is_settled = totals.planned.saturating_mul(10) >= totals.feeds.saturating_mul(9);
        Ok(Knowledge {
            price: price(&totals, polls_per_day, &memory),
            population: Arc::new(read(population.as_deref())),
            polls_per_day,
            budget,
            read_at: now,
            fresh_for: if is_settled { SETTLED_FOR } else { FRESH_FOR },
        })
    }

    /// One node at a time counts what was used against what was allowed; all read the result.
    async fn count_polls(&self, now: Timestamp, polls_per_day: f64) -> Result<PriceMemory, StoreError> {
        const JOB: &str = "price";
        let stored = self.store.setting(PRICE_SETTING).await?;
        let before: PriceMemory = read(stored.as_deref());
        if !self.store.claim_job(JOB, &self.settings.node, now, FRESH_FOR).await? {
            return Ok(before);
        }
        let memory = if self.store.halted().await? {
            // What was not allowed was not spared.
            pass_over(&before, now)
        } else {
            let from = before.counted_until.unwrap_or(now).min(now);
            let used = self.store.polls_between(from, now).await?;
            count(&before, now, used as f64, polls_per_day)
        };
        if memory != before {
            let text = serde_json::to_string(&memory).unwrap_or_default();
            self.store.set_setting(PRICE_SETTING, Some(&text)).await?;
        }
        self.store.finish_job(JOB, &self.settings.node, now, now).await?;
        Ok(memory)
    }

    /// After the budget has grown, plans made at the old price would wait too long: feeds are brought forward to where
    /// the new price has them, within their floors and not in a burst. The other way round each feed's next poll is
    /// soon enough.
    pub(crate) async fn replan_when_cheaper(&self) -> Result<usize, StoreError> {
        let known = self.knowledge().await;
        let before = self.planned_at(known.price);
        if known.price >= before || !calls_for_replanning(before, known.price) {
            return Ok(0);
        }
        let (now, policy) = (self.clock.now(), self.policy_now());
        let (mut after, mut moved) = (FeedId(0), 0);
        loop {
            let feeds = self.store.learned(after, PAGE).await?;
            let Some(last) = feeds.last() else { break };
            after = last.feed;
            for one in &feeds {
                let outlook = Outlook {
                    price: known.price,
                    population: &known.population,
                    attention: one.attention.as_ref(),
                };
                let choice = replan(&one.schedule, now, &outlook, &policy, self.throw());
                if let Some(choice) = choice.filter(|choice| choice.at < one.schedule.next_poll_at) {
                    moved += usize::from(self.store.bring_forward(one.feed, choice.at, choice.reason).await?);
                }
            }
        }
        self.plans_are_of(known.price);
        tracing::info!(feeds = moved, "the budget has grown; feeds were brought forward");
        Ok(moved)
    }
}

impl Knowledge {
    fn typical(now: Timestamp, budget: f64) -> Knowledge {
        Knowledge {
            price: typical_price(budget),
            population: Arc::default(),
            polls_per_day: budget,
            budget,
            read_at: now,
            fresh_for: FRESH_FOR,
        }
    }
}

/// What an older or newer program wrote counts as nothing: it is learned again.
fn read<T: DeserializeOwned + Default>(text: Option<&str>) -> T {
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}
