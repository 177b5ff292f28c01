//! A world from files: `user,source,weight` and `source,item,score`, or articles whose words are the references.

use super::world::World;
use crate::profiles::read_articles;
use crate::trace::{broken, each_line, fields};
use anyhow::{Result, ensure};
use learn::Sparse;
use rank::buzz::{KeyId, Mention, Post, mentions, same_day_references};
use std::collections::HashMap;
use std::path::Path;

const DAY_S: i64 = 86_400;
/// A key of fewer articles is chance.
const ARTICLES_MIN: u32 = 3;

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
/// unless `weighted`. Of articles the last `days` count.
pub(crate) fn world(
    subscriptions: &Path,
    references: &Path,
    days: Option<u32>,
    weighted: bool,
) -> Result<World> {
    let (mut sources, mut keys, mut notes) = (Numbers::default(), Vec::new(), Vec::new());
    let is_articles = first_byte(references)? == Some(b'{');
    let entries = if is_articles {
        articles(references, days, &mut sources, &mut keys, &mut notes)?
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
            (*numbers.entry(user).or_insert(next), source, if weighted { weight } else { 1.0 })
        })
        .collect();
    ensure!(
        !follows.is_empty(),
        "nobody in {} follows a source of {}",
        subscriptions.display(),
        references.display()
    );
    let follows = Sparse::new(numbers.len(), known, follows);
    Ok(World::new(follows, Sparse::new(known, keys.len(), entries), keys, notes))
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

/// tf·idf by day, added up over the days.
fn articles(
    path: &Path,
    days: Option<u32>,
    sources: &mut Numbers,
    keys: &mut Vec<String>,
    notes: &mut Vec<String>,
) -> Result<Vec<Triple>> {
    let articles = read_articles(path)?;
    notes.extend(articles.notes);
    let end = articles.all.last().map_or(0, |article| article.at.div_euclid(DAY_S));
    let from = days.map_or(i64::MIN, |days| end - i64::from(days) + 1);
    let recent = articles.all.iter().filter(|article| article.at.div_euclid(DAY_S) >= from);
    let mut items: Vec<(i64, u32, Vec<Mention>)> = recent
        .map(|article| {
            let language = Some(text::Language::ENGLISH);
            let post = Post { title: &article.title, text: &article.summary, language, ..Post::default() };
            (article.at.div_euclid(DAY_S), sources.number(&article.source), mentions(&post))
        })
        .collect();
    let mut counts: HashMap<KeyId, u32> = HashMap::new();
    items.iter().flat_map(|item| &item.2).for_each(|mention| *counts.entry(mention.id).or_default() += 1);
    items.iter_mut().for_each(|item| item.2.retain(|mention| counts[&mention.id] >= ARTICLES_MIN));
    let mut numbers: HashMap<KeyId, u32> = HashMap::new();
    for mention in items.iter().flat_map(|item| &item.2) {
        numbers.entry(mention.id).or_insert_with(|| {
            keys.push(mention.text.clone());
            keys.len() as u32 - 1
        });
    }
    let mut sums: HashMap<(u32, u32), f32> = HashMap::new();
    for day in items.chunk_by(|one, other| one.0 == other.0) {
        for reference in
            same_day_references(day.iter().map(|(_, source, mentions)| (*source, mentions.as_slice())))
        {
            *sums.entry((reference.source, numbers[&reference.key])).or_default() += reference.score as f32;
        }
    }
    Ok(sums.into_iter().map(|((source, key), score)| (source, key, score)).collect())
}
