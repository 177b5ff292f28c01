//! What was learned: profiles of feeds, models of everything together, and how far learning has come.
//!
//! A step of learning is stored whole, and only on top of what it was made from: a step that is stored twice, or by a
//! node that was overtaken, changes nothing. Revisions of profiles are handed out under the lock of one row, so that
//! they become visible in order and channels can be followed by them.

use crate::boxed;
use crate::error::Result;
use crate::foryou;
use crate::sql::{Conn, Sql, args, json_rows, row, sql};
use crate::store::Store;
use crate::stories;
use crate::types::{FeedProfileRow, Learned, Model};
use domain::{FeedId, ItemId, Timestamp, UserId};
use serde::Serialize;

/// How far profiles and stories have come.
const DIGEST: &str = "digest";

const BEGIN: Sql = sql!(
    "beginning to learn",
    "INSERT INTO model (name, part, learned_to, state) VALUES ($1, 0, 0, $2) ON CONFLICT (name, part) DO NOTHING"
);
const ADVANCE: Sql = sql!(
    "noting how far learning came",
    "UPDATE model SET learned_to = $3 WHERE name = $1 AND part = 0 AND learned_to = $2"
);
const MODEL: Sql =
    sql!("reading a model", "SELECT learned_to, state FROM model WHERE name = $1 ORDER BY part LIMIT 1000");
const DROP_MODEL: Sql = sql!("dropping a model", "DELETE FROM model WHERE name = $1");
const ADD_PART: Sql =
    sql!("keeping a model", "INSERT INTO model (name, part, learned_to, state) VALUES ($1, $2, $3, $4)");
const REVISIONS: Sql = sql!(
    "numbering revisions",
    "UPDATE counter SET value = value + $1 WHERE name = 'channel' RETURNING value"
);
const KEEP: Sql = sql!("keeping profiles",
    "INSERT INTO feed_profile (feed_id, learned_to, newest_at, revision, state, latest, general, change, cohesion, worth, language)
     SELECT f.id, CAST(r.value ->> 'learned_to' AS BIGINT), CAST(r.value ->> 'newest_at' AS BIGINT),
         CAST(r.value ->> 'revision' AS BIGINT),
         substr(" blob ", CAST(r.value ->> 'at' AS INTEGER), CAST(r.value ->> 'state' AS INTEGER)),
         substr(" blob ", CAST(r.value ->> 'at' AS INTEGER) + CAST(r.value ->> 'state' AS INTEGER),
             CAST(r.value ->> 'latest' AS INTEGER)),
         substr(" blob ", CAST(r.value ->> 'at' AS INTEGER) + CAST(r.value ->> 'state' AS INTEGER)
             + CAST(r.value ->> 'latest' AS INTEGER), CAST(r.value ->> 'general' AS INTEGER)),
         CAST(r.value ->> 'change' AS BIGINT), CAST(r.value ->> 'cohesion' AS BIGINT),
         CAST(r.value ->> 'worth' AS BIGINT), r.value ->> 'language'
     FROM " rows " JOIN feed f ON f.id = CAST(r.value ->> 'feed' AS BIGINT) WHERE true
     ON CONFLICT (feed_id) DO UPDATE SET learned_to = excluded.learned_to, newest_at = excluded.newest_at,
         revision = excluded.revision,
         state = excluded.state, latest = excluded.latest, general = excluded.general, change = excluded.change,
         cohesion = excluded.cohesion, worth = excluded.worth, language = excluded.language");
const TOUCH: Sql =
    sql!("telling followers of a channel", "UPDATE feed_profile SET revision = $2 WHERE feed_id = $1");
const PROFILES: Sql = sql!("reading profiles",
    "SELECT p.feed_id, p.learned_to, p.newest_at, p.state, p.latest, p.general, p.change, p.cohesion, p.worth, p.language
     FROM " rows " JOIN feed_profile p ON p.feed_id = CAST(r.value AS BIGINT)");
const WORTHS: Sql = sql!(
    "reading what posts are worth",
    "SELECT feed_id, worth FROM feed_profile WHERE feed_id > $1 ORDER BY feed_id LIMIT $2"
);
const PROFILE_FOR: Sql = sql!(
    "reading a feed's profile",
    "SELECT p.feed_id, p.learned_to, p.newest_at, p.state, p.latest, p.general, p.change, p.cohesion, p.worth, p.language
     FROM feed f JOIN feed_profile p ON p.feed_id = f.id WHERE f.id = $2 AND f.private_to IN (0, $1)"
);

#[cfg(test)]
pub(crate) const ALL: &[Sql] =
    &[BEGIN, ADVANCE, MODEL, DROP_MODEL, ADD_PART, REVISIONS, KEEP, TOUCH, PROFILES, WORTHS, PROFILE_FOR];

/// Numbers of profiles are kept in millionths.
pub(crate) const UNITS: f64 = 1e6;
const PART_BYTES: usize = 1 << 20;
/// Profiles are some 20 KB; this many are read at once.
const PROFILES_MAX: usize = 200;

impl Store {
    /// Stores a step of learning; false, and nothing stored, when learning stands elsewhere than where the step began.
    #[boxed]
    pub async fn keep_learned(&self, learned: Learned) -> Result<bool> {
        let kept = self.write(KEEP.doing, learned, |c, learned| Box::pin(keep_learned(c, learned))).await?;
        if kept {
            self.tell_followers();
        }
        Ok(kept)
    }

    /// The last item that profiles and stories have learned.
    #[boxed]
    pub async fn learned_to(&self) -> Result<ItemId> {
        Ok(self.model(DIGEST).await?.map_or(ItemId(0), |model| model.learned_to))
    }

    #[boxed]
    pub async fn model(&self, name: &str) -> Result<Option<Model>> {
        let parts: Vec<(i64, Vec<u8>)> = self
            .read(MODEL.doing, name.to_owned(), |c, name| {
                Box::pin(async move { c.all(MODEL, args![name]).await })
            })
            .await?;
        let Some((learned_to, _)) = parts.first() else { return Ok(None) };
        let learned_to = ItemId(*learned_to);
        Ok(Some(Model { learned_to, state: parts.into_iter().flat_map(|(_, part)| part).collect() }))
    }

    /// Stores a model by itself.
    #[boxed]
    pub async fn keep_model(&self, name: &str, model: &Model) -> Result<()> {
        self.write(ADD_PART.doing, (name.to_owned(), model.clone()), |c, (name, model)| {
            Box::pin(keep_model(c, name, model.learned_to, &model.state))
        })
        .await
    }

    /// The profiles of these feeds, as far as there are any; at most 200 at a time. For learning, not for people.
    #[boxed]
    pub async fn feed_profiles(&self, feeds: &[FeedId]) -> Result<Vec<FeedProfileRow>> {
        let feeds: Vec<FeedId> = feeds.iter().copied().take(PROFILES_MAX).collect();
        let rows: Vec<ProfileRow> = self
            .read(PROFILES.doing, feeds, |c, feeds| {
                Box::pin(async move { c.all(PROFILES, args![&json_rows(feeds)]).await })
            })
            .await?;
        Ok(rows.into_iter().map(ProfileRow::profile).collect())
    }

    /// What a post of each feed is worth to its readers, after `after` in the order of feeds.
    #[boxed]
    pub async fn post_worths(&self, after: FeedId, limit: u32) -> Result<Vec<(FeedId, f64)>> {
        let limit = i64::from(limit.clamp(1, 5_000));
        let rows: Vec<(i64, i64)> = self
            .read(WORTHS.doing, (after, limit), |c, (after, limit)| {
                Box::pin(async move { c.all(WORTHS, args![*after, *limit]).await })
            })
            .await?;
        Ok(rows.into_iter().map(|(feed, worth)| (FeedId(feed), from_units(worth))).collect())
    }

    /// What a feed is about, whole; None for another's private feed as for one of which nothing is known.
    #[boxed]
    pub async fn feed_profile(&self, user: UserId, feed: FeedId) -> Result<Option<FeedProfileRow>> {
        let row: Option<ProfileRow> = self
            .read(PROFILE_FOR.doing, (user, feed), |c, (user, feed)| {
                Box::pin(async move { c.maybe(PROFILE_FOR, args![*user, *feed]).await })
            })
            .await?;
        Ok(row.map(ProfileRow::profile))
    }
}

async fn keep_learned(c: &mut Conn, learned: &Learned) -> Result<bool> {
    c.run(BEGIN, args![DIGEST, &[][..] as &[u8]]).await?;
    if c.run(ADVANCE, args![DIGEST, learned.from, learned.to]).await? == 0 {
        return Ok(false);
    }
    keep_profiles(c, &learned.profiles).await?;
    stories::keep(c, &learned.stories).await?;
    foryou::keep_terms(c, &learned.terms).await?;
    if let Some((name, state)) = &learned.model {
        keep_model(c, name, learned.to, state).await?;
    }
    Ok(true)
}

async fn keep_model(c: &mut Conn, name: &str, learned_to: ItemId, state: &[u8]) -> Result<()> {
    c.run(DROP_MODEL, args![name]).await?;
    for (part, bytes) in (0_i64..).zip(state.chunks(PART_BYTES)) {
        c.run(ADD_PART, args![name, part, learned_to, bytes]).await?;
    }
    Ok(())
}

async fn keep_profiles(c: &mut Conn, profiles: &[FeedProfileRow]) -> Result<()> {
    #[derive(Serialize)]
    struct Row<'a> {
        feed: FeedId,
        learned_to: ItemId,
        newest_at: i64,
        revision: i64,
        /// Where in the blob the bytes stand, from 1, and how many there are of each.
        at: usize,
        state: usize,
        latest: usize,
        general: usize,
        change: Option<i64>,
        cohesion: Option<i64>,
        worth: i64,
        language: Option<&'a str>,
    }
    if profiles.is_empty() {
        return Ok(());
    }
    let mut revision = next_revision(c, profiles.len()).await?;
    let (mut rows, mut blob) = (Vec::with_capacity(profiles.len()), Vec::new());
    for profile in profiles {
        revision += 1;
        rows.push(Row {
            feed: profile.feed,
            learned_to: profile.learned_to,
            newest_at: profile.newest_at.micros(),
            revision,
            at: blob.len() + 1,
            state: profile.state.len(),
            latest: profile.latest.len(),
            general: profile.general.len(),
            change: profile.change.map(to_units),
            cohesion: profile.cohesion.map(to_units),
            worth: to_units(profile.worth),
            language: profile.language.as_deref(),
        });
        for bytes in [&profile.state, &profile.latest, &profile.general] {
            blob.extend_from_slice(bytes);
        }
    }
    c.run(KEEP, args![&json_rows(&rows), &blob]).await.map(drop)
}

/// The revision before the next `count`.
async fn next_revision(c: &mut Conn, count: usize) -> Result<i64> {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let (last,): (i64,) = c.one(REVISIONS, args![count]).await?;
    Ok(last - count)
}

/// A channel's address or owner changed: its followers look at it again.
pub(crate) async fn touch(c: &mut Conn, feed: FeedId) -> Result<()> {
    let revision = next_revision(c, 1).await? + 1;
    c.run(TOUCH, args![feed, revision]).await.map(drop)
}

row! {
    struct ProfileRow {
        feed_id: i64,
        learned_to: i64,
        newest_at: i64,
        state: Vec<u8>,
        latest: Vec<u8>,
        general: Vec<u8>,
        change: Option<i64>,
        cohesion: Option<i64>,
        worth: i64,
        language: Option<String>,
    }
}

impl ProfileRow {
    fn profile(self) -> FeedProfileRow {
        FeedProfileRow {
            feed: FeedId(self.feed_id),
            learned_to: ItemId(self.learned_to),
            newest_at: Timestamp::from_micros(self.newest_at),
            state: self.state,
            latest: self.latest,
            general: self.general,
            change: self.change.map(from_units),
            cohesion: self.cohesion.map(from_units),
            worth: from_units(self.worth),
            language: self.language,
        }
    }
}

/// What is no number is nothing.
#[expect(clippy::cast_possible_truncation, reason = "a float cast saturates, and is bounded before")]
fn to_units(value: f64) -> i64 {
    (value.clamp(-1e6, 1e6) * UNITS) as i64
}

pub(crate) fn from_units(value: i64) -> f64 {
    value as f64 / UNITS
}
