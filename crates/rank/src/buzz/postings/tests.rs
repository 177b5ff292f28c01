#![allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

const WEEK: Span = Span { days: DAYS, fading: false };

fn follow(feed: u32, weight: f32) -> Follow {
    Follow { feed, weight, site: feed }
}

fn asked(postings: &Postings, follows: &[Follow], span: Span) -> BTreeMap<u32, f32> {
    let mut sums = Sums::default();
    postings.sum(follows, span, &mut sums);
    sums.keys().iter().map(|key| (*key, sums.score(*key))).collect()
}

/// TE of Example 5 (Figures 4.2 and 4.3).
#[test]
fn example_5() {
    let mut postings = Postings::default();
    let references = [[3.0, 2.0, 0.0], [0.0, 3.0, 0.0], [1.0, 0.0, 1.0], [1.0, 2.0, 3.0]];
    for row in references {
        let feed = postings.add_feed();
        (0u32..).zip(row).for_each(|(key, score)| {
            postings.change(feed, key, |own| own + score);
        });
    }
    let people = [[0.8, 0.8, 0.0, 0.0], [0.2, 0.2, 0.6, 0.6], [0.0, 0.0, 0.5, 0.5]];
    let expected = [[2.4, 4.0, 0.0], [1.8, 2.2, 2.4], [1.0, 1.0, 2.0]];
    for (row, expected) in people.iter().zip(expected) {
        let follows: Vec<Follow> = (0u32..).zip(row).map(|(feed, weight)| follow(feed, *weight)).collect();
        let found = asked(&postings, &follows, WEEK);
        for (key, expected) in (0u32..).zip(expected) {
            assert!((found.get(&key).copied().unwrap_or(0.0) - expected).abs() < 1e-6);
        }
    }
}

#[test]
fn days_fade_and_roll_off() {
    let mut postings = Postings::default();
    let feed = postings.add_feed();
    for day in 0..DAYS {
        postings.change(feed, 1, |own| own + 1.0);
        let today = asked(&postings, &[follow(feed, 1.0)], Span { days: 1, fading: true });
        assert_eq!(today[&1], 1.0);
        assert_eq!(asked(&postings, &[follow(feed, 1.0)], WEEK)[&1], 1.0 + day as f32);
        postings.roll();
    }
    // The oldest of eight days has gone.
    assert_eq!(asked(&postings, &[follow(feed, 1.0)], WEEK)[&1], 7.0);
    let faded = asked(&postings, &[follow(feed, 1.0)], Span { days: 3, fading: true })[&1];
    assert!((faded - 0.5f32.sqrt() - 0.5).abs() < 1e-6);
    (0..DAYS).for_each(|_| postings.roll());
    assert!(asked(&postings, &[follow(feed, 1.0)], WEEK).is_empty());
    assert_eq!(postings.references(), 0);
}

#[test]
fn sources_are_counted_once_however_many_days_and_feeds_of_one_site() {
    let mut postings = Postings::default();
    let feeds: Vec<u32> = (0..4).map(|_| postings.add_feed()).collect();
    for _ in 0..2 {
        feeds.iter().for_each(|feed| {
            postings.change(*feed, 5, |_| 1.0);
        });
        postings.roll();
    }
    let mut sums = Sums::default();
    let follows: Vec<Follow> =
        [(0, 0), (1, 0), (2, 1), (3, 2)].map(|(feed, site)| Follow { feed, weight: 1.0, site }).to_vec();
    postings.sum(&follows, WEEK, &mut sums);
    assert_eq!((sums.sources(5), sums.days(5), sums.source_days()), (3, 8, 8));
}

#[test]
fn five_thousand_subscriptions_are_counted_and_ten_thousand_are_bounded() {
    let mut postings = Postings::default();
    for feed in 0..10_000 {
        postings.add_feed();
        postings.change(feed, 0, |_| 1.0);
    }
    (0..DAYS - 1).for_each(|_| {
        postings.roll();
        (0..10_000).for_each(|feed| {
            postings.change(feed, 0, |_| 1.0);
        });
    });
    let mut sums = Sums::default();
    let follows: Vec<Follow> = (0..10_000).map(|feed| follow(feed, 1.0)).collect();
    postings.sum(&follows[..5_000], WEEK, &mut sums);
    assert_eq!((sums.score(0), sums.sources(0), sums.days(0)), (40_000.0, 5_000, 40_000));
    postings.sum(&follows, WEEK, &mut sums);
    assert_eq!(sums.sources(0) as usize, SUBSCRIPTIONS_MAX);
}

#[test]
fn odd_weights_and_unknown_feeds_count_nothing() {
    let mut postings = Postings::default();
    let feed = postings.add_feed();
    postings.change(feed, 1, |_| 1.0);
    for follows in [
        follow(7, 1.0),
        follow(feed, 0.0),
        follow(feed, -1.0),
        follow(feed, f32::NAN),
        follow(feed, f32::INFINITY),
    ] {
        assert!(asked(&postings, &[follows], WEEK).is_empty());
    }
    assert_eq!(postings.change(9, 1, |_| 1.0), Change::Nothing);
    assert_eq!(postings.change(feed, 2, |_| f32::NAN), Change::Nothing);
    assert_eq!(postings.change_before(feed, 3, 1, |_| 1.0), Change::Nothing);
}

#[test]
fn a_week_takes_little_more_than_eight_bytes_a_reference() {
    let mut postings = Postings::default();
    let feeds: Vec<u32> = (0..2_048).map(|_| postings.add_feed()).collect();
    for day in 0..7 {
        for feed in &feeds {
            (0..13).for_each(|nth| {
                postings.change(*feed, nth * 7 + day, |_| 1.0);
            });
        }
        postings.roll();
    }
    assert_eq!(postings.references(), 2_048 * 13 * 7);
    assert!(postings.bytes() as f64 / (postings.references() as f64) < 9.0, "{}", postings.bytes());
}

#[derive(Debug, Clone)]
enum Step {
    Say(u32, u32, u8),
    Unsay(u32, usize, u32),
    Clear(u32),
    Roll,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        12 => (0u32..5, 0u32..90, 1u8..9).prop_map(|(feed, key, by)| Step::Say(feed, key, by)),
        2 => (0u32..5, 0usize..9, 0u32..90).prop_map(|(feed, age, key)| Step::Unsay(feed, age, key)),
        1 => (0u32..5).prop_map(Step::Clear),
        1 => Just(Step::Roll),
    ];
    prop::collection::vec(step, 0..400)
}

proptest! {
    /// Eq. 4.1 by brute force, whatever was said, unsaid, forgotten and rolled before.
    #[test]
    fn sums_are_those_of_multiplying_out(steps in steps(), weights in prop::collection::vec(0.0f32..2.0, 5), days in 1usize..DAYS + 1, fading: bool) {
        let mut postings = Postings::default();
        (0..5).for_each(|_| { postings.add_feed(); });
        let mut truth: BTreeMap<(u32, usize, u32), f32> = BTreeMap::new();
        for step in steps {
            match step {
                Step::Say(feed, key, by) => {
                    postings.change(feed, key, |own| own + f32::from(by));
                    *truth.entry((feed, 0, key)).or_default() += f32::from(by);
                }
                Step::Unsay(feed, age, key) => {
                    let change = if age == 0 { postings.change(feed, key, |_| 0.0) } else { postings.change_before(feed, age, key, |_| 0.0) };
                    let was = truth.remove(&(feed, age, key)).is_some();
                    prop_assert_eq!(change == Change::Vanished, was);
                }
                Step::Clear(feed) => {
                    postings.clear(feed);
                    truth.retain(|(own, _, _), _| *own != feed);
                }
                Step::Roll => {
                    postings.roll();
                    truth = truth.into_iter().map(|((feed, age, key), value)| ((feed, age + 1, key), value)).filter(|((_, age, _), _)| *age < DAYS).collect();
                    prop_assert_eq!(postings.references(), truth.len());
                }
            }
        }
        let follows: Vec<Follow> = (0u32..).zip(&weights).map(|(feed, weight)| follow(feed, *weight)).collect();
        let mut sums = Sums::default();
        // Used before: nothing may be left over.
        postings.sum(&follows, WEEK, &mut sums);
        postings.sum(&follows, Span { days, fading }, &mut sums);
        let mut expected: BTreeMap<u32, (f32, u16, Vec<u32>)> = BTreeMap::new();
        for ((feed, age, key), value) in &truth {
            if *age < days && weights[*feed as usize] > 0.0 {
                let own = expected.entry(*key).or_default();
                let decay = if fading { super::super::score::decay(*age) } else { 1.0 };
                own.0 += weights[*feed as usize] * decay * value;
                own.1 += 1;
                own.2.push(*feed);
            }
        }
        let mut keys: Vec<u32> = sums.keys().to_vec();
        keys.sort_unstable();
        prop_assert_eq!(&keys, &expected.keys().copied().collect::<Vec<_>>());
        for (key, (score, days, mut feeds)) in expected {
            feeds.dedup();
            prop_assert!((sums.score(key) - score).abs() <= 1e-4 * score.max(1.0));
            prop_assert_eq!((sums.days(key), sums.sources(key) as usize), (days, feeds.len()));
        }
        for feed in 0..5 {
            let mut said: Vec<(usize, u32)> = postings.said(feed).collect();
            said.sort_unstable();
            let own: Vec<(usize, u32)> = truth.keys().filter(|(own, _, _)| *own == feed).map(|(_, age, key)| (*age, *key)).collect();
            prop_assert_eq!(said, own);
        }
    }
}
