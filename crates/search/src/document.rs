//! An item as a document of the index, on its way to the threads that write.
//!
//! One piece of text serves all fields that are made of it, and is kept once. Tantivy lets ten thousand documents wait,
//! however long they are; here their bytes are bounded as well.

use crate::item::{EXCERPT_BYTES_MAX, ItemText};
use crate::schema::Fields;
use crate::tokens::{Frame, frame};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
use tantivy::schema::Field;
use tantivy::schema::document::{Document, ReferenceValue, ReferenceValueLeaf, Value};

/// Documents that wait for their threads hold no more than this together, or are one.
const WAITING_BYTES_MAX: usize = 8 << 20;
/// Threads that have ended take nothing; whoever waits for them tries now and then, and is told so.
const WAIT_MAX: Duration = Duration::from_millis(500);
/// What a document takes beside its texts, about.
const DOCUMENT_BYTES: usize = 512;

pub(crate) struct Entry {
    fields: Fields,
    id: i64,
    feed: i64,
    time: i64,
    frame: Frame,
    author: String,
    link: String,
    tags: Vec<String>,
    _place: Place,
}

/// The room in which documents wait.
#[derive(Default)]
pub(crate) struct Waiting {
    taken: Mutex<Taken>,
    left: Condvar,
}

#[derive(Default)]
struct Taken {
    bytes: usize,
    /// Somebody stands outside.
    is_wanted: bool,
}

/// Given back when its document has been written.
struct Place {
    waiting: Arc<Waiting>,
    bytes: usize,
}

impl Waiting {
    /// Waits for its turn.
    pub(crate) fn enter(self: &Arc<Self>, fields: Fields, item: &ItemText) -> Entry {
        let frame = frame(item.language.as_deref(), item.searched_title(), item.searched_text());
        let place = self.place(frame.framed.len() + item.link.len() + DOCUMENT_BYTES);
        Entry {
            fields,
            id: item.id.0,
            feed: item.feed.0,
            time: item.time.micros(),
            frame,
            author: item.searched_author().to_owned(),
            link: item.kept_link().to_owned(),
            tags: item.tag_keys().collect(),
            _place: place,
        }
    }

    fn place(self: &Arc<Self>, bytes: usize) -> Place {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let full = |taken: &mut Taken| {
            taken.is_wanted = taken.bytes > 0 && taken.bytes + bytes > WAITING_BYTES_MAX;
            taken.is_wanted
        };
        let waited = self.left.wait_timeout_while(taken, WAIT_MAX, full);
        let (mut taken, _) = waited.unwrap_or_else(PoisonError::into_inner);
        taken.is_wanted = false;
        taken.bytes += bytes;
        Place { waiting: Arc::clone(self), bytes }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.waiting.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.bytes = taken.bytes.saturating_sub(self.bytes);
        // Half empty is soon enough: nobody is woken for each document.
        if taken.is_wanted && taken.bytes <= WAITING_BYTES_MAX / 2 {
            taken.is_wanted = false;
            self.waiting.left.notify_one();
        }
    }
}

impl Entry {
    fn excerpt(&self) -> &str {
        let text = &self.frame.framed[self.frame.text.clone()];
        &text[..text.floor_char_boundary(EXCERPT_BYTES_MAX)]
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Given<'a> {
    Number(i64),
    Text(&'a str),
}

impl<'a> Value<'a> for Given<'a> {
    type ArrayIter = std::iter::Empty<Self>;
    type ObjectIter = std::iter::Empty<(&'a str, Self)>;

    fn as_value(&self) -> ReferenceValue<'a, Self> {
        ReferenceValue::Leaf(match *self {
            Given::Number(number) => ReferenceValueLeaf::I64(number),
            Given::Text(text) => ReferenceValueLeaf::Str(text),
        })
    }
}

impl Document for Entry {
    type Value<'a> = Given<'a>;
    type FieldsValuesIter<'a> = std::vec::IntoIter<(Field, Given<'a>)>;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        let Entry { fields, frame, .. } = self;
        let framed = frame.framed.as_str();
        let title = &framed[frame.title.clone()];
        let mut values = vec![
            (fields.id, Given::Number(self.id)),
            (fields.feed, Given::Number(self.feed)),
            (fields.time, Given::Number(self.time)),
            (fields.stems, Given::Text(framed)),
            (fields.forms, Given::Text(framed)),
            (fields.title, Given::Text(framed)),
            (fields.shown_title, Given::Text(title)),
            (fields.shown_text, Given::Text(self.excerpt())),
            (fields.shown_link, Given::Text(&self.link)),
        ];
        if !self.author.is_empty() {
            values.push((fields.author, Given::Text(&self.author)));
        }
        values.extend(self.tags.iter().map(|tag| (fields.tag, Given::Text(tag))));
        if !frame.language.is_empty() {
            values.push((fields.language, Given::Text(&framed[frame.language.clone()])));
        }
        values.into_iter()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn one_document_always_fits_and_gives_its_room_back() {
        let waiting = Arc::new(Waiting::default());
        let large = waiting.place(2 * WAITING_BYTES_MAX);
        assert_eq!(waiting.taken.lock().unwrap().bytes, 2 * WAITING_BYTES_MAX);
        drop(large);
        assert_eq!(waiting.taken.lock().unwrap().bytes, 0);
    }

    #[test]
    fn where_there_is_no_room_somebody_waits_but_not_for_ever() {
        let waiting = Arc::new(Waiting::default());
        let _kept = waiting.place(WAITING_BYTES_MAX);
        let begun = std::time::Instant::now();
        let _also = waiting.place(WAITING_BYTES_MAX);
        assert!(begun.elapsed() >= WAIT_MAX);
        assert_eq!(waiting.taken.lock().unwrap().bytes, 2 * WAITING_BYTES_MAX);
    }
}
