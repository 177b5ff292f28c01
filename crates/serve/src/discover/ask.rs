//! What somebody looks for, as an interest that channels are compared with: words, a text, a list of feeds, a channel,
//! or what they read. The same for the page and for scripts.

use crate::App;
use crate::channels::{Asker, Channels, Found, compared, profile};
use crate::finder::is_young;
use crate::import;
use crate::problem::Problem;
use crate::words::{Words, fill};
use domain::{FeedId, NewSubscription, Timestamp, UserId};
use learn::{Interest, Summary, Weighted};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use text::{Frequencies, Kind, Language, Stemmer, TermId, Terms, Tokens};

/// Whatever is sent to be compared.
pub(crate) const ASKED_BYTES_MAX: usize = 1 << 20;
pub(crate) const LIMIT_MAX: usize = 100;
/// Feeds of a list, or of a person, that count; the heaviest or the first.
const PARTS_MAX: usize = 500;
/// Languages that typed words are tried in with full weight, those with most items.
const LANGUAGES_MAX: usize = 4;
/// What a form of a typed word in another language weighs, beside the word itself.
const FORM: f64 = 0.5;
/// Typed words whose other forms are looked for; longer texts tell their language.
const FORMED_WORDS_MAX: usize = 32;
const READ_LATELY: Duration = Duration::from_secs(90 * 86_400);
/// A star is worth so many opens, and with fewer opens than this nobody's reading is known.
const STAR: f64 = 3.0;
const OPENS_MIN: f64 = 5.0;

#[derive(Debug, Clone)]
pub(crate) enum Wanted {
    Words(String),
    Text(String),
    Opml(Vec<u8>),
    Like(FeedId),
    Reading,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) found: Vec<Found>,
    pub(crate) note: Option<Note>,
    /// What was compared with, where it was a channel.
    pub(crate) like: Option<String>,
}

/// What has to be said beside the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Note {
    /// Too little was read; this goes by what is followed.
    ByFollows,
    OpmlKnown {
        known: usize,
        all: usize,
    },
    /// No feed of the list is known; this goes by their names.
    OpmlNames,
}

impl Note {
    pub(crate) fn sentence(self, w: &'static Words) -> String {
        let d = &w.discover;
        match self {
            Note::ByFollows => d.note_follows.to_owned(),
            Note::OpmlKnown { known, all } => fill(d.note_opml, &[("known", &known), ("all", &all)]),
            Note::OpmlNames => d.note_names.to_owned(),
        }
    }
}

/// Why nothing was looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    NoWords,
    NoText,
    Opml(&'static str),
    NoFeeds,
    NoNames,
    NoChannel,
    FollowsNothing,
    NotLearned,
}

impl Refusal {
    pub(crate) fn sentence(self, w: &'static Words) -> &'static str {
        let d = &w.discover;
        match self {
            Refusal::NoWords => d.no_words,
            Refusal::NoText => d.no_text,
            Refusal::Opml(sentence) => sentence,
            Refusal::NoFeeds => d.no_feeds,
            Refusal::NoChannel => d.no_channel,
            Refusal::NoNames => d.no_names,
            Refusal::FollowsNothing => d.no_reading,
            Refusal::NotLearned => d.no_learned,
        }
    }
}

/// Somebody asking.
pub(crate) struct Ask<'a> {
    pub(crate) app: &'a App,
    pub(crate) channels: &'a Channels,
    pub(crate) user: UserId,
    pub(crate) words: &'static Words,
    pub(crate) follows: Arc<HashSet<FeedId>>,
    pub(crate) now: Timestamp,
}

/// An interest with what comes along.
struct Sought {
    interest: Interest,
    without: HashSet<FeedId>,
    note: Option<Note>,
    like: Option<String>,
}

impl Sought {
    fn plain(interest: Interest) -> Self {
        Sought { interest, without: HashSet::new(), note: None, like: None }
    }
}

impl Ask<'_> {
    pub(crate) async fn answer(
        &self,
        wanted: Wanted,
        limit: usize,
    ) -> Result<Result<Answer, Refusal>, Problem> {
        let sought = match wanted {
            Wanted::Words(words) => self.of_text(words, Refusal::NoWords).await?,
            Wanted::Text(text) => self.of_text(text, Refusal::NoText).await?,
            Wanted::Opml(bytes) => self.of_opml(bytes).await?,
            Wanted::Like(feed) => self.of_channel(feed).await?,
            Wanted::Reading => self.of_reading().await?,
        };
        let Sought { interest, without, note, like } = match sought {
            Ok(sought) => sought,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let asker = Asker { user: self.user, follows: self.follows.clone(), without: Arc::new(without) };
        let found = self.channels.nearest(self.app, &asker, interest, limit.min(LIMIT_MAX)).await?;
        Ok(Ok(Answer { found, note, like }))
    }

    async fn of_text(&self, text: String, none: Refusal) -> Result<Result<Sought, Refusal>, Problem> {
        let frequencies = self.app.finder.frequencies(&self.app.store).await?;
        let interest = compared(self.app, move || of_words(&text, &frequencies)).await?;
        Ok(if interest.is_empty() { Err(none) } else { Ok(Sought::plain(interest)) })
    }

    async fn of_channel(&self, feed: FeedId) -> Result<Result<Sought, Refusal>, Problem> {
        if !self.follows.contains(&feed) && !self.channels.is_offered(self.app, self.user, feed).await? {
            return Ok(Err(Refusal::NoChannel));
        }
        let channels = self.app.store.channels_by_id(self.user, &[feed]).await?;
        let Some(channel) = channels.first() else { return Ok(Err(Refusal::NoChannel)) };
        let interest = Interest::of(&profile(channel));
        if interest.is_empty() {
            return Ok(Err(Refusal::NoChannel));
        }
        let like = Some(super::row::name(channel).to_owned());
        Ok(Ok(Sought { without: HashSet::from([feed]), like, ..Sought::plain(interest) }))
    }

    async fn of_opml(&self, bytes: Vec<u8>) -> Result<Result<Sought, Refusal>, Problem> {
        let limits = self.app.limits.clone();
        let read = compared(self.app, move || parse::opml::read_opml(&bytes, &limits)).await?;
        let listed = match read {
            Ok(opml) if opml.subscriptions.is_empty() => return Ok(Err(Refusal::NoFeeds)),
            Ok(opml) => opml.subscriptions,
            Err(error) => return Ok(Err(Refusal::Opml(import::sentence(&error, self.words)))),
        };
        let urls: Vec<String> = listed.iter().map(|one| one.url.clone()).collect();
        let known = self.channels.by_url(self.app, self.user, &urls).await?;
        if known.is_empty() {
            return Ok(self
                .of_text(names(&listed), Refusal::NoNames)
                .await?
                .map(|sought| Sought { note: Some(Note::OpmlNames), ..sought }));
        }
        let parts: Vec<(FeedId, f64)> = known.iter().take(PARTS_MAX).map(|feed| (*feed, 1.0)).collect();
        let interest = self.blended(&parts).await?;
        let note = Some(Note::OpmlKnown { known: known.len(), all: listed.len() });
        Ok(Ok(Sought { without: known.into_iter().collect(), note, ..Sought::plain(interest) }))
    }

    /// The person's feeds, each by what was opened and starred of it lately.
    async fn of_reading(&self) -> Result<Result<Sought, Refusal>, Problem> {
        let worth =
            self.app.store.feed_worth(self.user, self.now.saturating_sub(READ_LATELY), self.now).await?;
        let mut parts: Vec<(FeedId, f64)> =
            worth.iter().map(|one| (one.feed, count(one.opened) + STAR * count(one.starred))).collect();
        let is_known = parts.iter().map(|(_, weight)| weight).sum::<f64>() >= OPENS_MIN;
        if !is_known {
            parts.iter_mut().for_each(|(_, weight)| *weight = 1.0);
        }
        parts.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        parts.truncate(PARTS_MAX);
        let interest = self.blended(&parts).await?;
        if interest.is_empty() {
            let none = if parts.is_empty() { Refusal::FollowsNothing } else { Refusal::NotLearned };
            return Ok(Err(none));
        }
        let note = (!is_known).then_some(Note::ByFollows);
        Ok(Ok(Sought { without: self.follows.iter().copied().collect(), note, ..Sought::plain(interest) }))
    }

    async fn blended(&self, parts: &[(FeedId, f64)]) -> Result<Interest, Problem> {
        let feeds: Vec<FeedId> = parts.iter().map(|(feed, _)| *feed).collect();
        let channels = self.app.store.channels_by_id(self.user, &feeds).await?;
        let weights: std::collections::HashMap<FeedId, f64> = parts.iter().copied().collect();
        compared(self.app, move || {
            let parts: Vec<(Summary, f64)> = channels
                .iter()
                .map(|channel| (profile(channel), weights.get(&channel.feed).copied().unwrap_or_default()))
                .collect();
            Interest::blend(parts.iter().map(|(summary, weight)| (summary, *weight)))
        })
        .await
    }
}

/// A long text tells its language. A few typed words do not: they are tried in the languages that are read here, and
/// with less weight in others where they have another stem.
fn of_words(text: &str, frequencies: &Frequencies) -> Interest {
    let tokens = Tokens::of(text);
    let (languages, others) = match text::detect(text) {
        Some(language) => (vec![Some(language)], Vec::new()),
        None => spoken(frequencies),
    };
    let parts: Vec<Summary> = languages
        .iter()
        .map(|language| Summary::of_text(&Terms::of(&tokens, *language, None), frequencies.of(*language)))
        .collect();
    let forms = forms(&tokens, &languages, &others, &parts);
    // Of each part the length counts and not how many terms it has: each form is to weigh as a share of a typed word.
    let typed = parts.iter().map(|part| part.terms().count()).max().unwrap_or(0);
    let weight = FORM * ratio(forms.terms().count(), typed).sqrt();
    Interest::blend(parts.iter().map(|part| (part, 1.0)).chain([(&forms, weight)]))
}

/// The languages with most items here, and those that words may be in besides: what else is read here, and as long as
/// little was, any language that has stems.
fn spoken(frequencies: &Frequencies) -> (Vec<Option<Language>>, Vec<Option<Language>>) {
    let mut all: Vec<Option<Language>> = frequencies.languages().collect();
    all.sort_by(|a, b| frequencies.of(*b).items().total_cmp(&frequencies.of(*a).items()));
    let mut others = all.split_off(all.len().min(LANGUAGES_MAX));
    if all.is_empty() {
        all.push(Some(Language::ENGLISH));
    }
    if is_young(frequencies) {
        others.push(None);
        others.extend(Stemmer::languages().map(Some));
    }
    others.retain(|language| !all.contains(language));
    (all, others)
}

/// The typed words as other languages would have them, where that is another term than any so far. A word that says
/// nothing in a language read here is no word in another.
fn forms(
    tokens: &Tokens,
    languages: &[Option<Language>],
    others: &[Option<Language>],
    parts: &[Summary],
) -> Summary {
    let mut known: HashSet<TermId> = parts.iter().flat_map(Summary::terms).map(|term| term.id).collect();
    let mut all = Vec::new();
    let words = tokens.iter().filter(|token| token.kind == Kind::Word).take(FORMED_WORDS_MAX);
    let words: Vec<&str> = words
        .map(|token| token.text)
        .filter(|word| !languages.iter().any(|language| text::is_stop_word(*language, word)))
        .collect();
    for language in others {
        let stemmer = Stemmer::of(*language);
        for word in words.iter().filter(|word| !text::is_stop_word(*language, word)) {
            let id = TermId::of_stem(&stemmer.stem(word, Kind::Word));
            if known.insert(id) {
                all.push(Weighted { id, text: (*word).to_owned(), weight: 1.0, count: 1, phrase: false });
            }
        }
    }
    Summary::new(1, all)
}

/// Titles and folders of a list.
fn names(listed: &[NewSubscription]) -> String {
    let mut all = String::new();
    for one in listed.iter().take(PARTS_MAX) {
        for name in one.title.iter().chain(one.folder.last()) {
            all.push_str(name);
            all.push_str(".\n");
        }
    }
    all
}

#[expect(clippy::cast_precision_loss, reason = "opens of 90 days")]
fn count(n: u64) -> f64 {
    n as f64
}

#[expect(clippy::cast_precision_loss, reason = "terms of one interest")]
fn ratio(part: usize, all: usize) -> f64 {
    part as f64 / all.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(language: &str, items: &[&str]) -> Frequencies {
        let mut frequencies = Frequencies::default();
        let language = Language::parse(language);
        for item in items {
            let terms = Terms::of(&Tokens::of(item), language, None);
            frequencies.add(language, terms.ids(), Timestamp::from_seconds(1_800_000_000));
        }
        frequencies
    }

    fn about(language: &str, text: &str) -> Summary {
        let terms = Terms::of(&Tokens::of(text), Language::parse(language), None);
        Summary::of_text(&terms, &|_: TermId| 1.0)
    }

    #[test]
    fn a_typed_word_finds_its_other_forms_in_the_languages_read_here() {
        let frequencies = counted("en", &["Ferries leave the harbour", "A harbour town", "Nothing else"]);
        let asked = of_words("ferry", &frequencies);
        assert_eq!(asked.shared(&about("en", "The ferries were late"), 5).len(), 1);
        assert!(asked.shared(&about("en", "The trains were late"), 5).is_empty());
    }

    #[test]
    fn a_young_server_finds_words_of_languages_it_has_not_read_yet() {
        let english = counted("en", &["Ferries leave the harbour", "A harbour town"]);
        for frequencies in [&Frequencies::default(), &english] {
            for (language, typed, text) in [
                ("de", "Fähren", "Die Fähre war voll"),
                ("fr", "fromages", "Le fromage du village"),
                ("es", "bibliotecas", "La biblioteca vieja"),
                ("", "ferries", "ferries"),
            ] {
                let asked = of_words(typed, frequencies);
                assert_eq!(asked.shared(&about(language, text), 5).len(), 1, "{typed}");
            }
        }
    }

    #[test]
    fn other_languages_do_not_drown_the_one_that_is_read() {
        let english = counted("en", &["Ferries leave the harbour", "A harbour town"]);
        let near = |feeds: [Summary; 2]| {
            let mut known = learn::Neighbours::new(9);
            for (feed, summary) in (1..).zip(&feeds) {
                known.put(FeedId(feed), summary);
            }
            known.nearest(&of_words("harbour ferries", &english), 9, |_| true)
        };
        // Both words in English outweigh all forms that they could have elsewhere.
        let found = near([about("de", "harbour"), about("en", "harbour ferries")]);
        assert_eq!(found[0].feed, FeedId(2));
        assert!(found[0].similarity > 0.6, "{}", found[0].similarity);
    }

    #[test]
    fn an_old_server_tries_the_languages_it_reads_and_no_others() {
        let mut frequencies = Frequencies::default();
        let now = Timestamp::from_seconds(1_800_000_000);
        for (code, items) in [("en", 9_000), ("fr", 400), ("es", 300), ("it", 200), ("de", 100)] {
            let language = Language::parse(code);
            (0..items).for_each(|nth: u64| frequencies.add(language, [TermId(2 * (nth % 40))], now));
        }
        let (spoken, others) = spoken(&frequencies);
        assert_eq!((spoken.len(), others), (LANGUAGES_MAX, vec![Language::parse("de")]));
        assert_eq!(of_words("Fähren", &frequencies).shared(&about("de", "Die Fähre"), 5).len(), 1);
        assert!(of_words("bibliotekerna", &frequencies).shared(&about("sv", "Biblioteket"), 5).is_empty());
    }

    #[test]
    fn words_that_say_nothing_ask_for_nothing() {
        let frequencies = counted("en", &["Ferries leave the harbour", "A harbour town"]);
        for nothing in ["", "   ", "the of and", "🎉 !!", "\u{0}\u{1}"] {
            assert!(of_words(nothing, &frequencies).is_empty(), "{nothing:?}");
        }
        let long = "harbour ".repeat(130_000);
        assert!(!of_words(&long, &frequencies).is_empty());
        assert!(!of_words("harbour", &Frequencies::default()).is_empty(), "before anything was learned too");
    }
}
