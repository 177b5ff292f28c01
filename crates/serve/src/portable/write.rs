//! `GET /export.json`.

use super::{FORMAT, Feed, Head, Item, Rule, Search, Shared};
use crate::App;
use crate::foryou::ForYou;
use crate::intake;
use crate::problem::Problem;
use crate::shell::Library;
use crate::visitor::Visitor;
use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use domain::{Folder, FolderId, ItemId, RuleScope, UserId};
use futures_util::stream;
use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;
use store::{Cursor, ListQuery, ListRow, Order, Scope, Store};

/// Rows read at a time; bodies one by one.
const PAGE: u32 = 100;
/// So many pages of what is shared, at most.
const SHARED_PAGES: usize = 11;
/// Pieces that may wait for a slow reader.
const PIECES: usize = 8;

/// The name is ours: nothing a person wrote becomes a path on a disk (O5).
const FILE_NAME: &str = "attachment; filename=\"wellread.json\"";

pub(crate) async fn export(
    State(app): State<Arc<App>>,
    Extension(foryou): Extension<Arc<ForYou>>,
    visitor: Visitor,
) -> Result<Response, Problem> {
    let library = Library::load(&app, &visitor).await?;
    let head = head(&app, &foryou, &visitor, &library).await?;
    let mut text = serde_json::to_string(&head).map_err(|error| Problem::broken(&error))?;
    // The items go inside the object that was just closed.
    text.pop();
    text.push_str(",\"items\":[");
    let urls = library.feeds.iter().map(|(id, one)| (*id, one.feed.url.clone())).collect();
    let (pieces, received) = tokio::sync::mpsc::channel::<io::Result<Bytes>>(PIECES);
    let writer =
        Writer { store: app.store.clone(), user: visitor.id(), urls, pieces, written: HashSet::new() };
    tokio::spawn(writer.run(text));
    let body = stream::unfold(received, |mut received| async move {
        received.recv().await.map(|piece| (piece, received))
    });
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (header::CONTENT_DISPOSITION, HeaderValue::from_static(FILE_NAME)),
    ];
    Ok((headers, Body::from_stream(body)).into_response())
}

async fn head(app: &App, foryou: &ForYou, visitor: &Visitor, library: &Library) -> Result<Head, Problem> {
    let folders: HashMap<FolderId, Folder> =
        library.folders.iter().map(|folder| (folder.id, folder.clone())).collect();
    let mut feeds: Vec<Feed> = library
        .feeds
        .values()
        .map(|one| Feed {
            url: one.feed.url.clone(),
            title: one.feed.facts.title.clone(),
            own_title: one.subscription.title.clone(),
            site_url: one.feed.facts.site_url.clone(),
            folder: intake::path(&folders, one.subscription.folder),
            full_text: one.subscription.full_text,
            important: one.subscription.important,
            paused: one.subscription.paused,
            weight: one.subscription.weight,
            had_secret: one.feed.private_to.is_some(),
        })
        .collect();
    feeds.sort_by(|a, b| a.url.cmp(&b.url));
    let rule = |rule: domain::Rule| Rule {
        feed: match rule.order.scope {
            RuleScope::Feed(feed) => {
                Some(library.feeds.get(&feed).map(|one| one.feed.url.clone()).unwrap_or_default())
            }
            _ => None,
        },
        folder: match rule.order.scope {
            RuleScope::Folder(folder) => intake::path(&folders, Some(folder)),
            _ => Vec::new(),
        },
        conditions: rule.order.conditions,
        action: rule.order.action,
        enabled: rule.enabled,
    };
    let searches = app.store.saved_searches(visitor.id()).await?;
    Ok(Head {
        format: FORMAT.to_owned(),
        exported_at: visitor.now().to_string(),
        name: visitor.account.user.name.clone(),
        preferences: visitor.likes().clone(),
        feeds,
        rules: app.store.rules(visitor.id()).await?.into_iter().map(rule).collect(),
        searches: searches.into_iter().map(|one| Search { name: one.name, query: one.query }).collect(),
        learned: crate::foryou::learned::told(app, foryou, visitor, library).await?,
        shared: shared(app, visitor).await?,
    })
}

/// All that is shared; the store keeps no more than [`SHARED_PAGES`] pages of it.
async fn shared(app: &App, visitor: &Visitor) -> Result<Vec<Shared>, Problem> {
    let (mut all, mut before) = (Vec::new(), domain::Timestamp::from_micros(i64::MAX));
    for _ in 0..SHARED_PAGES {
        let page = app.store.own_shares(visitor.id(), before, PAGE).await?;
        let Some(last) = page.last() else { break };
        before = last.shared_at;
        all.extend(page.into_iter().map(|one| Shared {
            title: one.title,
            link: one.link,
            note: one.note,
            shared_at: one.shared_at.to_string(),
        }));
    }
    Ok(all)
}

struct Writer {
    store: Store,
    user: UserId,
    urls: HashMap<domain::FeedId, String>,
    pieces: tokio::sync::mpsc::Sender<io::Result<Bytes>>,
    /// An item that is starred and tagged is written once.
    written: HashSet<ItemId>,
}

impl Writer {
    async fn run(mut self, head: String) {
        if self.pieces.send(Ok(head.into())).await.is_err() {
            return;
        }
        let ended = match self.items().await {
            Ok(()) => Ok(Bytes::from_static(b"]}\n")),
            Err(error) => {
                tracing::error!(%error, "writing an export");
                // The connection breaks off, so that half a file is not taken for a whole one.
                Err(io::Error::other("the export broke off"))
            }
        };
        // Nobody listens any more: nothing to do about it.
        let _ = self.pieces.send(ended).await;
    }

    async fn items(&mut self) -> store::Result<()> {
        let tags = self.store.tags(self.user).await?;
        let scopes = std::iter::once(Scope::Starred).chain(tags.into_iter().map(|tag| Scope::Tag(tag.tag)));
        for scope in scopes {
            let mut after = None;
            loop {
                let query = ListQuery {
                    scope: scope.clone(),
                    unread_only: false,
                    order: Order::NewestFirst,
                    limit: PAGE,
                    after,
                };
                let rows = self.store.list(self.user, &query).await?;
                for row in &rows {
                    if !self.item(row).await? {
                        return Ok(());
                    }
                }
                let Some(last) = rows.last().filter(|_| rows.len() >= PAGE as usize) else { break };
                after = Some(Cursor { sort_at: last.item.sort_at, id: last.item.id });
            }
        }
        Ok(())
    }

    /// False when nobody listens any more.
    async fn item(&mut self, row: &ListRow) -> store::Result<bool> {
        if !self.written.insert(row.item.id) {
            return Ok(true);
        }
        let Some(open) = self.store.item(self.user, row.item.id).await? else { return Ok(true) };
        let feed = match self.urls.get(&row.item.feed) {
            Some(url) => url.clone(),
            // Kept from a feed the person has left.
            None => self.store.feed(row.item.feed).await?.map(|feed| feed.url).unwrap_or_default(),
        };
        let item = Item {
            feed,
            identity: row.item.identity.to_string(),
            title: row.item.title.clone(),
            link: row.item.link.clone(),
            author: row.item.author.clone(),
            published_at: row.item.published_at.map(|at| at.to_string()),
            starred: row.is_starred,
            read: row.is_read,
            tags: open.tags,
            html: open.body.content.or(open.body.summary),
        };
        let comma = if self.written.len() > 1 { ",\n" } else { "\n" };
        // A value of plain strings and numbers always serialises.
        let text = serde_json::to_string(&item).unwrap_or_default();
        Ok(self.pieces.send(Ok(format!("{comma}{text}").into())).await.is_ok())
    }
}
