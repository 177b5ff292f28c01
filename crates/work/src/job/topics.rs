//! What feeds are about, in groups: made of the profiles of shared feeds, once a day and sooner while many are new.
//!
//! Private feeds are left out. Which of a topic's words a person is shown, their own feeds decide (`serve::foryou`).

use super::CPU_MAX;
use crate::cpu::CpuPool;
use learn::{Gathered, Summary, TOPIC_FEEDS_MAX};
use std::time::Duration;
use store::{Channel, Model, Store, StoreError};

pub(crate) const EVERY: Duration = Duration::from_secs(24 * 3_600);
/// When the number of feeds grew by a tenth, and where they are so many that a run takes its time.
const WHILE_GROWING: Duration = Duration::from_secs(60);
const WHILE_GROWING_LARGE: Duration = Duration::from_secs(900);
const LARGE: usize = 1_000;
const PAGE: u32 = 500;

/// Answers when to look again.
pub(crate) async fn run(store: &Store, cpu: &CpuPool) -> Result<Duration, StoreError> {
    let before = recall::topics(store).await?;
    let (mut gathered, mut revision) = (Gathered::default(), 0);
    while gathered.len() < TOPIC_FEEDS_MAX {
        let page = store.channels_after(revision, PAGE).await?;
        let Some(last) = page.last() else { break };
        revision = last.revision;
        for channel in page.iter().filter(|channel| channel.private_to.is_none()) {
            gathered.add(channel.feed, &profile(channel));
        }
    }
    let (count, known) = (gathered.len(), before.feeds());
    if gathered.is_empty() && store.learned_to().await?.0 == 0 {
        // Nothing was learnt of anything yet.
        return Ok(WHILE_GROWING);
    }
    // A run that panicked or took too long leaves the topics in force.
    if let Ok(topics) = cpu.run_within(CPU_MAX, move || gathered.topics(&before)).await {
        let state = topics.to_bytes();
        store.keep_model(recall::TOPICS, &Model { learned_to: domain::ItemId(0), state }).await?;
    }
    Ok(match count {
        0 => WHILE_GROWING,
        count if count <= known + known / 10 => EVERY,
        count if count < LARGE => WHILE_GROWING,
        _ => WHILE_GROWING_LARGE,
    })
}

/// What it is about in general, or lately as long as that is all there is.
fn profile(channel: &Channel) -> Summary {
    let written = [&channel.general, &channel.latest].into_iter().filter(|bytes| !bytes.is_empty());
    written.filter_map(|bytes| Summary::from_bytes(bytes).ok()).next().unwrap_or_default()
}
