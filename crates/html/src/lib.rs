//! Foreign HTML in; safe HTML, plain text, the main article and feed links out.
//!
//! Nothing here reads a network, a disk or a clock, and nothing fails: any text gives a result within
//! [`domain::Limits`]. All passes are linear in the input; the parsers behind them only ever see bounded nesting.

mod address;
mod article;
mod clean;
mod discover;
mod entity;
mod media;
mod sanitise;
mod tag;
mod text;
mod token;
mod verify;

pub use article::{Article, article};
pub use discover::{FeedLink, discover, icon_links};
pub use media::{MediaKind, first_image, links, rewrite_media};
pub use sanitise::{Sanitised, sanitise};
pub use text::{one_line, plain_text};
