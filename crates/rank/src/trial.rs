//! A blind trial of two rankers in one list (003 §3.4.2): who sees it cannot tell, and who wins is known when it is known.
//!
//! The dissertation shows whole lists of its strategies in turn; here each list has rows of both, drafted like two teams,
//! so that every list compares. A list is won by the ranker with more clicks. The interval of how often one wins holds at
//! every moment at once, however often somebody looks: a confidence sequence from the uniform mixture of likelihoods.

use domain::ItemId;
use std::collections::HashSet;

/// The chance that a winner is named, ever, though there is none.
const ERROR: f64 = 0.05;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    One,
    Other,
}

/// Two orders as one list: in each round both add their best item that is not there yet, and dice say who goes first.
pub fn interleave(one: &[ItemId], other: &[ItemId], rows: usize, seed: u64) -> Vec<(ItemId, Side)> {
    let mut sides = [(Side::One, one.iter()), (Side::Other, other.iter())];
    let (mut list, mut listed, mut dice) = (Vec::new(), HashSet::new(), seed);
    loop {
        if throw(&mut dice) & 1 == 1 {
            sides.swap(0, 1);
        }
        let before = list.len();
        for (side, order) in &mut sides {
            if list.len() < rows {
                list.extend(order.find(|item| listed.insert(**item)).map(|item| (*item, *side)));
            }
        }
        if list.len() == before {
            return list;
        }
    }
}

/// What came of the lists so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Trial {
    lists: u32,
    clicks: [u64; 2],
    wins: [u32; 2],
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    pub lists: u32,
    /// Clicks on rows of each side.
    pub clicks: [u64; 2],
    /// Lists that each side won; the others were drawn.
    pub wins: [u32; 2],
    /// How often the first side wins a list that is not drawn, between these, with 95 % confidence at all times.
    pub interval: (f64, f64),
    pub winner: Option<Side>,
}

impl Trial {
    /// One list is over: clicks on rows of each side.
    pub fn tell(&mut self, one: u32, other: u32) {
        self.lists = self.lists.saturating_add(1);
        for (sum, clicks) in self.clicks.iter_mut().zip([one, other]) {
            *sum = sum.saturating_add(u64::from(clicks));
        }
        for (sum, won) in self.wins.iter_mut().zip([one > other, other > one]) {
            *sum = sum.saturating_add(u32::from(won));
        }
    }

    pub fn verdict(&self) -> Verdict {
        let [one, other] = self.wins.map(f64::from);
        let interval = interval(one, other);
        let winner = match interval {
            (low, _) if low > 0.5 => Some(Side::One),
            (_, high) if high < 0.5 => Some(Side::Other),
            _ => None,
        };
        Verdict { lists: self.lists, clicks: self.clicks, wins: self.wins, interval, winner }
    }
}

/// All chances p under which ∫ likelihood(p') dp' is not 1/[`ERROR`] times the likelihood of p.
fn interval(wins: f64, losses: f64) -> (f64, f64) {
    let mixed = ln_factorial(wins) + ln_factorial(losses) - ln_factorial(wins + losses + 1.0);
    let log = |count: f64, chance: f64| if count > 0.0 { count * chance.ln() } else { 0.0 };
    let refuted = |chance: f64| mixed - log(wins, chance) - log(losses, 1.0 - chance) >= -ERROR.ln();
    let likeliest = if wins + losses > 0.0 { wins / (wins + losses) } else { 0.5 };
    let edge = |end: f64| {
        if !refuted(end) {
            return end;
        }
        let (mut out, mut within) = (end, likeliest);
        for _ in 0..60 {
            let middle = f64::midpoint(out, within);
            if refuted(middle) { out = middle } else { within = middle }
        }
        within
    };
    (edge(0.0), edge(1.0))
}

/// ln n!, by Stirling's series beyond small numbers.
fn ln_factorial(n: f64) -> f64 {
    if n < 16.0 {
        return (2..=n as u32).map(|factor| f64::from(factor).ln()).sum();
    }
    let n2 = n * n;
    n * n.ln() - n + 0.5 * (std::f64::consts::TAU * n).ln() + (1.0 - 1.0 / (30.0 * n2)) / (12.0 * n)
}

/// SplitMix64.
fn throw(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ids(all: impl IntoIterator<Item = i64>) -> Vec<ItemId> {
        all.into_iter().map(ItemId).collect()
    }

    fn unit(state: &mut u64) -> f64 {
        (throw(state) >> 11) as f64 / (1u64 << 53) as f64
    }

    #[test]
    fn both_sides_have_as_many_rows_and_each_begins_half_of_the_time() {
        let (one, other) = (ids(0..30), ids((0..30).rev()));
        let mut first = 0;
        for seed in 0..1_000 {
            let list = interleave(&one, &other, 20, seed);
            assert_eq!(list.len(), 20);
            assert_eq!(list.iter().filter(|(_, side)| *side == Side::One).count(), 10);
            first += u32::from(list[0].1 == Side::One);
        }
        assert!((430..570).contains(&first), "{first}");
        assert_eq!(interleave(&one, &other, 20, 7), interleave(&one, &other, 20, 7));
    }

    #[test]
    fn a_side_that_runs_out_leaves_the_rest_to_the_other() {
        assert_eq!(interleave(&ids([1]), &ids([1, 2, 3]), 20, 1).len(), 3);
        assert!(interleave(&[], &[], 20, 1).is_empty());
        assert_eq!(interleave(&ids([1, 1, 1]), &[], 20, 1).len(), 1);
    }

    #[test]
    fn before_anything_happened_anything_is_possible() {
        let verdict = Trial::default().verdict();
        assert_eq!((verdict.interval, verdict.winner), ((0.0, 1.0), None));
    }

    #[test]
    fn five_lists_in_a_row_are_not_enough_and_eight_are() {
        let mut trial = Trial::default();
        (0..5).for_each(|_| trial.tell(2, 0));
        assert_eq!(trial.verdict().winner, None);
        (0..3).for_each(|_| trial.tell(1, 0));
        assert_eq!(trial.verdict().winner, Some(Side::One));
        assert_eq!(trial.verdict().clicks, [13, 0]);
    }

    #[test]
    fn looking_all_the_time_rarely_names_a_winner_among_equals() {
        let mut dice = 3;
        let mut wrong = 0;
        for _ in 0..300 {
            let mut trial = Trial::default();
            let named = (0..300).any(|_| {
                let (one, other) = (unit(&mut dice) < 0.5, unit(&mut dice) < 0.5);
                trial.tell(u32::from(one), u32::from(other));
                trial.verdict().winner.is_some()
            });
            wrong += u32::from(named);
        }
        assert!(wrong <= 15, "{wrong} of 300");
    }

    #[test]
    fn a_better_ranker_is_found_out() {
        let (mut dice, mut trial) = (5, Trial::default());
        for _ in 0..400 {
            trial.tell(u32::from(unit(&mut dice) < 0.6), u32::from(unit(&mut dice) < 0.4));
        }
        let verdict = trial.verdict();
        assert_eq!(verdict.winner, Some(Side::One), "{verdict:?}");
        let (low, high) = verdict.interval;
        let truth = 0.36 / (0.36 + 0.16);
        assert!(low < truth && truth < high, "{low} {high}");
    }

    proptest! {
        #[test]
        fn every_item_is_listed_once_and_belongs_to_who_has_it(one in prop::collection::vec(0i64..40, 0..30), other in prop::collection::vec(0i64..40, 0..30), seed: u64, rows in 0usize..40) {
            let (one, other) = (ids(one), ids(other));
            let list = interleave(&one, &other, rows, seed);
            let items: HashSet<ItemId> = list.iter().map(|(item, _)| *item).collect();
            prop_assert!(items.len() == list.len() && list.len() <= rows);
            for (item, side) in &list {
                let own = if *side == Side::One { &one } else { &other };
                prop_assert!(own.contains(item));
            }
            let all: HashSet<ItemId> = one.iter().chain(&other).copied().collect();
            prop_assert_eq!(list.len(), all.len().min(rows));
        }

        #[test]
        fn the_interval_holds_the_share_and_the_sides_are_alike(wins in 0u32..5_000, losses in 0u32..5_000) {
            let (low, high) = interval(f64::from(wins), f64::from(losses));
            let share = f64::from(wins) / f64::from((wins + losses).max(1));
            prop_assert!(wins + losses == 0 || (low <= share + 1e-9 && share <= high + 1e-9));
            let mirrored = interval(f64::from(losses), f64::from(wins));
            prop_assert!((mirrored.0 - (1.0 - high)).abs() < 1e-6 && (mirrored.1 - (1.0 - low)).abs() < 1e-6);
        }
    }
}
