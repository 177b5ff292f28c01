use super::*;
use domain::{Identity, ItemId};

const NOW: i64 = 1_700_000_000;
const DAY_S: i64 = 86_400;

fn now() -> Timestamp {
    Timestamp::from_seconds(NOW)
}

fn item(number: u128, days_ago: Option<i64>) -> DocumentItem {
    DocumentItem {
        identity: Identity(number),
        twin: None,
        guid: None,
        title: Some(format!("Item {number}")),
        link: None,
        author: None,
        published: days_ago.map(|d| Timestamp::from_seconds(NOW - d * DAY_S)),
        updated: None,
        summary: None,
        content: None,
        language: None,
        tags: vec![],
        enclosures: vec![],
        content_hash: 0,
    }
}

fn new_items(sifted: &Sifted) -> Vec<(Timestamp, bool)> {
    let new = |(_, kind): &(DocumentItem, ItemKind)| match *kind {
        ItemKind::New { sort_at, unread } => Some((sort_at, unread)),
        _ => None,
    };
    sifted.writes.iter().filter_map(new).collect()
}

fn all_new(items: Vec<DocumentItem>, last_success: Option<Timestamp>) -> Sifted {
    let recognised: Vec<_> = items.iter().map(|_| Recognised::New).collect();
    sift(items, &recognised, last_success, now())
}

#[test]
fn d4_a_first_poll_marks_only_recent_items_unread() {
    let items = (0..100).map(|i| item(i, Some(i64::try_from(i).expect("small")))).collect();
    let unread = new_items(&all_new(items, None)).iter().filter(|(_, unread)| *unread).count();
    assert_eq!(unread, 15, "today and fourteen days");
    let old = (0..100).map(|i| item(i, Some(400))).collect();
    let unread = new_items(&all_new(old, None)).iter().filter(|(_, unread)| *unread).count();
    assert_eq!(unread, 3, "never an empty page");
}

#[test]
fn d4_a_replayed_archive_does_not_become_unread_but_a_late_post_does() {
    let yesterday = Some(Timestamp::from_seconds(NOW - DAY_S));
    let archive = (0..500).map(|i| item(i, Some(200))).collect();
    assert!(new_items(&all_new(archive, yesterday)).iter().all(|(_, unread)| !unread));
    let late = vec![item(1, Some(200)), item(2, Some(0))];
    assert!(new_items(&all_new(late, yesterday)).iter().all(|(_, unread)| *unread));
}

#[test]
fn d5_future_dates_sort_at_most_an_hour_after_they_were_seen() {
    let dates = |days: i64| new_items(&all_new(vec![item(1, Some(days))], Some(now())))[0].0;
    assert_eq!(dates(-365_000).seconds(), NOW + 3600);
    let mut skewed = item(1, None);
    skewed.published = Some(Timestamp::from_seconds(NOW + 300));
    assert_eq!(
        new_items(&all_new(vec![skewed], Some(now())))[0].0.seconds(),
        NOW + 300,
        "five minutes are accepted"
    );
}

#[test]
fn d6_missing_and_default_dates_become_first_seen_in_document_order() {
    let mut epoch = item(3, None);
    epoch.published = Some(Timestamp::EPOCH);
    let sorted: Vec<_> = new_items(&all_new(vec![item(1, None), item(2, None), epoch], Some(now())))
        .iter()
        .map(|n| n.0)
        .collect();
    assert!(sorted.is_sorted_by(|a, b| a > b), "{sorted:?}");
    assert!(sorted.iter().all(|at| now().since(*at) < Duration::from_millis(1)));
}

#[test]
fn d3_an_edit_is_a_revision_and_an_edit_storm_is_limited_to_one_a_day() {
    let edited = |revision, hours_ago: i64| {
        let revised_at = Some(Timestamp::from_seconds(NOW - hours_ago * 3600));
        let known = Recognised::Known { item: ItemId(7), changed: true, revision, revised_at };
        sift(vec![item(1, None)], &[known], Some(now()), now())
    };
    assert!(matches!(edited(2, 1).writes[0].1, ItemKind::Changed(ItemId(7))));
    assert!(edited(10, 1).writes.is_empty(), "a storm");
    assert_eq!(edited(10, 25).changed, 1);
}

#[test]
fn d7_tombstones_and_known_items_write_nothing() {
    let known = Recognised::Known { item: ItemId(7), changed: false, revision: 0, revised_at: None };
    let sifted =
        sift(vec![item(1, None), item(2, None)], &[known, Recognised::Tombstone], Some(now()), now());
    assert!(sifted.writes.is_empty() && sifted.new_dates.is_empty());
}
