//! Expected and realised, day by day: of all feeds of a person, or of one.

use super::delay;
use crate::chart::{self, DaysChart, Svg};
use crate::visitor::Visitor;
use crate::words::{Words, fill};
use domain::{FeedDay, Timestamp};

pub(crate) struct CameTrue {
    pub(crate) title: String,
    /// None while too little is known.
    pub(crate) picture: Option<Svg>,
    pub(crate) numbers: Vec<Number>,
    /// Means over all days shown; None while too little is known.
    pub(crate) realised: Option<String>,
    pub(crate) expected: Option<String>,
    /// Day, realised, expected: for screen readers.
    pub(crate) table: Vec<(String, String, String)>,
}

pub(crate) struct Number {
    pub(crate) value: String,
    pub(crate) unit: String,
    pub(crate) text: String,
    pub(crate) is_ours: bool,
}

const DAYS: usize = 14;
const POSTS_MIN: u32 = 10;
/// A day with so few posts does not stand out, whatever it says.
const NOTED_MIN: u32 = 5;
/// Slower than expected by so much is worth a word.
const MUCH: f64 = 1.5;
const DAY_S: i64 = 86_400;

struct Day {
    at: Timestamp,
    posts: u32,
    realised_s: f64,
    expected_s: f64,
}

impl CameTrue {
    pub(crate) fn of(days: &[FeedDay], visitor: &Visitor) -> CameTrue {
        let (w, s) = (visitor.words, &visitor.words.schedule);
        let today = visitor.now().seconds().div_euclid(DAY_S);
        let known: Vec<Option<Day>> = (0..DAYS)
            .rev()
            .map(|ago| {
                let day = today.saturating_sub(i64::try_from(ago).unwrap_or(0));
                days.iter().find(|one| one.day == day).and_then(of_day)
            })
            .collect();
        let posts: u32 = known.iter().flatten().map(|day| day.posts).sum();
        if posts < POSTS_MIN {
            return CameTrue {
                title: s.too_few.to_owned(),
                picture: None,
                numbers: Vec::new(),
                realised: None,
                expected: None,
                table: Vec::new(),
            };
        }
        let (realised, expected) = (mean(&known, |day| day.realised_s), mean(&known, |day| day.expected_s));
        let odd = outlier(&known);
        let weekday = odd.and_then(|(_, at)| weekday(at, visitor));
        let title = match (realised / expected.max(1.0), weekday) {
            (ratio, Some(day)) if ratio < MUCH => fill(s.kept_but, &[("day", &day)]),
            (ratio, _) if ratio > 1.25 => s.slower.to_owned(),
            (ratio, _) if ratio < 0.8 => s.sooner.to_owned(),
            _ => s.kept.to_owned(),
        };
        CameTrue {
            picture: Some(picture(&known, odd.zip(weekday).map(|((nth, _), day)| (nth, day)), visitor)),
            numbers: numbers(&known, days, today, w),
            realised: Some(delay(realised, w)),
            expected: Some(delay(expected, w)),
            table: known
                .iter()
                .flatten()
                .map(|day| (visitor.clock.day(day.at), delay(day.realised_s, w), delay(day.expected_s, w)))
                .collect(),
            title,
        }
    }
}

fn of_day(day: &FeedDay) -> Option<Day> {
    let posts = day.found.dated;
    let each = |ms: u64| ms as f64 / 1_000.0 / f64::from(posts.max(1));
    // Noon, so that it is the same day in most zones.
    let at = Timestamp::from_seconds(day.day.saturating_mul(DAY_S).saturating_add(DAY_S / 2));
    let (realised_s, expected_s) = (each(day.found.delay_ms), each(day.found.expected_ms));
    (posts > 0).then_some(Day { at, posts, realised_s, expected_s })
}

/// Over posts, not over days.
fn mean(days: &[Option<Day>], of: impl Fn(&Day) -> f64) -> f64 {
    let posts: u32 = days.iter().flatten().map(|day| day.posts).sum();
    days.iter().flatten().map(|day| of(day) * f64::from(day.posts)).sum::<f64>() / f64::from(posts.max(1))
}

/// The worst day, when it is much worse than expected.
fn outlier(days: &[Option<Day>]) -> Option<(usize, Timestamp)> {
    days.iter()
        .enumerate()
        .filter_map(|(nth, day)| day.as_ref().map(|day| (nth, day)))
        .filter(|(_, day)| day.posts >= NOTED_MIN && day.realised_s > MUCH * day.expected_s.max(60.0))
        .max_by(|(_, a), (_, b)| a.realised_s.total_cmp(&b.realised_s))
        .map(|(nth, day)| (nth, day.at))
}

fn weekday(at: Timestamp, visitor: &Visitor) -> Option<&'static str> {
    let c = &visitor.words.common;
    let days = [c.monday, c.tuesday, c.wednesday, c.thursday, c.friday, c.saturday, c.sunday];
    visitor.clock.week_hour(at).and_then(|(day, _)| days.get(day).copied())
}

fn picture(days: &[Option<Day>], note: Option<(usize, &'static str)>, visitor: &Visitor) -> Svg {
    let (w, s) = (visitor.words, &visitor.words.schedule);
    let values =
        |of: fn(&Day) -> f64| -> Vec<Option<f64>> { days.iter().map(|day| day.as_ref().map(of)).collect() };
    let (realised, expected) = (values(|day| day.realised_s), values(|day| day.expected_s));
    let most = realised.iter().chain(&expected).flatten().copied().fold(60.0, f64::max);
    // Half hours up to two, whole hours from there.
    let width = if most <= 7_200.0 { 1_800.0 } else { 3_600.0 };
    let top = (most / width).ceil() * width;
    let (top_label, from) =
        (delay(top, w), visitor.now().saturating_sub(std::time::Duration::from_secs(13 * 86_400)));
    let label = fill(
        s.days_picture,
        &[
            ("n", &DAYS),
            ("expected", &delay(mean(days, |day| day.expected_s), w)),
            ("realised", &delay(mean(days, |day| day.realised_s), w)),
        ],
    );
    chart::days(&DaysChart {
        realised: &realised,
        expected: &expected,
        top: (top, &top_label),
        note,
        realised_label: s.realised,
        expected_label: s.expected,
        from_label: &visitor.clock.day(from),
        to_label: s.today,
        label: &label,
    })
}

fn numbers(days: &[Option<Day>], all: &[FeedDay], today: i64, w: &'static Words) -> Vec<Number> {
    let s = &w.schedule;
    let week = days.get(DAYS - 7..).unwrap_or_default();
    let (value, text) = match days.last() {
        Some(Some(day)) if day.posts >= NOTED_MIN => (day.realised_s, s.realised_today),
        _ => (mean(week, |day| day.realised_s), s.realised_week),
    };
    let big = |seconds: f64, text: &str, is_ours: bool| {
        let words = delay(seconds, w);
        let (value, unit) = words.split_once(' ').unwrap_or((&words, ""));
        Number { value: value.to_owned(), unit: unit.to_owned(), text: text.to_owned(), is_ours }
    };
    let this_week = || all.iter().filter(|day| day.day > today - 7);
    let lost: u64 = this_week().map(|day| u64::from(day.found.lost)).sum();
    let posts: u64 = this_week().map(|day| u64::from(day.found.dated)).sum();
    let (one, many) = s.lost.split_once('|').unwrap_or((s.lost, s.lost));
    vec![
        big(value, text, true),
        big(mean(week, |day| day.expected_s), s.expected, false),
        Number {
            value: w.number(lost),
            unit: fill(s.of, &[("n", &w.number(posts.saturating_add(lost)))]),
            text: if lost == 1 { one } else { many }.to_owned(),
            is_ours: false,
        },
    ]
}
