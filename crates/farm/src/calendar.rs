//! Civil dates in UTC and the three spellings feeds and HTTP use. Written here because the farm also needs dates that
//! no careful library would print.

use domain::Timestamp;
use std::fmt::Write;

pub(crate) const DAY_S: i64 = 86_400;
pub(crate) const HOUR_S: i64 = 3_600;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Civil {
    pub(crate) year: i64,
    pub(crate) month: u8,
    pub(crate) day: u8,
    /// 0 = Monday.
    pub(crate) weekday: u8,
    pub(crate) hour: u8,
    pub(crate) minute: u8,
    pub(crate) second: u8,
}

pub(crate) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
pub(crate) const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// Days are counted from 1 March of year 0, so that the leap day ends a year and needs no special case.
pub(crate) fn civil(at: Timestamp) -> Civil {
    let seconds = at.seconds();
    let days = seconds.div_euclid(DAY_S);
    let of_day = seconds.rem_euclid(DAY_S);
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_shifted = (5 * of_year + 2) / 153;
    let month = if month_shifted < 10 { month_shifted + 3 } else { month_shifted - 9 };
    Civil {
        year: year_of_era + era * 400 + i64::from(month <= 2),
        month: month as u8,
        day: (of_year - (153 * month_shifted + 2) / 5 + 1) as u8,
        weekday: (days + 3).rem_euclid(7) as u8,
        hour: (of_day / HOUR_S) as u8,
        minute: (of_day / 60 % 60) as u8,
        second: (of_day % 60) as u8,
    }
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`: the preferred HTTP date (RFC 9110 §5.6.7), which RSS 2.0 reads too.
pub(crate) fn http_date(at: Timestamp) -> String {
    let c = civil(at);
    format!(
        "{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
        short(&WEEKDAYS, c.weekday),
        c.day,
        short(&MONTHS, c.month.saturating_sub(1)),
        c.year,
        c.hour,
        c.minute,
        c.second
    )
}

/// RFC 3339 in UTC, for Atom, JSON Feed and Dublin Core.
pub(crate) fn rfc3339(at: Timestamp) -> String {
    let c = civil(at);
    let mut out = String::with_capacity(20);
    let _ = write!(
        out,
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
        c.year, c.month, c.day, c.hour, c.minute, c.second
    );
    out
}

pub(crate) fn day_of(at: Timestamp) -> i64 {
    at.seconds().div_euclid(DAY_S)
}

fn short(names: &[&'static str], index: u8) -> &'static str {
    names.get(usize::from(index)).and_then(|name| name.get(..3)).unwrap_or("Mon")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_instants_are_spelled_as_the_standards_spell_them() {
        let at = Timestamp::from_seconds(784_111_777);
        assert_eq!(http_date(at), "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(rfc3339(at), "1994-11-06T08:49:37Z");
        assert_eq!(rfc3339(Timestamp::from_seconds(951_782_400)), "2000-02-29T00:00:00Z");
        assert_eq!(http_date(Timestamp::EPOCH), "Thu, 01 Jan 1970 00:00:00 GMT");
    }
}
