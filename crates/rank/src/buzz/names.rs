//! Keys and their numbers.

use super::mention::{KeyId, Kind, Mention};
use std::collections::HashMap;

/// No number.
pub(crate) const GONE: u32 = u32::MAX;

#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    /// Publishers choose the words, so this table keeps the careful hash.
    numbers: HashMap<KeyId, u32>,
    ids: Vec<KeyId>,
    texts: Vec<Box<str>>,
    kinds: Vec<Kind>,
    /// Of a phrase its words.
    parts: Vec<[u32; 2]>,
}

impl Names {
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn number(&self, id: KeyId) -> Option<u32> {
        self.numbers.get(&id).copied()
    }

    /// The number of a key, a new one if there are fewer than `keys_max`.
    pub(crate) fn of(&mut self, mention: &Mention, keys_max: usize) -> Option<u32> {
        if let Some(number) = self.number(mention.id) {
            return Some(number);
        }
        let number = u32::try_from(self.ids.len()).ok().filter(|number| (*number as usize) < keys_max)?;
        let parts = mention.of.map_or([GONE; 2], |of| of.map(|id| self.number(id).unwrap_or(GONE)));
        self.numbers.insert(mention.id, number);
        self.ids.push(mention.id);
        self.texts.push(mention.text.as_str().into());
        self.kinds.push(mention.kind);
        self.parts.push(parts);
        Some(number)
    }

    pub(crate) fn id(&self, key: u32) -> KeyId {
        self.ids[key as usize]
    }

    pub(crate) fn text(&self, key: u32) -> &str {
        &self.texts[key as usize]
    }

    pub(crate) fn kind(&self, key: u32) -> Kind {
        self.kinds[key as usize]
    }

    pub(crate) fn parts(&self, key: u32) -> [u32; 2] {
        self.parts[key as usize]
    }

    /// Keeps the keys that are used; the others have no number in what is returned.
    pub(crate) fn keep(&mut self, used: &[bool]) -> Vec<u32> {
        let mut next = 0;
        let numbers: Vec<u32> = used
            .iter()
            .map(|used| {
                let number = if *used { next } else { GONE };
                next += u32::from(*used);
                number
            })
            .collect();
        fn kept<T>(values: &mut Vec<T>, used: &[bool]) {
            let mut nth = 0;
            values.retain(|_| {
                nth += 1;
                used.get(nth - 1) == Some(&true)
            });
            values.shrink_to_fit();
        }
        kept(&mut self.ids, used);
        kept(&mut self.texts, used);
        kept(&mut self.kinds, used);
        kept(&mut self.parts, used);
        for part in self.parts.iter_mut().flatten().filter(|part| **part != GONE) {
            *part = numbers[*part as usize];
        }
        self.numbers.retain(|_, number| {
            *number = numbers[*number as usize];
            *number != GONE
        });
        numbers
    }

    pub(crate) fn bytes(&self) -> usize {
        let text: usize = self.texts.iter().map(|text| text.len()).sum();
        text + self.ids.capacity() * 33 + self.numbers.capacity() * 17
    }
}
