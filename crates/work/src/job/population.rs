//! What all feeds and people have in common, fitted anew once a day; it moves slowly.

use super::CPU_MAX;
use crate::cpu::CpuPool;
use domain::planning::POPULATION_SETTING;
use domain::{AccessHabit, FeedId, PostingRate, UserId};
use plan::Population;
use store::{Store, StoreError};

const PAGE: u32 = 1_000;
/// More feeds teach nothing more of what all have in common.
const FEEDS_MAX: usize = 20_000;
const PEOPLE_MAX: usize = 10_000;

pub(crate) async fn run(store: &Store, cpu: &CpuPool) -> Result<(), StoreError> {
    let mut rates: Vec<PostingRate> = Vec::new();
    let mut after = FeedId(0);
    while rates.len() < FEEDS_MAX {
        let page = store.learned(after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.feed;
        rates.extend(page.into_iter().map(|one| one.schedule.rate).filter(|rate| rate.exposure_days > 0.0));
    }
    let habits = habits(store).await?;
    let fitted = cpu.run_within(CPU_MAX, move || {
        Population::fit(&rates.iter().collect::<Vec<_>>(), &habits.iter().collect::<Vec<_>>())
    });
    // A fit that panicked leaves what was known before.
    if let Ok(population) = fitted.await {
        let text = serde_json::to_string(&population).unwrap_or_default();
        store.set_setting(POPULATION_SETTING, Some(&text)).await?;
    }
    Ok(())
}

async fn habits(store: &Store) -> Result<Vec<AccessHabit>, StoreError> {
    let mut habits = Vec::new();
    let mut after = UserId(0);
    while habits.len() < PEOPLE_MAX {
        let page = store.habits(after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.user;
        habits.extend(
            page.iter().filter_map(|row| serde_json::from_str::<AccessHabit>(row.habit.as_deref()?).ok()),
        );
    }
    Ok(habits)
}
