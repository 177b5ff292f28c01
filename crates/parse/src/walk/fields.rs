//! What a field's text is worth once its element is closed.

use super::{Base64, Capture, Walker};
use crate::date;
use crate::hints;
use crate::media;
use crate::raw::{RawLink, RawText};
use crate::text::collapse;
use crate::vocabulary::Word;
use domain::Timestamp;

impl Walker<'_, '_> {
    pub(super) fn field(&mut self, mut capture: Capture) {
        if capture.cut {
            let place = self.place_name(name(capture.word));
            self.complaints.add("The text is too long and was cut.", place);
        }
        match capture.base64 {
            Base64::No => {}
            Base64::Perhaps => {
                if let Some(text) = decoded_base64(&capture.text) {
                    capture.text = text;
                }
            }
            Base64::Surely => match decoded_base64(&capture.text) {
                Some(text) => capture.text = text,
                // A picture or a program: nothing to read.
                None => return,
            },
        }
        match capture.word {
            Word::Name | Word::Email => self.person_part(&capture),
            Word::Author | Word::ItunesAuthor => self.author(&capture),
            Word::Hour | Word::Day => self.skip(&capture),
            Word::Url | Word::Icon | Word::Logo => self.picture(capture),
            Word::Published | Word::Updated | Word::DcDate | Word::Created => self.date(&capture),
            Word::Category | Word::ItunesCategory | Word::Keywords => self.tags(capture),
            Word::Link | Word::OriginalLink => self.link(capture),
            Word::Language => self.language(&capture),
            _ if self.item.is_some() => self.item_field(capture),
            _ => self.feed_field(capture),
        }
    }

    fn feed_field(&mut self, capture: Capture) {
        let (word, nested) = (capture.word, capture.nested);
        let ranked = |rank: u8| if nested { 0 } else { rank };
        let text = raw_text(capture);
        if text.text.trim().is_empty() {
            return;
        }
        let trimmed = text.text.trim();
        match word {
            Word::Title => self.document.title.offer(ranked(3), text),
            Word::DcTitle => self.document.title.offer(ranked(2), text),
            Word::MediaTitle | Word::ItunesTitle => self.document.title.offer(ranked(1), text),
            Word::Description | Word::Subtitle => self.document.description.offer(ranked(3), text),
            Word::ItunesSummary | Word::Summary => self.document.description.offer(ranked(2), text),
            Word::ItunesSubtitle | Word::MediaDescription => self.document.description.offer(ranked(1), text),
            Word::Rights => self.document.rights.offer(ranked(1), text),
            Word::Id
                // An Atom feed's id that is an address is the best link we have when there is no other.
                if (trimmed.starts_with("http://") || trimmed.starts_with("https://")) => {
                    let href = trimmed.to_owned();
                    self.document.link.offer(0, RawLink { href, base: text.base });
                }
            Word::Ttl => match hints::ttl_minutes(trimmed) {
                Some(minutes) => self.document.ttl_minutes = self.document.ttl_minutes.or(Some(minutes)),
                None => self.complain_hint("ttl"),
            },
            Word::UpdatePeriod => match hints::period_s(trimmed) {
                Some(period) => self.update_period = Some(period),
                None => self.complain_hint("updatePeriod"),
            },
            Word::UpdateFrequency => match hints::frequency(trimmed) {
                Some(frequency) => self.document.update_frequency = Some(frequency),
                None => self.complain_hint("updateFrequency"),
            },
            _ => {}
        }
    }

    fn complain_hint(&mut self, field: &str) {
        self.complaints.add("The value makes no sense and was ignored.", format!("feed, {field}"));
    }

    fn item_field(&mut self, capture: Capture) {
        let Some(item) = &mut self.item else { return };
        let (word, source, permanent) = (capture.word, capture.note.clone(), capture.note.clone());
        let nested = capture.nested;
        let ranked = |rank: u8| if nested { 0 } else { rank };
        let text = raw_text(capture);
        if text.text.trim().is_empty() {
            // Content kept elsewhere is still where the item leads.
            if let (Word::Content, Some(href)) = (word, source) {
                item.link.offer(1, RawLink { href, base: text.base });
            }
            return;
        }
        match word {
            Word::Title => item.title.offer(ranked(3), text),
            Word::DcTitle => item.title.offer(ranked(2), text),
            Word::MediaTitle | Word::ItunesTitle => item.title.offer(ranked(1), text),
            Word::Content | Word::Encoded | Word::Body => {
                let rank = if word == Word::Body { 2 } else { 3 };
                item.content.offer(ranked(rank), text);
            }
            Word::Description
            | Word::Summary
            | Word::ItunesSummary
            | Word::MediaDescription
            | Word::ItunesSubtitle => {
                let rank = match word {
                    Word::Description | Word::Summary => 3,
                    Word::ItunesSummary | Word::MediaDescription => 2,
                    _ => 1,
                };
                let longer = item.fuller.as_ref().is_none_or(|held| held.text.len() < text.text.len());
                if longer && rank > 1 && !nested {
                    item.fuller = Some(text.clone());
                }
                item.summary.offer(ranked(rank), text);
            }
            Word::Subtitle => item.summary.offer(1, text),
            Word::Id if nested && item.guid.is_some() => {}
            Word::Id => {
                let guid = text.text.trim().to_owned();
                let absolute = guid.starts_with("http://") || guid.starts_with("https://");
                let is_link = match permanent.as_deref() {
                    Some("true") => true,
                    Some(_) => false,
                    None => absolute,
                };
                item.permalink = is_link.then(|| RawLink { href: guid.clone(), base: text.base });
                item.guid = Some(guid);
            }
            Word::MediaCredit => item.authors.offer(1, vec![collapse(&text.text)]),
            Word::Duration => item.seconds = item.seconds.or_else(|| media::seconds(&text.text)),
            _ => {}
        }
    }

    fn person_part(&mut self, capture: &Capture) {
        let text = collapse(&capture.text);
        if let Some(person) = &mut self.person
            && !text.is_empty()
        {
            let slot = if capture.word == Word::Name { &mut person.name } else { &mut person.email };
            *slot = slot.take().or(Some(text));
        }
    }

    fn author(&mut self, capture: &Capture) {
        let person = self.person.take().unwrap_or_default();
        let text = person.name.or_else(|| person_name(&capture.text)).or(person.email);
        let Some(name) = text.filter(|name| !name.is_empty()) else { return };
        let in_source = self.place == super::Place::Source;
        let rank = match (in_source, capture.word) {
            (true, _) => 0,
            (_, Word::Author) => 3,
            _ => 2,
        };
        let slot = match &mut self.item {
            Some(item) => &mut item.authors,
            None => &mut self.document.authors,
        };
        slot.add(rank, name);
    }

    fn skip(&mut self, capture: &Capture) {
        let (value, list) = match capture.word {
            Word::Hour => (hints::hour(&capture.text), &mut self.document.skip_hours),
            _ => (hints::day(&capture.text), &mut self.document.skip_days),
        };
        match value {
            Some(value) if list.contains(&value) => {}
            Some(value) => list.push(value),
            None => self.complain_hint(if capture.word == Word::Hour { "skipHours" } else { "skipDays" }),
        }
    }

    fn picture(&mut self, capture: Capture) {
        if self.item.is_some() || capture.text.trim().is_empty() {
            return;
        }
        let rank = match capture.word {
            Word::Icon => 4,
            Word::Url => 3,
            _ => 1,
        };
        self.document.icon.offer(rank, RawLink { href: capture.text.trim().to_owned(), base: capture.base });
    }

    fn date(&mut self, capture: &Capture) {
        let text = capture.text.trim();
        if text.is_empty() {
            return;
        }
        let Some(time) = date::parse(text) else {
            let shown: String = text.chars().take(60).collect();
            let place = self.place_name(name(capture.word));
            self.complaints.add(format!("The date {shown:?} cannot be read."), place);
            return;
        };
        if capture.nested {
            self.keep_nested_date(capture.word, time);
        } else {
            self.keep_date(capture.word, time);
        }
    }

    /// `dc:date` is the date of some event in the item's life: it stands for either where nothing better is said.
    fn keep_date(&mut self, word: Word, time: Timestamp) {
        match (&mut self.item, word) {
            (Some(item), Word::Published) => item.published.replace(3, time),
            (Some(item), Word::Updated) => item.updated.replace(3, time),
            (Some(item), Word::Created) => item.published.replace(2, time),
            (Some(item), _) => {
                item.published.replace(1, time);
                item.updated.replace(2, time);
            }
            (None, Word::Updated) => self.document.updated.replace(3, time),
            (None, Word::DcDate) => self.document.updated.replace(2, time),
            (None, _) => self.document.updated.replace(1, time),
        }
    }

    fn keep_nested_date(&mut self, word: Word, time: Timestamp) {
        match (&mut self.item, word) {
            (Some(item), Word::Published | Word::Created) => item.published.offer(0, time),
            (Some(item), _) => item.updated.offer(0, time),
            (None, _) => self.document.updated.offer(0, time),
        }
    }

    fn tags(&mut self, capture: Capture) {
        if capture.nested {
            return;
        }
        if capture.word == Word::Keywords {
            for part in capture.text.split(',') {
                self.add_tag(RawText { text: part.to_owned(), kind: capture.kind, base: None });
            }
        } else {
            // Without a term and without text the label is all there is.
            let text =
                if capture.text.trim().is_empty() { capture.note.unwrap_or_default() } else { capture.text };
            self.add_tag(RawText { text, kind: capture.kind, base: None });
        }
    }

    pub(super) fn add_tag(&mut self, tag: RawText) {
        let Some(item) = &mut self.item else { return };
        if tag.text.trim().is_empty() {
            return;
        }
        if item.tags.len() < self.limits.tags_max {
            item.tags.push(tag);
        } else if !self.told_tags {
            self.told_tags = true;
            let place = format!("item {}", item.number);
            self.complaints.add("The item has too many tags; the rest were ignored.", place);
        }
    }

    fn link(&mut self, capture: Capture) {
        let href = capture.text.trim();
        if href.is_empty() {
            return;
        }
        let link = RawLink { href: href.to_owned(), base: capture.base };
        let rank = match capture.word {
            _ if capture.nested => 0,
            Word::OriginalLink => 2,
            _ => 3,
        };
        match &mut self.item {
            Some(item) => item.link.replace(rank, link),
            None if capture.word == Word::Link => self.document.link.replace(rank, link),
            None => {}
        }
    }

    fn language(&mut self, capture: &Capture) {
        let found = language(&capture.text);
        match &mut self.item {
            Some(item) => item.language = found.or(item.language.take()),
            None => self.document.language = found.or(self.document.language.take()),
        }
    }
}

/// A language tag as BCP 47 writes it, or `None` for what is none.
pub(super) fn language(text: &str) -> Option<String> {
    let text = text.trim().replace('_', "-");
    let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    (plain && (2..=35).contains(&text.len())).then_some(text)
}

/// RSS writes people as `mail@host (Name)`, `Name <mail@host>` or just a name.
pub(super) fn person_name(text: &str) -> Option<String> {
    let text = collapse(text);
    let bare = text.trim_start_matches("mailto:");
    if let Some((before, after)) = bare.split_once('(')
        && before.contains('@')
    {
        let name = after.trim_end_matches(')').trim();
        return Some(if name.is_empty() { before.trim().to_owned() } else { name.to_owned() });
    }
    if let Some((before, _)) = bare.split_once('<')
        && bare.contains('@')
        && !before.trim().is_empty()
    {
        return Some(before.trim().trim_matches('"').to_owned());
    }
    (!bare.is_empty()).then(|| bare.to_owned())
}

fn raw_text(capture: Capture) -> RawText {
    RawText { text: capture.text, kind: capture.kind, base: capture.base }
}

fn decoded_base64(text: &str) -> Option<String> {
    let mut bits: u32 = 0;
    let mut count = 0;
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    for byte in text.bytes().filter(|b| !b.is_ascii_whitespace() && *b != b'=') {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push(u8::try_from((bits >> count) & 0xFF).unwrap_or(0));
        }
    }
    let text = String::from_utf8(out).ok()?;
    (!text.chars().any(|c| c.is_control() && !c.is_whitespace())).then_some(text)
}

/// The field's name in complaints.
fn name(word: Word) -> &'static str {
    match word {
        Word::Title | Word::DcTitle | Word::MediaTitle | Word::ItunesTitle => "title",
        Word::Description | Word::Summary | Word::ItunesSummary | Word::MediaDescription => "summary",
        Word::Content | Word::Encoded | Word::Body => "content",
        Word::Published => "published",
        Word::Updated | Word::DcDate => "updated",
        Word::Created => "created",
        Word::Link | Word::OriginalLink => "link",
        Word::Id => "guid",
        Word::Author | Word::ItunesAuthor => "author",
        Word::Category | Word::Keywords | Word::ItunesCategory => "tags",
        _ => "field",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_shown_by_their_names() {
        let check = |text: &str, name: &str| assert_eq!(person_name(text).as_deref(), Some(name), "{text}");
        check("mira@h.test (Mira Example)", "Mira Example");
        check("Mira Example <mira@h.test>", "Mira Example");
        check("mira@h.test", "mira@h.test");
        check("Mira (staff)", "Mira (staff)");
        check("mira@h.test ()", "mira@h.test");
        assert_eq!(person_name("  "), None);
    }

    #[test]
    fn base64_gives_text_or_nothing() {
        assert_eq!(decoded_base64("RXhhbXBsZSA8Yj50ZXN0PC9iPg==").as_deref(), Some("Example <b>test</b>"));
        assert_eq!(decoded_base64("iVBORw0KGgo="), None);
        assert_eq!(decoded_base64("not base64!"), None);
    }
}
