//! Pages and APIs for people: the only crate that knows axum and HTML.
//!
//! What is here so far: the one-time set-up, health for machines, the page that explains the fetcher to publishers,
//! and a status page. The reading pages stand on the same layers and the same route table.
//!
//! It may assume an open store. It leaves out: listening, TLS and signals (the binary's), SQL (`store`'s), and every
//! outgoing connection (`fetch`'s).

pub mod account;
mod assets;
mod base_path;
mod fetcher;
mod health;
mod home;
mod layers;
mod page;
pub mod password;
mod polling;
mod problem;
mod routes;
mod setup;
mod words;

pub use base_path::{BadBasePath, BasePath};
pub use fetcher::FetcherFacts;
pub use layers::BODY_BYTES_MAX;
pub use routes::{Access, ROUTES, Route, router};
pub use setup::SetupToken;

use domain::Timestamp;
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
    pub fetcher: FetcherFacts,
}
