//! The pages as a browser meets them: the whole router, with its layers, on a real store in memory.

#![allow(clippy::unwrap_used, reason = "tests")]

mod admin;
mod api_channels;
mod buzz;
mod discover;
mod feed;
mod feeds;
mod foreign;
mod foreign_text;
mod foryou;
mod friends;
mod getting_in;
mod headers;
mod isolation;
mod learned;
mod log;
mod login;
mod metrics;
mod pages;
mod reading;
mod rules;
mod schedule;
mod search;
mod settings;
mod setup;
mod shelf;
mod site;
mod stories;
mod tags;
