//! The best or newest items a query finds.
//!
//! Two passes. The first counts, without scores, and stops at [`COUNT_MAX`]; most queries end there, with all their
//! hits known, and only those are scored. Where there are more, the second pass lets Tantivy skip blocks of documents
//! that cannot enter the page any more (block-max WAND). Freshness only ever lowers a score, so skipping stays exact.

use crate::compile::{Column, Compiled, Compiler, Gate};
use crate::error::Trouble;
use crate::ids::{IdSet, Unread};
use crate::index::{Index, Live, State};
use crate::mark::Marked;
use crate::query::{Query, StoreFilter};
use domain::{FeedId, ItemId, Timestamp};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tantivy::columnar::ColumnValues;
use tantivy::query::{EnableScoring, Query as Search, Weight};
use tantivy::schema::Value;
use tantivy::{DocAddress, DocId, Searcher, SegmentReader, TERMINATED, TantivyDocument};

/// Hits on one page.
pub const HITS_MAX: usize = 100;
/// Pages of the best stop here; nobody reads further, and a query can be sharpened.
pub const OFFSET_MAX: usize = 1_000;
/// Hits that are counted; a page says "more than 1,000" beyond.
pub const COUNT_MAX: usize = 1_000;
/// Row O3: a search takes no longer than this, and says so when it had to stop.
const TIME_MAX: Duration = Duration::from_secs(1);
/// Documents the counting pass looks at.
const COUNT_VISITS_MAX: usize = 200_000;
/// Where a person's feeds hold less than this share of all items, several common words are looked for there only.
const LEAP_SHARE_MAX: f32 = 0.25;
/// Documents asked to estimate that share.
const SHARE_SAMPLE: u32 = 256;
/// How often the clock is read, in documents.
const CLOCK_EVERY: usize = 4_096;
/// The oldest items keep this share of their score; the newest keep all of it.
const FRESHNESS_FLOOR: f32 = 0.75;
const FRESHNESS_HALF_LIFE: Duration = Duration::from_secs(30 * 86_400);

/// What to search in and how to show it.
#[derive(Clone)]
pub struct Ask<'a> {
    pub scope: Scope,
    /// A last word on each item, asked after everything else; it should be quick.
    pub items: Option<&'a (dyn Fn(ItemId) -> bool + Sync)>,
    /// Answers to [`Query::store_filters`]; a filter without an answer finds nothing.
    pub known: &'a [(StoreFilter, Known)],
    pub order: Order,
    /// For the best: hits to leave out, at most [`OFFSET_MAX`].
    pub offset: usize,
    /// For the newest: only what comes after this hit.
    pub cursor: Option<Cursor>,
    pub limit: usize,
    pub now: Timestamp,
}

impl Ask<'_> {
    pub fn new(scope: Scope, now: Timestamp) -> Self {
        Ask { scope, items: None, known: &[], order: Order::Best, offset: 0, cursor: None, limit: 20, now }
    }
}

#[derive(Debug, Clone)]
pub enum Scope {
    Everything,
    /// A person's feeds. Private feeds of others are thereby out of reach, in hits, counts and suggestions. A query
    /// that asks for what the person starred or tagged also finds it in feeds they have left.
    Feeds(Arc<IdSet>),
}

/// What the store knows about a filter.
#[derive(Debug, Clone)]
pub enum Known {
    Feeds(Arc<IdSet>),
    Items(Arc<IdSet>),
    /// For [`StoreFilter::Unread`].
    Unread(Arc<Unread>),
    Everything,
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By relevance (BM25 with a weighted title and a mild preference for what is new).
    Best,
    Newest,
}

/// Where a page of the newest ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    pub time: Timestamp,
    pub item: ItemId,
}

#[derive(Debug, Clone)]
pub struct Answer {
    pub hits: Vec<Hit>,
    pub total: Total,
    /// The order used: a query without words has no best.
    pub order: Order,
    /// For the next page of the newest.
    pub next: Option<Cursor>,
    /// A query that finds more, where this one found little for a typing mistake.
    pub meant: Option<String>,
    pub state: State,
    /// Time ran out: there may be better hits.
    pub cut: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Total {
    pub count: usize,
    /// Otherwise there are more.
    pub exact: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    pub item: ItemId,
    pub feed: FeedId,
    pub time: Timestamp,
    pub score: f32,
    pub link: String,
    pub title: Marked,
    pub snippet: Marked,
}

impl Index {
    /// Blocks, up to a second; run it on the CPU pool.
    pub fn search(&self, query: &Query, ask: &Ask<'_>) -> Result<Answer, Trouble> {
        let live = self.shared.live();
        let mut answer = self.shared.guarded(|| search(&live, query, ask))?;
        answer.state = self.state();
        Ok(answer)
    }
}

fn search(live: &Live, query: &Query, ask: &Ask<'_>) -> Result<Answer, Trouble> {
    let searcher = live.searcher();
    let mut clock = Clock::start();
    let Compiled { search, gates } = Compiler::new(query, ask, live, &searcher).compile()?;
    let door = Door::new(ask, gates);
    let order = if query.has_words() { ask.order } else { Order::Newest };
    let counted = count(&searcher, search.as_ref(), &door, &mut clock)?;
    let wanted = match order {
        Order::Best => ask.offset.min(OFFSET_MAX) + ask.limit.min(HITS_MAX),
        Order::Newest => ask.limit.min(HITS_MAX),
    };
    let mut best = Best::new(wanted, order, ask);
    match (counted.exact, order) {
        (true, Order::Newest) => {
            for (address, seen) in &counted.hits {
                best.offer(*address, 0.0, *seen);
            }
        }
        (true, Order::Best) => score_known(&searcher, search.as_ref(), &counted.hits, &mut best)?,
        (false, Order::Newest) => newest(&searcher, search.as_ref(), &door, &mut best, &mut clock)?,
        (false, Order::Best) if query.wants_several() && door.share(&searcher)? < LEAP_SHARE_MAX => {
            leap(&searcher, search.as_ref(), &door, &mut best, &mut clock)?;
        }
        (false, Order::Best) => prune(&searcher, search.as_ref(), &door, &mut best, &mut clock)?,
    }
    let offset = if order == Order::Best { ask.offset.min(OFFSET_MAX) } else { 0 };
    let ranked = best.ranked();
    let more = ranked.len() == wanted;
    let mut hits = Vec::with_capacity(ask.limit.min(HITS_MAX));
    let marker = query.marker();
    for ranked in ranked.into_iter().skip(offset) {
        hits.push(show(live, &searcher, &marker, &ranked)?);
    }
    let next = match (order, more, hits.last()) {
        (Order::Newest, true, Some(last)) => Some(Cursor { time: last.time, item: last.item }),
        _ => None,
    };
    let total = Total { count: counted.hits.len(), exact: counted.exact };
    let meant = crate::suggest::meant(live, &searcher, query, ask, &door, total)?;
    Ok(Answer { hits, total, order, next, meant, state: State::Whole, cut: clock.ran_out })
}

/// Whether a query finds anything at all.
pub(crate) fn finds(live: &Live, searcher: &Searcher, query: &Query, ask: &Ask<'_>) -> Result<bool, Trouble> {
    let Compiled { search, gates } = Compiler::new(query, ask, live, searcher).compile()?;
    let door = Door { stop_after: 1, ..Door::new(ask, gates) };
    Ok(!count(searcher, search.as_ref(), &door, &mut Clock::start())?.hits.is_empty())
}

fn show(
    live: &Live,
    searcher: &Searcher,
    marker: &crate::mark::Marker,
    ranked: &Ranked,
) -> Result<Hit, Trouble> {
    let document: TantivyDocument = searcher.doc(ranked.address)?;
    let text = |field| document.get_first(field).and_then(|value| value.as_str()).unwrap_or_default();
    let feed = searcher
        .segment_reader(ranked.address.segment_ord)
        .fast_fields()
        .i64(crate::schema::FEED)?
        .first(ranked.address.doc_id)
        .unwrap_or_default();
    Ok(Hit {
        item: ItemId(ranked.seen.id),
        feed: FeedId(feed),
        time: Timestamp::from_micros(ranked.seen.time),
        score: ranked.score.0,
        link: text(live.fields.shown_link).to_owned(),
        title: marker.title(text(live.fields.shown_title)),
        snippet: marker.snippet(text(live.fields.shown_text)),
    })
}

/// Reads the clock now and then, and remembers when time has run out.
struct Clock {
    until: Instant,
    visits: usize,
    ran_out: bool,
}

impl Clock {
    fn start() -> Clock {
        Clock { until: Instant::now() + TIME_MAX, visits: 0, ran_out: false }
    }

    fn tick(&mut self) -> bool {
        self.visits += 1;
        if self.visits.is_multiple_of(CLOCK_EVERY) && Instant::now() >= self.until {
            self.ran_out = true;
        }
        self.ran_out
    }
}

/// Who may pass: scope, filters and the caller's last word.
pub(crate) struct Door<'a> {
    gates: Vec<Gate>,
    items: Option<&'a (dyn Fn(ItemId) -> bool + Sync)>,
    cursor: Option<Cursor>,
    stop_after: usize,
}

/// The door of one segment, with its columns at hand.
pub(crate) struct Doorway<'a> {
    door: &'a Door<'a>,
    segment: &'a SegmentReader,
    gates: Vec<(&'a Gate, Arc<dyn ColumnValues<i64>>)>,
    id: Arc<dyn ColumnValues<i64>>,
    feed: Arc<dyn ColumnValues<i64>>,
    time: Arc<dyn ColumnValues<i64>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    id: i64,
    time: i64,
}

impl<'a> Door<'a> {
    pub(crate) fn new(ask: &Ask<'a>, mut gates: Vec<Gate>) -> Door<'a> {
        if let Scope::Feeds(feeds) = &ask.scope {
            gates.insert(0, Gate::feeds(Arc::clone(feeds), ask.known));
        }
        let cursor = if ask.order == Order::Newest { ask.cursor } else { None };
        Door { gates, items: ask.items, cursor, stop_after: COUNT_MAX }
    }

    /// About what share of the items the first gate lets in, asked of the largest segment.
    fn share(&self, searcher: &Searcher) -> Result<f32, Trouble> {
        let largest = searcher.segment_readers().iter().max_by_key(|segment| segment.max_doc());
        let Some(segment) = largest.filter(|segment| segment.max_doc() > 0) else { return Ok(1.0) };
        let doorway = self.of(segment)?;
        let step = (segment.max_doc() / SHARE_SAMPLE).max(1) as usize;
        let asked = (0..segment.max_doc()).step_by(step);
        let (mut passed, mut count) = (0_u16, 0_u16);
        for document in asked.take(2 * SHARE_SAMPLE as usize) {
            passed += u16::from(doorway.gates.first().is_none_or(|gate| doorway.passes(gate, document)));
            count += 1;
        }
        Ok(f32::from(passed) / f32::from(count.max(1)))
    }

    pub(crate) fn of<'b>(&'b self, segment: &'b SegmentReader) -> Result<Doorway<'b>, Trouble> {
        let column = |column: Column| -> Result<Arc<dyn ColumnValues<i64>>, Trouble> {
            Ok(segment.fast_fields().i64(column.name())?.first_or_default_col(0))
        };
        let mut gates = Vec::with_capacity(self.gates.len());
        for gate in &self.gates {
            gates.push((gate, column(gate.column())?));
        }
        let (id, feed, time) = (column(Column::Id)?, column(Column::Feed)?, column(Column::Time)?);
        Ok(Doorway { door: self, segment, gates, id, feed, time })
    }
}

impl Doorway<'_> {
    pub(crate) fn lets_in(&self, document: DocId) -> bool {
        self.gates.iter().all(|gate| self.passes(gate, document))
            && !self.segment.is_deleted(document)
            && self.door.cursor.is_none_or(|cursor| {
                (self.time.get_val(document), self.id.get_val(document))
                    < (cursor.time.micros(), cursor.item.0)
            })
            && self.door.items.is_none_or(|items| items(ItemId(self.id.get_val(document))))
    }

    fn passes(&self, (gate, column): &(&Gate, Arc<dyn ColumnValues<i64>>), document: DocId) -> bool {
        if !gate.asks_all() {
            return gate.passes(column.get_val(document));
        }
        let (feed, time) = (self.feed.get_val(document), self.time.get_val(document));
        gate.admits(self.id.get_val(document), feed, time)
    }

    /// The first document from `document` on that the first gate lets in; the end of the segment if there is none.
    fn first_from(&self, document: DocId) -> DocId {
        let Some(gate) = self.gates.first() else { return document };
        let mut documents = document..self.segment.max_doc();
        documents.find(|&document| self.passes(gate, document)).unwrap_or(self.segment.max_doc())
    }

    fn seen(&self, document: DocId) -> Seen {
        Seen { id: self.id.get_val(document), time: self.time.get_val(document) }
    }
}

struct Counted {
    hits: Vec<(DocAddress, Seen)>,
    exact: bool,
}

fn count(
    searcher: &Searcher,
    search: &dyn Search,
    door: &Door<'_>,
    clock: &mut Clock,
) -> Result<Counted, Trouble> {
    let weight = search.weight(EnableScoring::disabled_from_searcher(searcher))?;
    let mut hits = Vec::new();
    for (ordinal, segment) in (0..).zip(searcher.segment_readers()) {
        let doorway = door.of(segment)?;
        let mut matching = weight.scorer(segment, 1.0)?;
        let mut document = matching.doc();
        while document != TERMINATED {
            if clock.tick() || clock.visits > COUNT_VISITS_MAX {
                return Ok(Counted { hits, exact: false });
            }
            if doorway.lets_in(document) {
                if hits.len() == door.stop_after {
                    return Ok(Counted { hits, exact: false });
                }
                hits.push((DocAddress::new(ordinal, document), doorway.seen(document)));
            }
            document = matching.advance();
        }
    }
    Ok(Counted { hits, exact: true })
}

/// Scores hits that are known already.
fn score_known(
    searcher: &Searcher,
    search: &dyn Search,
    hits: &[(DocAddress, Seen)],
    best: &mut Best,
) -> Result<(), Trouble> {
    let weight = search.weight(EnableScoring::enabled_from_searcher(searcher))?;
    for hits in hits.chunk_by(|a, b| a.0.segment_ord == b.0.segment_ord) {
        let Some((first, _)) = hits.first() else { continue };
        let mut scorer = weight.scorer(searcher.segment_reader(first.segment_ord), 1.0)?;
        for (address, seen) in hits {
            let at = if scorer.doc() < address.doc_id { scorer.seek(address.doc_id) } else { scorer.doc() };
            if at == address.doc_id {
                best.offer(*address, scorer.score(), *seen);
            }
        }
    }
    Ok(())
}

/// The best of many, leaving out blocks that cannot hold them.
fn prune(
    searcher: &Searcher,
    search: &dyn Search,
    door: &Door<'_>,
    best: &mut Best,
    clock: &mut Clock,
) -> Result<(), Trouble> {
    let weight: Box<dyn Weight> = search.weight(EnableScoring::enabled_from_searcher(searcher))?;
    for (ordinal, segment) in (0..).zip(searcher.segment_readers()) {
        let doorway = door.of(segment)?;
        weight.for_each_pruning(best.threshold(), segment, &mut |document, score| {
            if clock.tick() {
                // Nothing beats this: what is left of the segment is passed over.
                return f32::MAX;
            }
            if doorway.lets_in(document) {
                best.offer(DocAddress::new(ordinal, document), score, doorway.seen(document));
            }
            best.threshold()
        })?;
        if clock.ran_out {
            break;
        }
    }
    Ok(())
}

/// The best of many where few may pass: from each document that may not, straight to the next that may. Scores are
/// worked out for those only, which beats skipping blocks when common words stand in most documents.
fn leap(
    searcher: &Searcher,
    search: &dyn Search,
    door: &Door<'_>,
    best: &mut Best,
    clock: &mut Clock,
) -> Result<(), Trouble> {
    let weight = search.weight(EnableScoring::enabled_from_searcher(searcher))?;
    for (ordinal, segment) in (0..).zip(searcher.segment_readers()) {
        let doorway = door.of(segment)?;
        let mut scorer = weight.scorer(segment, 1.0)?;
        let mut document = scorer.doc();
        while document != TERMINATED {
            if clock.tick() {
                return Ok(());
            }
            let next = doorway.first_from(document);
            if next != document {
                if next >= segment.max_doc() {
                    break;
                }
                document = scorer.seek(next);
                continue;
            }
            if doorway.lets_in(document) {
                best.offer(DocAddress::new(ordinal, document), scorer.score(), doorway.seen(document));
            }
            document = scorer.advance();
        }
    }
    Ok(())
}

/// The newest of many: segments that hold newer items come first, and those that hold only older ones not at all.
fn newest(
    searcher: &Searcher,
    search: &dyn Search,
    door: &Door<'_>,
    best: &mut Best,
    clock: &mut Clock,
) -> Result<(), Trouble> {
    let weight = search.weight(EnableScoring::disabled_from_searcher(searcher))?;
    let mut order = Vec::new();
    for (ordinal, segment) in (0..).zip(searcher.segment_readers()) {
        let doorway = door.of(segment)?;
        order.push((doorway.time.max_value(), ordinal, segment, doorway));
    }
    order.sort_by_key(|(latest, ..)| Reverse(*latest));
    for (latest, ordinal, segment, doorway) in order {
        if best.oldest_kept().is_some_and(|oldest| latest < oldest) {
            break;
        }
        let mut matching = weight.scorer(segment, 1.0)?;
        let mut document = matching.doc();
        while document != TERMINATED {
            if clock.tick() {
                return Ok(());
            }
            let time = doorway.time.get_val(document);
            if best.oldest_kept().is_none_or(|oldest| time >= oldest) && doorway.lets_in(document) {
                best.offer(DocAddress::new(ordinal, document), 0.0, doorway.seen(document));
            }
            document = matching.advance();
        }
    }
    Ok(())
}

/// The hits worth keeping so far.
struct Best {
    wanted: usize,
    order: Order,
    now: i64,
    heap: BinaryHeap<Reverse<Ranked>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Score(f32);

impl Eq for Score {}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Score {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// By score, then newest, then highest id: the order never depends on where a document lies.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Ranked {
    score: Score,
    seen: Seen,
    address: DocAddress,
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let key = |ranked: &Ranked| (ranked.score, ranked.seen.time, ranked.seen.id);
        key(self).cmp(&key(other))
    }
}

impl Best {
    fn new(wanted: usize, order: Order, ask: &Ask<'_>) -> Best {
        let heap = BinaryHeap::with_capacity(wanted + 1);
        Best { wanted, order, now: ask.now.micros(), heap }
    }

    fn offer(&mut self, address: DocAddress, score: f32, seen: Seen) {
        let score = Score(match self.order {
            Order::Best => score * freshness(self.now, seen.time),
            Order::Newest => 0.0,
        });
        self.heap.push(Reverse(Ranked { score, seen, address }));
        if self.heap.len() > self.wanted {
            self.heap.pop();
        }
    }

    fn worst(&self) -> Option<&Ranked> {
        if self.heap.len() < self.wanted { None } else { self.heap.peek().map(|Reverse(worst)| worst) }
    }

    /// A score that is not above this cannot enter. Just below the worst, for a tie may be won by a newer item.
    fn threshold(&self) -> f32 {
        if self.wanted == 0 {
            return f32::MAX;
        }
        self.worst().map_or(f32::MIN, |worst| worst.score.0.next_down())
    }

    fn oldest_kept(&self) -> Option<i64> {
        self.worst().map(|worst| worst.seen.time)
    }

    fn ranked(self) -> Vec<Ranked> {
        self.heap.into_sorted_vec().into_iter().map(|Reverse(ranked)| ranked).collect()
    }
}

/// What share of its score an item keeps: 1 when new, halving towards the floor.
fn freshness(now: i64, time: i64) -> f32 {
    let age = now.saturating_sub(time).max(0) as f32 / FRESHNESS_HALF_LIFE.as_micros() as f32;
    FRESHNESS_FLOOR + (1.0 - FRESHNESS_FLOOR) * (-age).exp2()
}
