//! Many subscriptions at once, from a file or a pack: the same for pages and the command line.
//!
//! What is taken in is bounded by the person's room (O1), enters the queue a little at a time, and is remembered as an
//! import, so that its progress can be seen and the whole of it taken back.

use domain::{FeedId, Folder, FolderId, ImportId, Limits, NewSubscription, Timestamp, UserId};
use fetch::take_credentials;
use std::collections::{HashMap, HashSet};
use std::time::Duration;
use store::{NewImport, SecretKey, Store, SubscribedFeed, Wish};
use url::Url;

/// First polls of feeds that came together start this far apart (O1).
const STEP: Duration = Duration::from_millis(100);
const BATCH: usize = 100;
/// Sentences about addresses that could not be taken; a file of nonsense has thousands.
const REFUSED_MAX: usize = 20;

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Intake {
    /// None when nothing was new.
    pub import: Option<ImportId>,
    pub new: usize,
    pub known: usize,
    /// Beyond the bound on a person's subscriptions or on the file.
    pub left_out: usize,
    /// What the list had wrong, and why some of it was not taken.
    pub complaints: Vec<String>,
}

/// What is to be taken in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listed {
    pub subscriptions: Vec<NewSubscription>,
    /// Left out before, for want of room.
    pub left_out: usize,
    /// What the list itself had wrong, for people.
    pub complaints: Vec<String>,
}

impl From<parse::opml::Opml> for Listed {
    fn from(opml: parse::opml::Opml) -> Listed {
        Listed {
            subscriptions: opml.subscriptions,
            left_out: opml.left_out,
            complaints: opml.complaints.into_iter().map(|complaint| complaint.what).collect(),
        }
    }
}

/// Whoever takes in: where to, for whom, within what.
#[derive(Clone, Copy)]
pub struct Intaker<'a> {
    pub store: &'a Store,
    pub key: &'a SecretKey,
    pub limits: &'a Limits,
    pub user: UserId,
    pub now: Timestamp,
}

impl Intaker<'_> {
    /// `progress` is told how many are done so far, and of how many.
    pub async fn take(
        &self,
        name: &str,
        listed: Listed,
        mut progress: impl FnMut(usize, usize),
    ) -> store::Result<Intake> {
        let mut intake =
            Intake { left_out: listed.left_out, complaints: listed.complaints, ..Intake::default() };
        let mut refused = 0_usize;
        let followed = self.store.subscriptions(self.user).await?;
        let known: HashSet<&str> = followed.iter().map(|one| one.feed.url.as_str()).collect();
        let mut room = self.limits.subscriptions_max.saturating_sub(followed.len());
        let mut wishes = Vec::new();
        for subscription in listed.subscriptions {
            match wish(subscription, self.key) {
                Err(sentence) if refused < REFUSED_MAX => {
                    refused += 1;
                    intake.complaints.push(sentence);
                }
                Err(_) => {}
                // What is followed already needs no room, so that a file can be read again after a break.
                Ok(wish) if known.contains(wish.subscription.url.as_str()) => wishes.push(wish),
                Ok(wish) if room > 0 => {
                    room -= 1;
                    wishes.push(wish);
                }
                Ok(_) => intake.left_out = intake.left_out.saturating_add(1),
            }
        }
        let mut new = Vec::new();
        for (nth, batch) in wishes.chunks(BATCH).enumerate() {
            let offset = STEP.saturating_mul(u32::try_from(nth.saturating_mul(BATCH)).unwrap_or(u32::MAX));
            let start = self.now.saturating_add(offset);
            for subscribed in self.store.subscribe_many(self.user, batch, STEP, start).await? {
                if subscribed.was_subscribed {
                    intake.known = intake.known.saturating_add(1);
                } else {
                    new.push(subscribed.feed);
                }
            }
            progress(nth.saturating_mul(BATCH).saturating_add(batch.len()), wishes.len());
        }
        intake.new = new.len();
        if !new.is_empty() {
            let left_out = u64::try_from(intake.left_out).unwrap_or(u64::MAX);
            let import = NewImport { name, feeds: &new, left_out, complaints: &intake.complaints };
            intake.import = Some(self.store.add_import(self.user, &import, self.now).await?);
        }
        Ok(intake)
    }

    /// Leaves the feeds that an import brought, and the folders that are empty then. False for an unknown import.
    pub async fn take_back(&self, import: ImportId) -> store::Result<bool> {
        let Some(progress) = self.store.import(self.user, import).await? else { return Ok(false) };
        let gone: HashSet<FeedId> = progress.feeds.into_iter().collect();
        let mut folders = HashSet::new();
        for one in self.store.subscriptions(self.user).await? {
            if gone.contains(&one.feed.id) {
                folders.extend(one.subscription.folder);
                self.store.unsubscribe(self.user, one.feed.id, self.now).await?;
            }
        }
        self.drop_empty(folders).await?;
        self.store.forget_import(self.user, import).await
    }

    /// Removes those of the folders, and then of their parents, that hold nothing any more.
    async fn drop_empty(&self, mut folders: HashSet<FolderId>) -> store::Result<()> {
        for _ in 0..self.limits.opml_depth_max {
            let all = self.store.folders(self.user).await?;
            let used: HashSet<FolderId> = self
                .store
                .subscriptions(self.user)
                .await?
                .iter()
                .filter_map(|one| one.subscription.folder)
                .collect();
            let holds_folders: HashSet<FolderId> = all.iter().filter_map(|one| one.parent).collect();
            let empty: Vec<&Folder> = all
                .iter()
                .filter(|one| {
                    folders.contains(&one.id) && !used.contains(&one.id) && !holds_folders.contains(&one.id)
                })
                .collect();
            if empty.is_empty() {
                break;
            }
            for folder in empty {
                self.store.remove_folder(self.user, folder.id, self.now).await?;
                folders.extend(folder.parent);
            }
        }
        Ok(())
    }
}

/// A wish for the store: credentials are taken out of the address and sealed (E10).
fn wish(mut subscription: NewSubscription, key: &SecretKey) -> Result<Wish, String> {
    let mut url =
        Url::parse(&subscription.url).map_err(|_| format!("{:?} is not an address", subscription.url))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("{:?} cannot be followed: only http and https addresses can", subscription.url));
    }
    let sealed = match take_credentials(&mut url) {
        None => None,
        Some(secrets) => Some(key.seal(&secrets, url.as_str()).map_err(|error| error.to_string())?),
    };
    subscription.url = url.to_string();
    Ok(Wish { provider: fetch::provider(&url), private: sealed.is_some(), sealed, subscription })
}

/// A person's subscriptions as an OPML file, folders nested.
pub fn written(name: &str, subscribed: Vec<SubscribedFeed>, folders: Vec<Folder>, now: Timestamp) -> String {
    let folders: HashMap<FolderId, Folder> = folders.into_iter().map(|folder| (folder.id, folder)).collect();
    let subscriptions: Vec<NewSubscription> = subscribed
        .into_iter()
        .map(|SubscribedFeed { subscription, feed, .. }| NewSubscription {
            url: feed.url,
            title: subscription.title.or(feed.facts.title),
            site_url: feed.facts.site_url,
            folder: path(&folders, subscription.folder),
        })
        .collect();
    parse::opml::write_opml(&format!("{name}'s feeds"), &subscriptions, now)
}

/// Folder names from the outside in.
pub(crate) fn path(folders: &HashMap<FolderId, Folder>, mut at: Option<FolderId>) -> Vec<String> {
    let mut names = Vec::new();
    // A folder's parents are at most as many as there are folders, whatever the rows say.
    while let (Some(folder), true) = (at.and_then(|id| folders.get(&id)), names.len() <= folders.len()) {
        names.push(folder.name.clone());
        at = folder.parent;
    }
    names.reverse();
    names
}
