//! The words of a document as Tantivy wants to be fed.
//!
//! A tokenizer is given nothing but a text, and ours must also know the language and where the title ends. So a
//! document's text comes framed: language, title and text, parted by a control character that [`frame`] takes out of
//! the parts themselves.
//!
//! Several fields are made of the same text, one after the other on one thread. The first that asks reads it, and the
//! others find it read: what was read last is kept by the thread, together with the stems of the words it has met.

use super::stems::{Number, Stems};
use super::{Language, Reading, words};
use std::cell::Cell;
use std::ops::Range;
use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer, TokenizerManager};

const PART: char = '\u{1F}';
/// The title counts this often: the simple extension of BM25 to weighted fields (Robertson, Zaragoza and Taylor,
/// CIKM 2004), where a field's weight is how many copies of it the text holds. One list per word is what lets
/// Tantivy skip blocks that cannot win.
const TITLE_COPIES: u32 = 3;
/// No phrase reaches from a title into the text, nor into the next copy.
const GAP: u32 = 8;
/// A word that is its own stem is found among the stems; among the forms it is put this often in each round of
/// remembered words (and in each segment: Tantivy copies the analyzers for each), so that every word is there to be
/// offered.
const FORMS_REPEATED: u8 = 2;
/// What was read of a long text is not worth keeping room for.
const KEPT_BYTES_MAX: usize = 64 << 10;

/// Language, title and text in one piece, and where they are in it.
pub(crate) struct Frame {
    pub framed: String,
    pub language: Range<usize>,
    pub title: Range<usize>,
    pub text: Range<usize>,
}

pub(crate) fn frame(language: Option<&str>, title: &str, text: &str) -> Frame {
    let mut framed = String::with_capacity(title.len() + text.len() + 12);
    framed.push_str(&language.map(super::primary).unwrap_or_default());
    let language = 0..framed.len();
    let mut push = |part: &str| {
        framed.push(PART);
        let start = framed.len();
        if part.contains(PART) {
            framed.push_str(&part.replace(PART, " "));
        } else {
            framed.push_str(part);
        }
        start..framed.len()
    };
    let (title, text) = (push(title), push(text));
    Frame { framed, language, title, text }
}

pub(crate) fn analyzers() -> TokenizerManager {
    // Tantivy's own stay: it asks for `raw` and for a default even where they are not used.
    let analyzers = TokenizerManager::default();
    for (name, yields) in
        [("stems", Yields::Stems), ("both", Yields::Both), ("forms", Yields::Forms), ("names", Yields::Names)]
    {
        analyzers.register(name, TextAnalyzer::from(Framed::new(yields)));
    }
    analyzers
}

/// What of a framed text becomes terms.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Yields {
    /// Stems of title and text, with places.
    Stems,
    /// Stems and forms of the title, at the same places.
    Both,
    /// Forms of title and text that are not their own stem, and a few of those that are.
    Forms,
    /// Forms of a plain, unframed text.
    Names,
}

#[derive(Clone)]
struct Framed {
    yields: Yields,
    told: Told,
    token: Token,
}

/// How often a segment was told a word, by the word's number.
#[derive(Clone, Default)]
struct Told {
    round: u32,
    times: Vec<u8>,
}

thread_local! {
    static READ: Cell<Option<Box<Read>>> = const { Cell::new(None) };
}

/// A document as it was read.
#[derive(Default)]
struct Read {
    framed: String,
    /// Each word's form, and its stem where that is another.
    terms: String,
    /// Those of the title, then those of the text.
    placed: Vec<Placed>,
    of_title: usize,
    /// The position after the title.
    title_end: u32,
    stems: Stems,
}

#[derive(Clone, Copy)]
struct Placed {
    form: u32,
    /// Where the form ends, and the stem begins if it is another.
    stem: u32,
    end: u32,
    /// From the beginning of its part.
    position: u32,
    number: Number,
}

impl Read {
    fn framed(&mut self, framed: &str) {
        if self.framed == framed && !framed.is_empty() {
            return;
        }
        let mut parts = framed.splitn(3, PART);
        let tag = parts.next().unwrap_or_default();
        let language = Language::of_document(Some(tag));
        self.parts(language, parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        self.framed.push_str(framed);
    }

    fn parts(&mut self, language: Option<Language>, title: &str, text: &str) {
        self.framed.clear();
        self.terms.clear();
        self.placed.clear();
        self.stems.make_room();
        self.title_end = self.part(language, title);
        self.of_title = self.placed.len();
        self.part(language, text);
    }

    /// Takes the words of one part; gives the position after it.
    fn part(&mut self, language: Option<Language>, text: &str) -> u32 {
        let mut next = 0_u32;
        let Read { terms, placed, stems, .. } = self;
        words(text, Reading::Document, |word| {
            let position = if word.same_place { next.saturating_sub(1) } else { next };
            next = position + 1;
            let form = terms.len() as u32;
            let number = stems.add(language, word.form, terms);
            let stem = form + word.form.len() as u32;
            placed.push(Placed { form, stem, end: terms.len() as u32, position, number });
        });
        next
    }

    fn form(&self, placed: &Placed) -> &str {
        &self.terms[placed.form as usize..placed.stem as usize]
    }

    fn stem(&self, placed: &Placed) -> &str {
        if placed.is_own_stem() {
            self.form(placed)
        } else {
            &self.terms[placed.stem as usize..placed.end as usize]
        }
    }

    /// Room for a long text is given back.
    fn shrink(&mut self) {
        if self.framed.len() > KEPT_BYTES_MAX {
            self.framed = String::new();
            self.terms = String::new();
            self.placed = Vec::new();
        }
    }
}

impl Placed {
    fn is_own_stem(&self) -> bool {
        self.stem == self.end
    }
}

impl Framed {
    fn new(yields: Yields) -> Self {
        Framed { yields, told: Told::default(), token: Token::default() }
    }
}

impl Tokenizer for Framed {
    type TokenStream<'a> = Stream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream<'a> {
        let mut read = READ.take().unwrap_or_default();
        if self.yields == Yields::Names {
            read.parts(None, text, "");
        } else {
            read.framed(text);
        }
        self.told.follow(read.stems.round());
        self.token.reset();
        let yields = self.yields;
        Stream { read, yields, told: &mut self.told, at: 0, copy: 0, form_too: false, token: &mut self.token }
    }
}

struct Stream<'a> {
    read: Box<Read>,
    yields: Yields,
    told: &'a mut Told,
    /// The word that comes next.
    at: usize,
    /// Which copy of the title it stands in.
    copy: u32,
    /// Its stem was given, its form comes now.
    form_too: bool,
    token: &'a mut Token,
}

impl Stream<'_> {
    fn next_stem(&mut self) -> bool {
        let Stream { read, at, copy, token, .. } = self;
        if *at == read.of_title && *copy + 1 < TITLE_COPIES && read.of_title > 0 {
            (*at, *copy) = (0, *copy + 1);
        }
        let Some(placed) = read.placed.get(*at) else { return false };
        let copies = if *at < read.of_title { *copy } else { TITLE_COPIES };
        say(token, read.stem(placed), placed.position + copies * (read.title_end + GAP));
        *at += 1;
        true
    }

    fn next_both(&mut self) -> bool {
        let Stream { read, at, form_too, token, .. } = self;
        let Some(placed) = read.placed[..read.of_title].get(*at) else { return false };
        let term = if *form_too { read.form(placed) } else { read.stem(placed) };
        say(token, term, placed.position);
        *form_too = !*form_too && !placed.is_own_stem();
        if !*form_too {
            *at += 1;
        }
        true
    }

    fn next_form(&mut self) -> bool {
        let Stream { read, at, told, token, .. } = self;
        while let Some(placed) = read.placed.get(*at) {
            *at += 1;
            if !placed.is_own_stem() || told.is_news(placed.number) {
                say(token, read.form(placed), placed.position);
                return true;
            }
        }
        false
    }

    fn next_name(&mut self) -> bool {
        let Stream { read, at, token, .. } = self;
        let Some(placed) = read.placed.get(*at) else { return false };
        say(token, read.form(placed), placed.position);
        *at += 1;
        true
    }
}

impl Told {
    fn follow(&mut self, round: u32) {
        if self.round != round {
            self.round = round;
            self.times.clear();
        }
    }

    /// What is not remembered is always told.
    fn is_news(&mut self, number: Number) -> bool {
        let Some(number) = number.map(usize::from) else { return true };
        if self.times.len() <= number {
            self.times.resize(number + 1, 0);
        }
        let times = &mut self.times[number];
        *times = times.saturating_add(1);
        *times <= FORMS_REPEATED
    }
}

fn say(token: &mut Token, term: &str, position: u32) {
    token.text.clear();
    token.text.push_str(term);
    token.position = position as usize;
}

impl TokenStream for Stream<'_> {
    fn advance(&mut self) -> bool {
        match self.yields {
            Yields::Stems => self.next_stem(),
            Yields::Both => self.next_both(),
            Yields::Forms => self.next_form(),
            Yields::Names => self.next_name(),
        }
    }

    /// As `advance` and `token` in turn; what is wanted is asked once instead of for each word.
    fn process(&mut self, sink: &mut dyn FnMut(&Token)) {
        fn each<'a>(
            stream: &mut Stream<'a>,
            next: impl Fn(&mut Stream<'a>) -> bool,
            sink: &mut dyn FnMut(&Token),
        ) {
            while next(stream) {
                sink(stream.token);
            }
        }
        match self.yields {
            Yields::Stems => each(self, Stream::next_stem, sink),
            Yields::Both => each(self, Stream::next_both, sink),
            Yields::Forms => each(self, Stream::next_form, sink),
            Yields::Names => each(self, Stream::next_name, sink),
        }
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

/// The next field finds what was read.
impl Drop for Stream<'_> {
    fn drop(&mut self) {
        let mut read = std::mem::take(&mut self.read);
        read.shrink();
        // A thread that is ending keeps nothing.
        let _ = READ.try_with(|kept| kept.set(Some(read)));
    }
}

#[cfg(test)]
#[path = "stream/tests.rs"]
mod tests;
