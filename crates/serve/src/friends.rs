//! `/friends`: what friends share, who they are, and the feed of what one shares oneself.
//!
//! Asking somebody answers the same whether there is such a person or not (A10), and so does everything here for
//! numbers that are not one's own (A5). What is left out: items of private feeds, which the store never shares (A6).

use crate::App;
use crate::client::Client;
use crate::item::is_web;
use crate::own_path::OwnPath;
use crate::page::render;
use crate::problem::Problem;
use crate::said;
use crate::shell::{Here, Library, Shell};
use crate::visitor::{self, Speaks, Visitor, wants_json};
use crate::when::When;
use crate::words::{Words, fill};
use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Form, Json};
use domain::{ItemId, Secret, Timestamp, UserId};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use store::{SharedItem, StoreError};

/// Items of a page, and of the feed.
const ROWS: u32 = 50;
/// One's own on the page, beside.
const OWN_ROWS: u32 = 20;
const BEYOND: Timestamp = Timestamp::from_micros(i64::MAX);
/// A token in hexadecimal digits; whatever is longer is none.
const SECRET_CHARS_MAX: usize = 128;

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Asked {
    #[serde(default)]
    said: String,
    /// Only what was shared before, in microseconds.
    before: Option<i64>,
}

/// What a form came to, beside the page itself.
#[derive(Default)]
struct Told {
    said: Option<&'static str>,
    wrong: Option<&'static str>,
    /// A new address, shown once.
    address: Option<String>,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let f = &visitor.words.friends;
    let said = match asked.said.as_str() {
        "asked" => Some(f.said_asked),
        "agreed" => Some(f.said_agreed),
        "refused" => Some(f.said_refused),
        "taken-back" => Some(f.said_taken_back),
        "left" => Some(f.said_left),
        "removed" => Some(f.said_removed),
        "shared" => Some(f.shared_toast),
        "withdrawn" => Some(f.withdrawn_toast),
        "address-gone" => Some(f.said_address_gone),
        _ => None,
    };
    let before = asked.before.map_or(BEYOND, Timestamp::from_micros);
    page(&app, &visitor, &headers, StatusCode::OK, before, Told { said, ..Told::default() }).await
}

#[derive(Debug, Deserialize)]
pub(crate) struct Name {
    #[serde(default)]
    name: String,
}

pub(crate) async fn ask(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Form(form): Form<Name>,
) -> Result<Response, Problem> {
    let (f, name) = (&visitor.words.friends, form.name.trim());
    let wrong = if name.is_empty() {
        f.no_name
    } else if name == visitor.account.user.name {
        f.own_name
    } else {
        match app.store.ask_to_follow(visitor.id(), name, visitor.now()).await {
            Ok(()) => return Ok(back(&app, "asked")),
            Err(StoreError::Conflict { .. }) => f.too_many,
            Err(error) => return Err(error.into()),
        }
    };
    refused(&app, &visitor, &headers, wrong).await
}

pub(crate) async fn agree(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Path(id): Path<i64>,
) -> Result<Response, Problem> {
    match app.store.answer_request(visitor.id(), id, true, visitor.now()).await {
        Ok(()) => Ok(back(&app, "agreed")),
        Err(StoreError::Conflict { .. }) => {
            refused(&app, &visitor, &headers, visitor.words.friends.full).await
        }
        Err(error) => Err(error.into()),
    }
}

pub(crate) async fn refuse(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Path(id): Path<i64>,
) -> Result<Response, Problem> {
    app.store.answer_request(visitor.id(), id, false, visitor.now()).await?;
    Ok(back(&app, "refused"))
}

pub(crate) async fn take_back(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Path(id): Path<i64>,
) -> Result<Response, Problem> {
    app.store.take_request_back(visitor.id(), id).await?;
    Ok(back(&app, "taken-back"))
}

pub(crate) async fn leave(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Path(id): Path<i64>,
) -> Result<Response, Problem> {
    app.store.leave_friend(visitor.id(), UserId(id)).await?;
    Ok(back(&app, "left"))
}

pub(crate) async fn remove(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Path(id): Path<i64>,
) -> Result<Response, Problem> {
    app.store.remove_follower(visitor.id(), UserId(id)).await?;
    Ok(back(&app, "removed"))
}

#[derive(Debug, Deserialize)]
pub(crate) struct Note {
    #[serde(default)]
    note: String,
}

/// Shares an item, or changes its note.
pub(crate) async fn share(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Path(id): Path<i64>,
    headers: HeaderMap,
    Form(form): Form<Note>,
) -> Result<Response, Problem> {
    match app.store.share(visitor.id(), ItemId(id), &form.note, visitor.now()).await {
        Ok(()) if wants_json(&headers) => Ok(Json(serde_json::json!({ "ok": true })).into_response()),
        Ok(()) => Ok(back(&app, "shared")),
        Err(StoreError::Conflict { .. }) if wants_json(&headers) => {
            Ok(said::refused(serde_json::json!({ "error": visitor.words.friends.never })))
        }
        Err(StoreError::Conflict { .. }) => {
            refused(&app, &visitor, &headers, visitor.words.friends.never).await
        }
        Err(error) => Err(error.into()),
    }
}

pub(crate) async fn withdraw(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Path(id): Path<i64>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    app.store.withdraw_share(visitor.id(), ItemId(id), visitor.now()).await?;
    if wants_json(&headers) {
        return Ok(Json(serde_json::json!({ "ok": true })).into_response());
    }
    Ok(back(&app, "withdrawn"))
}

/// Shows the new address in the answer and keeps only the hash of its secret.
pub(crate) async fn make_address(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    client: Client,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let secret = visitor::new_token();
    app.store.set_share_address(visitor.id(), visitor::hash(&secret), visitor.now()).await?;
    let address = format!("{}/shared/{}", origin(&app, &client, &headers), secret.reveal());
    let told = Told { address: Some(address), ..Told::default() };
    page(&app, &visitor, &headers, StatusCode::OK, BEYOND, told).await
}

pub(crate) async fn drop_address(State(app): State<Arc<App>>, visitor: Visitor) -> Result<Response, Problem> {
    if !app.store.drop_share_address(visitor.id()).await? {
        return Err(Problem::not_found());
    }
    Ok(back(&app, "address-gone"))
}

/// What somebody shares, as Atom, for whoever has the secret of its address.
pub(crate) async fn feed(
    State(app): State<Arc<App>>,
    Speaks(w): Speaks,
    client: Client,
    headers: HeaderMap,
    Path(secret): Path<String>,
) -> Result<Response, Problem> {
    let secret = Some(secret).filter(|secret| secret.len() <= SECRET_CHARS_MAX).map(Secret::new);
    let secret = secret.ok_or_else(Problem::not_found)?;
    let found = app.store.shared_at_address(visitor::hash(&secret), ROWS).await?;
    let (user, shared) = found.ok_or_else(Problem::not_found)?;
    let made = SharedFeed {
        title: plain(&fill(w.friends.feed_title, &[("name", &user.name)])),
        author: plain(&user.name),
        // The same after the address was renewed: readers know the items again.
        id: format!("urn:wellread:shared:{}", user.id),
        address: format!("{}/shared/{}", origin(&app, &client, &headers), secret.reveal()),
        updated: shared.iter().map(|one| one.shared_at).max().unwrap_or(user.created_at).to_string(),
        entries: shared.iter().map(|one| entry(user.id, one, w)).collect(),
    };
    let text = made.render().map_err(|error| Problem::broken(&error))?;
    let tag: String =
        Sha256::digest(text.as_bytes()).iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    let tag = HeaderValue::from_str(&format!("\"{tag}\"")).map_err(|error| Problem::broken(&error))?;
    let known = headers.get(header::IF_NONE_MATCH) == Some(&tag);
    let kind = HeaderValue::from_static("application/atom+xml; charset=utf-8");
    let robots = (header::HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex"));
    if known {
        return Ok((StatusCode::NOT_MODIFIED, [(header::ETAG, tag), robots]).into_response());
    }
    Ok((StatusCode::OK, [(header::CONTENT_TYPE, kind), (header::ETAG, tag), robots], text).into_response())
}

fn entry(user: UserId, one: &SharedItem, w: &'static Words) -> Entry {
    Entry {
        id: format!("urn:wellread:shared:{user}:{}", one.item),
        title: plain(&title(one.title.as_deref(), one.excerpt.as_deref(), w)),
        link: one.link.as_deref().filter(|link| is_web(link)).map(plain),
        updated: one.shared_at.to_string(),
        note: plain(&one.note),
        excerpt: plain(one.excerpt.as_deref().unwrap_or_default()),
        source: plain(&one.feed_title),
    }
}

/// What XML can hold.
fn plain(text: &str) -> String {
    let can_be = |letter: &char| match letter {
        '\t' | '\n' | '\r' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        letter => !letter.is_control(),
    };
    text.chars().filter(can_be).collect()
}

fn origin(app: &App, client: &Client, headers: &HeaderMap) -> String {
    let scheme = if client.is_https { "https" } else { "http" };
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    format!("{scheme}://{host}{}", app.base_path)
}

/// An item's title, or the beginning of its text.
pub(crate) fn title(title: Option<&str>, excerpt: Option<&str>, w: &'static Words) -> String {
    const CHARS: usize = 120;
    let own = title.filter(|title| !title.trim().is_empty()).map(str::to_owned);
    let excerpt = || excerpt.map(|text| text.chars().take(CHARS).collect::<String>());
    own.or_else(excerpt).filter(|title| !title.is_empty()).unwrap_or_else(|| w.list.untitled.to_owned())
}

fn back(app: &App, said: &str) -> Response {
    OwnPath::parse(&app.base_path, &format!("/friends?said={said}")).redirect()
}

async fn refused(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    wrong: &'static str,
) -> Result<Response, Problem> {
    let told = Told { wrong: Some(wrong), ..Told::default() };
    page(app, visitor, headers, StatusCode::UNPROCESSABLE_ENTITY, BEYOND, told).await
}

/// Something shared, as the page shows it.
struct Row {
    item: ItemId,
    by: String,
    is_own: bool,
    title: String,
    /// In this reader, for who follows the feed.
    href: Option<String>,
    link: Option<String>,
    source: String,
    excerpt: Option<String>,
    note: String,
    when: When,
    withdraw_label: String,
}

/// Somebody, with what can be done about them.
struct Person {
    id: i64,
    name: String,
    /// What each of the two buttons does, by name.
    labels: (String, String),
    when: When,
}

async fn page(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    status: StatusCode,
    before: Timestamp,
    told: Told,
) -> Result<Response, Problem> {
    let (w, f) = (visitor.words, &visitor.words.friends);
    let library = Library::load(app, visitor).await?;
    let shell = Shell::load(app, visitor, headers, &library, Here::Friends).await?;
    let friends = app.store.friends(visitor.id(), visitor.now()).await?;
    let shared = app.store.shared_by_friends(visitor.id(), before, ROWS).await?;
    let own = app.store.own_shares(visitor.id(), BEYOND, OWN_ROWS).await?;
    let made = app.store.share_address(visitor.id()).await?;
    let row = |one: &SharedItem| {
        let title = title(one.title.as_deref(), one.excerpt.as_deref(), w);
        let is_own = one.by == visitor.id();
        Row {
            item: one.item,
            by: if is_own { f.by_you.to_owned() } else { fill(f.by, &[("name", &one.by_name)]) },
            is_own,
            href: one.is_followed.then(|| format!("{}/feed/{}?item={}", app.base_path, one.feed, one.item)),
            link: one.link.clone().filter(|link| is_web(link)),
            source: library.name(one.feed).unwrap_or_else(|| one.feed_title.clone()),
            excerpt: one.excerpt.clone(),
            note: one.note.clone(),
            when: visitor.clock.ago(one.shared_at),
            withdraw_label: fill(f.withdraw_label, &[("title", &title)]),
            title,
        }
    };
    let named = |text: &'static str, name: &str| fill(text, &[("name", &name)]);
    let friend = |one: &store::Friend, label: &'static str| Person {
        id: one.user.0,
        name: one.name.clone(),
        labels: (named(label, &one.name), String::new()),
        when: visitor.clock.ago(one.since),
    };
    let request = |one: &store::FriendRequest, labels: (&'static str, &'static str)| Person {
        id: one.id,
        name: one.name.clone(),
        labels: (named(labels.0, &one.name), named(labels.1, &one.name)),
        when: visitor.clock.ago(one.asked_at),
    };
    let older = shared
        .last()
        .filter(|_| shared.len() == ROWS as usize)
        .map(|last| format!("{}/friends?before={}", app.base_path, last.shared_at.micros()));
    let page = FriendsPage {
        shell: &shell,
        w,
        rows: shared.iter().map(row).collect(),
        own: own.iter().map(row).collect(),
        older,
        waiting: friends.waiting.iter().map(|one| request(one, (f.agree_label, f.refuse_label))).collect(),
        asked: friends.asked.iter().map(|one| request(one, (f.take_back_label, ""))).collect(),
        follows: friends.follows.iter().map(|one| friend(one, f.leave_label)).collect(),
        followers: friends.followers.iter().map(|one| friend(one, f.remove_label)).collect(),
        address_made: made.map(|made| fill(f.address_made, &[("when", &visitor.clock.full(made))])),
        told,
    };
    Ok(render(status, &page))
}

#[derive(Template)]
#[template(path = "friends.html")]
struct FriendsPage<'a> {
    shell: &'a Shell,
    w: &'static Words,
    rows: Vec<Row>,
    own: Vec<Row>,
    older: Option<String>,
    waiting: Vec<Person>,
    asked: Vec<Person>,
    follows: Vec<Person>,
    followers: Vec<Person>,
    address_made: Option<String>,
    told: Told,
}

struct Entry {
    id: String,
    title: String,
    link: Option<String>,
    updated: String,
    note: String,
    excerpt: String,
    source: String,
}

#[derive(Template)]
#[template(path = "shared.xml")]
struct SharedFeed {
    title: String,
    author: String,
    id: String,
    address: String,
    updated: String,
    entries: Vec<Entry>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xml_gets_nothing_it_cannot_hold() {
        assert_eq!(plain("a\u{0}b\u{b}\tc\u{ffff}\u{1f}d\n"), "ab\tcd\n");
    }

    #[test]
    fn an_item_without_a_title_is_named_by_its_text() {
        let w = Words::of(domain::preferences::Language::English);
        assert_eq!(title(Some("  "), Some("Tides rise."), w), "Tides rise.");
        assert_eq!(title(Some("Tides"), None, w), "Tides");
        assert_eq!(title(None, None, w), w.list.untitled);
    }
}
