//! `POST /import-everything`.

use super::{FORMAT, Feed, Head, Item};
use crate::App;
use crate::intake::{Intaker, Listed, path};
use crate::problem::Problem;
use crate::settings::{Told, Wrong, page};
use crate::visitor::Visitor;
use crate::words::fill;
use axum::extract::{Multipart, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::{FeedId, Folder, FolderId, Identity, ItemId, NewSubscription, RuleOrder, RuleScope};
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::Arc;
use store::{Mark, Recognised, StoreError, SubscriptionEdit};

pub(crate) const IMPORT_BYTES_MAX: usize = 32 << 20;
/// Items looked up at a time.
const CHUNK: usize = 200;
const TAGS_MAX: usize = 50;
const SEARCHES_MAX: usize = 100;

#[derive(Debug, Deserialize)]
struct Everything {
    #[serde(flatten)]
    head: Head,
    #[serde(default)]
    items: Vec<Item>,
}

pub(crate) async fn bring_back(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    mut parts: Multipart,
) -> Result<Response, Problem> {
    let w = visitor.words;
    let mut bytes = None;
    while let Some(part) = parts.next_field().await.map_err(|_| Problem::bad_form())? {
        if part.name() == Some("file") {
            bytes = Some(part.bytes().await.map_err(|error| Problem::of_status(error.status()))?);
        }
    }
    let Some(bytes) = bytes else { return Err(Problem::bad_form()) };
    // Megabytes of JSON are no work for an async thread.
    let read = tokio::task::spawn_blocking(move || {
        serde_json::from_slice::<Everything>(&bytes).ok().filter(|all| all.head.format == FORMAT)
    });
    let Some(all) = read.await.map_err(|error| Problem::broken(&error))? else {
        let wrong = Wrong { import: Some(w.settings.import_bad.to_owned()), ..Wrong::default() };
        return page(&app, &visitor, &headers, StatusCode::UNPROCESSABLE_ENTITY, Told::wrong(wrong)).await;
    };
    let reader = Reader { app: &app, visitor: &visitor };
    let done = reader.take(all).await?;
    let rest =
        if done.waiting == 0 { String::new() } else { w.count(w.settings.import_waiting, done.waiting) };
    let said = fill(
        w.settings.imported,
        &[
            ("feeds", &w.number(done.feeds)),
            ("rules", &w.number(done.rules)),
            ("items", &w.number(done.items)),
            ("rest", &rest),
        ],
    );
    page(&app, &visitor, &headers, StatusCode::OK, Told::said(said)).await
}

#[derive(Debug, Default)]
struct Done {
    feeds: u64,
    rules: u64,
    items: u64,
    /// Items of the file that are not in the store.
    waiting: u64,
}

struct Reader<'a> {
    app: &'a App,
    visitor: &'a Visitor,
}

impl Reader<'_> {
    async fn take(&self, all: Everything) -> Result<Done, Problem> {
        let Everything { head, items } = all;
        let mut done = Done { feeds: self.feeds(&head).await?, ..Done::default() };
        self.app.store.set_preferences(self.visitor.id(), &head.preferences).await?;
        let ids = self.ids().await?;
        self.edit(&head, &ids).await?;
        done.rules = self.rules(&head, &ids).await?;
        self.searches(&head).await?;
        for chunk in items.chunks(CHUNK) {
            self.items(chunk, &ids, &mut done).await?;
        }
        self.app.errands.wake();
        Ok(done)
    }

    async fn feeds(&self, head: &Head) -> Result<u64, Problem> {
        let max = self.app.limits.opml_outlines_max;
        let wished: Vec<NewSubscription> = head
            .feeds
            .iter()
            .take(max)
            .map(|feed| NewSubscription {
                url: feed.url.clone(),
                title: feed.own_title.clone(),
                site_url: feed.site_url.clone(),
                folder: feed.folder.iter().take(self.app.limits.opml_depth_max).cloned().collect(),
            })
            .collect();
        let intaker = Intaker {
            store: &self.app.store,
            key: &self.app.key,
            limits: &self.app.limits,
            user: self.visitor.id(),
            now: self.visitor.now(),
        };
        let left_out = head.feeds.len().saturating_sub(max);
        let listed = Listed { subscriptions: wished, left_out, ..Listed::default() };
        let intake = intaker.take("wellread.json", listed, |_, _| {}).await?;
        Ok(u64::try_from(intake.new.saturating_add(intake.known)).unwrap_or(u64::MAX))
    }

    /// The person's own feeds by address; nobody else's can be reached from a file (A5).
    async fn ids(&self) -> Result<HashMap<String, FeedId>, Problem> {
        let feeds = self.app.store.subscriptions(self.visitor.id()).await?;
        Ok(feeds.into_iter().map(|one| (one.feed.url, one.feed.id)).collect())
    }

    async fn edit(&self, head: &Head, ids: &HashMap<String, FeedId>) -> Result<(), Problem> {
        let is_edited =
            |feed: &&Feed| feed.full_text || feed.important || feed.paused || feed.weight.is_some();
        for feed in head.feeds.iter().filter(is_edited) {
            if let Some(id) = ids.get(&feed.url) {
                let edit = SubscriptionEdit {
                    full_text: Some(feed.full_text),
                    important: Some(feed.important),
                    paused: Some(feed.paused),
                    weight: feed.weight.map(Some),
                    ..SubscriptionEdit::default()
                };
                self.app.store.edit_subscription(self.visitor.id(), *id, &edit).await?;
            }
        }
        Ok(())
    }

    /// Rules that are there already, that lead nowhere here or that could not be kept are passed over.
    async fn rules(&self, head: &Head, ids: &HashMap<String, FeedId>) -> Result<u64, Problem> {
        let user = self.visitor.id();
        let folders: HashMap<FolderId, Folder> =
            self.app.store.folders(user).await?.into_iter().map(|folder| (folder.id, folder)).collect();
        let by_path: HashMap<Vec<String>, FolderId> =
            folders.keys().map(|id| (path(&folders, Some(*id)), *id)).collect();
        let mut known: Vec<RuleOrder> =
            self.app.store.rules(user).await?.into_iter().map(|rule| rule.order).collect();
        let mut added = 0_u64;
        for rule in head.rules.iter().take(self.app.limits.rules_max) {
            let scope = match (&rule.feed, rule.folder.is_empty()) {
                (Some(url), _) => ids.get(url).map(|id| RuleScope::Feed(*id)),
                (None, true) => Some(RuleScope::Everything),
                (None, false) => by_path.get(&rule.folder).map(|id| RuleScope::Folder(*id)),
            };
            let Some(scope) = scope else { continue };
            let order = RuleOrder { scope, conditions: rule.conditions.clone(), action: rule.action.clone() };
            if known.contains(&order) || !self.may_keep(order.clone()).await? {
                continue;
            }
            match self.app.store.add_rule(user, &order, self.visitor.now()).await {
                Ok(id) if !rule.enabled => self.app.store.enable_rule(user, id, false).await?,
                Ok(_) => {}
                Err(StoreError::Conflict { .. }) => break,
                Err(error) => return Err(error.into()),
            }
            known.push(order);
            added = added.saturating_add(1);
        }
        Ok(added)
    }

    /// Searches that are there already are passed over, and so is what there is no room for.
    async fn searches(&self, head: &Head) -> Result<(), Problem> {
        let (store, user) = (&self.app.store, self.visitor.id());
        let known = store.saved_searches(user).await?;
        let newest = store.newest_item().await?;
        let is_new = |one: &&super::Search| {
            !known.iter().any(|known| known.name == one.name && known.query == one.query)
        };
        for one in head.searches.iter().filter(is_new).take(SEARCHES_MAX) {
            match store.add_saved_search(user, &one.name, &one.query, newest, self.visitor.now()).await {
                Ok(_) => {}
                Err(StoreError::Conflict { .. }) => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Compiling is work, so not on an async thread (O2).
    async fn may_keep(&self, order: RuleOrder) -> Result<bool, Problem> {
        let limits = self.app.limits.clone();
        tokio::task::spawn_blocking(move || rules::check(&order, &limits).is_ok())
            .await
            .map_err(|error| Problem::broken(&error))
    }

    async fn items(
        &self,
        items: &[Item],
        ids: &HashMap<String, FeedId>,
        done: &mut Done,
    ) -> Result<(), Problem> {
        let mut by_feed: HashMap<FeedId, Vec<(Identity, &Item)>> = HashMap::new();
        for item in items {
            match (ids.get(&item.feed), u128::from_str_radix(&item.identity, 16)) {
                (Some(feed), Ok(identity)) => {
                    by_feed.entry(*feed).or_default().push((Identity(identity), item));
                }
                _ => done.waiting = done.waiting.saturating_add(1),
            }
        }
        let mut marks: Vec<(Mark, Vec<ItemId>)> = Vec::new();
        for (feed, named) in by_feed {
            let seen: Vec<_> = named.iter().map(|(identity, _)| (*identity, None, 0)).collect();
            for (found, (_, item)) in self.app.store.recognise(feed, &seen).await?.into_iter().zip(named) {
                match found {
                    Recognised::Known { item: id, .. } | Recognised::Twin { item: id, .. } => {
                        done.items = done.items.saturating_add(1);
                        wanted(item, id, &mut marks);
                    }
                    Recognised::New | Recognised::Tombstone => done.waiting = done.waiting.saturating_add(1),
                }
            }
        }
        for (mark, ids) in marks {
            self.app.store.mark(self.visitor.id(), &ids, &mark, self.visitor.now()).await?;
        }
        Ok(())
    }
}

fn wanted(item: &Item, id: ItemId, marks: &mut Vec<(Mark, Vec<ItemId>)>) {
    let mut add = |mark: Mark| match marks.iter_mut().find(|(known, _)| *known == mark) {
        Some((_, ids)) => ids.push(id),
        None => marks.push((mark, vec![id])),
    };
    if item.starred {
        add(Mark::Star);
    }
    if item.read {
        add(Mark::Read);
    }
    for tag in item.tags.iter().map(|tag| tag.trim()).filter(|tag| !tag.is_empty()).take(TAGS_MAX) {
        add(Mark::Tag(tag.to_owned()));
    }
}
