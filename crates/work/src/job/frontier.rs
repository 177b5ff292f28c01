//! What more or fewer polls would give, for the schedule page.

use super::CPU_MAX;
use crate::cpu::CpuPool;
use crate::outlook::Knowledge;
use domain::planning::FRONTIER_SETTING;
use domain::{FeedId, Frontier, Timestamp};
use plan::{Learned, Member, Policy};
use std::sync::Arc;
use store::{Store, StoreError, StoredAttention};

const PAGE: u32 = 1_000;
/// So many feeds tell the mean well enough.
const FEEDS_MAX: usize = 400;
/// The budgets that can be compared, beside the one in force.
const BUDGETS: [f64; 9] = [3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0];

pub(crate) async fn run(
    store: &Store,
    cpu: &CpuPool,
    known: &Knowledge,
    policy: Policy,
    now: Timestamp,
) -> Result<(), StoreError> {
    let feeds = sample(store).await?;
    if feeds.is_empty() {
        return Ok(());
    }
    let population = Arc::clone(&known.population);
    let made = cpu.run_within(CPU_MAX, move || {
        let mut budgets = BUDGETS.to_vec();
        let own = policy.budget_polls_per_day;
        if !budgets.iter().any(|budget| (budget / own - 1.0).abs() < 0.01) {
            budgets.push(own);
            budgets.sort_by(f64::total_cmp);
        }
        let members: Vec<_> = feeds
            .iter()
            .map(|one| Member {
                learned: Learned::of(&one.schedule, &policy),
                attention: one.attention.as_ref(),
            })
            .collect();
        plan::frontier(&members, &population, &budgets, now, &policy)
    });
    if let Ok(frontier) = made.await {
        let feeds = store.plan_totals().await?.feeds;
        let text = serde_json::to_string(&Frontier { feeds, ..frontier }).unwrap_or_default();
        store.set_setting(FRONTIER_SETTING, Some(&text)).await?;
    }
    Ok(())
}

/// Feeds that have been polled, every n-th when there are many.
async fn sample(store: &Store) -> Result<Vec<StoredAttention>, StoreError> {
    let total = usize::try_from(store.plan_totals().await?.feeds).unwrap_or(usize::MAX);
    let every = total.div_ceil(FEEDS_MAX).max(1);
    let (mut feeds, mut after, mut nth) = (Vec::new(), FeedId(0), 0_usize);
    while feeds.len() < FEEDS_MAX {
        let page = store.learned(after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.feed;
        for one in page.into_iter().filter(|one| one.schedule.last_success_at.is_some()) {
            if nth.is_multiple_of(every) {
                feeds.push(one);
            }
            nth += 1;
        }
    }
    Ok(feeds)
}
