//! Is everything as it should be, and what takes the room.

use crate::boxed;
use crate::error::Result;
use crate::sql::{Conn, Sql, args, sql};
use crate::store::{Store, pages};
use crate::types::FeedDisk;
use domain::FeedId;

/// Each counts rows that should not exist; the words say what is wrong with them.
const FAULTS: &[(&str, Sql)] = &[
    ("items without a body", sql!("looking for items without a body",
        "SELECT COUNT(*) FROM item i WHERE NOT EXISTS (SELECT 1 FROM item_body b WHERE b.item_id = i.id)")),
    ("bodies without an item", sql!("looking for bodies without an item",
        "SELECT COUNT(*) FROM item_body b WHERE NOT EXISTS (SELECT 1 FROM item i WHERE i.id = b.item_id)")),
    ("names of items that are not there", sql!("looking for dangling names",
        "SELECT COUNT(*) FROM item_name n WHERE n.item_id IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM item i WHERE i.id = n.item_id AND i.feed_id = n.feed_id)")),
    ("items not known by their identity", sql!("looking for nameless items",
        "SELECT COUNT(*) FROM item i WHERE NOT EXISTS
             (SELECT 1 FROM item_name n WHERE n.feed_id = i.feed_id AND n.name = i.identity AND n.item_id = i.id)")),
    ("items stored twice", sql!("looking for doubled items",
        "SELECT COUNT(*) FROM (SELECT 1 FROM item GROUP BY feed_id, identity HAVING COUNT(*) > 1) AS d")),
    ("feeds without a schedule", sql!("looking for feeds without a schedule",
        "SELECT COUNT(*) FROM feed f WHERE NOT EXISTS (SELECT 1 FROM schedule s WHERE s.feed_id = f.id)")),
    ("feeds whose provider is unknown", sql!("looking for unknown providers",
        "SELECT COUNT(*) FROM schedule s WHERE NOT EXISTS (SELECT 1 FROM provider p WHERE p.name = s.provider)")),
    ("feeds whose subscribers are miscounted", sql!("counting subscribers",
        "SELECT COUNT(*) FROM schedule s WHERE s.subscribers <>
             (SELECT COUNT(*) FROM subscription u WHERE u.feed_id = s.feed_id AND NOT u.paused)")),
    ("feeds whose items are miscounted", sql!("counting items",
        "SELECT COUNT(*) FROM feed f WHERE f.items <> (SELECT COUNT(*) FROM item i WHERE i.feed_id = f.id)
           OR f.bytes <> (SELECT COALESCE(SUM(i.bytes), 0) FROM item i WHERE i.feed_id = f.id)")),
    ("subscriptions whose unread items are miscounted", sql!("counting unread items",
        "SELECT COUNT(*) FROM subscription s WHERE s.unread <>
             (SELECT COUNT(*) FROM item i
              LEFT JOIN read_mark m ON m.user_id = s.user_id AND m.feed_id = s.feed_id AND m.item_id = i.id
              WHERE i.feed_id = s.feed_id AND NOT COALESCE(m.is_read, i.sort_at <= s.watermark))")),
    ("hidden items that are unread or of nobody's feed", sql!("looking for hidden items that show",
        "SELECT COUNT(*) FROM hidden_item h WHERE NOT EXISTS
             (SELECT 1 FROM item i JOIN subscription s ON s.user_id = h.user_id AND s.feed_id = i.feed_id
              LEFT JOIN read_mark m ON m.user_id = s.user_id AND m.feed_id = s.feed_id AND m.item_id = i.id
              WHERE i.id = h.item_id AND i.feed_id = h.feed_id AND i.sort_at = h.sort_at
                AND COALESCE(m.is_read, i.sort_at <= s.watermark))")),
    ("stories of items that are not there, or that one item tells alone", sql!("looking for stories of nothing",
        "SELECT (SELECT COUNT(*) FROM story_item t WHERE NOT EXISTS
                (SELECT 1 FROM item i WHERE i.id = t.item_id AND i.feed_id = t.feed_id AND i.sort_at = t.sort_at))
             + (SELECT COUNT(*) FROM (SELECT 1 FROM story_item GROUP BY story_id HAVING COUNT(*) = 1) AS alone)")),
    ("full texts, terms or places in media without an item", sql!("looking for what removed items left",
        "SELECT (SELECT COUNT(*) FROM full_text t WHERE NOT EXISTS (SELECT 1 FROM item i WHERE i.id = t.item_id))
             + (SELECT COUNT(*) FROM item_terms t WHERE NOT EXISTS (SELECT 1 FROM item i WHERE i.id = t.item_id))
             + (SELECT COUNT(*) FROM media_position t WHERE NOT EXISTS (SELECT 1 FROM item i WHERE i.id = t.item_id))")),
];
const PAGES: Sql = sql!("checking the database file", "SELECT integrity_check FROM pragma_integrity_check");
const DISK: Sql = sql!(
    "listing the largest feeds",
    "SELECT id, url, items, bytes FROM feed ORDER BY bytes DESC, id LIMIT $1"
);

#[cfg(test)]
pub(crate) const ALL: &[Sql] = &[DISK];
#[cfg(test)]
pub(crate) fn faults() -> impl Iterator<Item = Sql> {
    FAULTS.iter().map(|(_, sql)| *sql)
}

impl Store {
    /// Sentences about what is wrong; empty when all is well. Reads everything: not for every day.
    #[boxed]
    pub async fn integrity_check(&self) -> Result<Vec<String>> {
        self.read("checking the database", (), |c, ()| Box::pin(check(c))).await
    }

    /// The feeds that take most room, largest first.
    #[boxed]
    pub async fn disk_by_feed(&self, limit: u32) -> Result<Vec<FeedDisk>> {
        let rows: Vec<(i64, String, i64, i64)> = self
            .read(DISK.doing, i64::from(limit.clamp(1, 1_000)), |c, limit| {
                Box::pin(async move { c.all(DISK, args![*limit]).await })
            })
            .await?;
        let disk = |(feed, url, items, bytes): (i64, String, i64, i64)| FeedDisk {
            feed: FeedId(feed),
            url,
            items: u64::try_from(items).unwrap_or(0),
            bytes: u64::try_from(bytes).unwrap_or(0),
        };
        Ok(rows.into_iter().map(disk).collect())
    }

    /// Bounds the size of a SQLite database from now on; None lifts the bound. PostgreSQL has its own means.
    #[boxed]
    pub async fn set_size_max(&self, bytes: Option<u64>) -> Result<()> {
        // SQLite's own maximum.
        let pages = bytes.map_or(4_294_967_294, pages);
        self.write("bounding the database's size", pages, |c, pages| Box::pin(c.set_pages_max(*pages))).await
    }
}

async fn check(c: &mut Conn) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    if c.is_lite() {
        let lines: Vec<(String,)> = c.all(PAGES, args![]).await?;
        wrong.extend(lines.into_iter().map(|(line,)| line).filter(|line| line != "ok"));
    }
    for (what, sql) in FAULTS {
        let (count,): (i64,) = c.one(*sql, args![]).await?;
        if count > 0 {
            wrong.push(format!("there are {what} ({count})"));
        }
    }
    Ok(wrong)
}
