#![allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]

use super::super::mention::{Post, mentions};
use super::super::trace::Parts;
use super::*;
use text::Language;

fn said(title: &str) -> Vec<Mention> {
    mentions(&Post { title, language: Some(Language::ENGLISH), ..Post::default() })
}

fn linked(link: &str) -> Vec<Mention> {
    mentions(&Post { links: &[link], ..Post::default() })
}

fn buzz(feeds: i64) -> Buzz {
    let mut buzz = Buzz::new(BuzzLimits::default(), 100);
    for feed in 0..feeds {
        assert!(buzz.put_feed(FeedId(feed), true, &format!("site{feed}.test")));
    }
    buzz
}

fn follow(feeds: &[i64]) -> Vec<Following> {
    feeds.iter().map(|feed| Following { feed: FeedId(*feed), weight: 1.0 }).collect()
}

fn list(buzz: &Buzz, feeds: &[i64], window: Window, order: Order, show: Show) -> Vec<(String, u16)> {
    let mut sums = Sums::default();
    let heard = buzz.listen(&follow(feeds), window, &mut sums);
    heard.top(order, show, 20, |_| false).iter().map(|said| (said.text.to_owned(), said.sources)).collect()
}

fn talked(buzz: &Buzz, feeds: &[i64]) -> Vec<String> {
    list(buzz, feeds, Window::Week, Order::Talked, Show::Words).into_iter().map(|(text, _)| text).collect()
}

#[test]
fn a_new_item_is_in_the_buzz_of_those_who_follow_it_at_once() {
    let mut buzz = buzz(3);
    buzz.add(FeedId(0), &said("Volcano erupts"));
    assert!(talked(&buzz, &[0, 1]).is_empty(), "one source is no buzz");
    buzz.add(FeedId(1), &said("Volcano ash"));
    assert_eq!(talked(&buzz, &[0, 1]), ["volcano"]);
    assert!(talked(&buzz, &[0, 2]).is_empty());
    assert!(talked(&buzz, &[]).is_empty());
}

#[test]
fn a_phrase_stands_for_its_words() {
    let mut buzz = buzz(4);
    (0..3).for_each(|feed| {
        buzz.add(FeedId(feed), &said("Harbour bridge"));
    });
    assert_eq!(talked(&buzz, &[0, 1, 2]), ["harbour bridge"]);
    // "Bridge" alone is said by others too.
    buzz.add(FeedId(3), &said("Bridge"));
    (0..3).for_each(|feed| {
        buzz.put_feed(FeedId(10 + feed), true, &format!("o{feed}.test"));
    });
    (0..3).for_each(|feed| {
        buzz.add(FeedId(10 + feed), &said("Bridge"));
    });
    assert!(talked(&buzz, &[0, 1, 2, 3, 10, 11, 12]).contains(&"bridge".to_owned()));
}

#[test]
fn feeds_of_one_site_are_one_source() {
    let mut buzz = Buzz::new(BuzzLimits::default(), 100);
    for feed in 0..5 {
        buzz.put_feed(FeedId(feed), true, "loud.test");
        buzz.add(FeedId(feed), &said("Bargain"));
    }
    assert!(talked(&buzz, &[0, 1, 2, 3, 4]).is_empty());
}

#[test]
fn links_with_tracking_are_one_link() {
    let mut buzz = buzz(12);
    buzz.add(FeedId(0), &linked("https://paper.test/story?utm_source=a"));
    buzz.add(FeedId(1), &linked("http://www.paper.test/story/?fbclid=b#top"));
    let few = list(&buzz, &[0, 1], Window::Week, Order::Talked, Show::Links);
    assert_eq!(few, [("paper.test/story".to_owned(), 2)]);
    buzz.add(FeedId(2), &linked("https://once.test/a"));
    let feeds: Vec<i64> = (0..12).collect();
    assert_eq!(
        list(&buzz, &feeds, Window::Week, Order::Talked, Show::Links).len(),
        1,
        "many feeds: two sources"
    );
    assert_eq!(list(&buzz, &feeds[..3], Window::Week, Order::Talked, Show::Links).len(), 2);
    assert!(talked(&buzz, &feeds).is_empty(), "links are no words");
}

#[test]
fn keyword_spam_counts_little_and_stays_bounded() {
    let limits = BuzzLimits { day_references_max: 50, keys_max: 300, ..BuzzLimits::default() };
    let mut buzz = Buzz::new(limits, 100);
    (0..6).for_each(|feed| {
        buzz.put_feed(FeedId(feed), true, &format!("s{feed}.test"));
    });
    for nth in 0..1_000 {
        buzz.add(FeedId(0), &said(&format!("casino{nth}x casino")));
    }
    assert!(buzz.references() <= 50 && buzz.keys() <= 300, "{} {}", buzz.references(), buzz.keys());
    buzz.add(FeedId(1), &said("casino"));
    (1..6).for_each(|feed| {
        buzz.add(FeedId(feed), &said("volcano"));
    });
    assert_eq!(
        talked(&buzz, &[0, 1, 2, 3, 4, 5])[0],
        "volcano",
        "five who say it are more than two of whom one shouts"
    );
}

#[test]
fn what_a_feed_always_says_is_not_heard() {
    let mut buzz = buzz(2);
    for nth in 0..30 {
        (0..2).for_each(|feed| {
            buzz.add(FeedId(feed), &said(&format!("Newsletter topic{nth}{feed}x")));
        });
        if nth == 20 {
            (0..10).for_each(|_| buzz.roll_to(buzz.day() + 1));
        }
    }
    assert!(!talked(&buzz, &[0, 1]).contains(&"newsletter".to_owned()));
}

#[test]
fn days_roll_off_and_keys_are_given_back() {
    let mut buzz = buzz(2);
    (0..2).for_each(|feed| {
        buzz.add(FeedId(feed), &said("Volcano"));
    });
    buzz.roll_to(101);
    assert!(list(&buzz, &[0, 1], Window::Today, Order::Talked, Show::Words).is_empty());
    // All that spoke yesterday said it, so it is no news; somebody who says something else makes it worth a line.
    assert!(talked(&buzz, &[0, 1]).is_empty());
    buzz.add(FeedId(0), &said("Glacier"));
    buzz.add(FeedId(1), &said("Glacier"));
    buzz.roll_to(102);
    assert_eq!(talked(&buzz, &[0, 1]), ["glacier", "volcano"]);
    buzz.roll_to(108);
    assert_eq!(talked(&buzz, &[0, 1]), ["glacier"]);
    buzz.roll_to(50);
    assert_eq!(buzz.day(), 108, "a clock that jumps back changes nothing");
    buzz.roll_to(i64::MAX);
    assert_eq!((buzz.keys(), buzz.references()), (0, 0));
    buzz.add(FeedId(0), &said("Volcano"));
    assert_eq!(buzz.keys(), 1);
}

#[test]
fn an_edited_item_takes_back_what_it_said() {
    let mut buzz = buzz(2);
    buzz.hear(FeedId(0), ItemId(1), 100, 60, &said("Volcano erupts"));
    buzz.hear(FeedId(1), ItemId(2), 100, 90, &said("Volcano Glacier"));
    assert_eq!(talked(&buzz, &[0, 1]), ["volcano"]);
    buzz.revise(ItemId(1), &said("Glacier erupts"));
    assert_eq!(talked(&buzz, &[0, 1]), ["glacier"]);
    buzz.roll_to(101);
    buzz.revise(ItemId(1), &said("Volcano erupts"));
    buzz.settle();
    let mut sums = Sums::default();
    buzz.listen(&follow(&[0, 1]), Window::Week, &mut sums);
    let sources = |text: &str| sums.sources(buzz.names.number(said(text)[0].id).unwrap());
    assert_eq!((sources("glacier"), sources("volcano")), (1, 2), "also on a day that is closed");
}

#[test]
fn a_removed_item_takes_back_what_only_it_said() {
    let mut buzz = buzz(2);
    buzz.hear(FeedId(0), ItemId(1), 100, 0, &said("Volcano"));
    buzz.hear(FeedId(0), ItemId(2), 100, 0, &said("Volcano Glacier"));
    buzz.hear(FeedId(1), ItemId(3), 100, 0, &said("Volcano Glacier"));
    buzz.forget_item(ItemId(2));
    buzz.forget_item(ItemId(2));
    assert_eq!(talked(&buzz, &[0, 1]), ["volcano"]);
}

#[test]
fn what_comes_late_counts_for_its_own_day() {
    let known = |day: i64| {
        let mut buzz = Buzz::new(BuzzLimits::default(), day);
        (0..3).for_each(|feed| assert!(buzz.put_feed(FeedId(feed), true, &format!("site{feed}.test"))));
        buzz
    };
    let (mut late, mut punctual) = (known(93), known(93));
    let all: Vec<(i64, i64, &str)> = vec![
        (0, 96, "Volcano ash"),
        (1, 97, "Volcano"),
        (2, 97, "Glacier"),
        (0, 97, "Volcano"),
        (1, 100, "Glacier ash"),
        (0, 100, "Glacier"),
    ];
    late.roll_to(100);
    let mut shuffled = all.clone();
    shuffled.rotate_left(4);
    for (nth, (feed, day, title)) in (1..).zip(&shuffled) {
        late.hear(FeedId(*feed), ItemId(nth), *day, 0, &said(title));
    }
    late.hear(FeedId(2), ItemId(90), 80, 0, &said("Volcano"));
    late.settle();
    for (nth, (feed, day, title)) in (1..).zip(&all) {
        punctual.roll_to(*day);
        punctual.hear(FeedId(*feed), ItemId(nth), *day, 0, &said(title));
    }
    let lines = |buzz: &Buzz| list(buzz, &[0, 1, 2], Window::Week, Order::Talked, Show::Words);
    let words: Vec<(String, u16)> = lines(&punctual);
    assert_eq!(lines(&late), words);
    assert!(words.len() >= 3, "{words:?}");
}

#[test]
fn a_feed_that_becomes_private_is_counted_no_more() {
    let mut buzz = buzz(2);
    buzz.hear(FeedId(0), ItemId(1), 100, 0, &said("Merger"));
    buzz.hear(FeedId(1), ItemId(2), 100, 0, &said("Merger"));
    let merger = said("Merger")[0].id;
    let all = |buzz: &Buzz| {
        let mut sums = Sums::default();
        buzz.listen(&follow(&[1]), Window::Today, &mut sums).beside(merger).unwrap().all
    };
    assert_eq!(all(&buzz), 1.0);
    buzz.put_feed(FeedId(0), false, "site0.test");
    assert_eq!(all(&buzz), 0.5);
    let parts = Parts { until: 101 * 86_400 - 1, count: 24, seconds: 3_600 };
    let trace = &buzz.trace(&[merger], &follow(&[1]), parts, 9)[0];
    assert_eq!((trace.all.iter().sum::<u32>(), trace.items), (1, 1), "nor drawn");
}

#[test]
fn what_a_feed_said_while_it_was_private_stays_so() {
    let mut buzz = buzz(2);
    buzz.put_feed(FeedId(7), false, "own.test");
    buzz.roll_to(102);
    buzz.hear(FeedId(7), ItemId(1), 101, 0, &said("Merger"));
    buzz.hear(FeedId(7), ItemId(2), 102, 0, &said("Merger"));
    buzz.put_feed(FeedId(7), true, "own.test");
    buzz.settle();
    let mut sums = Sums::default();
    let heard = buzz.listen(&follow(&[7]), Window::Week, &mut sums);
    assert_eq!(heard.beside(said("Merger")[0].id).map(|beside| beside.all), Some(0.0));
    // Days later, with numbers given back more than once.
    (103..120).for_each(|day| buzz.roll_to(day));
    assert_eq!(buzz.keys(), 0);
}

#[test]
fn a_word_is_traced_through_the_hours_to_its_items() {
    let mut buzz = buzz(3);
    for (item, feed, hour, title) in [
        (1, 0, 2, "Volcano ash cloud"),
        (2, 1, 20, "Volcano ash"),
        (3, 2, 20, "Volcano"),
        (4, 0, 21, "Volcano ash plume"),
    ] {
        buzz.hear(FeedId(feed), ItemId(item), 100, hour * 3_600, &said(title));
    }
    let parts = Parts { until: 100 * 86_400 + 22 * 3_600, count: 24, seconds: 3_600 };
    let volcano = said("Volcano")[0].id;
    let trace = &buzz.trace(&[volcano, KeyId(7)], &follow(&[0, 1]), parts, 2)[0];
    assert_eq!((trace.mine[3], trace.mine[21], trace.mine[22], trace.items), (1, 1, 1, 3));
    assert_eq!((trace.all[21], trace.all.len()), (2, 24));
    assert_eq!(trace.newest.iter().map(|(item, _)| item.0).collect::<Vec<_>>(), [4, 2]);
    assert_eq!(trace.first.map(|(item, _, _)| item), Some(ItemId(1)));
    assert_eq!(trace.feeds, [FeedId(0), FeedId(1)]);
    let beside = buzz.goes_with(volcano, &follow(&[0, 1]), parts, 3);
    assert_eq!(beside.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), ["ash"]);
    assert!(buzz.goes_with(KeyId(7), &follow(&[0]), parts, 3).is_empty());
}

#[test]
fn the_last_day_reaches_back_over_midnight() {
    let mut buzz = buzz(6);
    (2..6).for_each(|feed| assert!(buzz.add(FeedId(feed), &said(&format!("Rain{feed}q"))) > 0));
    buzz.add(FeedId(0), &said("Volcano"));
    buzz.add(FeedId(1), &said("Volcano"));
    buzz.roll_to(101);
    let at =
        |gone_percent: u8| list(&buzz, &[0, 1], Window::LastDay { gone_percent }, Order::Talked, Show::Words);
    assert!(list(&buzz, &[0, 1], Window::Today, Order::Talked, Show::Words).is_empty());
    assert_eq!(at(5).len(), 1);
}

#[test]
fn private_feeds_are_heard_by_their_reader_and_counted_for_nobody() {
    let mut buzz = buzz(2);
    buzz.put_feed(FeedId(7), false, "secret.test");
    for _ in 0..2 {
        buzz.add(FeedId(7), &said("Merger"));
        buzz.add(FeedId(0), &said("Merger"));
    }
    assert_eq!(talked(&buzz, &[0, 7]), ["merger"]);
    let mut sums = Sums::default();
    let all = buzz.listen_to_all(Window::Week, &mut sums);
    assert!(all.top(Order::Talked, Show::Words, 20, |_| false).is_empty(), "one public feed is no buzz");
    buzz.add(FeedId(1), &said("Merger"));
    let mut sums = Sums::default();
    let all = buzz.listen_to_all(Window::Week, &mut sums);
    assert_eq!(all.top(Order::Talked, Show::Words, 20, |_| false)[0].sources, 2);
}

#[test]
fn a_removed_feed_leaves_nothing_and_its_place_to_another() {
    let mut buzz = buzz(3);
    (0..3).for_each(|feed| {
        buzz.add(FeedId(feed), &said("Volcano"));
    });
    buzz.roll_to(101);
    buzz.add(FeedId(0), &said("Glacier"));
    buzz.remove_feed(FeedId(0));
    buzz.remove_feed(FeedId(0));
    assert!(buzz.put_feed(FeedId(9), true, "s.test"));
    let mut sums = Sums::default();
    buzz.listen(&follow(&[0, 9]), Window::Week, &mut sums);
    assert!(sums.keys().is_empty());
    assert_eq!(buzz.counts.within(buzz.names.number(said("volcano")[0].id).unwrap(), Window::Week), 2);
}

#[test]
fn rising_is_what_more_feeds_say_than_usual() {
    let mut buzz = buzz(6);
    for day in 100..110 {
        buzz.roll_to(day);
        (0..6).for_each(|feed| {
            buzz.add(FeedId(feed), &said(&format!("Weather x{day}{feed}q")));
        });
    }
    (0..3).for_each(|feed| {
        buzz.add(FeedId(feed), &said("Volcano"));
    });
    let rising = list(&buzz, &[0, 5], Window::Week, Order::Rising, Show::Words);
    assert_eq!(rising.first(), Some(&("volcano".to_owned(), 1)), "{rising:?}");
    assert!(rising.iter().all(|(text, _)| text != "weather"));
}

#[test]
fn lift_is_what_my_feeds_say_and_others_do_not() {
    let mut buzz = buzz(40);
    for feed in 0..40 {
        let own = if feed < 3 { "Beehive Election" } else { "Election" };
        buzz.add(FeedId(feed), &said(own));
    }
    let mine = list(&buzz, &[0, 1, 2], Window::Week, Order::Lift, Show::Words);
    assert!(mine.iter().any(|(text, _)| text.contains("beehive")));
    assert!(mine.iter().all(|(text, _)| text != "election"));
}

#[test]
fn a_reader_may_hide_a_word_and_a_full_index_takes_no_more_feeds() {
    let mut buzz = Buzz::new(BuzzLimits { feeds_max: 2, ..BuzzLimits::default() }, 100);
    assert!(buzz.put_feed(FeedId(0), true, "a") && buzz.put_feed(FeedId(1), true, "b"));
    assert!(!buzz.put_feed(FeedId(2), true, "c") && buzz.put_feed(FeedId(1), true, "d"));
    assert_eq!(buzz.add(FeedId(2), &said("Volcano")), 0);
    (0..2).for_each(|feed| {
        buzz.add(FeedId(feed), &said("Volcano"));
    });
    let mut sums = Sums::default();
    let heard = buzz.listen(&follow(&[0, 1]), Window::Week, &mut sums);
    let id = said("volcano")[0].id;
    assert!(heard.top(Order::Talked, Show::Words, 20, |own| own == id).is_empty());
    assert_eq!(heard.top(Order::Talked, Show::Words, 0, |_| false).len(), 0);
}

#[test]
fn weights_decide_between_equals() {
    let mut buzz = buzz(4);
    (0..2).for_each(|feed| {
        buzz.add(FeedId(feed), &said("Volcano"));
    });
    (2..4).for_each(|feed| {
        buzz.add(FeedId(feed), &said("Glacier"));
    });
    let mut follows = follow(&[0, 1, 2, 3]);
    follows[3].weight = 2.0;
    let mut sums = Sums::default();
    let top = |sums: &mut Sums, follows: &[Following]| -> Vec<String> {
        let heard = buzz.listen(follows, Window::Today, sums);
        heard.top(Order::Talked, Show::Words, 20, |_| false).iter().map(|said| said.text.to_owned()).collect()
    };
    assert_eq!(top(&mut sums, &follows), ["glacier", "volcano"]);
    follows[3].weight = 0.0;
    assert_eq!(top(&mut sums, &follows), ["volcano"]);
}

#[test]
fn o10_a_feed_stuffed_with_popular_words_stays_one_voice() {
    let mut buzz = buzz(6);
    let popular: Vec<String> = (0..50).map(|nth| format!("popular{nth}")).collect();
    for nth in 0..1_000 {
        buzz.hear(FeedId(5), ItemId(nth), 100, 0, &said(&popular.join(" ")));
    }
    (0..3).for_each(|feed| buzz.hear(FeedId(feed), ItemId(5_000 + feed), 100, 0, &said("Volcano")));
    assert_eq!(talked(&buzz, &[0, 1, 2, 3, 5])[0], "volcano");
    assert!(!talked(&buzz, &[0, 1, 2, 3, 5]).iter().any(|word| word.starts_with("popular")));
    let limits = BuzzLimits { day_references_max: 100, ..BuzzLimits::default() };
    let mut small = Buzz::new(limits, 93);
    assert!(small.put_feed(FeedId(1), true, "s.test"));
    small.roll_to(100);
    for nth in 0..10_000 {
        let day = if nth % 2 == 0 { 100 } else { 99 };
        small.hear(FeedId(1), ItemId(nth), day, 0, &said(&format!("word{nth}q other{nth}q")));
    }
    small.settle();
    assert!(small.references() <= 200, "ten thousand items a day are no more than the limit");
}
