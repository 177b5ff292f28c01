//! Full-text search over items and channels, and saved searches matched against new items.
//!
//! An index is never a source of truth: whatever happens to it, it is set aside and built again from the store, which
//! the caller reads. One folder has one writer; each node keeps its own index by following item ids, and the last id
//! followed is committed with the documents, so that following resumes exactly.
//!
//! What is not here: HTML (results are text and ranges), SQL, async (calls block; run them on the CPU pool), and
//! what only the store knows (folders, stars, unread), which a query names and the caller answers.

mod channel;
mod compile;
mod document;
mod error;
mod files;
mod find;
mod ids;
mod index;
mod item;
mod mark;
mod percolate;
mod query;
mod schema;
mod steady;
mod suggest;
mod tokens;
mod writer;

pub use channel::ChannelText;
pub use error::Trouble;
pub use find::{Answer, Ask, COUNT_MAX, Cursor, HITS_MAX, Hit, Known, OFFSET_MAX, Order, Scope, Total};
pub use ids::{IdSet, Unread};
pub use index::{Defect, FORMAT, Found, Index, Opened, State};
pub use item::{EXCERPT_BYTES_MAX, ItemText, TAG_BYTES_MAX, TAGS_MAX, TEXT_BYTES_MAX, TITLE_BYTES_MAX};
pub use mark::{Marked, SNIPPET_CHARS};
pub use percolate::Prepared;
pub use query::{
    BadQuery, LIVE_CHARS_MIN, QUERY_CHARS_MAX, QUERY_DEPTH_MAX, QUERY_LANGUAGES_MAX, QUERY_WORDS_MAX, Query,
    StoreFilter, Typed,
};
pub use tokens::{Language, WORD_BYTES_MAX, tag_key};
pub use writer::{COMMIT_AFTER, COMMIT_DOCUMENTS, MARK_BYTES_MAX, Writer};
