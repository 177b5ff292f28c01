//! Many channels, M probes an hour: the paper's policies (§6.1), round robin, plain rate, and ours.
//!
//! | name | who is probed | by which rate |
//! |---|---|---|
//! | `round-robin` | everybody in turn | – |
//! | `rate` | the largest λ·age: in proportion to the rate, evenly | Gamma-Poisson |
//! | `free-fair`, `free-greedy` | drawn in proportion to λ; the largest λ | eq. 5, all items |
//! | `content-fair`, `content-greedy` | the same | eq. 5, novel items (eq. 7) |
//! | `content-fair-refined` | drawn | the same, refined by eq. 10 |
//! | `wellread` | the largest worth of a probe ([`learn::rates::worth`]), nobody later than nine days | Gamma-Poisson, change |
//! | `wellread-blind` | the same with c = 1: what the change is worth | Gamma-Poisson |
//! | `index` | the largest λ·c·age² (reference 4.4) | Gamma-Poisson, change |
//!
//! Rates of eq. 5 fall to nothing (reference 4.2.3); here none falls below one a week, or most channels would never be
//! probed again.

use super::corpus::{Channel, Corpus};
use super::twin::Twin;
use crate::dice::Dice;
use anyhow::{Result, bail};
use learn::rates::{BoltzmannRate, GammaPoisson, age_index, refined, worth};
use learn::{Cohesion, Window};

/// By contract.
pub const POLICIES: [&str; 8] = [
    "round-robin",
    "rate",
    "free-fair",
    "free-greedy",
    "content-fair",
    "content-greedy",
    "content-fair-refined",
    "wellread",
];
/// Eq. 5 begins here (004 §4.4: the mean rate of the paper's feeds is .284 an hour).
const FIRST_RATE: f64 = 0.3;
/// One a week.
const RATE_MIN: f64 = 1.0 / 168.0;
const HOUR_S: i64 = 3_600;
/// Ours probes everybody at least so often, if the budget allows.
const LONGEST_HOURS: f64 = 216.0;
/// Similarities between channels are taken anew so often; they are averages over months.
const SIMILARITY_HOURS: i64 = 72;

#[derive(Debug, Clone)]
pub struct Rules {
    /// Probes per hour.
    pub budget: f64,
    pub window: usize,
    pub beta: f64,
    /// Items a document shows.
    pub shown: usize,
    pub seed: u64,
}

/// What came of a policy.
#[derive(Debug, Clone)]
pub struct Monitored {
    /// Eq. 4 by channel.
    pub qualities: Vec<f64>,
    pub probes: u64,
    /// Rates that the policy learnt, by channel; none where it learns none.
    pub rates: Option<Vec<f64>>,
    /// Longest time that a channel went without a probe.
    pub unprobed_hours_max: f64,
    pub items_lost: u64,
}

impl Monitored {
    pub fn quality(&self) -> f64 {
        self.qualities.iter().sum::<f64>() / self.qualities.len().max(1) as f64
    }

    pub fn quality_p5(&self) -> f64 {
        percentile(&self.qualities, 0.05)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Turn,
    Draw,
    Greedy,
    Even,
    Index,
    Blind,
    Worth,
}

/// A channel as the policy knows it.
struct Watched<'a> {
    channel: &'a Channel,
    twin: Twin,
    /// Posts that are out, and posts that were seen or lost.
    out: usize,
    seen: usize,
    probed: i64,
    paper: BoltzmannRate,
    gamma: GammaPoisson,
    cohesion: Cohesion,
}

impl Watched<'_> {
    fn publish(&mut self, until: i64, corpus: &Corpus) {
        while let Some(post) = self.channel.posts.get(self.out).filter(|post| post.at <= until) {
            self.twin.post(post, corpus);
            self.out += 1;
        }
    }

    /// Reads the document; what it shows that is new, and how much of that is novel. The third is what was lost.
    fn probe(&mut self, at: i64, corpus: &Corpus, rules: &Rules) -> (usize, usize, usize) {
        let first = self.out.saturating_sub(rules.shown).max(self.seen);
        let lost = first - self.seen;
        let mut novel = 0;
        for post in &self.channel.posts[first..self.out] {
            let full = self.twin.held().is_full();
            let step = self.twin.capture(post, at, corpus);
            self.cohesion.add(step.similarity, full);
            novel += usize::from(self.cohesion.is_novel(step.similarity, rules.beta, rules.window));
        }
        self.seen = self.out;
        (self.out - first, novel, lost)
    }
}

pub fn monitor(corpus: &Corpus, name: &str, rules: &Rules) -> Result<Monitored> {
    let (choice, content, refine) = match name {
        "round-robin" => (Choice::Turn, false, false),
        "rate" => (Choice::Even, false, false),
        "free-fair" => (Choice::Draw, false, false),
        "free-greedy" => (Choice::Greedy, false, false),
        "content-fair" => (Choice::Draw, true, false),
        "content-greedy" => (Choice::Greedy, true, false),
        "content-fair-refined" => (Choice::Draw, true, true),
        "wellread" => (Choice::Worth, true, false),
        "index" => (Choice::Index, true, false),
        "wellread-blind" => (Choice::Blind, true, false),
        other => bail!("there is no policy {other:?}; there are {}", POLICIES.join(", ")),
    };
    let mut all: Vec<Watched<'_>> = corpus
        .channels
        .iter()
        .map(|channel| Watched {
            channel,
            twin: Twin::new(rules.window, corpus.begin),
            out: 0,
            seen: 0,
            probed: corpus.begin,
            paper: BoltzmannRate::new(FIRST_RATE),
            gamma: GammaPoisson::usual(),
            cohesion: Cohesion::default(),
        })
        .collect();
    let mut dice = Dice::new(rules.seed);
    let mut likeness = Likeness::new(all.len());
    let (mut probes, mut lost, mut turn, mut credit, mut unprobed) = (0, 0, 0usize, 0.0, 0i64);
    let hours = corpus.hours().ceil() as i64;
    for hour in 1..=hours {
        let now = (corpus.begin + hour * HOUR_S).min(corpus.end);
        all.iter_mut().for_each(|watched| watched.publish(now, corpus));
        credit += rules.budget;
        let count = (credit as usize).min(all.len());
        credit -= credit.floor();
        if refine && hour % SIMILARITY_HOURS == 0 {
            likeness.add(all.iter().map(|watched| watched.twin.held()));
        }
        let chosen: Vec<usize> = if choice == Choice::Turn {
            let from = turn;
            turn = (turn + count) % all.len().max(1);
            (from..from + count).map(|nth| nth % all.len()).collect()
        } else {
            let scores = scores(&all, choice, refine.then_some(&likeness), now, rules);
            if choice == Choice::Draw {
                drawn(scores, count, &mut dice)
            } else {
                largest(&scores, count, &mut dice)
            }
        };
        for nth in chosen {
            let watched = &mut all[nth];
            let (found, novel, missed) = watched.probe(now, corpus, rules);
            let dt = (now - watched.probed) as f64 / HOUR_S as f64;
            let counted = if content { novel } else { found };
            watched.paper.observe((now - corpus.begin) as f64 / HOUR_S as f64, counted as f64, dt);
            watched.paper.per_hour = watched.paper.per_hour.max(RATE_MIN);
            learn_rate(watched, found, missed, now, dt, rules);
            unprobed = unprobed.max(now - watched.probed);
            watched.probed = now;
            probes += 1;
            lost += missed as u64;
        }
    }
    unprobed = all.iter().map(|watched| corpus.end - watched.probed).fold(unprobed, i64::max);
    let rates = match choice {
        Choice::Turn => None,
        Choice::Draw | Choice::Greedy => Some(all.iter().map(|watched| watched.paper.per_hour).collect()),
        _ => Some(all.iter().map(|watched| watched.gamma.per_hour()).collect()),
    };
    Ok(Monitored {
        qualities: all.iter_mut().map(|watched| watched.twin.quality(corpus.end)).collect(),
        probes,
        rates,
        unprobed_hours_max: unprobed as f64 / HOUR_S as f64,
        items_lost: lost,
    })
}

/// A document full of news hides how much came before. The items say when they were published, so only the time that
/// they cover counts.
fn learn_rate(watched: &mut Watched<'_>, found: usize, missed: usize, now: i64, dt: f64, rules: &Rules) {
    let covered = if missed > 0 && found >= rules.shown {
        let oldest = watched.channel.posts[watched.seen - found].at;
        ((now - oldest) as f64 / HOUR_S as f64).clamp(1.0 / 60.0, dt)
    } else {
        dt
    };
    watched.gamma.observe(found as f64, covered);
}

fn scores(
    all: &[Watched<'_>],
    choice: Choice,
    likeness: Option<&Likeness>,
    now: i64,
    rules: &Rules,
) -> Vec<f64> {
    if matches!(choice, Choice::Draw | Choice::Greedy) {
        let rates: Vec<f64> = all.iter().map(|watched| watched.paper.per_hour).collect();
        return match likeness.filter(|likeness| likeness.times > 0) {
            Some(likeness) => refined(&likeness.sums, &rates),
            None => rates,
        };
    }
    let score = |watched: &Watched<'_>| {
        let age = (now - watched.probed) as f64 / HOUR_S as f64;
        let (rate, change) = (watched.gamma.per_hour(), watched.cohesion.expected_change(rules.window));
        match choice {
            Choice::Even => rate * age,
            _ if age >= LONGEST_HOURS => 1e12 * age,
            Choice::Index => age_index(rate, change, age),
            Choice::Blind => worth(rate, 1.0, age, rules.window),
            _ => worth(rate, change, age, rules.window),
        }
    };
    all.iter().map(score).collect()
}

/// Sums of profile similarities (eq. 9); rows are brought to one where they are used.
pub(crate) struct Likeness {
    pub(crate) sums: Vec<Vec<f64>>,
    pub(crate) times: u32,
}

impl Likeness {
    pub(crate) fn new(channels: usize) -> Self {
        Likeness { sums: vec![vec![0.0; channels]; channels], times: 0 }
    }

    pub(crate) fn add<'a>(&mut self, profiles: impl Iterator<Item = &'a Window>) {
        let profiles: Vec<&Window> = profiles.collect();
        for (nth, one) in profiles.iter().enumerate() {
            self.sums[nth][nth] += 1.0;
            for (other, two) in profiles.iter().enumerate().take(nth) {
                let both_empty = one.is_empty() && two.is_empty();
                let alike = if both_empty { 0.0 } else { one.similarity(two) };
                self.sums[nth][other] += alike;
                self.sums[other][nth] += alike;
            }
        }
        self.times += 1;
    }
}

/// Drawn one after the other in proportion to what is left.
fn drawn(mut weights: Vec<f64>, count: usize, dice: &mut Dice) -> Vec<usize> {
    let mut out = Vec::with_capacity(count);
    for _ in 0..count {
        let sum: f64 = weights.iter().sum();
        if sum <= 0.0 {
            break;
        }
        let mut left = dice.unit() * sum;
        let place = weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        let Some(place) = place.or_else(|| weights.iter().rposition(|weight| *weight > 0.0)) else { break };
        weights[place] = 0.0;
        out.push(place);
    }
    out
}

/// Of equals any: most rates of eq. 5 end at the floor, and an order of names would starve whoever comes last.
fn largest(scores: &[f64], count: usize, dice: &mut Dice) -> Vec<usize> {
    let mut order: Vec<(f64, u64, usize)> =
        scores.iter().enumerate().map(|(nth, score)| (*score, dice.throw(), nth)).collect();
    order.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    order.into_iter().take(count).map(|(_, _, nth)| nth).collect()
}

pub(crate) fn percentile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = share * sorted.len().saturating_sub(1) as f64;
    let (low, high) = (sorted.get(place.floor() as usize), sorted.get(place.ceil() as usize));
    match (low, high) {
        (Some(low), Some(high)) => low + (high - low) * (place - place.floor()),
        _ => f64::NAN,
    }
}

/// Rank correlation; ties share their rank.
pub(crate) fn spearman(one: &[f64], other: &[f64]) -> f64 {
    let (one, other) = (ranks(one), ranks(other));
    let count = one.len().max(1) as f64;
    let mean = |all: &[f64]| all.iter().sum::<f64>() / count;
    let (mean_one, mean_other) = (mean(&one), mean(&other));
    let (mut both, mut first, mut second) = (0.0, 0.0, 0.0);
    for (a, b) in one.iter().zip(&other) {
        both += (a - mean_one) * (b - mean_other);
        first += (a - mean_one).powi(2);
        second += (b - mean_other).powi(2);
    }
    if first > 0.0 && second > 0.0 { both / (first * second).sqrt() } else { 0.0 }
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| values[*one].total_cmp(&values[*other]));
    let mut out = vec![0.0; values.len()];
    let mut from = 0;
    while from < order.len() {
        let same = order[from..].iter().take_while(|nth| values[**nth] == values[order[from]]).count().max(1);
        let rank = from as f64 + (same - 1) as f64 / 2.0;
        order[from..from + same].iter().for_each(|nth| out[*nth] = rank);
        from += same;
    }
    out
}
