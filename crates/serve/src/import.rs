//! Bringing many feeds at once: the upload, how far it is, taking it back, and the same file on the way out.

use crate::App;
use crate::chart::{self, Mark, Svg};
use crate::health_words::{LastItem, Trouble, trouble};
use crate::intake::{Intake, Intaker, written};
use crate::own_path::OwnPath;
use crate::page::{Frame, render};
use crate::problem::Problem;
use crate::said::{self, Said, Saying};
use crate::shell::{Icon, Library};
use crate::visitor::{Visitor, wants_json};
use crate::when::When;
use crate::words::{Words, fill};
use askama::Template;
use axum::extract::{Multipart, Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Form, Json};
use domain::{FeedId, ImportId};
use parse::opml::OpmlError;
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
use store::{ImportProgress, ListQuery, Order, Scope, Tick};

/// A little more than the largest list of subscriptions we read by default, and never more than this in memory.
pub(crate) const UPLOAD_BYTES_MAX: usize = 32 << 20;
/// Failures shown on the page; all of them are on the page of feeds.
const FAILED_SHOWN: usize = 8;
const ARRIVED_SHOWN: u32 = 6;
/// An import that is over is shown this long; its feeds are on the page of feeds for ever.
const SHOWN_FOR: Duration = Duration::from_secs(24 * 3600);
/// With fewer done, the time left would be a guess.
const DONE_TO_ESTIMATE: u64 = 5;

pub(crate) fn taker<'a>(app: &'a App, visitor: &Visitor) -> Intaker<'a> {
    Intaker { store: &app.store, key: &app.key, limits: &app.limits, user: visitor.id(), now: visitor.now() }
}

/// Takes an OPML file.
pub(crate) async fn upload(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    form: Multipart,
) -> Result<Response, Problem> {
    let w = visitor.words;
    let uploaded = Uploaded::read(form, app.limits.opml_bytes_max).await?;
    if uploaded.is_too_large {
        let megabytes = u64::try_from(app.limits.opml_bytes_max >> 20).unwrap_or(0);
        return Ok(refused(&app, &visitor, &headers, &w.count(w.getting_in.file_large, megabytes)));
    }
    if uploaded.name.is_none() && uploaded.bytes.is_empty() {
        return Ok(refused(&app, &visitor, &headers, w.getting_in.no_file));
    }
    let (bytes, limits) = (uploaded.bytes, app.limits.clone());
    let read = tokio::task::spawn_blocking(move || parse::opml::read_opml(&bytes, &limits)).await;
    let opml = match read.map_err(|error| Problem::broken(&error))? {
        Ok(opml) => opml,
        Err(error) => return Ok(refused(&app, &visitor, &headers, sentence(&error, w))),
    };
    if opml.subscriptions.is_empty() {
        return Ok(refused(&app, &visitor, &headers, w.getting_in.no_feeds));
    }
    let name = uploaded.name.unwrap_or_else(|| w.getting_in.file.to_owned());
    let intake = taker(&app, &visitor).take(&name, opml.into(), |_, _| {}).await?;
    app.errands.wake();
    arrived(&app, &visitor, &headers, &uploaded.back, &intake)
}

/// What came in is shown on the page it came from.
pub(crate) fn arrived(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    back: &str,
    intake: &Intake,
) -> Result<Response, Problem> {
    let back = if back.starts_with("/welcome") { "/welcome" } else { "/subscribe" };
    if wants_json(headers) {
        let body = serde_json::json!({
            "ok": true, "import": intake.import, "new": intake.new, "known": intake.known,
            "left_out": intake.left_out, "complaints": intake.complaints,
        });
        return Ok(Json(body).into_response());
    }
    Ok(match intake.import {
        Some(_) => OwnPath::parse(&app.base_path, back).redirect(),
        None => Said::count(Saying::NothingNew, intake.known).answer(app, visitor, headers, back),
    })
}

fn refused(app: &App, visitor: &Visitor, headers: &HeaderMap, sentence: &str) -> Response {
    if wants_json(headers) {
        return said::refused(serde_json::json!({ "ok": false, "error": sentence }));
    }
    let w = visitor.words;
    let frame = Frame::new(&app.base_path, w);
    render(StatusCode::UNPROCESSABLE_ENTITY, &RefusedPage { frame: &frame, w, sentence })
}

/// Why a file is no list of feeds.
pub(crate) fn sentence(error: &OpmlError, w: &'static Words) -> &'static str {
    let g = &w.getting_in;
    match error {
        OpmlError::Empty => g.file_empty,
        OpmlError::Feed => g.file_feed,
        OpmlError::Html => g.file_page,
        // The upload was bounded before it was read.
        OpmlError::TooLarge { .. } | OpmlError::NotOpml => g.file_other,
    }
}

/// The parts of the form.
#[derive(Default)]
struct Uploaded {
    bytes: Vec<u8>,
    name: Option<String>,
    back: String,
    is_too_large: bool,
}

impl Uploaded {
    /// Reads no more into memory than `bytes_max`; what comes beyond is read and dropped, so that the browser hears
    /// our sentence instead of a broken connection.
    async fn read(mut form: Multipart, bytes_max: usize) -> Result<Uploaded, Problem> {
        const PARTS_MAX: usize = 8;
        const BACK_BYTES_MAX: usize = 200;
        let mut uploaded = Uploaded::default();
        for _ in 0..PARTS_MAX {
            let Some(mut part) =
                form.next_field().await.map_err(|error| Problem::of_status(error.status()))?
            else {
                break;
            };
            let is_file = part.name() == Some("file");
            if is_file {
                uploaded.name = part
                    .file_name()
                    .filter(|name| !name.is_empty())
                    .map(|name| name.chars().take(100).collect());
            }
            let is_back = part.name() == Some("back");
            let mut back = Vec::new();
            while let Some(chunk) = part.chunk().await.map_err(|error| Problem::of_status(error.status()))? {
                let is_file = is_file && !uploaded.is_too_large;
                if is_file && uploaded.bytes.len().saturating_add(chunk.len()) <= bytes_max {
                    uploaded.bytes.extend_from_slice(&chunk);
                } else if is_file {
                    uploaded.is_too_large = true;
                    uploaded.bytes = Vec::new();
                } else if is_back && back.len().saturating_add(chunk.len()) <= BACK_BYTES_MAX {
                    back.extend_from_slice(&chunk);
                }
            }
            if is_back {
                uploaded.back = String::from_utf8_lossy(&back).into_owned();
            }
        }
        Ok(uploaded)
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct From {
    #[serde(default)]
    from: String,
}

/// How far an import is, alone, for scripts that ask again.
pub(crate) async fn progress(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Path(id): Path<i64>,
    Query(from): Query<From>,
) -> Result<Response, Problem> {
    let library = Library::load(&app, &visitor).await?;
    let here = if from.from == "/welcome" { "/welcome" } else { "/subscribe" };
    let import = ImportView::load(&app, &visitor, &library, ImportId(id), here)
        .await?
        .ok_or_else(Problem::not_found)?;
    let frame = Frame::new(&app.base_path, visitor.words);
    let mut response =
        render(StatusCode::OK, &ImportPart { frame: &frame, w: visitor.words, import: &import });
    if import.is_done {
        // Tells the script to stop asking.
        response.headers_mut().insert("x-import-done", HeaderValue::from_static("1"));
    }
    Ok(response)
}

#[derive(Debug, Deserialize)]
pub(crate) struct Back {
    #[serde(default)]
    back: String,
}

/// Leaves the feeds that an import brought.
pub(crate) async fn take_back(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Path(id): Path<i64>,
    headers: HeaderMap,
    Form(form): Form<Back>,
) -> Result<Response, Problem> {
    if !taker(&app, &visitor).take_back(ImportId(id)).await? {
        return Err(Problem::not_found());
    }
    Ok(Said::new(Saying::ImportTakenBack).answer(&app, &visitor, &headers, &form.back))
}

/// The person's subscriptions as a file.
pub(crate) async fn export(State(app): State<Arc<App>>, visitor: Visitor) -> Result<Response, Problem> {
    let (subscribed, folders) =
        tokio::try_join!(app.store.subscriptions(visitor.id()), app.store.folders(visitor.id()))?;
    let text = written(&visitor.account.user.name, subscribed, folders, visitor.now());
    // The name of the file is ours: what people are called never becomes part of a path (O5).
    let headers = [
        (header::CONTENT_TYPE, "text/x-opml; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"wellread.opml\""),
    ];
    Ok((headers, text).into_response())
}

pub(crate) struct ImportView {
    pub(crate) id: ImportId,
    pub(crate) is_done: bool,
    pub(crate) heading: String,
    pub(crate) failed: Option<String>,
    pub(crate) facts: String,
    pub(crate) picture: Svg,
    pub(crate) failures: Vec<FailureRow>,
    pub(crate) more_failed: Option<String>,
    pub(crate) left_out: Option<String>,
    /// What the file had wrong.
    pub(crate) complaints: Vec<String>,
    pub(crate) arrived: Vec<ArrivedRow>,
    /// The page it is shown on.
    pub(crate) here: &'static str,
}

pub(crate) struct FailureRow {
    pub(crate) feed: FeedId,
    pub(crate) name: String,
    pub(crate) trouble: Trouble,
}

pub(crate) struct ArrivedRow {
    pub(crate) href: String,
    pub(crate) title: String,
    pub(crate) icon: Icon,
    pub(crate) when: When,
}

impl ImportView {
    pub(crate) async fn load(
        app: &App,
        visitor: &Visitor,
        library: &Library,
        id: ImportId,
        here: &'static str,
    ) -> Result<Option<ImportView>, Problem> {
        let Some(progress) = app.store.import(visitor.id(), id).await? else { return Ok(None) };
        let is_over = !progress.ticks.contains(&Tick::Waiting);
        if is_over && visitor.now().since(progress.started_at) >= SHOWN_FOR {
            return Ok(None);
        }
        let arrived = arrived_rows(app, visitor, library, &progress).await?;
        Ok(Some(ImportView { arrived, id, here, ..ImportView::of(visitor, library, &progress) }))
    }

    fn of(visitor: &Visitor, library: &Library, progress: &ImportProgress) -> ImportView {
        let (w, g) = (visitor.words, &visitor.words.getting_in);
        let counts = Counts::of(&progress.ticks);
        let done = counts.fetched.saturating_add(counts.failed);
        let failures: Vec<FailureRow> = progress
            .failed
            .iter()
            .filter_map(|failure| FailureRow::of(failure.feed, library, visitor))
            .collect();
        let shown = u64::try_from(failures.len().min(FAILED_SHOWN)).unwrap_or(0);
        let more = counts.failed.saturating_sub(shown);
        let all = counts.all().saturating_add(progress.left_out);
        ImportView {
            id: ImportId(0),
            is_done: counts.waiting == 0,
            heading: w.count_with(g.of_feeds, counts.all(), &[("done", &w.number(done))]),
            failed: (counts.failed > 0).then(|| w.count(g.failed, counts.failed)),
            facts: facts(visitor, progress, &counts),
            picture: chart::ticks(&marks(&progress.ticks), &counts.words(w)),
            failures: failures.into_iter().take(FAILED_SHOWN).collect(),
            more_failed: (more > 0).then(|| w.count(g.more_failed, more)),
            left_out: (progress.left_out > 0)
                .then(|| fill(g.left_out, &[("kept", &w.number(counts.all())), ("all", &w.number(all))])),
            complaints: progress.complaints.clone(),
            arrived: Vec::new(),
            here: "/subscribe",
        }
    }
}

impl FailureRow {
    /// None when the person has left it since.
    fn of(feed: FeedId, library: &Library, visitor: &Visitor) -> Option<FailureRow> {
        let one = library.feeds.get(&feed)?;
        let trouble = trouble(one, LastItem::Unsaid, visitor)?;
        Some(FailureRow { feed, name: library.name(feed)?, trouble })
    }
}

struct Counts {
    fetched: u64,
    failed: u64,
    waiting: u64,
}

impl Counts {
    fn of(ticks: &[Tick]) -> Counts {
        let count =
            |wanted: Tick| u64::try_from(ticks.iter().filter(|tick| **tick == wanted).count()).unwrap_or(0);
        Counts { fetched: count(Tick::Fetched), failed: count(Tick::Failed), waiting: count(Tick::Waiting) }
    }

    fn all(&self) -> u64 {
        self.fetched.saturating_add(self.failed).saturating_add(self.waiting)
    }

    fn words(&self, w: &'static Words) -> String {
        fill(
            w.getting_in.picture,
            &[
                ("all", &w.number(self.all())),
                ("done", &w.number(self.fetched)),
                ("failed", &w.number(self.failed)),
                ("waiting", &w.number(self.waiting)),
            ],
        )
    }
}

fn marks(ticks: &[Tick]) -> Vec<Mark> {
    ticks
        .iter()
        .map(|tick| match tick {
            Tick::Waiting => Mark::Waiting,
            Tick::Fetched => Mark::Done,
            Tick::Failed => Mark::Failed,
        })
        .collect()
}

/// `feeds.opml · 1,482 items so far · about 40 s left`.
fn facts(visitor: &Visitor, progress: &ImportProgress, counts: &Counts) -> String {
    let (w, g) = (visitor.words, &visitor.words.getting_in);
    let mut facts = vec![progress.name.clone(), w.count(g.items_so_far, progress.items)];
    let done = counts.fetched.saturating_add(counts.failed);
    if counts.waiting == 0 {
        facts.push(g.all_done.to_owned());
    } else if done >= DONE_TO_ESTIMATE {
        let spent = visitor.now().since(progress.started_at).as_secs();
        let left = spent.saturating_mul(counts.waiting) / done;
        // Rounded: it is an estimate, and a number that jumps says more than it knows.
        facts.push(match left {
            0..60 => w.count(g.seconds_left, left.div_ceil(10).max(1).saturating_mul(10)),
            _ => w.count(g.minutes_left, left.div_ceil(60)),
        });
    }
    facts.join(" · ")
}

/// The newest items, if this import may have brought them.
async fn arrived_rows(
    app: &App,
    visitor: &Visitor,
    library: &Library,
    progress: &ImportProgress,
) -> Result<Vec<ArrivedRow>, Problem> {
    let query = ListQuery {
        scope: Scope::All,
        unread_only: false,
        order: Order::NewestFirst,
        limit: ARRIVED_SHOWN,
        after: None,
    };
    let rows = app.store.list(visitor.id(), &query).await?;
    Ok(rows
        .into_iter()
        .filter(|row| row.item.first_seen_at >= progress.started_at)
        .map(|row| ArrivedRow {
            href: format!("{}/newest?item={}", app.base_path, row.item.id),
            title: row.item.title.clone().unwrap_or_else(|| visitor.words.list.untitled.to_owned()),
            icon: library.icon(row.item.feed),
            when: visitor.clock.ago(row.item.first_seen_at),
        })
        .collect())
}

#[derive(Template)]
#[template(path = "import_part.html")]
struct ImportPart<'a> {
    frame: &'a Frame,
    w: &'static Words,
    import: &'a ImportView,
}

#[derive(Template)]
#[template(path = "import_refused.html")]
struct RefusedPage<'a> {
    frame: &'a Frame,
    w: &'static Words,
    sentence: &'a str,
}
