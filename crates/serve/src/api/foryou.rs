//! `/api/foryou`: a person's ranked list for scripts, with scores and reasons.

use crate::App;
use crate::foryou::why::{Wording, name};
use crate::foryou::{ForYou, Pin, ROWS_MAX, Ranker, Ranking};
use crate::problem::Problem;
use crate::said::refused;
use crate::shell::Library;
use crate::visitor::Caller;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use domain::{FeedId, ItemId};
use rank::{Feature, Ranked};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;
use store::ListRow;

const LIMIT_DEFAULT: usize = 50;
const LIMIT_MAX: usize = 200;

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Asked {
    limit: Option<String>,
    /// `next` of the answer before: the same list goes on.
    after: Option<String>,
}

pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Extension(foryou): Extension<Arc<ForYou>>,
    caller: Caller,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let limit = match &asked.limit {
        None => Some(LIMIT_DEFAULT),
        Some(text) => text.parse().ok().filter(|limit| (1..=LIMIT_MAX).contains(limit)),
    };
    let f = &caller.words.foryou;
    let Some(limit) = limit else { return Ok(error(f.bad_limit)) };
    let (pin, first) = match &asked.after {
        None => (foryou.pin(&app, caller.user, caller.now).await?, 0),
        Some(text) => match Pin::parse(text, caller.now) {
            Some(pinned) => pinned,
            None => return Ok(error(f.bad_after)),
        },
    };
    let library = Library::of(&app, caller.user).await?;
    let feeds = recall::facts(library.feeds.values());
    let ranking = foryou.ranking(&app, caller.user, &feeds, pin, Ranker::ForYou).await?;
    let last = ranking.rows.len().min(first.saturating_add(limit));
    let shown = ranking.rows.get(first..last).unwrap_or_default();
    let ids: Vec<ItemId> = shown.iter().map(|row| row.item).collect();
    let found = app.store.items_by_id(caller.user, &ids).await?;
    let found: HashMap<ItemId, ListRow> =
        found.into_iter().filter(|row| row.hidden.is_none()).map(|row| (row.item.id, row)).collect();
    let told = |(ranked, row): (&Ranked, usize)| {
        let feed = name(&library, ranked.feed, caller.words);
        let wording = Wording { w: caller.words, ranking: &ranking, feed: feed.clone() };
        Some(Told::of(ranked, row, found.get(&ranked.item)?, feed, wording.phrase(&ranked.why), &ranking))
    };
    let answer = Answer {
        items: shown.iter().zip(first..).filter_map(told).collect(),
        next: (last < ranking.rows.len() && last < ROWS_MAX).then(|| pin.text(last)),
    };
    Ok(Json(answer).into_response())
}

fn error(sentence: &str) -> Response {
    refused(serde_json::json!({ "error": sentence }))
}

#[derive(Serialize)]
struct Answer {
    items: Vec<Told>,
    next: Option<String>,
}

#[derive(Serialize)]
struct Told {
    item: ItemId,
    feed: FeedId,
    feed_title: String,
    title: Option<String>,
    link: Option<String>,
    published: String,
    /// Its row in the list, from 0.
    row: usize,
    /// In logits, with what is added for the sake of learning.
    score: f64,
    /// How likely the person opens it when they see it, 0 to 1.
    chance: f64,
    why: String,
    reasons: Vec<ToldReason>,
    /// Other unread items that tell the same story.
    copies: Vec<ItemId>,
}

#[derive(Serialize)]
struct ToldReason {
    /// `topic`, `feed`, or a name of what is true of all items.
    kind: &'static str,
    /// What of it, where that can be named.
    name: Option<String>,
    /// In logits; above zero it speaks for the item.
    effect: f32,
}

impl Told {
    fn of(
        ranked: &Ranked,
        row: usize,
        found: &ListRow,
        feed_title: String,
        why: String,
        ranking: &Ranking,
    ) -> Told {
        let reason = |reason: &rank::Reason| {
            let (kind, name) = match reason.feature {
                Feature::Topic(topic) => ("topic", ranking.topics.get(&topic).cloned()),
                Feature::Feed(_) => ("feed", Some(feed_title.clone())),
                Feature::Word(_) => ("word", None),
                Feature::Bias => ("bias", None),
                Feature::Age => ("age", None),
                Feature::Interest => ("interest", None),
                Feature::Novelty => ("novelty", None),
                Feature::Copies => ("copies", None),
                Feature::Rate => ("rate", None),
            };
            ToldReason { kind, name, effect: reason.effect }
        };
        let item = &found.item;
        Told {
            item: ranked.item,
            feed: ranked.feed,
            title: item.title.clone(),
            link: item.link.clone(),
            published: item.published_at.unwrap_or(item.sort_at).to_string(),
            row,
            score: ranked.score,
            chance: ranked.chance,
            why,
            reasons: ranked.why.reasons.iter().map(reason).collect(),
            copies: ranked.copies.clone(),
            feed_title,
        }
    }
}
