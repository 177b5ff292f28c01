//! The loop: lease → fetch → parse → store → plan, and nothing of its own.
//!
//! Each step is another crate's; what is decided here is only their order, what runs on which threads, and what
//! happens when a step fails. Clock, network and store are values: see `tests/it/simulator.rs`.

mod buzz;
mod clock;
mod cpu;
mod crawler;
mod digest;
mod finds;
mod follow;
mod full_text;
mod gate;
mod icons;
mod index;
mod job;
mod learn;
mod network;
mod opened;
mod orders;
mod outage;
mod outlook;
mod own_thread;
mod poll;
mod preview;
mod reading;
mod side;
mod sift;
mod sites;
mod words;

pub use buzz::{ShownBuzz, buzz};
pub use clock::{Clock, SystemClock};
pub use cpu::{CpuFailure, CpuPool};
pub use crawler::{CrawlSettings, Crawler, NotNow, Tally};
pub use digest::{digest, digest_all};
pub use follow::{Candidate, CandidateKind, Followed, NotFollowed, parse_address};
pub use full_text::NoFullText;
pub use index::{Shown, index};
pub use network::Network;
pub use poll::PollReport;
pub use words::sentences;
