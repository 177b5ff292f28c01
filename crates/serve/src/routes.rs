//! Every route, in one table: the router is built from it and tests walk over it.

use crate::page::Frame;
use crate::{App, assets, fetcher, health, home, layers, setup};
use axum::Router;
use axum::http::Method;
use axum::routing::{MethodRouter, get, post};
use std::sync::Arc;

/// One method of one path. A GET route answers HEAD too and never changes anything (A1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    pub method: Method,
    /// Below the base path.
    pub path: &'static str,
    pub access: Access,
    page: Page,
}

/// Who may call a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Public,
    /// Whoever has the token from the terminal, while there is no admin (O12).
    SetupToken,
}

pub const ROUTES: &[Route] = &[
    Route::new(Method::GET, "/", Access::Public, Page::Home),
    Route::new(Method::GET, "/setup", Access::SetupToken, Page::SetupForm),
    Route::new(Method::POST, "/setup", Access::SetupToken, Page::SetupCreate),
    Route::new(Method::GET, "/about-fetcher", Access::Public, Page::AboutFetcher),
    Route::new(Method::GET, "/healthz", Access::Public, Page::Alive),
    Route::new(Method::GET, "/readyz", Access::Public, Page::Ready),
    Route::new(Method::GET, "/robots.txt", Access::Public, Page::Robots),
    Route::new(Method::GET, "/favicon.svg", Access::Public, Page::Favicon),
    Route::new(Method::GET, "/assets/wellread.css", Access::Public, Page::Stylesheet),
];

/// All pages with their layers, ready to be served.
pub fn router(app: App) -> Router {
    let app = Arc::new(app);
    let mut router = Router::new();
    for route in ROUTES {
        router = router.route(&app.base_path.join(route.path), route.page.handler());
        if route.path == "/" && !app.base_path.as_str().is_empty() {
            // `/reader` is what a person types for `/reader/`.
            router = router.route(app.base_path.as_str(), route.page.handler());
        }
    }
    layers::wrap(
        router.with_state(app.clone()),
        Frame::new(&app.base_path),
        app.secure,
        layers::REQUEST_TIMEOUT,
    )
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Page {
    Home,
    SetupForm,
    SetupCreate,
    AboutFetcher,
    Alive,
    Ready,
    Robots,
    Favicon,
    Stylesheet,
}

impl Page {
    fn handler(self) -> MethodRouter<Arc<App>> {
        match self {
            Page::Home => get(home::show),
            Page::SetupForm => get(setup::form),
            Page::SetupCreate => post(setup::create),
            Page::AboutFetcher => get(fetcher::about),
            Page::Alive => get(health::alive),
            Page::Ready => get(health::ready),
            Page::Robots => get(assets::robots),
            Page::Favicon => get(assets::favicon),
            Page::Stylesheet => get(assets::stylesheet),
        }
    }
}

impl Route {
    const fn new(method: Method, path: &'static str, access: Access, page: Page) -> Self {
        Route { method, path, access, page }
    }
}
