//! When to poll a feed next, and why.
//!
//! [`after_poll`] turns what a poll showed into the feed's next [`Schedule`]: rate and pattern are learned
//! ([`estimate`]), the best next time follows from them at the price of a poll ([`live`]), and the publisher's floors
//! have the last word. The price is moved so that all feeds together keep to the budget ([`control`]).
//! [`may_poll`] answers a person who presses the button. Everything is a pure function: clock and dice are
//! arguments, and nothing here knows a database or a network.

pub mod control;
pub mod cost;
pub mod estimate;
pub mod exact;
pub mod frontier;
pub mod grid;
pub mod joint;
pub mod live;
pub mod price;

mod after;
mod backoff;
mod floors;
mod monge;
mod policy;
mod relocation;
mod unit;

pub use after::{After, DocumentSeen, Observation, after_poll};
pub use control::{Totals, calls_for_replanning, replan, typical_price};
pub use cost::{BadPlan, Costs, Metric};
pub use estimate::{Population, Shape, observe, posts_per_day};
pub use exact::{Bounds, Climb, Placement, curve, even, place};
pub use floors::{Floor, may_poll, publisher_floor};
pub use frontier::{Member, frontier};
pub use grid::{Grid, into_week, week_start};
pub use joint::{Allocation, Demand, Terms, allocate, allocate_with};
pub use live::{Choice, Learned, Outlook, Recall, choose, choose_recalling};
pub use policy::Policy;
pub use price::PricePolicy;
pub use unit::Unit;

#[cfg(doc)]
use domain::Schedule;
