//! `/settings`: one person's account, devices, tokens and ways of reading. On the phone it is also "More".

pub(crate) mod account;
pub(crate) mod comfort;
pub(crate) mod save_to;

use crate::App;
use crate::page::render;
use crate::portable::IMPORT_BYTES_MAX;
use crate::problem::Problem;
use crate::shell::{Here, Library, Shell};
use crate::visitor::{Visitor, wants_json};
use crate::when::When;
use crate::words::{Words, fill};
use askama::Template;
use axum::Json;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::preferences::{
    Density, Font, Images, Language, MARK_READ_DELAY_S, MarkRead, ReadingOrder, SaveTo, Start, TextSize,
    TextWidth, Theme,
};
use domain::{Preferences, SessionId};
use serde::Deserialize;
use std::sync::Arc;

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Asked {
    /// What the form before did; a word of [`sentence`].
    #[serde(default)]
    said: String,
    #[serde(default)]
    n: u64,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let told = sentence(&asked, visitor.words).map(Told::said).unwrap_or_default();
    page(&app, &visitor, &headers, StatusCode::OK, told).await
}

fn sentence(asked: &Asked, w: &'static Words) -> Option<String> {
    let s = &w.settings;
    Some(match asked.said.as_str() {
        "saved" => s.saved.to_owned(),
        "password" => s.password_changed.to_owned(),
        "name" => s.renamed.to_owned(),
        "ended" => s.ended.to_owned(),
        "others" => w.count(s.ended_others, asked.n),
        "token" => s.token_gone.to_owned(),
        _ => return None,
    })
}

/// What the page says about the form that led to it.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) said: Option<String>,
    pub(crate) wrong: Wrong,
    /// A new token, shown this once.
    pub(crate) token: Option<String>,
}

/// A sentence beside each field that needs a change.
#[derive(Debug, Default)]
pub(crate) struct Wrong {
    pub(crate) name: Option<String>,
    pub(crate) old: Option<String>,
    pub(crate) password: Option<String>,
    pub(crate) again: Option<String>,
    pub(crate) zone: Option<String>,
    pub(crate) token: Option<String>,
    pub(crate) import: Option<String>,
    pub(crate) save_to: Option<String>,
}

impl Wrong {
    fn first(&self) -> Option<&str> {
        [
            &self.name,
            &self.old,
            &self.password,
            &self.again,
            &self.zone,
            &self.token,
            &self.import,
            &self.save_to,
        ]
        .into_iter()
        .find_map(Option::as_deref)
    }
}

impl Told {
    pub(crate) fn said(sentence: String) -> Told {
        Told { said: Some(sentence), ..Told::default() }
    }

    pub(crate) fn wrong(wrong: Wrong) -> Told {
        Told { wrong, ..Told::default() }
    }
}

/// The whole page, also as the answer to a form that needs a change.
pub(crate) async fn page(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    status: StatusCode,
    told: Told,
) -> Result<Response, Problem> {
    if let (true, Some(sentence)) = (wants_json(headers), told.wrong.first()) {
        return Ok((status, Json(serde_json::json!({ "error": sentence }))).into_response());
    }
    let library = Library::load(app, visitor).await?;
    let shell = Shell::load(app, visitor, headers, &library, Here::Settings).await?;
    let (sessions, tokens) =
        tokio::try_join!(app.store.sessions(visitor.id(), visitor.now()), app.store.tokens(visitor.id()))?;
    let (w, clock) = (visitor.words, &visitor.clock);
    let device = |session: store::Session| Device {
        is_this: session.id == visitor.session,
        last_seen: clock.ago(session.last_seen_at),
        since: clock.ago(session.created_at),
        end_label: fill(w.settings.end_label, &[("device", &session.label)]),
        id: session.id,
        label: session.label,
        address: session.address,
    };
    let token = |token: store::TokenInfo| Token {
        made: clock.ago(token.created_at),
        used: token.last_used_at.map(|at| clock.ago(at)),
        remove_label: fill(w.settings.token_remove_label, &[("name", &token.label)]),
        id: token.id,
        label: token.label,
    };
    let likes = visitor.likes();
    let page = SettingsPage {
        choices: choices(likes, w),
        menus: menus(likes, w),
        languages: languages(likes, w),
        zone: likes.time_zone.as_deref().unwrap_or_default(),
        zones: jiff::tz::db().available().map(|name| name.as_str().to_owned()).collect(),
        devices: sessions.into_iter().map(device).collect(),
        tokens: tokens.into_iter().map(token).collect(),
        services: likes.save_to.iter().map(|one| service(one, w)).collect(),
        known: save_to::KNOWN,
        known_hint: known_hint(w),
        import_hint: w.count(w.settings.import_hint, (IMPORT_BYTES_MAX >> 20) as u64),
        shell: &shell,
        w,
        told: &told,
    };
    Ok(render(status, &page))
}

struct Device {
    id: SessionId,
    label: String,
    address: String,
    last_seen: When,
    since: When,
    is_this: bool,
    end_label: String,
}

struct Token {
    id: i64,
    label: String,
    made: When,
    used: Option<When>,
    remove_label: String,
}

/// Where items can be sent to.
struct Service {
    name: String,
    host: String,
    remove_label: String,
}

fn service(one: &SaveTo, w: &'static Words) -> Service {
    let host = one.address.split('/').nth(2).unwrap_or_default();
    Service {
        remove_label: fill(w.settings.save_to_remove_label, &[("name", &one.name)]),
        name: one.name.clone(),
        host: host.to_owned(),
    }
}

fn known_hint(w: &'static Words) -> String {
    let names: Vec<&str> = save_to::KNOWN.iter().map(|(name, _)| *name).collect();
    fill(w.settings.save_to_name_hint, &[("known", &names.join(", "))])
}

/// One thing to choose, with all its values.
struct Choice {
    name: &'static str,
    label: &'static str,
    values: Vec<Value>,
}

struct Value {
    value: &'static str,
    label: String,
    is_on: bool,
}

fn value(value: &'static str, label: &str, now: &str) -> Value {
    Value { value, label: label.to_owned(), is_on: value == now }
}

/// What is shown as a row of buttons.
fn choices(likes: &Preferences, w: &'static Words) -> Vec<Choice> {
    let (s, l, c) = (&w.settings, &w.list, &w.common);
    let theme = |one: Theme| match one {
        Theme::System => s.theme_system,
        Theme::Light => s.theme_light,
        Theme::Dark => s.theme_dark,
    };
    let font = |one: Font| match one {
        Font::Serif => s.font_serif,
        Font::Sans => s.font_sans,
    };
    let width = |one: TextWidth| match one {
        TextWidth::Narrow => s.width_narrow,
        TextWidth::Normal => s.width_normal,
        TextWidth::Wide => s.width_wide,
    };
    let density = |one: Density| match one {
        Density::Titles => l.density_titles,
        Density::Normal => l.density_normal,
        Density::Cards => l.density_cards,
    };
    let order = |one: ReadingOrder| match one {
        ReadingOrder::NewestFirst => l.order_newest,
        ReadingOrder::OldestFirst => l.order_oldest,
    };
    let start = |one: Start| match one {
        Start::ForYou => w.foryou.title,
        Start::Newest => c.newest,
        Start::Unread => c.unread,
        Start::Starred => c.starred,
    };
    let yes_or_no = |on: bool| if on { "yes" } else { "no" };
    let choice = |name, label, values| Choice { name, label, values };
    let of = |now: &'static str, all: Vec<(&'static str, &'static str)>| -> Vec<Value> {
        all.into_iter().map(|(name, label)| value(name, label, now)).collect()
    };
    vec![
        choice(
            "theme",
            s.theme,
            of(likes.theme.name(), Theme::ALL.iter().map(|one| (one.name(), theme(*one))).collect()),
        ),
        choice(
            "font",
            s.font,
            of(likes.font.name(), Font::ALL.iter().map(|one| (one.name(), font(*one))).collect()),
        ),
        choice(
            "text_size",
            s.size,
            of(likes.text_size.name(), TextSize::ALL.iter().map(|one| (one.name(), one.name())).collect()),
        ),
        choice(
            "text_width",
            s.width,
            of(likes.text_width.name(), TextWidth::ALL.iter().map(|one| (one.name(), width(*one))).collect()),
        ),
        choice(
            "density",
            s.density,
            of(likes.density.name(), Density::ALL.iter().map(|one| (one.name(), density(*one))).collect()),
        ),
        choice(
            "order",
            s.order,
            of(likes.order.name(), ReadingOrder::ALL.iter().map(|one| (one.name(), order(*one))).collect()),
        ),
        choice(
            "hide_read",
            s.hide_read,
            of(yes_or_no(likes.hide_read), vec![("yes", s.hide_yes), ("no", s.hide_no)]),
        ),
        choice(
            "group_stories",
            s.group,
            of(yes_or_no(likes.group_stories), vec![("no", s.group_no), ("yes", s.group_yes)]),
        ),
        choice(
            "start",
            s.start,
            of(likes.start.name(), Start::ALL.iter().map(|one| (one.name(), start(*one))).collect()),
        ),
    ]
}

/// What has long labels and is shown as a menu.
fn menus(likes: &Preferences, w: &'static Words) -> Vec<Choice> {
    let s = &w.settings;
    let mark = |one: &MarkRead| {
        let label = match one {
            MarkRead::OnOpen => s.mark_open.to_owned(),
            MarkRead::OnScroll => s.mark_scroll.to_owned(),
            MarkRead::AfterDelay => w.count(s.mark_delay, MARK_READ_DELAY_S),
            MarkRead::Never => s.mark_never.to_owned(),
        };
        value(one.name(), &label, likes.mark_read.name())
    };
    let images = |one: &Images| {
        let label = match one {
            Images::Proxy => s.images_proxy,
            Images::Direct => s.images_direct,
            Images::Hidden => s.images_none,
        };
        value(one.name(), label, likes.images.name())
    };
    vec![
        Choice { name: "mark_read", label: s.mark_read, values: MarkRead::ALL.iter().map(mark).collect() },
        Choice { name: "images", label: s.images, values: Images::ALL.iter().map(images).collect() },
    ]
}

/// A language is called what its speakers call it.
fn languages(likes: &Preferences, w: &'static Words) -> Vec<Value> {
    let now = likes.language.map_or("", Language::name);
    let name = |one: &Language| match one {
        Language::English => "English",
        Language::German => "Deutsch",
    };
    let own = Language::ALL.iter().map(|one| value(one.name(), name(one), now));
    std::iter::once(value("", w.settings.language_browser, now)).chain(own).collect()
}

#[derive(Template)]
#[template(path = "settings.html")]
struct SettingsPage<'a> {
    shell: &'a Shell,
    w: &'static Words,
    told: &'a Told,
    choices: Vec<Choice>,
    menus: Vec<Choice>,
    languages: Vec<Value>,
    zone: &'a str,
    zones: Vec<String>,
    devices: Vec<Device>,
    tokens: Vec<Token>,
    services: Vec<Service>,
    known_hint: String,
    known: &'static [(&'static str, &'static str)],
    import_hint: String,
}
