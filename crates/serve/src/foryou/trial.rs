//! `/foryou/trial`: two rankers in one list, blind, and who is ahead (003 §3.4.2).
//!
//! While a trial goes on For you has rows of both, drafted like two teams ([`rank::interleave`]), and says of none why it
//! is there. What is opened counts for the side whose row it was, as long as the list is still held in memory; what is
//! not, is not counted, for either side. The interval holds however often one looks ([`rank::Trial`]).

use crate::App;
use crate::foryou::{ForYou, Pin, Ranker};
use crate::own_path::OwnPath;
use crate::page::render;
use crate::problem::Problem;
use crate::shell::{Here, Library, Shell};
use crate::visitor::Visitor;
use crate::words::{Words, fill};
use askama::Template;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::{Extension, Form};
use domain::interaction::{Interaction, InteractionKind};
use domain::{ItemId, Timestamp, UserId};
use rank::{Act, Candidate, Explorer, Side, Told, Trial, outcomes};
use serde::Deserialize;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;
use store::Traits;

/// What the paper's ranker learns from at most.
const DONE_MAX: u32 = 5_000;
/// As many as the store answers at once.
const ITEMS_AT_ONCE: usize = 1_000;

/// The two of a trial under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mix {
    pub(crate) one: Ranker,
    pub(crate) other: Ranker,
    seed: u64,
}

impl Mix {
    /// Dice of their own for every list.
    pub(crate) fn seed(self, pin: Pin) -> u64 {
        self.seed ^ pin.at.micros().cast_unsigned()
    }
}

impl Ranker {
    const ALL: [Ranker; 3] = [Ranker::ForYou, Ranker::Explore, Ranker::Newest];

    /// As it is stored.
    const fn key(self) -> &'static str {
        match self {
            Ranker::ForYou => "wellread",
            Ranker::Explore => "ee-10",
            Ranker::Newest => "newest",
        }
    }

    fn of_key(key: &str) -> Option<Ranker> {
        Ranker::ALL.into_iter().find(|ranker| ranker.key() == key)
    }

    const fn name(self, w: &'static Words) -> &'static str {
        match self {
            Ranker::ForYou => w.trial.ranker_wellread,
            Ranker::Explore => w.trial.ranker_explore,
            Ranker::Newest => w.trial.ranker_newest,
        }
    }
}

/// The trial that a list of this moment belongs to.
pub(crate) async fn running(app: &App, user: UserId, at: Timestamp) -> Result<Option<Mix>, Problem> {
    let row = app.store.trial(user).await?.filter(|row| row.ended_at.is_none() && row.started_at <= at);
    Ok(row.and_then(|row| {
        let (one, other) = (Ranker::of_key(&row.one)?, Ranker::of_key(&row.other)?);
        Some(Mix { one, other, seed: row.seed })
    }))
}

/// What somebody did until a moment, and what is known of the items.
pub(super) async fn done(
    app: &App,
    user: UserId,
    until: Timestamp,
) -> Result<(Vec<Interaction>, Vec<Traits>), Problem> {
    let done = app.store.done_lately(user, until, DONE_MAX).await?;
    let items: BTreeSet<ItemId> = done.iter().map(|one| one.item).collect();
    let items: Vec<ItemId> = items.into_iter().collect();
    let mut known = Vec::with_capacity(items.len());
    for some in items.chunks(ITEMS_AT_ONCE) {
        known.extend(app.store.traits_of(user, some).await?);
    }
    Ok((done, known))
}

/// What the paper's ranker makes of what somebody did.
pub(super) fn explorer(done: &[Interaction], known: &HashMap<ItemId, Candidate>) -> Explorer {
    let told = |one: &Interaction| {
        let act = match one.kind {
            InteractionKind::Impression => Act::Pass,
            InteractionKind::Open => {
                Act::Open { dwell: one.dwell_ms.map(Duration::from_millis), scrolled: None }
            }
            InteractionKind::Star | InteractionKind::Tag | InteractionKind::Share => Act::Keep,
            InteractionKind::Hide => Act::Less,
            _ => return None,
        };
        let on_screen = (one.kind == InteractionKind::Impression).then_some(true);
        Some(Told { item: one.item, act, row: one.position, on_screen })
    };
    let told: Vec<Told> = done.iter().filter_map(told).collect();
    let mut explorer = Explorer::default();
    explorer.learn(&outcomes(&told), known);
    explorer
}

#[derive(Debug, Deserialize)]
pub(crate) struct Chosen {
    #[serde(default)]
    one: String,
    #[serde(default)]
    other: String,
}

pub(crate) async fn start(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Form(form): Form<Chosen>,
) -> Result<Response, Problem> {
    let both = Ranker::of_key(&form.one).zip(Ranker::of_key(&form.other));
    let Some((one, other)) = both.filter(|(one, other)| one != other) else {
        return page(&app, &visitor, &headers, StatusCode::UNPROCESSABLE_ENTITY, true).await;
    };
    app.store.start_trial(visitor.id(), one.key(), other.key(), rand::random(), visitor.now()).await?;
    Ok(OwnPath::parse(&app.base_path, "/foryou/trial").redirect())
}

pub(crate) async fn end(
    State(app): State<Arc<App>>,
    Extension(foryou): Extension<Arc<ForYou>>,
    visitor: Visitor,
) -> Result<Response, Problem> {
    app.store.end_trial(visitor.id(), visitor.now()).await?;
    foryou.forget_trial(visitor.id());
    Ok(OwnPath::parse(&app.base_path, "/foryou/trial").redirect())
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    page(&app, &visitor, &headers, StatusCode::OK, false).await
}

struct Row {
    name: &'static str,
    clicks: String,
    wins: String,
    is_winner: bool,
}

/// How it stands.
struct Standing {
    since: String,
    is_over: bool,
    rows: [Row; 2],
    interval: String,
    verdict: String,
}

struct Choice {
    key: &'static str,
    name: &'static str,
    is_first: bool,
    is_second: bool,
}

async fn page(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    status: StatusCode,
    is_wrong: bool,
) -> Result<Response, Problem> {
    let (w, t) = (visitor.words, &visitor.words.trial);
    let library = Library::load(app, visitor).await?;
    let shell = Shell::load(app, visitor, headers, &library, Here::ForYou).await?;
    let (row, lists) = (app.store.trial(visitor.id()).await?, app.store.trial_lists(visitor.id()).await?);
    let standing = row.and_then(|row| {
        let both = [Ranker::of_key(&row.one)?, Ranker::of_key(&row.other)?];
        let mut trial = Trial::default();
        lists.iter().for_each(|(one, other)| trial.tell(*one, *other));
        let verdict = trial.verdict();
        let side = |nth: usize, side: Side| Row {
            name: both[nth].name(w),
            clicks: w.number(verdict.clicks[nth]),
            wins: w.number(u64::from(verdict.wins[nth])),
            is_winner: verdict.winner == Some(side),
        };
        let percent = |share: f64| format!("{:.0}", 100.0 * share);
        let winner = verdict.winner.map(|side| both[usize::from(side == Side::Other)].name(w));
        Some(Standing {
            since: fill(t.since, &[("when", &visitor.clock.full(row.started_at))]),
            is_over: row.ended_at.is_some(),
            rows: [side(0, Side::One), side(1, Side::Other)],
            interval: fill(
                t.interval,
                &[
                    ("name", &both[0].name(w)),
                    ("low", &percent(verdict.interval.0)),
                    ("high", &percent(verdict.interval.1)),
                ],
            ),
            verdict: match winner {
                Some(name) => fill(t.winner, &[("name", &name)]),
                None => w.count(t.open, u64::from(verdict.lists)),
            },
        })
    });
    let choice = |ranker: Ranker| Choice {
        key: ranker.key(),
        name: ranker.name(w),
        is_first: ranker == Ranker::ForYou,
        is_second: ranker == Ranker::Explore,
    };
    let page = TrialPage { shell: &shell, w, standing, choices: Ranker::ALL.map(choice), is_wrong };
    Ok(render(status, &page))
}

#[derive(Template)]
#[template(path = "trial.html")]
struct TrialPage<'a> {
    shell: &'a Shell,
    w: &'static Words,
    standing: Option<Standing>,
    choices: [Choice; 3],
    is_wrong: bool,
}
