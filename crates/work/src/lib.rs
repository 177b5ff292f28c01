//! The loop: lease → fetch → parse → store → plan, and nothing of its own.
//!
//! Each step is another crate's; what is decided here is only their order, what runs on which threads, and what
//! happens when a step fails. Clock, network and store are values: see `tests/it/simulator.rs`.

mod clock;
mod cpu;
mod crawler;
mod finds;
mod follow;
mod full_text;
mod gate;
mod icons;
mod job;
mod learn;
mod network;
mod opened;
mod orders;
mod outage;
mod outlook;
mod poll;
mod preview;
mod side;
mod sift;
mod sites;
mod words;

pub use clock::{Clock, SystemClock};
pub use cpu::{CpuFailure, CpuPool};
pub use crawler::{CrawlSettings, Crawler, NotNow, Tally};
pub use follow::{Candidate, CandidateKind, Followed, NotFollowed, parse_address};
pub use full_text::NoFullText;
pub use network::Network;
pub use poll::PollReport;
pub use words::sentences;
