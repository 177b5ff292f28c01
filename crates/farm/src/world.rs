//! Every publication and everything it ever posts, as a function of a seed and a time.
//!
//! Nothing is generated ahead: each day of each feed has a stream of its own, so any window of time can be read
//! without reading what came before. The only state is a memo of rendered documents, which changes speed and never
//! answers, and the port that links carry.

mod edition;

pub(crate) use edition::{Edition, compress};

use crate::calendar::{DAY_S, HOUR_S, civil, day_of};
use crate::config::{FarmConfig, Part};
use crate::content::{Coverage, Surroundings, compose};
use crate::dice::{Dice, Purpose, mix};
use crate::rhythm::Pattern;
use crate::spec::{FEEDS_PER_HOST, FeedSpec};
use crate::story;
use domain::{Enclosure, Timestamp};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::time::Duration;

/// Days a world lasts: no window reads further, so that a wild clock costs a bounded search.
const DAYS_MAX: i64 = 20_000;
/// Numbers of one day's posts stay below this.
const NUMBERS_PER_DAY: u64 = 1_000;

/// One item of a feed, complete.
#[derive(Debug, Clone, PartialEq)]
pub struct Posted {
    /// Grows with time within a feed, with gaps; the oracle's name for the item.
    pub number: u64,
    pub at: Timestamp,
    pub title: String,
    /// Absolute.
    pub link: String,
    pub guid: String,
    pub author: String,
    /// Plain text.
    pub summary: String,
    pub html: String,
    pub tags: Vec<&'static str>,
    pub enclosure: Option<Enclosure>,
    /// 0 when it appeared; grows with each edit.
    pub revision: u8,
    /// When it last changed.
    pub updated: Timestamp,
}

/// A post without its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Post {
    pub(crate) number: u64,
    pub(crate) at: Timestamp,
}

pub struct World {
    config: FarmConfig,
    feeds: Vec<FeedSpec>,
    /// Feeds of each shared host, by slot.
    shared: Vec<Vec<usize>>,
    port: AtomicU16,
    memo: Vec<Mutex<Option<Arc<Edition>>>>,
    memo_bytes: Arc<AtomicUsize>,
}

impl World {
    pub fn new(config: FarmConfig) -> World {
        let mut shared: Vec<Vec<usize>> = Vec::new();
        let mut feeds: Vec<FeedSpec> = Vec::with_capacity(config.feeds);
        for index in 0..config.feeds {
            let scripted = index < config.script.len();
            let share = Dice::new(config.seed, Purpose::Spec, index as u64, 1).unit();
            let place = (!scripted && share < config.shared_hosts).then(|| {
                if shared.last().is_none_or(|host| host.len() >= FEEDS_PER_HOST) {
                    shared.push(Vec::new());
                }
                let host = shared.len() - 1;
                let slots = &mut shared[host];
                slots.push(index);
                (host, slots.len())
            });
            feeds.push(FeedSpec::draw(&config, index, place));
        }
        // Mirrors last, so that they show what their source has become.
        let (mirrors, others): (Vec<_>, Vec<_>) =
            config.casting.iter().partition(|cast| matches!(cast.part, Part::Mirrors { .. }));
        for cast in others.into_iter().chain(mirrors) {
            let origin = match cast.part {
                Part::Mirrors { feed } => feeds.get(feed).filter(|spec| spec.source == feed).cloned(),
                _ => None,
            };
            if let Some(spec) = feeds.get_mut(cast.feed) {
                spec.play(&cast.part, origin.as_ref());
            }
        }
        let memo = (0..feeds.len()).map(|_| Mutex::new(None)).collect();
        World { config, feeds, shared, port: AtomicU16::new(80), memo, memo_bytes: Arc::default() }
    }

    pub fn config(&self) -> &FarmConfig {
        &self.config
    }

    pub fn feeds(&self) -> &[FeedSpec] {
        &self.feeds
    }

    /// The port that links carry; 80, and then not written, until a farm serves this world.
    pub fn port(&self) -> u16 {
        self.port.load(Ordering::Relaxed)
    }

    /// Call before anything is rendered: [`crate::Farm::start`] does.
    pub fn set_port(&self, port: u16) {
        self.port.store(port, Ordering::Relaxed);
        for memo in &self.memo {
            *lock(memo) = None;
        }
    }

    /// The address a reader subscribes to.
    pub fn feed_url(&self, feed: usize) -> Option<String> {
        let spec = self.feeds.get(feed)?;
        Some(format!("http://{}{}", self.authority(&spec.host), spec.url_path))
    }

    pub fn site_url(&self, feed: usize) -> Option<String> {
        let spec = self.feeds.get(feed)?;
        Some(format!("http://{}{}/", self.authority(&spec.host), spec.prefix))
    }

    /// What a feed posted after `from` and up to `to`, oldest first: a document at `to` has seen all of it.
    pub fn items_between(&self, feed: usize, from: Timestamp, to: Timestamp) -> Vec<Posted> {
        let Some(spec) = self.feeds.get(feed) else { return Vec::new() };
        self.posts_between(spec, from, to).into_iter().map(|post| self.write(spec, post, 0)).collect()
    }

    /// Only numbers and times, which is much cheaper than [`World::items_between`].
    pub fn numbers_between(&self, feed: usize, from: Timestamp, to: Timestamp) -> Vec<(u64, Timestamp)> {
        let Some(spec) = self.feeds.get(feed) else { return Vec::new() };
        self.posts_between(spec, from, to).into_iter().map(|post| (post.number, post.at)).collect()
    }

    /// The bytes of the feed's document at a time, uncompressed. Behaviours that spoil the document itself are in it;
    /// those that spoil the answer are only in [`World::respond`].
    pub fn document(&self, feed: usize, now: Timestamp) -> Vec<u8> {
        self.feeds
            .get(feed)
            .map(|spec| self.edition(spec, now).body(self, spec, now).to_vec())
            .unwrap_or_default()
    }

    pub(crate) fn authority(&self, host: &str) -> String {
        match self.port() {
            80 => host.to_owned(),
            port => format!("{host}:{port}"),
        }
    }

    /// The feed in a slot of a shared host; slots count from one.
    pub(crate) fn in_slot(&self, host: usize, slot: usize) -> Option<usize> {
        self.shared.get(host)?.get(slot.checked_sub(1)?).copied()
    }

    pub(crate) fn shared_feeds(&self, host: usize) -> &[usize] {
        self.shared.get(host).map_or(&[], Vec::as_slice)
    }

    /// The newest `count` posts at a time, newest first.
    pub(crate) fn newest(&self, spec: &FeedSpec, now: Timestamp, count: usize) -> Vec<Post> {
        let first = day_of(self.config.start);
        let mut day = day_of(now).min(first + DAYS_MAX);
        let mut found = Vec::with_capacity(count);
        let mut times = Vec::new();
        while day >= first && found.len() < count {
            self.day(spec, day, &mut times);
            let known = times.iter().enumerate().rev().map(|(nth, &seconds)| self.post(day, nth, seconds));
            found.extend(known.filter(|post| post.at <= now && post.at >= self.config.start));
            day -= 1;
        }
        found.truncate(count);
        found
    }

    /// When the feed posts next; a time at least some weeks ahead when it does not.
    pub(crate) fn next_post(&self, spec: &FeedSpec, now: Timestamp) -> Timestamp {
        let first = day_of(now).max(day_of(self.config.start));
        let mut times = Vec::new();
        for day in first..first + 45 {
            self.day(spec, day, &mut times);
            let next = times
                .iter()
                .map(|&s| Timestamp::from_seconds(s))
                .find(|at| *at > now && *at >= self.config.start);
            if let Some(at) = next {
                return at;
            }
        }
        Timestamp::from_seconds((first + 45).saturating_mul(DAY_S))
    }

    /// The post of a number, if there is one and it has appeared.
    pub(crate) fn find(&self, spec: &FeedSpec, number: u64, now: Timestamp) -> Option<Post> {
        let day = i64::try_from(number / NUMBERS_PER_DAY).ok()?.checked_sub(1)?;
        if !(0..=DAYS_MAX).contains(&day) {
            return None;
        }
        let mut times = Vec::new();
        let utc_day = day_of(self.config.start) + day;
        self.day(spec, utc_day, &mut times);
        let nth = usize::try_from(number % NUMBERS_PER_DAY).ok()?;
        let post = self.post(utc_day, nth, *times.get(nth)?);
        (post.at <= now && post.at >= self.config.start).then_some(post)
    }

    /// The words of a post. A later revision keeps its number, link and guid.
    pub(crate) fn write(&self, spec: &FeedSpec, post: Post, revision: u8) -> Posted {
        // A mirror shows its source's posts, to the letter.
        let spec = self.feeds.get(spec.source).unwrap_or(spec);
        let dice = &mut Dice::new(self.config.seed, Purpose::Prose, spec.index as u64, post.number);
        let authority = self.authority(&spec.host);
        let told = self.coverage(spec, post, dice);
        let wire = told.as_ref().map(|story| self.story_url(story));
        let image = dice.chance(0.4).then(|| {
            let extension = if post.number.is_multiple_of(3) { "png" } else { "svg" };
            format!("http://{authority}/img/{}.{extension}", post.number)
        });
        let related = dice.chance(0.5).then(|| self.shelf_url(spec, dice));
        let coverage = told.as_ref().zip(wire.as_ref()).map(|(story, url)| Coverage {
            subject: &story.subject,
            facts: &story.facts,
            url,
        });
        let surroundings = Surroundings { image: image.as_deref(), related: related.as_deref() };
        let mut prose = compose(dice, spec.topic(), coverage.as_ref(), &surroundings);
        let c = civil(post.at);
        let own = format!(
            "http://{authority}{}/{:04}/{:02}/{}-{}",
            spec.prefix,
            c.year,
            c.month,
            post.number,
            slug(&prose.title)
        );
        // A link blog points at the story itself; its guid is still its own.
        let link = match wire {
            Some(wire) if !spec.behaviour.is_hostile() && dice.chance(0.25) => wire,
            _ => own,
        };
        if revision > 0 {
            prose.title.push_str(" (updated)");
            prose.html.push_str("<p>This text was corrected after it appeared: revision ");
            prose.html.push_str(&revision.to_string());
            prose.html.push_str(".</p>\n");
        }
        Posted {
            number: post.number,
            at: post.at,
            guid: guid(spec, post, &authority),
            title: prose.title,
            link,
            author: spec.author.to_owned(),
            summary: prose.summary,
            html: prose.html,
            tags: prose.tags,
            enclosure: spec.habits.podcast.then(|| Enclosure {
                url: format!("http://{authority}/audio/{}.wav", post.number),
                media_type: Some("audio/wav".to_owned()),
                bytes: Some(crate::media::AUDIO_BYTES),
                seconds: Some(crate::media::AUDIO_SECONDS),
            }),
            revision,
            updated: post.at.saturating_add(edited_after(revision)),
        }
    }

    fn coverage(&self, spec: &FeedSpec, post: Post, dice: &mut Dice) -> Option<story::Story> {
        let day = day_of(post.at);
        let (began, topic, chance) = story::current(self.config.seed, spec.topic_index, day)?;
        // An agency posts dozens of times a day and would drown the story in itself.
        let chance = if spec.rhythm.pattern == Pattern::AroundTheClock { chance * 0.2 } else { chance };
        dice.chance(chance).then(|| story::tell_story(self.config.seed, topic, began))?
    }

    pub(crate) fn story_url(&self, story: &story::Story) -> String {
        format!("http://{}/story/{}-{}", self.authority("wire.test"), story.day, story.topic)
    }

    /// A page that many articles of a topic point to; low numbers far more often than high ones.
    fn shelf_url(&self, spec: &FeedSpec, dice: &mut Dice) -> String {
        let page = (dice.unit() * dice.unit() * dice.unit() * 40.0) as u32 + 1;
        format!("http://{}/{}/{page}", self.authority("shelf.test"), spec.topic)
    }

    fn posts_between(&self, spec: &FeedSpec, from: Timestamp, to: Timestamp) -> Vec<Post> {
        let start = day_of(self.config.start);
        let first = day_of(from).max(start);
        let last = day_of(to).min(start + DAYS_MAX);
        let mut found = Vec::new();
        let mut times = Vec::new();
        for day in first..=last {
            self.day(spec, day, &mut times);
            let posts = times.iter().enumerate().map(|(nth, &seconds)| self.post(day, nth, seconds));
            found.extend(posts.filter(|p| p.at > from && p.at <= to && p.at >= self.config.start));
        }
        found
    }

    fn day(&self, spec: &FeedSpec, utc_day: i64, times: &mut Vec<i64>) {
        let day = utc_day - day_of(self.config.start);
        let dice = &mut Dice::new(self.config.seed, Purpose::Posts, spec.source as u64, day.unsigned_abs());
        spec.rhythm.posts(dice, utc_day, day, times);
    }

    fn post(&self, utc_day: i64, nth: usize, seconds: i64) -> Post {
        let day = utc_day.saturating_sub(day_of(self.config.start)).max(0).unsigned_abs();
        Post { number: (day + 1) * NUMBERS_PER_DAY + nth as u64, at: Timestamp::from_seconds(seconds) }
    }
}

/// How long after its appearance an item got this revision.
pub(crate) fn edited_after(revision: u8) -> Duration {
    let hours = match revision {
        0 => 0,
        1 => 3,
        _ => 20,
    };
    Duration::from_secs(hours * HOUR_S.unsigned_abs())
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Three customs: an address, a tag URI, a bare number.
fn guid(spec: &FeedSpec, post: Post, authority: &str) -> String {
    match mix(spec.index as u64) % 3 {
        0 => format!("http://{authority}{}/?p={}", spec.prefix, post.number),
        1 => format!("tag:{},2020:{}:{}", spec.host, spec.index, post.number),
        _ => post.number.to_string(),
    }
}

fn slug(title: &str) -> String {
    let mut slug = String::with_capacity(48);
    for c in title.chars() {
        if slug.len() >= 48 {
            break;
        }
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}
