//! What is done to feeds from lists: for one by its own button, or for all that are ticked; and taking it back.

use crate::App;
use crate::problem::Problem;
use crate::said::{Said, Saying, Undo};
use crate::visitor::Visitor;
use axum::extract::{RawForm, State};
use axum::http::HeaderMap;
use axum::response::Response;
use domain::{FeedId, FolderId};
use std::collections::HashMap;
use std::sync::Arc;
use store::{Scope, SubscribedFeed, SubscriptionEdit, UpTo};

/// Feeds that can be changed at once; as many as a page shows.
const CHOSEN_MAX: usize = super::ROWS;

/// Everything that is done to feeds from lists: for one by its own button, or for all that are ticked.
pub(crate) async fn act(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    RawForm(body): RawForm,
) -> Result<Response, Problem> {
    let order = Ordered::read(&body)?;
    let said = match &order.undo {
        Some(undo) => undo.carry_out(&app, &visitor).await?,
        None if order.feeds.is_empty() => Said::new(Saying::NothingChosen),
        None => carry_out(&app, &visitor, &order).await?,
    };
    let back = if order.back.is_empty() { "/feeds" } else { &order.back };
    Ok(said.answer(&app, &visitor, &headers, back))
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Ordered {
    verb: String,
    feeds: Vec<FeedId>,
    folder: Option<FolderId>,
    undo: Option<Undo>,
    back: String,
}

impl Ordered {
    /// `one=verb:feed` for a single feed, else `do=verb` with any number of `feed`.
    fn read(body: &[u8]) -> Result<Ordered, Problem> {
        let mut order = Ordered::default();
        let mut one = None;
        for (key, value) in url::form_urlencoded::parse(body) {
            match &*key {
                "do" => order.verb = value.into_owned(),
                "one" => one = Some(value.into_owned()),
                "feed" if order.feeds.len() < CHOSEN_MAX => order.feeds.push(feed_id(&value)?),
                "folder" => {
                    let id: i64 =
                        if value.is_empty() { 0 } else { value.parse().map_err(|_| Problem::bad_form())? };
                    order.folder = (id != 0).then_some(FolderId(id));
                }
                "undo" => order.undo = Some(Undo::parse(&value).ok_or_else(Problem::bad_form)?),
                "back" => order.back = value.into_owned(),
                _ => {}
            }
        }
        if let Some(one) = one {
            let (verb, feed) = one.split_once(':').ok_or_else(Problem::bad_form)?;
            let (feed, folder) = feed.split_once(':').unwrap_or((feed, ""));
            order.feeds = vec![feed_id(feed)?];
            verb.clone_into(&mut order.verb);
            if !folder.is_empty() {
                let id: i64 = folder.parse().map_err(|_| Problem::bad_form())?;
                order.folder = (id != 0).then_some(FolderId(id));
            }
        }
        Ok(order)
    }
}

fn feed_id(text: &str) -> Result<FeedId, Problem> {
    text.parse().map(FeedId).map_err(|_| Problem::bad_form())
}

async fn carry_out(app: &App, visitor: &Visitor, order: &Ordered) -> Result<Said, Problem> {
    let followed: HashMap<FeedId, SubscribedFeed> =
        app.store.subscriptions(visitor.id()).await?.into_iter().map(|one| (one.feed.id, one)).collect();
    // Somebody else's feed is like none at all (A5).
    let feeds: Vec<&SubscribedFeed> = order.feeds.iter().filter_map(|feed| followed.get(feed)).collect();
    if feeds.is_empty() {
        return Err(Problem::not_found());
    }
    match order.verb.as_str() {
        "unsubscribe" => unsubscribe(app, visitor, &feeds).await,
        "pause" => pause(app, visitor, &feeds, true).await,
        "resume" => pause(app, visitor, &feeds, false).await,
        "move" => move_to(app, visitor, &feeds, order.folder).await,
        "important" => important(app, visitor, &feeds, true).await,
        "usual" => important(app, visitor, &feeds, false).await,
        "read" => mark_read(app, visitor, &feeds).await,
        _ => Err(Problem::bad_form()),
    }
}

async fn unsubscribe(app: &App, visitor: &Visitor, feeds: &[&SubscribedFeed]) -> Result<Said, Problem> {
    let mut tokens = Vec::new();
    for one in feeds {
        let token = app.store.unsubscribe(visitor.id(), one.feed.id, visitor.now()).await?;
        tokens.extend(token.map(|token| token.0));
    }
    Ok(Said::count(Saying::Unsubscribed, tokens.len()).with(Undo::Tokens(tokens)))
}

async fn pause(
    app: &App,
    visitor: &Visitor,
    feeds: &[&SubscribedFeed],
    paused: bool,
) -> Result<Said, Problem> {
    let edit = SubscriptionEdit { paused: Some(paused), ..SubscriptionEdit::default() };
    let mut changed = Vec::new();
    for one in feeds.iter().filter(|one| one.subscription.paused != paused) {
        app.store.edit_subscription(visitor.id(), one.feed.id, &edit).await?;
        changed.push(one.feed.id);
    }
    let saying = if paused { Saying::Paused } else { Saying::Resumed };
    let said = Said::count(saying, changed.len());
    Ok(said.with(if paused { Undo::Resume(changed) } else { Undo::Pause(changed) }))
}

/// Pressing the same button again takes it back.
async fn important(
    app: &App,
    visitor: &Visitor,
    feeds: &[&SubscribedFeed],
    important: bool,
) -> Result<Said, Problem> {
    let edit = SubscriptionEdit { important: Some(important), ..SubscriptionEdit::default() };
    for one in feeds {
        app.store.edit_subscription(visitor.id(), one.feed.id, &edit).await?;
    }
    Ok(Said::new(if important { Saying::Important } else { Saying::NotImportant }))
}

async fn move_to(
    app: &App,
    visitor: &Visitor,
    feeds: &[&SubscribedFeed],
    folder: Option<FolderId>,
) -> Result<Said, Problem> {
    let edit = SubscriptionEdit { folder: Some(folder), ..SubscriptionEdit::default() };
    let mut moved = Vec::new();
    for one in feeds.iter().filter(|one| one.subscription.folder != folder) {
        app.store.edit_subscription(visitor.id(), one.feed.id, &edit).await?;
        moved.push((one.feed.id, one.subscription.folder));
    }
    Ok(Said::count(Saying::Moved, moved.len()).with(Undo::Move(moved)))
}

/// One feed at a time: only the newest "mark all read" can be taken back.
async fn mark_read(app: &App, visitor: &Visitor, feeds: &[&SubscribedFeed]) -> Result<Said, Problem> {
    let [one] = feeds else { return Err(Problem::bad_form()) };
    let up_to = UpTo { sort_at: UpTo::EVERYTHING.sort_at, item: app.store.newest_item().await? };
    let scope = Scope::Feed(one.feed.id);
    let marked = app.store.mark_all_read(visitor.id(), &scope, up_to, visitor.now()).await?;
    let said = Said { saying: Saying::Read, n: marked.changed, undo: None };
    Ok(said.with(Undo::Tokens(marked.undo.map(|token| token.0).into_iter().collect())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_button_or_many_ticks_say_what_to_do() {
        let order = Ordered::read(b"do=pause&feed=3&feed=9&back=%2Ffeeds").expect("an order");
        assert_eq!((order.verb.as_str(), order.feeds.as_slice()), ("pause", &[FeedId(3), FeedId(9)][..]));
        let order = Ordered::read(b"feed=3&feed=9&one=move:7:12").expect("an order");
        assert_eq!((order.feeds.as_slice(), order.folder), (&[FeedId(7)][..], Some(FolderId(12))));
        for broken in ["one=pause", "one=pause:x", "feed=x", "undo=?", "folder=x"] {
            assert!(Ordered::read(broken.as_bytes()).is_err(), "{broken}");
        }
    }
}
