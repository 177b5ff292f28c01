//! Which language: by the text, and by vote over a feed's items.
//!
//! Short texts are easily taken for a neighbouring language, and a wrong stemmer does more harm than none. So a text
//! needs [`LETTERS_MIN`] letters to have a say, short ones are put together until they have, the last [`VOTES`] items
//! of a feed decide together, and what the publisher declares counts as three of them (design, reference 4.7).

use crate::packed::{BadState, Reader, Writer};
use crate::tokens::is_unspaced;
use std::collections::VecDeque;

/// Letters a text must have before its trigrams are trusted.
const LETTERS_MIN: usize = 60;
/// More characters give the same answer for more work.
const CHARACTERS_MAX: usize = 1_000;
/// Items of a feed that vote.
const VOTES: usize = 20;
const DECLARED_VOTES: usize = 3;
/// Below this the detector is guessing.
const CONFIDENCE_MIN: f64 = 0.5;

/// A language by its two letters (ISO 639-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Language([u8; 2]);

impl Language {
    pub const ENGLISH: Language = Language(*b"en");

    /// From a tag as documents declare it: `en`, `en-GB`, `PT_br`, `eng`.
    pub fn parse(tag: &str) -> Option<Self> {
        let first = tag.trim().split(['-', '_']).next().unwrap_or_default();
        match *first.as_bytes() {
            [a, b] if a.is_ascii_alphabetic() && b.is_ascii_alphabetic() => {
                Some(Language([a.to_ascii_lowercase(), b.to_ascii_lowercase()]).usual())
            }
            [_, _, _] if first.is_ascii() => Self::from_three(&first.to_ascii_lowercase()),
            _ => None,
        }
    }

    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Old and regional codes for languages that are written alike.
    fn usual(self) -> Self {
        match &self.0 {
            b"iw" => Language(*b"he"),
            b"in" => Language(*b"id"),
            b"nb" | b"nn" => Language(*b"no"),
            _ => self,
        }
    }

    /// ISO 639-3, of the languages that the detector tells apart.
    fn from_three(code: &str) -> Option<Self> {
        const CODES: &str = "epo eo eng en rus ru cmn zh zho zh spa es por pt ita it ben bn fra fr deu de ukr uk \
            kat ka ara ar arb ar hin hi jpn ja heb he yid yi pol pl amh am jav jv kor ko nob no nno no nor no dan da \
            swe sv fin fi tur tr nld nl hun hu ces cs ell el bul bg bel be mar mr kan kn ron ro slv sl hrv hr srp sr \
            mkd mk lit lt lav lv est et tam ta vie vi urd ur tha th guj gu uzb uz pan pa aze az azj az ind id tel te \
            pes fa fas fa mal ml ori or mya my nep ne sin si khm km tuk tk aka ak zul zu sna sn afr af lat la slk sk \
            cat ca tgl tl hye hy cym cy";
        let mut words = CODES.split_ascii_whitespace();
        while let (Some(three), Some(two)) = (words.next(), words.next()) {
            if three == code {
                return Self::parse(two);
            }
        }
        None
    }
}

/// The language of a text, if it is long enough to tell.
pub fn detect(text: &str) -> Option<Language> {
    let end = text.char_indices().nth(CHARACTERS_MAX).map_or(text.len(), |(at, _)| at);
    let start = text.get(..end)?;
    if letters(start) < LETTERS_MIN {
        return None;
    }
    let found = whatlang::detect(start)?;
    if found.confidence() < CONFIDENCE_MIN {
        return None;
    }
    Language::from_three(found.lang().code())
}

/// A sign of a script without spaces says as much as a short word.
fn letters(text: &str) -> usize {
    text.chars().map(|c| if is_unspaced(c) { 3 } else { usize::from(c.is_alphabetic()) }).sum()
}

/// What a feed's items say about its language.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LanguageVotes {
    declared: Option<Language>,
    recent: VecDeque<Language>,
    /// Texts too short to vote alone.
    short: String,
}

impl LanguageVotes {
    /// What the document says of itself.
    pub fn declare(&mut self, language: Option<Language>) {
        self.declared = language;
    }

    /// One item has its say, if it is long enough, alone or with the short ones before it.
    pub fn hear(&mut self, text: &str) {
        let found = if letters_reach(text) {
            detect(text)
        } else {
            self.short.push(' ');
            self.short.extend(text.chars().take(CHARACTERS_MAX));
            if !letters_reach(&self.short) {
                return;
            }
            detect(&std::mem::take(&mut self.short))
        };
        if let Some(language) = found {
            self.recent.push_back(language);
            if self.recent.len() > VOTES {
                self.recent.pop_front();
            }
        }
    }

    /// The language with most votes; the later one of equals. Nobody's vote is no language.
    pub fn decided(&self) -> Option<Language> {
        let votes = |language: Language| {
            let declared = if self.declared == Some(language) { DECLARED_VOTES } else { 0 };
            declared + self.recent.iter().filter(|heard| **heard == language).count()
        };
        let candidates = self.declared.iter().chain(&self.recent);
        candidates.copied().max_by_key(|language| votes(*language))
    }

    pub fn write(&self, out: &mut Writer) {
        out.text(self.declared.as_ref().map_or("", Language::code));
        out.number(self.recent.len() as u64);
        for language in &self.recent {
            out.text(language.code());
        }
        out.text(&self.short);
    }

    pub fn read(from: &mut Reader<'_>) -> Result<Self, BadState> {
        let declared = Language::parse(from.text(8)?);
        let count = from.length(VOTES)?;
        let recent = (0..count)
            .map(|_| Language::parse(from.text(8)?).ok_or(BadState::Wrong))
            .collect::<Result<_, _>>()?;
        let short = from.text(8 * CHARACTERS_MAX)?.to_owned();
        Ok(LanguageVotes { declared, recent, short })
    }
}

fn letters_reach(text: &str) -> bool {
    let end = text.char_indices().nth(CHARACTERS_MAX).map_or(text.len(), |(at, _)| at);
    letters(text.get(..end).unwrap_or_default()) >= LETTERS_MIN
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests {
    use super::*;

    const ENGLISH: &str =
        "The council voted on Tuesday to keep the old library open for another year, after a long debate.";
    const GERMAN: &str =
        "Der Stadtrat hat am Dienstag beschlossen, die alte Bücherei noch ein weiteres Jahr offen zu halten.";
    const SPANISH: &str = "El consejo decidió el martes mantener abierta la vieja biblioteca durante un año más, tras un debate.";

    fn language(code: &str) -> Option<Language> {
        Language::parse(code)
    }

    #[test]
    fn languages_are_told_by_their_texts() {
        assert_eq!(detect(ENGLISH), language("en"));
        assert_eq!(detect(GERMAN), language("de"));
        assert_eq!(detect(SPANISH), language("es"));
        assert_eq!(
            detect("Городской совет решил во вторник оставить старую библиотеку открытой ещё на год."),
            language("ru")
        );
        assert_eq!(
            detect("市議会は火曜日に、古い図書館をもう一年開けておくことを決めました。"),
            language("ja")
        );
        assert_eq!(
            detect("قرر مجلس المدينة يوم الثلاثاء إبقاء المكتبة القديمة مفتوحة لمدة عام آخر بعد نقاش"),
            language("ar")
        );
        assert_eq!(detect("The council voted"), None, "too short to tell");
        assert_eq!(detect(""), None);
    }

    #[test]
    fn tags_are_read_as_documents_write_them() {
        assert_eq!(language("en-GB"), language("EN"));
        assert_eq!(language("pt_BR"), language("por"));
        assert_eq!(language("nb-NO"), language("no"));
        for bad in ["", "x", "english", "e1", "日本", "zz9", "\u{1F600}"] {
            assert_eq!(language(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_the_publisher_declares_counts_as_three_items() {
        let mut votes = LanguageVotes::default();
        assert_eq!(votes.decided(), None);
        votes.declare(language("en-us"));
        votes.hear(GERMAN);
        votes.hear(GERMAN);
        assert_eq!(
            votes.decided(),
            language("en"),
            "two German items are not enough against the declaration"
        );
        votes.hear(GERMAN);
        votes.hear(GERMAN);
        assert_eq!(votes.decided(), language("de"));
    }

    #[test]
    fn old_items_lose_their_vote() {
        let mut votes = LanguageVotes::default();
        (0..30).for_each(|_| votes.hear(GERMAN));
        (0..11).for_each(|_| votes.hear(ENGLISH));
        assert_eq!(votes.decided(), language("en"));
    }

    #[test]
    fn short_titles_vote_together() {
        let mut votes = LanguageVotes::default();
        for title in
            ["council keeps library open", "mayor wins the vote again", "heavy rain floods the old town"]
        {
            votes.hear(title);
        }
        assert_eq!(votes.decided(), language("en"));
    }

    #[test]
    fn votes_survive_storage() {
        let mut votes = LanguageVotes::default();
        votes.declare(language("de"));
        votes.hear(ENGLISH);
        votes.hear("kurz");
        let mut out = Writer::new(1);
        votes.write(&mut out);
        let bytes = out.finish();
        assert_eq!(LanguageVotes::read(&mut Reader::new(&bytes, 1).unwrap()), Ok(votes));
    }
}
