//! The simulated web: feeds that post, move, fail, lie and attack.
//!
//! [`World`] is pure: publications, their rhythms and every item they ever post are a function of a seed and a time,
//! and so is the answer to a request. [`Farm`] puts a world behind one TCP listener that speaks HTTP/1.1 by hand,
//! because it must lie in ways no HTTP library allows. [`score()`] reads the log of either and says where a client was
//! impolite.
//!
//! Nothing a server runs may need this crate: it exists for the demo, the tests and the benchmarks. It never opens a
//! connection of its own, and only the caller's clock tells it the time.

mod behaviour;
mod calendar;
mod config;
mod content;
mod dice;
mod document;
mod hostile;
mod icon;
mod log;
mod media;
mod message;
mod opml;
mod pages;
mod respond;
mod rhythm;
mod score;
mod server;
mod spec;
mod story;
mod world;

pub use behaviour::Behaviour;
pub use config::{Cast, FarmConfig, Part};
pub use log::{Log, LogEntry, Resource};
pub use message::{Body, Ending, Framing, Pace, Request, Response};
pub use opml::opml;
pub use rhythm::{Pattern, Rhythm};
pub use score::{Rules, Violation, ViolationKind, score};
pub use server::{Clock, Farm};
pub use spec::{Caching, FeedSpec, Habits, SiteRules};
pub use world::{Posted, World};
