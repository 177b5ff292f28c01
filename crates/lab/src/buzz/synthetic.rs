//! A world of Bloglines' size (003 §4.3.1; reference 2.2): 91,366 users, 487,694 feeds, 2.8 million subscriptions.
//!
//! How many feeds people follow and how many readers feeds have is drawn to fit the paper's tables, in communities, so that
//! likes go together; resampled, the numbers of feeds come from real subscriptions. What feeds refer to comes from real
//! posts, or from drawn ones where no data is given.

use super::world::World;
use crate::dice::Dice;
use crate::profiles::Article;
use anyhow::{Result, bail};
use learn::Sparse;
use rank::buzz::{KeyId, Post, mentions};
use std::collections::HashMap;

const USERS: usize = 91_366;
const FEEDS: usize = 487_694;
/// Feeds of the paper's dense region, where the fitted weight is thirty readers.
const DENSE_FEEDS: f64 = 10_152.0;
const COMMUNITIES: usize = 80;
const CHANNELS_EACH: usize = 4;
/// The five who follow most.
const GIANTS: [usize; 5] = [4_000, 3_200, 2_500, 2_200, 2_000];
const TERMS_MAX: usize = 60;
const POSTS_MIN: u32 = 3;
const BUSY_READERS: u32 = 30;
const LIGHT_REFERENCES: usize = 22;
const MERGED: usize = 8;

/// How much feeds say in a week.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// The best 22 keys of each feed.
    Light,
    /// All of them.
    Full,
    /// Only feeds with many readers, each with the keys of eight more.
    Heavy,
}

impl Size {
    pub fn parse(name: &str) -> Result<Self> {
        Ok(match name {
            "light" => Size::Light,
            "full" => Size::Full,
            "heavy" => Size::Heavy,
            _ => bail!("--synthetic is light, full or heavy"),
        })
    }
}

/// Posts by channel, each a list of keys.
pub(crate) struct Posts {
    channels: Vec<Vec<Vec<u32>>>,
    keys: Vec<String>,
    idf: Vec<f32>,
}

impl Posts {
    /// Words and phrases of articles that at least three have, the first sixty of each.
    pub(crate) fn of(articles: &[Article]) -> Self {
        let mut numbers: HashMap<KeyId, u32> = HashMap::new();
        let (mut keys, mut counts) = (Vec::new(), Vec::new());
        let mut by_source: HashMap<&str, Vec<Vec<u32>>> = HashMap::new();
        for article in articles {
            let language = Some(text::Language::ENGLISH);
            let post = Post { title: &article.title, text: &article.summary, language, ..Post::default() };
            let own: Vec<u32> = mentions(&post)
                .into_iter()
                .take(TERMS_MAX)
                .map(|mention| {
                    *numbers.entry(mention.id).or_insert_with(|| {
                        keys.push(mention.text);
                        counts.push(0u32);
                        keys.len() as u32 - 1
                    })
                })
                .collect();
            own.iter().for_each(|key| counts[*key as usize] += 1);
            by_source.entry(&article.source).or_default().push(own);
        }
        let mut place = vec![None; keys.len()];
        let kept: Vec<usize> = (0..keys.len()).filter(|key| counts[*key] >= POSTS_MIN).collect();
        kept.iter().enumerate().for_each(|(nth, key)| place[*key] = Some(nth as u32));
        let mut sources: Vec<(&str, Vec<Vec<u32>>)> = by_source.into_iter().collect();
        sources.sort_by_key(|(source, _)| *source);
        let renumbered = |post: Vec<u32>| post.iter().filter_map(|key| place[*key as usize]).collect();
        Posts {
            channels: sources
                .into_iter()
                .map(|(_, posts)| posts.into_iter().map(renumbered).collect())
                .collect(),
            idf: kept.iter().map(|key| (articles.len() as f32 / counts[*key] as f32).ln()).collect(),
            keys: kept.iter().map(|key| keys[*key].clone()).collect(),
        }
    }

    /// Without data: channels with words of their own among common ones, frequent ones more often.
    pub(crate) fn drawn(seed: u64) -> Self {
        const CHANNELS: usize = 132;
        const KEYS: usize = 45_000;
        let mut dice = Dice::new(seed ^ 0x6b65_7973);
        let mut counts = vec![0u32; KEYS];
        let mut channels: Vec<Vec<Vec<u32>>> = Vec::new();
        for channel in 0..CHANNELS {
            let posts = (0..300).map(|_| {
                let mut own: Vec<u32> = (0..12 + dice.below(36))
                    .map(|_| {
                        // Half of what is said is the channel's own.
                        let common = dice.unit() < 0.5;
                        let (first, span) = if common { (0, 9_000) } else { (9_000 + channel * 272, 272) };
                        (first + (dice.unit().powi(3) * span as f64) as usize) as u32
                    })
                    .collect();
                own.sort_unstable();
                own.dedup();
                own.iter().for_each(|key| counts[*key as usize] += 1);
                own
            });
            channels.push(posts.collect());
        }
        let all = (CHANNELS * 300) as f32;
        Posts {
            channels,
            keys: (0..KEYS).map(|key| format!("word{key}")).collect(),
            idf: counts.iter().map(|count| (all / *count as f32).ln().min(all.ln())).collect(),
        }
    }
}

/// Draws by weight.
struct Weighted {
    items: Vec<u32>,
    sums: Vec<f64>,
}

impl Weighted {
    fn new(items: impl Iterator<Item = (u32, f64)>) -> Self {
        let mut sum = 0.0;
        let (items, sums) = items
            .map(|(item, weight)| {
                sum += weight;
                (item, sum)
            })
            .unzip();
        Weighted { items, sums }
    }

    fn draw(&self, dice: &mut Dice) -> Option<u32> {
        let at = dice.unit() * self.sums.last()?;
        self.items.get(self.sums.partition_point(|sum| *sum <= at)).copied()
    }
}

/// `degrees` are real numbers of sources per user, to resample from.
pub(crate) fn world(size: Size, posts: &Posts, degrees: Option<&[usize]>, seed: u64) -> World {
    scaled(size, posts, degrees, seed, 1)
}

/// The same, `smaller` times as small in users and feeds: for tests.
pub(crate) fn scaled(
    size: Size,
    posts: &Posts,
    degrees: Option<&[usize]>,
    seed: u64,
    smaller: usize,
) -> World {
    let (users, feeds) = (USERS / smaller, FEEDS / smaller);
    let mut dice = Dice::new(seed);
    let wanted = match degrees {
        Some(real) => resampled(real, users, &mut dice),
        None => lognormal_degrees(users, smaller, &mut dice),
    };
    let weight = |rank: usize| {
        let weight = 30.0 * (DENSE_FEEDS / smaller as f64 / (rank + 1) as f64).powf(1.0 / 1.157);
        let rank = rank * smaller;
        let bend = if rank < 2_500 {
            1.45
        } else if rank < 7_000 {
            1.05
        } else {
            0.93
        };
        weight.min(0.2 * users as f64) * bend
    };
    let by_size = Weighted::new((0..COMMUNITIES).map(|nth| (nth as u32, ((nth + 1) as f64).powf(-0.6))));
    let community: Vec<u32> = (0..feeds).map(|_| by_size.draw(&mut dice).unwrap_or(0)).collect();
    let everywhere = Weighted::new((0..feeds).map(|feed| (feed as u32, weight(feed))));
    let within: Vec<Weighted> = (0..COMMUNITIES)
        .map(|nth| {
            let own = (0..feeds).filter(|feed| community[*feed] as usize == nth);
            Weighted::new(own.map(|feed| (feed as u32, weight(feed))))
        })
        .collect();
    let mut stamp = vec![usize::MAX; feeds];
    let rows: Vec<Vec<(u32, f32)>> = wanted
        .iter()
        .enumerate()
        .map(|(user, wanted)| {
            let own: Vec<u32> =
                (0..1 + dice.below(4)).map(|_| by_size.draw(&mut dice).unwrap_or(0)).collect();
            let mut follows = Vec::with_capacity(*wanted);
            for _ in 0..*wanted {
                // What is followed already is drawn again, three times.
                for _ in 0..4 {
                    let from = match dice.unit() < 0.9 {
                        true => &within[own[dice.below(own.len())] as usize],
                        false => &everywhere,
                    };
                    let Some(feed) = from.draw(&mut dice) else { continue };
                    if std::mem::replace(&mut stamp[feed as usize], user) != user {
                        follows.push((feed, 1.0));
                        break;
                    }
                }
            }
            follows
        })
        .collect();
    let follows = Sparse::of_rows(feeds, rows);
    let mut world = World::new(follows, Sparse::of_rows(0, []), posts.keys.clone(), Vec::new());
    world.references = references(size, posts, &world.readers, &community, &mut dice);
    world
}

fn lognormal_degrees(users: usize, smaller: usize, dice: &mut Dice) -> Vec<usize> {
    let giants = GIANTS.iter().map(|degree| degree / smaller);
    let drawn = |dice: &mut Dice| {
        let degree = (2.57 + 1.38 * normal(dice)).exp();
        let degree = if degree > 200.0 { 200.0 * (degree / 200.0).powf(0.72) } else { degree };
        (degree as usize).max(1)
    };
    let mut all: Vec<usize> = (giants.len()..users).map(|_| drawn(dice)).collect();
    all.extend(giants);
    all
}

fn resampled(real: &[usize], users: usize, dice: &mut Dice) -> Vec<usize> {
    let drawn = |dice: &mut Dice| {
        let degree = real.get(dice.below(real.len())).copied().unwrap_or(1) as f64;
        1 + (22.8 * (degree - 1.0 + dice.unit()).powf(0.65)) as usize
    };
    (0..users).map(|_| drawn(dice)).collect()
}

fn normal(dice: &mut Dice) -> f64 {
    let radius = (-2.0 * (1.0 - dice.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * dice.unit()).cos()
}

fn references(size: Size, posts: &Posts, readers: &[u32], community: &[u32], dice: &mut Dice) -> Sparse {
    let channels: Vec<[usize; CHANNELS_EACH]> =
        (0..COMMUNITIES).map(|_| std::array::from_fn(|_| dice.below(posts.channels.len()))).collect();
    let (mut sums, mut touched) = (vec![0f32; posts.keys.len()], Vec::new());
    let is_busy = |feed: usize| readers[feed] > BUSY_READERS;
    let mut row = |feed: usize| -> Vec<(u32, f32)> {
        if size == Size::Heavy && !is_busy(feed) {
            return Vec::new();
        }
        let own = channels[community[feed] as usize];
        let (main, side) = (own[dice.below(CHANNELS_EACH)], own[dice.below(CHANNELS_EACH)]);
        let count = match is_busy(feed) {
            true => (2.6 + 1.2 * normal(dice)).exp().min(400.0),
            false => (1.2 + normal(dice)).exp().min(60.0),
        };
        for _ in 0..(count as usize).max(1) {
            let channel = &posts.channels[if dice.unit() < 0.75 { main } else { side }];
            let Some(post) = channel.get(dice.below(channel.len())) else { continue };
            for key in post {
                let sum = &mut sums[*key as usize];
                if *sum == 0.0 {
                    touched.push(*key);
                }
                *sum += posts.idf[*key as usize];
            }
        }
        let mut row: Vec<(u32, f32)> =
            touched.drain(..).map(|key| (key, std::mem::take(&mut sums[key as usize]))).collect();
        if size == Size::Light && row.len() > LIGHT_REFERENCES {
            row.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
            row.truncate(LIGHT_REFERENCES);
        }
        row
    };
    let rows: Vec<Vec<(u32, f32)>> = (0..readers.len()).map(&mut row).collect();
    if size != Size::Heavy {
        return Sparse::of_rows(posts.keys.len(), rows);
    }
    let busy: Vec<usize> = (0..readers.len()).filter(|feed| is_busy(*feed)).collect();
    let merged = |feed: usize| {
        let mut all: HashMap<u32, f32> = HashMap::new();
        let others: Vec<usize> = match is_busy(feed) {
            true => (0..MERGED).map(|_| busy[dice.below(busy.len())]).chain([feed]).collect(),
            false => Vec::new(),
        };
        for (key, score) in others.iter().flat_map(|other| &rows[*other]) {
            *all.entry(*key).or_default() += score;
        }
        all.into_iter().collect()
    };
    Sparse::of_rows(posts.keys.len(), (0..readers.len()).map(merged))
}
