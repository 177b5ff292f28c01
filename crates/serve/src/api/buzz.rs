//! `/api/buzz`: the words and links a person's feeds talk about, for scripts.

use crate::App;
use crate::buzz_page::ask::{Line, Span};
use crate::buzz_page::{hear_as, key_text, read_key};
use crate::ear::following;
use crate::layers::OwnWords;
use crate::problem::Problem;
use crate::said::refused;
use crate::visitor::Caller;
use axum::Json;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::{FeedId, ItemId};
use rank::buzz::{Kind, Rise};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Asked {
    window: Option<String>,
    open: Option<String>,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    caller: Caller,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let Caller { user, words, now } = caller;
    let span = match asked.window.as_deref() {
        None | Some("today" | "week") => Span::parse(asked.window.as_deref()),
        Some(_) => return Ok(refused(serde_json::json!({ "error": words.buzz.bad_span }))),
    };
    let feeds = app.store.subscriptions(user).await?;
    let shares = app.ear.shares(&app, user, now).await?;
    let open = asked.open.as_deref().and_then(read_key);
    let Some((answer, is_whole)) = hear_as(&app, following(feeds.iter(), &shares), now, span, open).await?
    else {
        let away = Json(serde_json::json!({ "error": words.buzz.away }));
        let mut response = (StatusCode::SERVICE_UNAVAILABLE, away).into_response();
        response.extensions_mut().insert(OwnWords);
        return Ok(response);
    };
    let told = Told {
        window: span.name(),
        is_whole,
        words: answer.words.iter().map(ToldLine::of).collect(),
        links: answer.links.iter().map(ToldLine::of).collect(),
        open: answer.open.as_ref().map(|opened| ToldOpen {
            line: ToldLine::of(&opened.line),
            newest: opened.line.trace.newest.iter().map(|(item, _)| *item).collect(),
            goes_with: opened.goes_with.iter().map(|(_, text)| text.as_str()).collect(),
        }),
    };
    Ok(Json(told).into_response())
}

#[derive(Serialize)]
struct Told<'a> {
    window: &'static str,
    /// False while the last days are still being read.
    is_whole: bool,
    words: Vec<ToldLine<'a>>,
    links: Vec<ToldLine<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open: Option<ToldOpen<'a>>,
}

#[derive(Serialize)]
struct ToldLine<'a> {
    key: String,
    kind: &'static str,
    text: &'a str,
    score: f64,
    feeds: &'a [FeedId],
    items: u32,
    /// Of the days on which a feed said anything, those on which it said this.
    mine: f64,
    everyones: f64,
    /// How many times the usual number of feeds; 0 for what nobody said before, null for what is usual.
    rising: Option<u32>,
    /// Items by hour, or by quarter of a day, oldest first.
    over_time: &'a [u32],
}

#[derive(Serialize)]
struct ToldOpen<'a> {
    #[serde(flatten)]
    line: ToldLine<'a>,
    /// The newest, newest first.
    newest: Vec<ItemId>,
    goes_with: Vec<&'a str>,
}

impl<'a> ToldLine<'a> {
    fn of(line: &'a Line) -> ToldLine<'a> {
        ToldLine {
            key: key_text(line.id),
            kind: match line.kind {
                Kind::Word => "word",
                Kind::Phrase => "phrase",
                Kind::Link => "link",
            },
            text: &line.text,
            score: rounded(line.score),
            feeds: &line.trace.feeds,
            items: line.trace.items,
            mine: rounded(line.beside.mine),
            everyones: rounded(line.beside.all),
            rising: line.beside.rise.map(|rise| match rise {
                Rise::New => 0,
                Rise::Times(times) => times,
            }),
            over_time: &line.trace.mine,
        }
    }
}

fn rounded(value: f64) -> f64 {
    if value.is_finite() { (value * 1e4).round() / 1e4 } else { 0.0 }
}
