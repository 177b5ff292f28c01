//! `/admin`: the operator's page. Who reads here, what is fetched and how often, what fails, what takes room.

pub(crate) mod fetching;
pub(crate) mod people;

use crate::App;
use crate::finder::FinderState;
use crate::page::render;
use crate::problem::Problem;
use crate::shell::{Here, Library, Shell};
use crate::visitor::Visitor;
use crate::when::When;
use crate::words::{Words, fill};
use askama::Template;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::planning::NOVELTY_SETTING;
use domain::{FeedState, Timestamp, UserId};
use search::State as IndexState;
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;

/// When the housekeeping ran last, in microseconds; the binary writes it.
pub const HOUSEKEEPING_SETTING: &str = "housekeeping-at";
const DAY: Duration = Duration::from_secs(86_400);
const ROWS: usize = 12;

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Asked {
    #[serde(default)]
    said: String,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let a = &visitor.words.admin;
    let said = match asked.said.as_str() {
        "saved" => Some(visitor.words.common.saved),
        "added" => Some(a.said_added),
        "removed" => Some(a.said_removed),
        "halted" => Some(a.said_halted),
        "resumed" => Some(a.said_resumed),
        _ => None,
    };
    let told = Told { said: said.map(str::to_owned), ..Told::default() };
    page(&app, &visitor, &headers, StatusCode::OK, told).await
}

/// What the page says about the form that led to it.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) said: Option<String>,
    /// About somebody in the list.
    pub(crate) wrong: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) password: Option<String>,
    pub(crate) budget: Option<String>,
    pub(crate) opted_out: Option<String>,
    /// What was typed into the list of hosts.
    pub(crate) hosts: Option<String>,
    /// A one-time link with the sentence before it.
    pub(crate) link: Option<(String, String)>,
}

pub(crate) async fn page(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    status: StatusCode,
    told: Told,
) -> Result<Response, Problem> {
    let library = Library::load(app, visitor).await?;
    let shell = Shell::load(app, visitor, headers, &library, Here::Admin).await?;
    let w = visitor.words;
    let server = Server::load(app, visitor).await?;
    let hosts = match &told.hosts {
        Some(typed) => typed.clone(),
        None => app.store.setting(fetching::OPTED_OUT_SETTING).await?.unwrap_or_default(),
    };
    let shows_popular = crate::discover::shows_popular(app).await?;
    let page = AdminPage {
        people: people::rows(app, visitor).await?,
        halted: app.store.halted().await?,
        budget: app.store.setting(fetching::BUDGET_SETTING).await?.unwrap_or_default(),
        novelty: app.store.setting(NOVELTY_SETTING).await?.as_deref() == Some("on"),
        budget_hint: fill(w.admin.budget_hint, &[("n", &w.decimal(app.fetcher.polls_per_day))]),
        shows_popular,
        server: &server,
        shell: &shell,
        told: &told,
        w,
        hosts,
    };
    Ok(render(status, &page))
}

struct PersonRow {
    id: UserId,
    name: String,
    feeds: String,
    unread: String,
    sessions: String,
    last_seen: Option<When>,
    is_admin: bool,
    is_disabled: bool,
    is_invited: bool,
    is_you: bool,
    change_label: String,
    remove_hint: String,
}

/// What the server did and has.
struct Server {
    lede: String,
    chart: Chart,
    providers: Vec<ProviderRow>,
    more_providers: Option<String>,
    jobs: Vec<Job>,
    tally: String,
    errors_title: String,
    errors: Vec<ErrorRow>,
    disk_title: String,
    disk_items: String,
    disk: Vec<DiskRow>,
}

struct ProviderRow {
    provider: String,
    feeds: String,
    polls: String,
    failures: String,
    is_bad: bool,
}

struct Job {
    name: &'static str,
    last: String,
    next: String,
}

struct ErrorRow {
    name: String,
    sentence: String,
    since: Option<When>,
    /// None when the publisher has said that it is gone for good.
    again: Option<When>,
    followers: String,
}

struct DiskRow {
    url: String,
    items: String,
    size: String,
}

/// Bars of one day, with the finding as their title.
struct Chart {
    finding: String,
    bars: Vec<Bar>,
    most: String,
}

struct Bar {
    x: usize,
    height: u64,
    failed: u64,
    hour: String,
    polls: String,
    with_new: String,
    failed_text: String,
    has_label: bool,
}

impl Server {
    async fn load(app: &App, visitor: &Visitor) -> Result<Server, Problem> {
        let (w, a, now) = (visitor.words, &visitor.words.admin, visitor.now());
        let store = &app.store;
        let overview = store.server_overview(now).await?;
        let lede = fill(
            a.lede,
            &[
                ("users", &w.count(a.n_users, overview.users)),
                ("feeds", &w.count(a.n_feeds, overview.feeds)),
                ("items", &w.count(a.n_items, overview.items)),
                ("polls", &w.count(a.n_polls, overview.polls_today)),
                ("new", &w.count(a.n_new, overview.new_today)),
            ],
        );
        let counts = store.provider_counts(now.saturating_sub(DAY)).await?;
        let more = u64::try_from(counts.len().saturating_sub(ROWS)).unwrap_or(0);
        let provider = |one: &store::ProviderCount| ProviderRow {
            provider: one.provider.clone(),
            feeds: w.number(one.feeds),
            polls: w.number(one.polls),
            failures: w.number(one.failures),
            is_bad: one.failures.saturating_mul(2) > one.polls,
        };
        let errors_title = if overview.failing == 0 {
            a.errors_none.to_owned()
        } else {
            w.count(a.errors, overview.failing)
        };
        let disk = store.disk_by_feed(u32::try_from(ROWS).unwrap_or(10)).await?;
        Ok(Server {
            lede,
            chart: chart(&store.polls_by_hour(now.saturating_sub(DAY)).await?, visitor),
            providers: counts.iter().take(ROWS).map(provider).collect(),
            more_providers: (more > 0).then(|| w.count(a.other_providers, more)),
            jobs: jobs(app, visitor).await?,
            tally: tally(app, w),
            errors_title,
            errors: errors(app, visitor).await?,
            disk_title: fill(a.disk, &[("size", &size(store.database_bytes().await?, w))]),
            disk_items: fill(a.disk_items, &[("size", &size(overview.bytes, w))]),
            disk: disk
                .into_iter()
                .map(|one| DiskRow { url: one.url, items: w.number(one.items), size: size(one.bytes, w) })
                .collect(),
        })
    }
}

/// Bytes for people: 3.2 MB.
pub(crate) fn size(bytes: u64, w: &'static Words) -> String {
    const STEP: f64 = 1_000.0;
    let mut value = bytes as f64;
    for unit in ["B", "kB", "MB", "GB"] {
        if value < STEP {
            return if unit == "B" { format!("{bytes} B") } else { format!("{} {unit}", w.decimal(value)) };
        }
        value /= STEP;
    }
    format!("{} TB", w.decimal(value))
}

async fn errors(app: &App, visitor: &Visitor) -> Result<Vec<ErrorRow>, Problem> {
    let w = visitor.words;
    let failing = app.store.failing_feeds(u32::try_from(ROWS).unwrap_or(10)).await?;
    Ok(failing
        .into_iter()
        .map(|one| ErrorRow {
            name: one.feed.facts.title.filter(|title| !title.trim().is_empty()).unwrap_or(one.feed.url),
            sentence: one.sentence.map_or_else(|| w.common.unknown.to_owned(), |sentence| w.told(&sentence)),
            since: one.failing_since.map(|at| visitor.clock.ago(at)),
            again: (one.feed.state != FeedState::Gone).then(|| visitor.clock.ahead(one.next_poll_at)),
            followers: w.number(u64::from(one.subscribers)),
        })
        .collect())
}

async fn jobs(app: &App, visitor: &Visitor) -> Result<Vec<Job>, Problem> {
    const ICONS_LOOKED_AT: u32 = 100;
    let (w, a, now) = (visitor.words, &visitor.words.admin, visitor.now());
    let store = &app.store;
    let overdue = store.overdue(now).await?;
    let next = match store.next_due_at(now).await? {
        Some(at) => visitor.clock.ahead(at).short,
        None => w.common.no_check.to_owned(),
    };
    let icons = u64::try_from(store.icons_due(now, ICONS_LOOKED_AT).await?.len()).unwrap_or(0);
    let kept: Option<i64> = store.setting(HOUSEKEEPING_SETTING).await?.and_then(|text| text.parse().ok());
    let kept = kept.map(|at| visitor.clock.ago(Timestamp::from_micros(at)).full);
    let learned = store.jobs().await?;
    let learning = |key: &str, name: &'static str, often: &'static str| {
        let done = learned.iter().find(|(job, _)| job == key).and_then(|(_, at)| *at);
        let last = done.map_or_else(|| w.common.never.to_owned(), |at| visitor.clock.ago(at).full);
        Job { name, last, next: often.to_owned() }
    };
    Ok(vec![
        Job { name: a.job_polls, last: w.count(a.overdue, overdue), next },
        Job { name: a.job_icons, last: w.count(a.job_icons_due, icons), next: String::new() },
        Job {
            name: a.job_keep,
            last: kept.unwrap_or_else(|| w.common.never.to_owned()),
            next: a.job_hourly.to_owned(),
        },
        learning("habits", a.job_habits, a.job_daily),
        learning("population", a.job_population, a.job_daily),
        learning("frontier", a.job_frontier, a.job_hourly),
        Job { name: a.job_digest, last: behind(app, w).await?, next: a.job_always.to_owned() },
        Job { name: a.job_index, last: index_state(app, w), next: a.job_always.to_owned() },
    ])
}

/// How many items have not been learned from yet; numbers that no item has count too.
async fn behind(app: &App, w: &'static Words) -> Result<String, Problem> {
    let behind = app.store.newest_item().await?.0 - app.store.learned_to().await?.0;
    Ok(match u64::try_from(behind) {
        Ok(behind) if behind > 0 => w.count(w.admin.job_behind, behind),
        _ => w.admin.job_in_step.to_owned(),
    })
}

fn index_state(app: &App, w: &'static Words) -> String {
    match app.finder.state() {
        FinderState::Opening => w.admin.job_opening.to_owned(),
        FinderState::Unavailable(trouble) => trouble,
        FinderState::Ready(IndexState::Whole) => w.admin.job_in_step.to_owned(),
        FinderState::Ready(IndexState::Rebuilding { done, of }) => {
            fill(w.admin.job_building, &[("done", &w.number(done)), ("of", &w.number(of))])
        }
        FinderState::Ready(IndexState::Damaged) => w.admin.job_opening.to_owned(),
    }
}

fn tally(app: &App, w: &'static Words) -> String {
    let tally = app.errands.tally();
    fill(
        w.admin.since_start,
        &[
            ("polls", &w.number(tally.polls)),
            ("failed", &w.number(tally.failures)),
            ("bytes", &size(tally.wire_bytes, w)),
        ],
    )
}

const BARS: usize = 24;
const BAR_STEP: usize = 28;
const BAR_HEIGHT: u64 = 96;

fn chart(hours: &[(Timestamp, u64, u64, u64)], visitor: &Visitor) -> Chart {
    const HOUR: u64 = 3_600;
    let (w, a) = (visitor.words, &visitor.words.admin);
    let this_hour =
        Timestamp::from_seconds(visitor.now().seconds().div_euclid(HOUR.cast_signed()) * HOUR.cast_signed());
    let most = hours.iter().map(|(_, polls, ..)| *polls).max().unwrap_or(0).max(1);
    let bars = (0..BARS)
        .map(|place| {
            let back = u64::try_from(BARS - 1 - place).unwrap_or(0) * HOUR;
            let at = this_hour.saturating_sub(Duration::from_secs(back));
            let found = hours.iter().find(|(hour, ..)| *hour == at);
            let (polls, with_new, failed) =
                found.map_or((0, 0, 0), |(_, polls, new, failed)| (*polls, *new, *failed));
            let scaled = |n: u64| n.saturating_mul(BAR_HEIGHT).checked_div(most).unwrap_or(0);
            Bar {
                x: place * BAR_STEP,
                height: scaled(polls).max(u64::from(polls > 0)),
                failed: scaled(failed),
                hour: visitor.clock.clock(at),
                polls: w.number(polls),
                with_new: w.number(with_new),
                failed_text: w.number(failed),
                has_label: place % 6 == 5,
            }
        })
        .collect();
    Chart { finding: finding(hours, w), bars, most: fill(a.most_at, &[("n", &w.number(most))]) }
}

fn finding(hours: &[(Timestamp, u64, u64, u64)], w: &'static Words) -> String {
    const WORTH_SAYING: u64 = 10;
    let sum = |pick: fn(&(Timestamp, u64, u64, u64)) -> u64| hours.iter().map(pick).sum::<u64>();
    let (polls, new, failed) = (sum(|hour| hour.1), sum(|hour| hour.2), sum(|hour| hour.3));
    let percent = |n: u64| n.saturating_mul(100).checked_div(polls).unwrap_or(0);
    match (polls, percent(failed)) {
        (0, _) => w.admin.chart_none.to_owned(),
        (_, share) if share >= WORTH_SAYING => w.count(w.admin.chart_failed, share),
        _ => w.count(w.admin.chart_new, percent(new)),
    }
}

#[derive(Template)]
#[template(path = "admin.html")]
struct AdminPage<'a> {
    shell: &'a Shell,
    w: &'static Words,
    told: &'a Told,
    server: &'a Server,
    people: Vec<PersonRow>,
    halted: bool,
    budget: String,
    novelty: bool,
    budget_hint: String,
    hosts: String,
    shows_popular: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::preferences::Language;

    #[test]
    fn sizes_are_short() {
        let w = Words::of(Language::English);
        assert_eq!(size(0, w), "0 B");
        assert_eq!(size(999, w), "999 B");
        assert_eq!(size(1_234_567, w), "1.2 MB");
        assert_eq!(size(u64::MAX, Words::of(Language::German)), "18446744,1 TB");
    }

    #[test]
    fn the_chart_says_what_matters() {
        let w = Words::of(Language::English);
        let at = Timestamp::from_seconds(0);
        assert_eq!(finding(&[], w), "Nothing was polled in the last 24 hours");
        assert_eq!(finding(&[(at, 50, 10, 20), (at, 50, 9, 0)], w), "20 % of the polls failed");
        assert_eq!(finding(&[(at, 100, 19, 3)], w), "19 % of the polls brought something new");
    }
}
