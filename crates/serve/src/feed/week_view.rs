//! A week of posts or opens as a picture, its finding as title, and the same as words.

use crate::chart::{self, Days, Finding, Svg, Week};
use crate::visitor::Visitor;
use crate::words::{Words, fill};
use domain::Timestamp;

/// The words of one week picture.
pub(super) struct Texts {
    title: &'static str,
    hours: &'static str,
    days: &'static str,
    any: &'static str,
    few: &'static str,
    span: &'static str,
}

impl Texts {
    pub(super) fn posts(w: &'static Words) -> Texts {
        let f = &w.feed;
        Texts {
            title: f.posts_title,
            hours: f.posts_hours,
            days: f.posts_days,
            any: f.posts_any,
            few: f.posts_few,
            span: f.posts_span,
        }
    }

    pub(super) fn opens(w: &'static Words) -> Texts {
        let f = &w.feed;
        Texts {
            title: f.opens_title,
            hours: f.opens_hours,
            days: f.opens_days,
            any: f.opens_any,
            few: f.opens_few,
            span: f.opens_span,
        }
    }
}

pub(super) struct WeekView {
    pub(super) title: String,
    pub(super) span: String,
    pub(super) picture: Svg,
    /// Why there is no picture.
    pub(super) few: Option<String>,
    /// Day and hours in words, for screen readers.
    pub(super) table: Vec<(&'static str, String)>,
}

impl WeekView {
    pub(super) fn of(times: &[Timestamp], visitor: &Visitor, texts: &Texts) -> WeekView {
        let (w, f, c) = (visitor.words, &visitor.words.feed, &visitor.words.common);
        let mut week = Week::default();
        for (day, hour) in times.iter().filter_map(|at| visitor.clock.week_hour(*at)) {
            week.add(day, hour);
        }
        let total = u64::from(week.total());
        let days_words = |days| match days {
            Days::Every => f.days_every,
            Days::Weekdays => f.days_weekdays,
            Days::Weekends => f.days_weekends,
        };
        let (title, few) = match week.finding() {
            Finding::TooLittle => (texts.title.to_owned(), Some(w.count(texts.few, total))),
            Finding::AllOver => (texts.any.to_owned(), None),
            Finding::OnDays(days) => (fill(texts.days, &[("days", &days_words(days))]), None),
            Finding::Hours { from, to, days } => {
                let to = if to == 0 { 24 } else { to };
                (fill(texts.hours, &[("days", &days_words(days)), ("from", &from), ("to", &to)]), None)
            }
        };
        let days = [c.monday, c.tuesday, c.wednesday, c.thursday, c.friday, c.saturday, c.sunday];
        WeekView {
            picture: chart::week(&week, &days, &title),
            span: w.count(texts.span, total),
            table: days.iter().zip(&week.0).map(|(day, hours)| (*day, hours_words(hours, w))).collect(),
            title,
            few,
        }
    }
}

fn hours_words(hours: &[u32; 24], w: &'static Words) -> String {
    let some: Vec<String> = hours
        .iter()
        .enumerate()
        .filter(|(_, n)| **n > 0)
        .map(|(hour, n)| fill(w.feed.at_hour, &[("hour", &hour), ("n", n)]))
        .collect();
    if some.is_empty() { w.feed.table_none.to_owned() } else { some.join(", ") }
}
