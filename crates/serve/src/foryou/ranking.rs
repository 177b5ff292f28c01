//! One person's list, ranked: what is unread, by what was learnt of the person until a moment.
//!
//! [`ForYou::ranking`] is the door, for pages, scripts and trials: the same person, moment and ranker give the same list,
//! whoever asks how often. What was done after the moment changes nothing in it, so a page, the pages after it and the
//! way back agree; only what was hidden since is left out where rows are shown. A few lists are held in memory, because
//! somebody who reads one asks for its next page or for the reason of an item; when they are gone they are made again.
//!
//! Only the person's own feeds and records go in, and topics, which are made of shared feeds. Of a topic only those words
//! are named that stand in the person's own items (A10).

use crate::App;
use crate::channels::compared;
use crate::foryou::trial;
use crate::problem::Problem;
use domain::interaction::Interaction;
use domain::{FeedId, ItemId, Timestamp, UserId};
use learn::Topics;
use rank::{Candidate, Feature, Moment, Page, Placed, Ranked, Side, Why};
use recall::{Feeds, Recalled, Surfaces, candidate, read_lately, recent};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::{Traits, Wanted};
use text::TermId;

/// Unread items that are looked at, the newest.
const CANDIDATES_MAX: u32 = 10_000;
/// Older items are found elsewhere.
const DAYS_MAX: f64 = 14.0;
/// Rows of a list at most.
pub(crate) const ROWS_MAX: usize = rank::ROWS_MAX;
/// Lists held, of all people; some 100 KB each.
const LISTS_MAX: usize = 64;
/// How old topics may be; they change once a day.
const TOPICS_FOR: Duration = Duration::from_secs(60);
/// Items whose words may name a topic, the newest.
const NAMING_ITEMS: usize = 2_000;
const NAME_WORDS: usize = 2;
/// Topics offered to somebody new.
const OFFERED_MAX: usize = 12;
/// A list is not asked for again after so long: the moment is then now.
const PINNED_FOR: Duration = Duration::from_secs(24 * 3_600);

/// The moment a list was made, and the newest item then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Pin {
    pub(crate) at: Timestamp,
    pub(crate) newest: ItemId,
}

impl Pin {
    /// As it stands in addresses, with the row that comes next.
    pub(crate) fn text(self, row: usize) -> String {
        format!("{}-{}-{row}", self.at.micros(), self.newest)
    }

    /// The other way round; a moment that is too long ago, or has not come yet, is none.
    pub(crate) fn parse(text: &str, now: Timestamp) -> Option<(Pin, usize)> {
        let mut parts = text.splitn(3, '-');
        let at = Timestamp::from_micros(parts.next()?.parse().ok()?);
        let newest = ItemId(parts.next()?.parse().ok()?);
        let row: usize = parts.next()?.parse().ok()?;
        let is_fresh = at <= now && now.since(at) <= PINNED_FOR;
        (is_fresh && row <= ROWS_MAX).then_some((Pin { at, newest }, row))
    }
}

/// Which way of ordering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Ranker {
    ForYou,
    /// The dissertation's, for trials.
    Explore,
    Newest,
}

/// A list as it was ranked.
#[derive(Debug)]
pub(crate) struct Ranking {
    pub(crate) rows: Vec<Ranked>,
    /// Names of the topics that reasons speak of, of those that were learnt, and of those that are offered.
    pub(crate) topics: HashMap<u16, String>,
    /// How the words that reasons speak of were written.
    pub(crate) surfaces: Surfaces,
    /// Topics of what is unread, the most of it first.
    pub(crate) offered: Vec<u16>,
    /// The person was asked what they like.
    pub(crate) asked: bool,
    /// Whose row an item is, in a trial of two rankers; empty otherwise.
    pub(crate) sides: HashMap<ItemId, Side>,
}

impl Ranking {
    pub(crate) fn of(&self, item: ItemId) -> Option<&Ranked> {
        self.rows.iter().find(|row| row.item == item)
    }
}

type Key = (UserId, Pin, Ranker);

/// What For you holds in memory on this node.
#[derive(Debug, Default)]
pub(crate) struct ForYou {
    topics: Mutex<Option<(Timestamp, Arc<Topics>)>>,
    lists: Mutex<VecDeque<(Key, Arc<Ranking>)>>,
    /// Lists of trials, as they were shown.
    mixed: Mutex<VecDeque<(UserId, Pin, Arc<Ranking>)>>,
}

impl ForYou {
    /// What a person is shown: their list, or two in one while a trial goes on.
    pub(crate) async fn shown(
        &self,
        app: &App,
        user: UserId,
        feeds: &Feeds,
        pin: Pin,
    ) -> Result<Arc<Ranking>, Problem> {
        let Some(mix) = trial::running(app, user, pin.at).await? else {
            return self.ranking(app, user, feeds, pin, Ranker::ForYou).await;
        };
        let one = self.ranking(app, user, feeds, pin, mix.one).await?;
        let other = self.ranking(app, user, feeds, pin, mix.other).await?;
        let items = |list: &Ranking| list.rows.iter().map(|row| row.item).collect::<Vec<_>>();
        let order = rank::interleave(&items(&one), &items(&other), ROWS_MAX, mix.seed(pin));
        let known: HashMap<ItemId, &Ranked> =
            other.rows.iter().chain(&one.rows).map(|row| (row.item, row)).collect();
        let rows = order.iter().filter_map(|(item, _)| known.get(item).map(|row| (*row).clone())).collect();
        let mixed = Arc::new(Ranking {
            rows,
            topics: HashMap::new(),
            surfaces: Surfaces::default(),
            offered: Vec::new(),
            asked: true,
            sides: order.into_iter().collect(),
        });
        let mut lists = self.mixed.lock().unwrap_or_else(PoisonError::into_inner);
        lists.retain(|(owner, made, _)| *owner != user || *made != pin);
        lists.push_back((user, pin, mixed.clone()));
        while lists.len() > LISTS_MAX {
            lists.pop_front();
        }
        Ok(mixed)
    }

    /// Whose row an item is in the latest list of a trial that has it, and when that was made; none when it is not held.
    pub(crate) fn side_of(&self, user: UserId, item: ItemId) -> Option<(Timestamp, Side)> {
        let lists = self.mixed.lock().unwrap_or_else(PoisonError::into_inner);
        let own = lists.iter().rev().filter(|(owner, ..)| *owner == user);
        own.filter_map(|(_, pin, list)| Some((pin.at, *list.sides.get(&item)?))).next()
    }

    /// The trial of a person is over: what was shown in it is as any other list.
    pub(crate) fn forget_trial(&self, user: UserId) {
        self.mixed.lock().unwrap_or_else(PoisonError::into_inner).retain(|(owner, ..)| *owner != user);
    }

    /// The list of a person at a moment. `feeds` are the person's.
    pub(crate) async fn ranking(
        &self,
        app: &App,
        user: UserId,
        feeds: &Feeds,
        pin: Pin,
        ranker: Ranker,
    ) -> Result<Arc<Ranking>, Problem> {
        let key = (user, pin, ranker);
        if let Some(known) = self.held(|other| *other == key) {
            return Ok(known);
        }
        let wanted = Wanted {
            since: since(pin.at, feeds),
            up_to: pin.newest,
            opened_since: pin.at,
            limit: CANDIDATES_MAX,
        };
        let topics = self.topics(app, pin.at).await?;
        let (recalled, unread, lately) = tokio::try_join!(
            Recalled::load(&app.store, user, feeds.clone(), pin.at),
            app.store.candidates(user, &wanted),
            read_lately(&app.store, user, pin.at),
        )?;
        let (done, known) = match ranker {
            Ranker::Explore => trial::done(app, user, pin.at).await?,
            Ranker::ForYou | Ranker::Newest => Default::default(),
        };
        let feeds = feeds.clone();
        let ranking = compared(app, move || {
            let source = Source {
                recalled: &recalled,
                unread: &unread,
                lately: &lately,
                feeds: &feeds,
                done: &done,
                known: &known,
            };
            source.ranked(&topics, pin.at, ranker)
        });
        let ranking = Arc::new(ranking.await?);
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        lists.push_back((key, ranking.clone()));
        while lists.len() > LISTS_MAX {
            lists.pop_front();
        }
        Ok(ranking)
    }

    /// The moment of a new list. One that was made at the very same moment is not it: something may have been done since.
    pub(crate) async fn pin(&self, app: &App, user: UserId, now: Timestamp) -> Result<Pin, Problem> {
        let pin = Pin { at: now, newest: app.store.newest_item().await? };
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        lists.retain(|((owner, made, _), _)| *owner != user || *made != pin);
        Ok(pin)
    }

    /// The latest list of a person that has an item, if it is still held.
    pub(crate) fn latest_with(&self, user: UserId, item: ItemId) -> Option<Arc<Ranking>> {
        let lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        let own = lists.iter().rev().filter(|((owner, ..), _)| *owner == user);
        own.map(|(_, list)| list).find(|list| list.of(item).is_some()).cloned()
    }

    fn held(&self, is_it: impl Fn(&Key) -> bool) -> Option<Arc<Ranking>> {
        let lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        lists.iter().rev().find(|(key, _)| is_it(key)).map(|(_, list)| list.clone())
    }

    pub(crate) async fn topics(&self, app: &App, now: Timestamp) -> Result<Arc<Topics>, Problem> {
        let held = self.topics.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match held {
            Some((at, topics)) if at <= now && now.since(at) < TOPICS_FOR => Ok(topics),
            _ => {
                let topics = Arc::new(recall::topics(&app.store).await?);
                *self.topics.lock().unwrap_or_else(PoisonError::into_inner) = Some((now, topics.clone()));
                Ok(topics)
            }
        }
    }
}

/// How far back is looked: two weeks, or as far as twice the items that can be looked at go by what the feeds post.
fn since(now: Timestamp, feeds: &Feeds) -> Timestamp {
    let per_day: f64 = feeds.values().map(|facts| f64::from(facts.items_per_day)).sum();
    let days = (2.0 * f64::from(CANDIDATES_MAX) / per_day.max(1.0)).clamp(1.0, DAYS_MAX);
    now.saturating_sub(Duration::from_secs_f64(days * 86_400.0))
}

/// All that a list is made of.
struct Source<'a> {
    recalled: &'a Recalled,
    unread: &'a [Traits],
    lately: &'a [Vec<u8>],
    feeds: &'a Feeds,
    /// What the person did, and with what; only for rankers that keep no state.
    done: &'a [Interaction],
    known: &'a [Traits],
}

impl Source<'_> {
    /// Features, scores, order, reasons and names: all of the work, and no waiting.
    fn ranked(&self, topics: &Topics, now: Timestamp, ranker: Ranker) -> Ranking {
        let person = self.recalled.person(topics);
        let candidates = self.candidates(topics);
        let (recent, hidden) = (recent(self.lately), HashSet::new());
        let moment = Moment { now, recent: &recent };
        let rows = match ranker {
            Ranker::ForYou => {
                rank::for_you(&person.taste, &candidates, Page { moment, hidden: &hidden, rows: ROWS_MAX })
            }
            Ranker::Newest => plain(&candidates, &rank::newest(&candidates, ROWS_MAX)),
            Ranker::Explore => {
                let known = self.known.iter().map(|one| (one.item, candidate(one, topics, self.feeds)));
                let explorer = trial::explorer(self.done, &known.collect());
                plain(&candidates, &explorer.order(&candidates, ROWS_MAX))
            }
        };
        let offered = offered(&candidates);
        let told = rows.iter().flat_map(|row| topics_of(&row.why));
        let learnt = person.taste.learned().into_iter().filter_map(|one| match one.feature {
            Feature::Topic(topic) => Some(topic),
            _ => None,
        });
        let wanted: HashSet<u16> = told.chain(offered.iter().copied()).chain(learnt).collect();
        let names = named(topics, &candidates, wanted);
        let said: HashSet<TermId> = rows.iter().flat_map(|row| row.why.words.iter().copied()).collect();
        let mut surfaces = person.surfaces;
        surfaces.retain(|term, _| said.contains(term));
        let offered = offered.into_iter().filter(|topic| names.contains_key(topic)).collect();
        Ranking { rows, topics: names, surfaces, offered, asked: person.asked, sides: HashMap::new() }
    }

    fn candidates(&self, topics: &Topics) -> Vec<Candidate> {
        let mut tellers: HashMap<ItemId, HashSet<FeedId>> = HashMap::new();
        for traits in self.unread {
            if let Some(story) = traits.story {
                tellers.entry(story).or_default().insert(traits.feed);
            }
        }
        let one = |traits: &Traits| {
            let told = traits.story.and_then(|story| tellers.get(&story)).map_or(0, HashSet::len);
            let copies = u32::try_from(told.saturating_sub(1)).unwrap_or(u32::MAX);
            Candidate { copies, ..candidate(traits, topics, self.feeds) }
        };
        self.unread.iter().map(one).collect()
    }
}

/// Rows of a ranker that gives no reasons.
fn plain(candidates: &[Candidate], order: &[ItemId]) -> Vec<Ranked> {
    let feeds: HashMap<ItemId, FeedId> = candidates.iter().map(|one| (one.item, one.feed)).collect();
    let row = |item: &ItemId| {
        let why = Why { placed: Placed::Newest, reasons: Vec::new(), words: Vec::new() };
        let feed = *feeds.get(item)?;
        Some(Ranked { item: *item, feed, score: 0.0, chance: 0.0, copies: Vec::new(), why })
    };
    order.iter().filter_map(row).collect()
}

fn topics_of(why: &Why) -> impl Iterator<Item = u16> + '_ {
    let placed = match why.placed {
        Placed::Trying(feature) | Placed::Interest(feature) => Some(feature),
        Placed::Liked | Placed::Newest | Placed::OtherFeed => None,
    };
    placed.into_iter().chain(why.reasons.iter().map(|reason| reason.feature)).filter_map(|feature| {
        match feature {
            Feature::Topic(topic) => Some(topic),
            _ => None,
        }
    })
}

/// What most of the unread items are about.
fn offered(candidates: &[Candidate]) -> Vec<u16> {
    let mut sums: HashMap<u16, f32> = HashMap::new();
    for (topic, share) in candidates.iter().flat_map(|candidate| &candidate.topics) {
        *sums.entry(*topic).or_default() += share;
    }
    let mut all: Vec<(u16, f32)> = sums.into_iter().collect();
    all.sort_unstable_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    all.into_iter().take(OFFERED_MAX).map(|(topic, _)| topic).collect()
}

/// Names by the words of the person's own items; a topic that shares none with them has none.
fn named(topics: &Topics, own: &[Candidate], wanted: HashSet<u16>) -> HashMap<u16, String> {
    let words: HashSet<TermId> =
        own.iter().take(NAMING_ITEMS).flat_map(|one| one.terms.iter().map(|(term, _)| *term)).collect();
    let name = |topic: u16| {
        let label = topics.label(topic, NAME_WORDS, |term| words.contains(&term));
        (!label.is_empty()).then(|| (topic, label.join(", ")))
    };
    wanted.into_iter().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use recall::FeedFacts;

    #[test]
    fn a_pin_survives_the_address_and_a_strange_one_is_none() {
        let now = Timestamp::from_seconds(1_000_000);
        let pin = Pin { at: Timestamp::from_seconds(999_000), newest: ItemId(12) };
        assert_eq!(Pin::parse(&pin.text(50), now), Some((pin, 50)));
        let later = Pin { at: Timestamp::from_seconds(1_000_001), ..pin };
        let former = Pin { at: Timestamp::from_seconds(900_000), ..pin };
        for odd in [later.text(0), former.text(0), pin.text(501)] {
            assert_eq!(Pin::parse(&odd, now), None, "{odd}");
        }
        for odd in ["", "1", "1-2", "a-b-c", "1-2-3-4", "--", "-5-1-0"] {
            assert_eq!(Pin::parse(odd, now), None, "{odd}");
        }
    }

    #[test]
    fn who_follows_much_is_looked_back_for_less() {
        let now = Timestamp::from_seconds(100 * 86_400);
        let feeds = |count: i64, items_per_day: f32| -> Feeds {
            (0..count).map(|id| (FeedId(id), FeedFacts { weight: 1.0, items_per_day })).collect()
        };
        let days = |feeds: &Feeds| now.since(since(now, feeds)).as_secs_f64() / 86_400.0;
        assert_eq!(days(&feeds(0, 0.0)), 14.0);
        assert_eq!(days(&feeds(50, 4.0)), 14.0);
        assert!((days(&feeds(5_000, 2.0)) - 2.0).abs() < 1e-6);
        assert_eq!(days(&feeds(5_000, 1e6)), 1.0);
        assert_eq!(days(&feeds(1, f32::NAN)), 14.0);
    }
}
