//! Templates and slots become titles, summaries and bodies. Expansion is bounded: slots may name slots, four deep.
//!
//! An article keeps to its subject: the word a slot got first comes back in most later places, and no sentence is
//! said twice while others are left.

use super::common::SLOTS;
use super::{Plot, Topic};
use crate::dice::Dice;
use std::fmt::Write;

const DEPTH_MAX: u8 = 4;
/// Slots of a topic and of all topics together stay below this; a test counts them.
const SLOTS_MAX: usize = 24;
/// How often a slot repeats the article's own word.
const FIDELITY: f64 = 0.7;

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

/// The dice decide every word; the same dice give the same article.
pub(crate) fn compose(
    dice: &mut Dice,
    topic: &'static Topic,
    coverage: Option<&Coverage<'_>>,
    surroundings: &Surroundings<'_>,
) -> Prose {
    let voice = &mut Voice::new(dice, topic);
    let title = match coverage {
        Some(story) => voice.story_title(story.subject),
        None => voice.sentence(topic.titles),
    };
    let mut summary = match coverage {
        Some(story) => story.facts.first().cloned().unwrap_or_default(),
        None => voice.sentence(topic.openings),
    };
    let mut html = String::with_capacity(2_600);
    let _ = write!(html, "<p>{summary}");
    voice.append_sentences(2, &mut html);
    html.push_str("</p>\n");
    if let Some(image) = surroundings.image {
        let caption = voice.sentence(topic.points);
        let _ = writeln!(
            html,
            "<figure><img src=\"{image}\" alt=\"{caption}\" width=\"640\" height=\"260\"><figcaption>{caption}</figcaption></figure>"
        );
    }
    if let Some(story) = coverage {
        html.push_str("<p>");
        for fact in story.facts.iter().skip(1) {
            html.push_str(fact);
            html.push(' ');
        }
        let _ = writeln!(html, "<a href=\"{}\">The first report is here</a>.</p>", story.url);
    }
    voice.append_middle(&mut html);
    let _ = write!(html, "<p>{}", voice.sentence(topic.closings));
    if let Some(url) = surroundings.related {
        let tag = voice.dice.pick(topic.tags).unwrap_or(topic.key);
        let _ = write!(html, " More on <a href=\"{url}\">{tag}</a>.");
    }
    html.push_str("</p>\n");
    if voice.dice.chance(0.5) {
        summary.push(' ');
        summary.push_str(&voice.sentence(topic.sentences));
    }
    Prose { title, summary, html, tags: voice.tags() }
}

/// The fixed words of a story: its subject and its facts.
pub(crate) fn tell(dice: &mut Dice, topic: &'static Topic, plot: &Plot) -> (String, Vec<String>) {
    let voice = &mut Voice::new(dice, topic);
    let mut subject = String::new();
    voice.write(plot.subject, &mut subject);
    let facts = plot.facts.iter().map(|fact| voice.expand(&fact.replace("{subject}", &subject))).collect();
    (subject, facts)
}

struct Voice<'a> {
    dice: &'a mut Dice,
    topic: &'static Topic,
    /// The article's own word of each slot, and the last word of that slot in the template at hand.
    focus: [Option<&'static str>; SLOTS_MAX],
    latest: [Option<&'static str>; SLOTS_MAX],
    /// Templates already used, a bit for each, by the address of their list.
    said: Vec<(*const &'static str, u64)>,
}

impl<'a> Voice<'a> {
    fn new(dice: &'a mut Dice, topic: &'static Topic) -> Voice<'a> {
        Voice {
            dice,
            topic,
            focus: [None; SLOTS_MAX],
            latest: [None; SLOTS_MAX],
            said: Vec::with_capacity(6),
        }
    }

    fn expand(&mut self, template: &str) -> String {
        let mut out = String::with_capacity(template.len() + 48);
        self.write(template, &mut out);
        capitalise(&mut out, 0);
        out
    }

    fn sentence(&mut self, from: &'static [&'static str]) -> String {
        let template = self.choose(from);
        self.expand(template)
    }

    fn append_sentences(&mut self, count: usize, html: &mut String) {
        for _ in 0..count {
            html.push(' ');
            let from = html.len();
            let template = self.choose(self.topic.sentences);
            self.write(template, html);
            capitalise(html, from);
        }
    }

    fn append_middle(&mut self, html: &mut String) {
        for _ in 0..self.dice.between(1, 3) {
            match self.dice.below(6) {
                0 => {
                    let quote = self.sentence(self.topic.quotes);
                    let _ = writeln!(html, "<blockquote><p>{quote}</p></blockquote>");
                }
                1 => {
                    html.push_str("<ul>\n");
                    for _ in 0..self.dice.between(3, 5) {
                        let point = self.sentence(self.topic.points);
                        let _ = writeln!(html, "<li>{point}</li>");
                    }
                    html.push_str("</ul>\n");
                }
                _ => {}
            }
            html.push_str("<p>");
            html.push_str(&self.sentence(self.topic.sentences));
            let more = self.dice.between(2, 4);
            self.append_sentences(more, html);
            html.push_str("</p>\n");
        }
    }

    fn story_title(&mut self, subject: &str) -> String {
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
        let frame = FRAMES[self.dice.below(FRAMES.len())];
        let short = self.topic.tags.first().copied().unwrap_or("us");
        self.expand(&frame.replace("{subject}", subject).replace("{short}", short))
    }

    fn tags(&mut self) -> Vec<&'static str> {
        let mut tags = Vec::with_capacity(3);
        for _ in 0..self.dice.between(1, 3) {
            if let Some(tag) = self.dice.pick(self.topic.tags)
                && !tags.contains(&tag)
            {
                tags.push(tag);
            }
        }
        tags
    }

    /// A template of the list that was not used yet, while there is one.
    fn choose(&mut self, from: &'static [&'static str]) -> &'static str {
        let list = from.as_ptr();
        let known = match self.said.iter().position(|&(address, _)| std::ptr::eq(address, list)) {
            Some(known) => known,
            None => {
                self.said.push((list, 0));
                self.said.len() - 1
            }
        };
        let count = from.len().clamp(1, 64);
        let said = &mut self.said[known].1;
        if said.count_ones() as usize >= count {
            *said = 0;
        }
        let mut nth = self.dice.below(count);
        while *said >> nth & 1 == 1 {
            nth = (nth + 1) % count;
        }
        *said |= 1 << nth;
        from.get(nth).copied().unwrap_or("")
    }

    fn write(&mut self, template: &str, out: &mut String) {
        self.latest = [None; SLOTS_MAX];
        self.write_part(template, out, 0);
    }

    fn write_part(&mut self, template: &str, out: &mut String, depth: u8) {
        let mut rest = template;
        while let Some(open) = rest.find('{') {
            out.push_str(&rest[..open]);
            let after = &rest[open + 1..];
            let Some(close) = after.find('}') else {
                out.push_str(&rest[open..]);
                return;
            };
            self.write_slot(&after[..close], out, depth);
            rest = &after[close + 1..];
        }
        out.push_str(rest);
    }

    fn write_slot(&mut self, slot: &str, out: &mut String, depth: u8) {
        let number = match slot {
            "n" => Some(self.dice.between(2, 12)),
            "count" => Some(self.dice.between(13, 480)),
            _ => None,
        };
        if let Some(number) = number {
            let _ = write!(out, "{number}");
            return;
        }
        let (article, name) = match slot.strip_prefix("a ") {
            Some(name) => (true, name),
            None => (false, slot),
        };
        let upper = name.starts_with(|c: char| c.is_ascii_uppercase());
        let Some(word) = self.word(name) else {
            debug_assert!(false, "topic {} has no slot {name}", self.topic.key);
            return;
        };
        let from = out.len();
        if depth < DEPTH_MAX && word.contains('{') {
            self.write_part(word, out, depth + 1);
        } else {
            out.push_str(word);
        }
        if article {
            out.insert_str(from, if starts_with_vowel_sound(&out[from..]) { "an " } else { "a " });
        }
        if upper {
            capitalise(out, from);
        }
    }

    /// Mostly the article's own word for a slot, and never the same one twice in a template.
    fn word(&mut self, name: &str) -> Option<&'static str> {
        let slots = self.topic.slots.iter().chain(SLOTS);
        let (nth, (_, words)) = slots.enumerate().find(|(_, (key, _))| key.eq_ignore_ascii_case(name))?;
        let (Some(focus), Some(latest)) = (self.focus.get_mut(nth), self.latest.get_mut(nth)) else {
            return self.dice.pick(words);
        };
        let people = matches!(name, "first" | "last");
        let word = match *focus {
            Some(word) if !people && latest.is_none() && self.dice.chance(FIDELITY) => word,
            _ => {
                let drawn = self.dice.below(words.len());
                let again = words.get(drawn).copied() == *latest;
                words.get(if again { (drawn + 1) % words.len() } else { drawn }).copied()?
            }
        };
        focus.get_or_insert(word);
        *latest = Some(word);
        Some(word)
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
    fn slots_and_templates_fit_their_bounds() {
        for topic in TOPICS {
            assert!(topic.slots.len() + SLOTS.len() <= SLOTS_MAX, "{}", topic.key);
            assert!(topic.sentences.len() <= 64 && topic.titles.len() <= 64);
        }
    }

    #[test]
    fn articles_and_capitals_are_written() {
        let dice = &mut Dice::new(1, Purpose::Prose, 0, 0);
        let text = Voice::new(dice, TOPICS[0]).expand("{a weekday} and {n} {Month}");
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
