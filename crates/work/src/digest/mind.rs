//! What learning holds in memory, and what one step makes of a few items. Nothing here asks the store.

use crate::reading::{declared, plain};
use domain::{FeedId, ItemId, Limits, Timestamp};
use learn::FeedProfile;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{FeedProfileRow, ItemPage, ItemTerms, Learned, Model, StoryItem, StoryTie, WholeItem};
use text::{DocumentFrequencies, Frequencies, Sighting, Stories, TermId, Why};

/// Items read at a time.
pub(super) const PAGE: u32 = 200;
/// Feeds whose profiles are stored by one step: some hundred kilobytes, which hold up nobody's click.
const FEEDS_MAX: usize = 16;
/// Profiles kept in memory between steps.
const PROFILES_MAX: usize = 200;
/// Items that a story is looked for in: the newest, of two weeks.
pub(super) const STORY_ITEMS_MAX: u32 = 200_000;
/// Items a profile is learned from again.
pub(super) const PROFILE_ITEMS_MAX: u32 = 500;
/// Items of the profile of now and of the profile in general.
const LATEST: usize = 20;
const GENERAL: usize = 500;
/// So many items so much older than the newest are filled-in history, not late posts.
const LATE: Duration = Duration::from_secs(2 * 86_400);
const LATE_MIN: usize = 5;
/// Items a pair must have been seen in, in all feeds, before it says something of an item; a little less, for forgetting.
const PAIR_ITEMS_MIN: f64 = 2.5;
const SURFACE_CHARS_MAX: usize = 60;

/// An item that says what another feed said before.
pub(super) struct Copied {
    pub(super) feed: FeedId,
    pub(super) of: Vec<FeedId>,
}

/// What a step made of its items; profiles are added when the worth of copies is known.
pub(super) struct Taught {
    pub(super) copies: Vec<Copied>,
    pub(super) learned: Learned,
}

pub(super) struct Mind {
    limits: Arc<Limits>,
    learned_to: ItemId,
    frequencies: Frequencies,
    /// How far the stored frequencies have counted.
    counted_to: ItemId,
    changed: bool,
    /// Items and languages of the frequencies as they are stored.
    kept_words: (f64, usize),
    stories: Stories,
    /// Stories by another number than the one they are stored under, because their first items are no longer in memory.
    stored_as: HashMap<u64, u64>,
    profiles: HashMap<FeedId, Profiled>,
    written: BTreeSet<FeedId>,
    stale: HashMap<FeedId, Instant>,
    uses: u64,
}

struct Profiled {
    profile: FeedProfile,
    learned_to: ItemId,
    newest_at: Timestamp,
    used: u64,
}

impl Mind {
    /// A model that cannot be read is counted again from the items.
    pub(super) fn new(model: Option<Model>, learned_to: ItemId, limits: Arc<Limits>) -> Self {
        let known = model.and_then(|model| {
            let read = Frequencies::from_bytes(&model.state);
            read.inspect_err(|error| tracing::warn!(%error, "how common words are is counted again"))
                .ok()
                .map(|frequencies| (frequencies, model.learned_to))
        });
        let (frequencies, counted_to) = known.unwrap_or((Frequencies::default(), ItemId(0)));
        Mind {
            limits,
            learned_to,
            kept_words: counted(&frequencies),
            frequencies,
            counted_to,
            changed: false,
            stories: Stories::new(STORY_ITEMS_MAX as usize),
            stored_as: HashMap::new(),
            profiles: HashMap::new(),
            written: BTreeSet::new(),
            stale: HashMap::new(),
            uses: 0,
        }
    }

    pub(super) fn learned_to(&self) -> ItemId {
        self.learned_to
    }

    pub(super) fn counted_to(&self) -> ItemId {
        self.counted_to
    }

    /// Of what was not counted no more than this is read again.
    pub(super) fn oldest_worth_counting(&self) -> ItemId {
        ItemId(self.learned_to.0.saturating_sub(i64::from(STORY_ITEMS_MAX)))
    }

    /// Takes items that were learned before back into memory: their stories, and their words if those were not stored.
    pub(super) fn remember(&mut self, items: &[WholeItem], stories: &[(ItemId, ItemId)], since: Timestamp) {
        let stories: HashMap<ItemId, ItemId> = stories.iter().copied().collect();
        for item in items {
            let (id, text) = (item.content.item.id, plain(item, &self.limits));
            if id > self.counted_to {
                let tokens = text::Tokens::of_item(title(item), &text);
                let language = declared(item).or_else(|| text::detect(&text));
                let terms = text::Terms::of(&tokens, language, None);
                self.frequencies.add(language, ids(&terms), item.content.item.first_seen_at);
                self.changed = true;
            }
            if item.content.item.first_seen_at >= since {
                let (story, _) = self.stories.add(sighting(item, &text));
                if let Some(stored) = stories.get(&id).and_then(|stored| number(stored.0))
                    && stored != story
                {
                    self.stored_as.insert(story, stored);
                }
            }
        }
    }

    /// The feeds of these items whose profiles are not in memory.
    pub(super) fn unknown_feeds(&self, items: &[WholeItem]) -> Vec<FeedId> {
        let feeds: BTreeSet<FeedId> = items.iter().map(|item| item.content.item.feed).collect();
        feeds.into_iter().filter(|feed| !self.profiles.contains_key(feed)).collect()
    }

    /// Takes a stored profile in. One that cannot be read must be learned again: then its feed is answered.
    pub(super) fn take_profile(&mut self, feed: FeedId, row: Option<FeedProfileRow>) -> Option<FeedId> {
        let (mut learned_to, mut newest_at, mut damaged) =
            (ItemId(0), Timestamp::from_micros(i64::MIN), None);
        let profile = match row {
            None => FeedProfile::default(),
            Some(row) => {
                (learned_to, newest_at) = (row.learned_to, row.newest_at);
                FeedProfile::from_bytes(&row.state).unwrap_or_else(|error| {
                    tracing::warn!(feed.id = %feed, %error, "a feed's profile is learned again");
                    damaged = Some(feed);
                    FeedProfile::default()
                })
            }
        };
        self.make_room();
        self.profiles.insert(feed, Profiled { profile, learned_to, newest_at, used: self.uses });
        damaged
    }

    /// What was learned of a feed goes, but for what its posts are worth.
    pub(super) fn forget_profile(&mut self, feed: FeedId) {
        if let Some(known) = self.profiles.get_mut(&feed) {
            let mut fresh = FeedProfile::new(known.profile.beta());
            *fresh.value_mut() = *known.profile.value();
            (known.profile, known.newest_at) = (fresh, Timestamp::from_micros(i64::MIN));
            self.written.insert(feed);
        }
    }

    /// Feeds a profile with items whose words were counted before.
    pub(super) fn learn_profile(&mut self, feed: FeedId, mut items: Vec<WholeItem>) {
        items.sort_by_key(|item| (item.content.item.sort_at, item.content.item.id));
        let Some(known) = self.profiles.get_mut(&feed) else { return };
        for item in &items {
            let text = plain(item, &self.limits);
            known.profile.declare(declared(item));
            let terms = known.profile.read(title(item), &text);
            let frequencies = self.frequencies.of(known.profile.language());
            known.profile.add(&terms, frequencies, item.content.item.sort_at);
            known.learned_to = known.learned_to.max(item.content.item.id);
            known.newest_at = known.newest_at.max(item.content.item.sort_at);
        }
        self.written.insert(feed);
    }

    /// One step.
    pub(super) fn teach(&mut self, mut items: Vec<WholeItem>, to: ItemId) -> Taught {
        self.uses += 1;
        self.notice_late(&items);
        let (mut copies, mut stories, mut terms) = (Vec::new(), Vec::new(), Vec::new());
        // A document has its newest item first; its feed is told in the order in which things were published.
        items.sort_by_key(|item| (item.content.item.sort_at, item.content.item.id));
        for item in &items {
            let text = plain(item, &self.limits);
            terms.extend(self.take_in(item, &text));
            let (story, mut found) = self.stories.add(sighting(item, &text));
            // Another issue of a series is neither the same story nor a copy.
            found.retain(|earlier| earlier.why.is_story());
            let Some(best) = found.first() else {
                self.observe(item.content.item.feed, false);
                continue;
            };
            let story = ItemId(signed(self.stored_as.get(&story).copied().unwrap_or(story)));
            let why = tie(best.why);
            stories.push(StoryItem { item: ItemId(signed(best.item)), story, why });
            stories.push(StoryItem { item: item.content.item.id, story, why });
            let of: Vec<FeedId> = found
                .iter()
                .filter(|earlier| earlier.why == Why::SameText)
                .map(|earlier| FeedId(signed(earlier.feed)))
                .collect();
            if of.is_empty() {
                self.observe(item.content.item.feed, false);
            } else {
                copies.push(Copied { feed: item.content.item.feed, of });
            }
        }
        let learned =
            Learned { from: self.learned_to, to, profiles: Vec::new(), stories, terms, model: None };
        Taught { copies, learned }
    }

    /// One more post of the feed, worth less when it is a copy to its readers.
    pub(super) fn value(&mut self, copy: &Copied, is_copy: bool) {
        self.observe(copy.feed, is_copy);
    }

    fn observe(&mut self, feed: FeedId, is_copy: bool) {
        if let Some(known) = self.profiles.get_mut(&feed) {
            // Nobody's interests are known yet.
            known.profile.value_mut().observe(is_copy, 1.0);
        }
    }

    /// What it is about, as ranking will want it.
    fn take_in(&mut self, item: &WholeItem, text: &str) -> Option<ItemTerms> {
        let (feed, seen_at) = (item.content.item.feed, item.content.item.first_seen_at);
        let posted_at = item.content.item.sort_at;
        let known = self.profiles.get_mut(&feed)?;
        known.used = self.uses;
        known.profile.declare(declared(item));
        let terms = known.profile.read(title(item), text);
        let language = known.profile.language();
        self.frequencies.add(language, ids(&terms), seen_at);
        self.changed = true;
        known.profile.add(&terms, self.frequencies.of(language), posted_at);
        known.learned_to = known.learned_to.max(item.content.item.id);
        known.newest_at = known.newest_at.max(posted_at);
        self.written.insert(feed);
        Some(heaviest(item.content.item.id, &terms, self.frequencies.of(language)))
    }

    /// Feeds of which history is being filled in behind what is known are learned again afterwards.
    fn notice_late(&mut self, items: &[WholeItem]) {
        let mut late: HashMap<FeedId, usize> = HashMap::new();
        for item in items {
            let item = &item.content.item;
            let newest = self.profiles.get(&item.feed).map(|known| known.newest_at);
            if newest.is_some_and(|newest| item.sort_at.saturating_add(LATE) < newest) {
                *late.entry(item.feed).or_default() += 1;
            }
        }
        let filled =
            late.into_iter().filter(|(feed, count)| *count >= LATE_MIN || self.stale.contains_key(feed));
        let filled: Vec<FeedId> = filled.map(|(feed, _)| feed).collect();
        for feed in filled {
            self.stale.insert(feed, Instant::now());
        }
    }

    pub(super) fn has_stale(&self) -> bool {
        !self.stale.is_empty()
    }

    /// Some feeds whose history has been filled in, when no more of it came for a while.
    pub(super) fn take_stale(&mut self, after: Duration) -> Vec<FeedId> {
        let mut ready: Vec<FeedId> =
            self.stale.iter().filter(|(_, at)| at.elapsed() >= after).map(|(feed, _)| *feed).collect();
        ready.sort_unstable();
        ready.truncate(FEEDS_MAX);
        for feed in &ready {
            self.stale.remove(feed);
        }
        ready
    }

    /// The profiles that changed, as they are stored.
    pub(super) fn written_profiles(&self) -> Vec<FeedProfileRow> {
        let row = |feed: &FeedId| {
            let known = self.profiles.get(feed)?;
            let profile = &known.profile;
            let frequencies = self.frequencies.of(profile.language());
            Some(FeedProfileRow {
                feed: *feed,
                learned_to: known.learned_to,
                newest_at: known.newest_at,
                state: profile.to_bytes(),
                latest: profile.summary(LATEST, frequencies).to_bytes(),
                general: profile.summary(GENERAL, frequencies).to_bytes(),
                change: profile.change(),
                cohesion: profile.cohesion(),
                worth: profile.value().factor(),
                language: profile.language().map(|language| language.code().to_owned()),
            })
        };
        self.written.iter().filter_map(row).collect()
    }

    /// The step is on disk.
    pub(super) fn kept(&mut self, to: ItemId) {
        self.learned_to = to;
        self.written.clear();
    }

    /// Whether the words that are stored say too little: as many items again were counted since, or a language came. A new
    /// server need not wait for its first profile pages.
    pub(super) fn outgrew_kept_words(&self) -> bool {
        let (items, languages) = counted(&self.frequencies);
        self.changed && (items >= 2.0 * self.kept_words.0 || languages > self.kept_words.1)
    }

    pub(super) fn changed_frequencies(&mut self) -> Option<Vec<u8>> {
        if !std::mem::take(&mut self.changed) {
            return None;
        }
        self.kept_words = counted(&self.frequencies);
        Some(self.frequencies.to_bytes())
    }

    /// The profiles that were used least lately go; they are on disk.
    fn make_room(&mut self) {
        if self.profiles.len() < PROFILES_MAX {
            return;
        }
        let mut by_use: Vec<(u64, FeedId)> = self
            .profiles
            .iter()
            .filter(|(feed, _)| !self.written.contains(feed))
            .map(|(feed, known)| (known.used, *feed))
            .collect();
        by_use.sort_unstable();
        for (_, feed) in by_use.into_iter().take(PROFILES_MAX / 4) {
            self.profiles.remove(&feed);
        }
    }
}

/// The beginning of a page that concerns a few feeds only: the items, how far they go, and whether more follow.
pub(super) fn cut(page: ItemPage) -> (Vec<WholeItem>, ItemId, bool) {
    let mut feeds = BTreeSet::new();
    let all = page.items.len();
    let mut items = page.items;
    let fitting = items
        .iter()
        .position(|item| feeds.insert(item.content.item.feed) && feeds.len() > FEEDS_MAX)
        .unwrap_or(all);
    items.truncate(fitting);
    match items.last() {
        Some(last) if fitting < all => {
            let to = last.content.item.id;
            (items, to, true)
        }
        _ => (items, page.to, page.more),
    }
}

/// The terms that tell an item from others, and how they were written.
fn heaviest(item: ItemId, terms: &text::Terms, frequencies: &DocumentFrequencies) -> ItemTerms {
    let bag = terms.bag(|pair| frequencies.items_with(pair) >= PAIR_ITEMS_MIN);
    let kept = rank::item_terms(&bag, frequencies);
    let words = terms.words.iter().map(|word| (word.id, word.surface.as_str()));
    let pairs = terms.pairs.iter().map(|pair| (pair.id, pair.surface.as_str()));
    let written: HashMap<TermId, &str> = words.chain(pairs).collect();
    let surface = |term: &TermId| {
        let written = written.get(term).copied().unwrap_or_default();
        written.chars().take(SURFACE_CHARS_MAX).filter(|c| !c.is_control()).collect::<String>()
    };
    let surfaces: Vec<String> = kept.iter().map(|(term, _)| surface(term)).collect();
    ItemTerms { item, terms: rank::pack_terms(&kept), surfaces: surfaces.join("\n") }
}

fn title(item: &WholeItem) -> &str {
    item.content.item.title.as_deref().unwrap_or_default()
}

fn counted(frequencies: &Frequencies) -> (f64, usize) {
    let items = frequencies.languages().map(|language| frequencies.of(language).items()).sum();
    (items, frequencies.languages().count())
}

fn ids(terms: &text::Terms) -> impl Iterator<Item = text::TermId> + '_ {
    terms.words.iter().map(|word| word.id).chain(terms.pairs.iter().map(|pair| pair.id))
}

fn sighting(item: &WholeItem, text: &str) -> Sighting {
    let stored = &item.content.item;
    let (id, feed) = (number(stored.id.0), number(stored.feed.0));
    let (id, feed) = (id.unwrap_or_default(), feed.unwrap_or_default());
    Sighting::new(id, feed, stored.first_seen_at, title(item), text, stored.link.as_deref())
}

/// Numbers of rows are never negative.
fn number(id: i64) -> Option<u64> {
    u64::try_from(id).ok()
}

fn signed(id: u64) -> i64 {
    i64::try_from(id).unwrap_or(i64::MAX)
}

fn tie(why: Why) -> StoryTie {
    match why {
        Why::SameLink => StoryTie::Link,
        Why::SameText | Why::SameWords => StoryTie::Text,
        Why::SameTitle => StoryTie::Title,
    }
}
