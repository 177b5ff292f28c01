//! The conformance suite: every test runs on SQLite and, when `WELLREAD_TEST_POSTGRES` names a server, on PostgreSQL.
#![allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]

mod accounts;
mod archive;
mod buzz;
mod folders;
mod following;
mod foryou;
mod friends;
mod hiding;
mod items;
mod learning;
mod leases;
mod leaving;
mod lint;
mod model;
mod people;
mod planning;
mod promises;
mod reading;
mod retention;
mod rules;
mod schema;
mod searches;
mod side;
mod stage;
mod strangers;
