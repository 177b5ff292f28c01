//! Pages and APIs for people: the only crate that knows axum and HTML.
//!
//! A request passes the layers (limits, headers, words for errors), then the route table decides who may call it, and
//! a handler loads from the store, makes a view, and renders it. Pages work without scripts; scripts use the same
//! routes and ask for JSON or for parts of pages.
//!
//! It may assume an open store. It leaves out: listening, TLS and signals (the binary's), SQL (`store`'s), polling
//! (asked for through [`Errands`]), and every outgoing connection (`fetch`'s).

pub mod account;
mod act;
mod admin;
mod api;
mod assets;
mod base_path;
mod buzz_page;
mod channels;
mod chart;
mod client;
mod discover;
mod ear;
mod errands;
mod feed;
mod feed_edit;
mod feeds;
mod fetcher;
mod finder;
mod folder;
mod foryou;
mod friends;
mod front;
mod getting_in;
mod health;
mod health_words;
mod icon;
mod import;
pub mod intake;
mod item;
mod join;
mod layers;
mod list;
mod live;
mod login;
mod media;
mod metrics;
mod offline;
mod own_path;
mod packs;
mod page;
pub mod password;
mod popular;
mod portable;
mod problem;
mod reason_words;
mod routes;
mod rule_words;
mod rules_page;
mod said;
mod schedule;
mod search_page;
mod seen;
mod settings;
mod setup;
mod shell;
mod story;
mod tags;
mod visitor;
mod when;
mod words;

pub use admin::HOUSEKEEPING_SETTING;
pub use admin::fetching::{BUDGET_SETTING, OPTED_OUT_SETTING, read_budget};
pub use base_path::{BadBasePath, BasePath};
pub use client::{BadProxy, ProxyRange};
pub use ear::Ear;
pub use errands::{Candidate, Errand, Errands, Followed, NotFound, Refreshed, Tally};
pub use fetcher::FetcherFacts;
pub use finder::{Finder, FinderState, NoAnswer};
pub use layers::BODY_BYTES_MAX;
pub use live::Listeners;
pub use media::MediaKey;
pub use routes::{Access, ROUTES, Route, router};
pub use setup::SetupToken;
pub use words::in_german;

use domain::{Limits, Timestamp};
use std::sync::Arc;

/// Where "now" comes from; tests pass a fixed time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Everything the pages need, wired by the binary.
#[derive(Clone)]
pub struct App {
    pub store: store::Store,
    pub setup: SetupToken,
    pub clock: Clock,
    pub version: String,
    /// Every route and every link lies under it.
    pub base_path: BasePath,
    /// People reach this server by HTTPS only: browsers are told to keep it so.
    pub secure: bool,
    /// Proxies whose forwarding headers are believed.
    pub proxies: Vec<ProxyRange>,
    pub fetcher: FetcherFacts,
    /// For the media proxy.
    pub fetcher_door: fetch::Fetcher,
    pub media_key: MediaKey,
    /// Seals what a feed is sent beside the plain request.
    pub key: store::SecretKey,
    pub errands: Arc<dyn Errands>,
    pub listeners: Listeners,
    /// What there is to search with.
    pub finder: Finder,
    /// What people's feeds talk about.
    pub ear: Ear,
    pub limits: Arc<Limits>,
}
