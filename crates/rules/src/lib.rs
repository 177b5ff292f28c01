//! People's standing orders about new items: checked, compiled, matched.
//!
//! A rule is data of `domain`; here it becomes something that can be asked about an item. Everything is bounded and
//! counted in work, because the patterns are anybody's and the texts are strangers'. What a match leads to is decided
//! elsewhere: `work` hands the effects to `store` with the items they concern.

mod check;
mod compiled;
mod fold;
mod literals;
mod patterns;

pub use check::{BadPattern, check};
pub use compiled::{Applied, Compiled, RULE_WORK_MAX, Subject, TEXT_BYTES_MAX};
