//! Any bytes give a list or a sentence; what was read can be written and read again without loss.
#![no_main]

use domain::{Limits, Timestamp};
use libfuzzer_sys::fuzz_target;
use parse::opml::{read_opml, write_opml};

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { opml_outlines_max: 20, opml_depth_max: 4, ..Limits::default() };
    let Ok(first) = read_opml(bytes, &limits) else { return };
    assert!(first.subscriptions.len() <= 20);
    assert!(first.complaints.len() <= limits.complaints_max);
    for subscription in &first.subscriptions {
        assert!(subscription.folder.len() <= 4);
        assert!(subscription.url.starts_with("http://") || subscription.url.starts_with("https://"));
    }
    let written = write_opml("fuzz", &first.subscriptions, Timestamp::EPOCH);
    let second = read_opml(written.as_bytes(), &limits).expect("our own file");
    let sorted = |mut list: Vec<domain::NewSubscription>| {
        list.sort_by(|a, b| a.url.cmp(&b.url));
        list
    };
    assert_eq!(sorted(second.subscriptions), sorted(first.subscriptions));
});
