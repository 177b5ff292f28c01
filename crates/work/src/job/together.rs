//! Which feeds the same people follow, once a day.

use super::CPU_MAX;
use crate::cpu::CpuPool;
use domain::{FeedId, ItemId, UserId};
use learn::Together;
use store::{Model, Store, StoreError, Tie};

/// As the model is called in the store.
const TOGETHER: &str = "together";
const PAGE: u32 = 5_000;
/// More ties would say little more, and are some 16 MB here.
const TIES_MAX: usize = 2_000_000;

pub(crate) async fn run(store: &Store, cpu: &CpuPool) -> Result<(), StoreError> {
    let mut people: Vec<Vec<FeedId>> = Vec::new();
    let (mut after, mut read) = (Tie { user: UserId(0), feed: FeedId(0) }, 0);
    while read < TIES_MAX {
        let page = store.ties_after(after, PAGE).await?;
        if page.is_empty() {
            break;
        }
        read += page.len();
        for tie in page {
            if people.is_empty() || tie.user != after.user {
                people.push(Vec::new());
            }
            if let Some(own) = people.last_mut() {
                own.push(tie.feed);
            }
            after = tie;
        }
    }
    let made = cpu.run_within(CPU_MAX, move || Together::of(&people).to_bytes());
    // What could not be worked out leaves what was known before.
    if let Ok(state) = made.await {
        store.keep_model(TOGETHER, &Model { learned_to: ItemId(0), state }).await?;
    }
    Ok(())
}
