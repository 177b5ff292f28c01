//! The nouns of Wellread, and nothing else.
//!
//! Every other crate speaks in these types, so this one depends on nothing that does I/O: no SQL, no HTTP, no
//! async, no clock. Values here are plain; rules about them live in the crates that act on them (`parse` decides an
//! item's identity, `plan` decides when to poll, `store` decides what is kept).

pub mod document;
pub mod feed;
pub mod id;
pub mod interaction;
pub mod item;
pub mod limits;
pub mod planning;
pub mod poll;
pub mod preferences;
pub mod rule;
pub mod schedule;
pub mod secret;
pub mod secret_address;
pub mod time;
pub mod user;

pub use document::{Complaint, Document, DocumentItem, Enclosure, Format, Identity, Parsed};
pub use feed::{Feed, FeedFacts, FeedState, Folder, NewSubscription, Subscription};
pub use id::{FeedId, FolderId, ImportId, ItemId, PollId, RuleId, SearchId, SessionId, UserId};
pub use item::{Item, ItemBody, ItemContent, Preview};
pub use limits::Limits;
pub use planning::{Attention, FeedDay, Found, Frontier, FrontierPoint};
pub use poll::{Lease, PollOutcome, PollRecord};
pub use preferences::Preferences;
pub use rule::{Condition, Pattern, Rule, RuleAction, RuleField, RuleOrder, RuleScope};
pub use schedule::{
    AccessHabit, AccessLevel, Hints, Planned, PostingRate, PriceMemory, Reason, Relocation, Schedule,
    Validators,
};
pub use secret::Secret;
pub use secret_address::looks_secret;
pub use time::Timestamp;
pub use user::User;
