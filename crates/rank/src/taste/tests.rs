use super::*;
use crate::features::tests::{about, candidate};
use crate::words::{Recent, item_terms};
use proptest::prelude::*;
use std::time::Duration;
use text::TermId;

const OPEN: Act = Act::Open { dwell: None, scrolled: None };
const NOW: Timestamp = Timestamp::from_seconds(1_700_000_000);

fn tell(taste: &mut Taste, candidate: &Candidate, act: Act, row: Option<u32>) {
    tell_at(taste, candidate, act, row, NOW);
}

fn tell_at(taste: &mut Taste, candidate: &Candidate, act: Act, row: Option<u32>, now: Timestamp) {
    tell_seen(taste, candidate, Told { item: candidate.item, act, row, on_screen: None }, now);
}

fn tell_seen(taste: &mut Taste, candidate: &Candidate, told: Told, now: Timestamp) {
    let recent = Recent::default();
    let features = taste.features(candidate, Moment { now, recent: &recent });
    taste.learn(&features, &told, now);
}

fn mean(taste: &Taste, candidate: &Candidate) -> f64 {
    let recent = Recent::default();
    taste.expect(&taste.features(candidate, Moment { now: NOW, recent: &recent })).mean
}

fn worded(item: i64, words: &[u64]) -> Candidate {
    let bag: Vec<(TermId, u16)> = words.iter().map(|word| (TermId(*word), 1)).collect();
    Candidate { terms: item_terms(&bag, &|_| 1.0), ..candidate(item, item) }
}

#[test]
fn opening_teaches_topic_feed_and_all_that_the_item_was() {
    let mut taste = Taste::default();
    let (same_topic, same_feed, neither) = (about(2, 9, 5), about(3, 1, 40), about(4, 9, 40));
    let before = [mean(&taste, &same_topic), mean(&taste, &same_feed), mean(&taste, &neither)];
    (0..5).for_each(|_| tell(&mut taste, &about(1, 1, 5), OPEN, Some(0)));
    let gained = [
        mean(&taste, &same_topic) - before[0],
        mean(&taste, &same_feed) - before[1],
        mean(&taste, &neither) - before[2],
    ];
    assert!(gained[0] > gained[1] && gained[1] > gained[2] && gained[2] > 0.0, "{gained:?}");
}

#[test]
fn reading_long_says_more_than_opening_and_that_more_than_a_glance() {
    let gained = |act: Act| {
        let mut taste = Taste::default();
        tell(&mut taste, &about(1, 1, 5), act, Some(0));
        mean(&taste, &about(2, 2, 5))
    };
    let open = |seconds| Act::Open { dwell: Some(Duration::from_secs(seconds)), scrolled: None };
    let all = [Act::Less, Act::Pass, open(2), open(20), open(90), Act::Keep].map(gained);
    assert!(all.is_sorted() && all[0] < all[1], "{all:?}");
}

#[test]
fn less_like_this_works_at_once() {
    let mut taste = Taste::default();
    (0..20).for_each(|_| tell(&mut taste, &about(1, 1, 5), OPEN, Some(0)));
    let liked = mean(&taste, &about(2, 2, 5));
    tell(&mut taste, &about(1, 1, 5), Act::Less, None);
    assert!(mean(&taste, &about(2, 2, 5)) < liked - 0.5);
    // Even after a long day.
    (0..500).for_each(|_| tell(&mut taste, &candidate(9, 9), Act::Pass, None));
    let liked = mean(&taste, &about(2, 2, 5));
    tell(&mut taste, &about(1, 1, 5), Act::Less, None);
    assert!(mean(&taste, &about(2, 2, 5)) < liked - 0.3);
}

#[test]
fn words_of_what_was_kept_draw_and_words_of_what_was_sent_away_repel() {
    let mut taste = Taste::default();
    let before = mean(&taste, &worded(7, &[1, 2, 9]));
    tell(&mut taste, &worded(1, &[1, 2, 3]), Act::Keep, None);
    assert!(mean(&taste, &worded(7, &[1, 2, 9])) > before + 0.3);
    tell(&mut taste, &worded(2, &[5, 6]), Act::Less, None);
    assert!(mean(&taste, &worded(8, &[5, 6])) < before);
    tell(&mut taste, &worded(3, &[1]), OPEN, None);
    assert_eq!(taste.words().iter().count(), 5, "opening alone adds no words");
}

#[test]
fn leaving_a_feed_says_nothing_of_its_topics() {
    let mut taste = Taste::default();
    tell(&mut taste, &about(1, 1, 5), Act::Unsubscribe, None);
    assert_eq!(taste.weight(Feature::Topic(5)), Taste::default().weight(Feature::Topic(5)));
    assert_eq!(taste.weight(Feature::Bias), Taste::default().weight(Feature::Bias));
    assert!(taste.weight(Feature::Feed(FeedId(1))).mean < -0.05);
}

#[test]
fn what_was_not_on_screen_teaches_nothing_but_how_far_is_read() {
    let mut taste = Taste::default();
    let one = about(1, 1, 5);
    let unseen = Told { item: one.item, act: Act::Pass, row: Some(12), on_screen: Some(false) };
    (0..30).for_each(|_| tell_seen(&mut taste, &one, unseen, NOW));
    assert!(taste.learned().is_empty());
    assert!(taste.positions().read(12) < Positions::default().read(12));
    tell(&mut taste, &about(1, 1, 5), Act::Pass, None);
    assert!(taste.learned().is_empty(), "nobody knows where it was");
}

#[test]
fn passing_far_down_says_less_than_passing_at_the_top() {
    let lost = |row| {
        let mut taste = Taste::default();
        tell(&mut taste, &about(1, 1, 5), Act::Pass, Some(row));
        mean(&taste, &about(2, 2, 5))
    };
    assert!(lost(0) < lost(10) && lost(10) < lost(400));
}

#[test]
fn after_two_hundred_acts_of_a_day_each_says_a_tenth() {
    let step = |taste: &Taste, now| {
        let mut after = taste.clone();
        tell_at(&mut after, &about(2, 2, 50), OPEN, None, now);
        mean(&after, &about(2, 2, 50)) - mean(taste, &about(2, 2, 50))
    };
    let mut taste = Taste::default();
    (0..200).for_each(|_| tell(&mut taste, &candidate(1, 1), Act::Pass, None));
    let (today, tomorrow) =
        (step(&taste, NOW), step(&taste, NOW.saturating_add(Duration::from_secs(86_400))));
    assert!(today < 0.3 * tomorrow, "{today} {tomorrow}");
}

#[test]
fn what_is_not_confirmed_is_forgotten() {
    let mut taste = Taste::default();
    (0..10).for_each(|_| tell(&mut taste, &about(1, 1, 5), OPEN, Some(0)));
    tell(&mut taste, &worded(1, &[1, 2, 3]), Act::Keep, None);
    let (liked, sure) = (taste.weight(Feature::Topic(5)).mean, taste.weight(Feature::Topic(5)).variance);
    (0..50).for_each(|_| taste.begin_session());
    let faded = taste.weight(Feature::Topic(5));
    assert!((faded.mean / liked - 0.994f32.powi(50)).abs() < 1e-3);
    assert!((faded.variance - (sure + 50.0 * 0.012 * 4.0).min(4.0)).abs() < 1e-3);
    (0..5_000).for_each(|_| taste.begin_session());
    assert_eq!(taste.words().iter().count(), 0);
    assert_eq!(taste.learned().iter().filter(|one| matches!(one.feature, Feature::Feed(_))).count(), 0);
}

#[test]
fn what_was_learnt_can_be_listed_edited_and_reset() {
    let mut taste = Taste::default();
    assert!(taste.learned().is_empty());
    (0..5).for_each(|_| tell(&mut taste, &about(1, 1, 5), OPEN, Some(0)));
    tell(&mut taste, &worded(1, &[8]), Act::Keep, None);
    let features: Vec<Feature> = taste.learned().iter().map(|one| one.feature).collect();
    assert_eq!(features[0], Feature::Topic(5));
    assert!(features.contains(&Feature::Feed(FeedId(1))) && features.contains(&Feature::Word(TermId(8))));
    taste.set(Feature::Topic(77), 3.0);
    taste.set(Feature::Feed(FeedId(4)), f32::NAN);
    taste.set(Feature::Word(TermId(6)), -2.0);
    assert_eq!(taste.learned()[0].feature, Feature::Topic(77));
    assert!(mean(&taste, &about(2, 2, 77)) > mean(&taste, &about(2, 2, 90)) + 2.0);
    for one in taste.learned() {
        taste.forget(one.feature);
    }
    assert!(taste.learned().is_empty(), "{:?}", taste.learned());
    taste.set(Feature::Topic(60_000), 1.0);
    taste.begin_session();
    taste.reset();
    assert_eq!(taste, Taste::default());
}

#[test]
fn a_new_reader_begins_where_others_are_on_average() {
    let mut liking = Taste::default();
    liking.set(Feature::Topic(3), 4.0);
    let many: Vec<&Taste> = vec![&liking; 60];
    let new = Taste::beginning(&many);
    let gained = mean(&new, &about(1, 1, 3)) - mean(&Taste::default(), &about(1, 1, 3));
    assert!((gained - 0.8 * 4.0 * 60.0 / 80.0).abs() < 1e-5, "{gained}");
    assert!(new.learned().is_empty(), "it was not learnt of this person");
    assert_eq!(Taste::beginning(&many[..19]), Taste::default(), "too few to stay unknown among");
}

#[test]
fn a_full_taste_stays_small() {
    let mut taste = Taste::default();
    for feed in 0..6_000 {
        let topics = (0..10).map(|nth| (((feed * 7 + nth) % 128) as u16, 0.1)).collect();
        let words: Vec<u64> = (0..16).map(|nth| (feed * 16 + nth) as u64).collect();
        let one = Candidate { topics, feed: FeedId(i64::MAX - feed), ..worded(feed, &words) };
        tell(&mut taste, &one, Act::Keep, Some(feed as u32));
    }
    assert!(taste.feeds.len() <= FEEDS_MAX && taste.feeds.contains_key(&FeedId(i64::MAX - 5_999)));
    let bytes = taste.to_bytes();
    assert!(bytes.len() < 128 << 10, "{}", bytes.len());
    assert_eq!(Taste::from_bytes(&bytes), Ok(taste));
}

fn acts() -> impl Strategy<Value = Vec<(i64, u16, u8, u32)>> {
    prop::collection::vec((0i64..6, 0u16..130, 0u8..7, 0u32..300), 0..80)
}

fn lived(acts: &[(i64, u16, u8, u32)]) -> Taste {
    let mut taste = Taste::default();
    for (feed, topic, act, row) in acts {
        let act = match act {
            0 => Act::Keep,
            1 => Act::Less,
            2 => Act::Unsubscribe,
            3 => Act::MarkRead,
            4 => Act::Pass,
            5 => Act::Open { dwell: Some(Duration::from_secs(u64::from(*row))), scrolled: None },
            _ => {
                taste.begin_session();
                continue;
            }
        };
        let one = Candidate {
            topics: Box::new([(*topic, 0.7)]),
            ..worded(*feed, &[*feed as u64, u64::from(*topic)])
        };
        tell(&mut taste, &one, act, Some(*row));
    }
    taste
}

proptest! {
    #[test]
    fn a_taste_comes_back_from_its_bytes_and_the_same_acts_make_the_same_ones(acts in acts()) {
        let (taste, again) = (lived(&acts), lived(&acts));
        let bytes = taste.to_bytes();
        prop_assert_eq!(&again.to_bytes(), &bytes);
        prop_assert_eq!(Taste::from_bytes(&bytes), Ok(taste));
    }

    #[test]
    fn damaged_bytes_are_errors_or_a_taste_that_works(acts in acts(), at in any::<prop::sample::Index>(), value: u8) {
        let mut bytes = lived(&acts).to_bytes();
        let at = at.index(bytes.len());
        bytes[at] = value;
        if let Ok(taste) = Taste::from_bytes(&bytes) {
            prop_assert!(mean(&taste, &about(1, 1, 5)).is_finite());
        }
        prop_assert!(Taste::from_bytes(&bytes[..at]).is_err());
    }

    #[test]
    fn exploration_is_bounded_by_what_was_believed_at_first(acts in acts(), topic in 0u16..120) {
        let (taste, recent) = (lived(&acts), Recent::default());
        let one = about(1, 1, topic);
        let moment = Moment { now: NOW, recent: &recent };
        let (bonus, first) =
            (taste.expect(&taste.features(&one, moment)).bonus, Taste::default().expect(&taste.features(&one, moment)).bonus);
        prop_assert!(bonus <= first + 1e-6 && bonus >= 0.0, "{} {}", bonus, first);
    }
}
