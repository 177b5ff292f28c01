//! What is wrong with a feed, as a sentence with next steps; from its health, in the person's language and zone.

use crate::visitor::Visitor;
use crate::words::fill;
use domain::{FeedState, PollOutcome, Timestamp};
use std::time::Duration;
use store::SubscribedFeed;

/// The sentence goes on after the feed's name, which pages may set in bold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trouble {
    pub(crate) sentence: String,
    /// The server's or our own fetcher's words, for those who want to know more.
    pub(crate) detail: Option<String>,
    pub(crate) can_find: bool,
    pub(crate) can_check: bool,
    pub(crate) can_edit: bool,
}

/// Not found, or gone, for so long: dead.
const DEAD_AFTER: Duration = Duration::from_secs(14 * 86_400);

/// What is said of the newest item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LastItem {
    At(Timestamp),
    Never,
    /// Of no interest here.
    Unsaid,
}

impl From<Option<Timestamp>> for LastItem {
    fn from(at: Option<Timestamp>) -> Self {
        at.map_or(LastItem::Never, LastItem::At)
    }
}

/// None while the feed is well.
pub(crate) fn trouble(one: &SubscribedFeed, last_item: LastItem, visitor: &Visitor) -> Option<Trouble> {
    let (health, f) = (&one.health, &visitor.words.feeds);
    let is_gone = one.feed.state == FeedState::Gone;
    if health.failures == 0 && !is_gone {
        return None;
    }
    let outcome = if is_gone { PollOutcome::Gone } else { health.last_outcome? };
    let text = match outcome {
        PollOutcome::Fresh | PollOutcome::Partial | PollOutcome::Unchanged => return None,
        PollOutcome::Gone => f.t_gone,
        PollOutcome::Busy => f.t_busy,
        PollOutcome::Denied => f.t_denied,
        PollOutcome::NotFound => f.t_not_found,
        PollOutcome::NotAFeed => f.t_not_a_feed,
        PollOutcome::Failed => f.t_failed,
        PollOutcome::Refused => f.t_refused,
        PollOutcome::Offline => f.t_offline,
    };
    let since = health.failing_since.unwrap_or(visitor.now());
    let mut sentence = fill(text, &[("since", &since_words(visitor, since))]);
    sentence.push_str(&match last_item {
        LastItem::At(at) => fill(f.t_last_item, &[("date", &visitor.clock.day(at))]),
        LastItem::Never => f.t_no_item.to_owned(),
        LastItem::Unsaid => ".".to_owned(),
    });
    if is_gone {
        sentence.push_str(f.t_never_again);
    } else {
        sentence.push_str(&fill(f.t_again, &[("when", &visitor.clock.ahead(health.next_poll_at).short)]));
    }
    let moved = matches!(outcome, PollOutcome::Gone | PollOutcome::NotFound | PollOutcome::NotAFeed);
    Some(Trouble {
        sentence,
        detail: health.last_error.as_deref().map(|sentence| visitor.words.told(sentence)),
        can_find: moved,
        can_check: matches!(outcome, PollOutcome::Failed | PollOutcome::Offline | PollOutcome::Busy),
        can_edit: moved
            || matches!(outcome, PollOutcome::Denied | PollOutcome::Refused | PollOutcome::Failed),
    })
}

/// Whether a feed is lost rather than ill.
pub(crate) fn is_dead(one: &SubscribedFeed, now: Timestamp) -> bool {
    let lost = matches!(one.health.last_outcome, Some(PollOutcome::Gone | PollOutcome::NotFound));
    let long = one.health.failing_since.is_some_and(|since| now.since(since) >= DEAD_AFTER);
    one.feed.state == FeedState::Gone || (one.health.failures > 0 && lost && long)
}

/// `10:05` today, else the day.
fn since_words(visitor: &Visitor, at: Timestamp) -> String {
    if at >= visitor.clock.start_of_today() { visitor.clock.clock(at) } else { visitor.clock.day(at) }
}
