//! Lines of the page.

use super::ask::{Line, Span};
use super::key_text;
use crate::App;
use crate::chart::{self, Svg};
use crate::problem::Problem;
use crate::shell::{Icon, Library};
use crate::visitor::Visitor;
use crate::words::{Words, fill};
use domain::ItemId;
use rank::buzz::{KeyId, Rise};
use std::collections::HashMap;

/// A word counts as more mine than everyone's from here.
const MORE: f64 = 2.0;
/// Words that the sentence above may be about.
const LEDE_WORDS: usize = 5;
/// Pictures of feeds beside a link.
const ICONS: usize = 4;
const TEXT_CHARS_MAX: usize = 120;

pub(crate) struct Maker<'a> {
    pub(crate) app: &'a App,
    pub(crate) visitor: &'a Visitor,
    pub(crate) library: &'a Library,
    pub(crate) span: Span,
    pub(crate) open: Option<KeyId>,
}

pub(crate) struct WordView {
    pub(crate) place: usize,
    pub(crate) text: String,
    pub(crate) href: String,
    pub(crate) is_open: bool,
    pub(crate) rise: Option<RiseView>,
    pub(crate) spark: Svg,
    pub(crate) against: Svg,
    pub(crate) feeds: String,
    /// The pictures in words.
    pub(crate) said: String,
}

pub(crate) struct RiseView {
    pub(crate) text: String,
    pub(crate) title: String,
}

pub(crate) struct LinkView {
    pub(crate) place: usize,
    pub(crate) title: String,
    pub(crate) host: String,
    pub(crate) href: String,
    pub(crate) is_open: bool,
    pub(crate) rise: Option<RiseView>,
    pub(crate) icons: Vec<Icon>,
    pub(crate) feeds: String,
    pub(crate) said: String,
}

pub(crate) struct Empty {
    pub(crate) title: &'static str,
    pub(crate) sentence: &'static str,
    pub(crate) link: Option<(String, &'static str)>,
}

impl Empty {
    pub(crate) fn of(maker: &Maker<'_>, has_answer: bool, is_empty: bool) -> Option<Empty> {
        let b = &maker.visitor.words.buzz;
        let feeds = maker.app.base_path.join("/discover");
        let empty = |sentence, link| Some(Empty { title: b.empty_title, sentence, link });
        match (maker.library.feeds.len(), has_answer, is_empty) {
            (0, _, _) => {
                empty(b.empty_no_feeds, Some((maker.app.base_path.join("/subscribe"), b.find_feeds)))
            }
            (_, false, _) => {
                empty(b.away, Some((maker.address(maker.span, None), maker.visitor.words.search.again)))
            }
            (1, true, true) => empty(b.empty_one_feed, Some((feeds, b.find_feeds))),
            (_, true, true) if maker.span == Span::Today => {
                empty(b.empty_today, Some((maker.address(Span::Week, None), b.week)))
            }
            (_, true, true) => empty(b.empty_week, Some((feeds, b.find_feeds))),
            (_, true, false) => None,
        }
    }
}

impl Maker<'_> {
    /// This page over a time, with a key open.
    pub(crate) fn address(&self, span: Span, open: Option<KeyId>) -> String {
        let open = open.map(|key| format!("&open={}", key_text(key))).unwrap_or_default();
        self.app.base_path.join(&format!("/buzz?window={}{open}", span.name()))
    }

    pub(crate) fn words(&self, lines: &[Line]) -> Vec<WordView> {
        let whole = lines.iter().map(|line| line.beside.mine.max(line.beside.all)).fold(0.0, f64::max);
        let view = |(nth, line): (usize, &Line)| WordView {
            place: nth + 1,
            text: cut(&line.text),
            href: self.address(self.span, Some(line.id)),
            is_open: self.open == Some(line.id),
            rise: self.rise(line),
            spark: chart::spark(&line.trace.mine, line.beside.rise.is_some()),
            against: chart::against(line.beside.mine, line.beside.all, whole),
            feeds: self.feeds(line),
            said: self.said(line),
        };
        lines.iter().enumerate().map(view).collect()
    }

    /// A link's title is that of an item that leads to it, if one of the person's does.
    pub(crate) async fn links(&self, lines: &[Line]) -> Result<Vec<LinkView>, Problem> {
        let items: Vec<ItemId> =
            lines.iter().flat_map(|line| line.trace.newest.iter().map(|(item, _)| *item)).collect();
        let rows = self.app.store.items_by_id(self.visitor.id(), &items).await?;
        let titles: HashMap<String, String> = rows
            .into_iter()
            .filter_map(|row| Some((text::canonical_link(&row.item.link?)?, row.item.title?)))
            .collect();
        let view = |(nth, line): (usize, &Line)| {
            let (host, path) = line.text.split_once('/').unwrap_or((&line.text, ""));
            LinkView {
                place: nth + 1,
                title: cut(titles
                    .get(&line.text)
                    .map_or(if path.is_empty() { host } else { path }, String::as_str)),
                host: host.to_owned(),
                href: self.address(self.span, Some(line.id)),
                is_open: self.open == Some(line.id),
                rise: self.rise(line),
                icons: line.trace.feeds.iter().take(ICONS).map(|feed| self.library.icon(*feed)).collect(),
                feeds: self.feeds(line),
                said: self.said(line),
            }
        };
        Ok(lines.iter().enumerate().map(view).collect())
    }

    pub(crate) fn rise(&self, line: &Line) -> Option<RiseView> {
        let b = &self.visitor.words.buzz;
        line.beside.rise.map(|rise| match rise {
            Rise::New => RiseView { text: b.is_new.to_owned(), title: b.rises_new.to_owned() },
            Rise::Times(times) => {
                RiseView { text: format!("×{times}"), title: fill(b.rises, &[("n", &times)]) }
            }
        })
    }

    fn feeds(&self, line: &Line) -> String {
        self.visitor.words.number(line.trace.feeds.len() as u64)
    }

    fn said(&self, line: &Line) -> String {
        let w = self.visitor.words;
        let hundredth = |share: f64| w.decimal(100.0 * share);
        let values: [(&str, &dyn std::fmt::Display); 3] = [
            ("items", &w.number(u64::from(line.trace.items))),
            ("mine", &hundredth(line.beside.mine)),
            ("all", &hundredth(line.beside.all)),
        ];
        w.count_with(w.buzz.line, u64::from(line.trace.items), &values)
    }

    /// The finding, in one sentence.
    pub(crate) fn lede(&self, words: &[Line]) -> String {
        lede(words, self.visitor.words)
    }
}

fn lede(words: &[Line], w: &'static Words) -> String {
    let b = &w.buzz;
    let times = |line: &Line| if line.beside.all > 0.0 { line.beside.mine / line.beside.all } else { 0.0 };
    let first = &words[..words.len().min(LEDE_WORDS)];
    let feeds = |line: &Line| w.number(line.trace.feeds.len() as u64);
    if let Some(more) = first.iter().max_by(|one, other| times(one).total_cmp(&times(other)))
        && times(more) >= MORE
    {
        return fill(
            b.lede_more,
            &[("word", &cut(&more.text)), ("n", &format!("{:.0}", times(more).min(99.0)))],
        );
    }
    if let Some(new) = first.iter().find(|line| line.beside.rise == Some(Rise::New)) {
        return fill(b.lede_new, &[("word", &cut(&new.text)), ("n", &feeds(new))]);
    }
    match first.first() {
        Some(line) => fill(b.lede_most, &[("word", &cut(&line.text)), ("n", &feeds(line))]),
        None => b.lede_none.to_owned(),
    }
}

/// Nothing a publisher writes makes a line endless.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(TEXT_CHARS_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::FeedId;
    use domain::preferences::Language;
    use rank::buzz::{Beside, Kind, Trace};

    fn line(text: &str, mine: f64, all: f64, rise: Option<Rise>) -> Line {
        let trace = Trace { feeds: vec![FeedId(1), FeedId(2)], ..Trace::default() };
        Line {
            id: KeyId(1),
            kind: Kind::Word,
            text: text.to_owned(),
            score: 1.0,
            beside: Beside { mine, all, rise },
            trace,
        }
    }

    #[test]
    fn the_sentence_says_what_stands_out() {
        let w = Words::of(Language::English);
        let (most, more) = (line("weather", 0.5, 0.4, None), line("barrier", 0.4, 0.1, None));
        let new = line("hinge", 0.2, 0.15, Some(Rise::New));
        let said = |lines: &[Line]| lede(lines, w);
        assert_eq!(
            said(&[most.clone(), more]),
            "Your feeds talk about “barrier” 4 times as much as everyone’s."
        );
        assert_eq!(said(&[most.clone(), new]), "“hinge” is new: 2 of your feeds talk about it.");
        assert_eq!(said(&[most]), "Your feeds talk most about “weather”: 2 of them do.");
        assert_eq!(said(&[]), w.buzz.lede_none);
    }

    #[test]
    fn endless_words_are_cut() {
        assert_eq!(cut(&"é".repeat(500)).chars().count(), TEXT_CHARS_MAX + 1);
        assert_eq!(cut("short"), "short");
    }
}
