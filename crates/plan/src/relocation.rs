//! Permanent moves are adopted slowly: a maintenance page that redirects for an afternoon must not take a feed away
//! (N18).

use crate::policy::Policy;
use domain::{Relocation, Timestamp};

/// What a poll said about the feed's address: the target of a permanent redirect, when the answer there was a feed.
pub(crate) fn follow(
    before: Option<&Relocation>,
    from: &str,
    to: Option<&str>,
    now: Timestamp,
    policy: &Policy,
) -> (Option<Relocation>, Option<String>) {
    let Some(to) = to.filter(|to| *to != from) else { return (None, None) };
    let seen = match before {
        Some(known) if known.to == to => {
            Relocation { to: to.to_owned(), answers: known.answers.saturating_add(1), since: known.since }
        }
        _ => Relocation { to: to.to_owned(), answers: 1, since: now },
    };
    let adopted = if is_https_upgrade(from, to) {
        seen.answers >= policy.move_answers_https
    } else {
        seen.answers >= policy.move_answers && now.since(seen.since) >= policy.move_span
    };
    if adopted { (None, Some(seen.to)) } else { (Some(seen), None) }
}

fn is_https_upgrade(from: &str, to: &str) -> bool {
    match (from.strip_prefix("http://"), to.strip_prefix("https://")) {
        (Some(plain), Some(secure)) => plain == secure,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FROM: &str = "http://old.test/feed";

    /// Feeds one target per day to the tracker; tells on which day it was adopted.
    fn adopted_on(targets: &[Option<&str>]) -> Option<usize> {
        let policy = Policy::default();
        let mut known = None;
        for (day, target) in targets.iter().enumerate() {
            let now = Timestamp::from_seconds(86_400 * i64::try_from(day).expect("small"));
            let (next, adopted) = follow(known.as_ref(), FROM, *target, now, &policy);
            if adopted.is_some() {
                return Some(day);
            }
            known = next;
        }
        None
    }

    #[test]
    fn n18_a_move_is_adopted_after_five_equal_answers_over_a_week() {
        let new = Some("http://new.test/feed");
        assert_eq!(adopted_on(&[new; 10]), Some(7));
        assert_eq!(adopted_on(&[new; 7]), None, "six days are no week");
    }

    #[test]
    fn n18_a_flip_flop_and_a_short_maintenance_page_are_not_adopted() {
        let (a, b) = (Some("http://a.test/"), Some("http://b.test/"));
        assert_eq!(adopted_on(&[a, b].repeat(20)), None);
        assert_eq!(adopted_on(&[a, a, None, a, a, None].repeat(5)), None);
    }

    #[test]
    fn n18_https_on_the_same_path_is_adopted_after_two() {
        assert_eq!(adopted_on(&[Some("https://old.test/feed"); 3]), Some(1));
        assert_eq!(adopted_on(&[Some("https://old.test/other"); 3]), None);
    }
}
