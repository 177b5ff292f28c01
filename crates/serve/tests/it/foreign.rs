//! Routes with ids that other pages add to the isolation test, and the objects they name.

use crate::site::{Person, Site};
use domain::FeedId;

/// See [`crate::isolation`]: the kind of object and the form to send.
pub(crate) fn more(path: &str) -> Option<(&'static str, &'static str)> {
    Some(match path {
        "/import/{id}" => ("import", ""),
        "/import/{id}/undo" => ("import", "back=/welcome"),
        "/feed/{id}/about" => ("feed", ""),
        "/feed/{id}/refresh" => ("feed", "back=/feeds"),
        "/feed/{id}/edit" => ("feed", "settings=1&title=Mine"),
        "/folders/{id}" => ("folder", "do=rename&name=Mine"),
        _ => return None,
    })
}

/// Further objects of `owner`, by kind.
pub(crate) async fn make(site: &Site, owner: &Person<'_>, feed: FeedId) -> Vec<(&'static str, i64)> {
    let import = site.store.add_import(owner.user, "Mira's file", &[feed], 0, site.now()).await.unwrap();
    vec![("import", import.0)]
}
