//! The words of a document as Tantivy wants to be fed.
//!
//! A tokenizer is given nothing but a text, and ours must also know the language and where the title ends. So a
//! document's text comes framed: language, title and text, parted by a control character that [`frame`] takes out of
//! the parts themselves.

use super::{Language, Reading, stem, words};
use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer, TokenizerManager};

const PART: char = '\u{1F}';
/// The title counts this often: the simple extension of BM25 to weighted fields (Robertson, Zaragoza and Taylor,
/// CIKM 2004), where a field's weight is how many copies of it the text holds. One list per word is what lets
/// Tantivy skip blocks that cannot win.
const TITLE_COPIES: u32 = 3;
/// No phrase reaches from a title into the text, nor into the next copy.
const GAP: u32 = 8;
/// A power of two. Of the words of a text most are frequent ones, whose stems are worth remembering.
const STEMS_REMEMBERED: usize = 16_384;
/// A word that is its own stem is found among the stems; among the forms it is put this often while it is remembered
/// (in each segment: Tantivy copies the analyzers for each), so that every word is there to be offered.
const FORMS_REPEATED: u8 = 2;

pub(crate) fn frame(language: Option<&str>, title: &str, text: &str) -> String {
    let mut framed = String::with_capacity(title.len() + text.len() + 12);
    framed.push_str(&language.map(super::primary).unwrap_or_default());
    for part in [title, text] {
        framed.push(PART);
        if part.contains(PART) {
            framed.push_str(&part.replace(PART, " "));
        } else {
            framed.push_str(part);
        }
    }
    framed
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
    terms: String,
    places: Vec<Place>,
    remembered: Vec<Remembered>,
    token: Token,
}

#[derive(Clone, Copy)]
struct Place {
    start: u32,
    end: u32,
    position: u32,
}

#[derive(Clone, Default)]
struct Remembered {
    language: Option<Language>,
    form: String,
    stem: String,
    told: u8,
}

impl Framed {
    fn new(yields: Yields) -> Self {
        let remembered = match yields {
            Yields::Stems | Yields::Both | Yields::Forms => vec![Remembered::default(); STEMS_REMEMBERED],
            Yields::Names => Vec::new(),
        };
        Framed { yields, terms: String::new(), places: Vec::new(), remembered, token: Token::default() }
    }

    fn read(&mut self, framed: &str) {
        self.terms.clear();
        self.places.clear();
        if self.yields == Yields::Names {
            self.part(framed, None, 0);
            return;
        }
        let mut parts = framed.splitn(3, PART);
        let tag = parts.next().unwrap_or_default();
        let language = Language::of_document(Some(tag));
        let (title, text) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let after = self.part(title, language, 0);
        match self.yields {
            Yields::Both => {}
            Yields::Forms => {
                self.part(text, language, after);
            }
            Yields::Stems | Yields::Names => {
                let count = self.places.len();
                let stride = after + GAP;
                for copy in 1..TITLE_COPIES {
                    for index in 0..count {
                        let place = self.places[index];
                        self.places.push(Place { position: place.position + copy * stride, ..place });
                    }
                }
                self.part(text, language, TITLE_COPIES * stride);
            }
        }
    }

    /// Takes the terms of one part, from a position on; gives the position after it.
    fn part(&mut self, text: &str, language: Option<Language>, from: u32) -> u32 {
        let mut next = from;
        let Framed { yields, terms, places, remembered, .. } = self;
        words(text, Reading::Document, |word| {
            let position = if word.same_place { next.saturating_sub(1) } else { next };
            next = position + 1;
            let mut push = |term: &str| {
                let start = terms.len() as u32;
                terms.push_str(term);
                places.push(Place { start, end: terms.len() as u32, position });
            };
            if remembered.is_empty() {
                push(word.form);
                return;
            }
            let known = remember(remembered, language, word.form);
            if *yields == Yields::Forms {
                if known.stem != word.form || known.told < FORMS_REPEATED {
                    known.told = known.told.saturating_add(1);
                    push(word.form);
                }
                return;
            }
            push(&known.stem);
            if *yields == Yields::Both && known.stem != word.form {
                push(word.form);
            }
        });
        next
    }
}

fn remember<'a>(
    remembered: &'a mut [Remembered],
    language: Option<Language>,
    form: &str,
) -> &'a mut Remembered {
    let hash = form
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, b| (hash ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3));
    let slot = &mut remembered[(hash ^ (hash >> 32)) as usize & (STEMS_REMEMBERED - 1)];
    if slot.form != form || slot.language != language {
        slot.language = language;
        slot.form.clear();
        slot.form.push_str(form);
        slot.stem = stem(language, form);
        slot.told = 0;
    }
    slot
}

impl Tokenizer for Framed {
    type TokenStream<'a> = Stream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream<'a> {
        self.read(text);
        self.token.reset();
        Stream { terms: &self.terms, places: self.places.iter(), token: &mut self.token }
    }
}

struct Stream<'a> {
    terms: &'a str,
    places: std::slice::Iter<'a, Place>,
    token: &'a mut Token,
}

impl TokenStream for Stream<'_> {
    fn advance(&mut self) -> bool {
        let Some(place) = self.places.next() else { return false };
        self.token.text.clear();
        self.token.text.push_str(&self.terms[place.start as usize..place.end as usize]);
        self.token.position = place.position as usize;
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
