//! What was really on screen, what was opened and for how long. Learning depends on it being honest.
//!
//! A browser says how long ago something happened, not when: its clock may be a day off. Numbers outside what a
//! person can do are dropped, and one report is bounded, so that a script cannot teach much (O11).

use crate::App;
use crate::foryou::ForYou;
use crate::list::Place;
use crate::problem::Problem;
use crate::visitor::Visitor;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use domain::interaction::{Access, Interaction, InteractionKind};
use domain::{FeedId, ItemId};
use rank::Side;
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
use store::TrialClick;

const EVENTS_MAX: usize = 500;
const PLACE_BYTES_MAX: usize = 64;
/// A report may come late after a time offline, but not from another life.
const AGE_MAX: Duration = Duration::from_secs(7 * 86_400);
/// Longer than anybody reads one item without a pause.
const DWELL_MS_MAX: u64 = 2 * 3_600_000;
const POSITION_MAX: u32 = 100_000;

#[derive(Debug, Deserialize)]
pub(crate) struct Report {
    place: String,
    #[serde(default)]
    events: Vec<Event>,
    /// The person came here just now.
    #[serde(default)]
    visit: bool,
}

#[derive(Debug, Deserialize)]
struct Event {
    item: i64,
    kind: String,
    /// Milliseconds since it happened.
    #[serde(default)]
    ago_ms: u64,
    position: Option<u32>,
    dwell_ms: Option<u64>,
}

pub(crate) async fn record(
    State(app): State<Arc<App>>,
    Extension(foryou): Extension<Arc<ForYou>>,
    visitor: Visitor,
    Json(report): Json<Report>,
) -> Result<Response, Problem> {
    let list = Place::parse(&report.place);
    let place = place_name(&report.place).ok_or_else(Problem::bad_form)?;
    if report.visit {
        let feed: Option<FeedId> = match &list {
            Some(Place::Feed(feed)) => Some(*feed),
            _ => None,
        };
        app.store.record_access(&Access { user: visitor.id(), at: visitor.now(), feed }).await?;
        app.errands.opened(visitor.id());
    }
    let interactions: Vec<Interaction> = report
        .events
        .iter()
        .take(EVENTS_MAX)
        .filter_map(|event| interaction(event, &visitor, &place))
        .collect();
    if !interactions.is_empty() {
        app.store.record_interactions(&interactions).await?;
    }
    if list == Some(Place::ForYou) {
        let opened = interactions.iter().filter(|one| one.kind == InteractionKind::Open);
        let clicks: Vec<TrialClick> = opened
            .filter_map(|one| {
                let (list_at, side) = foryou.side_of(visitor.id(), one.item)?;
                Some(TrialClick { item: one.item, list_at, is_others: side == Side::Other })
            })
            .collect();
        if !clicks.is_empty() {
            app.store.count_in_trial(visitor.id(), &clicks).await?;
        }
    }
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Only what a screen can tell; stars and hides are recorded where they are done.
fn interaction(event: &Event, visitor: &Visitor, place: &str) -> Option<Interaction> {
    let kind = InteractionKind::from_name(&event.kind)
        .filter(|kind| matches!(kind, InteractionKind::Impression | InteractionKind::Open))?;
    let ago = Duration::from_millis(event.ago_ms);
    if ago > AGE_MAX {
        return None;
    }
    Some(Interaction {
        user: visitor.id(),
        item: ItemId(event.item),
        kind,
        at: visitor.now().saturating_sub(ago),
        place: place.to_owned(),
        position: event.position.filter(|position| *position <= POSITION_MAX),
        dwell_ms: event.dwell_ms.map(|dwell| dwell.min(DWELL_MS_MAX)),
    })
}

/// A list or a search, as it is recorded; what is neither is none.
pub(crate) fn place_name(text: &str) -> Option<String> {
    let name = Place::parse(text).map(|list| list.to_string()).or_else(|| crate::search_page::place(text))?;
    Some(bounded(&name))
}

/// A place within the store's bound; a long tag is cut at a character.
fn bounded(place: &str) -> String {
    let mut end = place.len().min(PLACE_BYTES_MAX);
    while !place.is_char_boundary(end) {
        end -= 1;
    }
    place[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_searches_are_recorded_by_their_names() {
        for (text, name) in
            [("/newest", "newest"), ("search", "search"), ("saved/007", "saved/7"), ("feed/3", "feed/3")]
        {
            assert_eq!(place_name(text).as_deref(), Some(name));
        }
        for odd in ["", "saved/", "saved/x", "search/1", "nowhere"] {
            assert_eq!(place_name(odd), None, "{odd}");
        }
    }
}
