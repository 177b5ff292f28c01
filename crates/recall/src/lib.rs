//! What is known of a person now: what was learnt and stored, and what they did since.
//!
//! Pages show it and a job keeps it; both make it here, of the same records in the same way, so that folding a session
//! changes nothing a person sees. Loads and stores; `rank` learns. Neither clock nor SQL.

use domain::interaction::Interaction;
use domain::{FeedId, ItemId, Timestamp, UserId};
use learn::Topics;
use rank::{Candidate, Feature, Recent, Session, Taste, sessions, unpack_terms};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;
use store::{Store, StoreError, SubscribedFeed, TasteRow, Traits};
use text::TermId;

/// The model that topics are kept as.
pub const TOPICS: &str = "topics";
/// How far back reading makes an item less of a novelty.
const LATELY: Duration = Duration::from_secs(14 * 86_400);
/// Records taken at once; what is more is folded the next time.
const DEEDS_MAX: u32 = 5_000;
/// Sessions taken at once.
const SESSIONS_MAX: usize = 100;
/// Items asked for at once.
const ITEMS_MAX: usize = 1_000;
/// Weight of a feed that the person marked as important.
const IMPORTANT: f32 = 2.0;

const _: () =
    assert!(learn::TOPICS_MAX <= rank::TOPICS_MAX && learn::ITEM_SHARES_MAX <= rank::ITEM_TOPICS_MAX);

/// What ranking needs of a feed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeedFacts {
    pub weight: f32,
    pub items_per_day: f32,
}

impl Default for FeedFacts {
    fn default() -> Self {
        FeedFacts { weight: 1.0, items_per_day: 0.0 }
    }
}

pub type Feeds = HashMap<FeedId, FeedFacts>;

/// The facts of a person's feeds.
pub fn facts<'a>(subscribed: impl IntoIterator<Item = &'a SubscribedFeed>) -> Feeds {
    let one = |one: &SubscribedFeed| {
        let weight = if one.subscription.important { IMPORTANT } else { 1.0 };
        let items_per_day = one.health.posts_per_day.unwrap_or_default() as f32;
        (one.feed.id, FeedFacts { weight, items_per_day })
    };
    subscribed.into_iter().map(one).collect()
}

/// The topics in force; none before any were made, or when they cannot be read.
pub async fn topics(store: &Store) -> Result<Topics, StoreError> {
    let Some(model) = store.model(TOPICS).await? else { return Ok(Topics::default()) };
    Ok(Topics::from_bytes(&model.state).unwrap_or_else(|error| {
        tracing::warn!(%error, "topics cannot be read and are made anew");
        Topics::default()
    }))
}

/// An item as ranking wants it.
pub fn candidate(traits: &Traits, topics: &Topics, feeds: &Feeds) -> Candidate {
    let terms = unpack_terms(&traits.terms);
    let facts = feeds.get(&traits.feed).copied().unwrap_or_default();
    Candidate {
        item: traits.item,
        feed: traits.feed,
        feed_weight: facts.weight,
        feed_items_per_day: facts.items_per_day,
        published_at: traits.sort_at,
        topics: topics.shares(traits.feed, &terms),
        terms,
        story: traits.story.and_then(|story| u64::try_from(story.0).ok()),
        copies: traits.copies,
    }
}

/// How words were written.
pub type Surfaces = BTreeMap<TermId, String>;

/// What is known of a person.
#[derive(Debug, Clone, PartialEq)]
pub struct Person {
    pub taste: Taste,
    /// Of the words in it.
    pub surfaces: Surfaces,
    /// They were asked what they like.
    pub asked: bool,
}

/// The stored taste, and what the person did since.
#[derive(Debug)]
pub struct Recalled {
    user: UserId,
    row: TasteRow,
    numbers: Vec<i64>,
    records: Vec<Interaction>,
    /// How many of the records are of sessions that are over; the rest is of the one that goes on.
    over: usize,
    until: Timestamp,
    traits: Vec<Traits>,
    /// For each session what was read in the weeks before it.
    lately: Vec<Vec<Vec<u8>>>,
    feeds: Feeds,
}

impl Recalled {
    /// As of a moment; what was done later is not known yet.
    pub async fn load(
        store: &Store,
        user: UserId,
        feeds: Feeds,
        until: Timestamp,
    ) -> Result<Recalled, StoreError> {
        let mut row = store.taste(user).await?.unwrap_or_default();
        if row.revision > 0 && Taste::from_bytes(&row.state).is_err() {
            // What people did is kept for a year: it can be learnt again.
            tracing::warn!(user.id = %user, "what was learnt of a person cannot be read and is learnt again");
            (row.state, row.learned_to) = (Taste::default().to_bytes(), 0);
        }
        let deeds = store.deeds(user, row.learned_to, until, DEEDS_MAX).await?;
        let is_cut = deeds.len() >= DEEDS_MAX as usize;
        let (mut numbers, mut records): (Vec<i64>, Vec<Interaction>) = deeds.into_iter().unzip();
        let (kept, over, froms) = cut(&records, until, is_cut);
        numbers.truncate(kept);
        records.truncate(kept);
        let items: HashSet<ItemId> = records.iter().map(|record| record.item).collect();
        let mut items: Vec<ItemId> = items.into_iter().collect();
        items.sort_unstable();
        let mut traits = Vec::with_capacity(items.len());
        for some in items.chunks(ITEMS_MAX) {
            traits.extend(store.traits_of(user, some).await?);
        }
        let mut lately = Vec::with_capacity(froms.len());
        for from in froms {
            lately.push(read_lately(store, user, from).await?);
        }
        Ok(Recalled { user, row, numbers, records, over, until, traits, lately, feeds })
    }

    /// The taste with what was done since learnt too.
    pub fn person(&self, topics: &Topics) -> Person {
        self.learn(topics, false)
    }

    fn learn(&self, topics: &Topics, only_over: bool) -> Person {
        let mut taste = Taste::from_bytes(&self.row.state).unwrap_or_default();
        forget_former(&mut taste, topics, self.row.topics_run);
        let known: HashMap<ItemId, Candidate> =
            self.traits.iter().map(|one| (one.item, candidate(one, topics, &self.feeds))).collect();
        let mut end = 0;
        for (session, lately) in sessions(&self.records, self.until).into_iter().zip(&self.lately) {
            end += session.records.len();
            let is_over = end <= self.over;
            if is_over || !only_over {
                taste.learn_session(Session { is_over, ..session }, &known, &recent(lately));
            }
        }
        let mut surfaces = read_surfaces(&self.row.surfaces);
        for one in &self.traits {
            let terms = unpack_terms(&one.terms);
            for ((term, _), surface) in terms.iter().zip(one.surfaces.lines()) {
                surfaces.entry(*term).or_insert_with(|| surface.to_owned());
            }
        }
        let words: HashSet<TermId> = taste.words().iter().map(|(term, _)| term).collect();
        surfaces.retain(|term, _| words.contains(term));
        Person { taste, surfaces, asked: self.row.asked }
    }
}

/// Sessions that are over become part of the stored taste; true when there were any, and nobody else was quicker. What
/// happened to items of which nothing is known yet waits until something is, and everything for the first topics.
pub async fn fold(store: &Store, topics: &Topics, user: UserId, now: Timestamp) -> Result<bool, StoreError> {
    let feeds = facts(&store.subscriptions(user).await?);
    let recalled = Recalled::load(store, user, feeds, now).await?;
    let digested = store.learned_to().await?;
    let is_known = |record: &Interaction| record.item <= digested;
    if topics.run() == 0 || !recalled.records.iter().take(recalled.over).all(is_known) {
        return Ok(false);
    }
    let Some(learned_to) = recalled.over.checked_sub(1).and_then(|last| recalled.numbers.get(last)) else {
        return Ok(false);
    };
    let person = recalled.learn(topics, true);
    let row = TasteRow { learned_to: *learned_to, ..kept(&recalled.row, topics, &person) };
    store.keep_taste(recalled.user, &row).await
}

/// Changes what is stored of a person, such as how much they say they like something, with all that they did until now: who
/// corrects what was learnt has seen it. Tried again when a session was folded meanwhile; false when that happened every
/// time.
pub async fn change(
    store: &Store,
    topics: &Topics,
    user: UserId,
    now: Timestamp,
    how: impl Fn(&mut Person),
) -> Result<bool, StoreError> {
    const TRIES: usize = 5;
    for _ in 0..TRIES {
        let feeds = facts(&store.subscriptions(user).await?);
        let recalled = Recalled::load(store, user, feeds, now).await?;
        let mut person = recalled.person(topics);
        how(&mut person);
        let learned_to = recalled.numbers.last().copied().unwrap_or(recalled.row.learned_to);
        let row = TasteRow { learned_to, ..kept(&recalled.row, topics, &person) };
        if store.keep_taste(user, &row).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What was read in the weeks before a moment, the latest first.
pub async fn read_lately(store: &Store, user: UserId, from: Timestamp) -> Result<Vec<Vec<u8>>, StoreError> {
    store.read_lately(user, from.saturating_sub(LATELY), from, rank::RECENT_MAX as u32).await
}

/// The same as ranking wants it.
pub fn recent(lately: &[Vec<u8>]) -> Recent {
    let terms: Vec<Box<[(TermId, f32)]>> = lately.iter().map(|bytes| unpack_terms(bytes)).collect();
    Recent::of(terms.iter().map(|terms| &terms[..]))
}

fn kept(row: &TasteRow, topics: &Topics, person: &Person) -> TasteRow {
    TasteRow {
        revision: row.revision,
        state: person.taste.to_bytes(),
        surfaces: write_surfaces(&person.surfaces),
        learned_to: row.learned_to,
        topics_run: topics.run(),
        asked: person.asked,
    }
}

/// How many records are taken, how many of them are of sessions that are over, and when the sessions began.
fn cut(records: &[Interaction], until: Timestamp, is_cut: bool) -> (usize, usize, Vec<Timestamp>) {
    let mut all: Vec<Session<'_>> = sessions(records, until);
    // The last session may go on beyond what was read, unless it alone fills it.
    if is_cut && all.len() > 1 {
        all.pop();
    }
    all.truncate(SESSIONS_MAX);
    let count = |all: &[Session<'_>]| all.iter().map(|one| one.records.len()).sum();
    let over = all.iter().take_while(|one| one.is_over || is_cut).count();
    (count(&all), count(&all[..over]), all.iter().map(|one| one.from).collect())
}

/// What was learnt of places that other topics have now was about something else.
fn forget_former(taste: &mut Taste, topics: &Topics, run: u32) {
    // Topics that were made anew count their runs from one again.
    let since = if topics.run() < run { 0 } else { run };
    for topic in topics.begun_after(since) {
        taste.forget(Feature::Topic(topic));
    }
}

fn read_surfaces(json: &str) -> Surfaces {
    let read: BTreeMap<String, String> = serde_json::from_str(json).unwrap_or_default();
    read.into_iter().filter_map(|(term, surface)| Some((TermId(term.parse().ok()?), surface))).collect()
}

fn write_surfaces(surfaces: &Surfaces) -> String {
    let written: BTreeMap<String, &String> =
        surfaces.iter().map(|(term, surface)| (term.0.to_string(), surface)).collect();
    serde_json::to_string(&written).unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use domain::interaction::InteractionKind;

    fn open(minute: i64) -> Interaction {
        Interaction {
            user: UserId(1),
            item: ItemId(minute),
            kind: InteractionKind::Open,
            at: Timestamp::from_seconds(60 * minute),
            place: "newest".into(),
            position: None,
            dwell_ms: None,
        }
    }

    #[test]
    fn only_sessions_that_are_over_are_folded_and_none_is_cut_in_half() {
        let records: Vec<Interaction> = [0, 5, 60, 65, 70].map(open).into();
        let at = |minute: i64| Timestamp::from_seconds(60 * minute);
        let cut = |until: i64, is_cut: bool| {
            let (kept, over, froms) = cut(&records, at(until), is_cut);
            (kept, over, froms.len())
        };
        assert_eq!(cut(80, false), (5, 2, 2));
        assert_eq!(cut(100, false), (5, 5, 2));
        assert_eq!(cut(100, true), (2, 2, 1), "more of the last may follow");
        let (kept, over, _) = super::cut(&records[..2], at(6), true);
        assert_eq!((kept, over), (2, 2), "one endless session is taken in pieces");
    }

    #[test]
    fn how_words_were_written_comes_back() {
        let surfaces: Surfaces =
            [(TermId(u64::MAX), "Flüße \"x\"".to_owned()), (TermId(2), String::new())].into();
        assert_eq!(read_surfaces(&write_surfaces(&surfaces)), surfaces);
        for odd in ["", "[]", "{\"x\":\"y\"}", "{\"1\":2}"] {
            assert!(read_surfaces(odd).is_empty());
        }
    }
}
