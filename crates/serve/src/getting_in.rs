//! Getting feeds in: the first-run page, and the same three ways (bring, add, start from a pack) at any later time.
//!
//! Finding feeds at an address changes nothing here, so it may be a GET; the working side remembers what it saw for a
//! few minutes, so that finding, choosing and following cost a publisher one request each at most.

use crate::App;
use crate::client::Client;
use crate::errands::{Candidate, NotFound};
use crate::import::ImportView;
use crate::intake::{self, Listed};
use crate::own_path::OwnPath;
use crate::packs::{PACKS, Pack};
use crate::page::{Frame, render};
use crate::problem::Problem;
use crate::said::{Notice, Said, SaidQuery, Saying, Undo, refused};
use crate::shell::{Here, Library, Shell};
use crate::visitor::{Visitor, wants_json};
use crate::words::{Words, fill};
use askama::Template;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Form, Json};
use domain::FolderId;
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use store::StoreError;

/// Longer is no address.
const ADDRESS_CHARS_MAX: usize = 2_048;
const FOLDER_CHARS_MAX: usize = 200;

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Asked {
    /// What to look at.
    url: Option<String>,
    /// What a phone shares, with an address somewhere in it.
    text: Option<String>,
}

impl Asked {
    fn address(&self) -> Option<String> {
        let given = self.url.as_deref().filter(|url| !url.trim().is_empty()).or_else(|| {
            self.text.as_deref()?.split_whitespace().find(|word| {
                let word = word.to_ascii_lowercase();
                word.starts_with("http://") || word.starts_with("https://")
            })
        })?;
        Some(given.trim().chars().take(ADDRESS_CHARS_MAX).collect())
    }
}

/// The page of the first five minutes, without a rail.
pub(crate) async fn welcome(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Query(asked): Query<Asked>,
    Query(said): Query<SaidQuery>,
) -> Result<Response, Problem> {
    let page = Page::load(&app, &visitor, &headers, "/welcome", &asked, &said).await?;
    let w = visitor.words;
    let title = fill(w.getting_in.welcome, &[("name", &visitor.account.user.name)]);
    let template = WelcomePage {
        shell: &page.shell,
        frame: &page.shell.frame,
        w,
        title,
        ways: &page.ways,
        import: &page.import,
        notice: &page.notice,
    };
    Ok(render(StatusCode::OK, &template))
}

/// The same with the rail, for every day.
pub(crate) async fn subscribe(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    client: Client,
    headers: HeaderMap,
    Query(asked): Query<Asked>,
    Query(said): Query<SaidQuery>,
) -> Result<Response, Problem> {
    let page = Page::load(&app, &visitor, &headers, "/subscribe", &asked, &said).await?;
    Ok(page.subscribe(&app, &visitor, &client, &headers, StatusCode::OK))
}

/// What is found at an address, alone, for scripts.
pub(crate) async fn candidates(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let library = Library::load(&app, &visitor).await?;
    let found = match asked.address() {
        None => Found::default(),
        Some(address) => Found::look(&app, &visitor, &library, &address).await,
    };
    Ok(render(StatusCode::OK, &CandidatesPart { w: visitor.words, found: &found }))
}

#[derive(Debug, Deserialize)]
pub(crate) struct Wanted {
    url: String,
    /// A folder's number, or empty.
    #[serde(default)]
    folder: String,
    /// The name of a folder to make.
    #[serde(default)]
    new_folder: String,
    #[serde(default)]
    back: String,
}

/// Follows a feed.
pub(crate) async fn follow(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    client: Client,
    headers: HeaderMap,
    Form(wanted): Form<Wanted>,
) -> Result<Response, Problem> {
    let library = Library::load(&app, &visitor).await?;
    let folder = folder_path(&library, &wanted)?;
    let address: String = wanted.url.trim().chars().take(ADDRESS_CHARS_MAX).collect();
    let from = if wanted.back.starts_with("/welcome") { "/welcome" } else { "/subscribe" };
    match app.errands.follow(visitor.id(), &address, folder).await {
        Ok(followed) => {
            let saying = if followed.was_subscribed { Saying::FollowedAlready } else { Saying::Followed };
            let mut said = Said::new(saying);
            said.n = u64::try_from(followed.feed.0).unwrap_or(0);
            if !followed.was_subscribed {
                said = said.with(Undo::Leave(followed.feed));
            }
            if wants_json(&headers) {
                let name = app.store.subscription(visitor.id(), followed.feed).await?;
                let name = name.map(|one| crate::shell::name_of(&one).to_owned()).unwrap_or_default();
                let body = serde_json::json!({
                    "ok": true, "feed": followed.feed, "name": name, "was_subscribed": followed.was_subscribed,
                    "undo": said.undo.as_ref().map(Undo::to_string),
                });
                return Ok(Json(body).into_response());
            }
            Ok(said.answer(&app, &visitor, &headers, from))
        }
        Err(NotFound::Several(found)) => {
            if wants_json(&headers) {
                let body = serde_json::json!({ "ok": false, "candidates": found.iter().map(|one| &one.url).collect::<Vec<_>>() });
                return Ok(refused(body));
            }
            let encoded: String = url::form_urlencoded::byte_serialize(address.as_bytes()).collect();
            Ok(OwnPath::parse(&app.base_path, &format!("{from}?url={encoded}")).redirect())
        }
        Err(NotFound::Because(sentence)) => {
            let sentence = visitor.words.told(&sentence);
            if wants_json(&headers) {
                let body = serde_json::json!({ "ok": false, "error": sentence });
                return Ok(refused(body));
            }
            let none = (Asked::default(), SaidQuery::default());
            let mut page = Page::load(&app, &visitor, &headers, from, &none.0, &none.1).await?;
            page.ways.address = address;
            page.ways.found.sentence = Some(sentence);
            Ok(page.subscribe(&app, &visitor, &client, &headers, StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct WantedPack {
    pack: String,
    #[serde(default)]
    back: String,
}

/// Follows everything in a pack.
pub(crate) async fn add_pack(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Form(wanted): Form<WantedPack>,
) -> Result<Response, Problem> {
    let pack = Pack::find(&wanted.pack).ok_or_else(Problem::bad_form)?;
    let w = visitor.words;
    let taker = crate::import::taker(&app, &visitor);
    let listed = Listed { subscriptions: pack.subscriptions(w), ..Listed::default() };
    let intake = taker.take(pack.name(w), listed, |_, _| {}).await?;
    app.errands.wake();
    crate::import::arrived(&app, &visitor, &headers, &wanted.back, &intake)
}

/// The folder's names from the outside in. Somebody else's folder is like none at all (A5).
fn folder_path(library: &Library, wanted: &Wanted) -> Result<Vec<String>, Problem> {
    let name: String = wanted.new_folder.trim().chars().take(FOLDER_CHARS_MAX).collect();
    if !name.is_empty() {
        return Ok(vec![name]);
    }
    if wanted.folder.is_empty() || wanted.folder == "0" {
        return Ok(Vec::new());
    }
    let id = FolderId(wanted.folder.parse().map_err(|_| Problem::bad_form())?);
    library.folder(id).ok_or_else(Problem::not_found)?;
    let folders: HashMap<FolderId, domain::Folder> =
        library.folders.iter().map(|folder| (folder.id, folder.clone())).collect();
    Ok(intake::path(&folders, Some(id)))
}

/// Everything both pages show.
struct Page {
    shell: Shell,
    ways: Ways,
    import: Option<ImportView>,
    notice: Option<Notice>,
}

impl Page {
    async fn load(
        app: &App,
        visitor: &Visitor,
        headers: &HeaderMap,
        here: &'static str,
        asked: &Asked,
        said: &SaidQuery,
    ) -> Result<Page, Problem> {
        let library = Library::load(app, visitor).await?;
        let shell = Shell::load(app, visitor, headers, &library, Here::Elsewhere).await?;
        let import = match app.store.newest_import(visitor.id()).await? {
            Some(id) => ImportView::load(app, visitor, &library, id, here).await?,
            None => None,
        };
        let address = asked.address();
        let found = match &address {
            None => Found::default(),
            Some(address) => Found::look(app, visitor, &library, address).await,
        };
        let notice = said.notice(visitor, here, |feed| library.name(feed));
        let ways = Ways {
            here,
            address: address.unwrap_or_default(),
            found,
            folders: folder_choices(&library),
            packs: packs(&library, visitor.words),
            opml_bytes_max: app.limits.opml_bytes_max,
            has_feeds: !library.feeds.is_empty(),
        };
        Ok(Page { shell, ways, import, notice })
    }

    fn subscribe(
        &self,
        app: &App,
        visitor: &Visitor,
        client: &Client,
        headers: &HeaderMap,
        status: StatusCode,
    ) -> Response {
        let subscribe_at = format!("{}{}/subscribe?url=", origin(client, headers), app.base_path);
        let template = SubscribePage {
            shell: &self.shell,
            frame: &self.shell.frame,
            w: visitor.words,
            bookmarklet: format!(
                "javascript:location.href='{subscribe_at}'+encodeURIComponent(location.href)"
            ),
            subscribe_at,
            ways: &self.ways,
            import: &self.import,
            notice: &self.notice,
        };
        render(status, &template)
    }
}

/// Where the person's browser finds us: what it asked for, so that a bookmark leads back here.
fn origin(client: &Client, headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    // It becomes part of a script that the person keeps; only what a host may hold goes in.
    let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
    let host = if host.chars().all(is_host) { host } else { "localhost" };
    format!("{}://{host}", if client.is_https { "https" } else { "http" })
}

/// The three columns.
struct Ways {
    /// The page they stand on.
    here: &'static str,
    address: String,
    found: Found,
    folders: Vec<FolderChoice>,
    packs: Vec<PackRow>,
    opml_bytes_max: usize,
    has_feeds: bool,
}

/// What an address led to.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) rows: Vec<CandidateRow>,
    /// Why there is nothing.
    pub(crate) sentence: Option<String>,
}

#[derive(Debug)]
pub(crate) struct CandidateRow {
    pub(crate) url: String,
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) is_followed: bool,
    pub(crate) label: String,
}

impl Found {
    pub(crate) async fn look(app: &App, visitor: &Visitor, library: &Library, address: &str) -> Found {
        match app.errands.find(address).await {
            Ok(found) | Err(NotFound::Several(found)) => {
                let followed: HashSet<&str> =
                    library.feeds.values().map(|one| one.feed.url.as_str()).collect();
                let rows = found.into_iter().take(50).map(|one| row(one, &followed, visitor.words)).collect();
                Found { rows, sentence: None }
            }
            Err(NotFound::Because(sentence)) => {
                Found { rows: Vec::new(), sentence: Some(visitor.words.told(&sentence)) }
            }
        }
    }
}

fn row(one: Candidate, followed: &HashSet<&str>, w: &'static Words) -> CandidateRow {
    let g = &w.getting_in;
    let kind = match one.kind.as_str() {
        "linked" => g.kind_linked,
        "channel" => g.kind_channel,
        "playlist" => g.kind_playlist,
        "account" => g.kind_account,
        "subreddit" => g.kind_subreddit,
        "releases" => g.kind_releases,
        "commits" => g.kind_commits,
        "tags" => g.kind_tags,
        _ => g.kind_feed,
    };
    let name = one.title.filter(|title| !title.trim().is_empty()).unwrap_or_else(|| one.url.clone());
    CandidateRow {
        is_followed: followed.contains(one.url.as_str()),
        label: fill(g.add_named, &[("name", &name)]),
        url: one.url,
        name,
        kind,
    }
}

/// A folder in a list to choose from, with its outer ones before it.
#[derive(Debug, Clone)]
pub(crate) struct FolderChoice {
    pub(crate) id: FolderId,
    pub(crate) name: String,
}

pub(crate) fn folder_choices(library: &Library) -> Vec<FolderChoice> {
    let folders: HashMap<FolderId, domain::Folder> =
        library.folders.iter().map(|folder| (folder.id, folder.clone())).collect();
    let mut choices: Vec<FolderChoice> = library
        .folders
        .iter()
        .map(|folder| FolderChoice {
            id: folder.id,
            name: intake::path(&folders, Some(folder.id)).join(" / "),
        })
        .collect();
    choices.sort_by_key(|choice| choice.name.to_lowercase());
    choices
}

pub(crate) struct PackRow {
    pub(crate) key: &'static str,
    pub(crate) name: &'static str,
    pub(crate) count: String,
    pub(crate) is_added: bool,
    pub(crate) label: String,
    pub(crate) titles: String,
}

pub(crate) fn packs(library: &Library, w: &'static Words) -> Vec<PackRow> {
    let followed: HashSet<&str> = library.feeds.values().map(|one| one.feed.url.as_str()).collect();
    let number = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    PACKS
        .iter()
        .map(|pack| {
            let have = pack.feeds.iter().filter(|(_, url)| followed.contains(url)).count();
            let all = pack.feeds.len();
            let some = || {
                let (have, all) = (w.number(number(have)), w.number(number(all)));
                fill(w.getting_in.pack_some, &[("have", &have), ("all", &all)])
            };
            PackRow {
                key: pack.key,
                name: pack.name(w),
                count: if (1..all).contains(&have) {
                    some()
                } else {
                    w.count(w.getting_in.pack_feeds, number(all))
                },
                is_added: have == all,
                label: fill(w.getting_in.add_named, &[("name", &pack.name(w))]),
                titles: pack.feeds.iter().map(|(title, _)| *title).collect::<Vec<_>>().join(", "),
            }
        })
        .collect()
}

/// For forms that make or choose a folder.
pub(crate) fn folder_problem(error: StoreError) -> Result<Said, Problem> {
    match error {
        StoreError::Conflict { .. } => Ok(Said::new(Saying::FolderRefused)),
        other => Err(other.into()),
    }
}

#[derive(Template)]
#[template(path = "welcome.html")]
struct WelcomePage<'a> {
    shell: &'a Shell,
    frame: &'a Frame,
    w: &'static Words,
    title: String,
    ways: &'a Ways,
    import: &'a Option<ImportView>,
    notice: &'a Option<Notice>,
}

#[derive(Template)]
#[template(path = "subscribe.html")]
struct SubscribePage<'a> {
    shell: &'a Shell,
    frame: &'a Frame,
    w: &'static Words,
    bookmarklet: String,
    subscribe_at: String,
    ways: &'a Ways,
    import: &'a Option<ImportView>,
    notice: &'a Option<Notice>,
}

#[derive(Template)]
#[template(path = "candidates.html")]
struct CandidatesPart<'a> {
    w: &'static Words,
    found: &'a Found,
}
