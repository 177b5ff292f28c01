//! One item, open: its text, its facts, its players.

use crate::App;
use crate::foryou::ForYou;
use crate::foryou::why::{self, WhyLine};
use crate::list::{allow_direct, title_of};
use crate::media::Signer;
use crate::own_path::OwnPath;
use crate::page::{Frame, render};
use crate::problem::Problem;
use crate::shell::{Icon, Library};
use crate::visitor::{Visitor, wants_json};
use crate::when::When;
use crate::words::{Words, fill};
use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Form, Json};
use domain::preferences::{SAVE_TO_MAX, SaveTo};
use domain::{Enclosure, FeedId, ItemId};
use html::MediaKind;
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
use store::{HiddenBy, OpenItem};

/// Words a person reads in a minute.
const READING_PACE: u32 = 230;

/// Everything the template needs; texts are ready to be shown.
pub(crate) struct ItemView {
    pub(crate) id: ItemId,
    pub(crate) feed: FeedId,
    pub(crate) title: String,
    pub(crate) source: String,
    pub(crate) icon: Icon,
    pub(crate) is_followed: bool,
    pub(crate) author: Option<String>,
    pub(crate) link: Option<String>,
    pub(crate) mail: Option<String>,
    /// Address and label of each service that takes the link.
    pub(crate) save_to: Vec<(String, String)>,
    /// None for what is never shared.
    pub(crate) share: Option<Share>,
    pub(crate) published: When,
    pub(crate) found: Option<String>,
    pub(crate) reading_time: Option<String>,
    pub(crate) edited: Option<String>,
    pub(crate) tags: Vec<TagLink>,
    pub(crate) filed_under: Option<String>,
    pub(crate) is_unread: bool,
    pub(crate) is_starred: bool,
    pub(crate) hidden: Option<String>,
    /// Sanitised by `html`, with media addresses rewritten; the only text a template prints unescaped.
    pub(crate) body: String,
    pub(crate) language: Option<String>,
    pub(crate) is_full: bool,
    pub(crate) can_be_full: bool,
    /// Why there is no full text.
    pub(crate) trouble: Option<String>,
    pub(crate) players: Vec<Player>,
    pub(crate) downloads: Vec<Download>,
    pub(crate) picture: Option<String>,
    /// Why it stands where it stands, for somebody who comes from For you.
    pub(crate) why: Option<WhyLine>,
}

/// How an item is shared with friends.
pub(crate) struct Share {
    pub(crate) is_shared: bool,
    pub(crate) note: String,
}

pub(crate) struct TagLink {
    pub(crate) name: String,
    pub(crate) href: String,
}

/// Something to listen to or to watch.
pub(crate) struct Player {
    pub(crate) index: u32,
    pub(crate) is_video: bool,
    pub(crate) src: String,
    pub(crate) label: String,
    /// Where the person stopped.
    pub(crate) position: f64,
    pub(crate) original: String,
}

pub(crate) struct Download {
    pub(crate) href: String,
    pub(crate) label: String,
}

impl ItemView {
    /// `full` asks for the fetched article or for the feed's own text; none follows the subscription's setting.
    pub(crate) async fn load(
        app: &App,
        visitor: &Visitor,
        library: &Library,
        id: ItemId,
        full: Option<bool>,
    ) -> Result<Option<ItemView>, Problem> {
        let Some(open) = app.store.item(visitor.id(), id).await? else { return Ok(None) };
        ItemView::of(app, visitor, library, &open, full).await.map(Some)
    }

    /// The library has at least the item's feed in it.
    async fn of(
        app: &App,
        visitor: &Visitor,
        library: &Library,
        open: &OpenItem,
        full: Option<bool>,
    ) -> Result<ItemView, Problem> {
        let id = open.row.item.id;
        let subscribed = library.feeds.get(&open.row.item.feed);
        let wants_full = full.unwrap_or_else(|| subscribed.is_some_and(|one| one.subscription.full_text));
        let article = if wants_full { app.store.full_text(id).await? } else { None };
        let positions = if open.body.enclosures.is_empty() {
            Vec::new()
        } else {
            app.store.media_position(visitor.id(), id).await?
        };
        let rule = match open.row.hidden {
            Some(HiddenBy::Rule(rule)) => {
                let rules = app.store.rules(visitor.id()).await?;
                rules
                    .iter()
                    .find(|one| one.id == rule)
                    .map(|one| crate::rule_words::name(&one.order, library, visitor.words))
            }
            _ => None,
        };
        let maker = Maker { app, visitor, library, signer: Signer::new(app, visitor) };
        let mut view = maker.view(open, article, &positions, rule);
        // What has credentials is never shared (A6), and what is not followed cannot be.
        if subscribed.is_some_and(|one| one.feed.private_to.is_none()) {
            let note = app.store.share_note(visitor.id(), id).await?;
            view.share = Some(Share { is_shared: note.is_some(), note: note.unwrap_or_default() });
        }
        Ok(view)
    }
}

struct Maker<'a> {
    app: &'a App,
    visitor: &'a Visitor,
    library: &'a Library,
    signer: Signer,
}

impl Maker<'_> {
    fn view(
        &self,
        open: &OpenItem,
        article: Option<store::FullText>,
        positions: &[(u32, f64)],
        rule: Option<String>,
    ) -> ItemView {
        let (row, body, w) = (&open.row, &open.body, self.visitor.words);
        let item = &row.item;
        let full = article.as_ref().and_then(|article| article.html.as_deref());
        let own = body.content.as_deref().or(body.summary.as_deref()).unwrap_or_default();
        let text = self.signer.rewrite(full.unwrap_or(own));
        let has_picture = text.contains("<img");
        let title = title_of(row, w);
        let link = item.link.as_deref().filter(|link| is_web(link)).map(str::to_owned);
        ItemView {
            id: item.id,
            feed: item.feed,
            source: self.library.name(item.feed).unwrap_or_else(|| w.list.unknown_feed.to_owned()),
            icon: self.library.icon(item.feed),
            is_followed: self.library.feeds.contains_key(&item.feed),
            author: item.author.clone(),
            mail: link.as_deref().map(|link| mail(&title, link)),
            save_to: link.as_deref().map(|link| self.save_to(link, &title)).unwrap_or_default(),
            share: None,
            can_be_full: link.is_some(),
            link,
            published: self.published(open),
            found: self.found(open),
            reading_time: (item.preview.words >= READING_PACE / 2).then(|| {
                w.count(w.item.to_read, u64::from(item.preview.words.div_ceil(READING_PACE).max(1)))
            }),
            edited: (item.revision > 0).then(|| w.count(w.item.edited, u64::from(item.revision))),
            tags: open.tags.iter().map(|tag| self.tag_link(tag)).collect(),
            filed_under: (!body.tags.is_empty())
                .then(|| fill(w.item.publishers_tags, &[("tags", &body.tags.join(", "))])),
            is_unread: !row.is_read,
            is_starred: row.is_starred,
            hidden: row.hidden.map(|_| match &rule {
                Some(rule) => fill(w.item.hidden_rule, &[("rule", rule)]),
                None => w.item.hidden.to_owned(),
            }),
            language: body.language.clone(),
            is_full: full.is_some(),
            trouble: article
                .as_ref()
                .filter(|article| article.html.is_none())
                .and_then(|article| article.sentence.as_deref())
                .map(|why| fill(w.item.full_failed, &[("why", &w.told(why))])),
            players: self.players(&body.enclosures, positions),
            downloads: self.downloads(&body.enclosures),
            picture: body
                .enclosures
                .iter()
                .find(|one| !has_picture && kind_of(one) == Some(MediaKind::Image))
                .and_then(|one| self.signer.image(&one.url)),
            body: text,
            why: None,
            title,
        }
    }

    fn save_to(&self, link: &str, title: &str) -> Vec<(String, String)> {
        let services = self.visitor.likes().save_to.iter().take(SAVE_TO_MAX);
        services
            // Settings may have come in with a file from elsewhere.
            .filter_map(|one| SaveTo::new(&one.name, &one.address))
            .map(|one| {
                let label = fill(self.visitor.words.item.save_to, &[("name", &one.name)]);
                (one.link(link, title, encode), label)
            })
            .collect()
    }

    /// What the publisher said, or when we saw it first.
    fn published(&self, open: &OpenItem) -> When {
        let item = &open.row.item;
        let at = item.published_at.unwrap_or(item.sort_at);
        self.visitor.clock.ago(at)
    }

    /// How long after posting it was found, where we were watching by then.
    fn found(&self, open: &OpenItem) -> Option<String> {
        const BELIEVABLE: Duration = Duration::from_secs(30 * 86_400);
        let (item, w) = (&open.row.item, self.visitor.words);
        let posted = item.published_at?;
        let watched_since = self.library.feeds.get(&item.feed)?.feed.created_at;
        let late = item.first_seen_at.since(posted);
        let is_honest = posted > watched_since && posted <= item.first_seen_at && late < BELIEVABLE;
        is_honest.then(|| match late.as_secs() {
            0..60 => w.item.found_at_once.to_owned(),
            _ => fill(w.item.found_after, &[("span", &self.visitor.clock.span(late))]),
        })
    }

    fn tag_link(&self, tag: &str) -> TagLink {
        let place = crate::list::Place::Tag(tag.to_owned());
        TagLink { name: tag.to_owned(), href: format!("{}/{place}", self.app.base_path) }
    }

    fn players(&self, enclosures: &[Enclosure], positions: &[(u32, f64)]) -> Vec<Player> {
        let w = self.visitor.words;
        enclosures
            .iter()
            .zip(0_u32..)
            .filter_map(|(one, index)| {
                let kind = kind_of(one).filter(|kind| *kind != MediaKind::Image)?;
                let is_video = kind == MediaKind::Video;
                let text = if is_video { w.item.watch } else { w.item.listen };
                Some(Player {
                    index,
                    is_video,
                    src: self.signer.media(&one.url, kind)?,
                    label: fill(text, &[("name", &file_name(&one.url))]),
                    position: positions
                        .iter()
                        .find(|(at, _)| *at == index)
                        .map_or(0.0, |(_, seconds)| *seconds),
                    original: one.url.clone(),
                })
            })
            .collect()
    }

    fn downloads(&self, enclosures: &[Enclosure]) -> Vec<Download> {
        let w = self.visitor.words;
        enclosures
            .iter()
            .filter(|one| kind_of(one).is_none() && is_web(&one.url))
            .map(|one| Download {
                href: one.url.clone(),
                label: fill(w.item.download, &[("name", &file_name(&one.url))]),
            })
            .collect()
    }
}

/// Whether a link may be followed. `parse` lets nothing else through; a page does not rely on it (X4).
pub(crate) fn is_web(address: &str) -> bool {
    let scheme = address.split(':').next().unwrap_or_default();
    scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http")
}

/// What an enclosure is, by its declared type, else by its name.
fn kind_of(enclosure: &Enclosure) -> Option<MediaKind> {
    let declared = enclosure.media_type.as_deref().unwrap_or_default().to_ascii_lowercase();
    let path = enclosure.url.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    let ends = |names: &[&str]| names.iter().any(|name| path.ends_with(name));
    if declared.starts_with("audio/") || ends(&[".mp3", ".m4a", ".ogg", ".opus", ".flac", ".wav", ".aac"]) {
        Some(MediaKind::Audio)
    } else if declared.starts_with("video/") || ends(&[".mp4", ".webm", ".m4v", ".mov"]) {
        Some(MediaKind::Video)
    } else if declared.starts_with("image/") || ends(&[".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif"]) {
        Some(MediaKind::Image)
    } else {
        None
    }
}

fn file_name(url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(url);
    name.chars().take(60).collect()
}

fn encode(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20")
}

fn mail(title: &str, link: &str) -> String {
    format!("mailto:?subject={}&body={}", encode(title), encode(link))
}

#[derive(Debug, Deserialize)]
pub(crate) struct Asked {
    full: Option<u8>,
}

/// The reading pane alone, for scripts.
pub(crate) async fn part(
    State(app): State<Arc<App>>,
    Extension(foryou): Extension<Arc<ForYou>>,
    visitor: Visitor,
    Path(id): Path<i64>,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let open = app.store.item(visitor.id(), ItemId(id)).await?.ok_or_else(Problem::not_found)?;
    // People step through items quickly: their other feeds are read only where the name of a rule needs them.
    let library = match open.row.hidden {
        Some(HiddenBy::Rule(_)) => Library::load(&app, &visitor).await?,
        _ => Library::of_feed(&app, &visitor, open.row.item.feed).await?,
    };
    let full = asked.full.map(|full| full == 1);
    let item = ItemView::of(&app, &visitor, &library, &open, full).await?;
    let item = ItemView { why: why::line(&app, &foryou, &visitor, &library, item.id).await?, ..item };
    let frame = Frame::new(&app.base_path, visitor.words);
    let mut response = render(StatusCode::OK, &ItemPart { frame: &frame, w: visitor.words, item: &item });
    allow_direct(&mut response, &visitor);
    Ok(response)
}

#[derive(Debug, Deserialize)]
pub(crate) struct Wanted {
    #[serde(default)]
    back: String,
}

/// Fetches the article behind an item, once for everybody, and shows it.
pub(crate) async fn full_text(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Path(id): Path<i64>,
    headers: HeaderMap,
    Form(wanted): Form<Wanted>,
) -> Result<Response, Problem> {
    let id = ItemId(id);
    app.store.item(visitor.id(), id).await?.ok_or_else(Problem::not_found)?;
    let outcome = app.errands.full_text(visitor.id(), id).await;
    if wants_json(&headers) {
        let w = visitor.words;
        return Ok(match outcome {
            Ok(_) => Json(serde_json::json!({ "ok": true })).into_response(),
            Err(why) => {
                let sentence = fill(w.item.full_failed, &[("why", &w.told(&why))]);
                Json(serde_json::json!({ "ok": false, "error": sentence })).into_response()
            }
        });
    }
    let mark = if wanted.back.contains('?') { '&' } else { '?' };
    Ok(OwnPath::parse(&app.base_path, &format!("{}{mark}full=1", wanted.back)).redirect())
}

#[derive(Debug, Deserialize)]
pub(crate) struct Position {
    enclosure: u32,
    seconds: f64,
}

/// Remembers where the person stopped listening.
pub(crate) async fn position(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Path(id): Path<i64>,
    Form(at): Form<Position>,
) -> Result<Response, Problem> {
    const SECONDS_MAX: f64 = 7.0 * 86_400.0;
    let is_sane = at.seconds.is_finite() && (0.0..=SECONDS_MAX).contains(&at.seconds);
    let item = app.store.item(visitor.id(), ItemId(id)).await?.ok_or_else(Problem::not_found)?;
    if !is_sane || item.body.enclosures.get(at.enclosure as usize).is_none() {
        return Err(Problem::bad_form());
    }
    app.store.set_media_position(visitor.id(), ItemId(id), at.enclosure, at.seconds, visitor.now()).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

#[derive(Template)]
#[template(path = "item_part.html")]
struct ItemPart<'a> {
    frame: &'a Frame,
    w: &'static Words,
    item: &'a ItemView,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_enclosure_is_played_by_its_type_or_its_name() {
        let enclosure = |url: &str, kind: Option<&str>| Enclosure {
            url: url.into(),
            media_type: kind.map(str::to_owned),
            bytes: None,
            seconds: None,
        };
        assert_eq!(kind_of(&enclosure("https://a.test/x", Some("audio/mpeg"))), Some(MediaKind::Audio));
        assert_eq!(kind_of(&enclosure("https://a.test/x.MP4?sig=1", None)), Some(MediaKind::Video));
        assert_eq!(kind_of(&enclosure("https://a.test/x.pdf", Some("application/pdf"))), None);
        assert_eq!(file_name("https://a.test/deep/episode%201.mp3?x=1"), "episode%201.mp3");
    }

    #[test]
    fn a_mail_cannot_be_given_more_recipients_by_a_title() {
        let mail = mail("a&bcc=b@c.test\r\nCc: d", "https://a.test/?x=1&y=2");
        assert!(!mail.contains("&bcc") && !mail.contains('\r') && mail.matches('&').count() == 1, "{mail}");
    }
}
