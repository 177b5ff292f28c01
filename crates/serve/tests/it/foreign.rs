//! Routes with ids that other pages add to the isolation test, and the objects they name.

use crate::site::{Person, Site};
use domain::FeedId;

/// See [`crate::isolation`]: the kind of object and the form to send.
pub(crate) fn more(path: &str) -> Option<(&'static str, &'static str)> {
    let _ = path;
    None
}

/// Further objects of `owner`, by kind.
pub(crate) async fn make(site: &Site, owner: &Person<'_>, feed: FeedId) -> Vec<(&'static str, i64)> {
    let _ = (site, owner, feed);
    Vec::new()
}
