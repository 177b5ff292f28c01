//! What one item costs a feed's profile. The bar is 30 µs for a window of 20 items.
//!
//! `cargo bench -p learn`. Items have some 60 words and 90 pairs; "profile" is the window alone, "state" is all that
//! [`FeedProfile::add`] does. Run as a test it does a hundredth of that.

use domain::Timestamp;
use learn::{FeedProfile, Window};
use std::time::Instant;
use text::{Frequencies, Terms};

const ITEMS: usize = 20_000;

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn main() {
    let tiny = std::env::args().any(|argument| argument == "--test");
    let items = if tiny { ITEMS / 100 } else { ITEMS };
    let mut dice = Dice(7);
    let texts: Vec<String> =
        (0..items).map(|_| (0..60).map(|_| word(&mut dice)).collect::<Vec<_>>().join(" ")).collect();
    let mut frequencies = Frequencies::default();
    let now =
        |nth: usize| Timestamp::from_seconds(1_700_000_000 + 600 * i64::try_from(nth).unwrap_or_default());

    let mut feed = FeedProfile::default();
    let start = Instant::now();
    let terms: Vec<Terms> = texts.iter().map(|text| feed.read("", text)).collect();
    let reading = start.elapsed();
    for (nth, terms) in terms.iter().enumerate() {
        frequencies.add(None, terms.ids(), now(nth));
    }
    let table = frequencies.of(None);
    let bags: Vec<text::Bag> =
        terms.iter().map(|terms| terms.bag(|pair| table.items_with(pair) >= 2.5)).collect();
    let length: usize = bags.iter().map(Vec::len).sum();

    let mut window = Window::new(20);
    let start = Instant::now();
    let sum: f64 = bags.iter().map(|bag| window.push(bag, table).similarity).sum();
    let profile = start.elapsed();
    let start = Instant::now();
    let novel =
        terms.iter().enumerate().filter(|(nth, terms)| feed.add(terms, table, now(*nth)).novel).count();
    let state = start.elapsed();
    assert!(sum > 0.0 && novel > 0);

    let each = |time: std::time::Duration| time.as_secs_f64() * 1e6 / items as f64;
    println!(
        "{items} items of {} terms: profile {:.1} µs (bar 30), whole state {:.1} µs, reading {:.1} µs; {} bytes stored",
        length / items,
        each(profile),
        each(state),
        each(reading),
        feed.to_bytes().len()
    );
}

/// A few words are frequent and most are rare.
fn word(dice: &mut Dice) -> String {
    let roll = dice.roll(1 << 20);
    format!("word{}", roll * roll / (1 << 20) * 8_000 / (1 << 20))
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}
