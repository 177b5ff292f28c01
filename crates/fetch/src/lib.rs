//! The only door out: guarded, polite HTTP.
//!
//! Every outgoing connection of Wellread is opened here, so the rules about where we may go (`guard`), what we say
//! (`headers`), how much we take (`body`) and what an answer means (`response`) exist once. A bad server is a value
//! ([`Outcome`]), never an error that stops a caller.
//!
//! Left out on purpose: databases, HTML, and every decision about *when* to ask. Spacing and floors belong to `plan`
//! and `work`; this crate only reports what the publisher said about them.

pub mod allow;
pub mod answer;
pub mod failure;
pub mod gate;
pub mod guard;
pub mod media;
pub mod opt_out;
pub mod provider;
pub mod request;
pub mod resolve;
pub mod robots;
pub mod sniff;

mod body;
mod door;
mod fetcher;
mod headers;
mod hop;
mod response;

pub use allow::{AllowError, AllowList};
pub use answer::{Answer, Outcome, Warning};
/// As in `store`: futures that others await are boxes, compiled once and here.
pub(crate) use async_recursion::async_recursion as boxed;
pub use failure::{Failure, FetchError, Refusal};
pub use fetcher::{FetchConfig, Fetcher};
pub use gate::{Gate, Gatekeeper, Held};
pub use guard::{OwnAddress, check_addr, check_url};
pub use headers::secret_header;
pub use media::{Media, MediaStream, NoMedia};
pub use opt_out::OptOuts;
pub use provider::provider;
pub use request::{FeedRequest, PageRequest, Wanted, take_credentials};
pub use resolve::{Resolve, Resolver, TestNames};
pub use robots::Verdict;
pub use sniff::{MediaClass, sniff};
