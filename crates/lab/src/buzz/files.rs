//! A world from files: `user,source,weight` and `source,item,score`, or articles whose words are the references.

use super::world::World;
use crate::profiles::read_articles;
use crate::trace::{broken, each_line, fields};
use anyhow::{Result, ensure};
use learn::Sparse;
use rank::buzz::{
    HISTORY_DAYS, KeyId, Mention, Post, Reference, idf, loudness, mentions, same_day_references,
};
use std::collections::{HashMap, VecDeque};
use std::path::Path;

/// [`HISTORY_DAYS`] as days are counted here.
const HISTORY: i64 = HISTORY_DAYS.cast_signed() as i64;
const DAY_S: i64 = 86_400;
/// A key of fewer articles is chance.
const ARTICLES_MIN: u32 = 3;

/// How files are read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reading {
    /// Of articles the last so many days.
    pub days: Option<u32>,
    /// tf·idf over the same day, as in §4.3.1, instead of the scores that ship.
    pub same_day_idf: bool,
    /// Subscriptions count by their weight instead of one each.
    pub weighted: bool,
}

/// Names to numbers, in the order they come.
#[derive(Default)]
struct Numbers {
    of: HashMap<String, u32>,
}

impl Numbers {
    fn number(&mut self, name: &str) -> u32 {
        let next = self.of.len() as u32;
        *self.of.entry(name.to_owned()).or_insert(next)
    }

    fn names(self) -> Vec<String> {
        let mut names: Vec<(String, u32)> = self.of.into_iter().collect();
        names.sort_by_key(|(_, number)| *number);
        names.into_iter().map(|(name, _)| name).collect()
    }
}

type Triple = (u32, u32, f32);

/// Only sources that refer to something count, and users who follow one of them. T has ones, as at Bloglines (§4.3.1),
/// unless `weighted`. Of articles the last `days` count, those before say what is usual.
pub(crate) fn world(subscriptions: &Path, references: &Path, how: &Reading) -> Result<World> {
    let (mut sources, mut keys, mut notes) = (Numbers::default(), Vec::new(), Vec::new());
    let is_articles = first_byte(references)? == Some(b'{');
    let entries = if is_articles {
        articles(references, how.days, how.same_day_idf, &mut sources, &mut keys, &mut notes)?
    } else {
        let mut items = Numbers::default();
        let entries = triples(references, &mut sources, &mut items, "source,item,score", &mut notes)?;
        keys = items.names();
        entries
    };
    ensure!(!entries.is_empty(), "{} has no references", references.display());
    let (known, mut users) = (sources.of.len(), Numbers::default());
    let follows = triples(subscriptions, &mut users, &mut sources, "user,source,weight", &mut notes)?;
    let mut numbers = HashMap::new();
    let follows: Vec<Triple> = follows
        .into_iter()
        .filter(|(_, source, _)| (*source as usize) < known)
        .map(|(user, source, weight)| {
            let next = numbers.len() as u32;
            (*numbers.entry(user).or_insert(next), source, if how.weighted { weight } else { 1.0 })
        })
        .collect();
    ensure!(
        !follows.is_empty(),
        "nobody in {} follows a source of {}",
        subscriptions.display(),
        references.display()
    );
    // Sources that nobody follows are nobody's.
    let mut places: Vec<Option<u32>> = vec![None; known];
    let mut read: Vec<u32> = follows.iter().map(|(_, source, _)| *source).collect();
    read.sort_unstable();
    read.dedup();
    (0u32..).zip(&read).for_each(|(place, source)| places[*source as usize] = Some(place));
    let follows = follows
        .into_iter()
        .filter_map(|(user, source, weight)| Some((user, places[source as usize]?, weight)));
    let entries =
        entries.into_iter().filter_map(|(source, key, score)| Some((places[source as usize]?, key, score)));
    let follows = Sparse::new(numbers.len(), read.len(), follows);
    Ok(World::new(follows, Sparse::new(read.len(), keys.len(), entries), keys, notes))
}

/// How many sources each user has.
pub(crate) fn degrees(subscriptions: &Path) -> Result<Vec<usize>> {
    let (mut users, mut sources) = (Numbers::default(), Numbers::default());
    let all = triples(subscriptions, &mut users, &mut sources, "user,source", &mut Vec::new())?;
    let mut counts = vec![0; users.of.len()];
    all.iter().for_each(|(user, _, _)| counts[*user as usize] += 1);
    ensure!(!counts.is_empty(), "{} has no subscriptions", subscriptions.display());
    Ok(counts)
}

fn first_byte(path: &Path) -> Result<Option<u8>> {
    let mut first = None;
    each_line(path, |line| {
        first = first.or(line.bytes().next());
        Ok(())
    })?;
    Ok(first)
}

fn triples(
    path: &Path,
    one: &mut Numbers,
    other: &mut Numbers,
    what: &'static str,
    notes: &mut Vec<String>,
) -> Result<Vec<Triple>> {
    let mut all = Vec::new();
    let mut first = true;
    let skipped = each_line(path, |line| {
        let header = std::mem::take(&mut first);
        let fields = fields(line);
        let [left, right, rest @ ..] = fields.as_slice() else { return Err(what) };
        let number = rest.first().map_or(Ok(1.0), |number| number.parse::<f32>());
        match number {
            Ok(number) if !left.is_empty() && number.is_finite() => {
                all.push((one.number(left), other.number(right), number));
                Ok(())
            }
            _ if header => Ok(()),
            _ => Err(what),
        }
    })?;
    if skipped.is_some() {
        notes.push(format!("{}{}", path.display(), broken(skipped.as_ref())));
    }
    Ok(all)
}

/// Scores by day, added up over the days: as the paper has them, or as they ship.
fn articles(
    path: &Path,
    days: Option<u32>,
    same_day_idf: bool,
    sources: &mut Numbers,
    keys: &mut Vec<String>,
    notes: &mut Vec<String>,
) -> Result<Vec<Triple>> {
    let articles = read_articles(path)?;
    notes.extend(articles.notes);
    let end = articles.all.last().map_or(0, |article| article.at.div_euclid(DAY_S));
    let from = days.map_or(i64::MIN, |days| end - i64::from(days) + 1);
    let known_from = from.saturating_sub(HISTORY);
    let mut items: Vec<(i64, &str, Vec<Mention>)> = articles
        .all
        .iter()
        .map(|article| (article.at.div_euclid(DAY_S), article))
        .filter(|(day, _)| *day >= known_from)
        .map(|(day, article)| {
            let language = Some(text::Language::ENGLISH);
            let post = Post { title: &article.title, text: &article.summary, language, ..Post::default() };
            (day, article.source.as_str(), mentions(&post))
        })
        .collect();
    let mut counts: HashMap<KeyId, u32> = HashMap::new();
    items.iter().flat_map(|item| &item.2).for_each(|mention| *counts.entry(mention.id).or_default() += 1);
    items.iter_mut().for_each(|item| item.2.retain(|mention| counts[&mention.id] >= ARTICLES_MIN));
    let (mut numbers, mut sums): (HashMap<KeyId, u32>, HashMap<(u32, u32), f32>) = Default::default();
    let mut past: VecDeque<Day> = VecDeque::new();
    for today in items.chunk_by(|one, other| one.0 == other.0) {
        let day = today[0].0;
        past.retain(|own| own.day >= day - HISTORY);
        if day >= from {
            let said: Vec<(u32, &[Mention])> = today
                .iter()
                .map(|(_, source, mentions)| (sources.number(source), mentions.as_slice()))
                .collect();
            for mention in said.iter().flat_map(|(_, mentions)| mentions.iter()) {
                numbers.entry(mention.id).or_insert_with(|| {
                    keys.push(mention.text.clone());
                    keys.len() as u32 - 1
                });
            }
            let scored = match same_day_idf {
                true => same_day_references(said.iter().copied()),
                false => shipped_references(&said, &past),
            };
            for one in scored {
                *sums.entry((one.source, numbers[&one.key])).or_default() += one.score as f32;
            }
        }
        past.push_back(Day::of(day, today.iter().flat_map(|(_, _, mentions)| mentions), today.len()));
    }
    Ok(sums.into_iter().map(|((source, key), score)| (source, key, score)).collect())
}

/// How many articles of a day have a key.
struct Day {
    day: i64,
    articles: u64,
    having: HashMap<KeyId, u64>,
}

impl Day {
    fn of<'a>(day: i64, mentions: impl Iterator<Item = &'a Mention>, articles: usize) -> Self {
        let mut having = HashMap::new();
        mentions.for_each(|mention| *having.entry(mention.id).or_default() += 1);
        Day { day, articles: articles as u64, having }
    }
}

/// (1 + ln tf)·idf, the idf of the days before.
fn shipped_references(said: &[(u32, &[Mention])], past: &VecDeque<Day>) -> Vec<Reference> {
    let mut times: HashMap<(u32, KeyId), u32> = HashMap::new();
    for (source, mentions) in said {
        for mention in *mentions {
            *times.entry((*source, mention.id)).or_default() += u32::from(mention.times);
        }
    }
    let all: u64 = past.iter().map(|day| day.articles).sum();
    let having = |key: &KeyId| past.iter().filter_map(|day| day.having.get(key)).sum::<u64>();
    let score = |((source, key), times): ((u32, KeyId), u32)| Reference {
        source,
        key,
        score: f64::from(loudness(times) * idf(all, having(&key))),
    };
    times.into_iter().map(score).collect()
}
