//! The pages as a browser meets them: the whole router, with its layers, on a real store in memory.

#![allow(clippy::unwrap_used, reason = "tests")]

mod headers;
mod log;
mod pages;
mod setup;
mod site;
