//! `/api/channels`: ranked channels for scripts (004 §2), with score, profile, cohesion and posting rate.

use crate::App;
use crate::channels::{Channels, Found};
use crate::discover::ask::{Ask, LIMIT_MAX, Wanted};
use crate::discover::row::name;
use crate::problem::Problem;
use crate::said::refused;
use crate::visitor::Caller;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use bytes::Bytes;
use domain::FeedId;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::sync::Arc;

const LIMIT_DEFAULT: usize = 20;
const QUERY_CHARS_MAX: usize = 500;

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Asked {
    /// Words.
    q: Option<String>,
    /// A feed's number.
    like: Option<String>,
    /// `reading`.
    by: Option<String>,
    limit: Option<String>,
}

impl Asked {
    fn limit(&self) -> Option<usize> {
        match &self.limit {
            None => Some(LIMIT_DEFAULT),
            Some(text) => text.parse().ok().filter(|limit| (1..=LIMIT_MAX).contains(limit)),
        }
    }
}

pub(crate) async fn find(
    State(app): State<Arc<App>>,
    Extension(channels): Extension<Arc<Channels>>,
    caller: Caller,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let d = &caller.words.discover;
    let wanted = match (&asked.q, &asked.like, asked.by.as_deref()) {
        (Some(words), None, None) => Wanted::Words(words.chars().take(QUERY_CHARS_MAX).collect()),
        (None, Some(feed), None) => match feed.parse() {
            Ok(feed) => Wanted::Like(FeedId(feed)),
            Err(_) => return Ok(error(d.no_channel)),
        },
        (None, None, Some("reading")) => Wanted::Reading,
        (None, None, _) => return Ok(error(d.no_way)),
        _ => return Ok(error(d.two_ways)),
    };
    answer(&app, &channels, caller, &asked, wanted).await
}

/// A text or a list of feeds comes as it is, told by its content type, or in a form.
pub(crate) async fn compare(
    State(app): State<Arc<App>>,
    Extension(channels): Extension<Arc<Channels>>,
    caller: Caller,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let wanted = match kind.as_str() {
        "text/plain" => Some(Wanted::Text(String::from_utf8_lossy(&body).into_owned())),
        "text/x-opml" | "text/xml" | "application/xml" | "application/opml+xml" => {
            Some(Wanted::Opml(body.to_vec()))
        }
        "application/x-www-form-urlencoded" => {
            url::form_urlencoded::parse(&body).find_map(|(key, value)| match &*key {
                "text" => Some(Wanted::Text(value.into_owned())),
                "opml" => Some(Wanted::Opml(value.into_owned().into_bytes())),
                _ => None,
            })
        }
        _ => None,
    };
    match wanted {
        Some(wanted) => answer(&app, &channels, caller, &asked, wanted).await,
        None => Ok(error(caller.words.discover.bad_kind)),
    }
}

async fn answer(
    app: &App,
    channels: &Channels,
    caller: Caller,
    asked: &Asked,
    wanted: Wanted,
) -> Result<Response, Problem> {
    let Caller { user, words, now } = caller;
    let Some(limit) = asked.limit() else { return Ok(error(words.discover.bad_limit)) };
    let follows: HashSet<FeedId> =
        app.store.subscriptions(user).await?.into_iter().map(|one| one.feed.id).collect();
    let follows = Arc::new(follows);
    let ask = Ask { app, channels, user, words, follows: follows.clone(), now };
    let answer = match ask.answer(wanted, limit).await? {
        Ok(answer) => answer,
        Err(refusal) => return Ok(error(refusal.sentence(words))),
    };
    let told = Told {
        note: answer.note.map(|note| note.sentence(words)),
        channels: answer.found.iter().map(|found| ToldChannel::of(found, &follows)).collect(),
    };
    Ok(Json(told).into_response())
}

fn error(sentence: &str) -> Response {
    refused(serde_json::json!({ "error": sentence }))
}

#[derive(Serialize)]
struct Told<'a> {
    /// What to know about the answer.
    note: Option<String>,
    channels: Vec<ToldChannel<'a>>,
}

#[derive(Serialize)]
struct ToldChannel<'a> {
    feed: FeedId,
    title: &'a str,
    url: &'a str,
    site: Option<&'a str>,
    language: Option<&'a str>,
    /// Cosine of what was asked for and the profile, 0 to 1.
    score: Option<f64>,
    /// Terms of the profile that made the score, heaviest first.
    why: Vec<&'a str>,
    /// Heaviest first.
    profile: Vec<ToldTerm<'a>>,
    /// Eq. 3 of paper 004.
    cohesion: Option<f64>,
    /// How much of the profile new items replace, 0 to 1.
    change: Option<f64>,
    posts_per_day: Option<f64>,
    subscribed: bool,
}

#[derive(Serialize)]
struct ToldTerm<'a> {
    term: &'a str,
    weight: f64,
    /// `word`, `phrase` for words that touch, `pair` for words near each other.
    kind: &'static str,
}

impl<'a> ToldChannel<'a> {
    fn of(found: &'a Found, follows: &HashSet<FeedId>) -> ToldChannel<'a> {
        let channel = &found.channel;
        let text = |id: &text::TermId| {
            found.profile.terms().find(|term| term.id == *id).map(|term| term.text.as_str())
        };
        ToldChannel {
            feed: channel.feed,
            title: name(channel),
            url: &channel.url,
            site: channel.site_url.as_deref(),
            language: channel.language.as_deref(),
            score: found.score.map(rounded),
            why: found.why.iter().filter_map(text).collect(),
            profile: found
                .profile
                .top(usize::MAX)
                .into_iter()
                .map(|term| ToldTerm {
                    term: &term.text,
                    weight: rounded(term.weight),
                    kind: match (term.id.is_pair(), term.phrase) {
                        (false, _) => "word",
                        (true, true) => "phrase",
                        (true, false) => "pair",
                    },
                })
                .collect(),
            cohesion: channel.cohesion.map(rounded),
            change: channel.change.map(rounded),
            posts_per_day: channel.posts_per_day.map(rounded),
            subscribed: follows.contains(&channel.feed),
        }
    }
}

/// Four places are more than anybody believes.
fn rounded(value: f64) -> f64 {
    if value.is_finite() { (value * 1e4).round() / 1e4 } else { 0.0 }
}
