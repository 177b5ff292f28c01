//! What came back: one value for every way a fetch can end.
//!
//! An [`Answer`] holds facts only. Whether to adopt a new address, keep validators or back off is decided by the
//! caller, who knows the feed's history.

use crate::failure::{Failure, Refusal};
use crate::gate::Held;
use bytes::Bytes;
use domain::{Timestamp, Validators};
use std::time::Duration;
use url::Url;

#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub outcome: Outcome,
    /// Status of the last response that came; `None` when nothing answered at all.
    pub status: Option<u16>,
    /// Where the last request went, without credentials and fragment.
    pub final_url: Url,
    /// The last address, when there was a redirect and every hop was permanent (301 or 308; N18).
    pub permanent_to: Option<Url>,
    /// At least one hop was temporary (302, 303, 307; N19).
    pub temporary_hops: bool,
    /// What to send next time, byte for byte. After a whole body: what the response said. After 304: what was sent,
    /// updated by what the 304 said (N3). Empty after a cut body (B10) and after everything else, where what is
    /// stored should be left alone.
    pub validators: Validators,
    /// Not worth asking again before this time has passed (RFC 9111; N6). At most a day.
    pub fresh_for: Option<Duration>,
    /// `Retry-After` as a point in time after `now`, at most 30 days ahead (N13).
    pub retry_after: Option<Timestamp>,
    /// Bytes of bodies as they came over the wire, all hops together.
    pub wire_bytes: u64,
    pub content_type: Option<String>,
    /// The server put a browser challenge in front (`cf-mitigated: challenge`; B9).
    pub challenge: bool,
    /// `X-Robots-Tag: noindex` or `noai` (N26).
    pub noindex: bool,
    /// WebSub hubs named in `Link` headers, absolute.
    pub hubs: Vec<String>,
    /// `rel="self"` of the `Link` headers, absolute.
    pub self_link: Option<String>,
    /// `Crawl-delay` of the robots.txt that was consulted, at most a minute (N25).
    pub crawl_delay: Option<Duration>,
    pub warnings: Vec<Warning>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Body {
        bytes: Bytes,
        /// False when bytes are missing: nothing may be taken as deleted (B10).
        complete: bool,
        /// Only what is new (226, RFC 3229): merge, never treat as the whole document.
        delta: bool,
    },
    /// 304.
    Unchanged,
    /// 410.
    Gone,
    /// 429 or 503.
    Busy,
    /// 401, 403, 407, 451.
    Denied,
    /// 404 and other 4xx.
    NotFound,
    /// We did not ask, or stopped following.
    Refused(Refusal),
    Failed(Failure),
    /// The gate let nothing out; what came before it, if anything, was a redirect.
    Held(Held),
}

impl Outcome {
    /// A sentence for people, for everything that is neither a body nor "unchanged".
    pub fn sentence(&self) -> Option<String> {
        match self {
            Outcome::Body { .. } | Outcome::Unchanged => None,
            Outcome::Gone => Some("The publisher says this feed is gone for good (410).".into()),
            Outcome::Busy => Some("The server is busy or asks for fewer requests; Wellread waits before asking again.".into()),
            Outcome::Denied => {
                Some("The server does not let us in (401, 403 or 451). Check whether the feed needs a password.".into())
            }
            Outcome::NotFound => {
                Some("There is nothing at this address (404). Check the address, or look for the feed on its web site.".into())
            }
            Outcome::Refused(refusal) => Some(refusal.to_string()),
            Outcome::Failed(failure) => Some(failure.to_string()),
            Outcome::Held(held) => Some(held.to_string()),
        }
    }
}

/// Something the person who subscribed should know although the fetch went on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// An https address redirected to http (E12).
    Downgrade { to: String },
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Warning::Downgrade { to } => {
                write!(
                    f,
                    "The secure address redirects to an insecure one ({to}): others on the way can read and change it."
                )
            }
        }
    }
}
