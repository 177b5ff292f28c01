//! Which feeds are worth it: everything a person follows, with what it brought, what is wrong, and what to do.

mod act;

pub(crate) use act::act;

use crate::App;
use crate::getting_in::{FolderChoice, folder_choices};
use crate::health_words::{Trouble, is_dead, trouble};
use crate::page::{Frame, render};
use crate::problem::Problem;
use crate::said::{Notice, SaidQuery};
use crate::shell::{Here, Icon, Library, Shell, name_of};
use crate::visitor::Visitor;
use crate::when::When;
use crate::words::{Words, fill};
use askama::Template;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::{FeedId, FeedState, FolderId};
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
use store::{FeedWorth, SubscribedFeed};

/// The time that is looked at.
const SPAN: Duration = Duration::from_secs(90 * 86_400);
const ROWS: usize = 200;
/// Noisy: at least this share of everything, at least this many items, and read less than that.
const NOISY_SHARE: f64 = 0.05;
const NOISY_ITEMS_MIN: u64 = 100;
const NOISY_READ_MAX: f64 = 0.05;
const NOISY_AFTER: Duration = Duration::from_secs(14 * 86_400);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Filter {
    All,
    Failing,
    Silent,
    Dead,
    Noisy,
    Duplicate,
    Unopened,
    Paused,
}

const FILTERS: [(Filter, &str); 8] = [
    (Filter::All, "all"),
    (Filter::Failing, "failing"),
    (Filter::Silent, "silent"),
    (Filter::Dead, "dead"),
    (Filter::Noisy, "noisy"),
    (Filter::Duplicate, "duplicate"),
    (Filter::Unopened, "unopened"),
    (Filter::Paused, "paused"),
];

impl Filter {
    fn words(self, w: &'static Words) -> (&'static str, &'static str) {
        let f = &w.feeds;
        match self {
            Filter::All => (f.all, f.about_all),
            Filter::Failing => (f.failing, f.about_failing),
            Filter::Silent => (f.silent, f.about_silent),
            Filter::Dead => (f.dead, f.about_dead),
            Filter::Noisy => (f.noisy, f.about_noisy),
            Filter::Duplicate => (f.duplicate, f.about_duplicate),
            Filter::Unopened => (f.unopened, f.about_unopened),
            Filter::Paused => (f.paused, f.about_paused),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Name,
    Folder,
    Opened,
    Rate,
    Last,
    State,
}

const SORTS: [(Sort, &str); 6] = [
    (Sort::Name, "name"),
    (Sort::Folder, "folder"),
    (Sort::Opened, "opened"),
    (Sort::Rate, "rate"),
    (Sort::Last, "last"),
    (Sort::State, "state"),
];

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Asked {
    show: Option<String>,
    sort: Option<String>,
    /// 1 turns the order around.
    down: Option<u8>,
    from: Option<usize>,
}

impl Asked {
    fn filter(&self) -> Filter {
        let wanted = self.show.as_deref().unwrap_or_default();
        FILTERS.iter().find(|(_, name)| *name == wanted).map_or(Filter::All, |(filter, _)| *filter)
    }

    fn sort(&self) -> Sort {
        let wanted = self.sort.as_deref().unwrap_or_default();
        SORTS.iter().find(|(_, name)| *name == wanted).map_or(Sort::Name, |(sort, _)| *sort)
    }

    fn address(&self, show: &str, sort: &str, down: bool, from: usize) -> String {
        let mut address = format!("/feeds?show={show}&sort={sort}");
        if down {
            address.push_str("&down=1");
        }
        if from > 0 {
            address.push_str(&format!("&from={from}"));
        }
        address
    }
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Query(asked): Query<Asked>,
    Query(said): Query<SaidQuery>,
) -> Result<Response, Problem> {
    let library = Library::load(&app, &visitor).await?;
    let shell = Shell::load(&app, &visitor, &headers, &library, Here::Feeds).await?;
    let now = visitor.now();
    let worth = app.store.feed_worth(visitor.id(), now.saturating_sub(SPAN), now).await?;
    let judged = Judged::all(&library, &visitor, worth);
    let (filter, w) = (asked.filter(), visitor.words);
    let (show, sort) = (name_in(&FILTERS, filter), name_in(&SORTS, asked.sort()));
    let (down, from) = (asked.down == Some(1), asked.from.unwrap_or(0));
    let mut chosen: Vec<&Judged<'_>> = judged.iter().filter(|one| one.is(filter)).collect();
    order(&mut chosen, asked.sort(), down, &library);
    let left = chosen.len().saturating_sub(from.saturating_add(ROWS));
    let back = asked.address(show, sort, down, from);
    let number = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    let page = FeedsPage {
        frame: &shell.frame,
        w,
        filters: FILTERS
            .iter()
            .map(|(one, name)| FilterLink {
                label: one.words(w).0,
                count: w.number(number(judged.iter().filter(|feed| feed.is(*one)).count())),
                href: format!("{}{}", app.base_path, asked.address(name, sort, down, 0)),
                is_here: *one == filter,
            })
            .collect(),
        about: filter.words(w).1,
        columns: columns(&app, &asked, show, w),
        rows: chosen.iter().skip(from).take(ROWS).map(|one| one.row(&library, &visitor)).collect(),
        empty: if library.feeds.is_empty() { w.feeds.none_at_all } else { w.feeds.none_here },
        more: (left > 0).then(|| {
            let href =
                format!("{}{}", app.base_path, asked.address(show, sort, down, from.saturating_add(ROWS)));
            (href, w.count(w.feeds.more, number(left)))
        }),
        folders: folder_choices(&library),
        notice: &said.notice(&visitor, &back, |feed| library.name(feed)),
        back,
        shell: &shell,
    };
    Ok(render(StatusCode::OK, &page))
}

fn name_in<T: PartialEq + Copy>(all: &[(T, &'static str)], one: T) -> &'static str {
    all.iter().find(|(other, _)| *other == one).map_or("", |(_, name)| name)
}

/// One feed with what it was to the person.
struct Judged<'a> {
    one: &'a SubscribedFeed,
    worth: FeedWorth,
    trouble: Option<Trouble>,
    /// Of everything that came to the person.
    share: f64,
    is_silent: bool,
    is_dead: bool,
    /// Followed for long enough that not opening it means something.
    is_known: bool,
}

impl<'a> Judged<'a> {
    fn all(library: &'a Library, visitor: &Visitor, worth: Vec<FeedWorth>) -> Vec<Judged<'a>> {
        let all: u64 = worth.iter().map(|one| one.items).sum();
        let now = visitor.now();
        worth
            .into_iter()
            .filter_map(|worth| {
                let one = library.feeds.get(&worth.feed)?;
                let quiet_since = worth.last_item_at.unwrap_or(one.feed.created_at);
                Some(Judged {
                    trouble: trouble(one, worth.last_item_at.into(), visitor),
                    share: ratio(worth.items, all),
                    is_silent: now.since(quiet_since) >= SPAN,
                    is_dead: is_dead(one, now),
                    is_known: now.since(one.subscription.created_at) >= NOISY_AFTER,
                    one,
                    worth,
                })
            })
            .collect()
    }

    fn read_rate(&self) -> f64 {
        ratio(self.worth.opened, self.worth.items)
    }

    fn is_noisy(&self) -> bool {
        self.is_known
            && self.worth.items >= NOISY_ITEMS_MIN
            && self.share >= NOISY_SHARE
            && self.read_rate() < NOISY_READ_MAX
    }

    fn is(&self, filter: Filter) -> bool {
        match filter {
            Filter::All => true,
            Filter::Failing => self.trouble.is_some(),
            Filter::Silent => self.is_silent && !self.is_dead,
            Filter::Dead => self.is_dead,
            Filter::Noisy => self.is_noisy(),
            Filter::Duplicate => self.worth.duplicate_of.is_some(),
            Filter::Unopened => self.worth.items > 0 && self.worth.opened == 0,
            Filter::Paused => self.one.subscription.paused,
        }
    }

    fn row(&self, library: &Library, visitor: &Visitor) -> FeedRow {
        let (w, f, feed) = (visitor.words, &visitor.words.feeds, self.one.feed.id);
        let name = name_of(self.one).to_owned();
        FeedRow {
            id: feed,
            icon: library.icon(feed),
            select: fill(f.select, &[("name", &name)]),
            menu: fill(f.actions_for, &[("name", &name)]),
            folder: self
                .one
                .subscription
                .folder
                .and_then(|id| library.folder(id))
                .map(|one| (one.id, one.name.clone())),
            opened: if self.worth.items == 0 {
                f.nothing_came.to_owned()
            } else {
                let (opened, all) = (w.number(self.worth.opened), w.number(self.worth.items));
                fill(f.opened_of, &[("opened", &opened), ("all", &all)])
            },
            rate: self.one.health.posts_per_day.map(|rate| rate_words(rate, w)),
            last: self.worth.last_item_at.map(|at| visitor.clock.ago(at)),
            state: self.state(library, visitor),
            calm: if self.one.health.last_success_at.is_some() { f.fine } else { f.new_feed },
            brought: self.worth.items > 0,
            is_bad: self.trouble.is_some(),
            is_paused: self.one.subscription.paused,
            trouble: self.trouble.clone(),
            name,
        }
    }

    /// What there is to say, beginning with the worst. The feed's name goes before it.
    fn state(&self, library: &Library, visitor: &Visitor) -> Option<String> {
        let (w, f) = (visitor.words, &visitor.words.feeds);
        if let Some(trouble) = &self.trouble {
            return Some(trouble.sentence.clone());
        }
        if self.one.subscription.paused || self.one.feed.state == FeedState::Paused {
            return Some(f.t_paused.to_owned());
        }
        if let Some((other, share)) = self.worth.duplicate_of {
            let other = library.name(other).unwrap_or_default();
            return Some(fill(f.t_duplicate, &[("other", &other), ("share", &percent(share))]));
        }
        if self.is_noisy() {
            let (opened, all) = (w.number(self.worth.opened), w.number(self.worth.items));
            let share = percent(self.share);
            return Some(fill(f.t_noisy, &[("share", &share), ("opened", &opened), ("all", &all)]));
        }
        if self.is_silent && self.one.health.last_success_at.is_some() {
            let since = self.worth.last_item_at.unwrap_or(self.one.feed.created_at);
            return Some(fill(f.t_silent, &[("date", &visitor.clock.day(since))]));
        }
        None
    }
}

/// 6.2 or 0.14: small rates keep two places.
pub(crate) fn rate_words(rate: f64, w: &'static Words) -> String {
    if rate >= 0.1 || rate <= 0.0 {
        return w.decimal(rate);
    }
    let text = format!("{rate:.2}");
    if w.code() == "de" { text.replace('.', ",") } else { text }
}

#[expect(clippy::cast_precision_loss, reason = "a share of items")]
fn ratio(part: u64, all: u64) -> f64 {
    if all == 0 { 0.0 } else { part as f64 / all as f64 }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0–100")]
fn percent(share: f64) -> u8 {
    (share * 100.0).round().clamp(0.0, 100.0) as u8
}

fn order(rows: &mut [&Judged<'_>], sort: Sort, down: bool, library: &Library) {
    let folder = |one: &Judged<'_>| {
        let name =
            one.one.subscription.folder.and_then(|id| library.folder(id)).map(|one| one.name.to_lowercase());
        (name.is_none(), name)
    };
    rows.sort_by_cached_key(|one| name_of(one.one).to_lowercase());
    match sort {
        Sort::Name => {}
        Sort::Folder => rows.sort_by_cached_key(|one| folder(one)),
        Sort::Opened => rows.sort_by(|a, b| a.read_rate().total_cmp(&b.read_rate())),
        Sort::Rate => rows.sort_by(|a, b| {
            let rate = |one: &Judged<'_>| one.one.health.posts_per_day.unwrap_or(-1.0);
            rate(a).total_cmp(&rate(b))
        }),
        Sort::Last => rows.sort_by_key(|one| one.worth.last_item_at),
        Sort::State => {
            rows.sort_by_key(|one| (one.one.health.failures, one.is_silent, one.one.subscription.paused));
        }
    }
    if down {
        rows.reverse();
    }
}

fn columns(app: &App, asked: &Asked, show: &str, w: &'static Words) -> Vec<Column> {
    let f = &w.feeds;
    SORTS
        .iter()
        .map(|(sort, name)| {
            let is_here = asked.sort() == *sort;
            let down = asked.down == Some(1);
            // A second click turns the order around; numbers begin with the largest.
            let number = matches!(sort, Sort::Opened | Sort::Rate | Sort::Last | Sort::State);
            let next = if is_here { !down } else { number };
            Column {
                label: match sort {
                    Sort::Name => f.column_feed,
                    Sort::Folder => f.column_folder,
                    Sort::Opened => f.column_read,
                    Sort::Rate => f.column_rate,
                    Sort::Last => f.column_last,
                    Sort::State => f.column_state,
                },
                href: format!("{}{}", app.base_path, asked.address(show, name, next, 0)),
                order: if !is_here {
                    None
                } else if down {
                    Some("descending")
                } else {
                    Some("ascending")
                },
                is_down: down,
                is_number: matches!(sort, Sort::Opened | Sort::Rate),
            }
        })
        .collect()
}

struct FilterLink {
    label: &'static str,
    count: String,
    href: String,
    is_here: bool,
}

struct Column {
    label: &'static str,
    href: String,
    /// As `aria-sort` says it.
    order: Option<&'static str>,
    is_down: bool,
    is_number: bool,
}

struct FeedRow {
    id: FeedId,
    name: String,
    icon: Icon,
    select: String,
    menu: String,
    folder: Option<(FolderId, String)>,
    opened: String,
    rate: Option<String>,
    last: Option<When>,
    state: Option<String>,
    /// When there is nothing to say.
    calm: &'static str,
    brought: bool,
    is_bad: bool,
    is_paused: bool,
    trouble: Option<Trouble>,
}

#[derive(Template)]
#[template(path = "feeds.html")]
struct FeedsPage<'a> {
    shell: &'a Shell,
    frame: &'a Frame,
    w: &'static Words,
    filters: Vec<FilterLink>,
    about: &'static str,
    columns: Vec<Column>,
    rows: Vec<FeedRow>,
    empty: &'static str,
    more: Option<(String, String)>,
    folders: Vec<FolderChoice>,
    back: String,
    notice: &'a Option<Notice>,
}
