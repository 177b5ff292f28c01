//! Ids are newtypes, so that a feed's number cannot be passed where a user's is meant.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(/// A remote feed, shared by all its subscribers.
    FeedId);
id!(/// One entry of a feed, stored once for everybody.
    ItemId);
id!(/// A person with an account.
    UserId);
id!(/// One person's folder of subscriptions.
    FolderId);
id!(/// One attempt to fetch a feed.
    PollId);
id!(/// One person's standing order about new items.
    RuleId);
id!(/// One signed-in browser.
    SessionId);
id!(/// One OPML import.
    ImportId);
id!(/// One person's saved search.
    SearchId);
