use super::*;
use crate::summary::Weighted;
use proptest::prelude::*;

fn summary(terms: &[(u64, f64)]) -> Summary {
    let weighted = |(id, weight): &(u64, f64)| Weighted {
        id: TermId(*id),
        text: format!("t{id}"),
        weight: *weight,
        count: 1,
        phrase: false,
    };
    Summary::new(20, terms.iter().map(weighted))
}

/// A feed about a theme: words of the theme, and a few of its own.
fn feed_about(theme: u64, nth: u64) -> Summary {
    let themes = (0..12).map(|word| (2 * (1_000 * theme + word), 9.0 - (word + nth) as f64 % 5.0));
    let own = (0..4).map(|word| (2 * (100_000 + 100 * theme + 10 * nth + word), 3.0));
    summary(&themes.chain(own).collect::<Vec<_>>())
}

fn gathered(themes: &[u64], feeds_each: u64) -> Gathered {
    let mut all = Gathered::default();
    for theme in themes {
        for nth in 0..feeds_each {
            all.add(FeedId((1_000 * theme + nth + 1) as i64), &feed_about(*theme, nth));
        }
    }
    all
}

fn item_about(theme: u64) -> Vec<(TermId, f32)> {
    (0..4).map(|word| (TermId(2 * (1_000 * theme + word)), 0.5)).collect()
}

#[test]
fn feeds_that_say_like_things_share_a_topic_and_others_do_not() {
    let topics = gathered(&[1, 2, 3], 6).topics(&Topics::default());
    let of = |theme: i64, nth: i64| {
        topics.of_feed(FeedId(1_000 * theme + nth + 1)).first().map(|(topic, _)| *topic)
    };
    for theme in 1..=3 {
        assert!(of(theme, 0).is_some());
        for nth in 1..6 {
            assert_eq!(of(theme, nth), of(theme, 0), "feed {nth} of theme {theme}");
        }
    }
    assert!(of(1, 0) != of(2, 0) && of(2, 0) != of(3, 0) && of(1, 0) != of(3, 0));
}

#[test]
fn an_item_is_about_what_its_words_say_and_without_words_about_what_its_feed_says() {
    let topics = gathered(&[1, 2], 6).topics(&Topics::default());
    let (one, two) = (topics.of_feed(FeedId(1_001))[0].0, topics.of_feed(FeedId(2_001))[0].0);
    assert_eq!(topics.shares(FeedId(999), &item_about(1))[0].0, one);
    assert_eq!(topics.shares(FeedId(999), &item_about(2))[0].0, two);
    assert_eq!(topics.shares(FeedId(1_001), &[])[0].0, one);
    let both = topics.shares(FeedId(1_001), &item_about(2));
    assert_eq!(both[0].0, two, "its own words say more than its feed");
    assert!(both.iter().any(|(topic, _)| *topic == one));
    assert!(topics.shares(FeedId(999), &[(TermId(2), 1.0)]).is_empty(), "nobody knows");
}

#[test]
fn a_topic_keeps_its_number_when_feeds_come_and_go() {
    let first = gathered(&[1, 2, 3], 6).topics(&Topics::default());
    let number = |topics: &Topics, theme: u64| topics.shares(FeedId(0), &item_about(theme))[0].0;
    let second = gathered(&[4, 3, 2], 7).topics(&first);
    for theme in [2, 3] {
        assert_eq!(number(&second, theme), number(&first, theme));
    }
    assert!(![1, 2, 3].map(|theme| number(&first, theme)).contains(&number(&second, 4)));
    assert_eq!(number(&second, 1), number(&first, 1), "it sleeps in its place");
    assert_eq!(second.get(number(&second, 1)).unwrap().feeds, 0);
    assert_eq!(second.begun_after(first.run()).collect::<Vec<_>>(), [number(&second, 4)]);
}

#[test]
fn a_topic_nobody_writes_about_loses_its_place_after_a_month_of_runs() {
    let mut topics = gathered(&[1, 2], 6).topics(&Topics::default());
    let gone = topics.shares(FeedId(0), &item_about(1))[0].0;
    for _ in 0..IDLE_RUNS {
        topics = gathered(&[2], 6).topics(&topics);
        assert!(topics.get(gone).is_some());
    }
    topics = gathered(&[2], 6).topics(&topics);
    assert!(topics.get(gone).is_none() && topics.shares(FeedId(0), &item_about(1)).is_empty());
}

#[test]
fn a_label_names_only_what_may_be_named_and_nothing_twice() {
    let mut all = Gathered::default();
    let term = |id, text: &str, weight| Weighted {
        id: TermId(id),
        text: text.into(),
        weight,
        count: 1,
        phrase: false,
    };
    let terms =
        [term(3, "tide barrier", 9.0), term(2, "Tide", 8.0), term(4, "harbour", 7.0), term(6, "pilot", 6.0)];
    all.add(FeedId(1), &Summary::new(20, terms));
    let topics = all.topics(&Topics::default());
    assert_eq!(topics.label(0, 2, |_| true), ["tide barrier", "harbour"]);
    assert_eq!(topics.label(0, 2, |term| term != TermId(3)), ["Tide", "harbour"]);
    assert!(topics.label(0, 2, |_| false).is_empty() && topics.label(99, 2, |_| true).is_empty());
}

#[test]
fn nothing_one_feed_and_feeds_without_words_are_no_trouble() {
    let none = Gathered::default().topics(&Topics::default());
    assert_eq!((none.run(), none.iter().count()), (1, 0));
    let mut one = Gathered::default();
    one.add(FeedId(1), &feed_about(1, 0));
    one.add(FeedId(2), &summary(&[]));
    one.add(FeedId(3), &summary(&[(8, f64::INFINITY), (10, f64::NAN)]));
    assert_eq!(one.len(), 1);
    let topics = one.topics(&none);
    assert_eq!(topics.iter().count(), 1);
    assert_eq!(topics.shares(FeedId(1), &[])[..], [(0, 1.0)]);
    assert_eq!(Gathered::default().topics(&topics), topics, "nothing seen changes nothing");
}

#[test]
fn damaged_bytes_are_refused() {
    let bytes = gathered(&[1, 2], 3).topics(&Topics::default()).to_bytes();
    for end in 0..bytes.len() {
        assert!(Topics::from_bytes(&bytes[..end]).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn topics_are_bounded_the_same_everywhere_and_shares_are_shares(
        feeds in prop::collection::vec(prop::collection::vec((0u64..400, 0.1f64..9.0), 0..30), 0..60),
        again in prop::collection::vec(prop::collection::vec((0u64..400, 0.1f64..9.0), 0..30), 0..60),
        item in prop::collection::vec((0u64..400, 0.0f32..1.0), 0..16),
    ) {
        let gather = |feeds: &[Vec<(u64, f64)>], backwards: bool| {
            let mut all = Gathered::default();
            let mut order: Vec<usize> = (0..feeds.len()).collect();
            if backwards {
                order.reverse();
            }
            for nth in order {
                all.add(FeedId(nth as i64 + 1), &summary(&feeds[nth]));
            }
            all
        };
        let first = gather(&feeds, false).topics(&Topics::default());
        prop_assert_eq!(gather(&feeds, false).topics(&Topics::default()).to_bytes(), first.to_bytes());
        let topics = gather(&again, false).topics(&first);
        for topics in [&first, &topics] {
            prop_assert!(topics.iter().count() <= TOPICS_MAX);
            prop_assert_eq!(&Topics::from_bytes(&topics.to_bytes()).unwrap(), topics);
            let terms: Vec<(TermId, f32)> = item.iter().map(|(term, weight)| (TermId(*term), *weight)).collect();
            for feed in [1, 7, 999] {
                let shares = topics.shares(FeedId(feed), &terms);
                prop_assert!(shares.len() <= ITEM_SHARES_MAX);
                let sum: f32 = shares.iter().map(|(_, share)| share).sum();
                prop_assert!(sum <= 1.001 && shares.iter().all(|(topic, share)| topics.get(*topic).is_some() && *share > 0.0));
                prop_assert!(shares.windows(2).all(|two| two[0].1 >= two[1].1));
            }
        }
        for (place, topic) in first.iter() {
            if let Some(later) = topics.get(place) {
                prop_assert_eq!(later.since, topic.since);
            }
        }
    }
}
