//! Stories that several publications cover on the same days, in the same words and with the same link, so that what
//! looks for trends and same stories has something to find.

use crate::content::{Plot, SHARED_STORIES, TOPICS, tell};
use crate::dice::{Dice, Purpose};

/// Days a story is talked about.
const DAYS: i64 = 3;
/// The topic number of stories that concern every topic.
pub(crate) const EVERYBODY: usize = 255;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Story {
    /// The UTC day it happened.
    pub(crate) day: i64,
    pub(crate) topic: usize,
    pub(crate) subject: String,
    pub(crate) facts: Vec<String>,
}

/// Which story a post of this day may be about, and with what probability it is.
pub(crate) fn current(seed: u64, topic: usize, day: i64) -> Option<(i64, usize, f64)> {
    for age in 0..DAYS {
        let began = day.saturating_sub(age);
        let fading = [0.35, 0.2, 0.08].get(age as usize).copied().unwrap_or(0.0);
        if begins(seed, EVERYBODY, began) {
            return Some((began, EVERYBODY, fading * 0.6));
        }
        if begins(seed, topic, began) {
            return Some((began, topic, fading));
        }
    }
    None
}

pub(crate) fn tell_story(seed: u64, topic: usize, day: i64) -> Option<Story> {
    if !begins(seed, topic, day) {
        return None;
    }
    let plots: &'static [Plot] = match TOPICS.get(topic) {
        Some(topic) => topic.stories,
        None => SHARED_STORIES,
    };
    let dice = &mut dice(seed, topic, day);
    dice.bits();
    let plot = plots.get(dice.below(plots.len()))?;
    let vocabulary = TOPICS.get(topic).unwrap_or(&TOPICS[0]);
    let (subject, facts) = tell(dice, vocabulary, plot);
    Some(Story { day, topic, subject, facts })
}

fn begins(seed: u64, topic: usize, day: i64) -> bool {
    let share = if topic == EVERYBODY { 0.05 } else { 0.22 };
    (topic == EVERYBODY || topic < TOPICS.len()) && dice(seed, topic, day).chance(share)
}

fn dice(seed: u64, topic: usize, day: i64) -> Dice {
    Dice::new(seed, Purpose::Story, topic as u64, day.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_current_story_can_always_be_told_and_is_the_same_for_all() {
        let mut told = 0;
        for day in 20_000..20_200 {
            if let Some((began, topic, chance)) = current(5, 3, day) {
                let story = tell_story(5, topic, began).expect("a current story exists");
                assert_eq!(Some(&story), tell_story(5, topic, began).as_ref());
                assert!(story.facts.len() >= 3 && chance > 0.0);
                assert!(!story.subject.contains('{'), "{}", story.subject);
                told += 1;
            }
        }
        assert!((40..180).contains(&told), "{told} of 200 days had a story");
    }
}
