//! A page of the list, as rows like everywhere, with the reason of each; and what stands above them on the first days.

use crate::App;
use crate::foryou::why::{Wording, name};
use crate::foryou::{ForYou, OPENS_ENOUGH, Pin, Ranking};
use crate::list::{Asked, Place, Row, RowMaker, Rows};
use crate::media::Signer;
use crate::problem::Problem;
use crate::shell::Library;
use crate::story::Stories;
use crate::visitor::Visitor;
use domain::ItemId;
use std::collections::HashMap;
use store::ListRow;

/// What stands above the rows while little is known of a person.
pub(crate) struct Head {
    pub(crate) young: String,
    /// Topics to choose from, by number and name; nobody has to.
    pub(crate) topics: Vec<(u16, String)>,
}

/// The question with its moment: the one it came with, or now.
pub(crate) async fn pinned(
    app: &App,
    foryou: &ForYou,
    visitor: &Visitor,
    mut asked: Asked,
) -> Result<Asked, Problem> {
    if asked.after.as_deref().is_some_and(|text| Pin::parse(text, visitor.now()).is_some()) {
        return Ok(asked);
    }
    let pin = foryou.pin(app, visitor.id(), visitor.now()).await?;
    asked.after = Some(pin.text(0));
    Ok(asked)
}

/// `asked` is [`pinned`].
pub(crate) async fn load(
    app: &App,
    foryou: &ForYou,
    visitor: &Visitor,
    library: &Library,
    asked: &Asked,
) -> Result<Rows, Problem> {
    let pin = asked.after.as_deref().and_then(|text| Pin::parse(text, visitor.now()));
    let (pin, first) = pin.ok_or_else(Problem::not_found)?;
    let feeds = recall::facts(library.feeds.values());
    let ranking = foryou.shown(app, visitor.id(), &feeds, pin).await?;
    let last = ranking.rows.len().min(first.saturating_add(asked.rows() as usize));
    let shown = ranking.rows.get(first..last).unwrap_or_default();
    let ids: Vec<ItemId> = shown.iter().map(|row| row.item).collect();
    let (found, stories) = tokio::try_join!(
        async { app.store.items_by_id(visitor.id(), &ids).await.map_err(Problem::from) },
        Stories::load(app, visitor.id(), &ids),
    )?;
    // What was hidden since the list was made is not shown; the others keep their rows.
    let found: HashMap<ItemId, ListRow> =
        found.into_iter().filter(|row| row.hidden.is_none()).map(|row| (row.item.id, row)).collect();
    let rules = HashMap::new();
    let signer = Signer::new(app, visitor);
    let maker = RowMaker { app, visitor, library, place: &Place::ForYou, rules: &rules, signer };
    let row = |(ranked, position): (&rank::Ranked, usize)| {
        let row = found.get(&ranked.item)?;
        let story = stories.view(row, visitor, library, |item| maker.href(item, asked));
        let feed = name(library, ranked.feed, visitor.words);
        let why = Wording { w: visitor.words, ranking: &ranking, feed }.phrase(&ranked.why);
        let position = u32::try_from(position).unwrap_or(u32::MAX);
        // A trial is blind.
        let why = ranking.sides.is_empty().then_some(why);
        Some(Row { story, why, ..maker.row(row, position, asked) })
    };
    let rows: Vec<Row> = shown.iter().zip(first..).filter_map(row).collect();
    let after = (last < ranking.rows.len()).then(|| pin.text(last));
    let more = after.as_ref().map(|after| format!("{}/foryou?after={after}", app.base_path));
    let head = if first == 0 { head(app, visitor, &ranking).await? } else { None };
    Ok(Rows { rows, more, after, onward: visitor.words.foryou.more, head })
}

async fn head(app: &App, visitor: &Visitor, ranking: &Ranking) -> Result<Option<Head>, Problem> {
    let opens = app.store.opens(visitor.id(), OPENS_ENOUGH).await?;
    if opens >= OPENS_ENOUGH {
        return Ok(None);
    }
    let named = |topic: &u16| Some((*topic, ranking.topics.get(topic)?.clone()));
    let topics = if ranking.asked { Vec::new() } else { ranking.offered.iter().filter_map(named).collect() };
    let young = visitor.words.count(visitor.words.foryou.young, u64::from(opens));
    Ok(Some(Head { young, topics }))
}
