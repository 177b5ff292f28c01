//! Lists of items: For you, Newest, Unread, Starred, Hidden, a folder, a feed, a tag; each with or without an open item.

use crate::App;
use crate::foryou::{self, ForYou, Pin};
use crate::item::{ItemView, is_web};
use crate::layers::CSP_DIRECT;
use crate::media::Signer;
use crate::page::render;
use crate::problem::Problem;
use crate::shell::{Here, Icon, Library, Shell};
use crate::story::{Stories, StoryView};
use crate::visitor::Visitor;
use crate::when::When;
use crate::words::{Words, fill};
use askama::Template;
use axum::Extension;
use axum::extract::{OriginalUri, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use domain::preferences::{Density, Images, ReadingOrder};
use domain::{FeedId, FolderId, ItemId, RuleId, Timestamp};
use serde::Deserialize;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use store::{Cursor, HiddenBy, ListQuery, ListRow, Order, Scope, UpTo};

/// Rows on one page; more come when the reader gets there, and a page asked for again has as many as it had then.
const ROWS: u32 = 50;
const ROWS_MAX: u32 = 200;

/// A list by its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    ForYou,
    Newest,
    Unread,
    Starred,
    Hidden,
    Folder(FolderId),
    Feed(FeedId),
    Tag(String),
}

impl Place {
    /// From a path such as `/feed/12`; what is no list is none.
    pub(crate) fn parse(path: &str) -> Option<Place> {
        let path = path.strip_prefix('/').unwrap_or(path);
        let id = |text: &str| text.parse::<i64>().ok();
        match path.split_once('/') {
            None => match path {
                "foryou" => Some(Place::ForYou),
                "newest" => Some(Place::Newest),
                "unread" => Some(Place::Unread),
                "starred" => Some(Place::Starred),
                "hidden" => Some(Place::Hidden),
                _ => None,
            },
            Some(("folder", rest)) => id(rest).map(|id| Place::Folder(FolderId(id))),
            Some(("feed", rest)) => id(rest).map(|id| Place::Feed(FeedId(id))),
            Some(("tag", rest)) => Some(Place::Tag(decoded(rest))),
            Some(_) => None,
        }
    }

    pub(crate) fn scope(&self) -> Scope {
        match self {
            Place::ForYou | Place::Newest | Place::Unread => Scope::All,
            Place::Starred => Scope::Starred,
            Place::Hidden => Scope::Hidden,
            Place::Folder(folder) => Scope::Folder(*folder),
            Place::Feed(feed) => Scope::Feed(*feed),
            Place::Tag(tag) => Scope::Tag(tag.clone()),
        }
    }

    fn here(&self) -> Here {
        match self {
            Place::ForYou => Here::ForYou,
            Place::Newest => Here::Newest,
            Place::Unread => Here::Unread,
            Place::Starred => Here::Starred,
            Place::Hidden => Here::Hidden,
            Place::Folder(folder) => Here::Folder(*folder),
            Place::Feed(feed) => Here::Feed(*feed),
            Place::Tag(_) => Here::Tags,
        }
    }

    /// New items of other lists do not belong into this one.
    pub(crate) fn takes_new_items(&self) -> bool {
        !matches!(self, Place::Starred | Place::Hidden | Place::Tag(_))
    }

    /// Whether copies of a story may share a row here; what a person has put somewhere stays as they put it. In For you they
    /// always do.
    fn may_group(&self) -> bool {
        matches!(self, Place::Newest | Place::Unread | Place::Folder(_) | Place::Feed(_))
    }

    /// Whether a feed of the person belongs into this list.
    fn takes_feed(&self, feed: FeedId, library: &Library) -> bool {
        match self {
            Place::ForYou | Place::Newest | Place::Unread => true,
            Place::Feed(one) => *one == feed,
            Place::Folder(folder) => library
                .feeds
                .get(&feed)
                .and_then(|one| one.subscription.folder)
                .is_some_and(|inner| library.within(*folder).contains(&inner)),
            Place::Starred | Place::Hidden | Place::Tag(_) => false,
        }
    }

    /// Whether reading is a matter of unread items only here.
    fn unread_only(&self, visitor: &Visitor, asked: &Asked) -> bool {
        match self {
            Place::ForYou | Place::Unread => true,
            Place::Folder(_) | Place::Feed(_) => asked.all.map_or(visitor.likes().hide_read, |all| all == 0),
            Place::Newest | Place::Starred | Place::Hidden | Place::Tag(_) => false,
        }
    }
}

/// As in addresses and in the record of what was seen; begins without a slash.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::ForYou => f.write_str("foryou"),
            Place::Newest => f.write_str("newest"),
            Place::Unread => f.write_str("unread"),
            Place::Starred => f.write_str("starred"),
            Place::Hidden => f.write_str("hidden"),
            Place::Folder(id) => write!(f, "folder/{id}"),
            Place::Feed(id) => write!(f, "feed/{id}"),
            Place::Tag(tag) => {
                let encoded: String = url::form_urlencoded::byte_serialize(tag.as_bytes()).collect();
                // In a path a plus is a plus.
                write!(f, "tag/{}", encoded.replace('+', "%20"))
            }
        }
    }
}

fn decoded(path: &str) -> String {
    let plus = path.replace('+', "%2B");
    url::form_urlencoded::parse(format!("t={plus}").as_bytes())
        .next()
        .map(|(_, tag)| tag.into_owned())
        .unwrap_or_default()
}

#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Asked {
    /// The open item.
    item: Option<i64>,
    /// The last row of the page before, as [`cursor_text`] writes it; in For you the moment and the row, as [`Pin`] does.
    pub(crate) after: Option<String>,
    /// 1 shows read items too, 0 hides them.
    all: Option<u8>,
    /// Show the fetched article of the open item.
    full: Option<u8>,
    /// For `/part/rows`: which list.
    place: Option<String>,
    /// Rows come before this position were shown already.
    from: Option<u32>,
    /// How many rows the page had before somebody went away and came back.
    rows: Option<u32>,
}

impl Asked {
    pub(crate) fn rows(&self) -> u32 {
        self.rows.unwrap_or(ROWS).clamp(ROWS, ROWS_MAX)
    }
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Extension(foryou): Extension<Arc<ForYou>>,
    visitor: Visitor,
    OriginalUri(uri): OriginalUri,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let path = uri.path().strip_prefix(app.base_path.as_str()).unwrap_or(uri.path());
    let place = Place::parse(path).ok_or_else(Problem::not_found)?;
    let library = Library::load(&app, &visitor).await?;
    let title = title(&place, &library, visitor.words).ok_or_else(Problem::not_found)?;
    // Read first, so that a page never claims to know more than it shows.
    let newest = app.store.newest_item().await?;
    let asked = pinned(&app, &foryou, &visitor, &place, asked).await?;
    let rows = Rows::load(&app, &foryou, &visitor, &library, &place, &asked).await?;
    let shell = Shell::load(&app, &visitor, &headers, &library, place.here()).await?;
    let item = match asked.item {
        None => None,
        Some(id) => {
            let (id, full) = (ItemId(id), asked.full.map(|full| full == 1));
            let item = ItemView::load(&app, &visitor, &library, id, full).await?;
            let why = foryou::why::line(&app, &foryou, &visitor, &library, id).await?;
            Some(ItemView { why, ..item.ok_or_else(Problem::not_found)? })
        }
    };
    let w = visitor.words;
    let page = ListPage {
        sub: sub(&place, &library, w),
        empty: Empty::of(&place, &library, &rows, w),
        // By what the page knew, not by the clock: an item may be dated a little ahead (D5).
        // What is ranked has no end: what is shown is marked.
        up_to: if place == Place::ForYou {
            String::new()
        } else {
            cursor_text(&Timestamp::FAR_FUTURE, newest)
        },
        shown: shown(&rows),
        newest,
        day: up_to_text(visitor.now(), 1, newest),
        week: up_to_text(visitor.now(), 7, newest),
        unread_only: place.unread_only(&visitor, &asked),
        can_filter: matches!(place, Place::Folder(_) | Place::Feed(_)),
        feed: match place {
            Place::Feed(feed) => Some(feed),
            _ => None,
        },
        back: back(&place, &asked),
        pin: asked.after.clone().filter(|_| place == Place::ForYou),
        density: visitor.likes().density.name(),
        place: place.to_string(),
        shell: &shell,
        w,
        title: &title,
        rows: &rows,
        item: &item,
    };
    let mut response = render(StatusCode::OK, &page);
    allow_direct(&mut response, &visitor);
    Ok(response)
}

/// What is ranked is ranked at a moment.
async fn pinned(
    app: &App,
    foryou: &ForYou,
    visitor: &Visitor,
    place: &Place,
    asked: Asked,
) -> Result<Asked, Problem> {
    if *place == Place::ForYou { foryou::rows::pinned(app, foryou, visitor, asked).await } else { Ok(asked) }
}

/// More rows of a list, for scripts that scroll on.
pub(crate) async fn rows(
    State(app): State<Arc<App>>,
    Extension(foryou): Extension<Arc<ForYou>>,
    visitor: Visitor,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let place = asked.place.as_deref().and_then(Place::parse).ok_or_else(Problem::not_found)?;
    let library = Library::load(&app, &visitor).await?;
    let asked = pinned(&app, &foryou, &visitor, &place, asked).await?;
    let rows = Rows::load(&app, &foryou, &visitor, &library, &place, &asked).await?;
    Ok(render(StatusCode::OK, &RowsPart { w: visitor.words, rows: &rows }))
}

pub(crate) async fn keys(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let library = Library::load(&app, &visitor).await?;
    let shell = Shell::load(&app, &visitor, &headers, &library, Here::Elsewhere).await?;
    Ok(render(StatusCode::OK, &KeysPage { shell: &shell, w: visitor.words }))
}

/// Pictures straight from their publishers need another policy, for this person only.
pub(crate) fn allow_direct(response: &mut Response, visitor: &Visitor) {
    if visitor.likes().images == Images::Direct {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CSP_DIRECT));
    }
}

/// One page of rows, with the way to the next.
pub(crate) struct Rows {
    pub(crate) rows: Vec<Row>,
    /// The address of the page after, for people without scripts.
    pub(crate) more: Option<String>,
    /// Its cursor, for scripts.
    pub(crate) after: Option<String>,
    /// What leads there.
    pub(crate) onward: &'static str,
    /// What stands above the rows.
    pub(crate) head: Option<foryou::rows::Head>,
}

pub(crate) struct Row {
    pub(crate) id: ItemId,
    pub(crate) feed: FeedId,
    pub(crate) href: String,
    pub(crate) source: String,
    pub(crate) icon: Icon,
    pub(crate) when: When,
    pub(crate) title: String,
    pub(crate) link: Option<String>,
    pub(crate) excerpt: Option<String>,
    pub(crate) picture: Option<String>,
    pub(crate) is_unread: bool,
    pub(crate) is_starred: bool,
    pub(crate) is_playable: bool,
    pub(crate) is_open: bool,
    /// Where else the story is told, when its copies share a row.
    pub(crate) story: Option<StoryView>,
    /// Why it stands where it stands, in For you.
    pub(crate) why: Option<String>,
    /// Which rule hid it, if one did.
    pub(crate) note: Option<String>,
    /// In its list, from 0.
    pub(crate) position: u32,
}

impl Rows {
    async fn load(
        app: &App,
        foryou: &ForYou,
        visitor: &Visitor,
        library: &Library,
        place: &Place,
        asked: &Asked,
    ) -> Result<Rows, Problem> {
        if *place == Place::ForYou {
            return foryou::rows::load(app, foryou, visitor, library, asked).await;
        }
        let order = visitor.likes().order;
        let query = ListQuery {
            scope: place.scope(),
            unread_only: place.unread_only(visitor, asked),
            order: match order {
                ReadingOrder::NewestFirst => Order::NewestFirst,
                ReadingOrder::OldestFirst => Order::OldestFirst,
            },
            limit: asked.rows() + 1,
            after: asked.after.as_deref().and_then(read_cursor),
        };
        let mut found = app.store.list(visitor.id(), &query).await?;
        let has_more = found.len() > asked.rows() as usize;
        found.truncate(asked.rows() as usize);
        let after = found.last().filter(|_| has_more).map(|row| cursor_text(&row.item.sort_at, row.item.id));
        let rules = rule_names(app, visitor, library, &found).await?;
        let stories = if place.may_group() && visitor.likes().group_stories {
            let ids: Vec<ItemId> = found.iter().map(|row| row.item.id).collect();
            Stories::load(app, visitor.id(), &ids).await?
        } else {
            Stories::default()
        };
        let stands_before = |other: &ListRow, row: &ListRow| {
            let (one, two) = ((other.item.sort_at, other.item.id), (row.item.sort_at, row.item.id));
            let is_before = if order == ReadingOrder::NewestFirst { one > two } else { one < two };
            is_before && !(query.unread_only && other.is_read) && place.takes_feed(other.item.feed, library)
        };
        let shown =
            found.iter().filter(|row| stories.is_shown(row.item.id, |other| stands_before(other, row)));
        let first = asked.from.unwrap_or(0).min(100_000);
        let maker =
            RowMaker { app, visitor, library, place, rules: &rules, signer: Signer::new(app, visitor) };
        let rows = shown
            .zip(first..)
            .map(|(row, position)| {
                let story = stories.view(row, visitor, library, |item| maker.href(item, asked));
                Row { story, ..maker.row(row, position, asked) }
            })
            .collect();
        let more = after.as_ref().map(|after| {
            let all = asked.all.map(|all| format!("&all={all}")).unwrap_or_default();
            format!("{}/{place}?after={after}{all}", app.base_path)
        });
        let l = &visitor.words.list;
        let onward = if order == ReadingOrder::NewestFirst { l.older } else { l.later };
        Ok(Rows { rows, more, after, onward, head: None })
    }
}

/// The names of a person's rules, where one of these rows needs them.
pub(crate) async fn rule_names<'a>(
    app: &App,
    visitor: &Visitor,
    library: &Library,
    rows: impl IntoIterator<Item = &'a ListRow>,
) -> Result<HashMap<RuleId, String>, Problem> {
    if !rows.into_iter().any(|row| matches!(row.hidden, Some(HiddenBy::Rule(_)))) {
        return Ok(HashMap::new());
    }
    let rules = app.store.rules(visitor.id()).await?;
    Ok(rules
        .into_iter()
        .map(|rule| (rule.id, crate::rule_words::name(&rule.order, library, visitor.words)))
        .collect())
}

/// What turns stored rows into shown ones; the same for lists and for offline reading.
pub(crate) struct RowMaker<'a> {
    pub(crate) app: &'a App,
    pub(crate) visitor: &'a Visitor,
    pub(crate) library: &'a Library,
    pub(crate) place: &'a Place,
    pub(crate) rules: &'a HashMap<RuleId, String>,
    pub(crate) signer: Signer,
}

impl RowMaker<'_> {
    /// The same list with an item open.
    pub(crate) fn href(&self, item: ItemId, asked: &Asked) -> String {
        let all = asked.all.map(|all| format!("&all={all}")).unwrap_or_default();
        let is_ours = |text: &&String| match self.place {
            Place::ForYou => Pin::parse(text, self.visitor.now()).is_some(),
            _ => read_cursor(text).is_some(),
        };
        let after = asked.after.as_ref().filter(is_ours);
        let after = after.map(|after| format!("&after={after}")).unwrap_or_default();
        let rows = asked.rows.map(|_| format!("&rows={}", asked.rows())).unwrap_or_default();
        format!("{}/{}?item={item}{after}{all}{rows}", self.app.base_path, self.place)
    }

    pub(crate) fn row(&self, row: &ListRow, position: u32, asked: &Asked) -> Row {
        let (item, w) = (&row.item, self.visitor.words);
        let wants_picture = self.visitor.likes().density == Density::Cards;
        Row {
            id: item.id,
            feed: item.feed,
            href: self.href(item.id, asked),
            source: self.library.name(item.feed).unwrap_or_else(|| w.list.unknown_feed.to_owned()),
            icon: self.library.icon(item.feed),
            when: self.visitor.clock.ago(item.sort_at),
            title: title_of(row, w),
            link: item.link.clone().filter(|link| is_web(link)),
            excerpt: item.preview.excerpt.clone().filter(|_| self.visitor.likes().density != Density::Titles),
            picture: item
                .preview
                .picture
                .as_deref()
                .filter(|_| wants_picture)
                .and_then(|url| self.signer.image(url)),
            is_unread: !row.is_read,
            is_starred: row.is_starred,
            is_playable: item.preview.playable,
            is_open: asked.item == Some(item.id.0),
            story: None,
            why: None,
            note: row.hidden.map(|by| self.note(by)),
            position,
        }
    }

    fn note(&self, by: HiddenBy) -> String {
        let l = &self.visitor.words.list;
        match by {
            HiddenBy::Person => l.hidden_by_you.to_owned(),
            HiddenBy::Rule(rule) => {
                let name = self.rules.get(&rule).map_or("", String::as_str);
                fill(l.hidden_by_rule, &[("rule", &name)])
            }
        }
    }
}

/// A title to show: its own, else the beginning of its text.
pub(crate) fn title_of(row: &ListRow, w: &'static Words) -> String {
    const CHARS: usize = 80;
    let own = row.item.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
    let excerpt =
        || row.item.preview.excerpt.as_deref().map(|text| text.chars().take(CHARS).collect::<String>());
    own.map(str::to_owned).or_else(excerpt).unwrap_or_else(|| w.list.untitled.to_owned())
}

pub(crate) fn cursor_text(sort_at: &Timestamp, id: ItemId) -> String {
    format!("{}-{id}", sort_at.micros())
}

pub(crate) fn read_cursor(text: &str) -> Option<Cursor> {
    let (sort_at, id) = text.rsplit_once('-')?;
    Some(Cursor { sort_at: Timestamp::from_micros(sort_at.parse().ok()?), id: ItemId(id.parse().ok()?) })
}

/// How far "mark read" reaches, as the page knew it; see [`read_up_to`].
fn up_to_text(now: Timestamp, days: u64, newest: ItemId) -> String {
    let before = now.saturating_sub(std::time::Duration::from_secs(days * 86_400));
    format!("{}-{newest}", before.micros())
}

pub(crate) fn read_up_to(text: &str) -> Option<UpTo> {
    read_cursor(text).map(|Cursor { sort_at, id }| UpTo { sort_at, item: id })
}

fn title(place: &Place, library: &Library, w: &'static Words) -> Option<String> {
    let c = &w.common;
    Some(match place {
        Place::ForYou => w.foryou.title.to_owned(),
        Place::Newest => c.newest.to_owned(),
        Place::Unread => c.unread.to_owned(),
        Place::Starred => c.starred.to_owned(),
        Place::Hidden => c.hidden.to_owned(),
        Place::Folder(folder) => library.folder(*folder)?.name.clone(),
        Place::Feed(feed) => library.name(*feed)?,
        Place::Tag(tag) => tag.clone(),
    })
}

/// All items of the rows, those within a story too, as marks name them.
fn shown(rows: &Rows) -> String {
    let of = |row: &Row| row.story.as_ref().map_or_else(|| row.id.to_string(), |story| story.group.clone());
    rows.rows.iter().map(of).collect::<Vec<_>>().join(",")
}

/// How much there is to read here.
fn sub(place: &Place, library: &Library, w: &'static Words) -> String {
    let unread = match place {
        Place::ForYou | Place::Newest | Place::Unread => library.unread(),
        Place::Folder(folder) => library.unread_within(*folder),
        Place::Feed(feed) => library.feeds.get(feed).map_or(0, |one| one.subscription.unread),
        Place::Starred | Place::Hidden | Place::Tag(_) => return String::new(),
    };
    w.count(w.list.n_unread, unread)
}

/// Where a form without scripts returns to.
fn back(place: &Place, asked: &Asked) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    if let Some(item) = asked.item {
        query.append_pair("item", &item.to_string());
    }
    if let Some(after) = &asked.after {
        query.append_pair("after", after);
    }
    if let Some(all) = asked.all {
        query.append_pair("all", &all.to_string());
    }
    if asked.rows.is_some() {
        query.append_pair("rows", &asked.rows().to_string());
    }
    let query = query.finish();
    if query.is_empty() { format!("/{place}") } else { format!("/{place}?{query}") }
}

/// What an empty list says, and where it leads.
struct Empty {
    title: &'static str,
    sentence: &'static str,
    leads_to_feeds: bool,
}

impl Empty {
    fn of(place: &Place, library: &Library, rows: &Rows, w: &'static Words) -> Option<Empty> {
        let l = &w.list;
        if !rows.rows.is_empty() {
            return None;
        }
        let is_reading = matches!(place, Place::ForYou | Place::Newest | Place::Unread);
        if library.feeds.is_empty() && is_reading {
            return Some(Empty { title: l.empty_feeds_title, sentence: l.empty_feeds, leads_to_feeds: true });
        }
        let (title, sentence) = match place {
            Place::ForYou => (w.foryou.empty_title, w.foryou.empty),
            Place::Unread => (l.empty_unread_title, l.empty_unread),
            Place::Newest => (l.empty_newest_title, l.empty_newest),
            Place::Starred => (l.empty_starred_title, l.empty_starred),
            Place::Hidden => (l.empty_hidden_title, l.empty_hidden),
            Place::Tag(_) => (l.empty_tag_title, l.empty_tag),
            Place::Folder(_) | Place::Feed(_) => (l.empty_scope_title, l.empty_scope),
        };
        Some(Empty { title, sentence, leads_to_feeds: false })
    }
}

#[derive(Template)]
#[template(path = "list.html")]
struct ListPage<'a> {
    shell: &'a Shell,
    w: &'static Words,
    title: &'a str,
    sub: String,
    place: String,
    density: &'static str,
    rows: &'a Rows,
    item: &'a Option<ItemView>,
    empty: Option<Empty>,
    up_to: String,
    newest: ItemId,
    day: String,
    week: String,
    unread_only: bool,
    can_filter: bool,
    feed: Option<FeedId>,
    back: String,
    /// The items of all rows.
    shown: String,
    /// The moment of a ranked list.
    pin: Option<String>,
}

#[derive(Template)]
#[template(path = "rows.html")]
struct RowsPart<'a> {
    w: &'static Words,
    rows: &'a Rows,
}

#[derive(Template)]
#[template(path = "keys.html")]
struct KeysPage<'a> {
    shell: &'a Shell,
    w: &'static Words,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_known_by_its_address_and_strangers_are_none() {
        let tag = Place::Tag("C++ & co/ é".into());
        for place in [
            Place::ForYou,
            Place::Newest,
            Place::Starred,
            Place::Feed(FeedId(12)),
            Place::Folder(FolderId(3)),
            tag,
        ] {
            assert_eq!(Place::parse(&format!("/{place}")).as_ref(), Some(&place), "{place}");
        }
        for odd in ["", "/", "/feed/", "/feed/x", "/feed/99999999999999999999", "/nowhere/1", "/setup"] {
            assert_eq!(Place::parse(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_cursor_survives_the_address_and_a_broken_one_is_the_beginning() {
        let text = cursor_text(&Timestamp::from_micros(-5), ItemId(7));
        assert_eq!(read_cursor(&text), Some(Cursor { sort_at: Timestamp::from_micros(-5), id: ItemId(7) }));
        for odd in ["", "-", "1", "a-b", "1-2-c"] {
            assert_eq!(read_cursor(odd), None, "{odd}");
        }
    }
}
