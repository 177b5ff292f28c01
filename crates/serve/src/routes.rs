//! Every route, in one table: the router is built from it and tests walk over it.

use crate::{
    App, act, assets, feed, feed_edit, feeds, fetcher, folder, front, getting_in, health, icon, import, item,
    layers, list, live, login, media, offline, seen, setup, visitor,
};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::Method;
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodRouter, get, post};
use std::convert::Infallible;
use std::sync::Arc;
use tower_http::limit::RequestBodyLimitLayer;

/// One method of one path. A GET route answers HEAD too and never changes anything (A1).
#[derive(Clone, Copy)]
pub struct Route {
    pub method: &'static Method,
    /// Below the base path; `{id}` is an object's number.
    pub path: &'static str,
    pub access: Access,
    body_bytes_max: usize,
    handler: fn() -> MethodRouter<Arc<App>>,
}

/// Who may call a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Public,
    /// Whoever has the token from the terminal, while there is no admin (O12).
    SetupToken,
    User,
    Admin,
    /// An administrator's token in the `Authorization` header.
    AdminToken,
}

const GET: &Method = &Method::GET;
const POST: &Method = &Method::POST;
use Access::{Public, SetupToken, User};

pub const ROUTES: &[Route] = &[
    // For everybody
    Route::new(GET, "/", Public, || get(front::show)),
    Route::new(GET, "/setup", SetupToken, || get(setup::form)),
    Route::new(POST, "/setup", SetupToken, || post(setup::create)),
    Route::new(GET, "/login", Public, || get(login::form)),
    Route::new(POST, "/login", Public, || post(login::enter)),
    Route::new(GET, "/about-fetcher", Public, || get(fetcher::about)),
    Route::new(GET, "/healthz", Public, || get(health::alive)),
    Route::new(GET, "/readyz", Public, || get(health::ready)),
    Route::new(GET, "/robots.txt", Public, || get(assets::robots)),
    Route::new(GET, "/favicon.svg", Public, || get(assets::favicon)),
    Route::new(GET, "/assets/{version}/{*name}", Public, || get(assets::file)),
    Route::new(GET, "/manifest.webmanifest", Public, || get(offline::manifest)),
    Route::new(GET, "/sw.js", Public, || get(offline::worker)),
    // Reading
    Route::new(POST, "/logout", User, || post(login::leave)),
    Route::new(GET, "/newest", User, || get(list::show)),
    Route::new(GET, "/unread", User, || get(list::show)),
    Route::new(GET, "/starred", User, || get(list::show)),
    Route::new(GET, "/hidden", User, || get(list::show)),
    Route::new(GET, "/folder/{id}", User, || get(list::show)),
    Route::new(GET, "/feed/{id}", User, || get(list::show)),
    Route::new(GET, "/tag/{tag}", User, || get(list::show)),
    Route::new(GET, "/part/rows", User, || get(list::rows)),
    Route::new(GET, "/part/item/{id}", User, || get(item::part)),
    Route::new(GET, "/keys", User, || get(list::keys)),
    Route::new(POST, "/mark", User, || post(act::mark)),
    Route::new(POST, "/mark-all", User, || post(act::mark_all)),
    Route::new(POST, "/undo", User, || post(act::undo)),
    Route::new(POST, "/seen", User, || post(seen::record)),
    Route::new(POST, "/item/{id}/full-text", User, || post(item::full_text)),
    Route::new(POST, "/item/{id}/position", User, || post(item::position)),
    Route::new(GET, "/events", User, || get(live::events)),
    Route::new(GET, "/icon/{id}", User, || get(icon::show)),
    Route::new(GET, "/media/{class}/{signature}/{address}", User, || get(media::show)),
    Route::new(GET, "/offline", User, || get(offline::page)),
    Route::new(GET, "/offline/items", User, || get(offline::items)),
    // Getting feeds in
    Route::new(GET, "/welcome", User, || get(getting_in::welcome)),
    Route::new(GET, "/subscribe", User, || get(getting_in::subscribe)),
    Route::new(POST, "/subscribe", User, || post(getting_in::follow)),
    Route::new(GET, "/part/candidates", User, || get(getting_in::candidates)),
    Route::new(POST, "/pack", User, || post(getting_in::add_pack)),
    Route::new(POST, "/import", User, || post(import::upload)).up_to(import::UPLOAD_BYTES_MAX),
    Route::new(GET, "/import/{id}", User, || get(import::progress)),
    Route::new(POST, "/import/{id}/undo", User, || post(import::take_back)),
    Route::new(GET, "/export.opml", User, || get(import::export)),
    // Feeds and folders
    Route::new(GET, "/feeds", User, || get(feeds::show)),
    Route::new(POST, "/feeds", User, || post(feeds::act)),
    Route::new(GET, "/feed/{id}/about", User, || get(feed::about)),
    Route::new(POST, "/feed/{id}/refresh", User, || post(feed::refresh)),
    Route::new(GET, "/feed/{id}/edit", User, || get(feed_edit::show)),
    Route::new(POST, "/feed/{id}/edit", User, || post(feed_edit::save)),
    Route::new(GET, "/folders", User, || get(folder::show)),
    Route::new(POST, "/folders", User, || post(folder::make)),
    Route::new(POST, "/folders/{id}", User, || post(folder::change)),
];

/// All pages with their layers, ready to be served.
pub fn router(app: App) -> Router {
    let app = Arc::new(app);
    let mut router = Router::new();
    for route in ROUTES {
        router = router.route(&app.base_path.join(route.path), route.guarded(&app));
        if route.path == "/" && !app.base_path.as_str().is_empty() {
            // `/reader` is what a person types for `/reader/`.
            router = router.route(app.base_path.as_str(), route.guarded(&app));
        }
    }
    layers::wrap(router.with_state(app.clone()), &app.base_path, app.secure, layers::REQUEST_TIMEOUT)
}

impl Route {
    const fn new(
        method: &'static Method,
        path: &'static str,
        access: Access,
        handler: fn() -> MethodRouter<Arc<App>>,
    ) -> Self {
        Route { method, path, access, body_bytes_max: layers::BODY_BYTES_MAX, handler }
    }

    /// The same route for bodies up to so many bytes.
    const fn up_to(self, body_bytes_max: usize) -> Self {
        Route { body_bytes_max, ..self }
    }

    fn guarded(&self, app: &Arc<App>) -> MethodRouter<Arc<App>> {
        let handler: MethodRouter<Arc<App>> = (self.handler)()
            .layer::<_, Infallible>(DefaultBodyLimit::disable())
            .layer(RequestBodyLimitLayer::new(self.body_bytes_max));
        match self.access {
            Access::Public | Access::SetupToken => handler,
            Access::User => handler.layer(from_fn_with_state(app.clone(), visitor::require_user)),
            Access::Admin => handler.layer(from_fn_with_state(app.clone(), visitor::require_admin)),
            Access::AdminToken => handler.layer(from_fn_with_state(app.clone(), visitor::require_token)),
        }
    }
}
