//! Templates and slots become titles, summaries and bodies. Expansion is bounded: slots may name slots, four deep.

use super::common::SLOTS;
use super::{Plot, Topic};
use crate::dice::Dice;
use std::fmt::Write;

const DEPTH_MAX: u8 = 4;

/// One article, before it belongs to a site: no dates, no identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Prose {
    pub(crate) title: String,
    /// Plain text.
    pub(crate) summary: String,
    pub(crate) html: String,
    pub(crate) tags: Vec<&'static str>,
}

/// A shared story an article is about: words that every article about it has in common, and where it was first told.
pub(crate) struct Coverage<'a> {
    pub(crate) subject: &'a str,
    pub(crate) facts: &'a [String],
    pub(crate) url: &'a str,
}

/// What surrounds the words: addresses for images and links.
pub(crate) struct Surroundings<'a> {
    pub(crate) image: Option<&'a str>,
    pub(crate) related: Option<&'a str>,
}

pub(crate) fn expand(dice: &mut Dice, topic: &Topic, template: &str) -> String {
    let mut out = String::with_capacity(template.len() + 48);
    write_template(dice, topic, template, &mut out, 0);
    capitalise(&mut out, 0);
    out
}

/// The dice decide every word; the same dice give the same article.
pub(crate) fn compose(
    dice: &mut Dice,
    topic: &Topic,
    coverage: Option<&Coverage<'_>>,
    surroundings: &Surroundings<'_>,
) -> Prose {
    let title = match coverage {
        Some(story) => story_title(dice, topic, story.subject),
        None => sentence(dice, topic, topic.titles),
    };
    let mut summary = match coverage {
        Some(story) => story.facts.first().cloned().unwrap_or_default(),
        None => sentence(dice, topic, topic.openings),
    };
    let mut html = String::with_capacity(2_600);
    let _ = write!(html, "<p>{summary}");
    append_sentences(dice, topic, 2, &mut html);
    html.push_str("</p>\n");
    if let Some(image) = surroundings.image {
        let caption = sentence(dice, topic, topic.points);
        let _ = write!(
            html,
            "<figure><img src=\"{image}\" alt=\"{caption}\" width=\"320\" height=\"180\"><figcaption>{caption}</figcaption></figure>\n"
        );
    }
    if let Some(story) = coverage {
        html.push_str("<p>");
        for fact in story.facts.iter().skip(1) {
            html.push_str(fact);
            html.push(' ');
        }
        let _ = write!(html, "<a href=\"{}\">The first report is here</a>.</p>\n", story.url);
    }
    append_middle(dice, topic, &mut html);
    let closing = sentence(dice, topic, topic.closings);
    match surroundings.related {
        Some(url) => {
            let tag = dice.pick(topic.tags).unwrap_or(topic.key);
            let _ = write!(html, "<p>{closing} More on <a href=\"{url}\">{tag}</a>.</p>\n");
        }
        None => {
            let _ = write!(html, "<p>{closing}</p>\n");
        }
    }
    if dice.chance(0.5) {
        summary.push(' ');
        summary.push_str(&sentence(dice, topic, topic.sentences));
    }
    Prose { title, summary, html, tags: tags(dice, topic) }
}

/// The fixed words of a story: its subject and its facts.
pub(crate) fn tell(dice: &mut Dice, topic: &Topic, plot: &Plot) -> (String, Vec<String>) {
    let mut subject = String::new();
    write_template(dice, topic, plot.subject, &mut subject, 0);
    let facts = plot
        .facts
        .iter()
        .map(|fact| {
            let mut text = String::new();
            write_template(dice, topic, &fact.replace("{subject}", &subject), &mut text, 0);
            capitalise(&mut text, 0);
            text
        })
        .collect();
    (subject, facts)
}

fn append_middle(dice: &mut Dice, topic: &Topic, html: &mut String) {
    for _ in 0..dice.between(1, 3) {
        match dice.below(6) {
            0 => {
                let quote = sentence(dice, topic, topic.quotes);
                let _ = write!(html, "<blockquote><p>{quote}</p></blockquote>\n");
            }
            1 => {
                html.push_str("<ul>\n");
                for _ in 0..dice.between(3, 5) {
                    let point = sentence(dice, topic, topic.points);
                    let _ = write!(html, "<li>{point}</li>\n");
                }
                html.push_str("</ul>\n");
            }
            _ => {}
        }
        html.push_str("<p>");
        html.push_str(&sentence(dice, topic, topic.sentences));
        let more = dice.between(2, 4);
        append_sentences(dice, topic, more, html);
        html.push_str("</p>\n");
    }
}

fn append_sentences(dice: &mut Dice, topic: &Topic, count: usize, html: &mut String) {
    for _ in 0..count {
        html.push(' ');
        let from = html.len();
        if let Some(template) = dice.pick(topic.sentences) {
            write_template(dice, topic, template, html, 0);
            capitalise(html, from);
        }
    }
}

fn sentence(dice: &mut Dice, topic: &Topic, from: &[&'static str]) -> String {
    let template = dice.pick(from).unwrap_or("");
    expand(dice, topic, template)
}

fn story_title(dice: &mut Dice, topic: &Topic, subject: &str) -> String {
    const FRAMES: [&str; 10] = [
        "What {first} {last} knows about {subject}",
        "{subject}: a first look from {place}",
        "After {subject}, questions for {first} {last}",
        "{subject} and what follows for {short} in {place}",
        "Why {subject} matters in {place}",
        "Notes on {subject} from {place}",
        "{first} {last} on {subject}",
        "{subject}: the view from {place}",
        "Reading {subject} slowly, with {first} {last}",
        "{subject}, {weekday} update from {place}",
    ];
    let frame = FRAMES[dice.below(FRAMES.len())];
    let frame =
        frame.replace("{subject}", subject).replace("{short}", topic.tags.first().copied().unwrap_or("us"));
    expand(dice, topic, &frame)
}

fn tags(dice: &mut Dice, topic: &Topic) -> Vec<&'static str> {
    let mut tags = Vec::with_capacity(3);
    for _ in 0..dice.between(1, 3) {
        if let Some(tag) = dice.pick(topic.tags)
            && !tags.contains(&tag)
        {
            tags.push(tag);
        }
    }
    tags
}

fn write_template(dice: &mut Dice, topic: &Topic, template: &str, out: &mut String, depth: u8) {
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        let after = &rest[open + 1..];
        let Some(close) = after.find('}') else {
            out.push_str(&rest[open..]);
            return;
        };
        write_slot(dice, topic, &after[..close], out, depth);
        rest = &after[close + 1..];
    }
    out.push_str(rest);
}

fn write_slot(dice: &mut Dice, topic: &Topic, slot: &str, out: &mut String, depth: u8) {
    if slot == "n" {
        let _ = write!(out, "{}", dice.between(2, 12));
        return;
    }
    if slot == "count" {
        let _ = write!(out, "{}", dice.between(13, 480));
        return;
    }
    let (article, name) = match slot.strip_prefix("a ") {
        Some(name) => (true, name),
        None => (false, slot),
    };
    let upper = name.starts_with(|c: char| c.is_ascii_uppercase());
    let words = topic
        .slots
        .iter()
        .chain(SLOTS)
        .find(|(key, _)| key.eq_ignore_ascii_case(name))
        .map_or(&[][..], |(_, words)| *words);
    let Some(word) = dice.pick(words) else {
        debug_assert!(false, "topic {} has no slot {name}", topic.key);
        return;
    };
    let from = out.len();
    if depth < DEPTH_MAX && word.contains('{') {
        write_template(dice, topic, word, out, depth + 1);
    } else {
        out.push_str(word);
    }
    if upper {
        capitalise(out, from);
    }
    if article {
        out.insert_str(from, if starts_with_vowel_sound(&out[from..]) { "an " } else { "a " });
    }
}

fn starts_with_vowel_sound(word: &str) -> bool {
    let spelled = word.starts_with(|c: char| "aeiouAEIO".contains(c));
    let spoken_otherwise = ["uni", "one", "use"].iter().any(|start| word.starts_with(start));
    spelled && !spoken_otherwise || word.starts_with("hour")
}

/// The tables are ASCII at their beginnings, so the first byte is the first letter.
fn capitalise(text: &mut str, from: usize) {
    if let Some(head) = text.get_mut(from..from + 1) {
        head.make_ascii_uppercase();
    }
}

/// Every slot a template names exists, and every table has something in it: the tables check themselves in tests.
#[cfg(test)]
pub(crate) fn missing_slots() -> Vec<String> {
    use super::TOPICS;
    let mut missing = Vec::new();
    for topic in TOPICS {
        let lists =
            [topic.titles, topic.openings, topic.sentences, topic.closings, topic.quotes, topic.points];
        let words = topic.slots.iter().flat_map(|(_, words)| words.iter());
        let facts =
            topic.stories.iter().flat_map(|plot| plot.facts.iter().chain(std::iter::once(&plot.subject)));
        for template in lists.iter().copied().flatten().chain(words).chain(facts) {
            for slot in template.split('{').skip(1) {
                let name = slot.split('}').next().unwrap_or_default();
                let name = name.strip_prefix("a ").unwrap_or(name);
                let known = matches!(name, "n" | "count" | "subject")
                    || topic.slots.iter().chain(SLOTS).any(|(key, _)| key.eq_ignore_ascii_case(name));
                if !known {
                    missing.push(format!("{}: {{{name}}} in “{template}”", topic.key));
                }
            }
        }
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::super::TOPICS;
    use super::*;
    use crate::dice::Purpose;

    #[test]
    fn every_slot_that_a_template_names_exists() {
        assert_eq!(missing_slots(), Vec::<String>::new());
    }

    #[test]
    fn articles_and_capitals_are_written() {
        let dice = &mut Dice::new(1, Purpose::Prose, 0, 0);
        let text = expand(dice, TOPICS[0], "{a weekday} and {n} {Month}");
        assert!(text.starts_with("A "), "{text}");
        assert!(!text.contains('{'), "{text}");
    }

    #[test]
    fn an_article_is_made_of_whole_sentences_and_balanced_tags() {
        for (index, topic) in TOPICS.into_iter().enumerate() {
            for round in 0..40 {
                let dice = &mut Dice::new(3, Purpose::Prose, index as u64, round);
                let nowhere = Surroundings { image: Some("/i.svg"), related: Some("/r") };
                let prose = compose(dice, topic, None, &nowhere);
                assert!(!prose.html.contains(['{', '}']), "{}", prose.html);
                assert_eq!(prose.html.matches("<p>").count(), prose.html.matches("</p>").count());
                assert!(prose.title.len() > 10 && prose.title.len() < 140, "{}", prose.title);
                assert!(!prose.tags.is_empty());
            }
        }
    }
}
