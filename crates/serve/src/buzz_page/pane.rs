//! One word or link in full: over time, what goes with it, and its items.

use super::ask::{Opened, Span};
use super::view::{Maker, RiseView, cut};
use crate::chart::{self, Svg};
use crate::list::{Place, Row, RowMaker, rule_names};
use crate::media::Signer;
use crate::problem::Problem;
use crate::search_page::{Part, marked};
use crate::words::fill;
use domain::{ItemId, Timestamp};
use rank::buzz::{Kind, Rise};

/// Items shown; the others are found by searching.
const ITEMS: usize = 12;

pub(crate) struct Pane {
    pub(crate) title: String,
    pub(crate) rise: Option<RiseView>,
    pub(crate) close: String,
    pub(crate) about: String,
    pub(crate) chart: Svg,
    /// The chart as a table: until when, mine, everyone's.
    pub(crate) table: Vec<(String, u32, String)>,
    pub(crate) goes_with: Vec<(String, String)>,
    /// What is searched for; none of a link.
    pub(crate) query: Option<String>,
    /// Where a link leads.
    pub(crate) link: Option<String>,
    pub(crate) rows: Vec<PaneRow>,
    pub(crate) has_more: bool,
}

pub(crate) struct PaneRow {
    pub(crate) row: Row,
    pub(crate) title: Vec<Part>,
}

impl Pane {
    /// Something that was there when the address was made.
    pub(crate) fn gone(maker: &Maker<'_>) -> Pane {
        let w = maker.visitor.words;
        Pane {
            title: w.buzz.title.to_owned(),
            rise: None,
            close: maker.address(maker.span, None),
            about: w.buzz.no_longer.to_owned(),
            chart: Svg::default(),
            table: Vec::new(),
            goes_with: Vec::new(),
            query: None,
            link: None,
            rows: Vec::new(),
            has_more: false,
        }
    }

    pub(crate) async fn load(maker: &Maker<'_>, opened: &Opened) -> Result<Pane, Problem> {
        let line = &opened.line;
        let is_link = line.kind == Kind::Link;
        let (chart, table) = drawn(maker, opened);
        let rows = rows(maker, opened).await?;
        Ok(Pane {
            title: cut(&line.text),
            rise: maker.rise(line),
            close: maker.address(maker.span, None),
            about: about(maker, opened),
            chart,
            table,
            goes_with: opened
                .goes_with
                .iter()
                .map(|(key, text)| (maker.address(maker.span, Some(*key)), cut(text)))
                .collect(),
            query: (!is_link).then(|| query(line.kind, &line.text)),
            link: is_link.then(|| format!("https://{}", line.text)),
            has_more: line.trace.items as usize > rows.len(),
            rows,
        })
    }
}

/// A phrase is searched for as it stands.
fn query(kind: Kind, text: &str) -> String {
    let plain: String = text.chars().filter(|c| *c != '"').collect();
    if kind == Kind::Phrase { format!("\"{plain}\"") } else { plain }
}

fn about(maker: &Maker<'_>, opened: &Opened) -> String {
    let (w, trace) = (maker.visitor.words, &opened.line.trace);
    let b = &w.buzz;
    let values: [(&str, &dyn std::fmt::Display); 2] = [
        ("feeds", &w.number(trace.feeds.len() as u64)),
        ("all", &w.number(maker.library.feeds.len() as u64)),
    ];
    let mut about = w.count_with(b.about, u64::from(trace.items), &values);
    if let Some((_, feed, at)) = trace.first
        && let Some(name) = maker.library.name(feed)
    {
        let at = Timestamp::from_seconds(at);
        let when = match maker.span {
            Span::Today => maker.visitor.clock.clock(at),
            Span::Week => maker.visitor.clock.day(at),
        };
        about.push(' ');
        about.push_str(&fill(b.first, &[("feed", &name), ("when", &when)]));
    }
    if let Some(Rise::Times(times)) = opened.line.beside.rise {
        about.push(' ');
        about.push_str(&fill(b.usual, &[("n", &times)]));
    }
    about
}

/// Mine over time, and what mine were if my feeds were like all of them.
fn drawn(maker: &Maker<'_>, opened: &Opened) -> (Svg, Vec<(String, u32, String)>) {
    let (w, trace) = (maker.visitor.words, &opened.line.trace);
    let b = &w.buzz;
    let total = |values: &[u32]| values.iter().map(|value| f64::from(*value)).sum::<f64>();
    let beside = &opened.line.beside;
    // Items of all feeds, as many as mine had if they said it as often as all do.
    let scale = if beside.mine > 0.0 && total(&trace.all) > 0.0 {
        beside.all / beside.mine * total(&trace.mine) / total(&trace.all)
    } else {
        0.0
    };
    let all: Vec<f64> = trace.all.iter().map(|value| f64::from(*value) * scale).collect();
    let most = trace.mine.iter().copied().max().unwrap_or(0);
    let most_all = all.iter().copied().fold(0.0, f64::max);
    let label = fill(b.chart, &[("n", &w.number(u64::from(most))), ("all", &w.decimal(most_all))]);
    let parts = maker.span.parts(maker.visitor.now().seconds());
    let clock = &maker.visitor.clock;
    let count = trace.mine.len();
    let end = |nth: usize| {
        let back = i64::try_from(count.saturating_sub(nth + 1)).unwrap_or(0);
        Timestamp::from_seconds(parts.until - back * parts.seconds)
    };
    let name = |at: Timestamp| match maker.span {
        Span::Today => clock.clock(at),
        Span::Week => clock.day(at),
    };
    let step = if maker.span == Span::Today { 6 } else { 8 };
    let whole = count.max(2) - 1;
    let marks: Vec<(f64, String)> = (0..count)
        .step_by(step)
        .map(|nth| {
            (
                f64::from(u32::try_from(nth).unwrap_or(0)) / f64::from(u32::try_from(whole).unwrap_or(1)),
                name(end(nth)),
            )
        })
        .collect();
    let svg = chart::mentions(&chart::Mentions {
        mine: &trace.mine,
        all: &all,
        mine_label: b.mine,
        all_label: b.everyones,
        marks: &marks,
        label: &label,
    });
    let table = (0..count)
        .filter(|nth| trace.mine[*nth] > 0 || all.get(*nth).is_some_and(|all| *all >= 0.05))
        .map(|nth| (clock.full(end(nth)), trace.mine[nth], w.decimal(all.get(nth).copied().unwrap_or(0.0))))
        .collect();
    (svg, table)
}

async fn rows(maker: &Maker<'_>, opened: &Opened) -> Result<Vec<PaneRow>, Problem> {
    let Maker { app, visitor, library, .. } = *maker;
    let ids: Vec<ItemId> = opened.line.trace.newest.iter().take(ITEMS).map(|(item, _)| *item).collect();
    // The store has the last word on what this person may see.
    let stored = app.store.items_by_id(visitor.id(), &ids).await?;
    let rules = rule_names(app, visitor, library, stored.iter()).await?;
    let place = Place::Newest;
    let rows =
        RowMaker { app, visitor, library, place: &place, rules: &rules, signer: Signer::new(app, visitor) };
    let row = |(row, position): (&store::ListRow, u32)| {
        let row = rows.row(row, position, &crate::list::Asked::default());
        let title = match opened.line.kind {
            Kind::Link => vec![Part { text: row.title.clone(), is_marked: false }],
            Kind::Word | Kind::Phrase => marked(visitor, library, &opened.line.text, &row.title),
        };
        PaneRow { row, title }
    };
    Ok(stored.iter().zip(0..).map(row).collect())
}
