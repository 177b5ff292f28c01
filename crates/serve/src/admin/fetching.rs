//! What is fetched at all: the emergency stop (N29), the budget, and publishers who want to be left alone (N26).
//!
//! The values are settings of the store, so that every node obeys them; the working side looks every few seconds.

use super::{Told, page};
use crate::App;
use crate::discover::POPULAR_SETTING;
use crate::own_path::OwnPath;
use crate::problem::Problem;
use crate::visitor::Visitor;
use crate::words::fill;
use axum::Form;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::planning::NOVELTY_SETTING;
use serde::Deserialize;
use std::sync::Arc;

/// Mean polls per feed and day; not set, the settings file counts.
pub const BUDGET_SETTING: &str = "budget";
/// Hosts that are never fetched, one per line.
pub const OPTED_OUT_SETTING: &str = "opted-out";
const BUDGET_LEAST: f64 = 0.1;
const BUDGET_MOST: f64 = 288.0;
const HOSTS_MAX: usize = 1_000;

/// The budget as it is stored; None for what is no budget.
pub fn read_budget(text: &str) -> Option<f64> {
    let budget: f64 = text.trim().replace(',', ".").parse().ok()?;
    (BUDGET_LEAST..=BUDGET_MOST).contains(&budget).then_some(budget)
}

#[derive(Debug, Deserialize)]
pub(crate) struct Halt {
    halted: bool,
}

pub(crate) async fn halt(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Form(form): Form<Halt>,
) -> Result<Response, Problem> {
    app.store.set_halted(form.halted).await?;
    tracing::warn!(user.id = %visitor.id(), halted = form.halted, "an administrator switched fetching");
    app.errands.wake();
    let said = if form.halted { "halted" } else { "resumed" };
    Ok(OwnPath::parse(&app.base_path, &format!("/admin?said={said}")).redirect())
}

#[derive(Debug, Deserialize)]
pub(crate) struct Budget {
    #[serde(default)]
    budget: String,
}

pub(crate) async fn set_budget(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Form(form): Form<Budget>,
) -> Result<Response, Problem> {
    let value = match form.budget.trim() {
        "" => None,
        text => match read_budget(text) {
            Some(budget) => Some(budget.to_string()),
            None => {
                let told =
                    Told { budget: Some(visitor.words.admin.budget_wrong.to_owned()), ..Told::default() };
                return page(&app, &visitor, &headers, StatusCode::UNPROCESSABLE_ENTITY, told).await;
            }
        },
    };
    app.store.set_setting(BUDGET_SETTING, value.as_deref()).await?;
    Ok(OwnPath::parse(&app.base_path, "/admin?said=saved").redirect())
}

#[derive(Debug, Deserialize)]
pub(crate) struct Novelty {
    #[serde(default)]
    novelty: bool,
}

/// Whether posts that repeat other feeds count less; plans follow within a day.
pub(crate) async fn set_novelty(
    State(app): State<Arc<App>>,
    Form(form): Form<Novelty>,
) -> Result<Response, Problem> {
    app.store.set_setting(NOVELTY_SETTING, form.novelty.then_some("on")).await?;
    Ok(OwnPath::parse(&app.base_path, "/admin?said=saved").redirect())
}

#[derive(Debug, Deserialize)]
pub(crate) struct OptedOut {
    #[serde(default)]
    hosts: String,
}

pub(crate) async fn set_opted_out(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Form(form): Form<OptedOut>,
) -> Result<Response, Problem> {
    let a = &visitor.words.admin;
    let hosts = match read_hosts(&form.hosts) {
        Ok(hosts) if hosts.len() <= HOSTS_MAX => hosts,
        refused => {
            let sentence = match refused {
                Err(host) => fill(a.opted_out_wrong, &[("host", &host)]),
                Ok(_) => visitor.words.count(a.opted_out_many, HOSTS_MAX as u64),
            };
            let told = Told { opted_out: Some(sentence), hosts: Some(form.hosts), ..Told::default() };
            return page(&app, &visitor, &headers, StatusCode::UNPROCESSABLE_ENTITY, told).await;
        }
    };
    let text = hosts.join("\n");
    app.store.set_setting(OPTED_OUT_SETTING, (!text.is_empty()).then_some(text.as_str())).await?;
    // Here at once; other nodes look every few seconds.
    app.fetcher_door.opt_outs().set(hosts);
    Ok(OwnPath::parse(&app.base_path, "/admin?said=saved").redirect())
}

#[derive(Debug, Deserialize)]
pub(crate) struct Popular {
    /// A box that is not ticked is not sent.
    #[serde(default)]
    shown: String,
}

/// Whether people are shown what many here follow.
pub(crate) async fn set_popular(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Form(form): Form<Popular>,
) -> Result<Response, Problem> {
    let is_shown = !form.shown.is_empty();
    app.store.set_setting(POPULAR_SETTING, (!is_shown).then_some("off")).await?;
    tracing::info!(user.id = %visitor.id(), is_shown, "an administrator decided on what is popular");
    Ok(OwnPath::parse(&app.base_path, "/admin?said=saved").redirect())
}

/// Hosts, normalised; a whole address is read as its host. Err names what is none.
fn read_hosts(text: &str) -> Result<Vec<String>, String> {
    let mut hosts = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()) {
        let whole = if word.contains("://") { word.to_owned() } else { format!("http://{word}/") };
        let host = url::Url::parse(&whole).ok().and_then(|url| url.host_str().map(str::to_owned));
        let host =
            host.filter(|host| !host.is_empty()).ok_or_else(|| word.chars().take(100).collect::<String>())?;
        hosts.push(host.trim_end_matches('.').to_owned());
    }
    hosts.sort_unstable();
    hosts.dedup();
    Ok(hosts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n26_hosts_are_read_from_lines_and_addresses() {
        let read = read_hosts(" Example.org\nhttps://blog.example.com/feed?x=1, example.org.\r\nbücher.test")
            .expect("hosts");
        assert_eq!(read, ["blog.example.com", "example.org", "xn--bcher-kva.test"]);
        assert_eq!(read_hosts("fine.test\nho<st"), Err("ho<st".to_owned()));
    }

    #[test]
    fn a_budget_is_a_number_within_its_bounds() {
        assert_eq!(read_budget(" 12 "), Some(12.0));
        assert_eq!(read_budget("0,5"), Some(0.5));
        for odd in ["", "0", "-1", "289", "nan", "inf", "1e9", "twelve"] {
            assert_eq!(read_budget(odd), None, "{odd}");
        }
    }
}
