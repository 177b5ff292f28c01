//! Simulated interests (003, Table 3.1) and how they drift.

use crate::dice::Dice;

pub(crate) const TOPICS: usize = 45;
/// Topics of great and of some interest; the others are of none.
const GREAT: usize = 7;
const SOME: usize = 13;
/// Interests that become others at once.
const DRIFTING: usize = 2;

/// θ of each topic.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Person {
    pub(crate) interest: [f64; TOPICS],
}

impl Person {
    pub(crate) fn new(dice: &mut Dice) -> Self {
        let mut interest = [0.0; TOPICS];
        let all = dice.sample(TOPICS, GREAT + SOME);
        let great = dice.sample(GREAT + SOME, GREAT);
        for (nth, topic) in all.into_iter().enumerate() {
            let (low, high) = if great.contains(&nth) { (0.9, 1.0) } else { (0.4, 0.7) };
            interest[topic] = low + (high - low) * dice.unit();
        }
        Person { interest }
    }

    /// Two of the `pool` strongest interests go, and two topics of no interest take their place, so that the best list is
    /// worth as much as before.
    pub(crate) fn drift(&mut self, pool: usize, dice: &mut Dice) {
        let order = self.by_interest();
        let none: Vec<usize> = order.iter().copied().filter(|topic| self.interest[*topic] <= 0.0).collect();
        let (leaving, coming) = (dice.sample(pool, DRIFTING), dice.sample(none.len(), DRIFTING));
        for (old, new) in leaving.into_iter().zip(coming) {
            self.interest.swap(order[old], none[new]);
        }
    }

    /// Topics, the most interesting first.
    pub(crate) fn by_interest(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..TOPICS).collect();
        order.sort_by(|one, other| self.interest[*other].total_cmp(&self.interest[*one]));
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_those_of_the_table_and_stay_so_when_they_drift() {
        let mut dice = Dice::new(1);
        for pool in [7, 20] {
            let mut person = Person::new(&mut dice);
            let sorted = |person: &Person| {
                person.by_interest().into_iter().map(|topic| person.interest[topic]).collect::<Vec<f64>>()
            };
            let (before, old) = (sorted(&person), person.clone());
            assert!(
                before[6] >= 0.9
                    && (0.4..=0.7).contains(&before[7])
                    && before[19] >= 0.4
                    && before[20] == 0.0
            );
            person.drift(pool, &mut dice);
            assert_eq!(sorted(&person), before);
            let gone =
                (0..TOPICS).filter(|topic| old.interest[*topic] > 0.0 && person.interest[*topic] == 0.0);
            let gone: Vec<usize> = gone.collect();
            assert_eq!(gone.len(), 2);
            assert!(pool == 20 || gone.iter().all(|topic| old.interest[*topic] >= 0.9));
        }
    }
}
