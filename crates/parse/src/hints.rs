//! What a publisher says about polling: `ttl`, `skipHours`, `skipDays`, the syndication module (N7–N9).
//!
//! Absurd values are `None`; whoever plans polls never sees them.

/// A day in minutes times sixty: beyond two months a `ttl` is a mistake, not a wish.
const TTL_MINUTES_MAX: u32 = 60 * 24 * 60;
const FREQUENCY_MAX: u64 = 1440;

/// Minutes, or `None` for zero, negative, enormous or not a number.
pub(crate) fn ttl_minutes(text: &str) -> Option<u32> {
    text.trim().parse::<u32>().ok().filter(|minutes| (1..=TTL_MINUTES_MAX).contains(minutes))
}

/// An hour of the day in GMT; some count to 24 and mean midnight.
pub(crate) fn hour(text: &str) -> Option<u8> {
    match text.trim().parse::<u8>().ok()? {
        24 => Some(0),
        hour @ 0..=23 => Some(hour),
        _ => None,
    }
}

/// 0 = Monday.
pub(crate) fn day(text: &str) -> Option<u8> {
    let name = text.trim().to_ascii_lowercase();
    let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    let at = names.iter().position(|day| name.starts_with(day))?;
    let is_name = name.len() == 3 || name.ends_with("day");
    if is_name { u8::try_from(at).ok() } else { None }
}

/// `sy:updatePeriod` in seconds.
pub(crate) fn period_s(text: &str) -> Option<u64> {
    let day = 86_400;
    Some(match text.trim().to_ascii_lowercase().as_str() {
        "hourly" => 3_600,
        "daily" => day,
        "weekly" => 7 * day,
        "monthly" => 30 * day,
        "yearly" => 365 * day,
        _ => return None,
    })
}

pub(crate) fn frequency(text: &str) -> Option<u64> {
    text.trim().parse::<u64>().ok().filter(|frequency| (1..=FREQUENCY_MAX).contains(frequency))
}

/// The period divided by the frequency; daily and once are the module's defaults where only one is given.
pub(crate) fn update_period_s(period_s: Option<u64>, frequency: Option<u64>) -> Option<u64> {
    if period_s.is_none() && frequency.is_none() {
        return None;
    }
    Some(period_s.unwrap_or(86_400) / frequency.unwrap_or(1).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n7_absurd_ttls_are_ignored() {
        assert_eq!(ttl_minutes(" 60 "), Some(60));
        assert_eq!(ttl_minutes("1"), Some(1));
        for absurd in ["0", "-5", "99999999", "soon", "", "1e3"] {
            assert_eq!(ttl_minutes(absurd), None, "{absurd}");
        }
    }

    #[test]
    fn n8_hour_24_is_midnight_and_days_are_english() {
        assert_eq!(
            (hour("24"), hour("0"), hour("23"), hour("25"), hour("x")),
            (Some(0), Some(0), Some(23), None, None)
        );
        assert_eq!(
            (day("Monday"), day(" sunday"), day("Sat"), day("Samstag")),
            (Some(0), Some(6), Some(5), None)
        );
    }

    #[test]
    fn n9_periods_are_divided_by_their_frequency() {
        assert_eq!(update_period_s(period_s("hourly"), frequency("2")), Some(1_800));
        assert_eq!(update_period_s(period_s("yearly"), frequency("1")), Some(31_536_000));
        assert_eq!(update_period_s(None, frequency("4")), Some(21_600));
        assert_eq!(update_period_s(period_s("weekly"), frequency("0")), Some(604_800));
        assert_eq!(update_period_s(period_s("often"), None), None);
    }
}
