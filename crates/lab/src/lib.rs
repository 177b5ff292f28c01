//! Experiments that prove the claims, on real traces and on the simulated web.
//!
//! [`schedule`] replays traces under every policy there is; [`access`], [`control`], [`frontier`], [`push`], [`placement`]
//! and [`model`] ask narrower questions the same way; [`profiles`] asks what feeds are about and polls by it; [`buzz`]
//! asks what somebody's feeds talk about, and how fast; [`rank`] asks what exploring is worth to readers, [`clicks`] what
//! people really clicked; [`refresh`] measures how fast feeds are refreshed. Nothing a server runs depends on this crate.

pub mod access;
pub mod buzz;
pub mod clicks;
pub mod control;
pub mod dice;
pub mod frontier;
pub mod model;
pub mod placement;
pub mod policy;
pub mod profiles;
pub mod push;
pub mod rank;
pub mod refresh;
pub mod replay;
pub mod schedule;
pub mod svg;
pub mod trace;

#[cfg(test)]
mod synthetic;
