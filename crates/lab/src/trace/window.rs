//! From events to a world: which weeks, which feeds, which people.

use super::{Account, DAY_S, Events, FeedTrace, ReaderTrace, WEEK_S, World, distinct};
use super::{broken, read_accesses, read_posts, read_subscriptions};
use crate::dice::Dice;
use anyhow::{Context, Result, bail, ensure};
use std::collections::HashMap;
use std::path::PathBuf;

/// Where a world comes from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WorldOptions {
    pub posts: Vec<PathBuf>,
    pub accesses: Vec<PathBuf>,
    pub subscriptions: Option<PathBuf>,
    pub train_days: u32,
    /// None: to the end of the shortest trace.
    pub test_days: Option<u32>,
    /// By file; the last one counts for the rest, and none means each trace's first Monday.
    pub starts: Vec<i64>,
    /// By file, in place of `train_days`; none means that, and 98 days for package releases.
    pub history_days: Vec<u32>,
    /// Feeds to draw: one number for all traces together, or one per file.
    pub sample: Vec<usize>,
    /// Only the people with most visits in the test's weeks.
    pub readers_max: Option<usize>,
    pub seed: u64,
}

/// Package releases are so rare that two weeks show next to nothing.
const RELEASES_HISTORY_DAYS: u32 = 98;
/// Looks within this long are one visit.
const VISIT_S: i64 = 30 * 60;
/// Replaying more than this at once is a mistake.
const DAYS_MAX: u32 = 3660;
/// The Monday mixed traces meet at: 2024-01-01.
const MEETING_MONDAY: i64 = 1_704_067_200;

pub fn build(options: &WorldOptions) -> Result<(World, Account)> {
    ensure!(!options.posts.is_empty(), "no trace of posts was given");
    ensure!((1..=DAYS_MAX).contains(&options.train_days), "--train-days must be 1 to {DAYS_MAX}");
    if let Some(days) = options.test_days {
        ensure!((1..=DAYS_MAX).contains(&days), "--test-days must be 1 to {DAYS_MAX}");
    }
    // Nothing of one trace among several leaves it out; nothing of all leaves nothing.
    let drawn = options.sample.is_empty() || options.sample.iter().any(|take| *take > 0);
    ensure!(drawn, "--sample must draw at least one feed");
    let mut account = Account::default();
    let mut traces = Vec::new();
    for (nth, path) in options.posts.iter().enumerate() {
        let events = read_posts(path)?;
        account.skipped.extend(events.skipped.clone());
        traces.push(Window::choose(events, options, nth, path)?);
    }
    let begin = if let [only] = traces.as_slice() { only.begin } else { MEETING_MONDAY };
    let rest = traces.iter().map(Window::days_left).min().unwrap_or(0);
    let test_days = match options.test_days {
        Some(days) => i64::from(days),
        None => rest,
    };
    ensure!(test_days >= 1, "the trace ends before the test begins: less than {} days", options.train_days);
    if test_days > rest + 1 {
        let note = format!("the shortest trace ends {rest} days into the test of {test_days} days");
        account.notes.push(note);
    }
    let end = begin + test_days * DAY_S;
    let feeds = choose_feeds(traces, begin, end, options, &mut account)?;
    let readers = choose_readers(options, begin, end, &feeds, &mut account)?;
    Ok((World { begin, end, feeds, readers }, account))
}

/// A trace and where its history and test begin, in its own time.
struct Window {
    events: Events,
    since: i64,
    begin: i64,
    last: i64,
}

impl Window {
    fn choose(events: Events, options: &WorldOptions, nth: usize, path: &std::path::Path) -> Result<Window> {
        let (Some(first), Some(last)) = (events.first(), events.last()) else {
            bail!("{} holds no posts{}", path.display(), broken(events.skipped.as_ref()));
        };
        let since = match options.starts.get(nth).or(options.starts.last()) {
            Some(start) => *start,
            None => monday_from(first),
        };
        let releases = path.to_string_lossy().contains("pypi");
        let days = match options.history_days.get(nth).or(options.history_days.last()) {
            Some(days) => *days,
            None if releases => options.train_days.max(RELEASES_HISTORY_DAYS),
            None => options.train_days,
        };
        ensure!((1..=DAYS_MAX).contains(&days), "--history-days must be 1 to {DAYS_MAX}");
        // Traces meet on a Monday; history may begin on any day.
        let begin = since + i64::from(days) * DAY_S;
        let begin = if options.posts.len() > 1 { monday_from(begin) } else { begin };
        Ok(Window { events, since, begin, last })
    }

    fn days_left(&self) -> i64 {
        (self.last - self.begin).div_euclid(DAY_S)
    }
}

fn choose_feeds(
    traces: Vec<Window>,
    begin: i64,
    end: i64,
    options: &WorldOptions,
    account: &mut Account,
) -> Result<Vec<FeedTrace>> {
    let mut feeds = Vec::new();
    let many = traces.len() > 1;
    for (nth, trace) in traces.into_iter().enumerate() {
        let shift = begin - trace.begin;
        let since = trace.since + shift;
        let all = trace.events.sources.len();
        let mut chosen: Vec<FeedTrace> = trace
            .events
            .sources
            .into_iter()
            .map(|(name, times)| {
                let posts: Vec<i64> =
                    times.iter().map(|at| at + shift).filter(|at| (since..end).contains(at)).collect();
                let name = if many { format!("{nth}/{name}") } else { name };
                FeedTrace { name, posts, since }
            })
            .filter(|feed| feed.posts.first().is_some_and(|first| *first < begin))
            .collect();
        account.feeds_without_history += all - chosen.len();
        if let (true, Some(take)) = (options.sample.len() > 1, options.sample.get(nth)) {
            chosen = drawn(chosen, *take, options.seed.wrapping_add(nth as u64));
        }
        feeds.extend(chosen);
    }
    if let [take] = options.sample.as_slice() {
        feeds = drawn(feeds, *take, options.seed);
    }
    ensure!(!feeds.is_empty(), "no feed posted in the {} days of history", options.train_days);
    Ok(feeds)
}

fn drawn(feeds: Vec<FeedTrace>, take: usize, seed: u64) -> Vec<FeedTrace> {
    let mut keep = vec![false; feeds.len()];
    for nth in Dice::new(seed).sample(feeds.len(), take) {
        keep[nth] = true;
    }
    feeds.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(feed, _)| feed).collect()
}

fn choose_readers(
    options: &WorldOptions,
    begin: i64,
    end: i64,
    feeds: &[FeedTrace],
    account: &mut Account,
) -> Result<Vec<ReaderTrace>> {
    let since = feeds.iter().map(|feed| feed.since).max().unwrap_or(begin);
    let mut readers = Vec::new();
    for path in &options.accesses {
        let events = read_accesses(path)?;
        if events.sources.is_empty() && events.skipped.is_some() {
            bail!("{} holds no looks{}", path.display(), broken(events.skipped.as_ref()));
        }
        account.skipped.extend(events.skipped.clone());
        for (name, times) in events.sources {
            let visits: Vec<i64> = shifted(&times, since).into_iter().filter(|at| *at < end).collect();
            // Whoever is never there while the test runs reads nothing of it; before it, nothing was learned.
            let both =
                visits.first().is_some_and(|at| *at < begin) && visits.last().is_some_and(|at| *at >= begin);
            if both {
                readers.push(ReaderTrace { name, visits, feeds: None });
            }
        }
    }
    if !options.accesses.is_empty() {
        ensure!(!readers.is_empty(), "nobody in the accesses is there both before and in the test");
    }
    if let Some(most) = options.readers_max {
        readers.sort_by_key(|reader| std::cmp::Reverse(reader.visits.len()));
        readers.truncate(most);
    }
    if let Some(path) = &options.subscriptions {
        subscribe(&mut readers, path, feeds, account).context("subscriptions")?;
    }
    Ok(readers)
}

/// By whole weeks, so that a person's first visit falls into the first week; visits closer than half an hour are one.
fn shifted(times: &[i64], since: i64) -> Vec<i64> {
    let Some(first) = times.first() else { return Vec::new() };
    let weeks = (since - monday_from(*first - WEEK_S + 1)).div_euclid(WEEK_S);
    let mut visits: Vec<i64> = Vec::new();
    let mut latest = i64::MIN;
    for at in times.iter().map(|at| at + weeks * WEEK_S) {
        if latest == i64::MIN || at - latest > VISIT_S {
            visits.push(at);
        }
        latest = at;
    }
    visits.retain(|at| *at >= since);
    visits
}

fn subscribe(
    readers: &mut Vec<ReaderTrace>,
    path: &std::path::Path,
    feeds: &[FeedTrace],
    account: &mut Account,
) -> Result<()> {
    let (pairs, skipped) = read_subscriptions(path)?;
    account.skipped.extend(skipped);
    let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
    for (nth, feed) in feeds.iter().enumerate() {
        let bare = feed.name.split_once('/').map_or(feed.name.as_str(), |(_, bare)| bare);
        for name in distinct([feed.name.as_str(), bare].into_iter()) {
            by_name.entry(name.to_lowercase()).or_default().push(nth);
        }
    }
    for reader in readers.iter_mut() {
        let mine = pairs.iter().filter(|(user, _)| *user == reader.name);
        let mut read: Vec<usize> =
            mine.filter_map(|(_, source)| by_name.get(&source.to_lowercase())).flatten().copied().collect();
        read.sort_unstable();
        read.dedup();
        reader.feeds = Some(read);
    }
    readers.retain(|reader| reader.feeds.as_ref().is_some_and(|feeds| !feeds.is_empty()));
    ensure!(!readers.is_empty(), "nobody with visits is subscribed to any feed of the trace");
    Ok(())
}

/// The Monday 00:00 UTC at or after `at`.
fn monday_from(at: i64) -> i64 {
    // 1970-01-05 was a Monday.
    const FIRST_MONDAY: i64 = 4 * DAY_S;
    FIRST_MONDAY + (at - FIRST_MONDAY + WEEK_S - 1).div_euclid(WEEK_S) * WEEK_S
}

/// `2018-01-08`, midnight UTC.
pub fn parse_date(text: &str) -> Result<i64> {
    let date: jiff::civil::Date = text.parse().with_context(|| format!("{text} is no date (2018-01-08)"))?;
    let at = date.to_zoned(jiff::tz::TimeZone::UTC)?.timestamp().as_second();
    ensure!((631_152_000..4_102_444_800).contains(&at), "{text} is not between 1990 and 2100");
    Ok(at)
}
