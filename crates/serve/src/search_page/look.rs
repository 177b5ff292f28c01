//! One search: the index asked for hits, the store for what this person may see of them and how they stand.

use super::asked::{After, Wanted, Whence, bare, refusal};
use crate::App;
use crate::finder::FinderState;
use crate::problem::Problem;
use crate::shell::{Library, name_of};
use crate::story::Stories;
use crate::visitor::Visitor;
use domain::{FeedId, FolderId, ItemId, Timestamp};
use search::{
    Answer, Ask, Hit, IdSet, Index, Known, OFFSET_MAX, Order, Query, Scope, State, StoreFilter, Total, Unread,
};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};
use store::ListRow;

/// Hits on a page, before copies of a story are put together.
pub(crate) const PAGE: usize = 30;
/// Channels beside the results.
const CHANNELS: usize = 4;
const WEEK: i32 = 7;

/// What a search came to.
pub(crate) enum Look {
    /// Nothing was asked for.
    Idle,
    /// Why it cannot be searched for.
    Refused(String),
    /// Why nothing can be searched for now.
    Away(String),
    Found(Box<Found>),
}

pub(crate) struct Found {
    pub(crate) query: Query,
    pub(crate) hits: Vec<(Hit, ListRow)>,
    pub(crate) stories: Stories,
    /// Hits that are shown within another's row.
    pub(crate) folded: usize,
    pub(crate) total: Total,
    pub(crate) order: Order,
    pub(crate) state: State,
    pub(crate) cut: bool,
    pub(crate) meant: Option<String>,
    /// What is missing from the word being typed.
    pub(crate) rest: Option<String>,
    pub(crate) next: Option<After>,
    /// There are more, but nobody is led further.
    pub(crate) is_at_end: bool,
    pub(crate) channels: Vec<Hit>,
    /// What the last seven days would have given.
    pub(crate) week: Option<Total>,
    /// The newest of all that was found, for those who come back.
    pub(crate) newest: ItemId,
    pub(crate) took: Duration,
}

/// What is beside the hits, asked for with a first page only.
#[derive(Default)]
struct Beside {
    rest: Option<String>,
    channels: Vec<Hit>,
    week: Option<Total>,
}

impl Look {
    pub(crate) async fn at(
        app: &App,
        visitor: &Visitor,
        library: &Library,
        wanted: &Wanted,
    ) -> Result<Look, Problem> {
        let begun = Instant::now();
        if wanted.is_empty() {
            return Ok(Look::Idle);
        }
        let query = match wanted.query(visitor, library) {
            Ok(query) => query,
            Err(bad) => return Ok(Look::Refused(refusal(&bad, visitor.words))),
        };
        let items = match index(app, visitor) {
            Ok(items) => items,
            Err(why) => return Ok(Look::Away(why)),
        };
        let asking = Asking::new(app, visitor, library, wanted, query).await?;
        match asking.found(app, visitor, library, wanted, items, begun).await? {
            Ok(found) => Ok(Look::Found(Box::new(found))),
            Err(why) => Ok(Look::Away(why)),
        }
    }
}

/// The index of items, or a sentence why there is none.
pub(crate) fn index(app: &App, visitor: &Visitor) -> Result<Index, String> {
    let s = &visitor.words.search;
    match (app.finder.items(), app.finder.state()) {
        (Some(items), _) => Ok(items),
        (None, FinderState::Opening) => Err(s.away_opening.to_owned()),
        (None, _) => Err(s.away.to_owned()),
    }
}

/// All an index needs to answer, owned, so that it can be asked on another thread.
#[derive(Clone)]
pub(crate) struct Asking {
    pub(crate) query: Query,
    pub(crate) feeds: Arc<IdSet>,
    pub(crate) known: Arc<Vec<(StoreFilter, Known)>>,
    pub(crate) order: Order,
    pub(crate) after: After,
    pub(crate) now: Timestamp,
}

impl Asking {
    pub(crate) async fn new(
        app: &App,
        visitor: &Visitor,
        library: &Library,
        wanted: &Wanted,
        query: Query,
    ) -> Result<Asking, Problem> {
        let known = known(app, visitor, library, &query).await?;
        let newest = match wanted.after {
            Some(after) => after.newest,
            None => app.store.newest_item().await?,
        };
        let order = if wanted.newest || !query.has_words() { Order::Newest } else { Order::Best };
        let now = match wanted.after.map(|after| after.whence) {
            Some(Whence::Best { at, .. }) => at,
            _ => visitor.now(),
        };
        let beginning = Whence::Best { offset: 0, at: now };
        let after = wanted.after.unwrap_or(After { whence: beginning, newest });
        let feeds = Arc::new(wanted.feeds(library).into_iter().map(|feed| feed.0).collect());
        Ok(Asking { query, feeds, known: Arc::new(known), order, after, now })
    }

    fn ask(&self) -> Ask<'_> {
        let (offset, cursor) = match (self.order, self.after.whence) {
            (Order::Best, Whence::Best { offset, .. }) => (offset, None),
            (Order::Newest, Whence::Newest(cursor)) => (0, Some(cursor)),
            // Another order than the page before: from the beginning.
            _ => (0, None),
        };
        Ask {
            known: &self.known,
            order: self.order,
            offset,
            cursor,
            limit: PAGE + 1,
            ..Ask::new(Scope::Feeds(Arc::clone(&self.feeds)), self.now)
        }
    }

    /// Without what came after the first page; tells the newest of what was counted.
    fn search(&self, items: &Index) -> Result<(Answer, ItemId), search::Trouble> {
        let newest = AtomicI64::new(0);
        let in_time = |item: ItemId| {
            let passes = item <= self.after.newest;
            if passes {
                newest.fetch_max(item.0, Ordering::Relaxed);
            }
            passes
        };
        let answer = items.search(&self.query, &Ask { items: Some(&in_time), ..self.ask() })?;
        Ok((answer, ItemId(newest.into_inner())))
    }

    /// How many there are, and no hits. The offset keeps the index from looking for typing mistakes.
    pub(crate) fn count(
        &self,
        items: &Index,
        query: &Query,
        after: ItemId,
    ) -> Result<Total, search::Trouble> {
        let newer = |item: ItemId| item > after;
        let ask = Ask {
            items: Some(&newer),
            order: Order::Newest,
            limit: 1,
            offset: 1,
            cursor: None,
            ..self.ask()
        };
        Ok(items.search(query, &ask)?.total)
    }

    /// When the newest hit was posted.
    pub(crate) fn newest(&self, items: &Index) -> Result<Option<Timestamp>, search::Trouble> {
        let ask = Ask { order: Order::Newest, limit: 1, offset: 1, cursor: None, ..self.ask() };
        Ok(items.search(&self.query, &ask)?.hits.first().map(|hit| hit.time))
    }

    async fn found(
        self,
        app: &App,
        visitor: &Visitor,
        library: &Library,
        wanted: &Wanted,
        items: Index,
        begun: Instant,
    ) -> Result<Result<Found, String>, Problem> {
        let s = &visitor.words.search;
        let is_first = wanted.after.is_none();
        let channels = app.finder.channels().filter(|_| is_first);
        let about = Query::parse(&wanted.text, &super::asked::typed(wanted.live, visitor, library)).ok();
        let about = about.and_then(Query::words_alone);
        let recent = week(wanted, visitor, library);
        let typed = wanted.live.then(|| wanted.text.clone());
        let asking = self.clone();
        let index = items.clone();
        let run = app.finder.run(move || {
            let (answer, newest) = asking.search(&index)?;
            let mut beside = Beside::default();
            if is_first {
                if let Some(typed) = typed {
                    beside.rest = index.complete(&typed, &asking.ask())?;
                }
                if let (Some(channels), Some(about)) = (channels, about) {
                    // What channels are about is beside the matter: their index may be damaged, too.
                    let ask = Ask { limit: CHANNELS, ..Ask::new(Scope::Everything, asking.now) };
                    beside.channels =
                        channels.search(&about, &ask).map(|found| found.hits).unwrap_or_default();
                }
                if let Some(recent) = recent {
                    beside.week = Some(asking.count(&index, &recent, ItemId(0))?);
                }
            }
            Ok::<_, search::Trouble>((answer, newest, beside))
        });
        let (mut answer, newest, beside) = match run.await {
            Ok(Ok(found)) => found,
            Ok(Err(trouble)) => {
                tracing::warn!(%trouble, "a search failed");
                return Ok(Err(s.away.to_owned()));
            }
            Err(_) => return Ok(Err(s.away_busy.to_owned())),
        };
        let (next, is_at_end) = self.next(&mut answer);
        let ids: Vec<ItemId> = answer.hits.iter().map(|hit| hit.item).collect();
        let stories =
            if wanted.each { Stories::default() } else { Stories::load(app, visitor.id(), &ids).await? };
        let ranks = self.ranks(app, &items, &stories).await;
        let mut rows: HashMap<ItemId, ListRow> = app
            .store
            .items_by_id(visitor.id(), &ids)
            .await?
            .into_iter()
            .map(|row| (row.item.id, row))
            .collect();
        let mut folded = 0;
        let mut hits = Vec::with_capacity(answer.hits.len());
        for hit in answer.hits {
            // What is gone from the store since is no hit, nor what this person may not see.
            let Some(row) = rows.remove(&hit.item) else { continue };
            let own = rank(&hit);
            let stands_before =
                |other: &ListRow| ranks.get(&other.item.id).is_some_and(|rank| outranks(rank, &own));
            if stories.is_shown(hit.item, stands_before) {
                hits.push((hit, row));
            } else {
                folded += 1;
            }
        }
        Ok(Ok(Found {
            query: self.query,
            hits,
            stories,
            folded,
            total: answer.total,
            order: answer.order,
            state: answer.state,
            cut: answer.cut,
            meant: answer.meant,
            rest: beside.rest,
            next,
            is_at_end,
            channels: beside.channels,
            week: beside.week,
            newest: if answer.total.exact { newest } else { self.after.newest },
            took: begun.elapsed(),
        }))
    }

    /// Takes off the hit that only told of a next page.
    fn next(&self, answer: &mut Answer) -> (Option<After>, bool) {
        if answer.hits.len() <= PAGE {
            return (None, false);
        }
        answer.hits.truncate(PAGE);
        let whence = match (answer.order, answer.hits.last()) {
            (Order::Newest, Some(last)) => {
                Whence::Newest(search::Cursor { time: last.time, item: last.item })
            }
            _ => {
                let offset = self.ask().offset + PAGE;
                if offset + PAGE > OFFSET_MAX {
                    return (None, true);
                }
                Whence::Best { offset, at: self.now }
            }
        };
        (Some(After { whence, newest: self.after.newest }), false)
    }

    /// Where the others of these stories stand among all that is found, on whatever page. Without an answer every copy
    /// keeps its row.
    async fn ranks(&self, app: &App, items: &Index, stories: &Stories) -> HashMap<ItemId, Rank> {
        let others = stories.all_others();
        if others.is_empty() {
            return HashMap::new();
        }
        let (asking, index) = (self.clone(), items.clone());
        let run = app.finder.run(move || {
            let among = |item: ItemId| item <= asking.after.newest && others.contains(&item);
            let ask =
                Ask { items: Some(&among), offset: 0, cursor: None, limit: search::HITS_MAX, ..asking.ask() };
            index.search(&asking.query, &ask).map(|answer| answer.hits)
        });
        match run.await {
            Ok(Ok(hits)) => hits.iter().map(|hit| (hit.item, rank(hit))).collect(),
            Ok(Err(_)) | Err(_) => HashMap::new(),
        }
    }
}

/// As `search` sorts: by score, then time, then number; the newest have no score.
type Rank = (f32, Timestamp, ItemId);

fn rank(hit: &Hit) -> Rank {
    (hit.score, hit.time, hit.item)
}

fn outranks(one: &Rank, other: &Rank) -> bool {
    one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)).then(one.2.cmp(&other.2)).is_gt()
}

/// What the search as it would be kept finds of the last seven days.
fn week(wanted: &Wanted, visitor: &Visitor, library: &Library) -> Option<Query> {
    let typed = super::asked::typed(false, visitor, library);
    let since = visitor.clock.date_before(WEEK)?;
    let recent = Query::parse(&format!("after:{since}"), &typed).ok()?;
    Some(wanted.to_keep(visitor, library).ok()?.and(recent))
}

/// Answers to what only the store knows.
pub(crate) async fn known(
    app: &App,
    visitor: &Visitor,
    library: &Library,
    query: &Query,
) -> Result<Vec<(StoreFilter, Known)>, Problem> {
    let mut answers = Vec::new();
    for filter in query.store_filters() {
        let answer = match filter {
            StoreFilter::Feed(name) => feeds_known(library, named_feeds(library, name)),
            StoreFilter::Folder(name) => feeds_known(library, feeds_in_named(library, name)),
            StoreFilter::Tag(key) => {
                let mut tagged = HashSet::new();
                for tag in app.store.tags(visitor.id()).await? {
                    if search::tag_key(&tag.tag) == *key {
                        tagged.extend(app.store.tagged_ids(visitor.id(), &tag.tag).await?);
                    }
                }
                Known::Items(Arc::new(tagged.into_iter().map(|item| item.0).collect()))
            }
            StoreFilter::Starred => {
                let starred = app.store.starred_ids(visitor.id()).await?;
                Known::Items(Arc::new(starred.into_iter().map(|item| item.0).collect()))
            }
            StoreFilter::Unread => {
                let marks = app.store.unread_marks(visitor.id()).await?;
                Known::Unread(Arc::new(Unread::new(marks.watermarks, marks.marks)))
            }
        };
        answers.push((filter.clone(), answer));
    }
    Ok(answers)
}

fn feeds_known(library: &Library, feeds: HashSet<FeedId>) -> Known {
    if feeds.is_empty() {
        return Known::Nothing;
    }
    if feeds.len() == library.feeds.len() {
        return Known::Everything;
    }
    Known::Feeds(Arc::new(feeds.into_iter().map(|feed| feed.0).collect()))
}

/// Feeds of this name; where none is called so, those that have it in their name.
fn named_feeds(library: &Library, name: &str) -> HashSet<FeedId> {
    let named = library.feeds.values().map(|one| (one.feed.id, name_of(one)));
    called(named, name)
}

fn feeds_in_named(library: &Library, name: &str) -> HashSet<FeedId> {
    let folders: HashSet<FolderId> =
        called(library.folders.iter().map(|one| (one.id, one.name.as_str())), name);
    let inside: HashSet<FolderId> = folders.into_iter().flat_map(|folder| library.within(folder)).collect();
    let within = |folder: Option<FolderId>| folder.is_some_and(|folder| inside.contains(&folder));
    library.feeds.values().filter(|one| within(one.subscription.folder)).map(|one| one.feed.id).collect()
}

fn called<'a, T: Copy + Eq + std::hash::Hash>(
    named: impl Iterator<Item = (T, &'a str)>,
    name: &str,
) -> HashSet<T> {
    let wanted = bare(name).to_lowercase();
    let folded: Vec<(T, String)> = named.map(|(one, name)| (one, bare(name).to_lowercase())).collect();
    let exact: HashSet<T> = folded.iter().filter(|(_, name)| *name == wanted).map(|(one, _)| *one).collect();
    if !exact.is_empty() {
        return exact;
    }
    folded.into_iter().filter(|(_, name)| name.contains(&wanted)).map(|(one, _)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_name_wins_over_names_that_hold_it() {
        let names = [(1, "News"), (2, "The \"News\" of the day"), (3, "Weather")];
        let found = |name: &str| {
            let mut found: Vec<i32> = called(names.into_iter(), name).into_iter().collect();
            found.sort_unstable();
            found
        };
        assert_eq!(found("news"), [1]);
        assert_eq!(found("new"), [1, 2]);
        assert_eq!(found("the news of the day"), [2]);
        assert!(found("sport").is_empty());
    }

    #[test]
    fn what_ranks_higher_stands_before_and_nothing_before_itself() {
        let at = |score: f32, time: i64, item: i64| (score, Timestamp::from_seconds(time), ItemId(item));
        assert!(outranks(&at(2.0, 1, 1), &at(1.0, 9, 9)));
        assert!(outranks(&at(1.0, 2, 1), &at(1.0, 1, 9)));
        assert!(outranks(&at(0.0, 1, 2), &at(0.0, 1, 1)));
        assert!(!outranks(&at(1.0, 1, 1), &at(1.0, 1, 1)));
    }
}
