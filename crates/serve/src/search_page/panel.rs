//! What stands beside the results: channels about the same, keeping the search, and the searches kept before.

use super::asked::{After, Wanted, Whence, typed};
use super::look::{Asking, Found, Look, index};
use super::view::{Link, Part, parts};
use crate::App;
use crate::problem::Problem;
use crate::shell::{Icon, Library};
use crate::visitor::Visitor;
use crate::words::{Words, fill};
use domain::{FeedId, ItemId, SearchId, Timestamp};
use learn::Summary;
use search::{Query, Total};
use std::time::{Duration, Instant};
use store::{Channel, SavedSearch};

/// Of what a channel is about so much is shown.
const TERMS: usize = 3;
/// Of those, so many may be there only because they were searched for.
const TERMS_LOOKED_AT: usize = 40;
/// Counting what is new in all saved searches takes no longer than this; the rest says it was not counted.
const COUNTING_MAX: Duration = Duration::from_millis(200);
const DAYS_A_WEEK: f64 = 7.0;
const DAYS_A_MONTH: f64 = 30.0;

pub(crate) struct Beside {
    pub(crate) channels: Vec<ChannelView>,
    pub(crate) keep: Option<Keep>,
}

pub(crate) struct ChannelView {
    pub(crate) feed: FeedId,
    pub(crate) name: String,
    pub(crate) url: String,
    pub(crate) href: Option<String>,
    pub(crate) icon: Icon,
    pub(crate) terms: Vec<Part>,
    pub(crate) rate: Option<String>,
    pub(crate) posts_per_day: Option<f64>,
    pub(crate) is_subscribed: bool,
    pub(crate) subscribe_label: String,
}

pub(crate) struct Keep {
    /// As it is kept.
    pub(crate) query: String,
    /// What it is called unless the person says otherwise.
    pub(crate) name: String,
    pub(crate) week: Option<String>,
    /// It is kept already.
    pub(crate) kept: Option<Link>,
}

impl Beside {
    pub(crate) async fn load(
        app: &App,
        visitor: &Visitor,
        library: &Library,
        wanted: &Wanted,
        look: &Look,
    ) -> Result<Beside, Problem> {
        let Look::Found(found) = look else { return Ok(Beside { channels: Vec::new(), keep: None }) };
        if wanted.after.is_some() {
            return Ok(Beside { channels: Vec::new(), keep: None });
        }
        let channels = channels(app, visitor, library, found).await?;
        let keep = match wanted.to_keep(visitor, library) {
            Ok(query) => Some(keep(app, visitor, wanted, found, &query).await?),
            Err(_) => None,
        };
        Ok(Beside { channels, keep })
    }
}

async fn keep(
    app: &App,
    visitor: &Visitor,
    wanted: &Wanted,
    found: &Found,
    query: &Query,
) -> Result<Keep, Problem> {
    let (w, s) = (visitor.words, &visitor.words.search);
    let query = query.to_string();
    let saved = app.store.saved_searches(visitor.id()).await?;
    let kept = saved.into_iter().find(|one| one.query == query).map(|one| Link {
        label: fill(s.saved_already, &[("name", &one.name)]),
        href: app.base_path.join(&format!("/saved/{}", one.id)),
    });
    let name = if wanted.text.trim().is_empty() { query.clone() } else { wanted.text.trim().to_owned() };
    Ok(Keep { query, name, week: found.week.map(|week| week_words(week, w)), kept })
}

fn week_words(week: Total, w: &'static Words) -> String {
    let (s, n) = (&w.search, week.count as u64);
    match (n, week.exact) {
        (0, true) => s.week_none.to_owned(),
        (n, true) => w.count(s.week, n),
        (n, false) => fill(s.week_many, &[("n", &w.number(n))]),
    }
}

/// The channels that were found, as far as this person may know of them.
pub(crate) async fn channels(
    app: &App,
    visitor: &Visitor,
    library: &Library,
    found: &Found,
) -> Result<Vec<ChannelView>, Problem> {
    if found.channels.is_empty() {
        return Ok(Vec::new());
    }
    let feeds: Vec<FeedId> = found.channels.iter().map(|hit| hit.feed).collect();
    let channels = app.store.channels_by_id(visitor.id(), &feeds).await?;
    let view = |channel: Channel| -> ChannelView {
        let is_subscribed = library.feeds.contains_key(&channel.feed);
        let name = library
            .name(channel.feed)
            .or_else(|| channel.title.clone().filter(|title| !title.trim().is_empty()))
            .unwrap_or_else(|| channel.url.clone());
        let snippet = found.channels.iter().find(|hit| hit.feed == channel.feed).map(|hit| &hit.snippet);
        let terms = terms(&channel, &found.query).or_else(|| snippet.map(parts)).unwrap_or_default();
        ChannelView {
            icon: if is_subscribed { library.icon(channel.feed) } else { Icon::of(channel.feed, &name) },
            href: is_subscribed.then(|| app.base_path.join(&format!("/feed/{}", channel.feed))),
            rate: channel.posts_per_day.map(|rate| rate_words(rate, visitor.words)),
            posts_per_day: channel.posts_per_day,
            subscribe_label: fill(visitor.words.search.subscribe_to, &[("name", &name)]),
            feed: channel.feed,
            url: channel.url,
            terms,
            is_subscribed,
            name,
        }
    };
    Ok(channels.into_iter().map(view).collect())
}

/// The heaviest terms of a channel, among them those that were searched for. None when none was, or none is known.
fn terms(channel: &Channel, query: &Query) -> Option<Vec<Part>> {
    let summary = Summary::from_bytes(&channel.latest).ok()?;
    let mut all: Vec<&learn::Weighted> = summary.terms().collect();
    all.sort_by(|one, other| other.weight.total_cmp(&one.weight));
    all.truncate(TERMS_LOOKED_AT);
    let marked: Vec<_> = all.iter().map(|term| query.mark(&term.text)).collect();
    let (sought, others): (Vec<usize>, Vec<usize>) =
        (0..marked.len()).partition(|at| !marked[*at].marks.is_empty());
    if sought.is_empty() {
        return None;
    }
    let mut chosen: Vec<usize> = sought.into_iter().take(TERMS - 1).collect();
    chosen.extend(others.into_iter().take(TERMS - chosen.len()));
    chosen.sort_unstable();
    let mut shown = Vec::new();
    for at in chosen {
        if !shown.is_empty() {
            shown.push(Part { text: ", ".to_owned(), is_marked: false });
        }
        shown.extend(parts(&marked[at]));
    }
    Some(shown)
}

pub(crate) fn rate_words(posts_per_day: f64, w: &'static Words) -> String {
    let s = &w.search;
    let whole = |rate: f64| w.number(rate.round() as u64);
    if posts_per_day >= 1.0 {
        fill(s.a_day, &[("n", &whole(posts_per_day))])
    } else if posts_per_day * DAYS_A_WEEK >= 1.0 {
        fill(s.a_week, &[("n", &whole(posts_per_day * DAYS_A_WEEK))])
    } else if posts_per_day * DAYS_A_MONTH >= 1.0 {
        fill(s.a_month, &[("n", &whole(posts_per_day * DAYS_A_MONTH))])
    } else {
        s.seldom.to_owned()
    }
}

/// A search that was kept, with what is new in it.
pub(crate) struct SavedView {
    pub(crate) id: SearchId,
    pub(crate) name: String,
    pub(crate) href: String,
    pub(crate) note: String,
    pub(crate) has_new: bool,
    pub(crate) is_here: bool,
    pub(crate) change_label: String,
}

/// What is new in one search.
enum News {
    Counted { new: Total, last: Option<Timestamp> },
    NotCounted,
    Unreadable,
}

impl SavedView {
    /// All of them, newest first; `here` is the one being looked at.
    pub(crate) async fn load(
        app: &App,
        visitor: &Visitor,
        library: &Library,
        here: Option<SearchId>,
    ) -> Result<Vec<SavedView>, Problem> {
        let mut saved = app.store.saved_searches(visitor.id()).await?;
        saved.reverse();
        let news = news(app, visitor, library, &saved).await?;
        Ok(saved.into_iter().zip(news).map(|(one, news)| view(app, visitor, one, &news, here)).collect())
    }
}

fn view(app: &App, visitor: &Visitor, one: SavedSearch, news: &News, here: Option<SearchId>) -> SavedView {
    let (w, s) = (visitor.words, &visitor.words.search);
    let note = match news {
        News::Counted { new, .. } if !new.exact => fill(s.many_new, &[("n", &w.number(new.count as u64))]),
        News::Counted { new, .. } if new.count > 0 => w.count(s.n_new, new.count as u64),
        News::Counted { last: Some(last), .. } => {
            fill(s.nothing_since, &[("day", &visitor.clock.day(*last))])
        }
        News::Counted { last: None, .. } => s.nothing_ever.to_owned(),
        News::NotCounted => s.not_counted.to_owned(),
        News::Unreadable => s.unreadable.to_owned(),
    };
    SavedView {
        href: app.base_path.join(&format!("/saved/{}", one.id)),
        has_new: matches!(news, News::Counted { new, .. } if new.count > 0),
        is_here: here == Some(one.id),
        change_label: fill(s.change_one, &[("name", &one.name)]),
        id: one.id,
        name: one.name,
        note,
    }
}

/// Counted through the index, by the numbers of items, and never for long.
async fn news(
    app: &App,
    visitor: &Visitor,
    library: &Library,
    saved: &[SavedSearch],
) -> Result<Vec<News>, Problem> {
    let Ok(items) = index(app, visitor) else { return Ok(saved.iter().map(|_| News::NotCounted).collect()) };
    let typed = typed(false, visitor, library);
    let newest = app.store.newest_item().await?;
    let after = After { whence: Whence::Best { offset: 0, at: visitor.now() }, newest };
    let everywhere = Wanted { after: Some(after), ..Wanted::default() };
    let mut asked: Vec<Option<(Asking, ItemId)>> = Vec::with_capacity(saved.len());
    for one in saved {
        asked.push(match Query::parse(&one.query, &typed) {
            Ok(query) => {
                let asking = Asking::new(app, visitor, library, &everywhere, query).await?;
                Some((asking, one.seen_to))
            }
            // Kept by another version, or written by hand.
            Err(_) => None,
        });
    }
    let begun = Instant::now();
    let run = app.finder.run(move || -> Vec<News> {
        let count = |(asking, seen_to): &(Asking, ItemId)| {
            if begun.elapsed() > COUNTING_MAX {
                return News::NotCounted;
            }
            let Ok(new) = asking.count(&items, &asking.query, *seen_to) else { return News::NotCounted };
            let last = if new.count == 0 { asking.newest(&items).ok().flatten() } else { None };
            News::Counted { new, last }
        };
        asked.iter().map(|one| one.as_ref().map_or(News::Unreadable, count)).collect()
    });
    Ok(match run.await {
        Ok(news) => news,
        Err(_) => saved.iter().map(|_| News::NotCounted).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::preferences::Language;

    #[test]
    fn how_often_a_channel_posts_is_said_in_the_unit_that_fits() {
        let w = Words::of(Language::English);
        let said = [5.6, 0.6, 0.1, 0.01].map(|rate| rate_words(rate, w));
        assert_eq!(said, ["6 a day", "4 a week", "3 a month", "less than one a month"]);
    }
}
