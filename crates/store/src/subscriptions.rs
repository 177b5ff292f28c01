//! A person's subscriptions: reading them with their feeds' health, and changing them.

use crate::boxed;
use crate::error::{Result, StoreError};
use crate::feeds::FeedRow;
use crate::people::found;
use crate::side::hash_from_column;
use crate::sql::{Conn, Sql, args, row, sql};
use crate::store::Store;
use crate::types::{FeedHealth, SubscribedFeed, SubscriptionEdit};
use domain::{FeedId, Folder, FolderId, PollOutcome, Subscription, Timestamp, UserId};

const LIST: Sql = sql!("listing subscriptions",
    "SELECT " subscription_columns "
     FROM subscription u JOIN feed f ON f.id = u.feed_id JOIN schedule s ON s.feed_id = f.id
     LEFT JOIN feed_icon k ON k.feed_id = f.id
     WHERE u.user_id = $1 ORDER BY u.feed_id");
const ONE: Sql = sql!("reading a subscription",
    "SELECT " subscription_columns "
     FROM subscription u JOIN feed f ON f.id = u.feed_id JOIN schedule s ON s.feed_id = f.id
     LEFT JOIN feed_icon k ON k.feed_id = f.id
     WHERE u.user_id = $1 AND u.feed_id = $2");
const LOCK: Sql = sql!("locking a subscription",
    "SELECT t.paused FROM subscription t WHERE t.user_id = $1 AND t.feed_id = $2" lock);
const SET_TITLE: Sql =
    sql!("naming a subscription", "UPDATE subscription SET title = $3 WHERE user_id = $1 AND feed_id = $2");
/// Only into a folder of the same person.
const SET_FOLDER: Sql = sql!(
    "moving a subscription to a folder",
    "UPDATE subscription SET folder_id = (SELECT id FROM folder WHERE id = $3 AND user_id = $1)
     WHERE user_id = $1 AND feed_id = $2
       AND ($3 = 0 OR EXISTS (SELECT 1 FROM folder WHERE id = $3 AND user_id = $1))"
);
const SET_FULL_TEXT: Sql =
    sql!("choosing full texts", "UPDATE subscription SET full_text = $3 WHERE user_id = $1 AND feed_id = $2");
const SET_IMPORTANT: Sql = sql!(
    "marking a feed as important",
    "UPDATE subscription SET important = $3 WHERE user_id = $1 AND feed_id = $2"
);
const SET_WEIGHT: Sql = sql!(
    "weighing a subscription",
    "UPDATE subscription SET weight = $3 WHERE user_id = $1 AND feed_id = $2"
);
const SET_PAUSED: Sql =
    sql!("pausing a subscription", "UPDATE subscription SET paused = $3 WHERE user_id = $1 AND feed_id = $2");
const COUNT: Sql = sql!(
    "counting a feed's subscribers",
    "UPDATE schedule SET subscribers = subscribers + $2 WHERE feed_id = $1"
);

#[cfg(test)]
pub(crate) const ALL: &[Sql] =
    &[LIST, ONE, LOCK, SET_TITLE, SET_FOLDER, SET_FULL_TEXT, SET_IMPORTANT, SET_WEIGHT, SET_PAUSED, COUNT];

const TITLE_CHARS_MAX: usize = 500;

impl Store {
    /// All of a person's subscriptions, in one statement: every page shows them.
    #[boxed]
    pub async fn subscriptions(&self, user: UserId) -> Result<Vec<SubscribedFeed>> {
        self.read(LIST.doing, user, |c, user| Box::pin(list(c, *user))).await
    }

    /// The same with the person's folders.
    #[boxed]
    pub async fn library(&self, user: UserId) -> Result<(Vec<SubscribedFeed>, Vec<Folder>)> {
        self.read(LIST.doing, user, |c, user| {
            Box::pin(async move { Ok((list(c, *user).await?, crate::folders::list(c, *user).await?)) })
        })
        .await
    }

    /// None when the person does not follow the feed.
    #[boxed]
    pub async fn subscription(&self, user: UserId, feed: FeedId) -> Result<Option<SubscribedFeed>> {
        let row: Option<SubscriptionRow> = self
            .read(ONE.doing, (user, feed), |c, (user, feed)| {
                Box::pin(async move { c.maybe(ONE, args![*user, *feed]).await })
            })
            .await?;
        row.map(|row| row.subscribed(user)).transpose()
    }

    /// [`StoreError::NotFound`] when the person does not follow the feed or has no such folder. A paused subscription
    /// asks for no polls; resuming it keeps the time of the next one.
    #[boxed]
    pub async fn edit_subscription(&self, user: UserId, feed: FeedId, edit: &SubscriptionEdit) -> Result<()> {
        let resumes = edit.paused == Some(false);
        self.write("changing a subscription", (user, feed, edit.clone()), |c, (user, feed, edit)| {
            Box::pin(change(c, *user, *feed, edit))
        })
        .await?;
        if resumes {
            self.wake();
        }
        Ok(())
    }
}

async fn list(c: &mut Conn, user: UserId) -> Result<Vec<SubscribedFeed>> {
    let rows: Vec<SubscriptionRow> = c.all(LIST, args![user]).await?;
    rows.into_iter().map(|row| row.subscribed(user)).collect()
}

async fn change(c: &mut Conn, user: UserId, feed: FeedId, edit: &SubscriptionEdit) -> Result<()> {
    let paused: Option<(bool,)> = c.maybe(LOCK, args![user, feed]).await?;
    let (was_paused,) = paused.ok_or(StoreError::NotFound { what: "subscription" })?;
    if let Some(title) = &edit.title {
        let title: Option<String> =
            title.as_deref().map(|title| title.trim().chars().take(TITLE_CHARS_MAX).collect());
        let title = title.filter(|title| !title.is_empty());
        c.run(SET_TITLE, args![user, feed, title.as_deref()]).await?;
    }
    if let Some(folder) = edit.folder {
        let folder = folder.map_or(0, |folder| folder.0);
        found(c.run(SET_FOLDER, args![user, feed, folder]).await?, "folder")?;
    }
    if let Some(full_text) = edit.full_text {
        c.run(SET_FULL_TEXT, args![user, feed, full_text]).await?;
    }
    if let Some(important) = edit.important {
        c.run(SET_IMPORTANT, args![user, feed, important]).await?;
    }
    if let Some(weight) = edit.weight {
        let weight = weight.map(|weight| i64::from(weight.min(Subscription::WEIGHT_MAX)));
        c.run(SET_WEIGHT, args![user, feed, weight]).await?;
    }
    if let Some(paused) = edit.paused.filter(|paused| *paused != was_paused) {
        c.run(SET_PAUSED, args![user, feed, paused]).await?;
        let change: i64 = if paused { -1 } else { 1 };
        c.run(COUNT, args![feed, change]).await?;
    }
    Ok(())
}

row! {
    struct SubscriptionRow {
        ..feed: FeedRow,
        folder_id: Option<i64>,
        own_title: Option<String>,
        subscribed_at: i64,
        unread: i64,
        full_text: bool,
        important: bool,
        paused: bool,
        weight: Option<i64>,
        icon: Option<i64>,
        failures: i64,
        failing_since: Option<i64>,
        last_success_at: Option<i64>,
        next_poll_at: i64,
        last_error: Option<String>,
        last_outcome: Option<String>,
        milliposts_per_day: Option<i64>,
    }
}

impl SubscriptionRow {
    #[expect(clippy::cast_precision_loss, reason = "a rate, in thousandths")]
    fn subscribed(self, user: UserId) -> Result<SubscribedFeed> {
        let subscription = Subscription {
            user,
            feed: FeedId(self.feed.id),
            folder: self.folder_id.map(FolderId),
            title: self.own_title,
            created_at: Timestamp::from_micros(self.subscribed_at),
            unread: u64::try_from(self.unread).unwrap_or(0),
            full_text: self.full_text,
            important: self.important,
            paused: self.paused,
            weight: self.weight.and_then(|weight| u8::try_from(weight).ok()),
        };
        let health = FeedHealth {
            failures: u32::try_from(self.failures).unwrap_or(u32::MAX),
            failing_since: self.failing_since.map(Timestamp::from_micros),
            last_success_at: self.last_success_at.map(Timestamp::from_micros),
            next_poll_at: Timestamp::from_micros(self.next_poll_at),
            last_error: self.last_error,
            last_outcome: self.last_outcome.as_deref().and_then(PollOutcome::from_name),
            posts_per_day: self.milliposts_per_day.map(|rate| rate as f64 / 1e3),
        };
        let icon = self.icon.map(hash_from_column);
        Ok(SubscribedFeed { subscription, feed: self.feed.feed()?, icon, health })
    }
}
