//! Times for people: short ages in lists, exact times on hover, all in the person's own zone and language.

use crate::words::{Words, fill};
use domain::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::time::Duration;

/// One person's way of telling time, at one moment.
#[derive(Debug, Clone)]
pub(crate) struct Clockwork {
    pub(crate) now: Timestamp,
    zone: TimeZone,
    words: &'static Words,
}

/// A time as the templates write it: `<time datetime="exact" title="full">short</time>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct When {
    /// For programs, RFC 3339.
    pub(crate) exact: String,
    /// To the minute, with the day.
    pub(crate) full: String,
    pub(crate) short: String,
}

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

impl Clockwork {
    /// An unknown zone is UTC.
    pub(crate) fn new(now: Timestamp, zone: Option<&str>, words: &'static Words) -> Self {
        let zone = zone.and_then(|name| TimeZone::get(name).ok()).unwrap_or(TimeZone::UTC);
        Clockwork { now, zone, words }
    }

    /// How long ago, as rows show it: `41 min`, `5 h`, `3 d`, then the date.
    pub(crate) fn ago(&self, at: Timestamp) -> When {
        let age = self.now.since(at);
        let short = if age < Duration::from_secs(7 * DAY) { self.span(age) } else { self.day(at) };
        When { exact: at.to_string(), full: self.full(at), short }
    }

    /// When something is going to happen: `in 3 min`, `in 5 h`, then the date.
    pub(crate) fn ahead(&self, at: Timestamp) -> When {
        let c = &self.words.common;
        let ahead = at.since(self.now).as_secs();
        let short = match ahead {
            0..MINUTE => c.now.to_owned(),
            MINUTE..HOUR => self.words.count(c.in_minutes, ahead / MINUTE),
            HOUR..DAY => self.words.count(c.in_hours, ahead / HOUR),
            _ if ahead < 7 * DAY => self.words.count(c.in_days, ahead / DAY),
            _ => self.day(at),
        };
        When { exact: at.to_string(), full: self.full(at), short }
    }

    /// A length of time: `now`, `6 min`, `3 h`, `12 d`.
    pub(crate) fn span(&self, span: Duration) -> String {
        let c = &self.words.common;
        let seconds = span.as_secs();
        match seconds {
            0..MINUTE => c.now.to_owned(),
            MINUTE..HOUR => self.words.count(c.minutes, seconds / MINUTE),
            HOUR..DAY => self.words.count(c.hours, seconds / HOUR),
            _ => self.words.count(c.days, seconds / DAY),
        }
    }

    /// `Today, 17:52`, `Yesterday, 09:10`, `Tue, 14:00`, `3 May, 14:00`, `3 May 2019, 14:00`.
    pub(crate) fn full(&self, at: Timestamp) -> String {
        let Some(zoned) = self.zoned(at) else { return at.to_string() };
        let c = &self.words.common;
        let time = self.clock(at);
        let (date, today) = (zoned.date(), self.today());
        let days = today.map(|today| days_between(date, today));
        match days {
            Some(0) => fill(c.today, &[("time", &time)]),
            Some(1) => fill(c.yesterday, &[("time", &time)]),
            _ => fill(c.day_at, &[("day", &self.day(at)), ("time", &time)]),
        }
    }

    /// `14:05` in the person's zone.
    pub(crate) fn clock(&self, at: Timestamp) -> String {
        self.zoned(at).map_or_else(|| at.to_string(), |zoned| zoned.strftime("%H:%M").to_string())
    }

    /// `Tue` within the last week, else `3 May`, with the year when it is another.
    pub(crate) fn day(&self, at: Timestamp) -> String {
        let Some(zoned) = self.zoned(at) else { return at.to_string() };
        let c = &self.words.common;
        let (date, today) = (zoned.date(), self.today());
        if today.is_some_and(|today| (2..7).contains(&days_between(date, today))) {
            let names = [c.monday, c.tuesday, c.wednesday, c.thursday, c.friday, c.saturday, c.sunday];
            let day = usize::try_from(date.weekday().to_monday_zero_offset()).unwrap_or(0);
            return names.get(day).copied().unwrap_or_default().to_owned();
        }
        self.date(at)
    }

    /// `3 May`, with the year when it is another.
    pub(crate) fn date(&self, at: Timestamp) -> String {
        let Some(zoned) = self.zoned(at) else { return at.to_string() };
        let (c, date) = (&self.words.common, zoned.date());
        let text = if self.is_this_year(date) { c.day_month } else { c.day_month_year };
        fill(text, &[("day", &date.day()), ("month", &month(c.months, date)), ("year", &date.year())])
    }

    /// `October`, with the year when it is another; the day when that was within four weeks.
    pub(crate) fn since_month(&self, at: Timestamp) -> String {
        let Some(zoned) = self.zoned(at) else { return at.to_string() };
        let (d, date) = (&self.words.discover, zoned.date());
        if self.now.since(at) < Duration::from_secs(28 * DAY) {
            return self.day(at);
        }
        let month = month(d.months, date);
        if self.is_this_year(date) {
            return month.to_owned();
        }
        fill(d.month_year, &[("month", &month), ("year", &date.year())])
    }

    fn is_this_year(&self, date: Date) -> bool {
        self.today().is_some_and(|today| today.year() == date.year())
    }

    /// Day of the week (0 = Monday) and hour, for pictures of a week.
    pub(crate) fn week_hour(&self, at: Timestamp) -> Option<(usize, usize)> {
        let zoned = self.zoned(at)?;
        let day = usize::try_from(zoned.date().weekday().to_monday_zero_offset()).ok()?;
        Some((day, usize::try_from(zoned.hour()).ok()?))
    }

    /// How much of its day is over, from 0 to 1.
    pub(crate) fn day_part(&self, at: Timestamp) -> Option<f64> {
        let zoned = self.zoned(at)?;
        let seconds =
            i32::from(zoned.hour()) * 3600 + i32::from(zoned.minute()) * 60 + i32::from(zoned.second());
        Some(f64::from(seconds) / 86_400.0)
    }

    pub(crate) fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// The date so many days before today, as `2026-05-01`.
    pub(crate) fn date_before(&self, days: i32) -> Option<String> {
        let date = self.today()?.checked_sub(jiff::Span::new().try_days(days).ok()?).ok()?;
        Some(date.to_string())
    }

    /// Midnight at the beginning of today.
    pub(crate) fn start_of_today(&self) -> Timestamp {
        self.start_of(self.zoned(self.now))
    }

    /// Midnight at the end of today, which has 23 or 25 hours when clocks change.
    pub(crate) fn start_of_tomorrow(&self) -> Timestamp {
        self.start_of(self.zoned(self.now).and_then(|zoned| zoned.tomorrow().ok()))
    }

    fn start_of(&self, day: Option<jiff::Zoned>) -> Timestamp {
        day.and_then(|zoned| zoned.start_of_day().ok())
            .map_or(self.now, |start| Timestamp::from_micros(start.timestamp().as_microsecond()))
    }

    fn zoned(&self, at: Timestamp) -> Option<jiff::Zoned> {
        Some(jiff::Timestamp::from_microsecond(at.micros()).ok()?.to_zoned(self.zone.clone()))
    }

    fn today(&self) -> Option<Date> {
        self.zoned(self.now).map(|zoned| zoned.date())
    }
}

/// One of twelve names.
fn month(names: &'static str, date: Date) -> &'static str {
    let month = usize::try_from(date.month()).unwrap_or(1);
    names.split(' ').nth(month.saturating_sub(1)).unwrap_or_default()
}

fn days_between(from: Date, to: Date) -> i32 {
    to.since(from).map_or(i32::MAX, |span| span.get_days())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::preferences::Language;

    /// Monday 16 November 2026, 10:00 UTC.
    const NOW: Timestamp = Timestamp::from_seconds(1_794_823_200);

    fn at(seconds_ago: i64) -> Timestamp {
        Timestamp::from_seconds(NOW.seconds() - seconds_ago)
    }

    #[test]
    fn ages_are_short_and_exact_times_are_in_the_persons_zone() {
        let berlin = Clockwork::new(NOW, Some("Europe/Berlin"), Words::of(Language::English));
        assert_eq!(berlin.ago(at(41 * 60)).short, "41 min");
        assert_eq!(berlin.ago(at(5 * 3600)).short, "5 h");
        assert_eq!(berlin.ago(at(30)).short, "now");
        assert_eq!(berlin.ago(at(60 * 60)).full, "Today, 10:00");
        assert_eq!(berlin.ago(at(12 * 3600)).full, "Yesterday, 23:00");
        assert_eq!(berlin.ago(at(20 * 86_400)).short, "27 Oct");
        assert_eq!(berlin.full(at(400 * 86_400)), "12 Oct 2025, 12:00");
        let german = Clockwork::new(NOW, Some("Europe/Berlin"), Words::of(Language::German));
        assert_eq!(german.full(at(3 * 86_400)), "Fr, 11:00");
        assert_eq!(german.day(at(20 * 86_400)), "27. Okt");
    }

    #[test]
    fn times_ahead_and_odd_times_are_still_words() {
        let utc = Clockwork::new(NOW, Some("Not/AZone"), Words::of(Language::English));
        assert_eq!(utc.ahead(at(-180)).short, "in 3 min");
        assert_eq!(utc.ahead(at(10)).short, "now");
        assert_eq!(utc.ahead(at(-86_400 * 2)).short, "in 2 d");
        // A time beyond the calendar is shown as it is.
        assert!(!utc.full(Timestamp::FAR_FUTURE).is_empty());
    }

    #[test]
    fn days_before_today_are_dates_of_the_persons_zone() {
        let late = Timestamp::from_seconds(NOW.seconds() + 13 * 3600 + 1800);
        let at = |zone| Clockwork::new(late, Some(zone), Words::of(Language::English)).date_before(7);
        assert_eq!(at("UTC").as_deref(), Some("2026-11-09"));
        assert_eq!(at("Europe/Berlin").as_deref(), Some("2026-11-10"));
    }

    #[test]
    fn a_day_on_which_clocks_change_is_as_long_as_it_is() {
        // 29 March, 25 October and 16 November 2026, noon UTC.
        for (noon, hours) in [(1_774_785_600, 23), (1_792_929_600, 25), (1_794_830_400, 24)] {
            let now = Timestamp::from_seconds(noon);
            let berlin = Clockwork::new(now, Some("Europe/Berlin"), Words::of(Language::English));
            let day = berlin.start_of_tomorrow().since(berlin.start_of_today());
            assert_eq!(day, Duration::from_secs(hours * HOUR), "{noon}");
        }
    }

    #[test]
    fn the_week_of_a_clock_change_keeps_its_hours() {
        // 25 October 2026, 02:30 UTC: Berlin has just gone back to winter time.
        let berlin = Clockwork::new(NOW, Some("Europe/Berlin"), Words::of(Language::English));
        assert_eq!(berlin.week_hour(Timestamp::from_seconds(1_792_895_400)), Some((6, 3)));
        assert_eq!(berlin.week_hour(Timestamp::from_seconds(1_792_884_600)), Some((6, 1)));
    }
}
