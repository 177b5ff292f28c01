//! What a post of a feed is worth to its readers, as a weight of its rate (reference 4.5).
//!
//! A copy of what another feed of the same readers brought before is worth [`DUPLICATE_WORTH`]; interest of the readers
//! multiplies. The planner sees λ·v; since intervals go with 1/√(λ·v), nobody is polled more than twice or less than half
//! as often for it. v never delays what a reader asked for, never overrides back-off, floors or the longest interval.

use text::packed::{BadState, Reader, Writer};

pub const DUPLICATE_WORTH: f64 = 0.1;
const INTEREST: (f64, f64) = (0.5, 2.0);
const FACTOR: (f64, f64) = (0.25, 4.0);
/// Posts that the value remembers, and posts before it is believed.
const POSTS: f64 = 20.0;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PostValue {
    value: f64,
    posts: u32,
}

impl Default for PostValue {
    fn default() -> Self {
        PostValue { value: 1.0, posts: 0 }
    }
}

impl PostValue {
    /// One more post. `interest` is that of the readers, one where it is not known.
    pub fn observe(&mut self, duplicate: bool, interest: f64) {
        let novelty = if duplicate { DUPLICATE_WORTH } else { 1.0 };
        let interest = if interest.is_finite() { interest.clamp(INTEREST.0, INTEREST.1) } else { 1.0 };
        let step = (1.0 / POSTS + 1.0 / (f64::from(self.posts) + 1.0)).min(1.0);
        self.value += (novelty * interest - self.value) * step;
        self.posts = self.posts.saturating_add(1);
    }

    /// The mean worth of a post lately.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// What the feed's rate is multiplied with, before [`rescaled`].
    pub fn factor(&self) -> f64 {
        let posts = f64::from(self.posts);
        (1.0 + (self.value - 1.0) * posts / (posts + POSTS)).clamp(FACTOR.0, FACTOR.1)
    }

    pub fn write(&self, out: &mut Writer) {
        out.float(self.value);
        out.number(u64::from(self.posts));
    }

    pub fn read(from: &mut Reader<'_>) -> Result<Self, BadState> {
        let value = from.float()?;
        Ok(PostValue { value, posts: u32::try_from(from.number()?).map_err(|_| BadState::Wrong)? })
    }
}

/// Factors scaled so that the sum of all rates stays what it was: value moves polls, it makes none.
pub fn rescaled(rates: &[f64], factors: &[f64]) -> Vec<f64> {
    let plain: f64 = rates.iter().sum();
    let weighted: f64 = rates.iter().zip(factors).map(|(rate, factor)| rate * factor).sum();
    let scale = if weighted > 0.0 { plain / weighted } else { 1.0 };
    factors.iter().map(|factor| factor * scale).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests {
    use super::*;

    #[test]
    fn a_feed_of_copies_is_polled_half_as_often_and_not_less() {
        let mut copies = PostValue::default();
        assert_eq!(copies.factor(), 1.0);
        (0..500).for_each(|_| copies.observe(true, 1.0));
        assert!((copies.value() - DUPLICATE_WORTH).abs() < 1e-6);
        assert_eq!(copies.factor(), 0.25, "intervals go with the root: twice as long");
    }

    #[test]
    fn a_few_posts_decide_little() {
        let mut one = PostValue::default();
        one.observe(true, 1.0);
        assert!(one.factor() > 0.95);
    }

    #[test]
    fn interest_is_bounded_whatever_it_is() {
        let mut dear = PostValue::default();
        (0..500).for_each(|_| dear.observe(false, f64::INFINITY));
        assert!((dear.factor() - 1.0).abs() < 0.01);
        (0..500).for_each(|_| dear.observe(false, 99.0));
        assert!((dear.value() - 2.0).abs() < 1e-6 && dear.factor() <= 2.0);
    }

    #[test]
    fn value_moves_polls_and_makes_none() {
        let (rates, factors) = ([1.0, 2.0, 3.0], [0.25, 1.0, 2.0]);
        let scaled = rescaled(&rates, &factors);
        let sum: f64 = rates.iter().zip(&scaled).map(|(rate, factor)| rate * factor).sum();
        assert!((sum - 6.0).abs() < 1e-12);
        assert_eq!(rescaled(&[0.0], &[0.0]), [0.0]);
    }
}
