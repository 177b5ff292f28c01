//! The pages as a browser meets them: the whole router, with its layers, on a real store in memory.

#![allow(clippy::unwrap_used, reason = "tests")]

mod feed;
mod feeds;
mod foreign;
mod foreign_text;
mod getting_in;
mod headers;
mod isolation;
mod log;
mod login;
mod pages;
mod reading;
mod setup;
mod site;
