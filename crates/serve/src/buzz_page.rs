//! Buzz: the words and links that several of a person's feeds talk about, beside what all feeds here say.
//!
//! The page works without scripts: each word and each link has an address that opens what is known of it in the pane. What
//! is counted for everybody are feeds that anybody may know of, never readers (row A10).

pub(crate) mod ask;
mod pane;
mod view;

use crate::App;
use crate::ear::{Shares, following};
use crate::list::allow_direct;
use crate::page::render;
use crate::problem::Problem;
use crate::shell::{Here, Library, Shell};
use crate::visitor::Visitor;
use crate::words::Words;
use ask::{Answer, Question, Span};
use askama::Template;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::Timestamp;
use pane::Pane;
use rank::buzz::{Following, KeyId};
use serde::Deserialize;
use std::sync::Arc;
use view::{Empty, LinkView, WordView};

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Asked {
    /// `today` or `week`.
    window: Option<String>,
    /// The open word or link, as [`key_text`] writes it.
    open: Option<String>,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let library = Library::load(&app, &visitor).await?;
    let span = Span::parse(asked.window.as_deref());
    let open = asked.open.as_deref().and_then(read_key);
    let shares = app.ear.shares(&app, visitor.id(), visitor.now()).await?;
    let heard = hear(&app, &library, &shares, visitor.now(), span, open).await?;
    let shell = Shell::load(&app, &visitor, &headers, &library, Here::Buzz).await?;
    let maker = view::Maker { app: &app, visitor: &visitor, library: &library, span, open };
    let w = visitor.words;
    let (answer, is_whole) = match heard {
        Some((answer, is_whole)) => (Some(answer), is_whole),
        None => (None, false),
    };
    let (words, links, pane) = match &answer {
        Some(answer) => {
            let pane = match (&answer.open, open) {
                (Some(opened), _) => Some(Pane::load(&maker, opened).await?),
                (None, Some(_)) => Some(Pane::gone(&maker)),
                (None, None) => None,
            };
            (maker.words(&answer.words), maker.links(&answer.links).await?, pane)
        }
        None => Default::default(),
    };
    let page = BuzzPage {
        lede: maker.lede(answer.as_ref().map(|answer| answer.words.as_slice()).unwrap_or_default()),
        empty: Empty::of(&maker, answer.is_some(), words.is_empty() && links.is_empty()),
        note: (answer.is_some() && !is_whole).then_some(w.buzz.reading),
        over: if span == Span::Today { w.buzz.last_24_h } else { w.buzz.last_7_days },
        today: maker.address(Span::Today, open),
        week: maker.address(Span::Week, open),
        is_week: span == Span::Week,
        words: &words,
        links: &links,
        pane: &pane,
        shell: &shell,
        w,
    };
    let mut response = render(StatusCode::OK, &page);
    allow_direct(&mut response, &visitor);
    Ok(response)
}

/// Asks the index for one person; none before there is one.
pub(crate) async fn hear(
    app: &App,
    library: &Library,
    shares: &Shares,
    now: Timestamp,
    span: Span,
    open: Option<KeyId>,
) -> Result<Option<(Answer, bool)>, Problem> {
    hear_as(app, following(library.feeds.values(), shares), now, span, open).await
}

pub(crate) async fn hear_as(
    app: &App,
    following: Vec<Following>,
    now: Timestamp,
    span: Span,
    open: Option<KeyId>,
) -> Result<Option<(Answer, bool)>, Problem> {
    let question = Question { span, open, now_s: now.seconds() };
    app.ear.ask(app, move |buzz, sums| ask::ask(buzz, sums, &following, question)).await
}

/// A key as addresses have it.
pub(crate) fn key_text(key: KeyId) -> String {
    format!("{:016x}", key.0)
}

pub(crate) fn read_key(text: &str) -> Option<KeyId> {
    (text.len() == 16).then(|| u64::from_str_radix(text, 16).ok().map(KeyId)).flatten()
}

#[derive(Template)]
#[template(path = "buzz.html")]
struct BuzzPage<'a> {
    shell: &'a Shell,
    w: &'static Words,
    lede: String,
    note: Option<&'static str>,
    empty: Option<Empty>,
    /// Over which time the small pictures go.
    over: &'static str,
    today: String,
    week: String,
    is_week: bool,
    words: &'a [WordView],
    links: &'a [LinkView],
    pane: &'a Option<Pane>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_in_an_address_is_read_back_and_anything_else_is_none() {
        for key in [0, 7, u64::MAX] {
            assert_eq!(read_key(&key_text(KeyId(key))), Some(KeyId(key)));
        }
        for odd in ["", "7", "zzzzzzzzzzzzzzzz", "00000000000000000", "+000000000000001"] {
            assert!(read_key(odd).is_none_or(|key| key_text(key) != odd), "{odd}");
        }
    }
}
