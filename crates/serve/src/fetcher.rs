//! The page for publishers: who fetches their feed, how often, and how to make it stop (N2).

use crate::App;
use crate::admin::fetching::{BUDGET_SETTING, read_budget};
use crate::page::{Frame, render};
use crate::problem::Problem;
use crate::words::Words;
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use domain::preferences::Language;
use std::sync::Arc;

/// What the page says about this server's fetcher; the binary fills it from the same settings the fetcher obeys.
#[derive(Debug, Clone, PartialEq)]
pub struct FetcherFacts {
    /// As sent, without the parts that differ per feed.
    pub user_agent: String,
    /// An e-mail address or a web address of the operator.
    pub contact: Option<String>,
    pub polls_per_day: f64,
    pub floor_minutes: u64,
    /// For feeds that post often and answer conditional requests.
    pub fast_floor_minutes: u64,
    pub spacing_seconds: u64,
}

impl FetcherFacts {
    /// The defaults of the planner.
    pub fn new(user_agent: impl Into<String>) -> Self {
        FetcherFacts {
            user_agent: user_agent.into(),
            contact: None,
            polls_per_day: 12.0,
            floor_minutes: 60,
            fast_floor_minutes: 15,
            spacing_seconds: 2,
        }
    }

    /// Where the contact leads, when it is something a browser may follow.
    fn contact_link(&self) -> Option<String> {
        let contact = self.contact.as_deref()?;
        if contact.starts_with("https://") || contact.starts_with("http://") {
            Some(contact.to_owned())
        } else if contact.contains('@') && !contact.contains([':', '/', '?', '&', ' ']) {
            Some(format!("mailto:{contact}"))
        } else {
            None
        }
    }
}

pub(crate) async fn about(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    let frame = Frame::new(&app.base_path, Words::of(Language::English));
    let link = app.fetcher.contact_link();
    let mut facts = app.fetcher.clone();
    // What an administrator has set since counts.
    if let Some(budget) = app.store.setting(BUDGET_SETTING).await?.as_deref().and_then(read_budget) {
        facts.polls_per_day = budget;
    }
    Ok(render(StatusCode::OK, &AboutFetcher { frame: &frame, facts: &facts, link: link.as_deref() }))
}

#[derive(Template)]
#[template(path = "about-fetcher.html")]
struct AboutFetcher<'a> {
    frame: &'a Frame,
    facts: &'a FetcherFacts,
    link: Option<&'a str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a8_a_contact_is_a_link_only_to_the_web_or_to_a_mailbox() {
        let link = |contact: &str| {
            FetcherFacts { contact: Some(contact.into()), ..FetcherFacts::new("Wellread/0.1") }.contact_link()
        };
        assert_eq!(link("ops@example.org").as_deref(), Some("mailto:ops@example.org"));
        assert_eq!(link("https://example.org/ops").as_deref(), Some("https://example.org/ops"));
        for text in
            ["javascript:alert(1)", "//evil", "/\\evil", "https:evil", "a@b?bcc=c", "Room 4, ask for Mira"]
        {
            assert_eq!(link(text), None, "{text}");
        }
    }
}
