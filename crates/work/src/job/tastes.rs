//! What each person likes: sessions that are over become part of what is stored of them.

use domain::{Timestamp, UserId};
use std::time::Duration;
use store::{Store, StoreError};

pub(crate) const EVERY: Duration = Duration::from_secs(60);
const PEOPLE: u32 = 200;
/// Times one person is folded at one go; the rest waits for the next.
const FOLDS_MAX: usize = 50;

pub(crate) async fn run(store: &Store, now: Timestamp) -> Result<(), StoreError> {
    let topics = recall::topics(store).await?;
    let mut after = UserId(0);
    loop {
        let people = store.people_to_learn(after, PEOPLE).await?;
        let Some(last) = people.last() else { return Ok(()) };
        after = *last;
        for user in people {
            for _ in 0..FOLDS_MAX {
                if !recall::fold(store, &topics, user, now).await? {
                    break;
                }
            }
        }
    }
}
