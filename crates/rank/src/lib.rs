//! Ordering items for one reader, and saying why (003 ch. 3 and what replaces it).
//!
//! [`for_you`] makes a page of [`Candidate`]s by a person's [`Taste`], which learns from what they open, keep, send
//! away and pass over; [`Why`] says what decided. [`Trial`] compares two ways of ranking in one list, blind: this one,
//! the [`newest`] first, or the dissertation's [`Explorer`]. [`Belief`] is the dissertation's model as printed,
//! [`GridBelief`] the best we know for it; both serve the laboratory.
//!
//! [`buzz`] is what somebody's feeds talk about (003 ch. 4): words and links, exactly.
//!
//! Left out: wording, storage (states are bytes), clocks and dice, which are arguments.

mod act;
pub mod buzz;
mod features;
mod grid;
mod list;
mod paper;
mod position;
mod rival;
mod session;
mod taste;
mod trial;
mod weight;
mod why;
mod words;

pub use act::{Act, Told, outcomes};
pub use features::{Candidate, Feature, Features, ITEM_TOPICS_MAX, Moment, SHARE_MIN, TOPICS_MAX};
pub use grid::{GRID_LAMBDA, GridBelief, HAZARD};
pub use list::{CANDIDATES_MAX, COVERED_ROWS, FEED_ROWS, FEED_WINDOW, Page, ROWS_MAX, Ranked, for_you};
pub use paper::{Belief, PAPER_READ, topic_entropy, utility};
pub use position::Positions;
pub use rival::{Explorer, newest};
pub use session::{SILENCE, Session, sessions};
pub use taste::{FEEDS_MAX, LIKING_MAX, Learned, Taste};
pub use trial::{Side, Trial, Verdict, interleave};
pub use why::{Placed, Reason, Why};
pub use words::{
    ITEM_TERMS_MAX, PACKED_BYTES_MAX, RECENT_MAX, Recent, WORDS_KEPT_MAX, Words, item_terms, pack_terms,
    unpack_terms,
};
