//! The items of a batch of polls: names, rows, bodies, edits, and who has what unread.
//!
//! All items of all polls of the batch go into one JSON array and one blob (each item's identity, then its packed
//! body), from which a handful of statements read.

use crate::error::Result;
use crate::follow::record;
use crate::sql::{Conn, Sql, args, json_rows, sql};
use crate::types::{ItemChangeKind, ItemKind, ItemWrite, PollCommit};
use domain::{FeedId, Identity, ItemId, Timestamp};
use serde::Serialize;
use std::collections::{HashMap, HashSet};

const ITEM_NUMBERS: Sql = sql!("numbering new items", item_numbers);
const ADD_NAMES: Sql = sql!("naming items",
    "INSERT INTO item_name (feed_id, name, item_id)
     SELECT CAST(r.value ->> 'feed' AS BIGINT), substr(" blob ", CAST(r.value ->> 'at' AS INTEGER), 16),
         CAST(r.value ->> 'item' AS BIGINT)
     FROM " rows " WHERE true ON CONFLICT (feed_id, name) DO NOTHING RETURNING item_id");
const ADD_ITEMS: Sql = sql!("storing items",
    "INSERT INTO item (id, feed_id, identity, sort_at, published_at, first_seen_at, title, link, author, content_hash,
         revision, bytes, excerpt, picture, words, playable)
     SELECT CAST(r.value ->> 'item' AS BIGINT), CAST(r.value ->> 'feed' AS BIGINT),
         substr(" blob ", CAST(r.value ->> 'at' AS INTEGER), 16), CAST(r.value ->> 'sort_at' AS BIGINT),
         CAST(r.value ->> 'published_at' AS BIGINT), CAST(r.value ->> 'seen_at' AS BIGINT), r.value ->> 'title',
         r.value ->> 'link', r.value ->> 'author', CAST(r.value ->> 'hash' AS BIGINT), 0,
         CAST(r.value ->> 'bytes' AS BIGINT), r.value ->> 'excerpt', r.value ->> 'picture',
         CAST(r.value ->> 'words' AS BIGINT), CAST(r.value ->> 'playable' AS BOOLEAN)
     FROM " rows);
const ADD_BODIES: Sql = sql!("storing items' bodies",
    "INSERT INTO item_body (item_id, body)
     SELECT CAST(r.value ->> 'item' AS BIGINT),
         substr(" blob ", CAST(r.value ->> 'at' AS INTEGER) + 16, CAST(r.value ->> 'bytes' AS INTEGER))
     FROM " rows);
/// A feed can only change its own items (D2).
const OLD_SIZES: Sql = sql!("reading edited items",
    "SELECT i.id, i.bytes FROM " rows " JOIN item i ON i.id = CAST(r.value ->> 'item' AS BIGINT)
     WHERE i.feed_id = CAST(r.value ->> 'feed' AS BIGINT)");
/// Neither sort date nor anybody's read state moves with an edit (D3, D6).
const CHANGE_ITEMS: Sql = sql!("editing items",
    "UPDATE item SET title = r.value ->> 'title', link = r.value ->> 'link', author = r.value ->> 'author',
         content_hash = CAST(r.value ->> 'hash' AS BIGINT), bytes = CAST(r.value ->> 'bytes' AS BIGINT),
         revision = revision + 1, revised_at = CAST(r.value ->> 'seen_at' AS BIGINT),
         excerpt = r.value ->> 'excerpt', picture = r.value ->> 'picture',
         words = CAST(r.value ->> 'words' AS BIGINT), playable = CAST(r.value ->> 'playable' AS BOOLEAN)
     FROM " rows " WHERE id = CAST(r.value ->> 'item' AS BIGINT)");
const CHANGE_BODIES: Sql = sql!("editing items' bodies",
    "UPDATE item_body SET body = substr(" blob ", CAST(r.value ->> 'at' AS INTEGER) + 16, CAST(r.value ->> 'bytes' AS INTEGER))
     FROM " rows " WHERE item_id = CAST(r.value ->> 'item' AS BIGINT)");
const COUNT_ITEMS: Sql = sql!("counting feeds' items",
    "UPDATE feed SET items = items + CAST(r.value ->> 'items' AS BIGINT),
         bytes = bytes + CAST(r.value ->> 'bytes' AS BIGINT)
     FROM " rows " WHERE id = CAST(r.value ->> 'feed' AS BIGINT)");
const LOCK_READERS: Sql = sql!("locking subscriptions",
    "SELECT t.user_id FROM subscription t JOIN " rows " ON t.feed_id = CAST(r.value ->> 'feed' AS BIGINT)
     ORDER BY t.user_id, t.feed_id" lock);
/// Whoever has nothing unread in a feed has read everything in it, so the watermark may rise over new items that come
/// as read. Without this, the archive of a first poll would leave a mark per item and person.
const RAISE_WATERMARKS: Sql = sql!("raising watermarks",
    "UPDATE subscription SET watermark = CAST(r.value ->> 'read_to' AS BIGINT)
     FROM " rows " WHERE feed_id = CAST(r.value ->> 'feed' AS BIGINT) AND unread = 0
       AND watermark < CAST(r.value ->> 'read_to' AS BIGINT)");
/// To paused subscriptions everything comes as read.
const ADD_EXCEPTIONS: Sql = sql!("marking new items against the watermark",
    "INSERT INTO read_mark (user_id, feed_id, item_id, sort_at, is_read)
     SELECT s.user_id, s.feed_id, CAST(r.value ->> 'item' AS BIGINT), CAST(r.value ->> 'sort_at' AS BIGINT),
         NOT (CAST(r.value ->> 'unread' AS BOOLEAN) AND NOT s.paused)
     FROM " rows " JOIN subscription s ON s.feed_id = CAST(r.value ->> 'feed' AS BIGINT)
     WHERE (CAST(r.value ->> 'unread' AS BOOLEAN) AND NOT s.paused) = (CAST(r.value ->> 'sort_at' AS BIGINT) <= s.watermark)");
const COUNT_UNREAD: Sql = sql!("counting unread items",
    "UPDATE subscription SET unread = unread + CAST(r.value ->> 'unread' AS BIGINT)
     FROM " rows " WHERE feed_id = CAST(r.value ->> 'feed' AS BIGINT) AND NOT paused");

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[
    ITEM_NUMBERS,
    ADD_NAMES,
    ADD_ITEMS,
    ADD_BODIES,
    OLD_SIZES,
    CHANGE_ITEMS,
    CHANGE_BODIES,
    COUNT_ITEMS,
    LOCK_READERS,
    RAISE_WATERMARKS,
    ADD_EXCEPTIONS,
    COUNT_UNREAD,
];

/// What became of one feed's items.
#[derive(Default)]
pub(super) struct Kept {
    pub(super) new_items: Vec<ItemId>,
    pub(super) changed: u32,
    /// The new items by their index in the poll.
    pub(super) numbers: HashMap<usize, Numbered>,
}

#[derive(Clone, Copy)]
pub(super) struct Numbered {
    pub(super) item: i64,
    pub(super) sort_at: i64,
}

/// One item on its way in; also the JSON row of the statements above.
#[derive(Serialize)]
struct ItemRow<'a> {
    feed: FeedId,
    item: i64,
    /// Where in the blob its identity stands, from 1; its body follows.
    at: usize,
    bytes: usize,
    sort_at: i64,
    unread: bool,
    published_at: Option<i64>,
    seen_at: i64,
    title: Option<&'a str>,
    link: Option<&'a str>,
    author: Option<&'a str>,
    hash: i64,
    excerpt: Option<&'a str>,
    picture: Option<&'a str>,
    words: u32,
    playable: bool,
    /// Among its poll's items.
    #[serde(skip)]
    index: usize,
}

/// A further name of an item.
#[derive(Serialize)]
struct NameRow {
    feed: FeedId,
    item: i64,
    at: usize,
}

pub(super) async fn store_items(c: &mut Conn, commits: &[&PollCommit]) -> Result<HashMap<i64, Kept>> {
    let mut kept: HashMap<i64, Kept> = HashMap::new();
    if commits.iter().all(|commit| commit.items.is_empty()) {
        return Ok(kept);
    }
    let mut batch = Batch::gather(commits);
    let numbers: Vec<usize> = (1..=batch.new.len()).collect();
    if !numbers.is_empty() {
        let numbers: Vec<(i64,)> = c.all(ITEM_NUMBERS, args![&json_rows(&numbers)]).await?;
        for (row, (number,)) in batch.new.iter_mut().zip(numbers) {
            row.item = number;
        }
        let named: Vec<(i64,)> = c.all(ADD_NAMES, args![&json_rows(&batch.new), &batch.blob]).await?;
        // A name already taken is an item already stored (or removed for good): nothing is doubled.
        let named: HashSet<i64> = named.into_iter().map(|(item,)| item).collect();
        batch.new.retain(|row| named.contains(&row.item));
    }
    if !batch.new.is_empty() {
        let json = json_rows(&batch.new);
        c.run(ADD_ITEMS, args![&json, &batch.blob]).await?;
        c.run(ADD_BODIES, args![&json, &batch.blob]).await?;
        for row in &batch.new {
            let kept = kept.entry(row.feed.0).or_default();
            kept.new_items.push(ItemId(row.item));
            kept.numbers.insert(row.index, Numbered { item: row.item, sort_at: row.sort_at });
        }
    }
    let grown = change_items(c, &mut batch, &mut kept).await?;
    add_further_names(c, commits, &batch).await?;
    count(c, &batch, grown).await?;
    Ok(kept)
}

#[derive(Default)]
struct Batch<'a> {
    blob: Vec<u8>,
    new: Vec<ItemRow<'a>>,
    changed: Vec<ItemRow<'a>>,
}

impl<'a> Batch<'a> {
    fn gather(commits: &[&'a PollCommit]) -> Self {
        let mut batch = Batch::default();
        for commit in commits {
            for (index, write) in commit.items.iter().enumerate() {
                let (item, sort_at, unread) = match write.kind {
                    ItemKind::New { sort_at, unread } => (0, sort_at.micros(), unread),
                    ItemKind::Changed(item) | ItemKind::RenamedAndChanged(item) => (item.0, 0, false),
                    ItemKind::Renamed(_) => continue,
                };
                let row = ItemRow { item, sort_at, unread, index, ..batch.row(commit, write) };
                if item == 0 { batch.new.push(row) } else { batch.changed.push(row) }
            }
        }
        batch
    }

    /// What the row of an item says whatever becomes of it; its blob is added.
    fn row(&mut self, commit: &PollCommit, write: &'a ItemWrite) -> ItemRow<'a> {
        let packed = &write.packed;
        let at = self.blob.len() + 1;
        self.blob.extend_from_slice(&packed.identity.0.to_be_bytes());
        self.blob.extend_from_slice(&packed.body);
        ItemRow {
            feed: commit.lease.feed,
            item: 0,
            at,
            bytes: packed.body.len(),
            sort_at: 0,
            unread: false,
            index: 0,
            published_at: packed.published_at.map(Timestamp::micros),
            seen_at: commit.record.finished_at.micros(),
            title: packed.title.as_deref(),
            link: packed.link.as_deref(),
            author: packed.author.as_deref(),
            hash: packed.content_hash,
            excerpt: packed.preview.excerpt.as_deref(),
            picture: packed.preview.picture.as_deref(),
            words: packed.preview.words,
            playable: packed.preview.playable,
        }
    }
}

/// Writes edits and tells by how many bytes each feed grew through them.
async fn change_items(
    c: &mut Conn,
    batch: &mut Batch<'_>,
    kept: &mut HashMap<i64, Kept>,
) -> Result<HashMap<i64, i64>> {
    let mut grown = HashMap::new();
    if batch.changed.is_empty() {
        return Ok(grown);
    }
    let old: Vec<(i64, i64)> = c.all(OLD_SIZES, args![&json_rows(&batch.changed)]).await?;
    let mut old: HashMap<i64, i64> = old.into_iter().collect();
    // Removing from the map also drops a second edit of the same item in the same document.
    batch.changed.retain(|row| match old.remove(&row.item) {
        Some(size) => {
            let size_now = i64::try_from(row.bytes).unwrap_or(i64::MAX);
            *grown.entry(row.feed.0).or_default() += size_now.saturating_sub(size);
            kept.entry(row.feed.0).or_default().changed += 1;
            true
        }
        None => false,
    });
    let json = json_rows(&batch.changed);
    c.run(CHANGE_ITEMS, args![&json]).await?;
    c.run(CHANGE_BODIES, args![&json, &batch.blob]).await?;
    if let Some(now) = batch.changed.iter().map(|row| row.seen_at).max() {
        let edited = batch.changed.iter().map(|row| (row.feed, ItemId(row.item)));
        record(c, edited, ItemChangeKind::Edited, Timestamp::from_micros(now)).await?;
    }
    Ok(grown)
}

/// Twins of new and edited items, and the new identities of renamed ones.
async fn add_further_names(c: &mut Conn, commits: &[&PollCommit], batch: &Batch<'_>) -> Result<()> {
    let stored: HashMap<(FeedId, [u8; 16]), i64> = batch
        .new
        .iter()
        .filter_map(|row| {
            let identity = batch.blob.get(row.at - 1..row.at + 15)?;
            Some(((row.feed, identity.try_into().ok()?), row.item))
        })
        .collect();
    let (mut rows, mut blob) = (Vec::new(), Vec::new());
    let mut add = |feed: FeedId, item: i64, name: Identity| {
        rows.push(NameRow { feed, item, at: blob.len() + 1 });
        blob.extend_from_slice(&name.0.to_be_bytes());
    };
    for commit in commits {
        let feed = commit.lease.feed;
        for ItemWrite { kind, packed } in &commit.items {
            let item = match kind {
                ItemKind::New { .. } => stored.get(&(feed, packed.identity.0.to_be_bytes())).copied(),
                ItemKind::Changed(item) => Some(item.0),
                ItemKind::Renamed(item) | ItemKind::RenamedAndChanged(item) => {
                    add(feed, item.0, packed.identity);
                    Some(item.0)
                }
            };
            if let (Some(item), Some(twin)) = (item, packed.twin) {
                add(feed, item, twin);
            }
        }
    }
    if !rows.is_empty() {
        let _named: Vec<(Option<i64>,)> = c.all(ADD_NAMES, args![&json_rows(&rows), &blob]).await?;
    }
    Ok(())
}

/// Keeps feeds' sizes and readers' unread counters right.
async fn count(c: &mut Conn, batch: &Batch<'_>, grown: HashMap<i64, i64>) -> Result<()> {
    #[derive(Serialize)]
    struct Row {
        feed: i64,
        items: i64,
        bytes: i64,
        unread: i64,
        /// Sorted last of the new items that come as read.
        read_to: i64,
    }
    let empty = |feed| Row { feed, items: 0, bytes: 0, unread: 0, read_to: i64::MIN };
    let mut rows: HashMap<i64, Row> = HashMap::new();
    for row in &batch.new {
        let feed = rows.entry(row.feed.0).or_insert_with(|| empty(row.feed.0));
        feed.items += 1;
        feed.bytes = feed.bytes.saturating_add(i64::try_from(row.bytes).unwrap_or(i64::MAX));
        if row.unread {
            feed.unread += 1;
        } else {
            feed.read_to = feed.read_to.max(row.sort_at);
        }
    }
    for (feed, bytes) in grown {
        rows.entry(feed).or_insert_with(|| empty(feed)).bytes += bytes;
    }
    let mut rows: Vec<Row> = rows.into_values().collect();
    rows.sort_unstable_by_key(|row| row.feed);
    if rows.is_empty() {
        return Ok(());
    }
    c.run(COUNT_ITEMS, args![&json_rows(&rows)]).await?;
    rows.retain(|row| row.items > 0);
    if rows.is_empty() {
        return Ok(());
    }
    let json = json_rows(&rows);
    if !c.is_lite() {
        let _locked: Vec<(i64,)> = c.all(LOCK_READERS, args![&json]).await?;
    }
    rows.retain(|row| row.read_to != i64::MIN);
    if !rows.is_empty() {
        c.run(RAISE_WATERMARKS, args![&json_rows(&rows)]).await?;
    }
    c.run(ADD_EXCEPTIONS, args![&json_rows(&batch.new)]).await?;
    c.run(COUNT_UNREAD, args![&json]).await?;
    Ok(())
}
