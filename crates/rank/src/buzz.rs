//! Buzz: the words and links that somebody's feeds talk about most (003, chapter 4).
//!
//! With T (who follows which feed, [`weight`]) and E (which feed refers to what, [`mentions`]), a person's scores are a row of
//! R = T·E (eq. 4.1). The paper holds computing that row on demand to be too slow and approximates T; in memory it is not:
//! [`Postings`] adds up the references of a person's feeds exactly, faster than any of the approximations can be kept up
//! to date. [`Buzz`] is what ships: names, days, and what makes a sum worth showing ([`Order`]).
//!
//! [`threshold`] is Fagin's algorithm for top lists (§4.2.5), with which `lab buzz` rebuilds the paper's method.
//!
//! A *key* is what the paper calls an item, a word, a phrase or a link; an item here is an entry of a feed. Days are numbers
//! of days since 1970, UTC. Nothing here is stored: the index is made from the items of the last weeks.

mod counts;
mod index;
mod junk;
mod log;
mod mention;
mod names;
mod postings;
mod score;
pub mod threshold;
mod top;
mod trace;

pub use counts::HISTORY_DAYS;
pub use index::{Beside, Buzz, BuzzLimits, Following, Heard, Order, Rise, Said, Show, Window};
pub use mention::{KeyId, Kind, MENTIONS_MAX, Mention, Post, Reference, mentions, same_day_references};
pub use postings::{Change, DAYS, Follow, Postings, SUBSCRIPTIONS_MAX, Span, Sums};
pub use score::{decay, idf, lift, loudness, rising, weight};
pub use top::{Ranked, Top};
pub use trace::{PARTS_MAX, Parts, TRACED_MAX, Trace};
