//! Promises kept: SQLite and PostgreSQL behind one set of methods.
//!
//! [`Store`] is everything Wellread keeps. Its methods live in the files named after what they do; each is written
//! once, for both databases, on the small layer in `sql.rs` and the writer in `writer.rs`. Read those two first.
//!
//! This crate never opens a connection to anything but its database, never reads a clock (`now` is an argument
//! everywhere), and never decides when to poll: it keeps what `plan` decided and sees to it that no crash, restart or
//! number of nodes polls earlier.

mod accounts;
mod admin;
mod archive;
mod backup;
mod buzz;
mod channels;
mod check;
mod commit;
mod error;
mod feeds;
mod folders;
mod follow;
mod foryou;
mod frame;
mod friends;
mod imports;
mod interactions;
mod known;
mod lease;
mod leave;
mod list;
mod mark;
mod mark_all;
mod migrate;
mod news;
mod own;
mod pack;
mod people;
mod planning;
mod profiles;
mod prune;
mod recognise;
mod remove_user;
mod retention;
mod rules;
mod schedule;
mod sealing;
mod searches;
mod sessions;
mod shares;
mod side;
mod sql;
#[cfg(test)]
mod statements;
mod store;
mod stories;
mod subscribe;
mod subscriptions;
mod tags;
mod trials;
mod types;
mod undo;
mod wake;
mod worth;
mod writer;

/// Above the methods of this crate: their futures are boxes. A plain `async fn` is compiled again in every crate that
/// awaits it, its SQL included; a box is compiled once, here, for one allocation a call.
pub(crate) use async_recursion::async_recursion as boxed;
pub use error::{Result, StoreError};
pub use lease::{Claim, ProviderClaim, PutOff};
pub use recognise::Seen;
pub use sealing::SecretKey;
pub use store::{Place, Store, StoreConfig};
pub use types::*;
pub use wake::Arrivals;
