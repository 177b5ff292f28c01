//! What is said without saying anything.
//!
//! The paper keeps nouns, found by a tagger. Here stop words go with the language, what a feed puts under every item goes
//! as its chrome, what everybody always says weighs nothing by idf, and phrases carry what single words do not. For
//! English a short list takes what headlines are full of and no idf learns in a week.

use super::mention::KeyId;
use text::Language;

/// Items after which it is decided what is chrome, and before which nothing is.
const BLOCK_ITEMS: u8 = 20;
const SURE_ITEMS: u8 = 10;
/// Keys watched and keys known of one feed.
const WATCHED_MAX: usize = 256;

/// Verbs, adjectives and adverbs of headlines, in order.
const SAID_BY_EVERYONE: [&str; 118] = [
    "amid",
    "announce",
    "announced",
    "announces",
    "asked",
    "bad",
    "become",
    "becomes",
    "best",
    "better",
    "big",
    "biggest",
    "brings",
    "build",
    "building",
    "built",
    "called",
    "came",
    "case",
    "check",
    "come",
    "comes",
    "coming",
    "despite",
    "doesn",
    "don",
    "easy",
    "ever",
    "explained",
    "fast",
    "find",
    "finds",
    "first",
    "free",
    "full",
    "getting",
    "give",
    "gives",
    "going",
    "gone",
    "good",
    "got",
    "great",
    "guide",
    "hard",
    "help",
    "helps",
    "high",
    "hit",
    "hits",
    "huge",
    "isn",
    "keep",
    "know",
    "last",
    "latest",
    "launch",
    "launched",
    "launches",
    "learn",
    "learned",
    "let",
    "like",
    "long",
    "look",
    "looking",
    "looks",
    "lot",
    "made",
    "make",
    "makes",
    "making",
    "many",
    "may",
    "might",
    "more",
    "much",
    "need",
    "needs",
    "never",
    "new",
    "news",
    "next",
    "old",
    "part",
    "people",
    "post",
    "read",
    "real",
    "really",
    "release",
    "released",
    "review",
    "right",
    "said",
    "say",
    "saying",
    "says",
    "see",
    "set",
    "show",
    "shows",
    "simple",
    "start",
    "starts",
    "still",
    "take",
    "takes",
    "tell",
    "thing",
    "things",
    "time",
    "today",
    "top",
    "use",
    "used",
    "using",
    "want",
];

/// Numbers, code, and what everyone says.
pub(crate) fn is_junk(word: &str, language: Option<Language>) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let digits = word.chars().filter(char::is_ascii_digit).count();
    // `snake_case`, hashes, part numbers.
    let code = word.contains('_') || (digits >= 3 && word.len() >= 8);
    let everyone = language.is_none_or(|language| language == Language::ENGLISH)
        && SAID_BY_EVERYONE.binary_search(&word).is_ok();
    letters == 0 || code || everyone
}

/// What half of a feed's last items have in common: its name, its footer, its share links. There is one for each feed, so it
/// is small: four bytes a key that is watched.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chrome {
    items: u8,
    watched: Vec<Watched>,
    known: Box<[u32]>,
}

/// The upper bits of an id, and in how many items of this block it was; a rare confusion hides one word of one feed.
#[derive(Debug, Clone, Copy)]
struct Watched(u32);

const COUNT_BITS: u32 = 6;

impl Watched {
    fn of(id: KeyId) -> u32 {
        (id.0 >> 32) as u32 >> COUNT_BITS
    }

    fn id(self) -> u32 {
        self.0 >> COUNT_BITS
    }

    /// At most [`BLOCK_ITEMS`], which six bits hold.
    fn count(self) -> u8 {
        (self.0 & ((1 << COUNT_BITS) - 1)) as u8
    }
}

impl Chrome {
    /// One more item, with each of its keys once.
    pub(crate) fn hear(&mut self, ids: impl Iterator<Item = KeyId>) {
        self.items += 1;
        for id in ids.map(Watched::of) {
            match self.watched.iter_mut().find(|own| own.id() == id) {
                Some(own) if own.count() < self.items => own.0 += 1,
                Some(_) => {}
                None => self.watch(id),
            }
        }
        if self.items == BLOCK_ITEMS {
            let half = self.watched.iter().filter(|own| own.count() >= BLOCK_ITEMS / 2);
            self.known = half.map(|own| own.id()).collect();
            (self.items, self.watched) = (0, Vec::new());
        } else if self.items.is_multiple_of(4) {
            // What has been in fewer than a third so far hardly comes to half.
            let items = self.items;
            self.watched.retain(|own| 3 * own.count() >= items);
            self.watched.shrink_to_fit();
        }
    }

    fn watch(&mut self, id: u32) {
        if self.watched.len() < WATCHED_MAX {
            self.watched.reserve_exact(1);
            self.watched.push(Watched(id << COUNT_BITS | 1));
        }
    }

    pub(crate) fn covers(&self, id: KeyId) -> bool {
        let id = Watched::of(id);
        let often = |own: &Watched| own.id() == id && 2 * own.count() >= self.items;
        self.known.contains(&id) || (self.items >= SURE_ITEMS && self.watched.iter().any(often))
    }

    /// Beside its own size.
    pub(crate) fn bytes(&self) -> usize {
        self.watched.capacity() * 4 + self.known.len() * 4
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests {
    use super::*;

    #[test]
    fn numbers_code_and_headline_verbs_are_junk() {
        assert!(SAID_BY_EVERYONE.is_sorted());
        let english = Some(Language::ENGLISH);
        for word in ["2018", "snake_case", "a3f9c2d1", "says", "new", "12"] {
            assert!(is_junk(word, english), "{word}");
        }
        for word in ["harbour", "c++", "h264", "ai", "#rust", "港湾", "covid19"] {
            assert!(!is_junk(word, english), "{word}");
        }
        assert!(!is_junk("see", Language::parse("de")), "a lake is no junk");
    }

    #[test]
    fn what_half_of_a_feeds_items_have_is_chrome_and_may_end() {
        let mut chrome = Chrome::default();
        let footer = KeyId(7 << 40);
        for nth in 0..40u64 {
            let own = KeyId((1_000 + nth) << 40);
            let with_footer = nth < 20;
            chrome.hear([own].into_iter().chain(with_footer.then_some(footer)));
            assert!(!chrome.covers(own));
            assert_eq!(chrome.covers(footer), (9..39).contains(&nth), "{nth}");
        }
    }

    #[test]
    fn spam_of_words_is_watched_within_bounds() {
        let mut chrome = Chrome::default();
        (0..19u64).for_each(|nth| chrome.hear((0..5_000).map(|key| KeyId((nth * 5_000 + key) << 40))));
        assert!(chrome.bytes() < 10_000);
    }
}
