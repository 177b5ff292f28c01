//! What feeds are about, how that changes, and how alike they are (paper 004).
//!
//! A [`FeedProfile`] is the state of one feed: fed with items as they are found, stored as bytes. Below it are the
//! paper's measures, each of use alone: [`Window`] (profiles over the last W items, eq. 1 and the steps of eq. 3),
//! [`Cohesion`] and [`Beta`] (eqs. 3, 6, 7), [`rates`] (eq. 5, what replaces it, eq. 10), [`PostValue`] (what a post of a
//! feed is worth to its readers), [`Summary`] (what is kept for search and comparison), [`Neighbours`] (which feeds are
//! nearest to a feed, a text or several feeds), [`Topics`] (groups of feeds that say like things, made of [`Gathered`]
//! profiles, and how much an item is about each).
//!
//! [`factorise`] finds groups among people who follow the same feeds (003 §4.2.4); [`Together`] tells which feeds the same
//! people follow.
//!
//! "Channel" in the paper is a feed here, "event" an item, "probe" a poll.

mod cohesion;
mod neighbours;
mod nmf;
mod profile;
pub mod rates;
mod sparse;
mod summary;
mod together;
mod topics;
mod value;
mod window;

pub use cohesion::{Beta, Cohesion, TYPICAL_CHANGE};
pub use neighbours::{INTEREST_PARTS_MAX, INTEREST_TERMS_MAX, Interest, NEAREST_MAX, Near, Neighbours};
pub use nmf::{Factors, Fit, NmfOptions, Real, factorise};
pub use profile::{BLOCK_ITEMS, BLOCKS_MAX, Era, FeedProfile, Noticed, River, WINDOW_ITEMS};
pub use sparse::Sparse;
pub use summary::{PAIRS_KEPT, Relation, Summary, Tie, WORDS_KEPT, Weighted, relation};
pub use together::{BOTH_MIN, Recommended, TIES_MAX, Tied, Together, tied};
pub use topics::{Gathered, IDLE_RUNS, ITEM_SHARES_MAX, TOPIC_FEEDS_MAX, TOPICS_MAX, Topic, Topics};
pub use value::{DUPLICATE_WORTH, PostValue, rescaled};
pub use window::{Step, Window, cosine};
