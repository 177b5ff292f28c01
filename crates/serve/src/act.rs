//! What people do with items: read, star, tag, hide, all of it, and taking it back.
//!
//! One door for forms and scripts. Every mark is a state, not a switch, so that sending it twice, from two tabs, two
//! devices or an offline queue, ends in the same place. Times are the server's: a phone whose clock is a day off
//! marks what its page showed and nothing else.

use crate::App;
use crate::list::{Place, read_up_to};
use crate::own_path::OwnPath;
use crate::problem::Problem;
use crate::visitor::{Visitor, wants_json};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use axum::{Form, Json};
use domain::{FeedId, ItemId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{Mark, UndoToken};

const ITEMS_MAX: usize = 1_000;
const TAGS_MAX: usize = 50;

#[derive(Debug, Deserialize)]
pub(crate) struct MarkForm {
    /// `star:12` or `read:12,13,14`; with `tag` also `tag:12`.
    mark: String,
    #[serde(default)]
    tag: String,
    /// 1 for items that share a row: they are marked, and taken back, as one.
    #[serde(default)]
    group: String,
    /// The list it happened in.
    #[serde(default)]
    place: String,
    #[serde(default)]
    back: String,
}

/// What changed, and the counters as they are now.
#[derive(Debug, Serialize)]
struct Changed {
    changed: Vec<ItemId>,
    undo: Option<i64>,
    count: u64,
    unread: u64,
    feeds: BTreeMap<FeedId, u64>,
}

pub(crate) async fn mark(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Form(form): Form<MarkForm>,
) -> Result<Response, Problem> {
    let (verb, items) = form.mark.split_once(':').ok_or_else(Problem::bad_form)?;
    let items = read_items(items)?;
    if form.group == "1" && matches!(verb, "read" | "unread") {
        let marked = app.store.mark_many(visitor.id(), &items, verb == "read", visitor.now()).await?;
        let undo = marked.undo.map(|UndoToken(token)| token);
        return answer(&app, &visitor, &headers, &form.back, Vec::new(), undo, marked.changed).await;
    }
    let mut changed = Vec::new();
    let place = crate::seen::place_name(&form.place).unwrap_or_default();
    for mark in marks(verb, &form.tag)? {
        let moved = app.store.mark_in_list(visitor.id(), &items, &mark, visitor.now(), &place).await?;
        changed.extend(moved);
    }
    let count = u64::try_from(changed.len()).unwrap_or(u64::MAX);
    answer(&app, &visitor, &headers, &form.back, changed, None, count).await
}

#[derive(Debug, Deserialize)]
pub(crate) struct MarkAllForm {
    place: String,
    up_to: String,
    #[serde(default)]
    back: String,
}

pub(crate) async fn mark_all(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Form(form): Form<MarkAllForm>,
) -> Result<Response, Problem> {
    let place = Place::parse(&form.place).ok_or_else(Problem::bad_form)?;
    let up_to = read_up_to(&form.up_to).ok_or_else(Problem::bad_form)?;
    let marked = app.store.mark_all_read(visitor.id(), &place.scope(), up_to, visitor.now()).await?;
    let undo = marked.undo.map(|UndoToken(token)| token);
    answer(&app, &visitor, &headers, &form.back, Vec::new(), undo, marked.changed).await
}

#[derive(Debug, Deserialize)]
pub(crate) struct UndoForm {
    token: i64,
    #[serde(default)]
    back: String,
}

pub(crate) async fn undo(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Form(form): Form<UndoForm>,
) -> Result<Response, Problem> {
    let count = app.store.undo(visitor.id(), UndoToken(form.token)).await?;
    answer(&app, &visitor, &headers, &form.back, Vec::new(), None, count).await
}

/// Forms go back to where they were; scripts get numbers.
async fn answer(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    back: &str,
    changed: Vec<ItemId>,
    undo: Option<i64>,
    count: u64,
) -> Result<Response, Problem> {
    if !wants_json(headers) {
        return Ok(OwnPath::parse(&app.base_path, back).redirect());
    }
    let counts = app.store.counts(visitor.id()).await?;
    let feeds = counts.by_feed.into_iter().collect();
    Ok(Json(Changed { changed, undo, count, unread: counts.total, feeds }).into_response())
}

fn read_items(text: &str) -> Result<Vec<ItemId>, Problem> {
    let items: Option<Vec<ItemId>> =
        text.split(',').take(ITEMS_MAX + 1).map(|id| id.trim().parse().ok().map(ItemId)).collect();
    items.filter(|items| items.len() <= ITEMS_MAX).ok_or_else(Problem::bad_form)
}

fn marks(verb: &str, tags: &str) -> Result<Vec<Mark>, Problem> {
    let tags = || -> Vec<String> {
        tags.split(',')
            .map(str::trim)
            .filter(|tag| !tag.is_empty())
            .take(TAGS_MAX)
            .map(str::to_owned)
            .collect()
    };
    let marks = match verb {
        "read" => vec![Mark::Read],
        "unread" => vec![Mark::Unread],
        "star" => vec![Mark::Star],
        "unstar" => vec![Mark::Unstar],
        "hide" => vec![Mark::Hide],
        "unhide" => vec![Mark::Unhide],
        "tag" => tags().into_iter().map(Mark::Tag).collect(),
        "untag" => tags().into_iter().map(Mark::Untag).collect(),
        _ => Vec::new(),
    };
    if marks.is_empty() { Err(Problem::bad_form()) } else { Ok(marks) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_strictly() {
        assert_eq!(marks("tag", " a, b ,,").expect("marks"), [Mark::Tag("a".into()), Mark::Tag("b".into())]);
        for (verb, tags) in [("tag", ""), ("drop", ""), ("", "x")] {
            assert!(marks(verb, tags).is_err(), "{verb}");
        }
        assert_eq!(read_items("1, 2").expect("items"), [ItemId(1), ItemId(2)]);
        assert!(read_items("").is_err() && read_items("1,x").is_err());
        assert!(read_items(&"1,".repeat(ITEMS_MAX + 5)).is_err());
    }
}
