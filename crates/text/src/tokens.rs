//! Tokens: a text cut into words, the same way for everybody who reads it.
//!
//! The text is brought to one spelling (NFKC, lower case), addresses are taken out, words are found by the rules of
//! Unicode (UAX #29). Scripts without spaces give overlapping pairs of signs instead. `c++`, `c#` and `#tag` stay whole;
//! of bare numbers only years stay. Positions count every word, also those left out, and jump at the end of a sentence,
//! so that "close together" means what a reader would mean by it. The other numbers are no words, but they tell two
//! weather reports apart: they are kept beside the tokens, as [`Tokens::figures`].

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;
use xxhash_rust::xxh3::xxh3_64;

/// Of a longer text the beginning is read.
pub const TEXT_BYTES_MAX: usize = 256 * 1024;
/// Tokens of one item.
pub const TOKENS_MAX: usize = 2_000;
/// Figures of one item, the first ones.
pub const FIGURES_MAX: usize = 128;
/// Characters of a token.
const LENGTH_MIN: usize = 2;
const LENGTH_MAX: usize = 40;
/// What UAX #29 lets stand inside a word.
const JOINTS: [char; 3] = ['.', ':', '\u{b7}'];
/// How far apart the ends of two sentences are, in words: more than anything that asks for nearness allows.
const SENTENCE_GAP: u32 = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Word,
    /// Two neighbouring signs of a script without spaces.
    Gram,
    /// `#tag`, `c++`, `c#`: never stemmed, never a stop word.
    Tag,
    Year,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    pub text: &'a str,
    pub kind: Kind,
    /// In words from the beginning.
    pub at: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    start: u32,
    end: u32,
    at: u32,
    kind: Kind,
}

/// The tokens of one text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tokens {
    buffer: String,
    spans: Vec<Span>,
    title: usize,
    figures: Vec<u32>,
    title_figures: usize,
    at: u32,
}

impl Tokens {
    pub fn of(text: &str) -> Self {
        let mut tokens = Tokens::default();
        tokens.read(text);
        tokens
    }

    /// Title and text of an item. Many publishers begin the text with the title; then it counts once.
    pub fn of_item(title: &str, text: &str) -> Self {
        let mut tokens = Tokens::of(title);
        tokens.title = tokens.len();
        tokens.title_figures = tokens.figures.len();
        if text.trim().is_empty() {
            return tokens;
        }
        let mut body = Tokens::of(text);
        let shared = tokens.iter().zip(body.iter()).take_while(|(one, other)| one.text == other.text).count();
        // A title that was cut may end in half a word.
        if tokens.title > 0 && shared + 1 >= tokens.title && shared > 0 {
            body.title = tokens.title.min(body.len());
            body.title_figures = tokens.title_figures.min(body.figures.len());
            return body;
        }
        tokens.at += SENTENCE_GAP;
        tokens.read(text);
        tokens
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = Token<'_>> + Clone {
        self.spans.iter().map(|span| Token {
            text: self.buffer.get(span.start as usize..span.end as usize).unwrap_or_default(),
            kind: span.kind,
            at: span.at,
        })
    }

    pub fn len(&self) -> usize {
        self.spans.len()
    }

    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Of a long text what it begins with.
    pub fn truncate(&mut self, len: usize) {
        self.spans.truncate(len);
        self.title = self.title.min(len);
    }

    /// How many of the first tokens are the title's.
    pub fn title_len(&self) -> usize {
        self.title
    }

    /// The numbers that are no tokens, as hashes of their digits, in the order of the text.
    pub fn figures(&self) -> &[u32] {
        &self.figures
    }

    /// Those of them that stand in the title.
    pub fn title_figures(&self) -> &[u32] {
        &self.figures[..self.title_figures.min(self.figures.len())]
    }

    fn read(&mut self, text: &str) {
        let folded = folded(text);
        let mut run = Run::default();
        for (at, piece) in folded.split_word_bound_indices() {
            if self.spans.len() >= TOKENS_MAX {
                return;
            }
            let Some(first) = piece.chars().next() else { continue };
            if is_unspaced(first) {
                run.signs.extend(piece.chars().filter(|c| is_unspaced(*c)));
                run.tagged |= run.signs.len() == piece.chars().count() && is_tagged(&folded, at);
                // A line of a million signs is no run of words.
                if run.signs.len() > TOKENS_MAX {
                    self.flush(&mut run);
                }
                continue;
            }
            self.flush(&mut run);
            if piece.chars().any(char::is_alphanumeric) {
                self.word(&folded, at, piece);
            } else if ends_sentence(piece, &folded, at) {
                self.at += SENTENCE_GAP;
            }
        }
        self.flush(&mut run);
    }

    fn word(&mut self, folded: &str, at: usize, piece: &str) {
        let after = folded.get(at + piece.len()..).unwrap_or_default();
        let whole = piece.trim_matches(['\'', '_']);
        if is_tagged(folded, at) && whole.chars().any(char::is_alphabetic) {
            return self.keep(&format!("#{whole}"), Kind::Tag);
        }
        if let Some(rest) = after.strip_prefix("++")
            && !rest.starts_with(|c: char| c.is_alphanumeric() || c == '+')
            && whole.chars().all(char::is_alphabetic)
        {
            return self.keep(&format!("{whole}++"), Kind::Tag);
        }
        if let Some(rest) = after.strip_prefix('#')
            && !rest.starts_with(char::is_alphanumeric)
            && whole.len() == 1
            && whole.chars().all(char::is_alphabetic)
        {
            return self.keep(&format!("{whole}#"), Kind::Tag);
        }
        if whole.split(JOINTS).any(|part| is_number(part) && !is_year(part)) {
            self.figure(whole);
        }
        // UAX #29 joins `end.next` and `u.s`; only abbreviations of single letters belong together.
        let abbreviation = whole.split('.').all(|part| part.chars().count() <= 1);
        if abbreviation || !whole.contains(JOINTS) {
            self.plain(whole);
        } else {
            for part in whole.split(JOINTS) {
                self.plain(part);
            }
        }
    }

    fn plain(&mut self, word: &str) {
        if word.chars().any(char::is_alphabetic) {
            return self.keep(word, Kind::Word);
        }
        if is_year(word) {
            return self.keep(word, Kind::Year);
        }
        self.at += 1;
    }

    /// `1,204`, `1.204` and `1204` are one figure.
    fn figure(&mut self, number: &str) {
        if self.figures.len() < FIGURES_MAX {
            let digits: String = number.chars().filter(|c| c.is_numeric()).take(LENGTH_MAX).collect();
            self.figures.push((xxh3_64(digits.as_bytes()) >> 32) as u32);
        }
    }

    fn flush(&mut self, run: &mut Run) {
        let signs = std::mem::take(run);
        if signs.signs.is_empty() {
            return;
        }
        if signs.tagged && signs.signs.len() < LENGTH_MAX {
            let tag: String = std::iter::once('#').chain(signs.signs).collect();
            return self.keep(&tag, Kind::Tag);
        }
        if let [alone] = *signs.signs {
            // One ideograph can be a word, one kana or one Thai letter hardly.
            if is_ideograph(alone) {
                self.push(alone.encode_utf8(&mut [0; 4]), Kind::Gram);
            }
        }
        for pair in signs.signs.windows(2) {
            let gram: String = pair.iter().collect();
            self.push(&gram, Kind::Gram);
        }
    }

    fn keep(&mut self, token: &str, kind: Kind) {
        let length = token.chars().take(LENGTH_MAX + 1).count();
        if (LENGTH_MIN..=LENGTH_MAX).contains(&length) {
            self.push(token, kind);
        } else {
            self.at += 1;
        }
    }

    fn push(&mut self, token: &str, kind: Kind) {
        self.at += 1;
        if self.spans.len() >= TOKENS_MAX {
            return;
        }
        let start = self.buffer.len();
        self.buffer.push_str(token);
        // At most 2,000 tokens of at most 41 characters: far below 32 bits.
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        self.spans.push(Span { start: place(start), end: place(self.buffer.len()), at: self.at, kind });
    }
}

#[derive(Default)]
struct Run {
    signs: Vec<char>,
    tagged: bool,
}

/// One spelling, without addresses.
fn folded(text: &str) -> String {
    let mut end = text.len().min(TEXT_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = without_addresses(text.get(..end).unwrap_or_default());
    if text.is_ascii() {
        let mut folded = text;
        folded.make_ascii_lowercase();
        return folded;
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.nfkc() {
        match c {
            '\u{2019}' | '\u{2bc}' | '\u{ff07}' => folded.push('\''),
            // One letter with two shapes.
            'ς' | 'Σ' => folded.push('σ'),
            // Soft hyphens, byte order and direction marks are not part of any word.
            '\u{ad}'
            | '\u{feff}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'
            | '\u{2066}'..='\u{2069}' => {}
            _ => folded.extend(c.to_lowercase()),
        }
    }
    folded
}

/// Takes out `scheme://…`, `www.…` and `mailto:…`, in one pass.
fn without_addresses(text: &str) -> String {
    let schemes = text.match_indices("://").map(|(at, _)| {
        let before = text.as_bytes().get(..at).unwrap_or_default();
        at - before.iter().rev().take(12).take_while(|byte| byte.is_ascii_alphabetic()).count()
    });
    let begins = |name: &'static str| {
        text.match_indices(name).map(|(at, _)| at).filter(|at| {
            text.get(..*at).and_then(|before| before.chars().next_back()).is_none_or(|c| !c.is_alphanumeric())
        })
    };
    let mut starts: Vec<usize> = schemes.chain(begins("www.")).chain(begins("mailto:")).collect();
    starts.sort_unstable();
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for start in starts {
        if start < done {
            continue;
        }
        out.push_str(text.get(done..start).unwrap_or_default());
        out.push(' ');
        let address = text.get(start..).unwrap_or_default();
        let end = address
            .find(|c: char| c.is_whitespace() || !c.is_ascii() || matches!(c, '<' | '>' | '"' | '\\' | '`'))
            .unwrap_or(address.len());
        done = start + end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

/// Whether `#` stands before the word and belongs to it.
fn is_tagged(folded: &str, at: usize) -> bool {
    let mut before = folded.get(..at).unwrap_or_default().chars().rev();
    before.next() == Some('#') && before.next().is_none_or(|c| !c.is_alphanumeric() && c != '&')
}

/// Full stops also end abbreviations, so they count only behind a word of three letters.
fn ends_sentence(piece: &str, folded: &str, at: usize) -> bool {
    match piece.chars().next() {
        Some('!' | '?' | ';' | '\n' | '\u{3002}' | '\u{ff01}' | '\u{ff1f}' | '\u{61f}' | '\u{964}' | '|') => {
            true
        }
        Some('.') => {
            let before = folded.get(..at).unwrap_or_default();
            before.chars().rev().take_while(|c| c.is_alphanumeric()).take(3).count() == 3
        }
        _ => false,
    }
}

fn is_number(part: &str) -> bool {
    part.chars().any(char::is_numeric) && !part.chars().any(char::is_alphabetic)
}

fn is_year(word: &str) -> bool {
    matches!(word.as_bytes(), [b'1', b'9', a, b] | [b'2', b'0', a, b] if a.is_ascii_digit() && b.is_ascii_digit())
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Scripts that are written without spaces between words.
pub(crate) fn is_unspaced(c: char) -> bool {
    is_ideograph(c)
        || matches!(c,
            '\u{0e01}'..='\u{0e3a}' | '\u{0e40}'..='\u{0e4e}' // Thai without digits and signs
            | '\u{0e81}'..='\u{0ece}' // Lao
            | '\u{1000}'..='\u{103f}' | '\u{1050}'..='\u{108f}' // Myanmar
            | '\u{1780}'..='\u{17d3}' // Khmer
            | '\u{3005}'..='\u{3007}' // repetition marks
            | '\u{3041}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' // kana
            | '\u{31f0}'..='\u{31ff}')
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: &[&str]) {
        let tokens = Tokens::of(text);
        let found: Vec<&str> = tokens.iter().map(|token| token.text).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn words_are_lower_case_and_in_one_spelling() {
        check("The QUICK brown ﬁsh, ÉTÉ", &["the", "quick", "brown", "fish", "été"]);
        check("Ｆｕｌｌ ｗｉｄｔｈ", &["full", "width"]);
        check("don’t can't ‘quoted’", &["don't", "can't", "quoted"]);
        check("e\u{301}te\u{301} soft\u{ad}hyphen", &["été", "softhyphen"]);
        check("ΟΔΟΣ οδος", &["οδοσ", "οδοσ"]);
    }

    #[test]
    fn addresses_are_no_words() {
        check("see https://example.org/a/b?c=d#e for more", &["see", "for", "more"]);
        check("see(HTTP://example.org/x) www.example.org/y mail mailto:a@b.test", &["see", "mail"]);
        check("詳細はhttps://example.org/abcを", &["詳細", "細は"]);
        check("a href=\"https://x.test/\">link", &["href", "link"]);
    }

    #[test]
    fn names_of_languages_and_tags_stay_whole() {
        check("C++ and C# in notepad++, F#.", &["c++", "and", "c#", "in", "notepad++", "f#"]);
        check("#RustLang #2024 issue#12 &#39; #東京", &["#rustlang", "2024", "issue", "#東京"]);
        check("a+b i++;", &["i++"]);
    }

    #[test]
    fn of_numbers_only_years_stay() {
        check(
            "in 1999 and 2024 some 12 of 3000 or 2.5 %",
            &["in", "1999", "and", "2024", "some", "of", "or"],
        );
        check("covid19 g20 1080p", &["covid19", "g20", "1080p"]);
    }

    #[test]
    fn numbers_are_figures_however_they_are_grouped() {
        let figures = |text: &str| Tokens::of(text).figures().to_vec();
        assert_eq!(figures("1,204 votes"), figures("1.204 or 1204")[..1]);
        assert_eq!(figures("version 3.1.4"), figures("v3.1.4"));
        assert_ne!(figures("version 3.1.4"), figures("version 3.1.5"));
        assert_eq!(figures("2024 covid19 g20 #7x").len(), 0, "years and names are tokens");
        assert_eq!(figures("7 of 9 at 6.51").len(), 3);
        let item = Tokens::of_item("Episode 118", "With 3 guests");
        assert_eq!((item.title_figures().len(), item.figures().len()), (1, 2));
        let twice = Tokens::of_item("Episode 118 is out", "Episode 118 is out with 3 guests");
        assert_eq!((twice.title_figures().len(), twice.figures().len()), (1, 2));
        assert_eq!(figures(&"12 ".repeat(5_000)).len(), FIGURES_MAX);
    }

    #[test]
    fn tokens_have_two_to_forty_characters() {
        let (forty, longer) = ("x".repeat(40), "y".repeat(41));
        check(&format!("a bc {forty} {longer}"), &["bc", &forty]);
    }

    #[test]
    fn joined_sentences_are_parted_and_abbreviations_are_not() {
        check("the end.Next comes node.js", &["the", "end", "next", "comes", "node", "js"]);
        check("the U.S. senate", &["the", "u.s", "senate"]);
    }

    #[test]
    fn scripts_without_spaces_give_pairs_of_signs() {
        check("東京都知事", &["東京", "京都", "都知", "知事"]);
        check("新しいiPhoneが", &["新し", "しい", "iphone"]);
        check("กขค", &["กข", "ขค"]);
        check("猫 と 犬", &["猫", "犬"]);
        check("서울에서 열린", &["서울에서", "열린"]);
    }

    #[test]
    fn right_to_left_and_emoji_are_taken_as_they_come() {
        check("שלום עולם 🎉🎉", &["שלום", "עולם"]);
        check("مرحبا بالعالم", &["مرحبا", "بالعالم"]);
        check("👩‍👩‍👧‍👦 ❤️ 🇩🇪", &[]);
        check("\u{202e}abc def\u{202c}", &["abc", "def"]);
    }

    #[test]
    fn positions_jump_at_the_end_of_a_sentence() {
        let tokens = Tokens::of("one two. Three four u.s. five");
        let at: Vec<u32> = tokens.iter().map(|token| token.at).collect();
        assert_eq!(at, [1, 2, 3 + SENTENCE_GAP, 4 + SENTENCE_GAP, 5 + SENTENCE_GAP, 6 + SENTENCE_GAP]);
    }

    #[test]
    fn a_text_that_begins_with_its_title_is_read_once() {
        let tokens =
            Tokens::of_item("Harbour bridge closed for rep", "Harbour bridge closed for repairs until May");
        assert_eq!((tokens.len(), tokens.title_len()), (7, 5));
        let tokens = Tokens::of_item("Harbour bridge", "Repairs until May");
        assert_eq!((tokens.len(), tokens.title_len()), (5, 2));
        assert_eq!(Tokens::of_item("Only a title", " ").len(), 2);
        assert!(Tokens::of_item("", "").is_empty());
    }

    #[test]
    fn a_megabyte_of_title_is_read_up_to_the_bound() {
        for unit in ["word ", "東", "http://", "#", "a.", "'", "ﷺ", "www.", "e\u{301}\u{301}"] {
            let title = unit.repeat(1_000_000 / unit.len());
            assert!(Tokens::of_item(&title, &title).len() <= TOKENS_MAX, "{unit}");
        }
    }

    proptest! {
        #[test]
        fn any_text_gives_tokens_within_bounds(text in "\\PC{0,200}") {
            for token in Tokens::of(&text).iter() {
                let length = token.text.chars().count();
                prop_assert!((1..=LENGTH_MAX + 1).contains(&length), "{:?}", token.text);
                prop_assert!(token.text.chars().any(char::is_alphanumeric));
            }
        }
    }
}
