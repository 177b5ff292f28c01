//! Every route, in one table: the router is built from it and tests walk over it.

use crate::channels::Channels;
use crate::foryou::ForYou;
use crate::metrics::Metrics;
use crate::{
    App, act, assets, feed, feed_edit, feeds, fetcher, folder, foryou, front, getting_in, health, icon,
    import, item, layers, list, live, login, media, offline, seen, setup, visitor,
};
use crate::{
    admin, api, buzz_page, discover, friends, join, metrics, popular, portable, rules_page, schedule,
    search_page, settings, tags,
};
use axum::extract::DefaultBodyLimit;
use axum::http::Method;
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodRouter, get, post};
use axum::{Extension, Router};
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
    /// For scripts: a person's token in the `Authorization` header, or their session. Answers JSON, errors too.
    Api,
}

const GET: &Method = &Method::GET;
const POST: &Method = &Method::POST;
use Access::{Admin, AdminToken, Api, Public, SetupToken, User};

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
    Route::new(GET, "/shared/{secret}", Public, || get(friends::feed)),
    // Reading
    Route::new(POST, "/logout", User, || post(login::leave)),
    Route::new(GET, "/foryou", User, || get(list::show)),
    Route::new(GET, "/foryou/trial", User, || get(foryou::trial::show)),
    Route::new(POST, "/foryou/trial", User, || post(foryou::trial::start)),
    Route::new(POST, "/foryou/trial/end", User, || post(foryou::trial::end)),
    Route::new(GET, "/foryou/learned", User, || get(foryou::learned::show)),
    Route::new(POST, "/foryou/learned", User, || post(foryou::learned::change)),
    Route::new(POST, "/foryou/topics", User, || post(foryou::learned::choose)),
    Route::new(POST, "/foryou/reset", User, || post(foryou::learned::reset)),
    Route::new(GET, "/item/{id}/why", User, || get(foryou::why::show)),
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
    Route::new(GET, "/buzz", User, || get(buzz_page::show)),
    Route::new(GET, "/api/buzz", Api, || get(api::buzz::show)),
    Route::new(GET, "/search", User, || get(search_page::show)),
    Route::new(GET, "/part/search", User, || get(search_page::part)),
    Route::new(GET, "/saved/{id}", User, || get(search_page::saved::show)),
    Route::new(POST, "/saved", User, || post(search_page::saved::save)),
    Route::new(POST, "/saved/{id}", User, || post(search_page::saved::rename)),
    Route::new(POST, "/saved/{id}/remove", User, || post(search_page::saved::remove)),
    Route::new(POST, "/saved/{id}/seen", User, || post(search_page::saved::seen)),
    Route::new(GET, "/part/saved", User, || get(search_page::saved::part)),
    Route::new(POST, "/mark", User, || post(act::mark)),
    Route::new(POST, "/mark-all", User, || post(act::mark_all)),
    Route::new(POST, "/undo", User, || post(act::undo)),
    Route::new(POST, "/seen", User, || post(seen::record)),
    Route::new(POST, "/item/{id}/full-text", User, || post(item::full_text)),
    Route::new(POST, "/item/{id}/position", User, || post(item::position)),
    Route::new(POST, "/item/{id}/share", User, || post(friends::share)),
    Route::new(POST, "/item/{id}/withdraw", User, || post(friends::withdraw)),
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
    // Finding channels
    Route::new(GET, "/discover", User, || get(discover::show)),
    Route::new(POST, "/discover", User, || post(discover::compare)).up_to(discover::FORM_BYTES_MAX),
    Route::new(POST, "/discover/follow", User, || post(discover::follow)),
    Route::new(GET, "/api/channels", Api, || get(api::channels::find)),
    Route::new(POST, "/api/channels", Api, || post(api::channels::compare))
        .up_to(discover::ask::ASKED_BYTES_MAX),
    Route::new(GET, "/api/foryou", Api, || get(api::foryou::list)),
    Route::new(GET, "/popular", User, || get(popular::show)),
    Route::new(POST, "/popular/count", User, || post(popular::count)),
    // Friends
    Route::new(GET, "/friends", User, || get(friends::show)),
    Route::new(POST, "/friends/ask", User, || post(friends::ask)),
    Route::new(POST, "/friends/requests/{id}/agree", User, || post(friends::agree)),
    Route::new(POST, "/friends/requests/{id}/refuse", User, || post(friends::refuse)),
    Route::new(POST, "/friends/requests/{id}/take-back", User, || post(friends::take_back)),
    Route::new(POST, "/friends/{id}/leave", User, || post(friends::leave)),
    Route::new(POST, "/friends/{id}/remove", User, || post(friends::remove)),
    Route::new(POST, "/friends/address", User, || post(friends::make_address)),
    Route::new(POST, "/friends/address/drop", User, || post(friends::drop_address)),
    // Settings, rules, tags
    Route::new(GET, "/settings", User, || get(settings::show)),
    Route::new(POST, "/settings/comfort", User, || post(settings::comfort::save)),
    Route::new(POST, "/settings/name", User, || post(settings::account::rename)),
    Route::new(POST, "/settings/password", User, || post(settings::account::change_password)),
    Route::new(POST, "/settings/sessions/{id}/end", User, || post(settings::account::end_session)),
    Route::new(POST, "/settings/sessions/end-others", User, || post(settings::account::end_others)),
    Route::new(POST, "/settings/tokens", User, || post(settings::account::add_token)),
    Route::new(POST, "/settings/tokens/{id}/remove", User, || post(settings::account::remove_token)),
    Route::new(POST, "/settings/save-to", User, || post(settings::save_to::add)),
    Route::new(POST, "/settings/save-to/remove", User, || post(settings::save_to::remove)),
    Route::new(GET, "/export.json", User, || get(portable::export)),
    Route::new(POST, "/import-everything", User, || post(portable::bring_back))
        .up_to(portable::IMPORT_BYTES_MAX),
    Route::new(GET, "/rules", User, || get(rules_page::show)),
    Route::new(POST, "/rules", User, || post(rules_page::save_new)),
    Route::new(GET, "/rules/new", User, || get(rules_page::new)),
    Route::new(POST, "/rules/try", User, || post(rules_page::try_out)),
    Route::new(POST, "/rules/restore", User, || post(rules_page::restore)),
    Route::new(GET, "/rules/{id}", User, || get(rules_page::edit)),
    Route::new(POST, "/rules/{id}", User, || post(rules_page::save_edited)),
    Route::new(POST, "/rules/{id}/switch", User, || post(rules_page::switch)),
    Route::new(POST, "/rules/{id}/remove", User, || post(rules_page::remove)),
    Route::new(GET, "/tags", User, || get(tags::show)),
    Route::new(POST, "/tags/rename", User, || post(tags::rename)),
    Route::new(POST, "/tags/remove", User, || post(tags::remove)),
    Route::new(GET, "/schedule", User, || get(schedule::show)),
    Route::new(POST, "/schedule/budget", Admin, || post(schedule::set_budget)),
    // The operator
    Route::new(GET, "/join", Public, || get(join::form)),
    Route::new(POST, "/join", Public, || post(join::enter)),
    Route::new(GET, "/admin", Admin, || get(admin::show)),
    Route::new(POST, "/admin/halt", Admin, || post(admin::fetching::halt)),
    Route::new(POST, "/admin/budget", Admin, || post(admin::fetching::set_budget)),
    Route::new(POST, "/admin/popular", Admin, || post(admin::fetching::set_popular)),
    Route::new(POST, "/admin/novelty", Admin, || post(admin::fetching::set_novelty)),
    Route::new(POST, "/admin/opted-out", Admin, || post(admin::fetching::set_opted_out)),
    Route::new(POST, "/admin/people", Admin, || post(admin::people::add)),
    Route::new(POST, "/admin/people/{id}", Admin, || post(admin::people::change)),
    Route::new(GET, "/metrics", AdminToken, || get(metrics::show)),
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
    let metrics = Arc::new(Metrics::default());
    let router = router
        .with_state(app.clone())
        .layer(Extension(metrics.clone()))
        .layer(Extension(Arc::new(Channels::default())))
        .layer(Extension(Arc::new(ForYou::default())));
    layers::wrap(router, &app.base_path, app.secure, layers::REQUEST_TIMEOUT, metrics)
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
            Access::User => handler.route_layer(from_fn_with_state(app.clone(), visitor::require_user)),
            Access::Admin => handler.route_layer(from_fn_with_state(app.clone(), visitor::require_admin)),
            Access::Api => handler.route_layer(from_fn_with_state(app.clone(), visitor::require_caller)),
            Access::AdminToken => {
                handler.route_layer(from_fn_with_state(app.clone(), visitor::require_token))
            }
        }
    }
}
