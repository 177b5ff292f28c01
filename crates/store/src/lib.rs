//! Promises kept: SQLite and PostgreSQL behind one set of methods.
//!
//! [`Store`] is everything Wellread keeps. Its methods live in the files named after what they do; each is written
//! once, for both databases, on the small layer in `sql.rs` and the writer in `writer.rs`. Read those two first.
//!
//! This crate never opens a connection to anything but its database, never reads a clock (`now` is an argument
//! everywhere), and never decides when to poll: it keeps what `plan` decided and sees to it that no crash, restart or
//! number of nodes polls earlier.

mod archive;
mod backup;
mod check;
mod commit;
mod error;
mod feeds;
mod interactions;
mod lease;
mod list;
mod mark;
mod mark_all;
mod migrate;
mod pack;
mod people;
mod recognise;
mod retention;
mod schedule;
mod sealing;
mod sql;
#[cfg(test)]
mod statements;
mod store;
mod subscribe;
mod types;
mod wake;
mod writer;

pub use error::{Result, StoreError};
pub use recognise::Seen;
pub use sealing::SecretKey;
pub use store::{Place, Store, StoreConfig};
pub use types::*;
