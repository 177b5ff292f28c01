//! A channel as lists show it: what it is about, how much it brings, and one click to follow it.

use crate::channels::Found;
use crate::shell::Icon;
use crate::words::{Words, fill};
use domain::FeedId;
use learn::{Summary, Weighted};
use std::collections::{HashMap, HashSet};
use store::Channel;
use text::TermId;

/// Terms of a row.
const TERMS: usize = 7;

pub(crate) struct ChannelRow {
    pub(crate) id: FeedId,
    pub(crate) name: String,
    pub(crate) icon: Icon,
    /// The page about a followed feed, or the site of another.
    pub(crate) href: Option<String>,
    pub(crate) is_followed: bool,
    pub(crate) subscribe_label: String,
    pub(crate) like_label: String,
    pub(crate) terms: Vec<TermShown>,
    /// How often, how cohesive, how near, how many.
    pub(crate) facts: Vec<String>,
    pub(crate) titles: Vec<String>,
}

pub(crate) struct TermShown {
    pub(crate) text: String,
    pub(crate) is_hit: bool,
}

/// What rows need to know beside the channel.
pub(crate) struct Around<'a> {
    pub(crate) base: &'a str,
    pub(crate) w: &'static Words,
    pub(crate) follows: &'a HashSet<FeedId>,
    pub(crate) titles: &'a HashMap<FeedId, Vec<String>>,
}

impl ChannelRow {
    pub(crate) fn of(found: &Found, around: &Around<'_>) -> ChannelRow {
        let (channel, d) = (&found.channel, &around.w.discover);
        let name = name(channel).to_owned();
        let is_followed = around.follows.contains(&channel.feed);
        let site = channel.site_url.as_deref().or(Some(channel.url.as_str()));
        ChannelRow {
            id: channel.feed,
            icon: icon(channel, &name, around.base),
            href: if is_followed {
                Some(format!("{}/feed/{}/about", around.base, channel.feed))
            } else {
                site.and_then(crate::feed::web_link).map(|(href, _)| href)
            },
            is_followed,
            subscribe_label: fill(d.subscribe_to, &[("name", &name)]),
            like_label: fill(d.like_named, &[("name", &name)]),
            terms: shown(&found.profile, &found.why),
            facts: facts(found, around.w),
            titles: around.titles.get(&channel.feed).cloned().unwrap_or_default(),
            name,
        }
    }
}

pub(crate) fn name(channel: &Channel) -> &str {
    channel.title.as_deref().map(str::trim).filter(|name| !name.is_empty()).unwrap_or(&channel.url)
}

fn icon(channel: &Channel, name: &str, base: &str) -> Icon {
    let letter = name.chars().find(|c| c.is_alphanumeric());
    Icon {
        href: channel.icon.map(|version| format!("{base}/icon/{}?v={version:x}", channel.feed)),
        letter: letter.map_or_else(|| "·".to_owned(), |c| c.to_uppercase().to_string()),
        tint: u8::try_from(channel.feed.0.rem_euclid(8)).unwrap_or(0),
    }
}

/// First what the channel was found by, then what else it is about.
fn shown(profile: &Summary, why: &[TermId]) -> Vec<TermShown> {
    let hits: HashSet<TermId> = why.iter().copied().collect();
    let by_why = why.iter().filter_map(|id| profile.terms().find(|term| term.id == *id));
    // At least the last two tell what it is about beside what was asked for.
    let first = plain(by_why, TERMS - 2);
    let all = first.into_iter().chain(telling(profile));
    plain(all, TERMS)
        .into_iter()
        .map(|term| TermShown { text: term_text(term), is_hit: hits.contains(&term.id) })
        .collect()
}

/// Heaviest first, where a phrase tells more than its words, and words that only stand near each other less.
pub(crate) fn telling(profile: &Summary) -> Vec<&Weighted> {
    let told = |term: &Weighted| {
        term.weight
            * if term.phrase {
                1.6
            } else if term.id.is_pair() {
                0.6
            } else {
                1.0
            }
    };
    let mut all: Vec<&Weighted> = profile.terms().collect();
    all.sort_by(|a, b| told(b).total_cmp(&told(a)).then(a.id.cmp(&b.id)));
    all
}

/// Each thing once: not a word and a phrase that has it.
pub(crate) fn plain<'a>(terms: impl IntoIterator<Item = &'a Weighted>, most: usize) -> Vec<&'a Weighted> {
    let mut kept: Vec<&Weighted> = Vec::new();
    for term in terms {
        if kept.len() >= most {
            break;
        }
        let has =
            |one: &str, other: &str| one.split(' ').any(|word| other.split(' ').any(|part| part == word));
        if !kept.iter().any(|one| one.id == term.id || has(&one.text, &term.text)) {
            kept.push(term);
        }
    }
    kept
}

/// A phrase as it is written; words that only stand near each other with a sign between.
pub(crate) fn term_text(term: &Weighted) -> String {
    if term.id.is_pair() && !term.phrase { term.text.replacen(' ', " + ", 1) } else { term.text.clone() }
}

fn facts(found: &Found, w: &'static Words) -> Vec<String> {
    let (channel, d) = (&found.channel, &w.discover);
    let number = |value: f64| two_places(value, w);
    let mut facts = Vec::new();
    facts.extend(channel.posts_per_day.map(|rate| rate_phrase(rate, w)));
    facts.extend(channel.change.map(|change| fill(d.keeps, &[("n", &number(1.0 - change))])));
    facts.extend(found.score.map(|score| fill(d.match_score, &[("n", &number(score))])));
    facts.extend(channel.subscribers.map(|readers| w.count(d.readers, u64::from(readers))));
    facts
}

/// `6 a day`, `4 a week`, `2 a month`, or `now and then`.
pub(crate) fn rate_phrase(per_day: f64, w: &'static Words) -> String {
    let d = &w.discover;
    let whole = |rate: f64| format!("{:.0}", rate.round().max(1.0));
    if !per_day.is_finite() || per_day <= 0.0 {
        return d.seldom.to_owned();
    }
    if per_day >= 0.95 {
        fill(d.a_day, &[("n", &whole(per_day))])
    } else if per_day * 7.0 >= 0.95 {
        fill(d.a_week, &[("n", &whole(per_day * 7.0))])
    } else if per_day * 30.0 >= 0.95 {
        fill(d.a_month, &[("n", &whole(per_day * 30.0))])
    } else {
        d.seldom.to_owned()
    }
}

/// 0.62, in the language's way.
pub(crate) fn two_places(value: f64, w: &'static Words) -> String {
    let value = if value.is_finite() { value.clamp(0.0, 1.0) } else { 0.0 };
    let text = format!("{value:.2}");
    if w.code() == "de" { text.replace('.', ",") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::preferences::Language;

    fn term(id: u64, text: &str, weight: f64) -> Weighted {
        Weighted { id: TermId(id), text: text.into(), weight, count: 3, phrase: id % 2 == 1 && id != 9 }
    }

    #[test]
    fn rates_are_told_as_people_count() {
        let en = Words::of(Language::English);
        let told = [6.2, 1.0, 0.57, 0.07, 0.001, f64::NAN].map(|rate| rate_phrase(rate, en));
        assert_eq!(told, ["6 a day", "1 a day", "4 a week", "2 a month", "now and then", "now and then"]);
        assert_eq!(two_places(0.618, Words::of(Language::German)), "0,62");
    }

    #[test]
    fn what_was_asked_for_comes_first_and_nothing_is_said_twice() {
        let profile = Summary::new(
            20,
            [
                term(2, "tide", 9.0),
                term(3, "tide barrier", 8.0),
                term(4, "freight", 7.0),
                term(6, "auction", 1.0),
            ],
        );
        let shown = shown(&profile, &[TermId(6)]);
        let told: Vec<(&str, bool)> = shown.iter().map(|term| (term.text.as_str(), term.is_hit)).collect();
        assert_eq!(told, [("auction", true), ("tide barrier", false), ("freight", false)]);
        assert_eq!(term_text(&term(9, "harbour granite", 1.0)), "harbour + granite");
    }
}
