//! Why an item stands where it stands, in words: a phrase for a row, a sentence for the item.
//!
//! Only what was really used is named: the reasons come from the ranking itself.

use crate::foryou::{ForYou, OPENS_ENOUGH, Ranker, Ranking};
use crate::page::render;
use crate::problem::Problem;
use crate::shell::{Here, Library, Shell};
use crate::visitor::Visitor;
use crate::words::{Words, fill};
use crate::{App, list};
use askama::Template;
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::{FeedId, ItemId};
use rank::{Feature, Placed, Reason, Why};
use std::sync::Arc;
use std::time::Duration;

/// Items of a feed that its reason counts over, and how long ago they may be.
const LAST_OF_FEED: u32 = 10;
const LAST_DAYS: u64 = 60;
/// Fewer say nothing.
const LAST_MIN: u32 = 3;

/// What wording needs beside the reasons.
pub(crate) struct Wording<'a> {
    pub(crate) w: &'static Words,
    pub(crate) ranking: &'a Ranking,
    pub(crate) feed: String,
}

impl Wording<'_> {
    fn topic(&self, topic: u16) -> Option<&str> {
        self.ranking.topics.get(&topic).map(String::as_str)
    }

    fn words(&self, why: &Why) -> Option<String> {
        let named: Vec<&str> =
            why.words.iter().filter_map(|term| self.ranking.surfaces.get(term).map(String::as_str)).collect();
        (!named.is_empty()).then(|| named.join(", "))
    }

    /// A few words beside a row.
    pub(crate) fn phrase(&self, why: &Why) -> String {
        let f = &self.w.foryou;
        match why.placed {
            Placed::Newest => f.newest.to_owned(),
            Placed::OtherFeed => f.variety.to_owned(),
            Placed::Interest(Feature::Topic(topic)) => match self.topic(topic) {
                Some(name) => fill(f.interest, &[("topic", &name)]),
                None => f.variety.to_owned(),
            },
            Placed::Trying(Feature::Topic(topic)) => match self.topic(topic) {
                Some(name) => fill(f.new_topic, &[("topic", &name)]),
                None => f.a_try.to_owned(),
            },
            Placed::Trying(_) => f.new_feed.to_owned(),
            Placed::Interest(_) | Placed::Liked => {
                let spoken_for = why.reasons.iter().find(|reason| reason.effect > 0.0);
                spoken_for.and_then(|reason| self.short(why, reason)).unwrap_or_else(|| f.recent.to_owned())
            }
        }
    }

    fn short(&self, why: &Why, reason: &Reason) -> Option<String> {
        let f = &self.w.foryou;
        Some(match reason.feature {
            Feature::Topic(topic) => fill(f.topic, &[("topic", &self.topic(topic)?)]),
            Feature::Feed(_) => fill(f.feed, &[("feed", &self.feed)]),
            Feature::Interest => match self.words(why) {
                Some(words) => fill(f.words, &[("words", &words)]),
                None => f.like_kept.to_owned(),
            },
            Feature::Copies => f.copies.to_owned(),
            Feature::Novelty => f.familiar.to_owned(),
            Feature::Age => f.old.to_owned(),
            Feature::Rate => f.busy.to_owned(),
            Feature::Word(_) | Feature::Bias => return None,
        })
    }

    /// What is said of one reason in a sentence; `opened` counts the feed's last items.
    fn long(&self, why: &Why, reason: &Reason, opened: Option<(u32, u32)>) -> Option<String> {
        let f = &self.w.foryou;
        let is_for = reason.effect > 0.0;
        let either = |yes: &'static str, no: &'static str| if is_for { yes } else { no };
        Some(match reason.feature {
            Feature::Topic(topic) => {
                fill(either(f.long_topic, f.long_topic_not), &[("topic", &self.topic(topic)?)])
            }
            Feature::Feed(_) => match opened {
                Some((met, opened)) if met >= LAST_MIN => {
                    fill(f.long_feed_of, &[("opened", &opened), ("met", &met), ("feed", &self.feed)])
                }
                _ => fill(either(f.long_feed, f.long_feed_not), &[("feed", &self.feed)]),
            },
            Feature::Interest => match self.words(why) {
                Some(words) => fill(either(f.long_words, f.long_words_not), &[("words", &words)]),
                None => either(f.long_like_kept, f.long_like_sent_away).to_owned(),
            },
            Feature::Copies => either(f.long_copies, f.long_copies_not).to_owned(),
            Feature::Novelty => either(f.long_familiar, f.long_familiar_not).to_owned(),
            Feature::Age => either(f.long_old, f.long_old_not).to_owned(),
            Feature::Rate => either(f.long_busy, f.long_busy_not).to_owned(),
            Feature::Word(_) | Feature::Bias => return None,
        })
    }

    fn placed(&self, placed: Placed) -> Option<String> {
        let f = &self.w.foryou;
        let named = |text: &'static str, feature: Feature| match feature {
            Feature::Topic(topic) => self.topic(topic).map(|name| fill(text, &[("topic", &name)])),
            _ => None,
        };
        match placed {
            Placed::Liked => None,
            Placed::Newest => Some(f.long_newest.to_owned()),
            Placed::OtherFeed => Some(f.long_variety.to_owned()),
            Placed::Interest(feature) => {
                Some(named(f.long_interest, feature).unwrap_or_else(|| f.long_variety.to_owned()))
            }
            Placed::Trying(Feature::Feed(_)) => Some(fill(f.long_new_feed, &[("feed", &self.feed)])),
            Placed::Trying(feature) => {
                Some(named(f.long_new_topic, feature).unwrap_or_else(|| f.long_a_try.to_owned()))
            }
        }
    }

    /// One sentence with everything that decided.
    pub(crate) fn sentence(&self, why: &Why, opened: Option<(u32, u32)>) -> String {
        let reasons = why.reasons.iter().filter_map(|reason| self.long(why, reason, opened));
        let parts: Vec<String> = self.placed(why.placed).into_iter().chain(reasons).collect();
        if parts.is_empty() {
            return self.w.foryou.long_nothing.to_owned();
        }
        let text = parts.join("; ");
        let mut letters = text.chars();
        let first: String = letters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
        format!("{first}{}.", letters.as_str())
    }
}

/// The line above an open item.
pub(crate) struct WhyLine {
    pub(crate) text: String,
}

/// The reason of an item that stands in a list this person has just seen; nothing is ranked for it.
pub(crate) async fn line(
    app: &App,
    foryou: &ForYou,
    visitor: &Visitor,
    library: &Library,
    item: ItemId,
) -> Result<Option<WhyLine>, Problem> {
    match foryou.latest_with(visitor.id(), item) {
        // A trial is blind.
        Some(_) if foryou.side_of(visitor.id(), item).is_some() => Ok(None),
        Some(ranking) => told(app, visitor, library, &ranking, item).await,
        None => Ok(None),
    }
}

async fn told(
    app: &App,
    visitor: &Visitor,
    library: &Library,
    ranking: &Ranking,
    item: ItemId,
) -> Result<Option<WhyLine>, Problem> {
    let Some(row) = ranking.of(item) else { return Ok(None) };
    let by_feed = row.why.reasons.iter().any(|reason| matches!(reason.feature, Feature::Feed(_)));
    let opened = if by_feed {
        let since = visitor.now().saturating_sub(Duration::from_secs(LAST_DAYS * 86_400));
        Some(app.store.opened_of_feed(visitor.id(), row.feed, since, item, LAST_OF_FEED).await?)
    } else {
        None
    };
    let wording = Wording { w: visitor.words, ranking, feed: name(library, row.feed, visitor.words) };
    Ok(Some(WhyLine { text: wording.sentence(&row.why, opened) }))
}

pub(crate) fn name(library: &Library, feed: FeedId, w: &'static Words) -> String {
    library.name(feed).unwrap_or_else(|| w.list.unknown_feed.to_owned())
}

/// `/item/{id}/why`: the reason by itself, ranked now if need be.
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Extension(foryou): Extension<Arc<ForYou>>,
    visitor: Visitor,
    headers: HeaderMap,
    Path(id): Path<i64>,
) -> Result<Response, Problem> {
    let id = ItemId(id);
    let open = app.store.item(visitor.id(), id).await?.ok_or_else(Problem::not_found)?;
    let library = Library::load(&app, &visitor).await?;
    let line = match line(&app, &foryou, &visitor, &library, id).await? {
        Some(line) => Some(line),
        None => {
            let pin = foryou.pin(&app, visitor.id(), visitor.now()).await?;
            let feeds = recall::facts(library.feeds.values());
            let ranking = foryou.ranking(&app, visitor.id(), &feeds, pin, Ranker::ForYou).await?;
            told(&app, &visitor, &library, &ranking, id).await?
        }
    };
    let f = &visitor.words.foryou;
    let opens = app.store.opens(visitor.id(), OPENS_ENOUGH).await?;
    let shell = Shell::load(&app, &visitor, &headers, &library, Here::ForYou).await?;
    let page = WhyPage {
        title: list::title_of(&open.row, visitor.words),
        text: line.map_or_else(|| f.not_ranked.to_owned(), |line| line.text),
        young: (opens < OPENS_ENOUGH).then(|| visitor.words.count(f.young, u64::from(opens))),
        href: format!("{}/foryou?item={id}", app.base_path),
        shell: &shell,
        w: visitor.words,
    };
    Ok(render(StatusCode::OK, &page))
}

#[derive(Template)]
#[template(path = "why.html")]
struct WhyPage<'a> {
    shell: &'a Shell,
    w: &'static Words,
    title: String,
    text: String,
    young: Option<String>,
    href: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::preferences::Language;
    use text::TermId;

    fn ranking() -> Ranking {
        Ranking {
            rows: Vec::new(),
            topics: [(7, "tide, harbour".to_owned())].into(),
            surfaces: [(TermId(2), "queues".to_owned())].into(),
            offered: Vec::new(),
            asked: false,
            sides: std::collections::HashMap::new(),
        }
    }

    fn why(placed: Placed, reasons: &[(Feature, f32)]) -> Why {
        let reasons =
            reasons.iter().map(|(feature, effect)| Reason { feature: *feature, effect: *effect }).collect();
        Why { placed, reasons, words: vec![TermId(2), TermId(4)] }
    }

    #[test]
    fn a_phrase_names_what_was_really_used() {
        let ranking = ranking();
        let wording =
            Wording { w: Words::of(Language::English), ranking: &ranking, feed: "Foreshore".into() };
        for (placed, feature, expected) in [
            (Placed::Liked, Feature::Feed(FeedId(1)), "you open Foreshore often"),
            (Placed::Liked, Feature::Topic(7), "you read about tide, harbour"),
            (Placed::Liked, Feature::Topic(8), "recent"),
            (Placed::Liked, Feature::Interest, "like items you kept: queues"),
            (Placed::Trying(Feature::Topic(7)), Feature::Age, "new topic: tide, harbour"),
            (Placed::Trying(Feature::Feed(FeedId(1))), Feature::Age, "a try: little seen of this feed"),
            (Placed::Newest, Feature::Age, "one of the newest"),
        ] {
            assert_eq!(wording.phrase(&why(placed, &[(feature, 0.5)])), expected, "{placed:?} {feature:?}");
        }
        assert_eq!(wording.phrase(&why(Placed::Liked, &[(Feature::Feed(FeedId(1)), -0.5)])), "recent");
    }

    #[test]
    fn a_sentence_counts_and_says_what_speaks_against_it_too() {
        let ranking = ranking();
        let wording =
            |language| Wording { w: Words::of(language), ranking: &ranking, feed: "Foreshore".into() };
        let both = why(Placed::Liked, &[(Feature::Feed(FeedId(1)), 0.9), (Feature::Topic(7), -0.2)]);
        assert_eq!(
            wording(Language::English).sentence(&both, Some((10, 9))),
            "You opened 9 of the last 10 from Foreshore; you seldom open what is about tide, harbour."
        );
        assert!(
            wording(Language::German).sentence(&both, Some((10, 9))).starts_with("Du hast 9 der letzten 10")
        );
        assert!(
            wording(Language::English).sentence(&both, Some((1, 1))).starts_with("You often open Foreshore")
        );
        assert_eq!(
            wording(Language::English).sentence(&why(Placed::Liked, &[]), None),
            "Nothing is known that speaks for or against it; it is recent."
        );
    }
}
