//! A rule tried on what is there: off the async threads, one trial at a time, ended after some seconds (O2).

use crate::App;
use crate::problem::Problem;
use crate::visitor::Visitor;
use domain::{ItemContent, ItemId, Limits, Rule, RuleId, RuleOrder, UserId};
use rules::{BadPattern, Compiled, Subject};
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// "The last 1,000 items."
const ITEMS: u32 = 1_000;
const TRIAL_MAX: Duration = Duration::from_secs(4);
static TRIALS: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(1));

/// What a rule would have done.
#[derive(Debug, Default)]
pub(crate) struct Trial {
    pub(crate) looked_at: u64,
    pub(crate) hits: Vec<ItemId>,
    /// The rule would be switched off for its cost.
    pub(crate) is_over_budget: bool,
    pub(crate) is_cut: bool,
}

/// Whether the rule may be kept; if not, which condition is to blame.
pub(crate) async fn check(app: &App, order: RuleOrder) -> Result<Result<(), (usize, BadPattern)>, Problem> {
    let limits = app.limits.clone();
    tokio::task::spawn_blocking(move || judge(&order, &limits)).await.map_err(|error| Problem::broken(&error))
}

fn judge(order: &RuleOrder, limits: &Limits) -> Result<(), (usize, BadPattern)> {
    let Err(bad) = rules::check(order, limits) else { return Ok(()) };
    let blamed = order.conditions.iter().position(|one| {
        let alone = RuleOrder { conditions: vec![one.clone()], ..order.clone() };
        rules::check(&alone, limits).is_err()
    });
    Err((blamed.unwrap_or(0), bad))
}

pub(crate) async fn run(app: &App, visitor: &Visitor, order: &RuleOrder) -> Result<Trial, Problem> {
    let turn = TRIALS.acquire().await.map_err(|error| Problem::broken(&error))?;
    let items = app.store.recent_items(visitor.id(), order.scope, ITEMS).await?;
    let (order, user, limits) = (order.clone(), visitor.id(), app.limits.clone());
    let trial = tokio::task::spawn_blocking(move || meet(order, user, &items, &limits));
    let trial = trial.await.map_err(|error| Problem::broken(&error))?;
    drop(turn);
    Ok(trial)
}

fn meet(order: RuleOrder, user: UserId, items: &[ItemContent], limits: &Limits) -> Trial {
    let rule = Rule { id: RuleId(0), user, order, enabled: true, notice: None };
    let (compiled, _) = Compiled::new(&[rule], limits);
    let (mut trial, begun) = (Trial::default(), Instant::now());
    for content in items {
        if begun.elapsed() > TRIAL_MAX {
            trial.is_cut = true;
            break;
        }
        let (item, body) = (&content.item, &content.body);
        let text = body.content.as_deref().or(body.summary.as_deref()).unwrap_or_default();
        let text = html::plain_text(text, limits);
        let applied = compiled.apply(&Subject {
            title: item.title.as_deref().unwrap_or_default(),
            text: &text,
            author: item.author.as_deref().unwrap_or_default(),
            link: item.link.as_deref().unwrap_or_default(),
            tags: &body.tags,
            language: body.language.as_deref().unwrap_or_default(),
        });
        trial.looked_at = trial.looked_at.saturating_add(1);
        trial.is_over_budget |= !applied.over_budget.is_empty();
        if !applied.effects.is_empty() {
            trial.hits.push(item.id);
        }
    }
    trial
}
