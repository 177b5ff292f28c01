//! What is kept beside items and feeds: full texts, places in media, icons.

use crate::boxed;
use crate::error::Result;
use crate::feeds::to_json;
use crate::pack::{hash_to_column, pack, unpack};
use crate::people::found;
use crate::sql::{Conn, Sql, args, sql};
use crate::store::Store;
use crate::types::{FullText, Icon, IconDue, IconFound};
use domain::{FeedId, ItemId, Timestamp, UserId};
use serde::{Deserialize, Serialize};
use std::time::Duration;

const FULL_TEXT: Sql =
    sql!("reading a full text", "SELECT fetched_at, body FROM full_text WHERE item_id = $1");
const KEEP_FULL_TEXT: Sql = sql!(
    "keeping a full text",
    "INSERT INTO full_text (item_id, fetched_at, body) SELECT id, $2, $3 FROM item WHERE id = $1
     ON CONFLICT (item_id) DO UPDATE SET fetched_at = excluded.fetched_at, body = excluded.body"
);
const PLACES: Sql = sql!(
    "reading places in media",
    "SELECT enclosure, position_ms FROM media_position WHERE user_id = $1 AND item_id = $2 ORDER BY enclosure"
);
const SET_PLACE: Sql = sql!(
    "keeping a place in media",
    "INSERT INTO media_position (user_id, item_id, enclosure, position_ms, moved_at)
     SELECT $1, i.id, $3, $4, $5 FROM item i WHERE i.id = $2
       AND (EXISTS (SELECT 1 FROM subscription s WHERE s.user_id = $1 AND s.feed_id = i.feed_id)
         OR EXISTS (SELECT 1 FROM star k WHERE k.user_id = $1 AND k.item_id = i.id)
         OR EXISTS (SELECT 1 FROM item_tag k WHERE k.user_id = $1 AND k.item_id = i.id))
     ON CONFLICT (user_id, item_id, enclosure)
     DO UPDATE SET position_ms = excluded.position_ms, moved_at = excluded.moved_at"
);
const ICON: Sql = sql!(
    "reading an icon",
    "SELECT kind, bytes, version FROM feed_icon WHERE feed_id = $1 AND version IS NOT NULL"
);
/// Longer than looking for an icon takes: a page and a few pictures, spaced.
const POLLS_FIRST: Duration = Duration::from_secs(60);
const ICONS_DUE: Sql = sql!(
    "finding icons to ask for",
    "SELECT f.id, f.url, f.icon_url, f.site_url, k.validators
     FROM schedule s JOIN feed f ON f.id = s.feed_id LEFT JOIN feed_icon k ON k.feed_id = s.feed_id
     WHERE s.icon_at <= $1 AND s.subscribers > 0 AND s.last_success_at IS NOT NULL
       AND NOT (s.feed_state = 'active' AND s.next_poll_at <= $3)
     ORDER BY s.icon_at LIMIT $2"
);
const SET_ICON: Sql = sql!(
    "keeping an icon",
    "INSERT INTO feed_icon (feed_id, kind, bytes, version, validators) SELECT id, $2, $3, $4, $5 FROM feed WHERE id = $1
     ON CONFLICT (feed_id) DO UPDATE SET kind = excluded.kind, bytes = excluded.bytes, version = excluded.version,
         validators = excluded.validators"
);
const ICON_ASKED: Sql =
    sql!("noting that an icon was asked for", "UPDATE schedule SET icon_at = $2 WHERE feed_id = $1");

#[cfg(test)]
pub(crate) const ALL: &[Sql] =
    &[FULL_TEXT, KEEP_FULL_TEXT, PLACES, SET_PLACE, ICON, ICONS_DUE, SET_ICON, ICON_ASKED];

/// An icon is asked for again after this long.
const ICON_EVERY: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Nobody listens longer; also keeps the numbers far from their bounds.
const SECONDS_MAX: f64 = 1e9;

/// How a full text is stored, packed like a body.
#[derive(Serialize, Deserialize)]
struct Stored {
    html: Option<String>,
    sentence: Option<String>,
    title: Option<String>,
}

impl Store {
    /// What was fetched for reading an item, or why nothing was. Whether the person may see the item is the caller's
    /// to check.
    #[boxed]
    pub async fn full_text(&self, item: ItemId) -> Result<Option<FullText>> {
        let row: Option<(i64, Vec<u8>)> = self
            .read(FULL_TEXT.doing, item, |c, item| {
                Box::pin(async move { c.maybe(FULL_TEXT, args![*item]).await })
            })
            .await?;
        row.map(|(fetched_at, body)| {
            let Stored { html, sentence, title } = unpack(&body)?;
            Ok(FullText { fetched_at: Timestamp::from_micros(fetched_at), html, sentence, title })
        })
        .transpose()
    }

    /// Replaces what was there; goes with the item.
    #[boxed]
    pub async fn keep_full_text(&self, item: ItemId, text: &FullText) -> Result<()> {
        let FullText { fetched_at, html, sentence, title } = text.clone();
        let body = pack(&Stored { html, sentence, title });
        let kept = self
            .write(KEEP_FULL_TEXT.doing, (item, fetched_at, body), |c, (item, fetched_at, body)| {
                Box::pin(async move { c.run(KEEP_FULL_TEXT, args![*item, *fetched_at, body]).await })
            })
            .await?;
        found(kept, "item")
    }

    /// Where the person stopped in an item's enclosures: number and seconds.
    #[expect(clippy::cast_precision_loss, reason = "a place in media, in milliseconds")]
    #[boxed]
    pub async fn media_position(&self, user: UserId, item: ItemId) -> Result<Vec<(u32, f64)>> {
        let rows: Vec<(i64, i64)> = self
            .read(PLACES.doing, (user, item), |c, (user, item)| {
                Box::pin(async move { c.all(PLACES, args![*user, *item]).await })
            })
            .await?;
        Ok(rows
            .into_iter()
            .map(|(enclosure, ms)| (u32::try_from(enclosure).unwrap_or(0), ms as f64 / 1e3))
            .collect())
    }

    /// [`crate::StoreError::NotFound`] for an item this person may not see.
    #[expect(clippy::cast_possible_truncation, reason = "bounded before")]
    #[boxed]
    pub async fn set_media_position(
        &self,
        user: UserId,
        item: ItemId,
        enclosure: u32,
        seconds: f64,
        now: Timestamp,
    ) -> Result<()> {
        let seconds = if seconds.is_finite() { seconds.clamp(0.0, SECONDS_MAX) } else { 0.0 };
        let args = (user, item, i64::from(enclosure), (seconds * 1e3).round() as i64, now);
        let kept = self
            .write(SET_PLACE.doing, args, |c, (user, item, enclosure, ms, now)| {
                Box::pin(async move { c.run(SET_PLACE, args![*user, *item, *enclosure, *ms, *now]).await })
            })
            .await?;
        found(kept, "item")
    }

    #[boxed]
    pub async fn icon(&self, feed: FeedId) -> Result<Option<Icon>> {
        let row: Option<(Option<String>, Option<Vec<u8>>, i64)> = self
            .read(ICON.doing, feed, |c, feed| Box::pin(async move { c.maybe(ICON, args![*feed]).await }))
            .await?;
        Ok(row.map(|(kind, bytes, version)| Icon {
            kind: kind.unwrap_or_default(),
            bytes: bytes.unwrap_or_default(),
            version: hash_from_column(version),
        }))
    }

    /// Followed feeds that answered once and whose icon was asked for more than a week ago or never. A feed that is
    /// about to be polled waits: its icon would keep the provider busy and the poll waiting.
    #[boxed]
    pub async fn icons_due(&self, now: Timestamp, limit: u32) -> Result<Vec<IconDue>> {
        type Row = (i64, String, Option<String>, Option<String>, Option<String>);
        let (limit, polls_until) = (i64::from(limit.clamp(1, 1_000)), now.saturating_add(POLLS_FIRST));
        let rows: Vec<Row> = self
            .read(ICONS_DUE.doing, (now, limit, polls_until), |c, (now, limit, polls_until)| {
                Box::pin(async move { c.all(ICONS_DUE, args![*now, *limit, *polls_until]).await })
            })
            .await?;
        let due = |(feed, url, icon_url, site_url, validators): Row| IconDue {
            feed: FeedId(feed),
            url,
            icon_url,
            site_url,
            // Without them the icon is fetched whole, which is no harm.
            validators: validators.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default(),
        };
        Ok(rows.into_iter().map(due).collect())
    }

    #[boxed]
    pub async fn keep_icon(&self, feed: FeedId, found: IconFound, now: Timestamp) -> Result<()> {
        self.write(SET_ICON.doing, (feed, found, now), |c, (feed, found, now)| {
            Box::pin(keep_icon(c, *feed, found, *now))
        })
        .await
    }
}

async fn keep_icon(c: &mut Conn, feed: FeedId, icon_found: &IconFound, now: Timestamp) -> Result<()> {
    let asked = c.run(ICON_ASKED, args![feed, now.saturating_add(ICON_EVERY)]).await?;
    found(asked, "feed")?;
    if icon_found.unchanged {
        return Ok(());
    }
    let icon = icon_found.icon.as_ref();
    let kind = icon.map(|icon| icon.kind.as_str());
    let bytes = icon.map(|icon| icon.bytes.as_slice());
    let version = icon.map(|icon| hash_to_column(icon.version));
    let validators = to_json(&icon_found.validators);
    found(c.run(SET_ICON, args![feed, kind, bytes, version, &validators]).await?, "feed")
}

/// The bits that [`hash_to_column`] kept.
pub(crate) fn hash_from_column(column: i64) -> u64 {
    u64::from_ne_bytes(column.to_ne_bytes())
}
