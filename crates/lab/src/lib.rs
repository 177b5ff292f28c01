//! Experiments that prove the claims, on real traces and on the simulated web.
//!
//! [`schedule`] replays traces under every policy there is; [`refresh`] measures how fast feeds are refreshed. Nothing a
//! server runs depends on this crate.

pub mod dice;
pub mod policy;
pub mod refresh;
pub mod replay;
pub mod schedule;
pub mod svg;
pub mod trace;
