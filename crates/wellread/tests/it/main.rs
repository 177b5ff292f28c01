//! Tests of the binary and of the repository as a whole.
#![allow(clippy::unwrap_used, reason = "tests")]

mod architecture;
mod command_line;
mod demo;
mod languages;
mod threats;
