//! The policies that are compared: the papers', other readers', our own, and the bounds.
//!
//! One file per family. A policy is made for a [`Setting`] and a *strength*, one number that scales how much it polls:
//! [`calibrated`](crate::schedule) moves it until all policies use the same number of polls. It is the papers' budget,
//! the factor of readers that have no budget, and the price of ours.

pub mod clairvoyant;
pub mod clusters;
pub mod cycles;
pub mod joint;
pub mod learned;
pub mod live;
pub mod myopic;
pub mod open;
pub mod oracle;
pub mod papers;
pub mod readers;
pub mod roitman;
pub mod sia;
pub mod spacing;

pub use learned::{Learned, Study};

use crate::replay::{Policy, Rules};
use crate::trace::World;
use anyhow::{Result, bail};
use plan::Metric;

/// Every policy by the name of the contract, in the order of reports.
pub const NAMES: [&str; 30] = [
    "uniform",
    "cgm03-age",
    "cgm03-freshness",
    "sia-schedule",
    "sia-allocate",
    "sia-combined",
    "sia-user",
    "he-parker",
    "he-parker-lemma3",
    "sia-rolling",
    "sia-alg1",
    "sia-two-point",
    "sia-refine",
    "sia-k5",
    "sia-k20",
    "roitman",
    "miniflux",
    "commafeed",
    "newsblur",
    "autottl",
    "nextcloud",
    "myopic",
    "refresh-on-open",
    "wellread-periodic",
    "wellread-periodic-miss",
    "wellread-periodic-access-delay",
    "wellread",
    "wellread+open",
    "oracle",
    "clairvoyant",
];

/// Run only when asked for by name: ours with no feed waiting longer than under even polling (002 §4.4).
pub const ASKED: [&str; 1] = ["wellread-max-as-uniform"];

/// What a policy is made for.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    pub world: &'a World,
    pub rules: &'a Rules,
    pub learned: &'a Learned,
    /// Mean polls per feed and day.
    pub polls_per_day: f64,
    /// What plans that can choose keep small.
    pub metric: Metric,
}

impl Setting<'_> {
    /// Polls per day over all feeds.
    pub fn budget(&self) -> f64 {
        self.polls_per_day * self.world.feeds.len() as f64
    }

    pub fn feeds(&self) -> std::ops::Range<usize> {
        0..self.world.feeds.len()
    }
}

/// Whether a policy says anything in this world: some need people.
pub fn applies(name: &str, world: &World) -> bool {
    let people = [
        "he-parker-lemma3",
        "refresh-on-open",
        "wellread+open",
        "wellread-periodic-miss",
        "wellread-periodic-access-delay",
    ];
    !(world.readers.is_empty() && people.contains(&name))
}

pub fn make<'a>(name: &str, setting: Setting<'a>, strength: f64) -> Result<Box<dyn Policy + 'a>> {
    use live::Course;
    use sia::{Allocate, Placing, Sia};
    let delay = Metric::Delay;
    let combined =
        Sia { clusters: 12, allocate: Allocate::SquareRoot, placing: Placing::Exact, metric: delay };
    let parker = Sia { allocate: Allocate::CubeRoot, metric: Metric::AccessDelay, ..combined };
    let anew = setting.learned.study.anew_days;
    let planned = |sia: Sia| -> Box<dyn Policy + 'a> {
        match anew {
            None => Box::new(sia.plan(setting, strength)),
            Some(_) => Box::new(sia::Rolling::new(sia, setting, strength)),
        }
    };
    let people = !setting.world.readers.is_empty();
    // 000 §5.4 gives every feed the same polls, at the times its readers miss least.
    let clustered = |clusters: usize| match people {
        true => Sia { clusters, allocate: Allocate::Even, metric: Metric::Miss, ..combined },
        false => Sia { clusters, ..combined },
    };
    Ok(match name {
        "uniform" => Box::new(spacing::uniform(setting, strength)),
        "cgm03-age" => Box::new(spacing::cgm_age(setting, strength)),
        "cgm03-freshness" => Box::new(spacing::cgm_freshness(setting, strength)),
        "sia-allocate" => match anew {
            None => Box::new(spacing::square_root(setting, strength)),
            Some(days) => Box::new(spacing::SquareRootAnew::new(setting, strength, days)),
        },
        "sia-schedule" => planned(Sia { allocate: Allocate::Even, ..combined }),
        "sia-combined" => planned(combined),
        "sia-user" => planned(Sia { metric: Metric::Miss, ..combined }),
        "he-parker" => planned(parker),
        // 001 Figure 2: the first two points are tried, equation 6 gives the others, and what does not close is pruned.
        "he-parker-lemma3" => planned(Sia { placing: Placing::Algorithm1, ..parker }),
        "sia-rolling" => Box::new(sia::Rolling::new(combined, setting, strength)),
        "sia-alg1" => {
            let metric = if people { Metric::Miss } else { delay };
            planned(Sia { clusters: 20, placing: Placing::Algorithm1, metric, ..combined })
        }
        "sia-two-point" => planned(Sia { placing: Placing::TwoPoint, ..combined }),
        "sia-refine" => planned(Sia { placing: Placing::Refine, ..combined }),
        "sia-k5" => planned(clustered(5)),
        "sia-k20" => planned(clustered(20)),
        "roitman" => Box::new(roitman::Roitman::new(setting, strength)),
        "miniflux" | "commafeed" | "newsblur" | "autottl" | "nextcloud" => {
            Box::new(readers::Reader::new(name, setting, strength))
        }
        "myopic" => Box::new(myopic::Myopic::new(setting, strength)),
        "refresh-on-open" => Box::new(open::RefreshOnOpen::new(setting, strength)),
        "wellread-periodic" => Box::new(joint::Joint::new(setting, strength, setting.metric)),
        "wellread-periodic-miss" => Box::new(joint::Joint::new(setting, strength, Metric::Miss)),
        "wellread-periodic-access-delay" => {
            Box::new(joint::Joint::new(setting, strength, Metric::AccessDelay))
        }
        "wellread" => Box::new(live::Live::new(setting, strength, Course::default())),
        "wellread-max-as-uniform" => {
            let course = Course { as_even: true, ..Course::default() };
            Box::new(live::Live::new(setting, strength, course))
        }
        "wellread+open" => {
            let course = Course { opening: live::OPENING_SHARE, ..Course::default() };
            Box::new(live::Live::new(setting, strength, course))
        }
        "oracle" => Box::new(oracle::Oracle::new(setting, strength)?),
        "clairvoyant" => Box::new(clairvoyant::Clairvoyant::new(setting, strength)),
        _ => bail!("there is no policy {name}; there are: {}", NAMES.join(", ")),
    })
}

#[cfg(test)]
mod tests;
