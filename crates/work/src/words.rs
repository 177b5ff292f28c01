//! Sentences with a next step for what only `work` can know; `fetch` and `parse` word their own failures.

use crate::cpu::CpuFailure;
use crate::follow::NotFollowed;
use crate::full_text::NoFullText;
use domain::Timestamp;
use std::time::Duration;
use store::StoreError;

pub(crate) fn offline() -> String {
    "Nothing on the internet answers at the moment, so this is our own connection; we try again on our own."
        .into()
}

pub(crate) fn bad_address() -> String {
    "The address of this feed is not a valid one; edit it or unsubscribe.".into()
}

pub(crate) fn challenge() -> String {
    "The publisher's bot protection asks for a human. Ask the publisher to let feed readers through.".into()
}

pub(crate) fn sealed_elsewhere() -> String {
    "The password of this feed was sealed with another secret.key; enter it again, or put the old key file back.".into()
}

pub(crate) fn defect() -> String {
    "Wellread failed on this document; that is a defect of ours. The other feeds are not affected.".into()
}

pub(crate) fn too_long(limit: Duration) -> String {
    format!("This document took longer than {} s to read, so we gave it up for now.", limit.as_secs())
}

pub(crate) fn rule_over_budget() -> String {
    "This rule took too much work on an item, so it was switched off; make its expression simpler.".into()
}

pub(crate) fn no_article() -> String {
    "No article was found on the page; open the original.".into()
}

pub(crate) fn page_not_found() -> String {
    "The page is no longer there (404); the item itself is kept.".into()
}

pub(crate) fn page_denied() -> String {
    "The site does not let us read this page; open the original.".into()
}

pub(crate) fn page_too_large(bytes_max: u64) -> String {
    format!("The page is larger than {} MB, so it is not fetched; open the original.", bytes_max >> 20)
}

/// Every sentence this crate says, so that a test can hold the interface to translating them.
pub fn sentences() -> Vec<String> {
    let store = || StoreError::NotFound { what: "item" };
    let (url, until) = (url::Url::parse("https://example.org/feed"), Timestamp::from_seconds(1));
    let mut all = vec![
        offline(),
        bad_address(),
        challenge(),
        sealed_elsewhere(),
        defect(),
        too_long(Duration::from_secs(10)),
        rule_over_budget(),
        no_article(),
        page_not_found(),
        page_denied(),
        page_too_large(5 << 20),
    ];
    let not_followed = [
        NotFollowed::NotAnAddress("x".into()),
        NotFollowed::Scheme("gopher://x".into()),
        NotFollowed::Answer(fetch::Outcome::Unchanged),
        NotFollowed::Several(Vec::new()),
        NotFollowed::TooMany { subscriptions_max: 5_000 },
        NotFollowed::Later(until),
        NotFollowed::Halted,
        NotFollowed::Unreadable(CpuFailure::Panicked),
        NotFollowed::Unreadable(CpuFailure::TooLong),
        NotFollowed::Store(store()),
    ];
    all.extend(not_followed.iter().map(ToString::to_string));
    all.extend(url.map(|url| NotFollowed::PageAgain(url).to_string()));
    let no_text = [
        NoFullText::NotFound,
        NoFullText::NoLink,
        NoFullText::Later(until),
        NoFullText::Halted,
        NoFullText::Store(store()),
    ];
    all.extend(no_text.iter().map(ToString::to_string));
    all
}
