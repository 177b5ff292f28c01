//! The live chooser and the frontier, over feeds as a server has them.

use super::{Dice, now, report};
use domain::{Attention, Hints, PostingRate, Timestamp};
use plan::estimate::Population;
use plan::{Learned, Member, Outlook, Policy, Unit, choose, frontier, typical_price};
use std::hint::black_box;

/// Power-law rates, two in three with office hours of their own.
fn states(count: usize, dice: &mut Dice) -> Vec<PostingRate> {
    let start = Timestamp::from_seconds(1_699_833_600);
    (0..count)
        .map(|_| {
            let per_day = 0.05 / (dice.unit() + 0.002);
            let mut rate = PostingRate {
                posts: 20.0 * per_day,
                exposure_days: 20.0,
                last_post_at: Some(start),
                observed_until: Some(start),
                window_items: 30,
                ..PostingRate::default()
            };
            let (opens, length) = ((dice.unit() * 24.0) as usize, if dice.unit() < 0.33 { 24 } else { 8 });
            for hour in 0..length {
                rate.hours[(opens + hour) % 24] = (60.0 * per_day / length as f64) as f32;
            }
            rate
        })
        .collect()
}

pub(crate) fn next_polls(feeds: usize, dice: &mut Dice) {
    let (rates, population, hints) = (states(feeds, dice), Population::default(), Hints::default());
    let readers = Attention::new(&std::array::from_fn(|hour| f64::from(u8::from(hour % 24 >= 18))), 1.0);
    let cases = [
        ("as shipped, 12 polls a day", Policy::default(), None),
        ("as shipped, with readers", Policy::default(), Some(&readers)),
        ("without floors, 1 poll a day", Policy::unfloored(1.0), None),
        ("without floors, 4 polls a day", Policy::unfloored(4.0), None),
    ];
    for (what, policy, attention) in cases {
        let price = typical_price(policy.budget_polls_per_day);
        let outlook = Outlook { price, population: &population, attention };
        let start = now();
        let mut polls = 0.0;
        for (minute, rate) in (0i64..).zip(&rates) {
            let learned = Learned { rate, hints: &hints, floor: policy.own_floor, poll_cost: 1.0 };
            let at = Timestamp::from_seconds(1_699_833_600 + minute * 60);
            polls += black_box(choose(&learned, at, &outlook, &policy, Unit::MIDDLE)).planned.polls_per_day;
        }
        let ms = start.elapsed_ms();
        report(&format!("next polls of {feeds} feeds, {what}"), ms, Some(0.3 * feeds as f64));
        println!("  {:.4} ms each, {:.1} polls a day", ms / feeds as f64, polls / feeds as f64);
    }
}

pub(crate) fn budgets(feeds: usize, dice: &mut Dice) {
    let (rates, population, hints) = (states(feeds, dice), Population::default(), Hints::default());
    let policy = Policy::default();
    let members: Vec<Member<'_>> = rates
        .iter()
        .map(|rate| Member {
            learned: Learned { rate, hints: &hints, floor: policy.own_floor, poll_cost: 1.0 },
            attention: None,
        })
        .collect();
    let asked = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 20.0, 24.0];
    let start = now();
    let found = frontier(&members, &population, &asked, Timestamp::from_seconds(1_699_833_600), &policy);
    report(
        &format!("frontier of {feeds} feeds at {} budgets", asked.len()),
        start.elapsed_ms(),
        Some(2000.0),
    );
    for point in found.points {
        println!(
            "  {:.2} polls a day: {:.0} min, evenly {:.0} min",
            point.polls_per_day,
            point.delay_s / 60.0,
            point.even_delay_s / 60.0
        );
    }
}
