//! The price of a poll: moved until the polls used are the polls allowed.

/// What a typical feed posts: with the price made for it, it spends the mean of the budget.
const TYPICAL_POSTS_PER_DAY: f64 = 2.0;

/// The price at which a steady feed of two posts a day is polled as often as the budget's mean (002 §3.1: T = √(2μ/λ)).
pub fn typical_price(budget_polls_per_day: f64) -> f64 {
    let budget = sane_budget(budget_polls_per_day);
    TYPICAL_POSTS_PER_DAY / (2.0 * budget * budget)
}

/// Polls per feed and day as anybody could mean them.
pub(crate) fn sane_budget(polls_per_day: f64) -> f64 {
    if polls_per_day.is_nan() { 1.0 } else { polls_per_day.clamp(0.01, 1e6) }
}
