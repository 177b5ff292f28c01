//! What a page costs: 10,000 candidates from stored terms and topics to fifty rows with reasons, and one act learnt.
//!
//! `cargo bench -p rank`. The bars are 20 ms and 50 MB for the page with the making of features, 2 ms for scoring alone,
//! 5 µs for an act. Candidates have ten topics, sixteen terms and one of 500 feeds; the person has 512 words and has read
//! 256 items lately. Run as a test it does a hundredth of that.

use domain::{FeedId, ItemId, Timestamp};
use rank::{
    Act, Candidate, Feature, Features, ITEM_TERMS_MAX, Moment, Page, RECENT_MAX, Recent, Taste, Told,
    for_you, item_terms,
};
use std::collections::HashSet;
use std::time::Instant;
use text::TermId;

const CANDIDATES: usize = 10_000;
const PAGES: usize = 100;
/// Acts that are timed together, and how often.
const BATCH: usize = 100;
const BATCHES: usize = 1_000;

fn main() {
    let tiny = std::env::args().any(|argument| argument == "--test");
    let (count, pages, batches) =
        if tiny { (CANDIDATES / 100, PAGES / 50, BATCHES / 500) } else { (CANDIDATES, PAGES, BATCHES) };
    let mut dice = Dice(7);
    let candidates: Vec<Candidate> = (0..count).map(|nth| candidate(nth, &mut dice)).collect();
    let read: Vec<Box<[(TermId, f32)]>> = (0..RECENT_MAX).map(|_| terms(&mut dice)).collect();
    let mut taste = lived(&candidates, &mut dice);
    let (now, hidden) = (Timestamp::from_seconds(1_700_000_000), HashSet::new());

    let mut whole: Vec<f64> = Vec::new();
    let mut rows = 0;
    for _ in 0..pages {
        whole.push(timed(|| {
            let recent = Recent::of(read.iter().map(|terms| &terms[..]));
            let moment = Moment { now, recent: &recent };
            rows = for_you(&taste, &candidates, Page { moment, hidden: &hidden, rows: 50 }).len();
        }));
    }
    report(&format!("page of {rows} from {count} candidates, features made"), &mut whole, "ms", "20 ms");

    // Without words and reads only the sums are left.
    let bare: Vec<Candidate> =
        candidates.iter().map(|one| Candidate { terms: Box::new([]), ..one.clone() }).collect();
    let recent = Recent::default();
    let moment = Moment { now, recent: &recent };
    let mut sums: Vec<f64> = Vec::new();
    for _ in 0..pages {
        sums.push(timed(|| assert!(taste.scores(&bare, moment).len() == count)));
    }
    report("scoring alone", &mut sums, "ms", "2 ms");

    let recent = Recent::of(read.iter().map(|terms| &terms[..]));
    let moment = Moment { now, recent: &recent };
    for (name, act) in [
        ("passed", Act::Pass),
        ("opened", Act::Open { dwell: None, scrolled: None }),
        ("kept, with words", Act::Keep),
    ] {
        let told = |nth: usize| Told { item: ItemId(0), act, row: Some(nth as u32 % 20), on_screen: None };
        let mut times: Vec<f64> = Vec::new();
        for batch in 0..batches {
            let features: Vec<Features<'_>> = (0..BATCH)
                .map(|nth| taste.features(&candidates[(batch * 7 + nth) % count], moment))
                .collect();
            let all = timed(|| {
                for (nth, features) in features.iter().enumerate() {
                    taste.learn(features, &told(nth), now);
                }
            });
            times.push(1e3 * all / BATCH as f64);
        }
        report(&format!("learning that an item was {name}"), &mut times, "µs", "5 µs");
    }
    println!(
        "memory of {count} candidates: {:.1} MB, taste as bytes: {:.1} KB; the bar is 50 MB",
        candidates.iter().map(bytes).sum::<usize>() as f64 / 1e6,
        taste.to_bytes().len() as f64 / 1e3
    );
}

/// What a candidate takes, with the two words an allocation costs.
fn bytes(candidate: &Candidate) -> usize {
    size_of::<Candidate>() + size_of_val(&*candidate.topics) + size_of_val(&*candidate.terms) + 32
}

fn report(name: &str, times: &mut [f64], unit: &str, bar: &str) {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "{name}: best {:.2} {unit}, p50 {:.2} {unit}, p99 {:.2} {unit}, the bar is {bar}",
        at(0.0),
        at(0.5),
        at(0.99)
    );
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn timed(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64() * 1e3
}

fn lived(candidates: &[Candidate], dice: &mut Dice) -> Taste {
    let mut taste = Taste::default();
    (0..10).for_each(|_| taste.begin_session());
    (0..100).for_each(|topic| taste.set(Feature::Topic(topic), (2.0 * dice.unit() - 1.0) as f32));
    let recent = Recent::default();
    let now = Timestamp::from_seconds(1_700_000_000);
    for candidate in candidates.iter().step_by(7) {
        let features = taste.features(candidate, Moment { now, recent: &recent });
        let told = Told { item: candidate.item, act: Act::Keep, row: None, on_screen: None };
        taste.learn(&features, &told, now);
    }
    taste
}

fn candidate(nth: usize, dice: &mut Dice) -> Candidate {
    Candidate {
        item: ItemId(i64::try_from(nth).unwrap_or_default()),
        feed: FeedId((500.0 * dice.unit()) as i64),
        feed_weight: 1.0,
        feed_items_per_day: (20.0 * dice.unit()) as f32,
        published_at: Timestamp::from_seconds(1_700_000_000 - (200_000.0 * dice.unit()) as i64),
        topics: (0..10).map(|_| ((100.0 * dice.unit()) as u16, 0.1)).collect(),
        terms: terms(dice),
        story: (dice.unit() < 0.2).then(|| (2_000.0 * dice.unit()) as u64),
        copies: (3.0 * dice.unit()) as u32,
    }
}

/// Terms by a law where few are frequent.
fn terms(dice: &mut Dice) -> Box<[(TermId, f32)]> {
    let bag: Vec<(TermId, u16)> = (0..ITEM_TERMS_MAX)
        .map(|_| {
            let number = 200_000f64.powf(dice.unit()) as u64;
            (TermId(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) << 1), 1)
        })
        .collect();
    item_terms(&bag, &|_| 1.0)
}

struct Dice(u64);

impl Dice {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1u64 << 31) as f64
    }
}
