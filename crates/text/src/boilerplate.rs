//! Boiler-plate: what a feed says under every item.
//!
//! Of every [`BOILERPLATE_ITEMS`] items it is counted in how many a sequence of four tokens occurs; above 60 % it is
//! boiler-plate. A single token is boiler-plate only where it stands that often in the text *and not in the title*: a
//! feed about one thing names it in most titles, and must be found by it.
//!
//! Counting is bounded: what cannot be frequent any more is dropped as items come.

use crate::packed::{BadState, Reader, Writer};
use crate::tokens::Tokens;
use std::collections::{HashMap, HashSet};
use xxhash_rust::xxh3::xxh3_64;

/// Items after which it is decided anew.
pub const BOILERPLATE_ITEMS: u32 = 50;
const SHARE: f64 = 0.6;
/// What is seen in less than this share of the items so far is forgotten every few items.
const SHARE_KEPT: f64 = 0.4;
const SWEEP_ITEMS: u32 = 10;
const GRAM: usize = 4;
/// Boiler-plate sits at both ends of a text: tokens looked at from either side.
const EDGE_TOKENS: usize = 200;
/// Things known as boiler-plate, and things counted in a stored state.
const KNOWN_MAX: usize = 512;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Boilerplate {
    known: HashSet<u64>,
    counts: HashMap<u64, u32>,
    items: u32,
}

impl Boilerplate {
    /// One more item of the feed.
    pub fn hear(&mut self, tokens: &Tokens) {
        let seen: HashSet<u64> =
            marks(tokens).into_iter().filter(|mark| mark.counts).map(|mark| mark.id).collect();
        for id in seen {
            *self.counts.entry(id).or_default() += 1;
        }
        self.items += 1;
        if self.items >= BOILERPLATE_ITEMS {
            let least = SHARE * f64::from(self.items);
            let mut frequent: Vec<(u32, u64)> = self
                .counts
                .iter()
                .filter(|(_, count)| f64::from(**count) > least)
                .map(|(id, count)| (*count, *id))
                .collect();
            frequent.sort_unstable_by(|one, other| other.cmp(one));
            self.known = frequent.into_iter().take(KNOWN_MAX).map(|(_, id)| id).collect();
            self.counts = HashMap::new();
            self.items = 0;
        } else if self.items.is_multiple_of(SWEEP_ITEMS) {
            self.sweep();
        }
    }

    /// For each token whether it is boiler-plate.
    pub fn covers(&self, tokens: &Tokens) -> Vec<bool> {
        let mut covered = vec![false; tokens.len()];
        if self.known.is_empty() {
            return covered;
        }
        for mark in marks(tokens).into_iter().filter(|mark| self.known.contains(&mark.id)) {
            covered.iter_mut().skip(mark.at).take(mark.length).for_each(|token| *token = true);
        }
        covered
    }

    fn sweep(&mut self) {
        let least = SHARE_KEPT * f64::from(self.items);
        self.counts.retain(|_, count| f64::from(*count) >= least);
    }

    pub fn write(&self, out: &mut Writer) {
        let mut known: Vec<u64> = self.known.iter().copied().collect();
        known.sort_unstable();
        let least = SHARE_KEPT * f64::from(self.items);
        let mut counts: Vec<(u32, u64)> = self.counts.iter().map(|(id, count)| (*count, *id)).collect();
        counts.retain(|(count, _)| f64::from(*count) >= least);
        counts.sort_unstable_by(|one, other| other.cmp(one));
        counts.truncate(KNOWN_MAX);
        out.number(u64::from(self.items));
        out.number(known.len() as u64);
        known.into_iter().for_each(|id| out.word(id));
        out.number(counts.len() as u64);
        for (count, id) in counts {
            out.number(u64::from(count));
            out.word(id);
        }
    }

    pub fn read(from: &mut Reader<'_>) -> Result<Self, BadState> {
        let items = from.within(BOILERPLATE_ITEMS as usize)? as u32;
        let count = from.length(KNOWN_MAX)?;
        let known = (0..count).map(|_| from.word()).collect::<Result<_, _>>()?;
        let count = from.length(KNOWN_MAX)?;
        let mut counts = HashMap::new();
        for _ in 0..count {
            let seen = from.within(BOILERPLATE_ITEMS as usize)? as u32;
            counts.insert(from.word()?, seen);
        }
        Ok(Boilerplate { known, counts, items })
    }
}

struct Mark {
    id: u64,
    at: usize,
    length: usize,
    /// A single token of the title is looked up, but not held against the feed.
    counts: bool,
}

/// Single tokens and sequences of four at both ends of the text.
fn marks(tokens: &Tokens) -> Vec<Mark> {
    let hashes: Vec<u64> = tokens.iter().map(|token| xxh3_64(token.text.as_bytes())).collect();
    let at_edge = |at: usize| at < EDGE_TOKENS || at + EDGE_TOKENS >= hashes.len();
    let title: HashSet<u64> = hashes.iter().take(tokens.title_len()).copied().collect();
    let single = hashes.iter().enumerate().map(|(at, id)| {
        let counts = at >= tokens.title_len() && !title.contains(id);
        Mark { id: *id, at, length: 1, counts }
    });
    let sequences = hashes.windows(GRAM).enumerate().map(|(at, gram)| {
        let id = gram
            .iter()
            .fold(GRAM as u64, |mixed, id| (mixed ^ id).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29));
        Mark { id, at, length: GRAM, counts: true }
    });
    single.chain(sequences).filter(|mark| at_edge(mark.at)).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::terms::Terms;

    fn heard(feed: impl Fn(usize) -> (String, String), items: usize) -> Boilerplate {
        let mut known = Boilerplate::default();
        for nth in 0..items {
            let (title, text) = feed(nth);
            known.hear(&Tokens::of_item(&title, &text));
        }
        known
    }

    fn words(known: &Boilerplate, title: &str, text: &str) -> Vec<String> {
        let terms = Terms::of(&Tokens::of_item(title, text), Some(Language::ENGLISH), Some(known));
        terms.words.into_iter().map(|word| word.surface).collect()
    }

    fn newsletter(nth: usize) -> (String, String) {
        (
            format!("Beekeeping story{nth}"),
            format!("Something about topic{nth}. Subscribe to our weekly newsletter. Footer{}", nth % 3),
        )
    }

    #[test]
    fn what_stands_under_every_item_is_left_out_of_its_terms() {
        let known = heard(newsletter, 50);
        let left =
            words(&known, "Beekeeping in spring", "Swarms leave hives. Subscribe to our weekly newsletter.");
        assert_eq!(left, ["beekeeping", "spring", "swarms", "leave", "hives"]);
    }

    #[test]
    fn a_feed_is_found_by_the_one_thing_it_is_about() {
        let known = heard(newsletter, 100);
        assert!(words(&known, "Beekeeping again", "Honey").contains(&"beekeeping".to_owned()));
    }

    #[test]
    fn fewer_than_fifty_items_decide_nothing() {
        let known = heard(newsletter, 49);
        assert!(words(&known, "A", "Subscribe to our weekly newsletter").contains(&"newsletter".to_owned()));
    }

    #[test]
    fn boilerplate_that_ends_is_forgotten() {
        let known = heard(
            |nth| if nth < 50 { newsletter(nth) } else { (format!("t{nth}x"), format!("fresh{nth} text")) },
            100,
        );
        assert!(words(&known, "A", "Subscribe to our weekly newsletter").contains(&"newsletter".to_owned()));
    }

    #[test]
    fn the_state_is_small_and_survives_storage() {
        let mut known = heard(newsletter, 75);
        let mut out = Writer::new(1);
        known.write(&mut out);
        let bytes = out.finish();
        assert!(bytes.len() < 20_000, "{}", bytes.len());
        let mut back = Boilerplate::read(&mut Reader::new(&bytes, 1).unwrap()).unwrap();
        for nth in 75..100 {
            let (title, text) = newsletter(nth);
            known.hear(&Tokens::of_item(&title, &text));
            back.hear(&Tokens::of_item(&title, &text));
        }
        assert_eq!(known, back);
    }
}
