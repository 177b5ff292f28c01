//! Whom we ask: today's polls by provider, with what is special about each.

use super::Known;
use crate::said::soon;
use crate::visitor::Visitor;
use crate::words::fill;
use domain::Timestamp;
use std::collections::BTreeMap;

pub(super) struct ProvidersView {
    pub(super) title: String,
    pub(super) so_far: String,
    pub(super) rows: Vec<Row>,
}

pub(super) struct Row {
    pub(super) name: String,
    pub(super) feeds: String,
    pub(super) polls: String,
    pub(super) nothing_new: String,
    pub(super) note: String,
    /// Leads to the feeds that do not answer.
    pub(super) is_failing: bool,
}

const ROWS: usize = 6;
/// Failures in a row from which a feed counts as not answering.
const FAILING: u32 = 3;

#[derive(Default)]
struct Tally {
    feeds: u64,
    polls: u64,
    fruitful: u64,
    failing: u64,
    without_validators: u64,
    blocked_until: Timestamp,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.feeds += other.feeds;
        self.polls += other.polls;
        self.fruitful += other.fruitful;
        self.failing += other.failing;
        self.without_validators += other.without_validators;
        self.blocked_until = self.blocked_until.max(other.blocked_until);
    }

    fn nothing_new(&self) -> String {
        match self.polls {
            0 => String::new(),
            polls => format!("{} %", (polls - self.fruitful.min(polls)) * 100 / polls),
        }
    }
}

impl ProvidersView {
    pub(super) fn of(known: &Known, visitor: &Visitor) -> ProvidersView {
        let (w, s, now) = (visitor.words, &visitor.words.schedule, visitor.now());
        let mut providers = tallies(known);
        let mut whole = Tally::default();
        providers.iter().for_each(|(_, tally)| whole.add(tally));
        let waiting = providers.iter().filter(|(_, tally)| tally.blocked_until > now).count() as u64;
        let title = match (waiting, whole.polls) {
            (1.., _) => w.count(s.waits, waiting),
            (0, 0) => s.quiet.to_owned(),
            (0, polls) => fill(s.yield_title, &[("n", &(whole.fruitful * 100 / polls))]),
        };
        // Those that want something first, then those that are asked most; a host with one feed says little.
        providers.sort_by_key(|(_, tally)| {
            std::cmp::Reverse((tally.blocked_until > now, tally.feeds > 1, tally.polls))
        });
        let shown = providers.iter().take_while(|(_, tally)| tally.blocked_until > now || tally.feeds > 1);
        let shown = shown.take(ROWS).count();
        let mut rows: Vec<Row> = Vec::new();
        let mut others = Tally::default();
        let mut hosts = 0_u64;
        for (nth, (name, tally)) in providers.iter().enumerate() {
            if nth < shown {
                rows.push(row(name.clone(), tally, visitor));
            } else {
                hosts += 1;
                others.add(tally);
            }
        }
        if hosts > 0 {
            rows.push(row(w.count(s.others, hosts), &others, visitor));
        }
        ProvidersView { title, so_far: w.count(s.so_far, whole.polls), rows }
    }
}

fn tallies(known: &Known) -> Vec<(String, Tally)> {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for hour in &known.polls {
        let tally = tallies.entry(&hour.provider).or_default();
        tally.polls += hour.polls;
        tally.fruitful += hour.fruitful;
    }
    let bare: std::collections::HashSet<_> = known
        .learned
        .iter()
        .filter(|one| one.schedule.last_success_at.is_some() && one.schedule.validators.is_empty())
        .map(|one| one.feed)
        .collect();
    for due in &known.due {
        let tally = tallies.entry(&due.provider).or_default();
        tally.feeds += 1;
        tally.failing += u64::from(due.failures >= FAILING);
        tally.without_validators += u64::from(bare.contains(&due.feed));
        tally.blocked_until = tally.blocked_until.max(due.blocked_until);
    }
    tallies.into_iter().map(|(name, tally)| (name.to_owned(), tally)).collect()
}

fn row(name: String, tally: &Tally, visitor: &Visitor) -> Row {
    let (w, s) = (visitor.words, &visitor.words.schedule);
    let note = if tally.blocked_until > visitor.now() {
        fill(s.busy, &[("time", &soon(visitor, tally.blocked_until))])
    } else if tally.failing > 0 {
        w.count(s.failing, tally.failing)
    } else if tally.feeds > 0 && tally.without_validators == tally.feeds {
        s.whole.to_owned()
    } else {
        String::new()
    };
    Row {
        name,
        feeds: w.number(tally.feeds),
        polls: w.number(tally.polls),
        nothing_new: tally.nothing_new(),
        note,
        is_failing: tally.failing > 0,
    }
}
