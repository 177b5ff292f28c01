//! The simulation of 003 §3.4.1: one topic an item, one item a topic and list.

use super::draws::beta;
use super::person::{Person, TOPICS};
use super::{Outcome, RankOptions};
use crate::dice::Dice;
use anyhow::{Result, bail};
use rank::{Belief, GRID_LAMBDA, GridBelief, HAZARD, PAPER_READ, topic_entropy, utility};

const ROWS: usize = PAPER_READ.len();
/// The last lists, over which the entropy of what is shown is taken; within one list it is log2 7 by construction.
const ENTROPY_LISTS: usize = 20;

pub(crate) fn simulate(name: &str, options: &RankOptions) -> Result<Outcome> {
    let learner = Learner::named(name)?;
    Ok(Outcome::mean((0..options.users).map(|user| follow(learner.clone(), user, options))))
}

/// One reader through all lists.
fn follow(mut learner: Learner, user: usize, options: &RankOptions) -> Outcome {
    // Life and luck each have dice of their own: a strategy that throws more changes neither.
    let mut life = Dice::of(options.seed, user);
    let mut luck = Dice::of(options.seed ^ 0x5bd1_e995, user);
    let mut ties = Dice::of(options.seed ^ 0x1b87_3593, user);
    let mut person = Person::new(&mut life);
    let (mut clicks, mut error, mut shown) = (Vec::new(), Vec::new(), [0.0; TOPICS]);
    for iteration in 0..options.iterations {
        if options.drifts_at(iteration) {
            person.drift(options.drift_pool, &mut life);
        }
        let list = learner.list(&person, &mut ties);
        clicks.push(utility(list.iter().map(|topic| person.interest[*topic]), &PAPER_READ));
        learner.begin();
        for (topic, read) in list.into_iter().zip(PAPER_READ) {
            learner.learn(topic, luck.unit() < person.interest[topic] * read, read);
            if iteration + ENTROPY_LISTS >= options.iterations {
                shown[topic] += 1.0;
            }
        }
        error.push(learner.error(&person));
    }
    Outcome { clicks, error, topic_entropy: topic_entropy(shown) }
}

#[derive(Debug, Clone)]
enum Learner {
    /// Any order; it learns, and does not use it.
    Random([Belief; TOPICS]),
    /// Greedy is λ = 0.
    Explore {
        lambda: f64,
        exact: bool,
        beliefs: [Belief; TOPICS],
    },
    Thompson([Belief; TOPICS]),
    Wellread(Box<[GridBelief; TOPICS]>),
    Oracle,
}

impl Learner {
    fn named(name: &str) -> Result<Self> {
        let beliefs = [Belief::PAPER; TOPICS];
        let explore = |lambda, exact| Learner::Explore { lambda, exact, beliefs };
        Ok(match name {
            "random" => Learner::Random(beliefs),
            "greedy" => explore(0.0, false),
            "ee-10" => explore(10.0, false),
            "ee-20" => explore(20.0, false),
            "ee-20-adf" => explore(20.0, true),
            "thompson" => Learner::Thompson(beliefs),
            "wellread" => Learner::Wellread(Box::new(std::array::from_fn(|_| GridBelief::default()))),
            "oracle" => Learner::Oracle,
            other => bail!("there is no strategy {other}"),
        })
    }

    fn list(&self, person: &Person, dice: &mut Dice) -> [usize; ROWS] {
        let score = |topic: usize, dice: &mut Dice| match self {
            Learner::Random(_) => 0.0,
            Learner::Explore { lambda, beliefs, .. } => beliefs[topic].score(*lambda),
            Learner::Thompson(beliefs) => beta(dice, beliefs[topic].alpha, beliefs[topic].beta),
            Learner::Wellread(beliefs) => beliefs[topic].score(GRID_LAMBDA),
            Learner::Oracle => person.interest[topic],
        };
        let mut all: [(f64, u64, usize); TOPICS] =
            std::array::from_fn(|topic| (score(topic, dice), dice.throw(), topic));
        all.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
        std::array::from_fn(|row| all[row].2)
    }

    /// A list later.
    fn begin(&mut self) {
        if let Learner::Wellread(beliefs) = self {
            beliefs.iter_mut().for_each(|belief| belief.forget(HAZARD));
        }
    }

    fn learn(&mut self, topic: usize, clicked: bool, read: f64) {
        let update = |belief: Belief, exact: bool| match (clicked, exact) {
            (true, _) => belief.clicked(),
            (false, true) => belief.passed_exactly(read),
            (false, false) => belief.passed(read),
        };
        match self {
            Learner::Random(beliefs) => beliefs[topic] = update(beliefs[topic], false),
            Learner::Explore { exact, beliefs, .. } => beliefs[topic] = update(beliefs[topic], *exact),
            Learner::Thompson(beliefs) => beliefs[topic] = update(beliefs[topic], true),
            Learner::Wellread(beliefs) if clicked => beliefs[topic].clicked(),
            Learner::Wellread(beliefs) => beliefs[topic].passed(read),
            Learner::Oracle => {}
        }
    }

    /// Σ |θ' − θ|/θ over topics of any interest (§3.4.1).
    fn error(&self, person: &Person) -> f64 {
        let mean = |topic: usize| match self {
            Learner::Random(beliefs) | Learner::Explore { beliefs, .. } | Learner::Thompson(beliefs) => {
                beliefs[topic].mean()
            }
            Learner::Wellread(beliefs) => beliefs[topic].mean(),
            Learner::Oracle => person.interest[topic],
        };
        let real = person.interest.iter().enumerate().filter(|(_, interest)| **interest > 0.0);
        real.map(|(topic, interest)| (mean(topic) - interest).abs() / interest).sum()
    }
}
