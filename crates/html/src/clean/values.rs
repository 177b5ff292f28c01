//! The attributes of one tag, as far as we read them.

use crate::address::{is_point, style_hides};
use crate::tag::Attribute;
use crate::token::Start;

/// The attributes of one tag that we read, undecoded; the first of two wins.
pub(super) struct Values<'a> {
    pub(super) raw: [Option<&'a str>; Attribute::COUNT],
    /// Addresses already resolved, which replace the raw ones.
    pub(super) resolved: Vec<(Attribute, String)>,
}

impl<'a> Values<'a> {
    pub(super) const NONE: Values<'static> = Values { raw: [None; Attribute::COUNT], resolved: Vec::new() };

    pub(super) fn read(start: Start<'a>, attributes_max: usize) -> Self {
        let mut values = Values { raw: [None; Attribute::COUNT], resolved: Vec::new() };
        for (name, value) in start.attributes().take(attributes_max) {
            if let Some(attribute) = Attribute::from_name(name) {
                values.raw[attribute as usize].get_or_insert(value);
            }
        }
        values
    }

    pub(super) fn get(&self, attribute: Attribute) -> Option<&'a str> {
        self.raw[attribute as usize]
    }

    pub(super) fn resolved(&self, attribute: Attribute) -> Option<&str> {
        self.resolved.iter().find(|(known, _)| *known == attribute).map(|(_, address)| address.as_str())
    }

    /// Too small to be seen, or hidden on purpose: a beacon (M4).
    pub(super) fn is_pixel(&self) -> bool {
        self.get(Attribute::Width).is_some_and(is_point)
            || self.get(Attribute::Height).is_some_and(is_point)
            || self.get(Attribute::Style).is_some_and(style_hides)
            || self.get(Attribute::Hidden).is_some()
    }
}
