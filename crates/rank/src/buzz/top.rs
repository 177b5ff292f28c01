//! The first few of many.

/// A key and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    pub key: u32,
    pub score: f64,
}

/// Keeps the best `count` of what it is offered, best first; of equals the lower key.
#[derive(Debug, Clone)]
pub struct Top {
    count: usize,
    kept: Vec<Ranked>,
}

impl Top {
    pub fn new(count: usize) -> Self {
        Top { count, kept: Vec::with_capacity(count.min(1_024)) }
    }

    pub fn offer(&mut self, key: u32, score: f64) {
        // Most of what comes is below the last.
        if self.kept.len() == self.count
            && self
                .kept
                .last()
                .is_none_or(|last| score < last.score || (score == last.score && key > last.key))
        {
            return;
        }
        let place =
            self.kept.partition_point(|own| own.score > score || (own.score == score && own.key < key));
        self.kept.insert(place, Ranked { key, score });
        self.kept.truncate(self.count);
    }

    /// The last that would stay, once there are as many as wanted.
    pub fn least(&self) -> Option<f64> {
        if self.kept.len() < self.count { None } else { self.kept.last().map(|last| last.score) }
    }

    pub fn into_vec(self) -> Vec<Ranked> {
        self.kept
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_best_are_those_of_sorting_all(scores in prop::collection::vec(0u8..6, 0..40), count in 0usize..12) {
            let mut top = Top::new(count);
            let mut all: Vec<Ranked> = (0u32..).zip(scores).map(|(key, score)| Ranked { key, score: f64::from(score) }).collect();
            all.iter().rev().for_each(|one| top.offer(one.key, one.score));
            all.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.key.cmp(&other.key)));
            all.truncate(count);
            prop_assert_eq!(top.into_vec(), all);
        }
    }
}
