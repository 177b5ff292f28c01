//! The demo's world: which feeds there are, and which of them fail, move, repeat others or say too much, so that the
//! pages about feeds have something to show.

use domain::Timestamp;
use farm::{Behaviour, Cast, FarmConfig, Part, Pattern, World};
use std::time::Duration;

const DAY: Duration = Duration::from_secs(86_400);
/// History in the world begins this long before what is stored of it, so that the oldest documents are full.
const BEFORE: Duration = Duration::from_secs(45 * 86_400);

/// Feeds that stop answering, each in its way: number, behaviour, variant, days ago.
const TROUBLED: [(usize, Behaviour, u8, u32); 9] = [
    (33, Behaviour::Gone, 0, 12),
    (36, Behaviour::Missing, 1, 5),
    (41, Behaviour::Broken, 2, 3),
    (44, Behaviour::Denied, 1, 20),
    (47, Behaviour::Moved, 0, 4),
    (52, Behaviour::Login, 0, 9),
    (55, Behaviour::RedirectToPage, 0, 6),
    (58, Behaviour::Captcha, 1, 2),
    (61, Behaviour::Unavailable, 1, 10),
];

/// Feeds with odd documents, from the beginning.
const ODD: [(usize, Behaviour); 5] = [
    (66, Behaviour::Edits),
    (69, Behaviour::NoDates),
    (72, Behaviour::SameGuid),
    (75, Behaviour::Latin1),
    (78, Behaviour::OddDates),
];

/// A few publications whose rhythm should not be left to chance, because everybody looks at them first.
const RHYTHMS: [(usize, Pattern, f64); 12] = [
    (0, Pattern::OfficeHours, 2.0),
    (1, Pattern::OfficeHours, 3.0),
    (2, Pattern::OfficeHours, 4.0),
    (4, Pattern::Evenings, 1.2),
    (6, Pattern::OfficeHours, 1.5),
    (8, Pattern::AroundTheClock, 24.0),
    (11, Pattern::AroundTheClock, 60.0),
    (12, Pattern::Evenings, 0.7),
    (17, Pattern::Bursts, 3.0),
    (19, Pattern::Evenings, 0.5),
    (87, Pattern::Silent, 0.0),
    (90, Pattern::Dead, 2.0),
];

/// Two of them repeat the same one, so that some stories are told three times.
const MIRRORS: [(usize, usize); 3] = [(81, 0), (82, 0), (84, 2)];
const SUMMARIES: [usize; 6] = [2, 5, 7, 13, 16, 22];

pub(super) fn world(seed: u64, feeds: usize, days: u32, now: Timestamp) -> World {
    let start = now.saturating_sub(DAY * days).saturating_sub(BEFORE);
    World::new(FarmConfig {
        shared_hosts: 0.03,
        casting: casting(now, start),
        ..FarmConfig::new(seed, feeds, start)
    })
}

/// Feeds whose trouble began before the last days: their history must begin earlier, or nothing is known of them.
pub(super) fn troubled() -> impl Iterator<Item = usize> {
    TROUBLED.iter().map(|&(feed, ..)| feed)
}

fn casting(now: Timestamp, start: Timestamp) -> Vec<Cast> {
    let mut casting = Vec::new();
    let mut cast = |feed: usize, part: Part| casting.push(Cast { feed, part });
    for (feed, behaviour, variant, days) in TROUBLED {
        let calm = Part::Posts { pattern: Pattern::OfficeHours, posts_per_day: 1.5 };
        cast(feed, calm);
        cast(feed, Part::Behaves { behaviour, variant, onset: now.saturating_sub(DAY * days) });
    }
    for (feed, behaviour) in ODD {
        cast(feed, Part::Behaves { behaviour, variant: 0, onset: start });
    }
    for (feed, pattern, posts_per_day) in RHYTHMS {
        cast(feed, Part::Posts { pattern, posts_per_day });
    }
    for (feed, of) in MIRRORS {
        cast(feed, Part::Mirrors { feed: of });
    }
    for feed in SUMMARIES {
        cast(feed, Part::Summaries);
    }
    casting
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_played_and_the_small_demo_has_no_holes() {
        let now = Timestamp::from_seconds(1_790_000_000);
        let world = world(1, 300, 90, now);
        for feed in troubled() {
            assert!(world.feeds()[feed].behaviour.is_hostile(), "{feed}");
        }
        for (feed, of) in MIRRORS {
            assert_eq!(world.feeds()[feed].source, of);
        }
        assert_eq!(super::world(1, 5, 7, now).feeds().len(), 5);
    }
}
