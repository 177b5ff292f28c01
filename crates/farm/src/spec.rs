//! What each feed is: where it lives, what it is about, when it posts, how it publishes and how it misbehaves.
//! Drawn once from the seed; nothing here changes with time.

use crate::behaviour::Behaviour;
use crate::config::{FarmConfig, Part};
use crate::content::{PUBLICATIONS, Publication, REGIONS, TOPICS, Topic};
use crate::dice::{Dice, Purpose};
use crate::rhythm::{Pattern, Rhythm};
use domain::{Format, Timestamp};
use std::time::Duration;

/// Feeds on one shared host.
pub(crate) const FEEDS_PER_HOST: usize = 40;

#[derive(Debug, Clone, PartialEq)]
pub struct FeedSpec {
    pub index: usize,
    /// The feed whose posts it shows: its own, unless it mirrors another.
    pub source: usize,
    /// Without the port: `f0001.test` or `many01.test`.
    pub host: String,
    /// `/feed.xml`, `/feed.json` or `/feed/17.xml`.
    pub url_path: String,
    /// Before every path that belongs to this feed alone: empty, or `/17` on a shared host.
    pub(crate) prefix: String,
    pub title: String,
    pub tagline: &'static str,
    pub author: &'static str,
    /// Also the folder its readers keep it in.
    pub topic: &'static str,
    pub folder: &'static str,
    pub behaviour: Behaviour,
    pub variant: u8,
    /// When the behaviour begins; before it the feed is good.
    pub onset: Timestamp,
    pub format: Format,
    pub rhythm: Rhythm,
    pub habits: Habits,
    pub(crate) topic_index: usize,
}

/// How a good citizen publishes.
#[derive(Debug, Clone, PartialEq)]
pub struct Habits {
    pub etag: bool,
    pub weak_etag: bool,
    pub last_modified: bool,
    pub caching: Caching,
    pub ttl_minutes: Option<u32>,
    /// GMT hours in which it asks not to be polled.
    pub skip_hours: Vec<u8>,
    /// `sy:updatePeriod` hourly with this frequency.
    pub update_frequency: Option<u32>,
    /// Answers `A-IM: feed` with 226 (RFC 3229).
    pub delta: bool,
    pub gzip: bool,
    pub chunked: bool,
    /// Bodies in the feed; otherwise a summary and a link.
    pub full_content: bool,
    pub podcast: bool,
    pub site: SiteRules,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caching {
    /// No word about it.
    Unsaid,
    MaxAge {
        seconds: u32,
    },
    /// An `Expires` date this far ahead.
    Expires {
        seconds: u32,
    },
    NoCache,
}

impl Caching {
    /// How long the publisher asks to be left alone.
    pub fn freshness(self) -> Option<Duration> {
        match self {
            Caching::MaxAge { seconds } | Caching::Expires { seconds } => {
                Some(Duration::from_secs(u64::from(seconds)))
            }
            Caching::Unsaid | Caching::NoCache => None,
        }
    }
}

/// What the site's robots.txt says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteRules {
    Open,
    /// `/private/` is closed and the crawl delay is five seconds.
    Partly,
    Closed,
    /// 404.
    Absent,
    /// 503.
    Failing,
}

impl FeedSpec {
    pub(crate) fn draw(config: &FarmConfig, index: usize, shared: Option<(usize, usize)>) -> FeedSpec {
        let dice = &mut Dice::new(config.seed, Purpose::Spec, index as u64, 0);
        let (publication, title) = publication(index);
        let rhythm = Rhythm::draw(dice, config.lively);
        let (behaviour, variant, onset) = behaviour(config, dice, index);
        let habits = Habits::draw(dice, publication);
        let format = format(dice, habits.podcast, behaviour);
        let extension = if format == Format::Json11 { "json" } else { "xml" };
        let (host, url_path, prefix) = match shared {
            None => (format!("f{:04}.test", index + 1), format!("/feed.{extension}"), String::new()),
            Some((host, slot)) => {
                (shared_host(host), format!("/feed/{slot}.{extension}"), format!("/{slot}"))
            }
        };
        let topic: &'static Topic = TOPICS[publication.topic];
        FeedSpec {
            index,
            source: index,
            host,
            url_path,
            prefix,
            title,
            tagline: publication.tagline,
            author: publication.author,
            topic: topic.key,
            folder: topic.folder,
            behaviour,
            variant,
            onset,
            format,
            rhythm,
            habits,
            topic_index: publication.topic,
        }
    }

    /// Takes a part on top of what was drawn.
    pub(crate) fn play(&mut self, part: &Part, origin: Option<&FeedSpec>) {
        match (part, origin) {
            (Part::Behaves { behaviour, variant, onset }, _) => {
                self.behaviour = *behaviour;
                self.variant = *variant % behaviour.variants().max(1);
                self.onset = *onset;
            }
            (Part::Posts { pattern, posts_per_day }, _) => {
                self.rhythm = Rhythm {
                    pattern: *pattern,
                    posts_per_day: *posts_per_day,
                    last_day: (*pattern == Pattern::Dead).then_some(40),
                    ..self.rhythm
                };
            }
            (Part::Mirrors { .. }, Some(origin)) => {
                self.source = origin.index;
                self.title = format!("{} (mirror)", origin.title);
                (self.tagline, self.author) = (origin.tagline, origin.author);
                (self.topic, self.folder, self.topic_index) =
                    (origin.topic, origin.folder, origin.topic_index);
                self.rhythm = origin.rhythm;
            }
            (Part::Mirrors { .. }, None) => {}
            (Part::Summaries, _) => self.habits.full_content = false,
            (Part::Podcast, _) => {
                self.habits.podcast = true;
                if self.url_path.ends_with(".xml") {
                    self.format = Format::Rss20;
                }
            }
        }
    }

    pub(crate) fn topic(&self) -> &'static Topic {
        TOPICS[self.topic_index]
    }
}

pub(crate) fn shared_host(host: usize) -> String {
    format!("many{:02}.test", host + 1)
}

/// The first editions are the publications themselves; later ones are regional or topical offshoots of them.
fn publication(index: usize) -> (&'static Publication, String) {
    const KINDS: [&str; 12] = [
        "notes",
        "letters",
        "weekly",
        "archive",
        "dispatches",
        "reviews",
        "field notes",
        "workshop",
        "links",
        "questions",
        "diary",
        "digest",
    ];
    let publication = &PUBLICATIONS[index % PUBLICATIONS.len()];
    let edition = index / PUBLICATIONS.len();
    let title = match edition {
        0 => publication.title.to_owned(),
        1..=12 => format!("{}: {}", publication.title, KINDS[edition - 1]),
        _ => {
            let offshoot = edition - 13;
            let region = REGIONS[offshoot % REGIONS.len()];
            let kind = KINDS[offshoot / REGIONS.len() % KINDS.len()];
            match offshoot / REGIONS.len() / KINDS.len() {
                0 => format!("{}, {region} {kind}", publication.title),
                round => format!("{}, {region} {kind} {}", publication.title, round + 1),
            }
        }
    };
    (publication, title)
}

fn behaviour(config: &FarmConfig, dice: &mut Dice, index: usize) -> (Behaviour, u8, Timestamp) {
    if let Some(&behaviour) = config.script.get(index) {
        let earlier = config.script[..index].iter().filter(|&&other| other == behaviour).count();
        return (behaviour, (earlier % usize::from(behaviour.variants().max(1))) as u8, config.start);
    }
    if !dice.chance(config.hostile_share) {
        return (Behaviour::Good, 0, config.start);
    }
    let hostile = &Behaviour::ALL[1..];
    let behaviour = hostile[dice.below(hostile.len())];
    let variant = dice.below(usize::from(behaviour.variants())) as u8;
    let delay = Duration::from_secs(dice.below(config.onset_days_max as usize * 24 + 1) as u64 * 3_600);
    (behaviour, variant, config.start.saturating_add(delay))
}

fn format(dice: &mut Dice, podcast: bool, behaviour: Behaviour) -> Format {
    let xml_only = matches!(
        behaviour,
        Behaviour::BrokenXml | Behaviour::Latin1 | Behaviour::Entities | Behaviour::Deep | Behaviour::Endless
    );
    match dice.below(100) {
        _ if podcast || xml_only => Format::Rss20,
        0..=54 => Format::Rss20,
        55..=79 => Format::Atom10,
        80..=89 => Format::Json11,
        _ => Format::Rss10,
    }
}

impl Habits {
    fn draw(dice: &mut Dice, publication: &Publication) -> Habits {
        let validators = dice.below(100);
        let caching = match dice.below(10) {
            0 | 1 => Caching::MaxAge { seconds: [300, 900, 1_800, 3_600][dice.below(4)] },
            2 => Caching::Expires { seconds: 1_800 },
            3 => Caching::NoCache,
            _ => Caching::Unsaid,
        };
        Habits {
            etag: validators < 75,
            weak_etag: dice.chance(0.3),
            last_modified: (40..92).contains(&validators),
            caching,
            ttl_minutes: dice.chance(0.25).then(|| [15, 30, 60, 120][dice.below(4)]),
            skip_hours: if dice.chance(0.06) { vec![0, 1, 2, 3, 4] } else { Vec::new() },
            update_frequency: dice.chance(0.12).then(|| 1 + dice.below(2) as u32),
            delta: dice.chance(0.08),
            gzip: dice.chance(0.8),
            chunked: dice.chance(0.2),
            full_content: dice.chance(0.7),
            podcast: publication.podcast,
            site: match dice.below(20) {
                0 => SiteRules::Closed,
                1 => SiteRules::Absent,
                2 => SiteRules::Failing,
                3..=8 => SiteRules::Partly,
                _ => SiteRules::Open,
            },
        }
    }
}
