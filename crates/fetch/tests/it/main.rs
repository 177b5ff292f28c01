//! The fetcher against hand-written servers on loopback, because they must lie.
#![allow(clippy::unwrap_used, reason = "tests")]

mod bodies;
mod conditional;
mod connections;
mod doors;
mod manners;
mod media;
mod redirects;
mod robots;
mod secure;
mod server;
