//! What was asked for: the words, the chips around them, and where in the results.
//!
//! Everything is in the address. Words are the query language of `search`; a chip is a parameter and means the term of
//! that language that is written for it when the search is kept.

use super::languages;
use crate::problem::Problem;
use crate::shell::{Library, name_of};
use crate::visitor::Visitor;
use crate::when::Clockwork;
use crate::words::{Words, fill};
use domain::{FeedId, FolderId, ItemId, Timestamp};
use search::{BadQuery, Cursor, OFFSET_MAX, QUERY_CHARS_MAX, QUERY_DEPTH_MAX, QUERY_WORDS_MAX, Query, Typed};
use serde::Deserialize;
use std::collections::{BTreeMap, HashSet};

/// As in the address. A form sends empty fields too, so nothing but a number that names an item is read strictly.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Asked {
    q: String,
    feed: String,
    folder: String,
    lang: String,
    when: String,
    tag: String,
    titles: String,
    unread: String,
    starred: String,
    /// `newest`; everything else is the best match.
    sort: String,
    /// 1 shows every copy of a story in a row of its own.
    each: String,
    /// 1 while the person is still typing.
    live: String,
    after: String,
    /// The open item.
    pub(crate) item: Option<i64>,
    pub(crate) full: Option<u8>,
    /// For parts: the saved search they belong to.
    pub(crate) saved: Option<i64>,
    /// Rows that were shown before these.
    pub(crate) from: Option<u32>,
    /// What a form came to, and what takes it back.
    pub(crate) said: Option<String>,
    pub(crate) undo: Option<i64>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) text: String,
    pub(crate) feed: Option<FeedId>,
    pub(crate) folder: Option<FolderId>,
    pub(crate) language: Option<String>,
    pub(crate) since: Option<Since>,
    pub(crate) tag: Option<String>,
    pub(crate) titles: bool,
    pub(crate) unread: bool,
    pub(crate) starred: bool,
    pub(crate) newest: bool,
    pub(crate) each: bool,
    pub(crate) live: bool,
    pub(crate) after: Option<After>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Since {
    Day,
    Week,
    Month,
    Year,
}

impl Since {
    pub(crate) const ALL: [Since; 4] = [Since::Day, Since::Week, Since::Month, Since::Year];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Since::Day => "day",
            Since::Week => "week",
            Since::Month => "month",
            Since::Year => "year",
        }
    }

    pub(crate) const fn label(self, w: &'static Words) -> &'static str {
        match self {
            Since::Day => w.search.past_day,
            Since::Week => w.search.past_week,
            Since::Month => w.search.past_month,
            Since::Year => w.search.past_year,
        }
    }

    const fn days(self) -> i32 {
        match self {
            Since::Day => 1,
            Since::Week => 7,
            Since::Month => 30,
            Since::Year => 365,
        }
    }
}

/// Where a page of results ended. What came later than the first page is left out of the next ones, and scores are worked
/// out for the moment of the first, so that pages fit together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct After {
    pub(crate) whence: Whence,
    /// The newest item when the first page was made.
    pub(crate) newest: ItemId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whence {
    Best { offset: usize, at: Timestamp },
    Newest(Cursor),
}

impl After {
    fn parse(text: &str) -> Option<After> {
        let mut parts = text.split('.');
        let kind = parts.next()?;
        let mut number = || parts.next()?.parse::<i64>().ok();
        let (one, two, newest) = (number()?, number()?, ItemId(number()?));
        let whence = match kind {
            "b" => Whence::Best {
                offset: usize::try_from(one).ok().filter(|offset| *offset <= OFFSET_MAX)?,
                at: Timestamp::from_micros(two),
            },
            "n" => Whence::Newest(Cursor { time: Timestamp::from_micros(one), item: ItemId(two) }),
            _ => return None,
        };
        Some(After { whence, newest })
    }

    pub(crate) fn text(&self) -> String {
        match self.whence {
            Whence::Best { offset, at } => format!("b.{offset}.{}.{}", at.micros(), self.newest),
            Whence::Newest(Cursor { time, item }) => format!("n.{}.{item}.{}", time.micros(), self.newest),
        }
    }
}

impl Wanted {
    /// A feed or folder that is not this person's is one that never was (A5).
    pub(crate) fn read(asked: &Asked, library: &Library) -> Result<Wanted, Problem> {
        let number = |text: &str| -> Result<Option<i64>, Problem> {
            match text.trim() {
                "" => Ok(None),
                text => text.parse().map(Some).map_err(|_| Problem::not_found()),
            }
        };
        let some = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let feed = number(&asked.feed)?.map(FeedId);
        let folder = number(&asked.folder)?.map(FolderId);
        if feed.is_some_and(|feed| !library.feeds.contains_key(&feed))
            || folder.is_some_and(|folder| library.folder(folder).is_none())
        {
            return Err(Problem::not_found());
        }
        Ok(Wanted {
            text: asked.q.clone(),
            feed,
            folder,
            language: some(&asked.lang).filter(|tag| languages::is_tag(tag)),
            since: Since::ALL.into_iter().find(|since| since.name() == asked.when),
            tag: some(&asked.tag),
            titles: asked.titles == "1",
            unread: asked.unread == "1",
            starred: asked.starred == "1",
            newest: asked.sort == "newest",
            each: asked.each == "1",
            live: asked.live == "1",
            after: After::parse(&asked.after),
        })
    }

    pub(crate) fn has_filters(&self) -> bool {
        let plain = Wanted { text: self.text.clone(), ..Wanted::default() };
        let here = Wanted {
            newest: false,
            each: false,
            live: false,
            after: None,
            text: self.text.clone(),
            ..self.clone()
        };
        here != plain
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && !self.has_filters()
    }

    /// The address of this search below a path, such as `/search`.
    pub(crate) fn address(&self, path: &str) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        let mut add = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                query.append_pair(name, &value);
            }
        };
        let flag = |on: bool| on.then(|| "1".to_owned());
        add("q", Some(self.text.clone()).filter(|text| !text.is_empty()));
        add("feed", self.feed.map(|id| id.to_string()));
        add("folder", self.folder.map(|id| id.to_string()));
        add("lang", self.language.clone());
        add("when", self.since.map(|since| since.name().to_owned()));
        add("tag", self.tag.clone());
        add("titles", flag(self.titles));
        add("unread", flag(self.unread));
        add("starred", flag(self.starred));
        add("sort", self.newest.then(|| "newest".to_owned()));
        add("each", flag(self.each));
        add("after", self.after.map(|after| after.text()));
        let query = query.finish();
        if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
    }

    /// The person's feeds that are searched.
    pub(crate) fn feeds(&self, library: &Library) -> Vec<FeedId> {
        let inside: Option<HashSet<FolderId>> = self.folder.map(|folder| library.within(folder));
        library
            .feeds
            .values()
            .filter(|one| self.feed.is_none_or(|feed| one.feed.id == feed))
            .filter(|one| {
                inside.as_ref().is_none_or(|inside| {
                    one.subscription.folder.is_some_and(|folder| inside.contains(&folder))
                })
            })
            .map(|one| one.feed.id)
            .collect()
    }

    /// The words and the chips as one query.
    pub(crate) fn query(&self, visitor: &Visitor, library: &Library) -> Result<Query, BadQuery> {
        self.joined(self.filters(library, Some(&visitor.clock)), visitor, library)
    }

    /// The same as it is kept: a search that is kept looks at what comes, so "past week" is left out.
    pub(crate) fn to_keep(&self, visitor: &Visitor, library: &Library) -> Result<Query, BadQuery> {
        let settled = Wanted { live: false, ..self.clone() };
        settled.joined(self.filters(library, None), visitor, library)
    }

    fn joined(&self, filters: String, visitor: &Visitor, library: &Library) -> Result<Query, BadQuery> {
        let typed = typed(self.live, visitor, library);
        let filters = if filters.is_empty() { None } else { Some(Query::parse(&filters, &typed)?) };
        let words = match Query::parse(&self.text, &typed) {
            Ok(words) => words,
            // Filters alone are a query, too.
            Err(BadQuery::NothingToFind) if self.text.trim().is_empty() => {
                return filters.ok_or(BadQuery::NothingToFind);
            }
            Err(bad) => return Err(bad),
        };
        let words = if self.titles { words.in_titles() } else { words };
        Ok(match filters {
            Some(filters) => words.and(filters),
            None => words,
        })
    }

    fn filters(&self, library: &Library, clock: Option<&Clockwork>) -> String {
        let mut terms = Vec::new();
        let mut named = |field: &str, name: Option<&str>| {
            let name = name.map(bare).filter(|name| !name.is_empty());
            terms.extend(name.map(|name| format!("{field}:\"{name}\"")));
        };
        named("feed", self.feed.and_then(|feed| library.feeds.get(&feed)).map(name_of));
        named("folder", self.folder.and_then(|id| library.folder(id)).map(|folder| folder.name.as_str()));
        named("tag", self.tag.as_deref());
        terms.extend(self.language.as_ref().map(|tag| format!("lang:{tag}")));
        if let (Some(since), Some(clock)) = (self.since, clock) {
            terms.extend(clock.date_before(since.days()).map(|date| format!("after:{date}")));
        }
        terms.extend(self.unread.then(|| "is:unread".to_owned()));
        terms.extend(self.starred.then(|| "is:starred".to_owned()));
        terms.join(" ")
    }
}

/// How this person's queries are read.
pub(crate) fn typed(live: bool, visitor: &Visitor, library: &Library) -> Typed {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for tag in library.feeds.values().filter_map(|one| one.feed.facts.language.as_deref()) {
        *counts.entry(languages::primary(tag)).or_default() += 1;
    }
    let mut tags: Vec<(usize, String)> = counts.into_iter().map(|(tag, count)| (count, tag)).collect();
    tags.sort_by(|a, b| b.cmp(a));
    let own = visitor.words.code().to_owned();
    let tags = std::iter::once(own).chain(tags.into_iter().map(|(_, tag)| tag));
    let languages = tags.filter_map(|tag| search::Language::from_tag(&tag)).collect();
    Typed { live, languages, zone: visitor.clock.zone().clone() }
}

/// A name as a query can hold it: no quotes, single spaces.
pub(crate) fn bare(name: &str) -> String {
    let spaced: String = name
        .chars()
        .map(|c| if c.is_control() || matches!(c, '"' | '“' | '”' | '„' | '«' | '»') { ' ' } else { c })
        .collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Why a query was refused, in the person's language.
pub(crate) fn refusal(bad: &BadQuery, w: &'static Words) -> String {
    let s = &w.search;
    match bad {
        BadQuery::NothingToFind => s.bad_nothing.to_owned(),
        BadQuery::TooLong => fill(s.bad_long, &[("n", &QUERY_CHARS_MAX)]),
        BadQuery::TooDeep => fill(s.bad_deep, &[("n", &QUERY_DEPTH_MAX)]),
        BadQuery::TooManyWords => fill(s.bad_words, &[("n", &QUERY_WORDS_MAX)]),
        BadQuery::NotADate(what, field) => fill(s.bad_date, &[("what", what), ("field", field)]),
        BadQuery::NotAState(what) => fill(s.bad_state, &[("what", what)]),
        BadQuery::NotALanguage(what) => fill(s.bad_language, &[("what", what)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_page_ended_survives_the_address_and_nonsense_is_the_beginning() {
        for whence in [
            Whence::Best { offset: 30, at: Timestamp::from_seconds(5) },
            Whence::Newest(Cursor { time: Timestamp::from_micros(-7), item: ItemId(3) }),
        ] {
            let after = After { whence, newest: ItemId(9) };
            assert_eq!(After::parse(&after.text()), Some(after));
        }
        for odd in ["", "b", "b.1.2", "b.-1.2.3", "b.99999.2.3", "x.1.2.3", "n.a.2.3"] {
            assert_eq!(After::parse(odd), None, "{odd}");
        }
    }

    #[test]
    fn an_address_holds_what_is_set_and_nothing_else() {
        let wanted = Wanted {
            text: "tide & \"ebb\"".into(),
            unread: true,
            since: Some(Since::Week),
            feed: Some(FeedId(3)),
            ..Wanted::default()
        };
        assert_eq!(wanted.address("/search"), "/search?q=tide+%26+%22ebb%22&feed=3&when=week&unread=1");
        assert!(wanted.has_filters() && !wanted.is_empty());
        let sorted = Wanted { text: " ".into(), newest: true, ..Wanted::default() };
        assert!(sorted.is_empty() && !sorted.has_filters());
    }

    #[test]
    fn a_name_cannot_end_the_filter_it_stands_in() {
        assert_eq!(bare("The \"Daily\"\n  Mail”"), "The Daily Mail");
    }
}
