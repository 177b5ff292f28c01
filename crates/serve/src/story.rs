//! The same story in several feeds: one row, with the others inside it.
//!
//! A story stands where the first of its items stands in a list. Whether an item is the first is found out from the item
//! and the others of its story, never from the page before: so pages neither lose nor repeat a row, whoever asks for
//! which. Nothing is thrown away: each of the others has a link within the row.

use crate::App;
use crate::list::title_of;
use crate::problem::Problem;
use crate::shell::{Icon, Library};
use crate::visitor::Visitor;
use crate::when::When;
use domain::{FeedId, ItemId, UserId};
use std::collections::{HashMap, HashSet};
use store::ListRow;

/// Items read by one call.
const ROWS_MAX: usize = 1_000;

/// For each item that other feeds of the person tell too: the others.
#[derive(Default)]
pub(crate) struct Stories(HashMap<ItemId, Vec<ListRow>>);

impl Stories {
    pub(crate) async fn load(app: &App, user: UserId, items: &[ItemId]) -> Result<Stories, Problem> {
        let told = app.store.stories_of(user, items).await?;
        let mut ids: Vec<ItemId> =
            told.iter().flat_map(|story| story.others.iter().map(|other| other.item)).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut rows: HashMap<ItemId, ListRow> = HashMap::with_capacity(ids.len());
        for some in ids.chunks(ROWS_MAX) {
            rows.extend(app.store.items_by_id(user, some).await?.into_iter().map(|row| (row.item.id, row)));
        }
        let others = told.into_iter().map(|story| {
            let others = story.others.iter().filter_map(|other| rows.get(&other.item).cloned()).collect();
            (story.item, others)
        });
        Ok(Stories(others.collect()))
    }

    pub(crate) fn others(&self, item: ItemId) -> &[ListRow] {
        self.0.get(&item).map_or(&[], Vec::as_slice)
    }

    /// Everything but the items that were asked about.
    pub(crate) fn all_others(&self) -> HashSet<ItemId> {
        self.0.values().flatten().map(|row| row.item.id).collect()
    }

    /// Whether an item is where its story is shown: none of the others stands before it.
    pub(crate) fn is_shown(&self, item: ItemId, stands_before: impl Fn(&ListRow) -> bool) -> bool {
        !self.others(item).iter().any(stands_before)
    }

    /// What a row says of its story; nothing when no other feed tells it. `href` leads to an item in the same list.
    pub(crate) fn view(
        &self,
        row: &ListRow,
        visitor: &Visitor,
        library: &Library,
        href: impl Fn(ItemId) -> String,
    ) -> Option<StoryView> {
        let (w, others) = (visitor.words, self.others(row.item.id));
        let feeds: HashSet<FeedId> =
            others.iter().map(|other| other.item.feed).filter(|feed| *feed != row.item.feed).collect();
        if feeds.is_empty() {
            return None;
        }
        let mut ids = vec![row.item.id.to_string()];
        ids.extend(others.iter().map(|other| other.item.id.to_string()));
        let other = |other: &ListRow| OtherView {
            id: other.item.id,
            href: href(other.item.id),
            source: library.name(other.item.feed).unwrap_or_else(|| w.list.unknown_feed.to_owned()),
            icon: library.icon(other.item.feed),
            title: title_of(other, w),
            when: visitor.clock.ago(other.item.sort_at),
            is_unread: !other.is_read,
        };
        Some(StoryView {
            note: w.count(w.search.also_in, feeds.len() as u64),
            group: ids.join(","),
            others: others.iter().map(other).collect(),
        })
    }
}

pub(crate) struct StoryView {
    /// "also in 3 feeds"
    pub(crate) note: String,
    /// All items of the story, the row's own first: they are marked together.
    pub(crate) group: String,
    pub(crate) others: Vec<OtherView>,
}

pub(crate) struct OtherView {
    pub(crate) id: ItemId,
    pub(crate) href: String,
    pub(crate) source: String,
    pub(crate) icon: Icon,
    pub(crate) title: String,
    pub(crate) when: When,
    pub(crate) is_unread: bool,
}
