//! What a change came to, in one line with Undo, on the page that is shown after it.
//!
//! A form ends in a redirect, so the line travels in the address: a key of a known sentence, a number, and what takes
//! the change back. A stranger who makes such an address can show one of our sentences and nothing else; taking back
//! is a form of its own and works on the person's own things only.

use crate::App;
use crate::admin::fetching::{BUDGET_SETTING, read_budget};
use crate::layers::OwnWords;
use crate::own_path::OwnPath;
use crate::problem::Problem;
use crate::schedule::amount;
use crate::visitor::{Visitor, wants_json};
use crate::words::fill;
use axum::Json;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::{FeedId, FolderId, Timestamp};
use serde::Deserialize;
use std::fmt;
use store::{StoreError, SubscriptionEdit, UndoToken};

/// So many things can be taken back at once.
const PARTS_MAX: usize = 300;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Saying {
    Unsubscribed,
    Paused,
    Resumed,
    Moved,
    Read,
    Undone,
    TooLate,
    Saved,
    PasswordDropped,
    Refreshed,
    NotBefore,
    Halted,
    FolderMade,
    FolderRenamed,
    FolderMoved,
    FolderRemoved,
    FolderRefused,
    FolderNameless,
    NothingChosen,
    ImportTakenBack,
    NothingNew,
    Followed,
    FollowedAlready,
    BudgetSet,
    Important,
    NotImportant,
    NoRoom,
}

use Saying::*;

const NAMES: [(Saying, &str); 27] = [
    (Unsubscribed, "unsubscribed"),
    (Paused, "paused"),
    (Resumed, "resumed"),
    (Moved, "moved"),
    (Read, "read"),
    (Undone, "undone"),
    (TooLate, "too-late"),
    (Saved, "saved"),
    (PasswordDropped, "password-dropped"),
    (Refreshed, "refreshed"),
    (NotBefore, "not-before"),
    (Halted, "halted"),
    (FolderMade, "folder-made"),
    (FolderRenamed, "folder-renamed"),
    (FolderMoved, "folder-moved"),
    (FolderRemoved, "folder-removed"),
    (FolderRefused, "folder-refused"),
    (FolderNameless, "folder-nameless"),
    (NothingChosen, "nothing-chosen"),
    (ImportTakenBack, "import-taken-back"),
    (NothingNew, "nothing-new"),
    (Followed, "followed"),
    (FollowedAlready, "followed-already"),
    (BudgetSet, "budget-set"),
    (Important, "important"),
    (NotImportant, "not-important"),
    (NoRoom, "no-room"),
];

impl Saying {
    fn name(self) -> &'static str {
        NAMES.iter().find(|(one, _)| *one == self).map_or("saved", |(_, name)| name)
    }

    fn is_bad(self) -> bool {
        matches!(
            self,
            TooLate
                | PasswordDropped
                | NotBefore
                | Halted
                | FolderRefused
                | FolderNameless
                | NothingChosen
                | NoRoom
        )
    }
}

/// A change that was made, or could not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) saying: Saying,
    /// How many, or a time in seconds, or a feed.
    pub(crate) n: u64,
    pub(crate) undo: Option<Undo>,
}

impl Said {
    pub(crate) fn new(saying: Saying) -> Self {
        Said { saying, n: 0, undo: None }
    }

    pub(crate) fn count(saying: Saying, n: usize) -> Self {
        Said { saying, n: u64::try_from(n).unwrap_or(u64::MAX), undo: None }
    }

    pub(crate) fn with(mut self, undo: Undo) -> Self {
        self.undo = (!undo.is_empty()).then_some(undo);
        self
    }

    fn text(&self, visitor: &Visitor, name: impl Fn(FeedId) -> Option<String>) -> String {
        let (w, n) = (visitor.words, self.n);
        let (f, g) = (&w.feeds, &w.getting_in);
        let feed = || name(FeedId(i64::try_from(n).unwrap_or(0))).unwrap_or_else(|| f.this_feed.to_owned());
        match self.saying {
            Unsubscribed => w.count(f.did_unsubscribe, n),
            Paused => w.count(f.did_pause, n),
            Resumed => w.count(f.did_resume, n),
            Moved => w.count(f.did_move, n),
            Read => w.count(f.did_read, n),
            Undone => f.did_undo.to_owned(),
            TooLate => f.too_late.to_owned(),
            Saved => f.did_save.to_owned(),
            PasswordDropped => f.access_dropped.to_owned(),
            Refreshed => w.count(f.did_refresh, n),
            NotBefore => {
                let until = Timestamp::from_seconds(i64::try_from(n).unwrap_or(0));
                fill(f.not_before, &[("time", &soon(visitor, until))])
            }
            Halted => f.refresh_halted.to_owned(),
            FolderMade => f.did_folder.to_owned(),
            FolderRenamed => f.did_rename.to_owned(),
            FolderMoved => f.did_move_folder.to_owned(),
            FolderRemoved => f.did_remove_folder.to_owned(),
            FolderRefused => f.folder_refused.to_owned(),
            FolderNameless => f.folder_nameless.to_owned(),
            NothingChosen => f.few_choice.to_owned(),
            ImportTakenBack => g.taken_back.to_owned(),
            NothingNew => w.count(g.nothing_new, n),
            Followed => fill(g.followed, &[("name", &feed())]),
            FollowedAlready => fill(g.followed_already, &[("name", &feed())]),
            BudgetSet => {
                let budget = f64::from(u32::try_from(n).unwrap_or(0)) / 100.0;
                fill(w.schedule.did_set, &[("n", &amount(budget, w))])
            }
            Important => w.feed.did_important.to_owned(),
            NotImportant => w.feed.did_not_important.to_owned(),
            NoRoom => w.discover.no_room.to_owned(),
        }
    }

    /// Forms go back to where they were, with the line; scripts get it as JSON.
    pub(crate) fn answer(&self, app: &App, visitor: &Visitor, headers: &HeaderMap, back: &str) -> Response {
        let undo = self.undo.as_ref().map(Undo::to_string);
        if wants_json(headers) {
            let text = self.text(visitor, |_| None);
            let body =
                serde_json::json!({ "ok": !self.saying.is_bad(), "said": text, "undo": undo, "n": self.n });
            return Json(body).into_response();
        }
        let mark = if back.contains('?') { '&' } else { '?' };
        let mut address = format!("{back}{mark}said={}&n={}", self.saying.name(), self.n);
        if let Some(undo) = undo {
            address.push_str("&undo=");
            address.push_str(&undo);
        }
        OwnPath::parse(&app.base_path, &address).redirect()
    }
}

/// For scripts: nothing was done, and these are the words for it.
pub(crate) fn refused(body: serde_json::Value) -> Response {
    let mut response = (StatusCode::UNPROCESSABLE_ENTITY, Json(body)).into_response();
    response.extensions_mut().insert(OwnWords);
    response
}

/// A time that is near: the hour of today, else with its day.
pub(crate) fn soon(visitor: &Visitor, at: Timestamp) -> String {
    const DAY: u64 = 86_400;
    let start = visitor.clock.start_of_today();
    if at >= start && at.since(start).as_secs() < DAY {
        visitor.clock.clock(at)
    } else {
        visitor.clock.full(at)
    }
}

/// The line as the templates show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notice {
    pub(crate) text: String,
    pub(crate) undo: Option<String>,
    pub(crate) is_bad: bool,
    /// The page to come back to.
    pub(crate) back: String,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct SaidQuery {
    said: Option<String>,
    n: Option<u64>,
    undo: Option<String>,
}

impl SaidQuery {
    pub(crate) fn notice(
        &self,
        visitor: &Visitor,
        back: &str,
        name: impl Fn(FeedId) -> Option<String>,
    ) -> Option<Notice> {
        let wanted = self.said.as_deref()?;
        let (saying, _) = NAMES.iter().find(|(_, key)| *key == wanted)?;
        let undo = self.undo.as_deref().and_then(Undo::parse);
        let said = Said { saying: *saying, n: self.n.unwrap_or(0), undo };
        Some(Notice {
            text: said.text(visitor, name),
            undo: said.undo.as_ref().map(Undo::to_string),
            is_bad: saying.is_bad(),
            back: back.to_owned(),
        })
    }
}

/// What takes a change back, short enough for an address: a letter and numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Undo {
    Tokens(Vec<i64>),
    Pause(Vec<FeedId>),
    Resume(Vec<FeedId>),
    /// Feeds with the folder each was in.
    Move(Vec<(FeedId, Option<FolderId>)>),
    /// A feed that was followed a moment ago.
    Leave(FeedId),
    /// The budget an administrator had set before, in hundredths.
    Budget(Option<u64>),
}

impl Undo {
    pub(crate) fn parse(text: &str) -> Option<Undo> {
        let kind = text.get(..1)?;
        let parts: Vec<&str> = text.get(1..)?.split('.').take(PARTS_MAX + 1).collect();
        if parts.len() > PARTS_MAX {
            return None;
        }
        let numbers = || parts.iter().map(|part| part.parse().ok()).collect::<Option<Vec<i64>>>();
        let feeds = || numbers().map(|numbers| numbers.into_iter().map(FeedId).collect::<Vec<_>>());
        match kind {
            "t" => numbers().map(Undo::Tokens),
            "p" => feeds().map(Undo::Pause),
            "r" => feeds().map(Undo::Resume),
            "b" => numbers().and_then(|numbers| match numbers.first() {
                Some(0) => Some(Undo::Budget(None)),
                Some(before) => u64::try_from(*before).ok().map(|before| Undo::Budget(Some(before))),
                None => None,
            }),
            "l" => feeds().and_then(|feeds| feeds.first().copied()).map(Undo::Leave),
            "m" => parts
                .iter()
                .map(|part| {
                    let (feed, folder) = part.split_once('-')?;
                    let folder: i64 = folder.parse().ok()?;
                    Some((FeedId(feed.parse().ok()?), (folder != 0).then_some(FolderId(folder))))
                })
                .collect::<Option<Vec<_>>>()
                .map(Undo::Move),
            _ => None,
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Undo::Tokens(tokens) => tokens.is_empty(),
            Undo::Pause(feeds) | Undo::Resume(feeds) => feeds.is_empty(),
            Undo::Move(feeds) => feeds.is_empty(),
            Undo::Leave(_) | Undo::Budget(_) => false,
        }
    }

    /// Takes it back as far as it still can be.
    pub(crate) async fn carry_out(&self, app: &App, visitor: &Visitor) -> Result<Said, Problem> {
        let mut done = 0_usize;
        let edit = |paused| SubscriptionEdit { paused: Some(paused), ..SubscriptionEdit::default() };
        match self {
            Undo::Tokens(tokens) => {
                // The last change first, so that each finds things as it left them.
                for token in tokens.iter().rev() {
                    done += worked(app.store.undo(visitor.id(), UndoToken(*token)).await)?;
                }
            }
            Undo::Pause(feeds) | Undo::Resume(feeds) => {
                let edit = edit(matches!(self, Undo::Pause(_)));
                for feed in feeds {
                    done += worked(app.store.edit_subscription(visitor.id(), *feed, &edit).await)?;
                }
            }
            Undo::Move(feeds) => {
                for (feed, folder) in feeds {
                    let edit = SubscriptionEdit { folder: Some(*folder), ..SubscriptionEdit::default() };
                    done += worked(app.store.edit_subscription(visitor.id(), *feed, &edit).await)?;
                }
            }
            Undo::Budget(before) => {
                let before = before.map(|n| f64::from(u32::try_from(n).unwrap_or(0)) / 100.0);
                let before =
                    before.map(|budget| budget.to_string()).filter(|text| read_budget(text).is_some());
                if visitor.account.user.is_admin {
                    app.store.set_setting(BUDGET_SETTING, before.as_deref()).await?;
                    done += 1;
                }
            }
            Undo::Leave(feed) => {
                let token = app.store.unsubscribe(visitor.id(), *feed, visitor.now()).await?;
                done += usize::from(token.is_some());
            }
        }
        Ok(Said::new(if done > 0 { Undone } else { TooLate }))
    }
}

/// What is no longer there cannot be taken back; that is no failure.
fn worked<T>(result: store::Result<T>) -> Result<usize, Problem> {
    match result {
        Ok(_) => Ok(1),
        Err(StoreError::NotFound { .. }) => Ok(0),
        Err(error) => Err(error.into()),
    }
}

impl fmt::Display for Undo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let feeds = |feeds: &[FeedId]| feeds.iter().map(FeedId::to_string).collect::<Vec<_>>().join(".");
        match self {
            Undo::Tokens(tokens) => {
                write!(f, "t{}", tokens.iter().map(i64::to_string).collect::<Vec<_>>().join("."))
            }
            Undo::Pause(all) => write!(f, "p{}", feeds(all)),
            Undo::Resume(all) => write!(f, "r{}", feeds(all)),
            Undo::Leave(feed) => write!(f, "l{feed}"),
            Undo::Budget(before) => write!(f, "b{}", before.unwrap_or(0)),
            Undo::Move(all) => {
                let part = |(feed, folder): &(FeedId, Option<FolderId>)| {
                    format!("{feed}-{}", folder.map_or(0, |f| f.0))
                };
                write!(f, "m{}", all.iter().map(part).collect::<Vec<_>>().join("."))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_a_change_back_survives_the_address() {
        for undo in [
            Undo::Tokens(vec![4, 18]),
            Undo::Pause(vec![FeedId(3)]),
            Undo::Resume(vec![FeedId(3), FeedId(9)]),
            Undo::Leave(FeedId(12)),
            Undo::Budget(None),
            Undo::Budget(Some(1_250)),
            Undo::Move(vec![(FeedId(1), None), (FeedId(2), Some(FolderId(7)))]),
        ] {
            assert_eq!(Undo::parse(&undo.to_string()), Some(undo));
        }
        for broken in ["", "t", "x1", "m1", "t1,2", "tä", "é", &format!("t{}", "1.".repeat(400))] {
            assert_eq!(Undo::parse(broken), None, "{broken}");
        }
    }

    #[test]
    fn every_sentence_has_its_own_key() {
        let mut keys: Vec<&str> = NAMES.iter().map(|(_, name)| *name).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), NAMES.len());
    }
}
