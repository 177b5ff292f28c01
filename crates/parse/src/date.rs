//! Dates as publishers write them.
//!
//! RFC 822 and its many accidents, RFC 3339 and W3CDTF with parts missing, asctime, and names of months in some
//! twenty languages. No clock is read: what is missing is midnight UTC on the first. A date that no calendar has
//! (30 February) or that cannot be told from another (03/04/2025) is `None`, never a guess.

mod names;

use domain::Timestamp;
use jiff::civil::Date;

/// Longer text is not a date; real ones stay below fifty characters.
const DATE_BYTES_MAX: usize = 128;

pub(crate) fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.is_empty() || text.len() > DATE_BYTES_MAX {
        return None;
    }
    let text = spelled_in_digits(text);
    let text = text.trim();
    iso(text).or_else(|| by_words(text)).or_else(|| unix(text))
}

/// A day, a time of day in seconds and microseconds, and an offset from UTC in seconds.
#[derive(Default, Clone, Copy)]
struct Moment {
    year: i64,
    month: i64,
    day: i64,
    seconds: i64,
    micros: i64,
    offset: i64,
}

impl Moment {
    fn timestamp(self) -> Option<Timestamp> {
        let date = Date::new(
            i16::try_from(self.year).ok()?,
            i8::try_from(self.month).ok()?,
            i8::try_from(self.day).ok()?,
        )
        .ok()?;
        let days = date.duration_since(jiff::civil::date(1970, 1, 1)).as_hours() / 24;
        let seconds = days.checked_mul(86_400)?.checked_add(self.seconds)?.checked_sub(self.offset)?;
        let micros = seconds.checked_mul(1_000_000)?.checked_add(self.micros)?;
        Some(Timestamp::from_micros(micros))
    }
}

/// East Asian dates put words where others put dashes: `2004年05月28日`, `2004년 05월 28일 오후 01:31`.
fn spelled_in_digits(text: &str) -> std::borrow::Cow<'_, str> {
    if text.is_ascii() {
        return text.into();
    }
    let korean = text.contains(['년', '오']);
    let mut out = text
        .replace(['年', '년', '月', '월'], "-")
        .replace(['日', '일'], " ")
        .replace("오전", " AM ")
        .replace("오후", " PM ")
        .replace(['時', '时', '분', '시'], ":")
        .replace("- ", "-")
        .replace(['\u{a0}', '\u{2009}', '\u{202f}'], " ");
    if korean {
        out.push_str(" KST");
    }
    out.into()
}

/// ISO 8601 in its many cuts: `2003`, `2003-12`, `20031231`, `2003-365`, `2003-12-31T10:14:55.5+01:00`, and with a
/// space or slashes where the standard has none.
fn iso(text: &str) -> Option<Timestamp> {
    let (day_part, rest) = split_day(text)?;
    let mut moment = Moment { month: 1, day: 1, ..Moment::default() };
    let parts: Vec<&str> = day_part.split(['-', '/', '.']).collect();
    match (parts.as_slice(), day_part.len()) {
        ([year], 4) => moment.year = number(year)?,
        ([whole], 6) if rest.is_empty() => {
            let value = number(whole)?;
            (moment.year, moment.month, moment.day) =
                (century(value / 10_000), value / 100 % 100, value % 100);
        }
        ([whole], 8) => {
            let value = number(whole)?;
            (moment.year, moment.month, moment.day) = (value / 10_000, value / 100 % 100, value % 100);
        }
        ([whole], 7) => (moment.year, moment.month, moment.day) = ordinal(&whole[..4], &whole[4..])?,
        ([year, day], _) if year.len() == 4 && day.len() == 3 => {
            (moment.year, moment.month, moment.day) = ordinal(year, day)?;
        }
        ([year, month], _) if year.len() == 4 => {
            (moment.year, moment.month) = (number(year)?, number(month)?);
        }
        ([year, month, day], _) if year.len() == 4 => {
            (moment.year, moment.month, moment.day) = (number(year)?, number(month)?, number(day)?);
        }
        // 25/06/2004 or 06/25/2004 where only one reading is possible.
        ([first, second, year], _) if year.len() == 4 => {
            let (first, second) = (number(first)?, number(second)?);
            let (day, month) = match (first > 12, second > 12) {
                (true, false) => (first, second),
                (false, true) => (second, first),
                _ if first == second || day_part.contains('.') => (first, second),
                _ => return None,
            };
            (moment.year, moment.month, moment.day) = (number(year)?, month, day);
        }
        _ => return None,
    }
    let rest =
        rest.trim_start_matches(|c: char| c == 'T' || c == 't' || c == '_' || c == ',' || c.is_whitespace());
    if !rest.is_empty() {
        clock(rest, &mut moment)?;
    }
    moment.timestamp()
}

fn split_day(text: &str) -> Option<(&str, &str)> {
    let end =
        text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '-' | '/' | '.'))).unwrap_or(text.len());
    let (day, rest) = text.split_at(end);
    let day = day.trim_end_matches(['-', '.', '/']);
    if !day.starts_with(|c: char| c.is_ascii_digit()) || day.len() < 4 || rest.starts_with(':') {
        return None;
    }
    Some((day, rest))
}

fn ordinal(year: &str, day: &str) -> Option<(i64, i64, i64)> {
    let year = number(year)?;
    let day_of_year = number(day)?;
    if !(1..=366).contains(&day_of_year) {
        return None;
    }
    let first = Date::new(i16::try_from(year).ok()?, 1, 1).ok()?;
    let date = first.checked_add(jiff::Span::new().days(day_of_year - 1)).ok()?;
    (i64::from(date.year()) == year).then(|| (year, i64::from(date.month()), i64::from(date.day())))
}

/// `10:14:55.123 PM +0100`, `101455Z`, `10h14`, and a zone by number or name.
fn clock(text: &str, moment: &mut Moment) -> Option<()> {
    let mut afternoon = None;
    let mut seen_time = false;
    let words =
        text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')')).filter(|w| !w.is_empty());
    for word in words {
        if let Some(half) = half_day(word) {
            afternoon = Some(half);
        } else if !seen_time && word.starts_with(|c: char| c.is_ascii_digit()) {
            let zone = time_of_day(word, moment)?;
            seen_time = true;
            if let Some(half) = half_day(zone) {
                afternoon = Some(half);
            } else if !zone.is_empty() {
                moment.offset = zone_offset(zone)?;
            }
        } else if seen_time {
            set_zone(word, moment)?;
        } else {
            return None;
        }
    }
    apply_half_day(afternoon, moment)
}

fn half_day(word: &str) -> Option<bool> {
    match word.trim_matches('.').to_ascii_lowercase().as_str() {
        "am" | "a.m" => Some(false),
        "pm" | "p.m" => Some(true),
        _ => None,
    }
}

fn apply_half_day(afternoon: Option<bool>, moment: &mut Moment) -> Option<()> {
    let hour = moment.seconds / 3600;
    match afternoon {
        Some(true) if hour < 12 => moment.seconds += 12 * 3600,
        Some(false) if hour == 12 => moment.seconds -= 12 * 3600,
        _ => {}
    }
    Some(())
}

/// A zone that follows the time. A name and a number together ("GMT +0200", "CEST+0200") mean the number.
fn set_zone(word: &str, moment: &mut Moment) -> Option<()> {
    if word.chars().all(|c| c.is_ascii_digit()) && word.len() == 4 {
        // Either a zone that lost its sign, always 0000 in practice, or asctime's year, which the caller took.
        return (word == "0000").then_some(());
    }
    if let Some(offset) = zone_offset(word) {
        moment.offset = offset;
    }
    Some(())
}

/// Reads the time of day and gives back what follows it without a space, usually a zone.
fn time_of_day<'a>(word: &'a str, moment: &mut Moment) -> Option<&'a str> {
    let end =
        word.find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.' | 'h'))).unwrap_or(word.len());
    let (time, zone) = word.split_at(end);
    let time = time.trim_end_matches([':', '.']);
    // `10.14.55` is a time with dots, `10:14:55.5` one with a fraction.
    let (clock, fraction) = match time.contains([':', 'h']) || time.matches('.').count() < 2 {
        true => time.split_once('.').unwrap_or((time, "")),
        false => (time, ""),
    };
    let parts: Vec<&str> = clock.split([':', 'h', '.']).filter(|p| !p.is_empty()).collect();
    let (hour, minute, second) = match parts.as_slice() {
        [whole] if whole.len() == 6 => (number(&whole[..2])?, number(&whole[2..4])?, number(&whole[4..])?),
        [whole] if whole.len() == 4 => (number(&whole[..2])?, number(&whole[2..])?, 0),
        [hour] => (number(hour)?, 0, 0),
        [hour, minute] => (number(hour)?, number(minute)?, 0),
        [hour, minute, second, ..] => (number(hour)?, number(minute)?, number(second)?),
        _ => return None,
    };
    // 24:00 is the next midnight; 60 is a leap second.
    if hour > 24 || (hour == 24 && (minute, second) != (0, 0)) || minute > 59 || second > 60 {
        return None;
    }
    moment.seconds = hour * 3600 + minute * 60 + second;
    let digits: String =
        fraction.chars().filter(char::is_ascii_digit).chain("000000".chars()).take(6).collect();
    moment.micros = digits.parse().ok()?;
    Some(zone)
}

/// Seconds east of UTC. A name nobody knows is `None`.
fn zone_offset(zone: &str) -> Option<i64> {
    let zone = zone.trim_matches(['[', ']', '"']);
    let zone = zone.strip_prefix("Etc/").unwrap_or(zone);
    let Some(sign_at) = zone.find(['+', '-', '−']) else { return names::zone(zone) };
    let (name, signed) = zone.split_at(sign_at);
    if !name.is_empty() && names::zone(name).is_none() {
        return None;
    }
    let sign = if signed.starts_with('+') { 1 } else { -1 };
    let digits = signed.trim_start_matches(['+', '-', '−']);
    let (hours, minutes) = match digits.split_once(':') {
        Some((hours, minutes)) => (number(hours)?, number(minutes.get(..2).unwrap_or(minutes))?),
        None if digits.len() <= 2 => (number(digits)?, 0),
        None if digits.len() == 3 => (number(&digits[..1])?, number(&digits[1..])?),
        None => (number(digits.get(..2)?)?, number(digits.get(2..4)?)?),
    };
    (hours <= 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// RFC 822, asctime and everything with a month in words.
fn by_words(text: &str) -> Option<Timestamp> {
    let mut moment = Moment::default();
    let mut found = Found::default();
    for word in
        text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')')).filter(|w| !w.is_empty())
    {
        found.take(word, &mut moment)?;
    }
    // A month named after the day wins: "mar., 24 sept." has two words that could be one.
    moment.month = found.month_after_day.or(found.month_before_day)?;
    moment.day = found.day?;
    moment.year = found.year?;
    apply_half_day(found.afternoon, &mut moment)?;
    moment.timestamp()
}

#[derive(Default)]
struct Found {
    month_before_day: Option<i64>,
    month_after_day: Option<i64>,
    day: Option<i64>,
    year: Option<i64>,
    time: bool,
    afternoon: Option<bool>,
}

impl Found {
    fn take(&mut self, word: &str, moment: &mut Moment) -> Option<()> {
        let first = word.chars().next()?;
        if first.is_ascii_digit() {
            return self.take_number(word, moment);
        }
        if matches!(first, '+' | '-' | '−') && self.time {
            moment.offset = zone_offset(word)?;
            return Some(());
        }
        if let Some(half) = half_day(word)
            && self.time
        {
            self.afternoon = Some(half);
        } else if word.contains(['-', '/']) && !self.time && word.chars().any(|c| c.is_ascii_digit()) {
            // "Sep-24-2012"
            for part in word.split(['-', '/']).filter(|p| !p.is_empty()) {
                self.take(part, moment)?;
            }
        } else if self.time && self.year.is_some() {
            moment.offset = zone_offset(word).unwrap_or(moment.offset);
        } else if let Some(month) = names::month(word) {
            let slot =
                if self.day.is_some() { &mut self.month_after_day } else { &mut self.month_before_day };
            *slot = slot.or(Some(month));
        } else if self.time {
            moment.offset = zone_offset(word).unwrap_or(moment.offset);
        }
        // Anything else is a weekday in some language, or "of", "de", "klo".
        Some(())
    }

    fn take_number(&mut self, word: &str, moment: &mut Moment) -> Option<()> {
        if word.contains(':') || (self.year.is_some() && !self.time && word.contains(['.', 'h'])) {
            let zone = time_of_day(word, moment)?;
            self.time = true;
            if let Some(half) = half_day(zone) {
                self.afternoon = Some(half);
            } else if !zone.is_empty() {
                moment.offset = zone_offset(zone)?;
            }
            return Some(());
        }
        if word.contains(['-', '/']) || word.trim_end_matches('.').contains('.') {
            // "24-Sep-2012", "24.Sep.2012", or a whole ISO day after a weekday.
            let parts: Vec<&str> = word.split(['-', '/', '.']).filter(|p| !p.is_empty()).collect();
            if let [year, month, day] = parts.as_slice()
                && year.len() == 4
                && let Some(month) = number(month)
            {
                (self.year, self.month_after_day, self.day) = (number(year), Some(month), number(day));
                return Some(());
            }
            for part in parts {
                self.take(part, moment)?;
            }
            return Some(());
        }
        let digits = word.trim_end_matches(|c: char| !c.is_ascii_digit());
        let value = number(digits)?;
        if digits.len() >= 3 && self.year.is_none() {
            self.year = Some(value);
        } else if self.day.is_none() {
            self.day = Some(value);
        } else if self.year.is_none() {
            self.year = Some(century(value));
        } else if digits.len() == 6 && !self.time {
            time_of_day(digits, moment)?;
            self.time = true;
        } else if digits.len() > 4 || (digits.len() != 4 && self.time) {
            return None;
        }
        // A fourth number of four digits is a zone that lost its sign: "… 10:00:00 0000".
        Some(())
    }
}

/// RFC 2822 §4.3, with the years that no feed has given to this century.
fn century(year: i64) -> i64 {
    if year < 70 { year + 2000 } else { year + 1900 }
}

/// Seconds or milliseconds since 1970, as some scripts write them.
fn unix(text: &str) -> Option<Timestamp> {
    let value = number(text)?;
    match text.len() {
        9 | 10 => Some(Timestamp::from_seconds(value)),
        13 => Some(Timestamp::from_micros(value.checked_mul(1000)?)),
        _ => None,
    }
}

fn number(text: &str) -> Option<i64> {
    let all_digits = !text.is_empty() && text.len() <= 13 && text.bytes().all(|b| b.is_ascii_digit());
    if all_digits { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests;
