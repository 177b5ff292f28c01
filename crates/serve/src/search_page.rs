//! Search: what a person's feeds have brought, by its words.
//!
//! One route gives the page, or JSON to a script that asks for it; another gives the parts of the page that change while
//! somebody types. A saved search is the same page with the newest first. Reading never waits for any of it: when the index is
//! away, the page says so and everything else goes on.

mod asked;
mod languages;
mod look;
mod panel;
pub(crate) mod saved;
mod view;

use crate::App;
use crate::item::ItemView;
use crate::layers::OwnWords;
use crate::list::allow_direct;
use crate::page::{Frame, render};
use crate::problem::Problem;
use crate::shell::{Here, Library, Shell};
use crate::visitor::{Visitor, wants_json};
use crate::words::Words;
use askama::Template;
use asked::{Asked, Wanted};
use axum::Json;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::{ItemId, SearchId};
use look::Look;
use panel::{Beside, SavedView};
use std::sync::Arc;
use view::{Chips, FoundView};

pub(crate) use view::Part;

/// A title with some words marked, in whatever form they stand there.
pub(crate) fn marked(visitor: &Visitor, library: &Library, words: &str, title: &str) -> Vec<Part> {
    match search::Query::parse(&asked::bare(words), &asked::typed(false, visitor, library)) {
        Ok(query) => view::parts(&query.mark(title)),
        Err(_) => vec![Part { text: title.to_owned(), is_marked: false }],
    }
}

/// Where something was seen or done: the search page or a saved search, as it is recorded.
pub(crate) fn place(text: &str) -> Option<String> {
    match text.split_once('/') {
        None if text == "search" => Some(text.to_owned()),
        Some(("saved", id)) => id.parse::<i64>().ok().map(|id| format!("saved/{id}")),
        _ => None,
    }
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let library = Library::load(&app, &visitor).await?;
    let wanted = Wanted::read(&asked, &library)?;
    let look = Look::at(&app, &visitor, &library, &wanted).await?;
    if wants_json(&headers) {
        return in_json(&app, &visitor, &library, &look).await;
    }
    let spot = Spot::of_search(&app);
    page(&app, &visitor, &headers, &library, &asked, &wanted, look, spot).await
}

/// What changes while somebody types: head, rows and what is beside them; with `after` the next rows alone.
pub(crate) async fn part(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let library = Library::load(&app, &visitor).await?;
    let wanted = Wanted::read(&asked, &library)?;
    let look = Look::at(&app, &visitor, &library, &wanted).await?;
    let status = status(&look);
    let spot = match asked.saved {
        Some(id) => Spot::of_saved(&app, saved::find(&app, &visitor, SearchId(id)).await?),
        None => Spot::of_search(&app),
    };
    let beside = Beside::load(&app, &visitor, &library, &wanted, &look).await?;
    let found = FoundView::new(&app, &visitor, &library, &asked, &wanted, &look, &spot).await?;
    let frame = Frame::new(&app.base_path, visitor.words);
    Ok(render(status, &FoundPart { frame: &frame, w: visitor.words, found: &found, beside: &beside }))
}

/// Where the page stands: the search itself, or one that was kept.
pub(crate) struct Spot {
    /// As in the record of what was seen.
    pub(crate) place: String,
    /// The address without its query.
    pub(crate) path: String,
    pub(crate) saved: Option<store::SavedSearch>,
}

impl Spot {
    fn of_search(app: &App) -> Spot {
        Spot { place: "search".to_owned(), path: app.base_path.join("/search"), saved: None }
    }

    fn of_saved(app: &App, saved: store::SavedSearch) -> Spot {
        let place = format!("saved/{}", saved.id);
        Spot { path: app.base_path.join(&format!("/{place}")), place, saved: Some(saved) }
    }

    /// The address of a search here. A saved one's says which, not what is searched for.
    pub(crate) fn address(&self, wanted: &Wanted) -> String {
        match &self.saved {
            None => wanted.address(&self.path),
            Some(_) => {
                Wanted { each: wanted.each, after: wanted.after, ..Wanted::default() }.address(&self.path)
            }
        }
    }
}

#[expect(clippy::too_many_arguments, reason = "a page is made of what its two routes have found out")]
async fn page(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    library: &Library,
    asked: &Asked,
    wanted: &Wanted,
    look: Look,
    spot: Spot,
) -> Result<Response, Problem> {
    let w = visitor.words;
    let shell = Shell::load(app, visitor, headers, library, Here::Search).await?;
    let item = match asked.item {
        None => None,
        Some(id) => Some(
            ItemView::load(app, visitor, library, ItemId(id), asked.full.map(|full| full == 1))
                .await?
                .ok_or_else(Problem::not_found)?,
        ),
    };
    let beside = Beside::load(app, visitor, library, wanted, &look).await?;
    let saved = SavedView::load(app, visitor, library, spot.saved.as_ref().map(|saved| saved.id)).await?;
    let found = FoundView::new(app, visitor, library, asked, wanted, &look, &spot).await?;
    let page = SearchPage {
        chips: Chips::load(app, visitor, library, wanted).await?,
        said: saved::Said::read(asked, w),
        title: spot.saved.as_ref().map_or(w.search.title, |saved| saved.name.as_str()),
        newest: match &look {
            Look::Found(found) => found.newest,
            _ => ItemId(0),
        },
        back: own(app, &spot.address(wanted)),
        shell: &shell,
        w,
        spot: &spot,
        wanted,
        found: &found,
        beside: &beside,
        saved: &saved,
        item: &item,
    };
    let mut response = render(status(&look), &page);
    allow_direct(&mut response, visitor);
    Ok(response)
}

/// An address without the base path, as forms send it back.
fn own(app: &App, address: &str) -> String {
    address.strip_prefix(app.base_path.as_str()).unwrap_or(address).to_owned()
}

/// Row O3: what cannot be searched for is a bad request, with a sentence.
fn status(look: &Look) -> StatusCode {
    match look {
        Look::Idle | Look::Found(_) => StatusCode::OK,
        Look::Refused(_) => StatusCode::BAD_REQUEST,
        Look::Away(_) => StatusCode::SERVICE_UNAVAILABLE,
    }
}

async fn in_json(app: &App, visitor: &Visitor, library: &Library, look: &Look) -> Result<Response, Problem> {
    let body = match look {
        Look::Idle => {
            let mut response = (
                StatusCode::BAD_REQUEST,
                Json(serde_json::json!({ "error": visitor.words.search.bad_nothing })),
            )
                .into_response();
            response.extensions_mut().insert(OwnWords);
            return Ok(response);
        }
        Look::Refused(why) | Look::Away(why) => serde_json::json!({ "error": why }),
        Look::Found(found) => view::json(app, visitor, library, found).await?,
    };
    let mut response = (status(look), Json(body)).into_response();
    response.extensions_mut().insert(OwnWords);
    Ok(response)
}

#[derive(Template)]
#[template(path = "search.html")]
struct SearchPage<'a> {
    shell: &'a Shell,
    w: &'static Words,
    title: &'a str,
    spot: &'a Spot,
    wanted: &'a Wanted,
    chips: Chips,
    said: Option<saved::Said>,
    found: &'a FoundView,
    beside: &'a Beside,
    saved: &'a [SavedView],
    item: &'a Option<ItemView>,
    /// The newest item that was found, for what is new next time.
    newest: ItemId,
    back: String,
}

#[derive(Template)]
#[template(path = "search_part.html")]
struct FoundPart<'a> {
    frame: &'a Frame,
    w: &'static Words,
    found: &'a FoundView,
    beside: &'a Beside,
}
