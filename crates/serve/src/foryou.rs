//! For you: what is unread, by what was learnt of the person, and why.
//!
//! `ranking` makes the list, `rows` shows a page of it, `why` says why an item stands where it stands, `trial` tries two rankers in one list, `learned` is the page
//! of all that was learnt. Nothing here learns: what people do is recorded by the pages as everywhere, and replayed when a
//! list is made (`recall`).

pub(crate) mod learned;
mod ranking;
pub(crate) mod rows;
pub(crate) mod trial;
pub(crate) mod why;

pub(crate) use ranking::{ForYou, Pin, ROWS_MAX, Ranker, Ranking};

/// Opens after which the list is said to be the person's own.
pub(crate) const OPENS_ENOUGH: u32 = 20;
