//! One channel at a time (§5): off-line at a uniform rate, on-line at a rate that is learnt.

use super::corpus::{Channel, Corpus};
use super::policies::Rules;
use super::twin::Twin;
use learn::rates::{BoltzmannRate, GammaPoisson};
use learn::{Beta, Cohesion, Window};

const HOUR_S: f64 = 3_600.0;
/// A channel that is probed more often than this has lost its reason.
const PROBES_MAX: u64 = 2_000_000;
const FIRST_RATE: f64 = 0.3;
const WEEKLY: f64 = 1.0 / 168.0;

/// What one probe found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    pub(crate) items: usize,
    pub(crate) novel: usize,
    /// Hours since the beginning, and since the last probe.
    pub(crate) at_hours: f64,
    pub(crate) hours: f64,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Outcome {
    pub(crate) quality: f64,
    pub(crate) probes: u64,
    /// Hours between the last probe that was made and the one that would have come next.
    pub(crate) last_interval_hours: f64,
}

/// Probes a channel; `next` says how many hours after each probe the next one comes.
pub(crate) fn watch(
    corpus: &Corpus,
    channel: &Channel,
    rules: &Rules,
    beta: &mut Beta,
    first_hours: f64,
    mut next: impl FnMut(Found, &Cohesion) -> f64,
) -> Outcome {
    let mut twin = Twin::new(rules.window, corpus.begin);
    let mut cohesion = Cohesion::default();
    let (mut out, mut seen, mut probes) = (0, 0, 0);
    let (mut before, mut interval) = (0.0, first_hours);
    let end = corpus.hours();
    while probes < PROBES_MAX {
        let at_hours = before + interval.max(1.0 / 60.0);
        if at_hours > end {
            break;
        }
        let at = corpus.begin + (at_hours * HOUR_S) as i64;
        while let Some(post) = channel.posts.get(out).filter(|post| post.at <= at) {
            twin.post(post, corpus);
            out += 1;
        }
        let first = out.saturating_sub(rules.shown).max(seen);
        let mut novel = 0;
        for post in &channel.posts[first..out] {
            let full = twin.held().is_full();
            let step = twin.capture(post, at, corpus);
            cohesion.add(step.similarity, full);
            let passed = cohesion.is_novel(step.similarity, beta.value(), rules.window);
            beta.learn(passed, cohesion.expected_change(rules.window), rules.window);
            novel += usize::from(passed);
        }
        let found = Found { items: out - first, novel, at_hours, hours: at_hours - before };
        seen = out;
        probes += 1;
        before = at_hours;
        interval = next(found, &cohesion);
    }
    for post in &channel.posts[out..] {
        twin.post(post, corpus);
    }
    Outcome { quality: twin.quality(corpus.end), probes, last_interval_hours: interval }
}

/// Off-line: a rate that never changes.
pub(crate) fn uniform(corpus: &Corpus, channel: &Channel, rules: &Rules, per_hour: f64) -> Outcome {
    let interval = 1.0 / per_hour.max(1e-6);
    watch(corpus, channel, rules, &mut Beta::Fixed(rules.beta), interval, |_, _| interval)
}

/// Δ of every item of the complete stream, with its cohesion and change (off-line novelty, §5.3.2).
pub(crate) fn stream(corpus: &Corpus, channel: &Channel, window: usize) -> (Vec<f64>, Cohesion) {
    let (mut profile, mut cohesion, mut idf) = (Window::new(window), Cohesion::default(), 0);
    let mut all = Vec::with_capacity(channel.posts.len());
    for post in &channel.posts {
        let now = corpus.idf_at(post.at);
        if now != idf {
            idf = now;
            profile.refresh(&corpus.idf[now]);
        }
        let full = profile.is_full();
        let step = profile.push(&post.bag, &corpus.idf[idf]).similarity;
        cohesion.add(step, full);
        all.push(step);
    }
    (all, cohesion)
}

/// How a rate is learnt on-line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Estimator {
    /// Eq. 5 as printed.
    Printed,
    /// Eq. 5, never below one a week.
    Floored,
    /// The mean of the last and what was seen, .3 of the new, never below one a week.
    Smoothed,
    GammaPoisson,
}

impl Estimator {
    pub(crate) const ALL: [(Estimator, &'static str); 4] = [
        (Estimator::Printed, "eq. 5 as printed"),
        (Estimator::Floored, "eq. 5, at least weekly"),
        (Estimator::Smoothed, "smoothed .3, at least weekly"),
        (Estimator::GammaPoisson, "Gamma-Poisson, at least weekly"),
    ];
}

/// What came of learning a rate: the outcome, the last rate, and the rate at each day if asked for.
pub(crate) struct Learnt {
    pub(crate) outcome: Outcome,
    pub(crate) per_hour: f64,
    pub(crate) curve: Vec<(f64, f64)>,
}

/// On-line: the next probe comes after 1/λ.
pub(crate) fn online(
    corpus: &Corpus,
    channel: &Channel,
    rules: &Rules,
    estimator: Estimator,
    content: bool,
    beta: &mut Beta,
) -> Learnt {
    let mut paper = BoltzmannRate::new(FIRST_RATE);
    let mut gamma = GammaPoisson::usual();
    let mut rate = FIRST_RATE;
    let mut curve: Vec<(f64, f64)> = Vec::new();
    let outcome = watch(corpus, channel, rules, beta, 1.0 / FIRST_RATE, |found, _| {
        let items = if content { found.novel } else { found.items } as f64;
        rate = match estimator {
            Estimator::Printed | Estimator::Floored => {
                paper.observe(found.at_hours, items, found.hours);
                if estimator == Estimator::Floored {
                    paper.per_hour = paper.per_hour.max(WEEKLY);
                }
                paper.per_hour
            }
            Estimator::Smoothed => (0.7 * rate + 0.3 * items / found.hours).max(WEEKLY),
            Estimator::GammaPoisson => {
                gamma.observe(items, found.hours);
                gamma.per_hour().max(WEEKLY)
            }
        };
        if curve.last().is_none_or(|(at, _)| found.at_hours - at >= 24.0) {
            curve.push((found.at_hours, rate));
        }
        1.0 / rate.max(1e-9)
    });
    Learnt { outcome, per_hour: rate, curve }
}
