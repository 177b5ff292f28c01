//! One feed: what it brings, when, what we do to get it and why, and what is wrong with it.

mod profile;
mod river_view;
mod week_view;

use crate::App;
use crate::channels::Channels;
use crate::chart::{self, DayStrip, PastPoll, Planned, PollKind, Svg, Width};
use crate::errands::Refreshed;
use crate::feeds::rate_words;
use crate::getting_in::{FolderChoice, folder_choices};
use crate::health_words::{Trouble, trouble};
use crate::page::{Frame, render};
use crate::problem::Problem;
use crate::reason_words::because;
use crate::said::{Notice, Said, SaidQuery, Saying, soon};
use crate::schedule::came_true::CameTrue;
use crate::shell::{Here, Icon, Library, Shell, name_of};
use crate::visitor::{Visitor, wants_json};
use crate::when::When;
use crate::words::{Words, fill};
use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Form, Json};
use domain::{AccessHabit, FeedDay, FeedId, FeedState, PollOutcome, PollRecord, Timestamp};
use profile::ProfileView;
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
use store::{FeedSchedule, ListQuery, ListRow, Order, Scope, SubscribedFeed};
use week_view::{Texts, WeekView};

const DAY: Duration = Duration::from_secs(86_400);
const WEEKS_8: Duration = Duration::from_secs(56 * 86_400);
const DAYS_90: Duration = Duration::from_secs(90 * 86_400);
const POSTS_MAX: u32 = 5_000;
const POLLS_READ: u32 = 300;
const POLLS_SHOWN: usize = 12;
/// Items whose way from posting to here is measured.
const MEASURED: u32 = 200;
const MEASURED_MIN: usize = 5;
/// Posts from which expectations are drawn.
const POSTS_MIN: usize = 12;

pub(crate) async fn about(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Path(id): Path<i64>,
    headers: HeaderMap,
    Extension(channels): Extension<Arc<Channels>>,
    Query(asked): Query<Asked>,
    Query(said): Query<SaidQuery>,
) -> Result<Response, Problem> {
    let feed = FeedId(id);
    let library = Library::load(&app, &visitor).await?;
    let one = library.feeds.get(&feed).ok_or_else(Problem::not_found)?;
    let shell = Shell::load(&app, &visitor, &headers, &library, Here::Feed(feed)).await?;
    let known = Known::load(&app, &visitor, feed).await?;
    let about = ProfileView::load(&app, &channels, &visitor, &library, feed, asked.window).await?;
    let w = visitor.words;
    let back = format!("/feed/{feed}/about");
    let page = AboutPage {
        frame: &shell.frame,
        w,
        head: Head::of(one, &library, &known, &visitor),
        notice: &said.notice(&visitor, &back, |feed| library.name(feed)),
        numbers: numbers(one, &known, &visitor),
        trouble: trouble(one, known.last_item.into(), &visitor),
        next: next_check(one, &known, &visitor),
        day: day(&known, &visitor),
        has_expectation: known.recent().len() >= POSTS_MIN,
        weeks: [
            WeekView::of(known.recent(), &visitor, &Texts::posts(w)),
            WeekView::of(&known.opens, &visitor, &Texts::opens(w)),
        ],
        about,
        found: found(&known.days, &visitor),
        polls: known.polls.iter().take(POLLS_SHOWN).map(|poll| PollRow::of(poll, &visitor)).collect(),
        folders: folder_choices(&library),
        back,
        shell: &shell,
    };
    Ok(render(StatusCode::OK, &page))
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Asked {
    /// Items back that its terms are shown of.
    window: Option<usize>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Wish {
    #[serde(default)]
    back: String,
}

/// Checks a feed now, as far as its floors allow: holding the button down changes nothing (N22).
pub(crate) async fn refresh(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Path(id): Path<i64>,
    headers: HeaderMap,
    Form(wish): Form<Wish>,
) -> Result<Response, Problem> {
    let feed = FeedId(id);
    app.store.subscription(visitor.id(), feed).await?.ok_or_else(Problem::not_found)?;
    let said = match app.errands.refresh(feed).await {
        Refreshed::Done { items_new } => {
            Said { saying: Saying::Refreshed, n: u64::from(items_new), undo: None }
        }
        Refreshed::NotBefore(until) => {
            // Rounded up, so that the time said is one at which it works.
            let seconds = u64::try_from(until.seconds().saturating_add(1)).unwrap_or(0);
            Said { saying: Saying::NotBefore, n: seconds, undo: None }
        }
        Refreshed::Halted => Said::new(Saying::Halted),
        Refreshed::Gone => return Err(Problem::not_found()),
        Refreshed::Failed(why) => {
            if wants_json(&headers) {
                let text = fill(visitor.words.feeds.refresh_failed, &[("why", &visitor.words.told(&why))]);
                return Ok(Json(serde_json::json!({ "ok": false, "said": text })).into_response());
            }
            // The page says what is wrong by itself.
            return Ok(
                crate::own_path::OwnPath::parse(&app.base_path, &or_about(&wish.back, feed)).redirect()
            );
        }
    };
    Ok(said.answer(&app, &visitor, &headers, &or_about(&wish.back, feed)))
}

fn or_about(back: &str, feed: FeedId) -> String {
    if back.is_empty() { format!("/feed/{feed}/about") } else { back.to_owned() }
}

/// Everything that is read for the page.
struct Known {
    schedule: FeedSchedule,
    /// Newest first.
    polls: Vec<PollRecord>,
    /// Of 90 days, newest first.
    posts: Vec<Timestamp>,
    opens: Vec<Timestamp>,
    opened: u64,
    /// Of 90 days, oldest first.
    days: Vec<FeedDay>,
    habit: AccessHabit,
    rows: Vec<ListRow>,
    held_until: Option<Timestamp>,
    last_item: Option<Timestamp>,
    since_8_weeks: Timestamp,
}

impl Known {
    async fn load(app: &App, visitor: &Visitor, feed: FeedId) -> Result<Known, Problem> {
        let (user, now, store) = (visitor.id(), visitor.now(), &app.store);
        let since_8_weeks = now.saturating_sub(WEEKS_8);
        let query = ListQuery {
            scope: Scope::Feed(feed),
            unread_only: false,
            order: Order::NewestFirst,
            limit: MEASURED,
            after: None,
        };
        let (schedule, polls, posts, opens, opened, rows, days, habit) = tokio::try_join!(
            store.feed_schedule(feed),
            store.polls(feed, POLLS_READ, None),
            store.feed_posts(feed, now.saturating_sub(DAYS_90), POSTS_MAX),
            store.feed_opens(user, feed, since_8_weeks),
            store.feed_opened(user, feed, now.saturating_sub(DAYS_90)),
            store.list(user, &query),
            store.feed_days(feed, now.saturating_sub(DAYS_90)),
            store.habit(user),
        )?;
        Ok(Known {
            schedule: schedule.ok_or_else(Problem::not_found)?,
            polls: polls.into_iter().map(|(_, poll)| poll).collect(),
            last_item: rows.first().map(|row| row.item.sort_at),
            posts,
            opens,
            opened,
            rows,
            days,
            habit: habit.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default(),
            held_until: app.errands.held_until(feed).await.filter(|until| *until > now),
            since_8_weeks,
        })
    }

    /// Posts of eight weeks.
    fn recent(&self) -> &[Timestamp] {
        let end = self.posts.partition_point(|at| *at >= self.since_8_weeks);
        self.posts.get(..end).unwrap_or_default()
    }

    fn polls_since(&self, since: Timestamp) -> impl Iterator<Item = &PollRecord> {
        self.polls.iter().take_while(move |poll| poll.started_at >= since)
    }
}

/// Title, where it is, and what can be done.
struct Head {
    id: FeedId,
    name: String,
    icon: Icon,
    description: Option<String>,
    /// Address and what to show of it; only http and https (X4).
    site: Option<(String, String)>,
    url: String,
    folder: String,
    read: String,
    check: String,
    can_check: bool,
    is_paused: bool,
    is_important: bool,
    since: String,
    is_private: bool,
}

impl Head {
    fn of(one: &SubscribedFeed, library: &Library, known: &Known, visitor: &Visitor) -> Head {
        let (w, f) = (visitor.words, &visitor.words.feed);
        let folder = one.subscription.folder.and_then(|id| library.folder(id));
        let unread = one.subscription.unread;
        Head {
            id: one.feed.id,
            name: name_of(one).to_owned(),
            icon: library.icon(one.feed.id),
            description: one.feed.facts.description.clone().filter(|text| !text.trim().is_empty()),
            site: one.feed.facts.site_url.as_deref().and_then(web_link),
            url: one.feed.url.clone(),
            folder: match folder {
                Some(folder) => fill(f.in_folder, &[("folder", &folder.name)]),
                None => w.getting_in.no_folder.to_owned(),
            },
            read: if unread > 0 { w.count(f.read_unread, unread) } else { f.read_all.to_owned() },
            check: match known.held_until {
                Some(until) => fill(f.from, &[("time", &soon(visitor, until))]),
                None => w.feeds.check_now.to_owned(),
            },
            can_check: known.held_until.is_none(),
            is_paused: one.subscription.paused,
            is_important: one.subscription.important,
            since: fill(f.since, &[("date", &visitor.clock.day(one.subscription.created_at))]),
            is_private: one.feed.private_to.is_some(),
        }
    }
}

/// A link that leads to the web, and its host to show.
pub(crate) fn web_link(link: &str) -> Option<(String, String)> {
    let url = url::Url::parse(link).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let host = url.host_str()?.trim_start_matches("www.").to_owned();
    Some((url.to_string(), host))
}

/// Bold number and its words.
struct Number {
    value: String,
    text: String,
}

fn numbers(one: &SubscribedFeed, known: &Known, visitor: &Visitor) -> Vec<Number> {
    let (w, f) = (visitor.words, &visitor.words.feed);
    let unknown = || w.common.not_enough.to_owned();
    let items = u64::try_from(known.posts.len()).unwrap_or(u64::MAX);
    let today = known.polls_since(visitor.clock.start_of_today()).count();
    let today = u64::try_from(today).unwrap_or(u64::MAX);
    let (one_poll, polls) = f.polls_today.split_once('|').unwrap_or((f.polls_today, f.polls_today));
    let today_words = if today == 1 { one_poll } else { polls };
    let lost = known.days.iter().map(|day| u64::from(day.found.lost)).sum();
    let (one_lost, many_lost) = f.items_lost.split_once('|').unwrap_or((f.items_lost, f.items_lost));
    vec![
        Number {
            value: one.health.posts_per_day.map_or_else(unknown, |rate| rate_words(rate, w)),
            text: f.posts_a_day.to_owned(),
        },
        Number {
            value: if items == 0 {
                unknown()
            } else {
                let (opened, all) = (w.number(known.opened), w.number(items));
                fill(w.feeds.opened_of, &[("opened", &opened), ("all", &all)])
            },
            text: f.opened_by_you.to_owned(),
        },
        Number {
            value: median_delay(one, &known.rows).map_or_else(unknown, |delay| visitor.clock.span(delay)),
            text: f.to_here.to_owned(),
        },
        Number { value: w.number(lost), text: if lost == 1 { one_lost } else { many_lost }.to_owned() },
        Number {
            value: w.number(today),
            text: match planned_today(known, visitor).len() {
                0 => today_words.to_owned(),
                coming => fill(f.to_come, &[("polls", &today_words), ("n", &coming)]),
            },
        },
    ]
}

/// From posting to here, where we were watching by then and the date can be believed.
fn median_delay(one: &SubscribedFeed, rows: &[ListRow]) -> Option<Duration> {
    let watched_since = one.feed.created_at;
    let mut delays: Vec<Duration> = rows
        .iter()
        .filter_map(|row| {
            let posted = row.item.published_at?;
            let is_honest = posted > watched_since && posted <= row.item.first_seen_at;
            is_honest.then(|| row.item.first_seen_at.since(posted))
        })
        .collect();
    delays.sort_unstable();
    (delays.len() >= MEASURED_MIN).then(|| delays.get(delays.len() / 2).copied()).flatten()
}

/// `Next check 18:40, because …`.
fn next_check(one: &SubscribedFeed, known: &Known, visitor: &Visitor) -> String {
    let f = &visitor.words.feed;
    if one.feed.state == FeedState::Gone {
        return fill(f.next_none, &[("why", &f.r_gone_for_good)]);
    }
    if known.schedule.subscribers == 0 && one.subscription.paused {
        return fill(f.next_none, &[("why", &f.r_paused)]);
    }
    let at = known.schedule.schedule.next_poll_at;
    if at <= visitor.now() {
        return f.next_due.to_owned();
    }
    let why = because(&known.schedule.schedule.reason, visitor);
    fill(f.next, &[("when", &soon(visitor, at)), ("why", &why)])
}

/// The next poll, and from there as often as the plan says, until midnight.
fn planned_today(known: &Known, visitor: &Visitor) -> Vec<Timestamp> {
    /// No floor is shorter than five minutes, and the longest day has 25 hours.
    const DAY_MAX: usize = 300;
    let end = visitor.clock.start_of_tomorrow();
    let pace = known.schedule.schedule.plan.polls_per_day;
    let step = DAY.div_f64(if pace.is_finite() { pace.clamp(0.01, 288.0) } else { 0.01 });
    let first = known.schedule.schedule.next_poll_at;
    std::iter::successors(Some(first), |at| Some(at.saturating_add(step)))
        .take(DAY_MAX)
        .skip_while(|at| *at <= visitor.now())
        .take_while(|at| *at < end)
        .collect()
}

/// The picture of today, for pages and for phones.
fn day(known: &Known, visitor: &Visitor) -> [Svg; 2] {
    let f = &visitor.words.feed;
    let start = visitor.clock.start_of_today();
    let within = |at: Timestamp| visitor.clock.day_part(at).unwrap_or(0.0);
    let past: Vec<PastPoll> = known
        .polls_since(start)
        .map(|poll| PastPoll {
            at: within(poll.started_at),
            kind: if !poll.outcome.is_success() {
                PollKind::Failed
            } else if poll.items_new > 0 {
                PollKind::New
            } else {
                PollKind::Nothing
            },
        })
        .collect();
    let next = known.schedule.schedule.next_poll_at;
    // Beyond the next one they are likely, not settled: only it has its time beside it, and where they are many an
    // hour apart is enough.
    const APART: Duration = Duration::from_secs(3_600);
    let mut coming = planned_today(known, visitor);
    let mut last = None;
    coming.retain(|at| {
        let is_apart = last.is_none_or(|last| at.since(last) >= APART);
        if is_apart {
            last = Some(*at);
        }
        is_apart
    });
    let planned: Vec<Planned> = coming
        .into_iter()
        .map(|at| Planned {
            at: within(at),
            label: if at == next { visitor.clock.clock(at) } else { String::new() },
        })
        .collect();
    let recent = known.recent();
    let oldest = recent.last().copied().unwrap_or(visitor.now());
    let days = visitor.now().since(oldest).as_secs_f64() / DAY.as_secs_f64();
    let places = recent.iter().filter_map(|at| visitor.clock.day_part(*at));
    let now_label = fill(f.day_now, &[("time", &visitor.clock.clock(visitor.now()))]);
    let label = fill(f.day_picture, &[("polls", &past.len()), ("next", &soon(visitor, next))]);
    let strip = DayStrip {
        expected: (recent.len() >= POSTS_MIN).then(|| chart::expected(places, days)),
        reading: known.habit.usual_hours(),
        reading_label: f.day_reading,
        past: &past,
        planned: &planned,
        now: within(visitor.now()),
        now_label: &now_label,
        expected_label: f.day_expected,
        label: &label,
    };
    [Width::Page, Width::Phone].map(|width| chart::strip(&strip, width))
}

/// Expected and realised delay, day by day; None while too little is known.
fn found(days: &[FeedDay], visitor: &Visitor) -> Option<CameTrue> {
    let came_true = CameTrue::of(days, visitor);
    let (realised, expected) = (came_true.realised.clone()?, came_true.expected.clone()?);
    let title = fill(visitor.words.feed.found_after, &[("realised", &realised), ("expected", &expected)]);
    Some(CameTrue { title, ..came_true })
}

struct PollRow {
    when: When,
    what: String,
    detail: Option<String>,
    bytes: String,
    is_bad: bool,
}

impl PollRow {
    fn of(poll: &PollRecord, visitor: &Visitor) -> PollRow {
        let (w, f) = (visitor.words, &visitor.words.feed);
        let new = u64::from(poll.items_new);
        let what = match poll.outcome {
            PollOutcome::Fresh if new > 0 => w.count(f.p_fresh, new),
            PollOutcome::Fresh if poll.items_changed > 0 => {
                w.count(f.p_changed, u64::from(poll.items_changed))
            }
            PollOutcome::Fresh => f.p_same.to_owned(),
            PollOutcome::Partial => w.count(f.p_partial, new),
            PollOutcome::Unchanged => f.p_unchanged.to_owned(),
            PollOutcome::Gone => f.p_gone.to_owned(),
            PollOutcome::Busy => f.p_busy.to_owned(),
            PollOutcome::Denied => f.p_denied.to_owned(),
            PollOutcome::NotFound => f.p_not_found.to_owned(),
            PollOutcome::NotAFeed => f.p_not_a_feed.to_owned(),
            PollOutcome::Failed => f.p_failed.to_owned(),
            PollOutcome::Refused => f.p_refused.to_owned(),
            PollOutcome::Offline => f.p_offline.to_owned(),
        };
        let full = visitor.clock.full(poll.started_at);
        PollRow {
            when: When { short: full, ..visitor.clock.ago(poll.started_at) },
            what,
            detail: poll.error.as_deref().map(|sentence| w.told(sentence)),
            bytes: w.count(f.kilobytes, poll.wire_bytes.div_ceil(1_000)),
            is_bad: !poll.outcome.is_success(),
        }
    }
}

#[derive(Template)]
#[template(path = "feed.html")]
struct AboutPage<'a> {
    shell: &'a Shell,
    frame: &'a Frame,
    w: &'static Words,
    head: Head,
    notice: &'a Option<Notice>,
    numbers: Vec<Number>,
    trouble: Option<Trouble>,
    next: String,
    day: [Svg; 2],
    has_expectation: bool,
    weeks: [WeekView; 2],
    about: ProfileView,
    found: Option<CameTrue>,
    polls: Vec<PollRow>,
    folders: Vec<FolderChoice>,
    back: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x4_only_links_to_the_web_are_links() {
        for bad in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "blob:x",
            "/x",
            "",
            "file:///etc/passwd",
        ] {
            assert_eq!(web_link(bad), None, "{bad}");
        }
        let (href, shown) = web_link("https://www.a.test/x").expect("a link");
        assert_eq!((href.as_str(), shown.as_str()), ("https://www.a.test/x", "a.test"));
    }
}
