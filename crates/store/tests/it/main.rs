//! The conformance suite: every test runs on SQLite and, when `WELLREAD_TEST_POSTGRES` names a server, on PostgreSQL.
#![allow(clippy::unwrap_used, reason = "tests")]

mod polls;
mod stage;
