//! Rates from a text: what `wellread plan` reads.
//!
//! Either `slot,rate` lines in any order, one per slot of a day or a week (the number of lines says which), rates per day;
//! or one Unix time a line, counted into the slots of a day. A header is allowed, and where it names `unix_ts` that column
//! counts. Among slots a line that is none is an error with its number: a plan made of half a file would look like a plan.
//! Among times it is skipped and counted: the others are as good without it. A number before 1990 or after 2100 is no time:
//! no feed is that old, and a single such line would stretch the days that are counted over.

use crate::cost::BadPlan;
use crate::grid::Grid;
use thiserror::Error;

/// Rates per day on a grid.
#[derive(Debug, Clone, PartialEq)]
pub struct Rates {
    pub grid: Grid,
    pub rates: Vec<f64>,
    /// Lines that were no Unix time from 1990 to 2100 among such.
    pub skipped_lines: usize,
}

#[derive(Debug, Clone, PartialEq, Error)]
pub enum BadRates {
    #[error("there is nothing in it")]
    Empty,
    #[error("line {line} is neither `slot,rate` nor a Unix time from 1990 to 2100: {text}")]
    NotALine { line: usize, text: String },
    #[error(
        "line {line} is slot {slot}, but next comes slot {expected}: slots are counted from 0, each once"
    )]
    WrongSlot { line: usize, slot: f64, expected: usize },
    #[error(
        "{0} slots are neither a day (24, 48, 96, 288, 1440) nor a week (168, 336, 672, 2016, 10080); give one rate a \
         slot, or Unix times"
    )]
    WrongCount(usize),
    #[error("slots and Unix times are mixed; line {0} is of the other kind")]
    Mixed(usize),
    #[error(transparent)]
    Plan(#[from] BadPlan),
}

/// Slots of the day that times are counted into.
pub const TIME_SLOTS: usize = 288;
const DAYS: [usize; 5] = [24, 48, 96, 288, 1440];
const WEEKS: [usize; 5] = [168, 336, 672, 2016, 10_080];
const DAY_S: f64 = 86_400.0;
/// 1990-01-01 and 2100-01-01, as in `lab`.
const EARLIEST: f64 = 631_152_000.0;
const LATEST: f64 = 4_102_444_800.0;
/// Longer lines are shown only in part.
const SHOWN_CHARS: usize = 60;

enum Line {
    Slot(f64, f64),
    Time(f64),
}

impl Rates {
    /// Reads a text; Unix times are counted on `onto` where it is given, so that they fit other rates.
    pub fn read(text: &str, onto: Option<Grid>) -> Result<Rates, BadRates> {
        let mut lines = text.lines().enumerate().map(|(nth, line)| (nth + 1, line.trim())).peekable();
        let mut column = None;
        // A header is a first line without a number in it.
        while let Some((_, header)) =
            lines.next_if(|(nth, line)| line.is_empty() || (*nth == 1 && !has_number(line)))
        {
            column = column.or_else(|| time_column(header));
        }
        let mut slots: Vec<(usize, f64, f64)> = Vec::new();
        let mut times: Vec<f64> = Vec::new();
        let (mut broken, mut first_broken) = (0, None);
        for (line, text) in lines.filter(|(_, text)| !text.is_empty()) {
            match parse(text, column) {
                Some(Line::Slot(slot, rate)) if times.is_empty() => slots.push((line, slot, rate)),
                Some(Line::Time(at)) if slots.is_empty() => times.push(at),
                Some(_) => return Err(BadRates::Mixed(line)),
                None => {
                    broken += 1;
                    first_broken.get_or_insert_with(|| BadRates::NotALine {
                        line,
                        text: text.chars().take(SHOWN_CHARS).collect(),
                    });
                }
            }
        }
        if !times.is_empty() {
            return Ok(of_times(&times, onto.unwrap_or(Grid::day(TIME_SLOTS)), broken));
        }
        match first_broken {
            Some(broken) => Err(broken),
            None if slots.is_empty() => Err(BadRates::Empty),
            None => of_slots(slots),
        }
    }
}

fn has_number(line: &str) -> bool {
    line.split(',').any(|part| part.trim().parse::<f64>().is_ok())
}

/// Where a header says that the times are.
fn time_column(header: &str) -> Option<usize> {
    header.split(',').position(|name| ["unix_ts", "ts"].contains(&name.trim().trim_matches('"')))
}

fn parse(text: &str, column: Option<usize>) -> Option<Line> {
    if let Some(column) = column {
        let at = text.split(',').nth(column)?.trim().trim_matches('"').parse::<f64>().ok()?;
        return is_time(at).then_some(Line::Time(at));
    }
    let mut parts = text.split(',').map(|part| part.trim().parse::<f64>());
    match (parts.next()?, parts.next(), parts.next()) {
        (Ok(slot), Some(Ok(rate)), None) if slot.is_finite() => Some(Line::Slot(slot, rate)),
        (Ok(at), None, None) if is_time(at) => Some(Line::Time(at)),
        _ => None,
    }
}

fn is_time(at: f64) -> bool {
    (EARLIEST..=LATEST).contains(&at)
}

fn of_slots(mut slots: Vec<(usize, f64, f64)>) -> Result<Rates, BadRates> {
    slots.sort_by(|a, b| a.1.total_cmp(&b.1));
    let wrong = slots.iter().enumerate().find(|(nth, (_, slot, _))| *slot != *nth as f64);
    if let Some((expected, (line, slot, _))) = wrong {
        return Err(BadRates::WrongSlot { line: *line, slot: *slot, expected });
    }
    let rates: Vec<f64> = slots.into_iter().map(|(_, _, rate)| rate).collect();
    let count = rates.len();
    let grid = if DAYS.contains(&count) {
        Grid::day(count)
    } else if WEEKS.contains(&count) {
        Grid::week(count)
    } else {
        return Err(BadRates::WrongCount(count));
    };
    if let Some((slot, value)) = rates.iter().enumerate().find(|(_, rate)| !rate.is_finite() || **rate < 0.0)
    {
        return Err(BadPlan::NotARate { what: "given", slot, value: *value }.into());
    }
    Ok(Rates { grid, rates, skipped_lines: 0 })
}

/// Times per day in each slot, over the whole days or weeks between the first and the last.
fn of_times(times: &[f64], grid: Grid, skipped_lines: usize) -> Rates {
    let period_s = grid.period_days * DAY_S;
    // 1970-01-01 was a Thursday; weeks start on Monday.
    let shift = if grid.period_days == 7.0 { 3.0 * DAY_S } else { 0.0 };
    let period = |at: f64| ((at + shift) / period_s).floor();
    let (first, last) = times
        .iter()
        .map(|at| period(*at))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(first, last), at| (first.min(at), last.max(at)));
    let periods = (last - first + 1.0).max(1.0);
    let mut rates = vec![0.0; grid.slots];
    for at in times {
        let share = ((at + shift).rem_euclid(period_s)) / period_s;
        let slot = ((share * grid.slots as f64) as usize).min(grid.slots - 1);
        rates[slot] += 1.0 / (periods * grid.slot_days());
    }
    Rates { grid, rates, skipped_lines }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slots(rates: &[f64]) -> String {
        rates.iter().enumerate().map(|(slot, rate)| format!("{slot},{rate}\n")).collect()
    }

    #[test]
    fn the_number_of_slots_says_day_or_week() {
        let day = Rates::read(&format!("slot,rate\n{}", slots(&[2.0; 24])), None).expect("a day");
        assert_eq!((day.grid, day.rates.len()), (Grid::day(24), 24));
        let week = Rates::read(&slots(&[2.0; 168]), None).expect("a week");
        assert_eq!(week.grid, Grid::week(168));
        assert_eq!(Rates::read(&slots(&[2.0; 25]), None), Err(BadRates::WrongCount(25)));
    }

    #[test]
    fn times_become_rates_per_day() {
        // Two days, three posts a day at 06:00 and one at 18:00 of the second.
        let times =
            "unix_ts\n1699855200\n1699855200\n1699855200\n1699941600\n1699941600\n1699941600\n1699984800\n";
        let rates = Rates::read(times, None).expect("times");
        assert_eq!(rates.grid, Grid::day(288));
        let posts: f64 = rates.rates.iter().map(|rate| rate * rates.grid.slot_days()).sum();
        assert!((posts - 3.5).abs() < 1e-9, "{posts}");
        assert!(rates.rates[72] > 0.0 && rates.rates[216] > 0.0 && rates.rates[71] == 0.0);
        let week = Rates::read("1699833600", Some(Grid::week(168))).expect("a Monday");
        assert_eq!(week.rates.iter().position(|rate| *rate > 0.0), Some(0));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let check = |text: &str| Rates::read(text, None).expect_err("refused").to_string();
        assert_eq!(check(""), "there is nothing in it");
        assert_eq!(check("slot,rate\n"), "there is nothing in it");
        assert!(check("0,1\n2,1\n").starts_with("line 2 is slot 2, but next comes slot 1"));
        assert!(check("1,1\n0,1\n1,1\n").starts_with("line 3 is slot 1, but next comes slot 2"));
        assert!(check("0,1\n1,one\n").starts_with("line 2 is neither"));
        assert!(check("0,1\n1700000000\n").contains("line 2 is of the other kind"));
        assert!(check(&slots(&[-1.0; 24])).contains("it must be finite and not negative"));
        assert!(check(&slots(&[f64::NAN; 24])).contains("NaN"));
        assert!(check("1,2,3\n").starts_with("line 1 is neither"));
    }

    #[test]
    fn slots_may_come_in_any_order() {
        let rates: Vec<f64> = (0..24).map(f64::from).collect();
        let backwards: String = slots(&rates).lines().rev().map(|line| format!("{line}\n")).collect();
        assert_eq!(Rates::read(&backwards, None), Rates::read(&slots(&rates), None));
    }

    #[test]
    fn broken_lines_among_times_are_skipped_and_counted() {
        let sound = Rates::read("1699984800\n1699855200\n", None).expect("times");
        let broken = Rates::read("unix_ts\n1699855200\nnoon\nx,2,3\nNaN\n1699984800\n", None).expect("times");
        assert_eq!((broken.skipped_lines, &broken.rates), (3, &sound.rates));
        let trace = "source_id,unix_ts\na,1699855200\nb\n\"c\",\"1699984800\"\n";
        let trace = Rates::read(trace, None).expect("a trace");
        assert_eq!((trace.skipped_lines, &trace.rates), (1, &sound.rates));
        let none = Rates::read("unix_ts\nnoon\nnight\n", None).expect_err("refused").to_string();
        assert!(none.starts_with("line 2 is neither"), "{none}");
    }

    #[test]
    fn times_before_1990_and_after_2100_are_skipped_and_counted() {
        let sound = Rates::read("1699855200\n1699984800\n", None).expect("times");
        let odd = "12\n-5\n1699855200\n631151999\n1699984800\n4102444801\n1699855200000\n";
        let odd = Rates::read(odd, None).expect("times");
        assert_eq!((odd.skipped_lines, &odd.rates), (5, &sound.rates));
        let named = "id,ts\na,0\na,1699855200\na,1699984800\na,99999999999\n";
        let named = Rates::read(named, None).expect("times");
        assert_eq!((named.skipped_lines, &named.rates), (2, &sound.rates));
        let ends = Rates::read("631152000\n4102444800\n", None).expect("times");
        assert_eq!(ends.skipped_lines, 0);
        let none = Rates::read("12\n13\n", None).expect_err("refused").to_string();
        assert_eq!(none, "line 1 is neither `slot,rate` nor a Unix time from 1990 to 2100: 12");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[0-9,.\\-eNa\n ]{0,200}") {
            if let Ok(rates) = Rates::read(&text, None) {
                prop_assert!(rates.rates.iter().all(|rate| rate.is_finite() && *rate >= 0.0));
            }
        }
    }
}
