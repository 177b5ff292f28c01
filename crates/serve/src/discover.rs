//! `/discover`: channels by words, by a text, by a list of feeds, by what the person reads, like another one, or
//! popular here; each with why, and one click to follow it.
//!
//! Only channels of this server are known: nothing is asked of the web. Asking changes nothing, also where it is a POST
//! because it brings a text or a file along.

pub(crate) mod ask;
pub(crate) mod row;

use crate::App;
use crate::channels::{Channels, Found, compared};
use crate::getting_in::{PackRow, packs};
use crate::page::{Frame, render};
use crate::problem::Problem;
use crate::said::{Notice, Said, SaidQuery, Saying, Undo};
use crate::shell::{Here, Library, Shell};
use crate::visitor::{Visitor, wants_json};
use crate::words::{Words, fill};
use ask::{ASKED_BYTES_MAX, Answer, Ask, Wanted};
use askama::Template;
use axum::extract::{Multipart, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Form, Json};
use domain::{FeedId, NewSubscription};
use learn::Together;
use row::{Around, ChannelRow};
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use store::{Channel, Wish};

/// Channels on a page, and popular ones beside.
const SHOWN: usize = 30;
const POPULAR_BESIDE: u32 = 5;
const TOGETHER_BESIDE: usize = 5;
const TOGETHER_LOOKED_AT: usize = 50;
/// As learning calls the model of feeds that the same people follow.
const TOGETHER: &str = "together";
/// With fewer channels than this, packs are offered too.
const FEW_CHANNELS: usize = 40;
/// Recent titles of a channel.
const TITLES: u32 = 2;
const WORDS_CHARS_MAX: usize = 500;
/// Parts of a form beside what is asked: room for their names.
pub(crate) const FORM_BYTES_MAX: usize = ASKED_BYTES_MAX + (64 << 10);
/// Off when an administrator does not want to show what many follow.
pub(crate) const POPULAR_SETTING: &str = "discover.popular";

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Asked {
    q: Option<String>,
    like: Option<i64>,
    by: Option<String>,
}

/// Which way is open on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Reading,
    Words,
    Text,
    Opml,
    Like,
    Popular,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Extension(channels): Extension<Arc<Channels>>,
    visitor: Visitor,
    headers: HeaderMap,
    Query(asked): Query<Asked>,
    Query(said): Query<SaidQuery>,
) -> Result<Response, Problem> {
    let page = Page::open(&app, &channels, &visitor, &headers, &said).await?;
    let words: Option<String> = asked
        .q
        .map(|words| words.trim().chars().take(WORDS_CHARS_MAX).collect::<String>())
        .filter(|words| !words.is_empty());
    let (way, wanted, back) = match (words, asked.like, asked.by.as_deref()) {
        (Some(words), ..) => {
            let encoded: String = url::form_urlencoded::byte_serialize(words.as_bytes()).collect();
            (Way::Words, Some(Wanted::Words(words)), format!("/discover?q={encoded}"))
        }
        (None, Some(feed), _) => {
            (Way::Like, Some(Wanted::Like(FeedId(feed))), format!("/discover?like={feed}"))
        }
        (None, None, Some("words")) => (Way::Words, None, "/discover?by=words".to_owned()),
        (None, None, Some("text")) => (Way::Text, None, "/discover?by=text".to_owned()),
        (None, None, Some("opml")) => (Way::Opml, None, "/discover?by=opml".to_owned()),
        (None, None, Some("popular")) => (Way::Popular, None, "/discover?by=popular".to_owned()),
        (None, None, _) => (Way::Reading, Some(Wanted::Reading), "/discover".to_owned()),
    };
    page.answer(&app, &channels, &visitor, way, wanted, &back).await
}

/// A text or a file to be compared.
pub(crate) async fn compare(
    State(app): State<Arc<App>>,
    Extension(channels): Extension<Arc<Channels>>,
    visitor: Visitor,
    headers: HeaderMap,
    form: Multipart,
) -> Result<Response, Problem> {
    let sent = Sent::read(form).await?;
    let page = Page::open(&app, &channels, &visitor, &headers, &SaidQuery::default()).await?;
    let (way, wanted) = match sent.file {
        Some(bytes) => (Way::Opml, Wanted::Opml(bytes)),
        None => (Way::Text, Wanted::Text(sent.text)),
    };
    let back = if way == Way::Opml { "/discover?by=opml" } else { "/discover?by=text" };
    page.answer(&app, &channels, &visitor, way, Some(wanted), back).await
}

#[derive(Default)]
struct Sent {
    text: String,
    file: Option<Vec<u8>>,
}

impl Sent {
    /// The route bounds the whole; a part is never larger.
    async fn read(mut form: Multipart) -> Result<Sent, Problem> {
        const PARTS_MAX: usize = 4;
        let mut sent = Sent::default();
        for _ in 0..PARTS_MAX {
            let refused =
                |error: axum::extract::multipart::MultipartError| Problem::of_status(error.status());
            let Some(part) = form.next_field().await.map_err(refused)? else { break };
            let name = part.name().map(str::to_owned);
            let bytes = part.bytes().await.map_err(refused)?;
            match name.as_deref() {
                Some("text") => sent.text = String::from_utf8_lossy(&bytes).into_owned(),
                Some("file") => sent.file = Some(bytes.to_vec()),
                _ => {}
            }
        }
        Ok(sent)
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct Chosen {
    feed: i64,
    #[serde(default)]
    back: String,
}

/// Follows a channel that this server polls already: nothing has to be fetched for it.
pub(crate) async fn follow(
    State(app): State<Arc<App>>,
    Extension(channels): Extension<Arc<Channels>>,
    visitor: Visitor,
    headers: HeaderMap,
    Form(chosen): Form<Chosen>,
) -> Result<Response, Problem> {
    let (user, feed) = (visitor.id(), FeedId(chosen.feed));
    let back = if chosen.back.starts_with('/') { chosen.back.as_str() } else { "/discover" };
    let followed = app.store.subscriptions(user).await?;
    let n = u64::try_from(feed.0).unwrap_or(0);
    if followed.iter().any(|one| one.feed.id == feed) {
        return Ok(
            Said { saying: Saying::FollowedAlready, n, undo: None }.answer(&app, &visitor, &headers, back)
        );
    }
    if !channels.is_offered(&app, user, feed).await? {
        return Err(Problem::not_found());
    }
    let known = app.store.feed(feed).await?.filter(|feed| feed.private_to.is_none());
    let known = known.ok_or_else(Problem::not_found)?;
    if followed.len() >= app.limits.subscriptions_max {
        return Ok(Said::new(Saying::NoRoom).answer(&app, &visitor, &headers, back));
    }
    let url = url::Url::parse(&known.url).map_err(|_| Problem::not_found())?;
    let wish = Wish {
        provider: fetch::provider(&url),
        subscription: NewSubscription { url: known.url, title: None, site_url: None, folder: Vec::new() },
        private: false,
        sealed: None,
    };
    let done = app.store.subscribe(user, &wish, visitor.now(), visitor.now()).await?;
    app.errands.wake();
    let said = Said { saying: Saying::Followed, n, undo: None }.with(Undo::Leave(done.feed));
    if wants_json(&headers) {
        let name = known.facts.title.unwrap_or(wish.subscription.url);
        let text = fill(visitor.words.getting_in.followed, &[("name", &name)]);
        let undo = said.undo.as_ref().map(Undo::to_string);
        return Ok(Json(serde_json::json!({ "ok": true, "said": text, "undo": undo })).into_response());
    }
    Ok(said.answer(&app, &visitor, &headers, back))
}

/// Recent titles, by feed.
pub(crate) async fn titles(
    app: &App,
    visitor: &Visitor,
    channels: impl Iterator<Item = FeedId>,
) -> Result<HashMap<FeedId, Vec<String>>, Problem> {
    let feeds: Vec<FeedId> = channels.collect();
    let mut titles: HashMap<FeedId, Vec<String>> = HashMap::new();
    for (feed, title) in app.store.channel_titles(visitor.id(), &feeds, TITLES).await? {
        titles.entry(feed).or_default().push(title);
    }
    Ok(titles)
}

/// What people follow who follow what this person follows: at least five follow both, and anybody may know of it.
async fn together(
    app: &App,
    channels: &Channels,
    visitor: &Visitor,
    library: &Library,
) -> Result<Vec<Channel>, Problem> {
    let Some(model) = app.store.model(TOGETHER).await? else { return Ok(Vec::new()) };
    let follows: Vec<FeedId> = library.feeds.keys().copied().collect();
    let found = compared(app, move || {
        // A table that cannot be read is made again by whoever writes it.
        Together::from_bytes(&model.state).unwrap_or_default().recommend(&follows, TOGETHER_LOOKED_AT)
    });
    let feeds: Vec<FeedId> = found.await?.into_iter().map(|one| one.feed).collect();
    let offered = channels.offered(app, visitor.id(), &feeds).await?;
    let feeds: Vec<FeedId> =
        feeds.into_iter().filter(|feed| offered.contains(feed)).take(TOGETHER_BESIDE).collect();
    Ok(app.store.channels_by_id(visitor.id(), &feeds).await?)
}

/// Whether what many follow is shown.
pub(crate) async fn shows_popular(app: &App) -> Result<bool, Problem> {
    Ok(app.store.setting(POPULAR_SETTING).await?.as_deref() != Some("off"))
}

/// Everything but what is asked for.
struct Page {
    shell: Shell,
    library: Library,
    follows: Arc<HashSet<FeedId>>,
    notice: Option<Notice>,
    known: usize,
    popular: Vec<Channel>,
    /// What people follow who follow what this person follows.
    together: Vec<Channel>,
    shows_popular: bool,
    back: String,
}

impl Page {
    async fn open(
        app: &App,
        channels: &Channels,
        visitor: &Visitor,
        headers: &HeaderMap,
        said: &SaidQuery,
    ) -> Result<Page, Problem> {
        let library = Library::load(app, visitor).await?;
        let shell = Shell::load(app, visitor, headers, &library, Here::Discover).await?;
        let shows_popular = shows_popular(app).await?;
        let limit = u32::try_from(SHOWN).unwrap_or(POPULAR_BESIDE);
        Ok(Page {
            follows: Arc::new(library.feeds.keys().copied().collect()),
            notice: said.notice(visitor, "/discover", |feed| library.name(feed)),
            known: channels.count(app, visitor.id()).await?,
            popular: if shows_popular { app.store.popular(visitor.id(), limit).await? } else { Vec::new() },
            together: if shows_popular {
                together(app, channels, visitor, &library).await?
            } else {
                Vec::new()
            },
            shows_popular,
            back: String::new(),
            shell,
            library,
        })
    }

    async fn answer(
        mut self,
        app: &App,
        channels: &Channels,
        visitor: &Visitor,
        way: Way,
        wanted: Option<Wanted>,
        back: &str,
    ) -> Result<Response, Problem> {
        let w = visitor.words;
        back.clone_into(&mut self.back);
        if let Some(notice) = &mut self.notice {
            back.clone_into(&mut notice.back);
        }
        let words = match &wanted {
            Some(Wanted::Words(words)) => words.clone(),
            _ => String::new(),
        };
        let ask = Ask {
            app,
            channels,
            user: visitor.id(),
            words: w,
            follows: self.follows.clone(),
            now: visitor.now(),
        };
        let mut refusal = None;
        let answer = match wanted {
            _ if way == Way::Popular => {
                let found = self.popular.iter().map(|one| Found::of(one.clone(), None)).collect();
                Some(Answer { found, note: None, like: None })
            }
            None => None,
            Some(wanted) => match ask.answer(wanted, SHOWN).await? {
                Ok(answer) => Some(answer),
                Err(why) => {
                    refusal = Some(why.sentence(w));
                    None
                }
            },
        };
        self.render(app, visitor, way, words, answer.as_ref(), refusal).await
    }

    async fn render(
        &self,
        app: &App,
        visitor: &Visitor,
        way: Way,
        words: String,
        answer: Option<&Answer>,
        refusal: Option<&'static str>,
    ) -> Result<Response, Problem> {
        let w = visitor.words;
        let found: &[Found] = answer.map_or(&[], |answer| answer.found.as_slice());
        let titles = titles(app, visitor, found.iter().map(|one| one.channel.feed)).await?;
        let base = app.base_path.as_str();
        let around = Around { base, w, follows: &self.follows, titles: &titles };
        let beside: &[Channel] = if way == Way::Popular { &[] } else { &self.popular };
        let is_few = self.known < FEW_CHANNELS || answer.is_some_and(|answer| answer.found.is_empty());
        let page = DiscoverPage {
            frame: &self.shell.frame,
            w,
            notice: &self.notice,
            lede: match self.known {
                0 => w.discover.lede_none.to_owned(),
                known => w.count(w.discover.lede, count(known)),
            },
            ways: ways(way, base, w, self.shows_popular),
            shows_text: way == Way::Text,
            shows_opml: way == Way::Opml,
            title: answer.map(|answer| title(way, answer, &words, w)),
            sub: (way == Way::Reading && answer.is_some_and(|one| one.note.is_none()))
                .then_some(w.discover.by_opens),
            note: answer.and_then(|answer| answer.note).map(|note| note.sentence(w)),
            has_found: !found.is_empty(),
            refusal,
            rows: found.iter().map(|one| ChannelRow::of(one, &around)).collect(),
            popular: beside
                .iter()
                .take(POPULAR_BESIDE as usize)
                .map(|one| ChannelRow::of(&Found::of(one.clone(), None), &around))
                .collect(),
            together: self
                .together
                .iter()
                .map(|one| ChannelRow::of(&Found::of(one.clone(), None), &around))
                .collect(),
            packs: if is_few { packs(&self.library, w) } else { Vec::new() },
            back: self.back.clone(),
            words,
            shell: &self.shell,
        };
        let status = if refusal.is_some() && way != Way::Reading {
            StatusCode::UNPROCESSABLE_ENTITY
        } else {
            StatusCode::OK
        };
        Ok(render(status, &page))
    }
}

fn title(way: Way, answer: &Answer, words: &str, w: &'static Words) -> String {
    let (d, n) = (&w.discover, count(answer.found.len()));
    let like = answer.like.as_deref().unwrap_or_default();
    let (some, none) = match way {
        Way::Words => (d.found_words, d.none_words),
        Way::Text => (d.found_text, d.none_other),
        Way::Opml => (d.found_opml, d.none_other),
        Way::Like => (d.found_like, d.none_other),
        Way::Reading => (d.found_reading, d.none_reading),
        Way::Popular => (d.found_popular, d.none_popular),
    };
    w.count_with(if n == 0 { none } else { some }, n, &[("words", &words), ("name", &like)])
}

struct WayLink {
    label: &'static str,
    href: String,
    is_here: bool,
}

fn ways(here: Way, base: &str, w: &'static Words, shows_popular: bool) -> Vec<WayLink> {
    let d = &w.discover;
    let all = [
        (Way::Reading, d.way_reading, "/discover"),
        (Way::Words, d.way_words, "/discover?by=words"),
        (Way::Text, d.way_text, "/discover?by=text"),
        (Way::Opml, d.way_opml, "/discover?by=opml"),
        (Way::Popular, d.way_popular, "/discover?by=popular"),
    ];
    all.into_iter()
        .filter(|(way, ..)| *way != Way::Popular || shows_popular)
        .map(|(way, label, path)| WayLink { label, href: format!("{base}{path}"), is_here: way == here })
        .collect()
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

#[derive(Template)]
#[template(path = "discover.html")]
struct DiscoverPage<'a> {
    shell: &'a Shell,
    frame: &'a Frame,
    w: &'static Words,
    notice: &'a Option<Notice>,
    lede: String,
    ways: Vec<WayLink>,
    words: String,
    shows_text: bool,
    shows_opml: bool,
    title: Option<String>,
    sub: Option<&'static str>,
    note: Option<String>,
    has_found: bool,
    refusal: Option<&'static str>,
    rows: Vec<ChannelRow>,
    together: Vec<ChannelRow>,
    popular: Vec<ChannelRow>,
    packs: Vec<PackRow>,
    back: String,
}
