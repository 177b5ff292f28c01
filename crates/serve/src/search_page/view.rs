//! What was found, as the page and the JSON show it: text with marked parts, never HTML.

use super::asked::{Asked, Since, Wanted};
use super::look::{Found, Look};
use super::{Spot, languages};
use crate::App;
use crate::list::{Place, Row, RowMaker, rule_names};
use crate::media::Signer;
use crate::problem::Problem;
use crate::shell::{Library, name_of};
use crate::story::StoryView;
use crate::visitor::Visitor;
use crate::words::{Words, fill};
use domain::ItemId;
use search::{Hit, Marked, OFFSET_MAX, Order, State, Total};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use store::ListRow;

/// A piece of text, marked or not.
pub(crate) struct Part {
    pub(crate) text: String,
    pub(crate) is_marked: bool,
}

/// The text in pieces, with signs where it was cut.
pub(crate) fn parts(marked: &Marked) -> Vec<Part> {
    let mut parts = Vec::with_capacity(2 * marked.marks.len() + 1);
    let mut push = |text: &str, is_marked: bool| {
        if !text.is_empty() {
            parts.push(Part { text: text.to_owned(), is_marked });
        }
    };
    if marked.cut_before {
        push("…", false);
    }
    let mut from = 0;
    for mark in &marked.marks {
        // Ranges come in order and between characters; what does not is left unmarked.
        let (Some(before), Some(inside)) = (marked.text.get(from..mark.start), marked.text.get(mark.clone()))
        else {
            continue;
        };
        push(before, false);
        push(inside, true);
        from = mark.end;
    }
    push(marked.text.get(from..).unwrap_or_default(), false);
    if marked.cut_after {
        push("…", false);
    }
    parts
}

pub(crate) struct HitView {
    pub(crate) row: Row,
    pub(crate) title: Vec<Part>,
    pub(crate) snippet: Vec<Part>,
    /// Came since the person last looked at this saved search.
    pub(crate) is_new: bool,
}

/// Head, rows and what follows them.
pub(crate) struct FoundView {
    /// "84 items"; empty while there is nothing to count.
    pub(crate) count: String,
    pub(crate) took: Option<String>,
    pub(crate) best: Option<Sorting>,
    /// Sentences on the index, each with an icon.
    pub(crate) notes: Vec<String>,
    pub(crate) meant: Option<Link>,
    pub(crate) rows: Vec<HitView>,
    pub(crate) more: Option<Link>,
    /// For scripts: where the next rows are.
    pub(crate) more_part: String,
    pub(crate) end: Option<String>,
    pub(crate) folded: Option<Link>,
    pub(crate) group_again: Option<Link>,
    pub(crate) empty: Option<Empty>,
    /// What is missing from the word being typed.
    pub(crate) rest: String,
}

pub(crate) struct Sorting {
    pub(crate) is_newest: bool,
    pub(crate) best: String,
    pub(crate) newest: String,
}

pub(crate) struct Link {
    pub(crate) label: String,
    pub(crate) href: String,
}

pub(crate) struct Empty {
    pub(crate) title: &'static str,
    pub(crate) sentence: String,
    pub(crate) is_bad: bool,
    pub(crate) examples: Vec<Example>,
    pub(crate) link: Option<Link>,
}

pub(crate) struct Example {
    pub(crate) query: &'static str,
    pub(crate) href: String,
    pub(crate) means: &'static str,
}

impl FoundView {
    pub(crate) async fn new(
        app: &App,
        visitor: &Visitor,
        library: &Library,
        asked: &Asked,
        wanted: &Wanted,
        look: &Look,
        spot: &Spot,
    ) -> Result<FoundView, Problem> {
        let (w, s) = (visitor.words, &visitor.words.search);
        let mut view = FoundView {
            count: String::new(),
            took: None,
            best: None,
            notes: Vec::new(),
            meant: None,
            rows: Vec::new(),
            more: None,
            more_part: String::new(),
            end: None,
            folded: None,
            group_again: None,
            empty: None,
            rest: String::new(),
        };
        let empty = |title, sentence: &str, is_bad| Empty {
            title,
            sentence: sentence.to_owned(),
            is_bad,
            examples: Vec::new(),
            link: None,
        };
        let found = match look {
            Look::Idle => {
                let examples = examples(app, w);
                view.empty = Some(Empty { examples, ..empty(s.teach_title, s.teach, false) });
                return Ok(view);
            }
            Look::Refused(why) => {
                let examples = examples(app, w);
                view.empty = Some(Empty { examples, ..empty(s.bad_title, why, true) });
                return Ok(view);
            }
            Look::Away(why) => {
                let link = Some(Link { label: s.again.to_owned(), href: spot.address(wanted) });
                view.empty = Some(Empty { link, ..empty(s.away_title, why, true) });
                return Ok(view);
            }
            Look::Found(found) => found,
        };
        view.count = counted(found.total, w);
        view.took = Some(fill(s.took, &[("n", &w.number(found.took.as_millis().max(1) as u64))]));
        view.notes = notes(found, w);
        view.rest = found.rest.clone().unwrap_or_default();
        let search = app.base_path.join("/search");
        let sorted = |newest| Wanted { newest, after: None, ..wanted.clone() }.address(&search);
        view.best = found.query.has_words().then(|| Sorting {
            is_newest: found.order == Order::Newest,
            best: sorted(false),
            newest: sorted(true),
        });
        view.meant = found.meant.as_ref().map(|meant| Link {
            label: meant.clone(),
            href: Wanted { text: meant.clone(), ..plain(wanted) }.address(&search),
        });
        let hits = Hits { app, visitor, library, asked, wanted, found, spot };
        view.rows = hits.rows().await?;
        let from = asked.from.unwrap_or(0).saturating_add(u32::try_from(view.rows.len()).unwrap_or(0));
        if let Some(next) = found.next {
            let next = Wanted { after: Some(next), ..wanted.clone() };
            let saved = spot.saved.as_ref().map(|saved| format!("&saved={}", saved.id)).unwrap_or_default();
            view.more = Some(Link { label: s.more.to_owned(), href: spot.address(&next) });
            view.more_part =
                format!("{}&from={from}{saved}", next.address(&app.base_path.join("/part/search")));
        }
        view.end = found.is_at_end.then(|| fill(s.end, &[("n", &w.number(OFFSET_MAX as u64))]));
        let each = |each| spot.address(&Wanted { each, after: None, ..wanted.clone() });
        view.folded = (found.folded > 0)
            .then(|| Link { label: w.count(s.folded, found.folded as u64), href: each(true) });
        view.group_again = wanted.each.then(|| Link { label: s.group_again.to_owned(), href: each(false) });
        if view.rows.is_empty() && found.next.is_none() && wanted.after.is_none() {
            let link = wanted.has_filters().then(|| Link {
                label: s.drop_filters.to_owned(),
                href: Wanted { text: wanted.text.clone(), ..Wanted::default() }.address(&search),
            });
            let sentence = if link.is_some() { s.none_filtered } else { s.none };
            view.empty = Some(Empty { link, ..empty(s.none_title, sentence, false) });
        }
        Ok(view)
    }
}

/// The chips without what the suggested query already says.
fn plain(wanted: &Wanted) -> Wanted {
    Wanted { newest: wanted.newest, each: wanted.each, ..Wanted::default() }
}

pub(crate) fn counted(total: Total, w: &'static Words) -> String {
    let (s, n) = (&w.search, total.count as u64);
    if total.exact { w.count(s.n_items, n) } else { fill(s.many_items, &[("n", &w.number(n))]) }
}

fn notes(found: &Found, w: &'static Words) -> Vec<String> {
    let s = &w.search;
    let mut notes = Vec::new();
    match found.state {
        State::Whole => {}
        State::Rebuilding { of: 0, .. } => notes.push(s.building_uncounted.to_owned()),
        State::Rebuilding { done, of } => {
            notes.push(fill(s.building, &[("done", &w.number(done)), ("of", &w.number(of.max(done)))]));
        }
        State::Damaged => notes.push(s.repairing.to_owned()),
    }
    if found.cut {
        notes.push(s.cut.to_owned());
    }
    notes
}

fn examples(app: &App, w: &'static Words) -> Vec<Example> {
    let s = &w.search;
    let path = app.base_path.join("/search");
    [
        (s.sample_words, s.ex_words),
        (s.sample_phrase, s.ex_phrase),
        (s.sample_not, s.ex_not),
        (s.sample_or, s.ex_or),
        (s.sample_begin, s.ex_begin),
        (s.sample_title, s.ex_title),
        (s.sample_feed, s.ex_feed),
        (s.sample_state, s.ex_state),
    ]
    .into_iter()
    .map(|(query, means)| Example {
        query,
        href: Wanted { text: query.to_owned(), ..Wanted::default() }.address(&path),
        means,
    })
    .collect()
}

/// What turns hits into rows.
struct Hits<'a> {
    app: &'a App,
    visitor: &'a Visitor,
    library: &'a Library,
    asked: &'a Asked,
    wanted: &'a Wanted,
    found: &'a Found,
    spot: &'a Spot,
}

impl Hits<'_> {
    async fn rows(&self) -> Result<Vec<HitView>, Problem> {
        let stored = self.found.hits.iter().map(|(_, row)| row);
        let rules = rule_names(self.app, self.visitor, self.library, stored).await?;
        let maker = RowMaker {
            app: self.app,
            visitor: self.visitor,
            library: self.library,
            place: &Place::Newest,
            rules: &rules,
            signer: Signer::new(self.app, self.visitor),
        };
        let first = self.asked.from.unwrap_or(0).min(100_000);
        let hits = self.found.hits.iter().zip(first..);
        Ok(hits.map(|((hit, row), position)| self.hit(&maker, hit, row, position)).collect())
    }

    fn hit(&self, maker: &RowMaker<'_>, hit: &Hit, stored: &ListRow, position: u32) -> HitView {
        let mut row = maker.row(stored, position, &crate::list::Asked::default());
        row.href = self.href(stored.item.id);
        row.is_open = self.asked.item == Some(stored.item.id.0);
        row.picture = None;
        row.story = self.story(stored);
        HitView {
            title: parts(&self.found.query.mark(&row.title)),
            snippet: parts(&hit.snippet),
            is_new: self.spot.saved.as_ref().is_some_and(|saved| stored.item.id > saved.seen_to),
            row,
        }
    }

    fn story(&self, stored: &ListRow) -> Option<StoryView> {
        self.found.stories.view(stored, self.visitor, self.library, |item| self.href(item))
    }

    /// The same page with an item open.
    fn href(&self, item: ItemId) -> String {
        let address = self.spot.address(self.wanted);
        let mark = if address.contains('?') { '&' } else { '?' };
        format!("{address}{mark}item={item}")
    }
}

/// The filters, with what they can be set to.
pub(crate) struct Chips {
    pub(crate) menus: Vec<Menu>,
    pub(crate) switches: Vec<Switch>,
}

pub(crate) struct Menu {
    pub(crate) name: &'static str,
    pub(crate) label: &'static str,
    /// What stands for no filter.
    pub(crate) any: &'static str,
    pub(crate) is_on: bool,
    pub(crate) choices: Vec<Choice>,
}

pub(crate) struct Choice {
    pub(crate) value: String,
    pub(crate) label: String,
    pub(crate) is_on: bool,
}

pub(crate) struct Switch {
    pub(crate) name: &'static str,
    pub(crate) label: &'static str,
    pub(crate) is_on: bool,
}

impl Chips {
    pub(crate) async fn load(
        app: &App,
        visitor: &Visitor,
        library: &Library,
        wanted: &Wanted,
    ) -> Result<Chips, Problem> {
        const TAGS_MAX: usize = 200;
        let (w, s) = (visitor.words, &visitor.words.search);
        let choice =
            |value: String, label: &str, is_on: bool| Choice { value, label: label.to_owned(), is_on };
        let mut feeds: Vec<Choice> = library
            .feeds
            .values()
            .map(|one| choice(one.feed.id.to_string(), name_of(one), wanted.feed == Some(one.feed.id)))
            .collect();
        feeds.sort_by_key(|one| one.label.to_lowercase());
        let mut folders: Vec<Choice> = library
            .folders
            .iter()
            .map(|one| choice(one.id.to_string(), &one.name, wanted.folder == Some(one.id)))
            .collect();
        folders.sort_by_key(|one| one.label.to_lowercase());
        let whens = Since::ALL
            .map(|since| choice(since.name().to_owned(), since.label(w), wanted.since == Some(since)));
        let tags: BTreeSet<String> = library
            .feeds
            .values()
            .filter_map(|one| one.feed.facts.language.as_deref())
            .map(languages::primary)
            .chain(wanted.language.clone())
            .filter(|tag| languages::is_tag(tag))
            .collect();
        let languages = tags
            .into_iter()
            .map(|tag| choice(tag.clone(), &languages::name(&tag), wanted.language.as_ref() == Some(&tag)));
        let mut own = app.store.tags(visitor.id()).await?;
        own.sort_by(|a, b| b.items.cmp(&a.items).then_with(|| a.tag.cmp(&b.tag)));
        let own = own
            .into_iter()
            .take(TAGS_MAX)
            .map(|one| choice(one.tag.clone(), &one.tag, wanted.tag.as_ref() == Some(&one.tag)));
        let menu = |name, label, any, is_on, choices| Menu { name, label, any, is_on, choices };
        let mut menus = vec![
            // Where is searched is always said.
            menu("feed", s.feed, s.all_feeds, true, feeds),
            menu("when", s.time, s.any_time, wanted.since.is_some(), whens.into()),
            menu("folder", s.folder, s.any_folder, wanted.folder.is_some(), folders),
            menu("lang", s.language, s.any_language, wanted.language.is_some(), languages.collect()),
            menu("tag", s.tag, s.any_tag, wanted.tag.is_some(), own.collect()),
        ];
        menus.retain(|menu| !menu.choices.is_empty());
        let switches = vec![
            Switch { name: "titles", label: s.titles, is_on: wanted.titles },
            Switch { name: "unread", label: s.unread, is_on: wanted.unread },
            Switch { name: "starred", label: s.starred, is_on: wanted.starred },
        ];
        Ok(Chips { menus, switches })
    }
}

/// The same for programs; text comes in pieces, each marked or not.
pub(crate) async fn json(
    app: &App,
    visitor: &Visitor,
    library: &Library,
    found: &Found,
) -> Result<Value, Problem> {
    let in_pieces =
        |parts: &[Part]| -> Value { parts.iter().map(|part| json!([part.text, part.is_marked])).collect() };
    let items: Vec<Value> = found
        .hits
        .iter()
        .map(|(hit, row)| {
            let others = found.stories.others(hit.item).iter().map(|other| {
                json!({
                    "id": other.item.id, "feed": other.item.feed, "title": other.item.title,
                    "link": other.item.link, "source": library.name(other.item.feed),
                })
            });
            let title = crate::list::title_of(row, visitor.words);
            json!({
                "id": hit.item,
                "feed": hit.feed,
                "source": library.name(hit.feed),
                "title": title,
                "title_marked": in_pieces(&parts(&found.query.mark(&title))),
                "snippet": in_pieces(&parts(&hit.snippet)),
                "link": row.item.link,
                "time": row.item.sort_at.seconds(),
                "unread": !row.is_read,
                "starred": row.is_starred,
                "score": hit.score,
                "also_in": others.collect::<Vec<_>>(),
            })
        })
        .collect();
    let index = match found.state {
        State::Whole => json!({ "state": "whole" }),
        State::Rebuilding { done, of } => json!({ "state": "building", "done": done, "of": of }),
        State::Damaged => json!({ "state": "damaged" }),
    };
    let channels = super::panel::channels(app, visitor, library, found).await?;
    let channels: Vec<Value> = channels
        .iter()
        .map(|one| {
            json!({
                "feed": one.feed, "title": one.name, "url": one.url, "terms": in_pieces(&one.terms),
                "posts_per_day": one.posts_per_day, "subscribed": one.is_subscribed,
            })
        })
        .collect();
    Ok(json!({
        "query": found.query.to_string(),
        "count": found.total.count,
        "exact": found.total.exact,
        "order": if found.order == Order::Newest { "newest" } else { "best" },
        "took_ms": found.took.as_millis() as u64,
        "index": index,
        "items": items,
        "folded": found.folded,
        "after": found.next.map(|next| next.text()),
        "did_you_mean": found.meant,
        "channels": channels,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_part_a_text_and_wrong_ones_are_left_out() {
        let marked = |text: &str, marks: Vec<std::ops::Range<usize>>| Marked {
            text: text.into(),
            marks,
            cut_before: true,
            cut_after: false,
        };
        let said = |marked: &Marked| -> String {
            parts(marked)
                .iter()
                .map(|part| if part.is_marked { format!("[{}]", part.text) } else { part.text.clone() })
                .collect()
        };
        assert_eq!(said(&marked("the tide barrier", vec![4..8, 9..16])), "…the [tide] [barrier]");
        assert_eq!(said(&marked("ébb", vec![1..2, 2..4])), "…é[bb]");
        assert_eq!(said(&marked("", vec![0..4, 4..9])), "…");
    }
}
