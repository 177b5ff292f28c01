//! `/popular`: what many people of this server opened lately.
//!
//! Nobody is named and nothing below five people is known (A10); even then only a round number is shown, so that one
//! person more or less cannot be read off it. An administrator can switch it off, and everybody can leave themselves
//! out.

use crate::App;
use crate::discover::shows_popular;
use crate::friends::title;
use crate::item::is_web;
use crate::own_path::OwnPath;
use crate::page::render;
use crate::problem::Problem;
use crate::shell::{Here, Library, Shell};
use crate::visitor::Visitor;
use crate::when::When;
use crate::words::Words;
use askama::Template;
use axum::Form;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;

const DAYS: u64 = 3;
const ROWS: u32 = 50;
/// The round numbers that are told.
const STEPS: [u64; 8] = [5, 10, 20, 50, 100, 200, 500, 1_000];

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let w = visitor.words;
    let library = Library::load(&app, &visitor).await?;
    let shell = Shell::load(&app, &visitor, &headers, &library, Here::Discover).await?;
    let is_shown = shows_popular(&app).await?;
    let since = visitor.now().saturating_sub(Duration::from_secs(DAYS * 86_400));
    let found = if is_shown { app.store.popular_items(visitor.id(), since, ROWS).await? } else { Vec::new() };
    let row = |one: store::PopularItem| Row {
        title: title(one.title.as_deref(), one.excerpt.as_deref(), w),
        href: one.is_followed.then(|| format!("{}/feed/{}?item={}", app.base_path, one.feed, one.item)),
        link: one.link.filter(|link| is_web(link)),
        source: library.name(one.feed).unwrap_or(one.feed_title),
        excerpt: one.excerpt,
        people: w.count(w.friends.popular_people, at_least(one.people)),
        when: visitor.clock.ago(one.sort_at),
    };
    let page = PopularPage {
        shell: &shell,
        w,
        lede: w.count(w.friends.popular_lede, DAYS),
        is_shown,
        rows: found.into_iter().map(row).collect(),
        counts_me: app.store.counts_opens(visitor.id()).await?,
    };
    Ok(render(StatusCode::OK, &page))
}

#[derive(Debug, Deserialize)]
pub(crate) struct Count {
    /// A box that is not ticked is not sent.
    #[serde(default)]
    counted: String,
}

/// Whether one's own opens count.
pub(crate) async fn count(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Form(form): Form<Count>,
) -> Result<Response, Problem> {
    app.store.set_counts_opens(visitor.id(), !form.counted.is_empty()).await?;
    Ok(OwnPath::parse(&app.base_path, "/popular").redirect())
}

/// The largest round number that is reached.
fn at_least(people: u64) -> u64 {
    STEPS.into_iter().rfind(|step| *step <= people).unwrap_or(STEPS[0])
}

struct Row {
    title: String,
    href: Option<String>,
    link: Option<String>,
    source: String,
    excerpt: Option<String>,
    people: String,
    when: When,
}

#[derive(Template)]
#[template(path = "popular.html")]
struct PopularPage<'a> {
    shell: &'a Shell,
    w: &'static Words,
    lede: String,
    is_shown: bool,
    rows: Vec<Row>,
    counts_me: bool,
}

#[cfg(test)]
mod tests {
    use super::at_least;

    #[test]
    fn a10_only_round_numbers_are_told() {
        assert_eq!([5, 9, 10, 19, 99, 5_000].map(at_least), [5, 5, 10, 10, 50, 1_000]);
    }
}
