//! Experiments that prove the claims, on real traces and on the simulated web.
//!
//! Nothing a server runs depends on this crate.

pub mod refresh;
