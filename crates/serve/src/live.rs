//! Live updates: a stream of events tells an open page how many new items wait, and nothing moves until it asks.

use crate::App;
use crate::list::Place;
use crate::problem::Problem;
use crate::visitor::{Visitor, find};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use domain::ItemId;
use futures_util::stream;
use serde::Deserialize;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// Streams open at once on one node; a browser beyond them asks again later.
const STREAMS_MAX: usize = 1_000;
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// A stream ends by itself, so that a session that was ended does not go on listening for long.
const STREAM_FOR: Duration = Duration::from_secs(10 * 60);

/// Places for streams; part of the application.
#[derive(Debug, Clone)]
pub struct Listeners(Arc<Semaphore>);

impl Default for Listeners {
    fn default() -> Self {
        Listeners(Arc::new(Semaphore::new(STREAMS_MAX)))
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct Asked {
    place: String,
    /// The newest item the page knows.
    since: i64,
}

struct Listener {
    app: Arc<App>,
    visitor: Visitor,
    headers: HeaderMap,
    place: Place,
    since: ItemId,
    said: Option<String>,
    until: Instant,
    _permit: OwnedSemaphorePermit,
}

pub(crate) async fn events(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let place = Place::parse(&asked.place).ok_or_else(Problem::not_found)?;
    let busy = |_| Problem::of_status(StatusCode::SERVICE_UNAVAILABLE);
    let permit = app.listeners.0.clone().try_acquire_owned().map_err(busy)?;
    let listener = Listener {
        since: ItemId(asked.since),
        said: None,
        until: Instant::now() + STREAM_FOR,
        _permit: permit,
        app,
        visitor,
        headers,
        place,
    };
    let events = stream::unfold(listener, |mut listener| async move {
        let event = listener.next().await?;
        Some((Ok::<Event, Infallible>(event), listener))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(Duration::from_secs(20))).into_response())
}

impl Listener {
    /// The next thing worth saying; none ends the stream.
    async fn next(&mut self) -> Option<Event> {
        while Instant::now() < self.until {
            if self.said.is_some() {
                tokio::time::sleep(LOOK_EVERY).await;
                // The session may have been ended, and a stream must not outlive it.
                find(&self.app, &self.headers).await.ok().flatten()?;
            }
            let Ok(news) = self.news().await else {
                tokio::time::sleep(LOOK_EVERY).await;
                continue;
            };
            if self.said.as_ref() != Some(&news) {
                self.said = Some(news.clone());
                return Some(Event::default().event("news").data(news));
            }
        }
        None
    }

    async fn news(&self) -> Result<String, store::StoreError> {
        let user = self.visitor.id();
        let counts = self.app.store.counts(user).await?;
        let new = if self.place.takes_new_items() {
            self.app.store.new_since(user, &self.place.scope(), self.since).await?.count
        } else {
            0
        };
        let feeds: serde_json::Map<String, serde_json::Value> =
            counts.by_feed.iter().map(|(feed, unread)| (feed.to_string(), (*unread).into())).collect();
        Ok(serde_json::json!({ "new": new, "unread": counts.total, "feeds": feeds }).to_string())
    }
}
