//! What is kept of a profile to show it, to search it and to compare it with others.
//!
//! The heaviest words and pairs of a window. Likeness is the cosine of eq. 1 over them. *Contained in* is told from
//! *similar to* (Table 2) by looking in one direction at a time: how much of what A says B says too, counted and not
//! only weighed, and the other way round. Two feeds about one thing cover each other half; a feed that another one
//! carries is covered whole, and covers only a part of it.

use crate::window::cosine;
use std::collections::HashMap;
use text::packed::{BadState, Reader, Writer};
use text::{Idf, TermId, Terms};

/// Words and pairs of a stored profile (reference 4.1).
pub const WORDS_KEPT: usize = 64;
pub const PAIRS_KEPT: usize = 32;
const VERSION: u8 = 1;
const TEXT_BYTES_MAX: usize = 1_024;

/// A term as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighted {
    pub id: TermId,
    /// The commonest way it was written.
    pub text: String,
    /// tf·idf.
    pub weight: f64,
    /// How often it occurs.
    pub count: u32,
    /// A pair whose words mostly touch.
    pub phrase: bool,
}

/// The heaviest terms of a window, heaviest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Summary {
    /// Items it was made from.
    pub items: u32,
    pub words: Vec<Weighted>,
    pub pairs: Vec<Weighted>,
}

impl Summary {
    /// Sorts and cuts.
    pub fn new(items: u32, terms: impl IntoIterator<Item = Weighted>) -> Self {
        let (mut pairs, mut words): (Vec<Weighted>, Vec<Weighted>) =
            terms.into_iter().filter(|term| term.weight > 0.0).partition(|term| term.id.is_pair());
        for (list, most) in [(&mut words, WORDS_KEPT), (&mut pairs, PAIRS_KEPT)] {
            list.sort_unstable_by(|one, other| {
                other.weight.total_cmp(&one.weight).then(one.id.cmp(&other.id))
            });
            list.truncate(most);
        }
        Summary { items, words, pairs }
    }

    /// The profile of one text: words somebody typed or a page they pasted, to be compared with feeds.
    pub fn of_text(terms: &Terms, idf: &impl Idf) -> Self {
        let words = terms.words.iter().map(|word| (word.id, &word.surface, word.count, false));
        let pairs = terms
            .pairs
            .iter()
            .map(|pair| (pair.id, &pair.surface, pair.count, 2 * pair.adjacent > pair.count));
        let weighted = words.chain(pairs).map(|(id, surface, count, phrase)| Weighted {
            id,
            text: surface.clone(),
            weight: f64::from(count) * idf.idf(id),
            count: u32::from(count),
            phrase,
        });
        Summary::new(1, weighted)
    }

    pub fn terms(&self) -> impl Iterator<Item = &Weighted> {
        self.words.iter().chain(&self.pairs)
    }

    /// The first `count` terms of both kinds by weight: the row of Table 1.
    pub fn top(&self, count: usize) -> Vec<&Weighted> {
        let mut all: Vec<&Weighted> = self.terms().collect();
        all.sort_by(|one, other| other.weight.total_cmp(&one.weight).then(one.id.cmp(&other.id)));
        all.truncate(count);
        all
    }

    /// Eq. 1 over what was kept.
    pub fn similarity(&self, other: &Summary) -> f64 {
        let weights: HashMap<TermId, f64> = other.terms().map(|term| (term.id, term.weight)).collect();
        let dot = self.terms().map(|term| term.weight * weights.get(&term.id).unwrap_or(&0.0)).sum();
        let norm = |summary: &Summary| summary.terms().map(|term| term.weight * term.weight).sum::<f64>();
        cosine(dot, norm(self), norm(other))
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new(VERSION);
        out.number(u64::from(self.items));
        for list in [&self.words, &self.pairs] {
            out.number(list.len() as u64);
            for term in list {
                out.word(term.id.0);
                out.text(&term.text);
                out.float(term.weight);
                out.number(u64::from(term.count));
                out.number(u64::from(term.phrase));
            }
        }
        out.finish()
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BadState> {
        let mut from = Reader::new(bytes, VERSION)?;
        let small = |from: &mut Reader<'_>| u32::try_from(from.number()?).map_err(|_| BadState::Wrong);
        let items = small(&mut from)?;
        let mut lists = [Vec::new(), Vec::new()];
        for (list, most) in lists.iter_mut().zip([WORDS_KEPT, PAIRS_KEPT]) {
            for _ in 0..from.length(most)? {
                let id = TermId(from.word()?);
                let text = from.text(TEXT_BYTES_MAX)?.to_owned();
                let weight = from.float()?.max(0.0);
                list.push(Weighted {
                    id,
                    text,
                    weight,
                    count: small(&mut from)?,
                    phrase: from.number()? == 1,
                });
            }
        }
        from.end()?;
        let [words, pairs] = lists;
        Ok(Summary { items, words, pairs })
    }
}

/// How two feeds stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tie {
    /// Nearly everything of the first is in the second, and the second has much more.
    Contained,
    /// The same, seen from the other side.
    Contains,
    Similar,
    Apart,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relation {
    pub tie: Tie,
    /// Share of the items of one that the other has too, each way.
    pub in_other: f64,
    pub of_other: f64,
    pub similarity: f64,
}

/// Covered from which a feed is contained, most of the way back so that it is not the same feed, likeness worth naming.
const COVERED: f64 = 0.7;
const BACK: f64 = 0.75;
const ALIKE: f64 = 0.2;
/// Fewer items than this prove nothing.
const ITEMS_MIN: u32 = 5;

/// `shared` stories of `items` and `other_items` over the same days ([`text::Stories`] finds them), and the profiles'
/// similarity. Stories decide about containment: words alone cannot tell a copy from a colleague.
pub fn relation(shared: u32, items: u32, other_items: u32, similarity: f64) -> Relation {
    let share = |of: u32| if of == 0 { 0.0 } else { (f64::from(shared) / f64::from(of)).min(1.0) };
    let (in_other, of_other) = (share(items), share(other_items));
    // Few items are believed less: one more each way that is not shared.
    let careful = |of: u32| f64::from(shared) / (f64::from(of) + 1.0);
    let (there, back) = (careful(items), careful(other_items));
    let tie = if items >= ITEMS_MIN && there >= COVERED && back < BACK * there {
        Tie::Contained
    } else if other_items >= ITEMS_MIN && back >= COVERED && there < BACK * back {
        Tie::Contains
    } else if similarity >= ALIKE || there.min(back) >= ALIKE {
        Tie::Similar
    } else {
        Tie::Apart
    };
    Relation { tie, in_other, of_other, similarity }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests {
    use super::*;

    fn term(nth: u64, weight: f64) -> Weighted {
        Weighted { id: TermId(nth), text: format!("t{nth}"), weight, count: 1, phrase: nth % 2 == 1 }
    }

    #[test]
    fn the_heaviest_terms_are_kept() {
        let summary = Summary::new(20, (0..400).map(|nth| term(nth, nth as f64)));
        assert_eq!((summary.words.len(), summary.pairs.len()), (WORDS_KEPT, PAIRS_KEPT));
        assert_eq!((summary.words[0].id, summary.pairs[0].id), (TermId(398), TermId(399)));
        assert_eq!(summary.top(3).iter().map(|term| term.id.0).collect::<Vec<_>>(), [399, 398, 397]);
        assert_eq!(Summary::from_bytes(&summary.to_bytes()), Ok(summary));
    }

    #[test]
    fn likeness_is_the_cosine() {
        let one = Summary::new(1, [term(2, 1.0), term(4, 1.0)]);
        let other = Summary::new(1, [term(2, 1.0), term(6, 1.0)]);
        assert!((one.similarity(&other) - 0.5).abs() < 1e-12);
        assert_eq!(one.similarity(&Summary::default()), 0.0);
        assert_eq!(Summary::default().similarity(&Summary::default()), 1.0);
    }

    #[test]
    fn a_pasted_text_finds_the_feed_that_is_about_it() {
        let of = |text: &str| {
            let terms = Terms::of(&text::Tokens::of(text), Some(text::Language::ENGLISH), None);
            Summary::of_text(&terms, &|_: TermId| 1.0)
        };
        let (bees, rockets) = (of("Beekeepers move their hives"), of("A rocket with forty satellites"));
        let asked = of("the hive of a beekeeper");
        assert!(asked.similarity(&bees) > 0.5 && asked.similarity(&rockets) < 0.01);
        assert_eq!(of("the of and"), Summary::new(1, []));
    }

    #[test]
    fn contained_is_told_from_similar_by_direction() {
        let tie = |shared, items, others| relation(shared, items, others, 0.3).tie;
        assert_eq!(tie(19, 20, 100), Tie::Contained);
        assert_eq!(tie(19, 100, 20), Tie::Contains);
        assert_eq!(tie(19, 20, 20), Tie::Similar, "a mirror is no part");
        assert_eq!(tie(6, 20, 25), Tie::Similar);
        assert_eq!(tie(2, 2, 90), Tie::Similar, "two items prove nothing");
        assert_eq!(relation(0, 20, 30, 0.05).tie, Tie::Apart);
    }
}
