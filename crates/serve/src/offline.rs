//! Reading without a connection: the installable app, its worker, and the newest unread items to take along.

use crate::App;
use crate::item::ItemView;
use crate::list::{Place, RowMaker};
use crate::media::Signer;
use crate::page::{Frame, render};
use crate::problem::Problem;
use crate::shell::{Here, Library, Shell};
use crate::visitor::Visitor;
use crate::words::Words;
use crate::{assets, list};
use askama::Template;
use axum::Json;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::preferences::ReadingOrder;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;
use store::{ListQuery, Order, Scope};

/// Items to take along, and how many travel in one answer.
const ITEMS_MAX: u32 = 500;
const PAGE: u32 = 50;

pub(crate) async fn manifest(State(app): State<Arc<App>>) -> Response {
    let base = &app.base_path;
    let icon = |purpose: &str| {
        serde_json::json!({
            "src": base.join("/favicon.svg"), "type": "image/svg+xml", "sizes": "any", "purpose": purpose
        })
    };
    let manifest = serde_json::json!({
        "name": "Wellread",
        "short_name": "Wellread",
        "description": "A reader for feeds",
        "id": base.join("/"),
        "start_url": base.join("/"),
        "scope": base.join("/"),
        "display": "standalone",
        "background_color": "#fafbfb",
        "theme_color": "#0b6472",
        "icons": [icon("any"), icon("maskable")],
        "share_target": {
            "action": base.join("/subscribe"), "method": "GET", "params": { "url": "url", "text": "text" }
        },
    });
    ([(header::CONTENT_TYPE, "application/manifest+json")], manifest.to_string()).into_response()
}

/// The worker, with the version of our files in it, so that a new version is a new worker.
pub(crate) async fn worker(State(app): State<Arc<App>>) -> Response {
    let head =
        format!("const VERSION = {:?};\nconst BASE = {:?};\n", assets::version(), app.base_path.as_str());
    let text = head + include_str!("../../../web/sw.js");
    ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8"), (header::CACHE_CONTROL, "no-cache")], text)
        .into_response()
}

/// The page that the worker shows when there is no connection: the frame, filled by a script from what was kept.
pub(crate) async fn page(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let library = Library::load(&app, &visitor).await?;
    let shell = Shell::load(&app, &visitor, &headers, &library, Here::Unread).await?;
    Ok(render(StatusCode::OK, &OfflinePage { shell: &shell, w: visitor.words }))
}

#[derive(Debug, Deserialize)]
pub(crate) struct Asked {
    after: Option<String>,
    #[serde(default)]
    from: u32,
}

/// One portion of the items to take along, ready to be shown.
#[derive(Debug, Serialize)]
struct Portion {
    items: Vec<Taken>,
    /// Ask again with this; none when there is no more.
    after: Option<String>,
}

#[derive(Debug, Serialize)]
struct Taken {
    id: i64,
    row: String,
    item: String,
}

pub(crate) async fn items(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let library = Library::load(&app, &visitor).await?;
    let query = ListQuery {
        scope: Scope::All,
        unread_only: true,
        order: match visitor.likes().order {
            ReadingOrder::NewestFirst => Order::NewestFirst,
            ReadingOrder::OldestFirst => Order::OldestFirst,
        },
        limit: PAGE,
        after: asked.after.as_deref().and_then(list::read_cursor),
    };
    let rows = app.store.list(visitor.id(), &query).await?;
    let (frame, w) = (Frame::new(&app.base_path, visitor.words), visitor.words);
    let rules = HashMap::new();
    let maker = RowMaker {
        app: &app,
        visitor: &visitor,
        library: &library,
        place: &Place::Unread,
        rules: &rules,
        signer: Signer::new(&app, &visitor),
    };
    let mut items = Vec::with_capacity(rows.len());
    for (row, position) in rows.iter().zip(asked.from..) {
        let Some(item) = ItemView::load(&app, &visitor, &library, row.item.id, None).await? else { continue };
        let shown = maker.row(row, position, &list::Asked::default());
        let broken = |error: askama::Error| Problem::broken(&error);
        items.push(Taken {
            id: row.item.id.0,
            row: OneRow { w, row: &shown }.render().map_err(broken)?,
            item: OneItem { frame: &frame, w, item: &item }.render().map_err(broken)?,
        });
    }
    let taken = asked.from.saturating_add(PAGE);
    let is_last = rows.len() < PAGE as usize || taken >= ITEMS_MAX;
    let after = rows.last().filter(|_| !is_last).map(|row| list::cursor_text(&row.item.sort_at, row.item.id));
    Ok(Json(Portion { items, after }).into_response())
}

#[derive(Template)]
#[template(path = "offline.html")]
struct OfflinePage<'a> {
    shell: &'a Shell,
    w: &'static Words,
}

#[derive(Template)]
#[template(path = "row.html")]
struct OneRow<'a> {
    w: &'static Words,
    row: &'a list::Row,
}

#[derive(Template)]
#[template(path = "item_part.html")]
struct OneItem<'a> {
    frame: &'a Frame,
    w: &'static Words,
    item: &'a ItemView,
}
