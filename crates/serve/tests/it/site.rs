//! A server without a socket, and what a test asks it.

use crate::log;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use domain::Timestamp;
use serve::{App, BasePath, FetcherFacts, SetupToken, router};
use std::sync::Arc;
use store::{Place, Store, StoreConfig};
use tower::ServiceExt;

pub(crate) const NOW: Timestamp = Timestamp::from_seconds(1_800_000_000);
pub(crate) const PASSWORD: &str = "correct horse battery";

pub(crate) struct Site {
    pub(crate) router: Router,
    pub(crate) store: Store,
    pub(crate) token: String,
}

pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Site {
    pub(crate) async fn new() -> Site {
        Site::under("").await
    }

    pub(crate) async fn under(base: &str) -> Site {
        log::keep();
        let store = Store::open(&StoreConfig::new(Place::SqliteMemory), NOW).await.unwrap();
        let setup = SetupToken::random();
        let base_path = BasePath::parse(base).unwrap();
        let link = setup.link("", &base_path);
        let token = link.split_once("token=").unwrap().1.to_owned();
        let app = App {
            store: store.clone(),
            setup,
            clock: Arc::new(|| NOW),
            version: "1.2.3".into(),
            base_path,
            secure: false,
            fetcher: FetcherFacts::new("Wellread/1.2.3 (+https://reader.example/about-fetcher)"),
        };
        Site { router: router(app), store, token }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.ask(Method::GET, path, &[], "").await
    }

    /// As a browser sends a form of our own page.
    pub(crate) async fn post(&self, path: &str, form: &str) -> Answer {
        self.ask(Method::POST, path, &[("sec-fetch-site", "same-origin")], form).await
    }

    pub(crate) async fn ask(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path).header(header::HOST, "reader.example");
        if !body.is_empty() {
            request = request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(body.to_owned())).unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, 1 << 20).await.unwrap();
        Answer {
            status: parts.status,
            headers: parts.headers,
            body: String::from_utf8(body.to_vec()).unwrap(),
        }
    }

    pub(crate) async fn set_up(&self, name: &str) -> Answer {
        self.post("/setup", &self.entered(name, PASSWORD, PASSWORD)).await
    }

    /// The set-up form with the right token.
    pub(crate) fn entered(&self, name: &str, password: &str, again: &str) -> String {
        let [name, password, again] = [name, password, again].map(encoded);
        format!("token={}&name={name}&password={password}&again={again}", self.token)
    }

    pub(crate) async fn names(&self) -> Vec<String> {
        self.store.users().await.unwrap().into_iter().map(|user| user.name).collect()
    }
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

pub(crate) fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
