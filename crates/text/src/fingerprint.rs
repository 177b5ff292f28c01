//! Fingerprints: the same text known again in another feed, without comparing it with everything.
//!
//! A text is the set of its runs of three words, before stop words and stems; two are the same when they share
//! [`SAME_TEXT`] of their union (Jaccard). MinHash makes a signature of 64 numbers; cut into [`BANDS`] bands of four, two
//! texts that are the same share a band almost surely, so that candidates are found by 16 keys and then compared
//! exactly (measured in reference 4.6: nothing cheaper has both recall and precision).
//!
//! Two weather reports are the same words around other numbers, and numbers are no tokens. So figures are compared too:
//! each that one text has instead of the other's counts as the runs that it would have broken, and two titles that count
//! differently (`episode 118`, `4.2.1`) are two things however alike the rest is.

use crate::packed::{BadState, Reader, Writer};
use crate::terms::TermId;
use crate::tokens::{FIGURES_MAX, TOKENS_MAX, Tokens};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

pub const SHINGLE_WORDS: usize = 3;
pub const BANDS: usize = 16;
const ROWS: usize = 4;
const HASHES: usize = BANDS * ROWS;
/// Shared part of the union from which two texts are the same.
pub const SAME_TEXT: f64 = 0.6;
/// Runs kept for the exact comparison, the smallest hashes; more would be a better estimate of nothing.
pub const SHINGLES_MAX: usize = 1_024;
/// A shorter text is known by its link or title only.
const TOKENS_MIN: usize = 5;
const VERSION: u8 = 2;

/// What is kept of a text to know it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    bands: [u64; BANDS],
    /// Ascending, as are all of these.
    shingles: Box<[u32]>,
    figures: Box<[u32]>,
    title_figures: Box<[u32]>,
    /// Words of a run.
    words: usize,
}

impl Fingerprint {
    /// None for a text of fewer than five tokens.
    pub fn of(tokens: &Tokens) -> Option<Self> {
        Self::with_runs_of(tokens, SHINGLE_WORDS)
    }

    /// Runs of another length: two words for texts that are all titles.
    pub fn with_runs_of(tokens: &Tokens, words: usize) -> Option<Self> {
        if tokens.len() < TOKENS_MIN.max(words) {
            return None;
        }
        let mut hashes: Vec<u64> = tokens.iter().map(|token| xxh3_64(token.text.as_bytes())).collect();
        // `RT @somebody:` says who passed a text on.
        if tokens.iter().next().is_some_and(|first| first.text == "rt") && hashes.len() > TOKENS_MIN + 2 {
            hashes.drain(..2);
        }
        let mut shingles: Vec<u32> = hashes
            .windows(words.max(1))
            .map(|run| {
                let mixed = run.iter().fold(0u64, |mixed, hash| {
                    (mixed ^ hash).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31)
                });
                (mixed >> 32) as u32
            })
            .collect();
        shingles.sort_unstable();
        shingles.dedup();
        let bands = bands(&shingles);
        shingles.truncate(SHINGLES_MAX);
        Some(Fingerprint {
            bands,
            shingles: shingles.into_boxed_slice(),
            figures: sorted(tokens.figures()),
            title_figures: sorted(tokens.title_figures()),
            words,
        })
    }

    /// Two texts that are the same share at least one of these almost surely. Each is of its band.
    pub fn band_keys(&self) -> &[u64; BANDS] {
        &self.bands
    }

    /// The share of the union that both have; exact up to [`SHINGLES_MAX`] runs, an estimate from the smallest beyond.
    pub fn jaccard(&self, other: &Fingerprint) -> f64 {
        self.compared(other).0
    }

    /// The same as if figures were words.
    pub fn likeness(&self, other: &Fingerprint) -> f64 {
        self.compared(other).1
    }

    /// Both shares. Of two texts the one that has fewer figures to itself decides: what was shortened lacks some, what is
    /// another report has others.
    pub(crate) fn compared(&self, other: &Fingerprint) -> (f64, f64) {
        let (shared, union) = self.shared(other);
        let (own, others) = (&self.title_figures, &other.title_figures);
        let are_numbered_apart = !own.is_empty() && !others.is_empty() && lacking(own, others) == own.len();
        let differing = lacking(&self.figures, &other.figures).min(lacking(&other.figures, &self.figures));
        let broken = u32::try_from(differing * self.words).unwrap_or(u32::MAX).min(shared);
        let likeness = if are_numbered_apart { 0.0 } else { share(shared - broken, union + broken) };
        (share(shared, union), likeness)
    }

    fn shared(&self, other: &Fingerprint) -> (u32, u32) {
        let (mut one, mut two) = (self.shingles.iter().peekable(), other.shingles.iter().peekable());
        let (mut shared, mut union) = (0u32, 0u32);
        // Where a set was cut, only the smallest of the union are known of both.
        let cut = self.shingles.len().max(other.shingles.len()) >= SHINGLES_MAX;
        let union_max = if cut { SHINGLES_MAX as u32 } else { u32::MAX };
        while union < union_max {
            match (one.peek(), two.peek()) {
                (None, None) => break,
                (Some(a), Some(b)) if a == b => {
                    shared += 1;
                    one.next();
                    two.next();
                }
                (Some(a), Some(b)) if a < b => drop(one.next()),
                (Some(_), None) => drop(one.next()),
                _ => drop(two.next()),
            }
            union += 1;
        }
        (shared, union)
    }

    pub fn is_same_text(&self, other: &Fingerprint) -> bool {
        self.likeness(other) >= SAME_TEXT
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new(VERSION);
        self.bands.iter().for_each(|key| out.word(*key));
        out.number(self.words as u64);
        for list in [&self.shingles, &self.figures, &self.title_figures] {
            out.number(list.len() as u64);
            let mut last = 0;
            for hash in list {
                out.number(u64::from(hash - last));
                last = *hash;
            }
        }
        out.finish()
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BadState> {
        let mut from = Reader::new(bytes, VERSION)?;
        let mut bands = [0; BANDS];
        for key in &mut bands {
            *key = from.word()?;
        }
        let words = from.within(TOKENS_MAX)?;
        let mut list = |most: usize| -> Result<Box<[u32]>, BadState> {
            let mut last = 0u32;
            let mut list = Vec::new();
            for _ in 0..from.length(most)? {
                let step = u32::try_from(from.number()?).map_err(|_| BadState::Wrong)?;
                last = last.checked_add(step).ok_or(BadState::Wrong)?;
                list.push(last);
            }
            Ok(list.into_boxed_slice())
        };
        let (shingles, figures, title_figures) =
            (list(SHINGLES_MAX)?, list(FIGURES_MAX)?, list(FIGURES_MAX)?);
        from.end()?;
        Ok(Fingerprint { bands, shingles, figures, title_figures, words })
    }
}

fn share(part: u32, all: u32) -> f64 {
    if all == 0 { 0.0 } else { f64::from(part) / f64::from(all) }
}

fn sorted(hashes: &[u32]) -> Box<[u32]> {
    let mut all = hashes.to_vec();
    all.sort_unstable();
    all.dedup();
    all.into_boxed_slice()
}

/// How many of these the others have not.
fn lacking(these: &[u32], others: &[u32]) -> usize {
    these.iter().filter(|hash| others.binary_search(hash).is_err()).count()
}

/// A title by its words and figures, where it has at least three words: too many items are called "Update".
pub(crate) fn title_key(title: &Tokens) -> Option<u64> {
    if title.len() < 3 {
        return None;
    }
    let words = title.iter().fold(0, |mixed, token| xxh3_64_with_seed(token.text.as_bytes(), mixed));
    let mixed =
        title.figures().iter().fold(words, |mixed, figure| xxh3_64_with_seed(&figure.to_le_bytes(), mixed));
    Some(TermId(mixed).0)
}

fn bands(shingles: &[u32]) -> [u64; BANDS] {
    let mut least = [u32::MAX; HASHES];
    for shingle in shingles {
        let value = u64::from(*shingle);
        for (least, (times, plus)) in least.iter_mut().zip(HASH) {
            let hashed = (value.wrapping_mul(times).wrapping_add(plus) >> 32) as u32;
            *least = (*least).min(hashed);
        }
    }
    std::array::from_fn(|band| {
        let rows = least.iter().skip(band * ROWS).take(ROWS);
        rows.fold(band as u64 + 1, |mixed, row| {
            let mixed = (mixed ^ u64::from(*row)).wrapping_mul(0xd6e8_feb8_6659_fd93);
            mixed ^ (mixed >> 32)
        })
    })
}

/// Factors and summands of the 64 hashes, from a fixed seed: stored keys must mean the same for ever.
const HASH: [(u64, u64); HASHES] = {
    let mut all = [(0, 0); HASHES];
    let mut state = 0x5745_4c4c_5245_4144u64;
    let mut nth = 0;
    while nth < HASHES {
        let mut pair = [0u64; 2];
        let mut part = 0;
        while part < 2 {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = state;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            pair[part] = mixed ^ (mixed >> 31);
            part += 1;
        }
        all[nth] = (pair[0] | 1, pair[1]);
        nth += 1;
    }
    all
};

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests {
    use super::*;

    fn print(text: &str) -> Fingerprint {
        Fingerprint::of(&Tokens::of(text)).unwrap()
    }

    fn words(from: usize, to: usize) -> String {
        (from..to).map(|nth| format!("word{nth} ")).collect()
    }

    #[test]
    fn the_share_of_common_runs_is_exact() {
        let (one, two) = (print(&words(0, 12)), print(&words(2, 14)));
        assert!((one.jaccard(&two) - 8.0 / 12.0).abs() < 1e-12);
        assert!(one.is_same_text(&two));
        assert!((one.jaccard(&one) - 1.0).abs() < 1e-12);
        assert!(!one.is_same_text(&print(&words(50, 70))));
    }

    #[test]
    fn equal_texts_share_every_key_and_different_ones_none() {
        assert_eq!(
            print("The old bridge was closed today").band_keys(),
            print("the OLD bridge, was closed: today!").band_keys()
        );
        let (one, two) = (print(&words(0, 50)), print(&words(100, 150)));
        assert!(one.band_keys().iter().zip(two.band_keys()).all(|(a, b)| a != b));
    }

    #[test]
    fn copies_with_small_changes_share_a_key_almost_always() {
        let found = (0..200).filter(|nth| {
            let start = nth * 100;
            let (one, two) = (print(&words(start, start + 40)), print(&words(start + 3, start + 43)));
            one.band_keys().iter().zip(two.band_keys()).any(|(a, b)| a == b)
        });
        assert!(found.count() >= 198, "their shared part is .85");
    }

    #[test]
    fn who_passed_a_text_on_does_not_matter() {
        let text = "The committee will meet tomorrow to discuss the harbour bridge";
        assert_eq!(print(&format!("RT @somebody: {text}")), print(text));
    }

    #[test]
    fn short_texts_have_no_fingerprint() {
        for text in ["", "one two three four", "🎉 12 34"] {
            assert_eq!(Fingerprint::of(&Tokens::of(text)), None, "{text}");
        }
    }

    #[test]
    fn long_texts_are_compared_by_a_sample() {
        let (one, two) = (print(&words(0, 2_000)), print(&words(200, 2_200)));
        assert!(one.shingles.len() <= SHINGLES_MAX);
        assert!((one.jaccard(&two) - 1_798.0 / 2_198.0).abs() < 0.05, "{}", one.jaccard(&two));
    }

    #[test]
    fn a_figure_that_differs_counts_as_the_runs_it_would_have_broken() {
        let report = |one: u32, two: u32| print(&format!("{} {one} {} {two}", words(0, 12), words(20, 32)));
        let (shared, all) = (22.0, 22.0);
        assert_eq!(report(4, 5).likeness(&report(4, 5)), 1.0);
        assert!((report(4, 5).likeness(&report(4, 6)) - (shared - 3.0) / (all + 3.0)).abs() < 1e-12);
        assert!(!report(4, 5).is_same_text(&report(6, 7)));
        assert_eq!(report(4, 5).likeness(&report(4, 4)), 1.0, "what is left out is no difference");
    }

    #[test]
    fn numbered_titles_are_different_things() {
        let issue = |title: &str| Fingerprint::of(&Tokens::of_item(title, &words(0, 60))).unwrap();
        assert!(!issue("Issue 118").is_same_text(&issue("Issue 119")));
        assert!(issue("Issue 118").is_same_text(&issue("No. 118 is out")));
        assert!(issue("Issue 118").is_same_text(&issue("The new issue")));
    }

    #[test]
    fn fingerprints_survive_storage_and_refuse_damage() {
        let one = print(&format!("{} 17 4,5", words(0, 60)));
        let bytes = one.to_bytes();
        for cut in 0..bytes.len() {
            assert!(Fingerprint::from_bytes(&bytes[..cut]).is_err());
        }
        assert_eq!(Fingerprint::from_bytes(&bytes), Ok(one));
    }
}
