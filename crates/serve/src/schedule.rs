//! `/schedule`: what polls are spent on, what they give, and what more or fewer would.
//!
//! The frontier is of the whole server and holds only sums; everything else is of the person's own feeds (promise 5).

pub(crate) mod came_true;
mod frontier_view;
mod hours_view;
mod providers_view;

use crate::App;
use crate::admin::fetching::{BUDGET_SETTING, read_budget};
use crate::page::{Frame, render};
use crate::problem::Problem;
use crate::said::{Notice, Said, SaidQuery, Saying, Undo};
use crate::shell::{Here, Library, Shell};
use crate::visitor::Visitor;
use crate::words::Words;
use askama::Template;
use axum::Form;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use came_true::CameTrue;
use domain::planning::FRONTIER_SETTING;
use domain::{AccessHabit, FeedDay, Frontier, Reason};
use frontier_view::FrontierView;
use hours_view::HoursView;
use providers_view::ProvidersView;
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
use store::{DueFeed, HourOfPolls, StoredAttention};

const DAYS_14: Duration = Duration::from_secs(14 * 86_400);

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Query(said): Query<SaidQuery>,
) -> Result<Response, Problem> {
    let library = Library::load(&app, &visitor).await?;
    let shell = Shell::load(&app, &visitor, &headers, &library, Here::Schedule).await?;
    let known = Known::load(&app, &visitor).await?;
    let (w, feeds) = (visitor.words, known.due.len() as u64);
    let page = SchedulePage {
        frame: &shell.frame,
        w,
        notice: &said.notice(&visitor, "/schedule", |feed| library.name(feed)),
        lede: match feeds {
            0 => w.schedule.lede_none.to_owned(),
            feeds => w.count_with(w.schedule.lede, feeds, &[("polls", &amount(known.budget, w))]),
        },
        frontier: FrontierView::of(&known, &visitor),
        can_set: visitor.account.user.is_admin,
        came_true: CameTrue::of(&known.days, &visitor),
        providers: ProvidersView::of(&known, &visitor),
        hours: HoursView::of(&known, &visitor),
        floors: Floors::of(&known.due, w),
        shell: &shell,
    };
    Ok(render(StatusCode::OK, &page))
}

#[derive(Debug, Deserialize)]
pub(crate) struct Wish {
    budget: String,
}

/// An administrator lets the slider go.
pub(crate) async fn set_budget(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Form(wish): Form<Wish>,
) -> Result<Response, Problem> {
    let budget = read_budget(&wish.budget).ok_or_else(Problem::bad_form)?;
    let before = app.store.setting(BUDGET_SETTING).await?.as_deref().and_then(read_budget);
    app.store.set_setting(BUDGET_SETTING, Some(&budget.to_string())).await?;
    tracing::info!(user.id = %visitor.id(), budget, "an administrator set the budget");
    let said = Said { saying: Saying::BudgetSet, n: hundredths(budget), undo: None };
    Ok(said.with(Undo::Budget(before.map(hundredths))).answer(&app, &visitor, &headers, "/schedule"))
}

/// A budget travels in addresses as a whole number.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a budget is at most 288")]
fn hundredths(budget: f64) -> u64 {
    (budget * 100.0).round() as u64
}

/// The budget in force.
pub(crate) async fn budget(app: &App) -> Result<f64, Problem> {
    let set = app.store.setting(BUDGET_SETTING).await?;
    Ok(budget_of(app, set.as_deref()))
}

/// The budget somebody has set, else the configured one.
pub(crate) fn budget_of(app: &App, set: Option<&str>) -> f64 {
    set.and_then(read_budget).unwrap_or(app.fetcher.polls_per_day)
}

/// Everything that is read for the page.
struct Known {
    budget: f64,
    default_budget: f64,
    frontier: Frontier,
    days: Vec<FeedDay>,
    /// Today's.
    polls: Vec<HourOfPolls>,
    due: Vec<DueFeed>,
    learned: Vec<StoredAttention>,
    habit: AccessHabit,
}

impl Known {
    async fn load(app: &App, visitor: &Visitor) -> Result<Known, Problem> {
        let (user, now, store) = (visitor.id(), visitor.now(), &app.store);
        let (frontier, days, polls, due, learned, habit) = tokio::try_join!(
            store.setting(FRONTIER_SETTING),
            store.days_of(user, now.saturating_sub(DAYS_14)),
            store.polls_of(user, visitor.clock.start_of_today()),
            store.due_of(user),
            store.learned_of(user),
            store.habit(user),
        )?;
        Ok(Known {
            budget: budget(app).await?,
            default_budget: app.fetcher.polls_per_day,
            // What another version wrote is worked out anew within the hour.
            frontier: frontier.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default(),
            days,
            polls,
            due,
            learned,
            habit: habit.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default(),
        })
    }
}

type IsReason = fn(&Reason) -> bool;

/// Feeds that would be polled at another time if nobody minded.
struct Floors {
    title: String,
    rows: Vec<(String, &'static str)>,
    ceiling: Option<String>,
}

impl Floors {
    fn of(due: &[DueFeed], w: &'static Words) -> Floors {
        let s = &w.schedule;
        let count = |wanted: IsReason| due.iter().filter(|one| wanted(&one.reason)).count() as u64;
        let kinds: [(IsReason, &'static str); 5] = [
            (|reason| matches!(reason, Reason::OwnFloor { .. }), s.floor_own),
            (|reason| matches!(reason, Reason::PublisherInterval { .. }), s.floor_asked),
            (|reason| matches!(reason, Reason::Fresh), s.floor_fresh),
            (|reason| matches!(reason, Reason::Busy), s.floor_busy),
            (|reason| matches!(reason, Reason::SkipWindow), s.floor_skip),
        ];
        let counted = kinds.map(|(wanted, words)| (count(wanted), words));
        let total = counted.iter().map(|(n, _)| n).sum();
        let rare = count(|reason| matches!(reason, Reason::Maximum { .. }));
        Floors {
            title: if total == 0 { s.floors_none.to_owned() } else { w.count(s.floors, total) },
            rows: counted.iter().filter(|(n, _)| *n > 0).map(|(n, words)| (w.number(*n), *words)).collect(),
            ceiling: (rare > 0).then(|| w.count(s.ceiling, rare)),
        }
    }
}

/// A number of polls: whole where it is whole.
pub(crate) fn amount(polls: f64, w: &Words) -> String {
    if (polls - polls.round()).abs() < 0.05 { format!("{polls:.0}") } else { w.decimal(polls) }
}

/// A delay: minutes up to two hours, then hours.
fn delay(seconds: f64, w: &Words) -> String {
    let minutes = if seconds.is_finite() { seconds.max(0.0) / 60.0 } else { 0.0 };
    if minutes < 119.5 {
        crate::words::fill(w.schedule.minutes, &[("n", &format!("{minutes:.0}"))])
    } else {
        crate::words::fill(w.schedule.hours, &[("n", &amount(minutes / 60.0, w))])
    }
}

#[derive(Template)]
#[template(path = "schedule.html")]
struct SchedulePage<'a> {
    shell: &'a Shell,
    frame: &'a Frame,
    w: &'static Words,
    notice: &'a Option<Notice>,
    lede: String,
    frontier: Option<FrontierView>,
    can_set: bool,
    came_true: CameTrue,
    providers: ProvidersView,
    hours: HoursView,
    floors: Floors,
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::preferences::Language;

    #[test]
    fn delays_are_minutes_then_hours_in_the_persons_language() {
        let (en, de) = (Words::of(Language::English), Words::of(Language::German));
        assert_eq!([31.0, 65.0, 118.0].map(|min| delay(min * 60.0, en)), ["31 min", "65 min", "118 min"]);
        assert_eq!((delay(2.5 * 3600.0, en), delay(2.5 * 3600.0, de)), ("2.5 h".into(), "2,5 h".into()));
        assert_eq!(
            (delay(f64::NAN, en), amount(12.0, en), amount(0.5, de)),
            ("0 min".into(), "12".into(), "0,5".into())
        );
    }
}
