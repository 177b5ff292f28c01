//! A person's settings for one feed: name, folder, full text, pause, retention, address, and how it is asked.
//!
//! Credentials are a trap for browsers that fill in logins by themselves (A11): their fields are not in the page until
//! asked for, are named unlike a login, and nothing of them is stored unless the switch beside them is on. What is
//! stored is sealed with a key outside the database and never shown again.

use crate::App;
use crate::errands::Refreshed;
use crate::feed::web_link;
use crate::getting_in::{FolderChoice, Found, folder_choices};
use crate::page::{Frame, render};
use crate::problem::Problem;
use crate::said::{Notice, Said, SaidQuery, Saying};
use crate::shell::{Here, Icon, Library, Shell, name_of};
use crate::visitor::Visitor;
use crate::words::{Words, fill};
use askama::Template;
use axum::Form;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::secret::FeedSecrets;
use domain::{FeedId, FolderId, Reason, Secret, Subscription};
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
use store::{FeedRetention, SubscribedFeed, SubscriptionEdit};
use url::Url;

const AGENT: &str = "User-Agent";
const TEXT_CHARS_MAX: usize = 200;
const HEADERS_MAX: usize = 8;
const HEADER_BYTES_MAX: usize = 2_048;
const ADDRESS_BYTES_MAX: usize = 2_048;
const DAYS_MAX: u32 = 36_500;
const ITEMS_MAX: u32 = 1_000_000;
const DAY_S: u64 = 86_400;

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Asked {
    /// 1 brings the fields for a password, a user agent and further headers.
    credentials: Option<u8>,
    /// 1 looks for the feed's new address at its site.
    find: Option<u8>,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Path(id): Path<i64>,
    headers: HeaderMap,
    Query(asked): Query<Asked>,
    Query(said): Query<SaidQuery>,
) -> Result<Response, Problem> {
    let mut page = Editing::load(&app, &visitor, FeedId(id), &headers, &said).await?;
    page.shows_access = asked.credentials == Some(1);
    if asked.find == Some(1) {
        page.find(&app, &visitor).await;
    }
    Ok(page.render(&visitor, StatusCode::OK))
}

/// What the form sends. A field that is missing leaves a thing as it is; a switch that is off is missing too, so the
/// form says beside it that it was there.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    /// The fields of the first part were there.
    settings: Option<u8>,
    title: String,
    folder: String,
    new_folder: String,
    full_text: Option<u8>,
    paused: Option<u8>,
    /// `own` with what it counts, `auto` by what is opened.
    counts: Option<String>,
    weight: Option<u8>,
    keep_days: Option<String>,
    keep_items: Option<String>,
    address: Option<String>,
    /// The fields for access were there.
    access: Option<u8>,
    send_access: Option<u8>,
    feed_account: String,
    feed_phrase: String,
    feed_agent: String,
    send_headers: Option<u8>,
    feed_headers: String,
}

pub(crate) async fn save(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Path(id): Path<i64>,
    headers: HeaderMap,
    Form(form): Form<Settings>,
) -> Result<Response, Problem> {
    let feed = FeedId(id);
    let one = app.store.subscription(visitor.id(), feed).await?.ok_or_else(Problem::not_found)?;
    let editor = Editor { app: &app, visitor: &visitor, one: &one, form: &form };
    match editor.save().await? {
        Saved::Wrong(sentence) => {
            let mut page = Editing::load(&app, &visitor, feed, &headers, &SaidQuery::default()).await?;
            page.shows_access = form.access.is_some();
            page.wrong = Some(sentence);
            if let Some(address) = form.address {
                page.address = address.chars().take(ADDRESS_BYTES_MAX).collect();
            }
            Ok(page.render(&visitor, StatusCode::UNPROCESSABLE_ENTITY))
        }
        Saved::As { feed, saying } => {
            Ok(Said::new(saying).answer(&app, &visitor, &headers, &format!("/feed/{feed}/edit")))
        }
    }
}

enum Saved {
    /// Nothing was stored; the sentence says what to change.
    Wrong(String),
    As {
        feed: FeedId,
        saying: Saying,
    },
}

struct Editor<'a> {
    app: &'a App,
    visitor: &'a Visitor,
    one: &'a SubscribedFeed,
    form: &'a Settings,
}

/// What to do about the address and how it is asked.
struct Plan {
    url: Url,
    secrets: FeedSecrets,
    dropped_password: bool,
}

impl Editor<'_> {
    async fn save(&self) -> Result<Saved, Problem> {
        let f = &self.visitor.words.feeds;
        // Everything is checked before anything is stored.
        let Some(retention) = self.retention() else {
            return Ok(Saved::Wrong(self.visitor.words.count(f.keep_wrong, u64::from(DAYS_MAX))));
        };
        let old = self.secrets().await?;
        let plan = match self.plan(&old) {
            Ok(plan) => plan,
            Err(sentence) => return Ok(Saved::Wrong(sentence)),
        };
        let (user, mut feed) = (self.visitor.id(), self.one.feed.id);
        if self.form.settings.is_some() {
            let edit = self.edit().await?;
            self.app.store.edit_subscription(user, feed, &edit).await?;
        }
        if let Some(retention) = retention
            && may_keep(self.app, self.visitor, feed).await?
        {
            self.app.store.set_feed_retention(feed, retention).await?;
        }
        let has_new_url = plan.url.as_str() != self.one.feed.url;
        if has_new_url || plan.secrets != old {
            feed = self.change_feed(&plan, has_new_url).await?;
        }
        let saying = if plan.dropped_password { Saying::PasswordDropped } else { Saying::Saved };
        Ok(Saved::As { feed, saying })
    }

    async fn edit(&self) -> Result<SubscriptionEdit, Problem> {
        let form = self.form;
        let title: String = form.title.trim().chars().take(500).collect();
        let name: String =
            form.new_folder.trim().chars().filter(|c| !c.is_control()).take(TEXT_CHARS_MAX).collect();
        let folder = if !name.is_empty() {
            Some(self.app.store.add_folder(self.visitor.id(), None, &name).await?)
        } else if form.folder.is_empty() || form.folder == "0" {
            None
        } else {
            Some(FolderId(form.folder.parse().map_err(|_| Problem::bad_form())?))
        };
        Ok(SubscriptionEdit {
            title: Some((!title.is_empty()).then_some(title)),
            folder: Some(folder),
            full_text: Some(form.full_text.is_some()),
            important: None,
            paused: Some(form.paused.is_some()),
            weight: self.weight(),
        })
    }

    #[expect(clippy::option_option, reason = "unchanged, by what is opened, or as said")]
    fn weight(&self) -> Option<Option<u8>> {
        match self.form.counts.as_deref() {
            Some("auto") => Some(None),
            Some("own") => self.form.weight.map(|weight| Some(weight.min(Subscription::WEIGHT_MAX))),
            _ => None,
        }
    }

    /// The outer None is wrong, the inner one leaves things as they are.
    #[expect(clippy::option_option, reason = "wrong, unchanged, or changed")]
    fn retention(&self) -> Option<Option<FeedRetention>> {
        let read = |text: &Option<String>, most: u32| -> Option<Option<u32>> {
            match text.as_deref().map(str::trim) {
                None | Some("") => Some(None),
                Some(text) => text.parse().ok().filter(|n| (1..=most).contains(n)).map(Some),
            }
        };
        let (days, count) = (read(&self.form.keep_days, DAYS_MAX)?, read(&self.form.keep_items, ITEMS_MAX)?);
        if self.form.keep_days.is_none() && self.form.keep_items.is_none() {
            return Some(None);
        }
        let age = days.map(|days| Duration::from_secs(u64::from(days).saturating_mul(DAY_S)));
        Some(Some(FeedRetention { age, count }))
    }

    async fn secrets(&self) -> Result<FeedSecrets, Problem> {
        read_secrets(self.app, self.visitor, self.one).await
    }

    fn plan(&self, old: &FeedSecrets) -> Result<Plan, String> {
        let f = &self.visitor.words.feeds;
        let old_url = Url::parse(&self.one.feed.url).map_err(|_| f.address_wrong)?;
        let typed = self.form.address.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let mut url = match typed {
            None => old_url.clone(),
            Some(text) if text.len() <= ADDRESS_BYTES_MAX => Url::parse(text).map_err(|_| f.address_wrong)?,
            Some(_) => return Err(f.address_wrong.to_owned()),
        };
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(f.address_wrong.to_owned());
        }
        let mut secrets = old.clone();
        // A password or a key goes nowhere but to the site it was given for (E11).
        let dropped_password = url.origin() != old_url.origin()
            && (old.user.is_some() || old.password.is_some() || old.headers.iter().any(is_further));
        if dropped_password {
            (secrets.user, secrets.password) = (None, None);
            secrets.headers.retain(|header| !is_further(header));
        }
        if let Some(found) = fetch::take_credentials(&mut url) {
            (secrets.user, secrets.password) = (found.user, found.password);
        }
        if self.form.access.is_some() {
            self.access(&mut secrets)?;
        }
        Ok(Plan { url, secrets, dropped_password })
    }

    fn access(&self, secrets: &mut FeedSecrets) -> Result<(), String> {
        let (f, form) = (&self.visitor.words.feeds, self.form);
        if form.send_access.is_some() {
            let (account, phrase) = (form.feed_account.trim(), form.feed_phrase.as_str());
            let is_long = |text: &str| text.chars().count() > TEXT_CHARS_MAX;
            let is_odd = account.contains(':') || account.chars().chain(phrase.chars()).any(char::is_control);
            if is_long(account) || is_long(phrase) || is_odd {
                return Err(f.access_account_wrong.to_owned());
            }
            secrets.user = (!account.is_empty()).then(|| account.to_owned());
            if !phrase.is_empty() {
                secrets.password = Some(Secret::new(phrase));
            }
        } else {
            // Whatever a browser filled in beside a switch that is off is not ours to keep (A11).
            (secrets.user, secrets.password) = (None, None);
        }
        // As with the password: off forgets them, on without any keeps those that are stored.
        if form.send_headers.is_none() {
            secrets.headers.clear();
        } else if form.feed_headers.trim().is_empty() {
            secrets.headers.retain(is_further);
        } else {
            secrets.headers = further_headers(&form.feed_headers, self.visitor.words)?;
        }
        let agent = form.feed_agent.trim();
        if !agent.is_empty() {
            let is_plain = agent.chars().all(|c| c == ' ' || c.is_ascii_graphic());
            if !is_plain || agent.len() > TEXT_CHARS_MAX {
                return Err(f.access_agent_wrong.to_owned());
            }
            secrets.headers.push((AGENT.to_owned(), Secret::new(agent)));
        }
        Ok(())
    }

    /// Changes the feed in place, or moves the person to one of their own; then asks for a check within its floors.
    async fn change_feed(&self, plan: &Plan, has_new_url: bool) -> Result<FeedId, Problem> {
        let (app, now) = (self.app, self.visitor.now());
        let sealed = if plan.secrets.is_empty() {
            None
        } else {
            Some(app.key.seal(&plan.secrets, plan.url.as_str())?)
        };
        let address = has_new_url.then(|| (plan.url.to_string(), fetch::provider(&plan.url)));
        let feed = app.store.make_private(self.visitor.id(), self.one.feed.id, sealed, address, now).await?;
        match app.errands.refresh(feed).await {
            Refreshed::NotBefore(until) => {
                app.store.bring_forward(feed, until, Reason::Asked).await?;
            }
            Refreshed::Done { .. } | Refreshed::Failed(_) | Refreshed::Halted | Refreshed::Gone => {}
        }
        app.errands.wake();
        Ok(feed)
    }
}

/// A header beside the user agent, which has a field of its own.
fn is_further((name, _): &(String, Secret)) -> bool {
    !name.eq_ignore_ascii_case(AGENT)
}

/// One `Name: value` a line. A sentence about a wrong line has its number only: the line may hold a key.
fn further_headers(text: &str, w: &Words) -> Result<Vec<(String, Secret)>, String> {
    let f = &w.feeds;
    let mut headers = Vec::new();
    for (place, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let header = line.split_once(':').and_then(|(name, value)| header(name.trim(), value.trim()));
        let header = header.filter(|_| line.len() <= HEADER_BYTES_MAX);
        headers.push(header.ok_or_else(|| fill(f.access_header_wrong, &[("n", &(place + 1))]))?);
        if headers.len() > HEADERS_MAX {
            return Err(fill(f.access_headers_many, &[("n", &HEADERS_MAX)]));
        }
    }
    Ok(headers)
}

/// `fetch` refuses again whatever cannot be sent (E14): here a person hears of it at once.
fn header(name: &str, value: &str) -> Option<(String, Secret)> {
    let header = (name.to_owned(), Secret::new(value));
    let is_sendable = !value.is_empty() && fetch::secret_header(name, value).is_ok();
    (is_sendable && is_further(&header)).then_some(header)
}

/// What a feed is sent; what cannot be opened any more counts as nothing, and is entered again.
async fn read_secrets(app: &App, visitor: &Visitor, one: &SubscribedFeed) -> Result<FeedSecrets, Problem> {
    let sealed = app.store.feed_secret(visitor.id(), one.feed.id).await?;
    Ok(sealed.and_then(|sealed| app.key.open(&sealed, &one.feed.url).ok()).unwrap_or_default())
}

/// A feed's own retention is for everybody who follows it, so it is an administrator's or the only reader's.
async fn may_keep(app: &App, visitor: &Visitor, feed: FeedId) -> Result<bool, Problem> {
    if visitor.account.user.is_admin {
        return Ok(true);
    }
    let schedule = app.store.feed_schedule(feed).await?;
    Ok(schedule.is_some_and(|schedule| schedule.subscribers <= 1))
}

/// What the feed counts in Buzz: as said, and by what is opened.
struct WeightView {
    is_own: bool,
    /// In hundredths, where the slider stands.
    own: u32,
    now: String,
}

impl WeightView {
    async fn load(app: &App, visitor: &Visitor, one: &SubscribedFeed) -> Result<WeightView, Problem> {
        let w = visitor.words;
        let shares = app.ear.shares(app, visitor.id(), visitor.now()).await?;
        let (counts, by_opened) = crate::ear::counts(one, &shares);
        let (opened, items) = shares.get(&one.feed.id).map_or((0, 0), |share| (share.opened, share.items));
        Ok(WeightView {
            is_own: one.subscription.weight.is_some(),
            own: (counts * 100.0).round() as u32,
            now: fill(
                w.buzz.weight_now,
                &[
                    ("opened", &w.number(u64::from(opened))),
                    ("items", &w.number(u64::from(items))),
                    ("n", &w.decimal(f64::from(by_opened))),
                ],
            ),
        })
    }
}

/// The page and what it shows.
struct Editing {
    shell: Shell,
    one: SubscribedFeed,
    name: String,
    icon: Icon,
    folders: Vec<FolderChoice>,
    address: String,
    keep: Option<(String, String)>,
    weight: WeightView,
    account: String,
    has_password: bool,
    agent: String,
    has_headers: bool,
    shows_access: bool,
    found: Option<(String, Found)>,
    notice: Option<Notice>,
    wrong: Option<String>,
}

impl Editing {
    async fn load(
        app: &App,
        visitor: &Visitor,
        feed: FeedId,
        headers: &HeaderMap,
        said: &SaidQuery,
    ) -> Result<Editing, Problem> {
        let library = Library::load(app, visitor).await?;
        let one = library.feeds.get(&feed).cloned().ok_or_else(Problem::not_found)?;
        let shell = Shell::load(app, visitor, headers, &library, Here::Feed(feed)).await?;
        let secrets = read_secrets(app, visitor, &one).await?;
        let keep = if may_keep(app, visitor, feed).await? {
            let kept = app.store.feed_retention(feed).await?;
            let days = kept.age.map(|age| (age.as_secs() / DAY_S).to_string());
            Some((days.unwrap_or_default(), kept.count.map(|count| count.to_string()).unwrap_or_default()))
        } else {
            None
        };
        let agent = secrets.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(AGENT));
        let weight = WeightView::load(app, visitor, &one).await?;
        let back = format!("/feed/{feed}/edit");
        Ok(Editing {
            name: name_of(&one).to_owned(),
            icon: library.icon(feed),
            folders: folder_choices(&library),
            address: one.feed.url.clone(),
            keep,
            weight,
            has_password: secrets.user.is_some() || secrets.password.is_some(),
            agent: agent.map(|(_, value)| value.reveal().to_owned()).unwrap_or_default(),
            has_headers: secrets.headers.iter().any(is_further),
            account: secrets.user.clone().unwrap_or_default(),
            shows_access: false,
            found: None,
            notice: said.notice(visitor, &back, |feed| library.name(feed)),
            wrong: None,
            shell,
            one,
        })
    }

    /// Looks at the feed's site, or where it was, for feeds to follow instead.
    async fn find(&mut self, app: &App, visitor: &Visitor) {
        let library = match Library::load(app, visitor).await {
            Ok(library) => library,
            Err(_) => return,
        };
        let site = self.one.feed.facts.site_url.as_deref().and_then(web_link).map(|(href, _)| href);
        let place = site.or_else(|| {
            let mut url = Url::parse(&self.one.feed.url).ok()?;
            url.set_path("/");
            url.set_query(None);
            Some(url.to_string())
        });
        if let Some(place) = place {
            let found = Found::look(app, visitor, &library, &place).await;
            self.found = Some((place, found));
        }
    }

    fn render(&self, visitor: &Visitor, status: StatusCode) -> Response {
        let w = visitor.words;
        let own = self.one.feed.facts.title.as_deref().unwrap_or(&self.one.feed.url);
        let page = EditPage {
            shell: &self.shell,
            frame: &self.shell.frame,
            w,
            page: self,
            feed: self.one.feed.id,
            heading: fill(w.feeds.edit_title, &[("name", &self.name)]),
            own_name: self.one.subscription.title.clone().unwrap_or_default(),
            own_name_hint: fill(w.feeds.own_name_hint, &[("title", &own)]),
            folder: self.one.subscription.folder.unwrap_or(FolderId(0)),
            full_text: self.one.subscription.full_text,
            paused: self.one.subscription.paused,
            found_at: self.found.as_ref().map(|(place, _)| fill(w.feeds.candidates, &[("place", place)])),
            none_found: self.found.as_ref().and_then(|(_, found)| {
                let why = found.sentence.as_ref()?;
                Some(fill(w.feeds.candidates_none, &[("why", why)]))
            }),
            notice: &self.notice,
        };
        render(status, &page)
    }
}

#[derive(Template)]
#[template(path = "feed_edit.html")]
struct EditPage<'a> {
    shell: &'a Shell,
    frame: &'a Frame,
    w: &'static Words,
    page: &'a Editing,
    feed: FeedId,
    heading: String,
    own_name: String,
    own_name_hint: String,
    folder: FolderId,
    full_text: bool,
    paused: bool,
    found_at: Option<String>,
    none_found: Option<String>,
    notice: &'a Option<Notice>,
}
