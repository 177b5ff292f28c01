//! Folders: making, naming, moving and removing them, with undo for what takes something away.

use crate::App;
use crate::getting_in::{FolderChoice, folder_choices, folder_problem};
use crate::page::{Frame, render};
use crate::problem::Problem;
use crate::said::{Notice, Said, SaidQuery, Saying, Undo};
use crate::shell::{Here, Library, Shell};
use crate::visitor::Visitor;
use crate::words::{Words, fill};
use askama::Template;
use axum::Form;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::{Folder, FolderId};
use serde::Deserialize;
use std::sync::Arc;

const HERE: &str = "/folders";
const NAME_CHARS_MAX: usize = 200;
const DEPTH_MAX: u8 = 16;

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Query(said): Query<SaidQuery>,
) -> Result<Response, Problem> {
    let library = Library::load(&app, &visitor).await?;
    let shell = Shell::load(&app, &visitor, &headers, &library, Here::Feeds).await?;
    let mut rows = Vec::new();
    add_rows(&library, None, 0, visitor.words, &mut rows);
    let page = FoldersPage {
        frame: &shell.frame,
        w: visitor.words,
        rows,
        folders: folder_choices(&library),
        notice: &said.notice(&visitor, HERE, |_| None),
        shell: &shell,
    };
    Ok(render(StatusCode::OK, &page))
}

#[derive(Debug, Deserialize)]
pub(crate) struct NewFolder {
    name: String,
    #[serde(default)]
    parent: String,
}

pub(crate) async fn make(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Form(form): Form<NewFolder>,
) -> Result<Response, Problem> {
    let said = match name_of(&form.name) {
        None => Said::new(Saying::FolderNameless),
        Some(name) => match app.store.add_folder(visitor.id(), parent_of(&form.parent)?, &name).await {
            Ok(_) => Said::new(Saying::FolderMade),
            Err(error) => folder_problem(error)?,
        },
    };
    Ok(said.answer(&app, &visitor, &headers, HERE))
}

#[derive(Debug, Deserialize)]
pub(crate) struct Change {
    /// `rename`, `move` or `remove`.
    #[serde(rename = "do")]
    verb: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    parent: String,
}

pub(crate) async fn change(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Path(id): Path<i64>,
    headers: HeaderMap,
    Form(form): Form<Change>,
) -> Result<Response, Problem> {
    let (user, folder) = (visitor.id(), FolderId(id));
    let result = match form.verb.as_str() {
        "rename" => match name_of(&form.name) {
            None => Ok(Said::new(Saying::FolderNameless)),
            Some(name) => {
                app.store.rename_folder(user, folder, &name).await.map(|()| Said::new(Saying::FolderRenamed))
            }
        },
        "move" => app
            .store
            .move_folder(user, folder, parent_of(&form.parent)?)
            .await
            .map(|()| Said::new(Saying::FolderMoved)),
        "remove" => app
            .store
            .remove_folder(user, folder, visitor.now())
            .await
            .map(|token| Said::new(Saying::FolderRemoved).with(Undo::Tokens(vec![token.0]))),
        _ => return Err(Problem::bad_form()),
    };
    let said = match result {
        Ok(said) => said,
        Err(error) => folder_problem(error)?,
    };
    Ok(said.answer(&app, &visitor, &headers, HERE))
}

fn name_of(given: &str) -> Option<String> {
    let name: String = given.trim().chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX).collect();
    (!name.is_empty()).then_some(name)
}

fn parent_of(given: &str) -> Result<Option<FolderId>, Problem> {
    let id: i64 = if given.is_empty() { 0 } else { given.parse().map_err(|_| Problem::bad_form())? };
    Ok((id != 0).then_some(FolderId(id)))
}

struct FolderRow {
    id: FolderId,
    name: String,
    depth: u8,
    feeds: String,
    parent: FolderId,
    name_label: String,
    place_label: String,
}

/// Depth is bounded by the store; the bound here keeps a damaged tree from hanging a page.
fn add_rows(
    library: &Library,
    parent: Option<FolderId>,
    depth: u8,
    w: &'static Words,
    rows: &mut Vec<FolderRow>,
) {
    if depth >= DEPTH_MAX {
        return;
    }
    let mut inside: Vec<&Folder> = library.folders.iter().filter(|folder| folder.parent == parent).collect();
    inside.sort_by_key(|folder| folder.name.to_lowercase());
    for folder in inside {
        let feeds = library.feeds.values().filter(|one| one.subscription.folder == Some(folder.id)).count();
        rows.push(FolderRow {
            id: folder.id,
            name: folder.name.clone(),
            depth: depth.min(8),
            feeds: w.count(w.feeds.folder_feeds, u64::try_from(feeds).unwrap_or(0)),
            parent: folder.parent.unwrap_or(FolderId(0)),
            name_label: fill(w.feeds.folder_name_of, &[("name", &folder.name)]),
            place_label: fill(w.feeds.folder_place_of, &[("name", &folder.name)]),
        });
        add_rows(library, Some(folder.id), depth.saturating_add(1), w, rows);
    }
}

#[derive(Template)]
#[template(path = "folders.html")]
struct FoldersPage<'a> {
    shell: &'a Shell,
    frame: &'a Frame,
    w: &'static Words,
    rows: Vec<FolderRow>,
    folders: Vec<FolderChoice>,
    notice: &'a Option<Notice>,
}
