//! One question to the index, answered on a thread that keeps nobody waiting: lists, their pictures, and one key in full.

use rank::buzz::{Beside, Buzz, Following, KeyId, Kind, Order, Parts, Said, Show, Sums, Trace, Window};

pub(crate) const WORDS: usize = 20;
pub(crate) const LINKS: usize = 12;
/// Items of the open key, and of a link where its title is looked for.
const ITEMS: usize = 30;
const LINK_ITEMS: usize = 8;
const TOGETHER: usize = 4;
const HOUR_S: i64 = 3_600;
const DAY_S: i64 = 24 * HOUR_S;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Span {
    Today,
    Week,
}

impl Span {
    pub(crate) fn parse(text: Option<&str>) -> Span {
        if text == Some("week") { Span::Week } else { Span::Today }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Span::Today => "today",
            Span::Week => "week",
        }
    }

    /// Hours of a day, or quarters of a week's days.
    pub(crate) fn parts(self, now_s: i64) -> Parts {
        match self {
            Span::Today => Parts { until: now_s, count: 24, seconds: HOUR_S },
            Span::Week => Parts { until: now_s, count: 28, seconds: DAY_S / 4 },
        }
    }

    fn window(self, now_s: i64) -> Window {
        let gone = now_s.rem_euclid(DAY_S) * 100 / DAY_S;
        match self {
            Span::Today => Window::LastDay { gone_percent: u8::try_from(gone).unwrap_or(100) },
            Span::Week => Window::Week,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) span: Span,
    pub(crate) open: Option<KeyId>,
    pub(crate) now_s: i64,
}

/// A word, a phrase or a link with all a line shows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    pub(crate) id: KeyId,
    pub(crate) kind: Kind,
    pub(crate) text: String,
    pub(crate) score: f64,
    pub(crate) beside: Beside,
    pub(crate) trace: Trace,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Opened {
    pub(crate) line: Line,
    pub(crate) goes_with: Vec<(KeyId, String)>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) words: Vec<Line>,
    pub(crate) links: Vec<Line>,
    pub(crate) open: Option<Opened>,
}

pub(crate) fn ask(buzz: &Buzz, sums: &mut Sums, following: &[Following], question: Question) -> Answer {
    let heard = buzz.listen(following, question.span.window(question.now_s), sums);
    let parts = question.span.parts(question.now_s);
    let words = heard.top(Order::Talked, Show::Words, WORDS, |_| false);
    let links = heard.top(Order::Talked, Show::Links, LINKS, |_| false);
    let lines = |said: Vec<Said<'_>>, items: usize| -> Vec<Line> {
        let ids: Vec<KeyId> = said.iter().map(|one| one.id).collect();
        let traces = buzz.trace(&ids, following, parts, items);
        said.into_iter()
            .zip(traces)
            .filter_map(|(one, trace)| {
                Some(Line {
                    id: one.id,
                    kind: one.kind,
                    text: one.text.to_owned(),
                    score: one.score,
                    beside: heard.beside(one.id)?,
                    trace,
                })
            })
            .collect()
    };
    let open = question.open.and_then(|id| {
        let line = lines(vec![heard.one(id)?], ITEMS).pop()?;
        Some(Opened { goes_with: buzz.goes_with(id, following, parts, TOGETHER), line })
    });
    Answer { words: lines(words, 0), links: lines(links, LINK_ITEMS), open }
}
