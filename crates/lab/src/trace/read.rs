//! Files to events: CSV or NDJSON, plain, gzip or Zstandard, by content and not by name.
//!
//! A line that cannot be read is skipped, counted and reported; the rest counts. Order does not matter: events are
//! sorted here. A header may name the columns in any order among others; without one the first two are meant, and a lone
//! column is times of one source without a name. Times before 1990 or later than the year 2100 are broken lines: no feed
//! is that old, and none from the future can be replayed.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// 1990-01-01 and 2100-01-01.
const EARLIEST: i64 = 631_152_000;
const LATEST: i64 = 4_102_444_800;
const TOO_EARLY: &str = "before 1990";
const TOO_LATE: &str = "after 2100";
/// A line longer than this is no event.
const LINE_BYTES_MAX: u64 = 1 << 20;
/// A trace with more events would not fit anywhere; this stops endless compressed streams.
const EVENTS_MAX: usize = 200_000_000;

/// How many lines of a file were no use, and the first of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    pub file: String,
    pub lines: usize,
    pub first_line: usize,
    pub why: String,
}

/// Of a file that holds nothing else: how many lines are broken and the first reason, to end a sentence with.
pub(crate) fn broken(skipped: Option<&Skipped>) -> String {
    match skipped {
        None => String::new(),
        Some(Skipped { lines: 1, first_line, why, .. }) => format!("; line {first_line} is broken ({why})"),
        Some(Skipped { lines, first_line, why, .. }) => {
            format!("; {lines} lines are broken, the first is line {first_line} ({why})")
        }
    }
}

/// Events by source, each ascending; sources in the order of their names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Events {
    pub sources: Vec<(String, Vec<i64>)>,
    pub skipped: Option<Skipped>,
}

impl Events {
    pub fn first(&self) -> Option<i64> {
        self.sources.iter().filter_map(|(_, times)| times.first()).min().copied()
    }

    pub fn last(&self) -> Option<i64> {
        self.sources.iter().filter_map(|(_, times)| times.last()).max().copied()
    }
}

/// Posts: `source_id,unix_ts`, or articles `{"source":…,"ts":…}`.
pub fn read_posts(path: &Path) -> Result<Events> {
    read_events(path, &["source_id", "source", "feed_id", "feed"])
}

/// Accesses: `user_id,unix_ts`; sessions (`user_id,start_ts,end_ts,…`) count by their start.
pub fn read_accesses(path: &Path) -> Result<Events> {
    read_events(path, &["user_id", "user", "reader"])
}

fn read_events(path: &Path, who: &[&str]) -> Result<Events> {
    let mut found: HashMap<String, Vec<i64>> = HashMap::new();
    let mut count = 0usize;
    let (mut named, mut first) = (None, true);
    let skipped = each_line(path, |line| {
        let (source, at) = if line.starts_with('{') {
            article(line, who)?
        } else {
            let fields = fields(line);
            if std::mem::take(&mut first) {
                named = Columns::named(&fields, who);
            }
            pair(&fields, named.unwrap_or(Columns::by_position(&fields)))?
        };
        count += 1;
        found.entry(source).or_default().push(at);
        Ok(())
    })?;
    if count > EVENTS_MAX {
        bail!("{} has more than {EVENTS_MAX} events", path.display());
    }
    Ok(sorted(found, skipped))
}

/// Who reads what, by name.
pub type Pair = (String, String);

/// Subscriptions: `user,source[,weight]`. Pairs of names.
pub fn read_subscriptions(path: &Path) -> Result<(Vec<Pair>, Option<Skipped>)> {
    let mut pairs = Vec::new();
    let skipped = each_line(path, |line| match fields(line).as_slice() {
        [user, source, ..] if !user.is_empty() && !source.is_empty() => {
            pairs.push((user.to_string(), source.to_string()));
            Ok(())
        }
        _ => Err("not user,source"),
    })?;
    pairs.sort();
    pairs.dedup();
    Ok((pairs, skipped))
}

fn sorted(found: HashMap<String, Vec<i64>>, skipped: Option<Skipped>) -> Events {
    let mut sources: Vec<(String, Vec<i64>)> = found.into_iter().collect();
    sources.sort();
    for (_, times) in &mut sources {
        times.sort_unstable();
    }
    Events { sources, skipped }
}

/// Where in a line the name and the time are; no name means all are one source.
#[derive(Clone, Copy)]
struct Columns {
    source: Option<usize>,
    at: usize,
}

const TIMES: [&str; 5] = ["unix_ts", "ts", "start_ts", "timestamp", "time"];

impl Columns {
    /// As a header names them. A line with a number in it is none: a feed may be called `time`.
    fn named(first: &[Cow<'_, str>], who: &[&str]) -> Option<Columns> {
        if first.iter().any(|field| field.parse::<f64>().is_ok()) {
            return None;
        }
        let named = |names: &[&str]| {
            names.iter().find_map(|name| first.iter().position(|field| field.eq_ignore_ascii_case(name)))
        };
        let at = named(&TIMES)?;
        Some(Columns { source: named(who).or_else(|| (at > 0).then_some(0)), at })
    }

    fn by_position(fields: &[Cow<'_, str>]) -> Columns {
        match fields.len() {
            1 => Columns { source: None, at: 0 },
            _ => Columns { source: Some(0), at: 1 },
        }
    }
}

/// A line's fields without spaces and quotes around them; commas in quotes do not part, and two quotes are one.
pub(crate) fn fields(line: &str) -> Vec<Cow<'_, str>> {
    if !line.contains('"') {
        return line.split(',').map(|field| Cow::Borrowed(field.trim())).collect();
    }
    let (mut found, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => found.push(Cow::Owned(std::mem::take(&mut field).trim().to_owned())),
            _ => field.push(letter),
        }
    }
    found.push(Cow::Owned(field.trim().to_owned()));
    found
}

fn article(line: &str, who: &[&str]) -> Result<(String, i64), &'static str> {
    let article: HashMap<String, Value> = serde_json::from_str(line).map_err(|_| "not an article")?;
    let source = match who.iter().find_map(|name| article.get(*name)) {
        Some(Value::String(source)) => source.clone(),
        Some(Value::Number(source)) => source.to_string(),
        _ => String::new(),
    };
    let at = TIMES.iter().find_map(|name| article.get(*name)).ok_or("no time")?;
    let at = at.as_f64().or_else(|| at.as_str()?.trim().parse().ok()).ok_or("no time")?;
    Ok((source, time(at)?))
}

fn pair(fields: &[Cow<'_, str>], columns: Columns) -> Result<(String, i64), &'static str> {
    let at = fields.get(columns.at).ok_or("a column is missing")?;
    let at: f64 = at.parse().map_err(|_| "no time")?;
    let source = columns.source.and_then(|nth| fields.get(nth));
    Ok((source.map(ToString::to_string).unwrap_or_default(), time(at)?))
}

pub(crate) fn time(at: f64) -> Result<i64, &'static str> {
    if !at.is_finite() {
        return Err("no time");
    }
    let at = at as i64;
    if at < EARLIEST {
        return Err(TOO_EARLY);
    }
    if at > LATEST { Err(TOO_LATE) } else { Ok(at) }
}

/// Calls `take` with every line but empty ones and the header; what it refuses is counted.
pub(crate) fn each_line(
    path: &Path,
    mut take: impl FnMut(&str) -> Result<(), &'static str>,
) -> Result<Option<Skipped>> {
    let reading = || format!("reading {}", path.display());
    let file = std::fs::File::open(path).with_context(reading)?;
    let mut lines = BufReader::with_capacity(1 << 16, unpacked(file).with_context(reading)?);
    let mut skipped: Option<Skipped> = None;
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        line.clear();
        let read = lines.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line).with_context(reading)?;
        if read == 0 {
            return Ok(skipped);
        }
        number += 1;
        let whole = line.ends_with(b"\n") || (read as u64) < LINE_BYTES_MAX;
        let text = std::str::from_utf8(&line).map(|text| text.trim().trim_start_matches('\u{feff}'));
        let outcome = match text {
            Ok("") => Ok(()),
            Ok(text) if whole => take(text),
            Ok(_) => Err("longer than a line may be"),
            Err(_) => Err("not UTF-8"),
        };
        // A first line that is no event is a header, unless it has a time or tries to be an article.
        let timed = |why: &str| [TOO_EARLY, TOO_LATE].contains(&why);
        if let Err(why) = outcome
            && (number > 1 || timed(why) || line.starts_with(b"{"))
        {
            let file = path.display().to_string();
            skipped
                .get_or_insert(Skipped { file, lines: 0, first_line: number, why: why.to_owned() })
                .lines += 1;
        }
    }
}

/// By the first bytes.
fn unpacked(mut file: std::fs::File) -> Result<Box<dyn Read>> {
    let mut magic = Vec::new();
    file.by_ref().take(4).read_to_end(&mut magic)?;
    let whole = std::io::Cursor::new(magic.clone()).chain(file);
    Ok(match magic.as_slice() {
        [0x1f, 0x8b, ..] => Box::new(flate2::read::MultiGzDecoder::new(whole)),
        [0x28, 0xb5, 0x2f, 0xfd] => Box::new(zstd::stream::read::Decoder::new(whole)?),
        _ => Box::new(whole),
    })
}
