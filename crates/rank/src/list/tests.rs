use super::*;
use crate::act::{Act, Told};
use crate::features::tests::{about, candidate};
use crate::words::Recent;
use domain::Timestamp;
use proptest::prelude::*;

const NOW: i64 = 1_700_000_000;

/// A page for somebody who is no stranger.
fn page(taste: &Taste, candidates: &[Candidate], rows: usize) -> Vec<Ranked> {
    let (recent, hidden) = (Recent::default(), HashSet::new());
    let moment = Moment { now: Timestamp::from_seconds(NOW), recent: &recent };
    for_you(taste, candidates, Page { moment, hidden: &hidden, rows })
}

fn known() -> Taste {
    let mut taste = Taste::default();
    (0..COLD_SESSIONS).for_each(|_| taste.begin_session());
    taste
}

fn tell(taste: &mut Taste, candidate: &Candidate, act: Act) {
    let recent = Recent::default();
    let now = Timestamp::from_seconds(NOW);
    let features = taste.features(candidate, Moment { now, recent: &recent });
    taste.learn(&features, &Told { item: candidate.item, act, row: None, on_screen: None }, now);
}

fn aged(item: i64, feed: i64, hours: i64) -> Candidate {
    Candidate { published_at: Timestamp::from_seconds(NOW - 3_600 * hours), ..candidate(item, feed) }
}

fn items(page: &[Ranked]) -> Vec<i64> {
    page.iter().map(|row| row.item.0).collect()
}

#[test]
fn without_history_the_newest_come_first() {
    let candidates: Vec<Candidate> = (0..40).map(|nth| aged(nth, nth, 3 * nth)).collect();
    let page = page(&Taste::default(), &candidates, 20);
    assert_eq!(items(&page)[..2], [0, 1]);
    assert!(page.iter().skip(1).step_by(2).all(|row| row.why.placed == Placed::Newest));
    assert!(page.iter().all(|row| row.why.reasons.is_empty()), "nothing was learnt, so nothing is claimed");
    assert!(for_you_of_nothing().is_empty());
}

fn for_you_of_nothing() -> Vec<Ranked> {
    page(&Taste::default(), &[], 20)
}

#[test]
fn a_feed_has_at_most_three_of_any_ten_rows() {
    let mut taste = known();
    taste.set(Feature::Feed(FeedId(1)), 4.0);
    let candidates: Vec<Candidate> =
        (0..200).map(|nth| aged(nth, if nth < 100 { 1 } else { nth }, nth % 30)).collect();
    let page = page(&taste, &candidates, 60);
    assert_eq!(page.len(), 60);
    for window in page.windows(FEED_WINDOW) {
        assert!(window.iter().filter(|row| row.feed == FeedId(1)).count() <= FEED_ROWS);
    }
    assert_eq!(page.iter().filter(|row| row.feed == FeedId(1)).count(), 18);
}

#[test]
fn somebody_with_one_feed_gets_all_of_it() {
    let candidates: Vec<Candidate> = (0..30).map(|nth| aged(nth, 1, nth)).collect();
    assert_eq!(items(&page(&known(), &candidates, 30)), (0..30).collect::<Vec<_>>());
}

#[test]
fn one_topic_alone_makes_a_page() {
    let mut taste = known();
    let candidates: Vec<Candidate> = (0..50).map(|nth| about(nth, nth, 3)).collect();
    (0..30).for_each(|nth| tell(&mut taste, &candidates[nth], Act::Keep));
    assert_eq!(page(&taste, &candidates, 20).len(), 20);
}

#[test]
fn when_all_is_hidden_the_page_is_empty() {
    let candidates: Vec<Candidate> = (0..50).map(|nth| about(nth, nth, 3)).collect();
    let hidden: HashSet<ItemId> = (0..50).map(ItemId).collect();
    let recent = Recent::default();
    let moment = Moment { now: Timestamp::from_seconds(NOW), recent: &recent };
    assert!(for_you(&known(), &candidates, Page { moment, hidden: &hidden, rows: 20 }).is_empty());
}

#[test]
fn a_feed_of_ten_thousand_items_a_day_does_not_drown_the_others() {
    let torrent = (0..10_000).map(|nth| Candidate { feed_items_per_day: 10_000.0, ..aged(nth, 1, 0) });
    let quiet = (0..12).map(|nth| Candidate { feed_items_per_day: 1.0, ..aged(20_000 + nth, 100 + nth, 20) });
    let candidates: Vec<Candidate> = torrent.chain(quiet).collect();
    let page = page(&known(), &candidates, 20);
    let loud = page.iter().take(10).filter(|row| row.feed == FeedId(1)).count();
    assert!(loud <= FEED_ROWS, "{loud}");
    assert_eq!(page.iter().filter(|row| row.feed != FeedId(1)).count(), 12, "all others are there");
    assert_eq!(page.len(), 20, "and the rest is filled");
}

#[test]
fn every_interest_is_among_the_first_twenty() {
    let mut taste = known();
    let topics = [3u16, 13, 23, 33, 43, 53, 63];
    taste.set(Feature::Topic(3), 6.0);
    topics[1..].iter().for_each(|topic| taste.set(Feature::Topic(*topic), 1.5));
    let mut candidates: Vec<Candidate> = (0..300).map(|nth| about(nth, nth, 3)).collect();
    candidates.extend((1..7).map(|nth| about(1_000 + nth, 500 + nth, topics[nth as usize])));
    let page = page(&taste, &candidates, 50);
    for nth in 1..7 {
        let row = page.iter().position(|row| row.item == ItemId(1_000 + nth));
        assert!(row.is_some_and(|row| row < COVERED_ROWS), "topic {}", topics[nth as usize]);
    }
    assert!(items(&page)[..14].iter().all(|item| *item < 300), "and the best rows are the best items");
    let why = &page[19].why;
    assert!(matches!(why.placed, Placed::Interest(_)), "{why:?}");
}

#[test]
fn there_are_as_many_feeds_as_interests() {
    let mut taste = known();
    (0..9).for_each(|nth| taste.set(Feature::Topic(10 * nth), 3.0));
    (0..6).for_each(|feed| taste.set(Feature::Feed(FeedId(feed)), 3.0));
    // Six feeds have all that is liked; there are others.
    let liked = (0..240).map(|nth| about(nth, nth % 6, 10 * (nth % 9) as u16));
    let candidates: Vec<Candidate> =
        liked.chain((0..40).map(|nth| aged(1_000 + nth, 100 + nth, 200))).collect();
    let page = page(&taste, &candidates, 40);
    let feeds: HashSet<FeedId> = page.iter().take(COVERED_ROWS).map(|row| row.feed).collect();
    assert_eq!(feeds.len(), 9);
    assert_eq!(page.iter().filter(|row| row.why.placed == Placed::OtherFeed).count(), 3);
}

#[test]
fn a_story_is_told_once_and_names_who_else_tells_it() {
    let mut candidates: Vec<Candidate> = (0..10).map(|nth| aged(nth, nth, nth)).collect();
    for nth in [0, 4, 7] {
        candidates[nth].story = Some(77);
    }
    candidates.push(candidates[2].clone());
    let page = page(&known(), &candidates, 20);
    assert_eq!(page.len(), 8);
    assert_eq!(page[0].copies, [ItemId(4), ItemId(7)]);
}

#[test]
fn less_like_this_moves_its_like_down_at_once() {
    let mut taste = known();
    let candidates: Vec<Candidate> =
        (0..40).map(|nth| about(nth, nth, if nth % 2 == 0 { 3 } else { 60 })).collect();
    (0..6).for_each(|nth| tell(&mut taste, &candidates[nth], Act::Keep));
    let place = |page: &[Ranked]| page.iter().position(|row| row.item == ItemId(20)).unwrap();
    let before = place(&page(&taste, &candidates, 40));
    tell(&mut taste, &candidates[22], Act::Less);
    let after = place(&page(&taste, &candidates, 40));
    assert!(after > before + 5, "{before} {after}");
}

#[test]
fn reasons_name_what_was_really_used() {
    let mut taste = known();
    let liked = about(1, 1, 3);
    (0..40).for_each(|_| tell(&mut taste, &liked, Act::Open { dwell: None, scrolled: None }));
    let page_of = |taste: &Taste, one: &Candidate| page(taste, std::slice::from_ref(one), 1).remove(0).why;
    let why = page_of(&taste, &liked);
    assert_eq!((why.placed, why.reasons[0].feature), (Placed::Liked, Feature::Topic(3)));
    assert!(why.reasons[0].effect > 0.5 && why.reasons.len() == 2, "{why:?}");
    let unseen = about(2, 2, 50);
    assert_eq!(page_of(&taste, &unseen).placed, Placed::Trying(Feature::Topic(50)));
    (0..40).for_each(|_| tell(&mut taste, &unseen, Act::MarkRead));
    let why = page_of(&taste, &unseen);
    assert!(
        why.reasons.iter().any(|reason| reason.feature == Feature::Topic(50) && reason.effect < -0.5),
        "{why:?}"
    );
    let favourite = Candidate { feed_weight: 4.0, ..candidate(5, 5) };
    assert_eq!(page_of(&taste, &favourite).reasons[0].feature, Feature::Feed(FeedId(5)));
    let busy = Candidate { copies: 6, ..candidate(5, 6) };
    assert_eq!(page_of(&taste, &busy).reasons[0].feature, Feature::Copies);
}

#[test]
fn what_repeats_something_read_stands_below_what_is_new() {
    let words =
        |from: u64| (from..from + 5).map(|word| (text::TermId(word), 0.447_213_6)).collect::<Box<[_]>>();
    let (told, fresh) =
        (Candidate { terms: words(1), ..candidate(1, 1) }, Candidate { terms: words(50), ..candidate(2, 2) });
    let (read, hidden) = (words(1), HashSet::new());
    let recent = Recent::of([&read[..]]);
    let moment = Moment { now: Timestamp::from_seconds(NOW), recent: &recent };
    let page = for_you(&known(), &[told, fresh], Page { moment, hidden: &hidden, rows: 2 });
    assert_eq!(items(&page), [2, 1]);
    assert_eq!(page[1].why.reasons[0].feature, Feature::Novelty);
}

fn candidates() -> impl Strategy<Value = Vec<Candidate>> {
    let one = (0i64..60, 0i64..9, 0u16..128, 0i64..90, prop::option::of(0u64..20), -1.0f32..2.0);
    prop::collection::vec(one, 0..120).prop_map(|all| {
        let all = all.into_iter();
        all.map(|(item, feed, topic, hours, story, share)| Candidate {
            topics: Box::new([(topic, share)]),
            story,
            ..aged(item, feed, hours)
        })
        .collect()
    })
}

proptest! {
    #[test]
    fn a_page_has_every_item_and_story_once_and_does_not_depend_on_the_order_of_candidates(mut all in candidates(), rows in 0usize..80, sessions in 0u32..8) {
        let mut taste = Taste::default();
        (0..sessions).for_each(|_| taste.begin_session());
        taste.set(Feature::Topic(5), 2.0);
        all.sort_by_key(|candidate| candidate.item);
        all.dedup_by_key(|candidate| candidate.item);
        let forth = page(&taste, &all, rows);
        let unique: HashSet<ItemId> = forth.iter().map(|row| row.item).collect();
        prop_assert_eq!(unique.len(), forth.len());
        let stories: HashSet<u64> = all.iter().filter_map(|candidate| candidate.story).collect();
        let alone = all.iter().filter(|candidate| candidate.story.is_none()).count();
        prop_assert_eq!(forth.len(), rows.min(stories.len() + alone));
        all.reverse();
        prop_assert_eq!(page(&taste, &all, rows), forth);
    }
}
