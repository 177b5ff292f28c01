//! The form of one rule: blank, prefilled from an item, tried, saved.

use super::draft::{Draft, DraftCondition, Refused, is_own, refusal};
use super::trial::{self, Trial};
use super::{Said, Undo, page as list_page};
use crate::App;
use crate::list::title_of;
use crate::page::render;
use crate::problem::Problem;
use crate::rule_words;
use crate::shell::{Here, Library, Shell, name_of};
use crate::visitor::Visitor;
use crate::words::{Words, fill};
use askama::Template;
use axum::Form;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::{ItemId, RuleAction, RuleField, RuleId, RuleOrder};
use serde::Deserialize;
use std::sync::Arc;
use store::{Mark, StoreError};

const TITLES_SHOWN: usize = 50;
const TRIAL_SECONDS: u64 = 4;

/// "Make a rule from this": what an item's link fills in.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Prefilled {
    feed: Option<i64>,
    author: Option<String>,
    title: Option<String>,
    #[serde(rename = "do")]
    action: Option<String>,
}

pub(crate) async fn new(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Query(given): Query<Prefilled>,
) -> Result<Response, Problem> {
    let mut draft = Draft::default();
    if let Some(feed) = given.feed {
        draft.scope = format!("feed:{feed}");
    }
    let fill_in = |field: RuleField, kind: &str, pattern: String| DraftCondition {
        field: field.name().to_owned(),
        kind: kind.to_owned(),
        pattern: pattern.chars().take(app.limits.pattern_chars_max).collect(),
        ..DraftCondition::default()
    };
    if let Some(author) = given.author.filter(|author| !author.is_empty()) {
        draft.conditions = vec![fill_in(RuleField::Author, "phrase", author)];
    } else if let Some(title) = given.title {
        draft.conditions = vec![fill_in(RuleField::Title, "words", title_words(&title))];
    }
    if let Some(action @ ("hide" | "read" | "star" | "tag")) = given.action.as_deref() {
        draft.action = action.to_owned();
    }
    let view = View { draft, id: None, refused: Refused::default(), trial: None };
    view.page(&app, &visitor, &headers, StatusCode::OK).await
}

/// The words of a title that say something: the longer ones.
fn title_words(title: &str) -> String {
    const CHARS_MIN: usize = 5;
    const WORDS_MAX: usize = 6;
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() >= CHARS_MIN);
    words.take(WORDS_MAX).collect::<Vec<_>>().join(", ")
}

pub(crate) async fn edit(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Path(id): Path<i64>,
) -> Result<Response, Problem> {
    let id = RuleId(id);
    let rules = app.store.rules(visitor.id()).await?;
    let rule = rules.into_iter().find(|rule| rule.id == id).ok_or_else(Problem::not_found)?;
    let view = View { draft: Draft::of(&rule.order), id: Some(id), refused: Refused::default(), trial: None };
    view.page(&app, &visitor, &headers, StatusCode::OK).await
}

/// Tries the rule, or adds or drops a condition; nothing is kept either way.
pub(crate) async fn try_out(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Form(pairs): Form<Vec<(String, String)>>,
) -> Result<Response, Problem> {
    let mut draft = Draft::read(&pairs, &app.limits);
    let id = given_id(&pairs);
    let wish =
        pairs.iter().rev().find(|(key, _)| key == "do").map(|(_, value)| value.as_str()).unwrap_or("try");
    if let Some(place) = wish.strip_prefix("drop-").and_then(|place| place.parse::<usize>().ok()) {
        if draft.conditions.len() > 1 && place < draft.conditions.len() {
            draft.conditions.remove(place);
        }
    } else if wish == "add" && draft.conditions.len() < app.limits.conditions_max {
        draft.conditions.push(DraftCondition::default());
    }
    let mut view = View { draft, id, refused: Refused::default(), trial: None };
    if wish != "try" {
        return view.page(&app, &visitor, &headers, StatusCode::OK).await;
    }
    match view.checked(&app, &visitor).await? {
        Some(order) => view.trial = Some(Tried::load(&app, &visitor, &order).await?),
        None => return view.page(&app, &visitor, &headers, StatusCode::UNPROCESSABLE_ENTITY).await,
    }
    view.page(&app, &visitor, &headers, StatusCode::OK).await
}

pub(crate) async fn save_new(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Form(pairs): Form<Vec<(String, String)>>,
) -> Result<Response, Problem> {
    save(&app, &visitor, &headers, &pairs, None).await
}

pub(crate) async fn save_edited(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
    Path(id): Path<i64>,
    Form(pairs): Form<Vec<(String, String)>>,
) -> Result<Response, Problem> {
    let id = RuleId(id);
    if !app.store.rules(visitor.id()).await?.iter().any(|rule| rule.id == id) {
        return Err(Problem::not_found());
    }
    save(&app, &visitor, &headers, &pairs, Some(id)).await
}

async fn save(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    pairs: &[(String, String)],
    id: Option<RuleId>,
) -> Result<Response, Problem> {
    let draft = Draft::read(pairs, &app.limits);
    let apply = draft.apply;
    let mut view = View { draft, id, refused: Refused::default(), trial: None };
    let Some(order) = view.checked(app, visitor).await? else {
        return view.page(app, visitor, headers, StatusCode::UNPROCESSABLE_ENTITY).await;
    };
    let kept = match id {
        Some(id) => app.store.set_rule(visitor.id(), id, &order).await.map(|()| id),
        None => app.store.add_rule(visitor.id(), &order, visitor.now()).await,
    };
    let rule = match kept {
        Ok(rule) => rule,
        Err(StoreError::Conflict { .. }) => {
            let most = u64::try_from(app.limits.rules_max).unwrap_or(u64::MAX);
            view.refused.whole = Some(visitor.words.count(visitor.words.rules.bad_full, most));
            return view.page(app, visitor, headers, StatusCode::CONFLICT).await;
        }
        Err(error) => return Err(error.into()),
    };
    if !apply {
        return Ok(super::done(app, headers, "/rules?said=saved"));
    }
    let said = apply_to_all(app, visitor, rule, &order).await?;
    list_page(app, visitor, headers, Some(said)).await
}

/// Does to what is there what the rule does to what comes, and offers the way back.
async fn apply_to_all(
    app: &App,
    visitor: &Visitor,
    rule: RuleId,
    order: &RuleOrder,
) -> Result<Said, Problem> {
    let hits = trial::run(app, visitor, order).await?.hits;
    let (user, now) = (visitor.id(), visitor.now());
    let (verb, changed, tag) = match &order.action {
        RuleAction::Hide => ("unhide", app.store.hide_by_rule(user, rule, &hits, now).await?, None),
        RuleAction::MarkRead => ("unread", app.store.mark(user, &hits, &Mark::Read, now).await?, None),
        RuleAction::Star => ("unstar", app.store.mark(user, &hits, &Mark::Star, now).await?, None),
        RuleAction::Tag(tag) => {
            ("untag", app.store.mark(user, &hits, &Mark::Tag(tag.clone()), now).await?, Some(tag.clone()))
        }
    };
    let text =
        visitor.words.count(visitor.words.rules.saved_applied, u64::try_from(changed.len()).unwrap_or(0));
    let ids: Vec<String> = changed.iter().map(ItemId::to_string).collect();
    let undo = (!ids.is_empty()).then(|| Undo {
        action: format!("{}/mark", app.base_path),
        name: "mark",
        value: format!("{verb}:{}", ids.join(",")),
        tag: tag.unwrap_or_default(),
    });
    Ok(Said { text, undo })
}

fn given_id(pairs: &[(String, String)]) -> Option<RuleId> {
    pairs.iter().find(|(key, _)| key == "id").and_then(|(_, id)| id.parse().ok()).map(RuleId)
}

/// What a trial found, in words.
struct Tried {
    finding: String,
    titles: Vec<Hit>,
    first: String,
    warning: Option<String>,
}

struct Hit {
    title: String,
    source: String,
    href: String,
}

impl Tried {
    async fn load(app: &App, visitor: &Visitor, order: &RuleOrder) -> Result<Tried, Problem> {
        let trial = trial::run(app, visitor, order).await?;
        let shown: Vec<ItemId> = trial.hits.iter().copied().take(TITLES_SHOWN).collect();
        let rows = app.store.items_by_id(visitor.id(), &shown).await?;
        let library = Library::load(app, visitor).await?;
        let (w, r) = (visitor.words, &visitor.words.rules);
        let titles: Vec<Hit> = rows
            .iter()
            .map(|row| Hit {
                title: title_of(row, w),
                source: library.name(row.item.feed).unwrap_or_default(),
                href: format!("{}/feed/{}?item={}&all=1", app.base_path, row.item.feed, row.item.id),
            })
            .collect();
        let warning = if trial.is_over_budget {
            Some(r.over_budget.to_owned())
        } else {
            trial.is_cut.then(|| w.count(r.too_slow, TRIAL_SECONDS))
        };
        let first = w.count(r.first_hits, u64::try_from(titles.len()).unwrap_or(0));
        Ok(Tried { finding: finding(&trial, order, w), titles, first, warning })
    }
}

fn finding(trial: &Trial, order: &RuleOrder, w: &'static Words) -> String {
    let r = &w.rules;
    let text = match (&order.action, trial.hits.len(), trial.looked_at) {
        (_, _, 0) => r.would_nothing,
        (_, 0, _) => r.would_none,
        (RuleAction::Hide, ..) => r.would_hide,
        (RuleAction::MarkRead, ..) => r.would_read,
        (RuleAction::Star, ..) => r.would_star,
        (RuleAction::Tag(_), ..) => r.would_tag,
    };
    let hits = w.number(u64::try_from(trial.hits.len()).unwrap_or(u64::MAX));
    fill(text, &[("hits", &hits), ("n", &w.number(trial.looked_at))])
}

/// The form as it is shown.
struct View {
    draft: Draft,
    id: Option<RuleId>,
    refused: Refused,
    trial: Option<Tried>,
}

impl View {
    /// The rule, or None with the sentences filled in.
    async fn checked(&mut self, app: &App, visitor: &Visitor) -> Result<Option<RuleOrder>, Problem> {
        let Some(order) = self.draft.order() else { return Err(Problem::bad_form()) };
        let library = Library::load(app, visitor).await?;
        if !is_own(order.scope, &library) {
            self.refused.scope = Some(visitor.words.rules.bad_scope.to_owned());
            return Ok(None);
        }
        if let Err((at, bad)) = trial::check(app, order.clone()).await? {
            self.refused = refusal(&bad, at, visitor.words);
            return Ok(None);
        }
        Ok(Some(order))
    }

    async fn page(
        &self,
        app: &App,
        visitor: &Visitor,
        headers: &HeaderMap,
        status: StatusCode,
    ) -> Result<Response, Problem> {
        let library = Library::load(app, visitor).await?;
        let shell = Shell::load(app, visitor, headers, &library, Here::Rules).await?;
        let w = visitor.words;
        let mut feeds: Vec<(String, String)> = library
            .feeds
            .values()
            .map(|one| (name_of(one).to_owned(), format!("feed:{}", one.feed.id)))
            .collect();
        let mut folders: Vec<(String, String)> =
            library.folders.iter().map(|one| (one.name.clone(), format!("folder:{}", one.id))).collect();
        feeds.sort_by_key(|(name, _)| name.to_lowercase());
        folders.sort_by_key(|(name, _)| name.to_lowercase());
        let page = RulePage {
            action: match self.id {
                Some(id) => format!("{}/rules/{id}", app.base_path),
                None => format!("{}/rules", app.base_path),
            },
            fields: RuleField::ALL.map(|field| (field.name(), rule_words::field(field, w))).to_vec(),
            tags: app.store.tags(visitor.id()).await?.into_iter().map(|one| one.tag).collect(),
            can_add: self.draft.conditions.len() < app.limits.conditions_max,
            view: self,
            shell: &shell,
            w,
            feeds,
            folders,
        };
        Ok(render(status, &page))
    }

    /// The sentence beside one condition, if it was refused.
    fn wrong_at(&self, place: &usize) -> Option<&str> {
        self.refused.pattern.as_ref().filter(|(at, _)| at == place).map(|(_, sentence)| sentence.as_str())
    }
}

#[derive(Template)]
#[template(path = "rule.html")]
struct RulePage<'a> {
    shell: &'a Shell,
    w: &'static Words,
    view: &'a View,
    action: String,
    fields: Vec<(&'static str, &'static str)>,
    feeds: Vec<(String, String)>,
    folders: Vec<(String, String)>,
    tags: Vec<String>,
    can_add: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_from_a_title_takes_its_telling_words() {
        assert_eq!(title_words("Tide barrier at Port Ansel to close twice"), "barrier, Ansel, close, twice");
        assert_eq!(title_words("<b>\"'&"), "");
    }
}
