//! What a person did with an item, and how much that says (reference 1.3).

use domain::ItemId;
use std::collections::HashMap;
use std::time::Duration;

/// Opened for less: a mistake as likely as not.
const GLANCE: Duration = Duration::from_secs(5);
/// Opened for more: really read.
const READ_LONG: Duration = Duration::from_secs(60);
const SCROLLED_FAR: f32 = 0.7;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Act {
    Open {
        dwell: Option<Duration>,
        /// How far down, 0 to 1.
        scrolled: Option<f32>,
    },
    /// Starred, tagged, shared or saved.
    Keep,
    /// "Less like this", hidden.
    Less,
    /// The feed was left.
    Unsubscribe,
    /// Marked read by itself and not opened. Marking all as read is no act at all.
    MarkRead,
    /// Shown and passed over.
    Pass,
}

impl Act {
    pub(crate) const fn is_click(self) -> bool {
        matches!(self, Act::Open { .. } | Act::Keep)
    }

    /// Said outright, where the other acts only suggest.
    pub(crate) const fn is_outright(self) -> bool {
        matches!(self, Act::Keep | Act::Less | Act::Unsubscribe)
    }

    pub(crate) fn is_long_read(self) -> bool {
        match self {
            Act::Open { dwell, scrolled } => {
                dwell.is_some_and(|dwell| dwell > READ_LONG)
                    || scrolled.is_some_and(|scrolled| scrolled > SCROLLED_FAR)
            }
            _ => false,
        }
    }

    fn is_glance(self) -> bool {
        matches!(self, Act::Open { dwell: Some(dwell), .. } if dwell < GLANCE) && !self.is_long_read()
    }

    /// ρ.
    pub(crate) fn weight(self) -> f64 {
        match self {
            Act::Less | Act::Unsubscribe => 3.0,
            Act::Keep => 2.0,
            Act::Open { .. } if self.is_long_read() => 1.5,
            Act::Open { .. } if self.is_glance() => 0.3,
            Act::Open { .. } | Act::MarkRead | Act::Pass => 1.0,
        }
    }

    /// Which of two acts on one item counts.
    fn strength(self) -> u8 {
        match self {
            Act::Less => 7,
            Act::Keep => 6,
            Act::Open { .. } if self.is_long_read() => 5,
            Act::Open { .. } if self.is_glance() => 3,
            Act::Open { .. } => 4,
            Act::MarkRead => 2,
            Act::Pass => 1,
            // Said of a feed, not of an item.
            Act::Unsubscribe => 0,
        }
    }
}

/// An act and where in its list it happened.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Told {
    pub item: ItemId,
    pub act: Act,
    /// Row of the list, from 0.
    pub row: Option<u32>,
    /// Whether it was on screen, where that was reported.
    pub on_screen: Option<bool>,
}

/// One outcome for each item of a session, the strongest, in the order the items first came; what was passed over last,
/// since nobody has passed over anything before the session ends.
pub fn outcomes(told: &[Told]) -> Vec<Told> {
    let mut places: HashMap<ItemId, usize> = HashMap::new();
    let mut all: Vec<Told> = Vec::new();
    for told in told {
        match places.get(&told.item).and_then(|place| all.get_mut(*place)) {
            None => {
                places.insert(told.item, all.len());
                all.push(*told);
            }
            Some(known) => {
                let (row, on_screen) = (known.row.or(told.row), known.on_screen.or(told.on_screen));
                let act = if told.act.strength() > known.act.strength() { told.act } else { known.act };
                *known = Told { item: told.item, act, row, on_screen };
            }
        }
    }
    all.sort_by_key(|told| matches!(told.act, Act::Pass));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: Act = Act::Open { dwell: None, scrolled: None };

    #[test]
    fn each_act_says_as_much_as_the_reference_has_it() {
        let open = |seconds: u64, scrolled: f32| Act::Open {
            dwell: Some(Duration::from_secs(seconds)),
            scrolled: Some(scrolled),
        };
        for (act, click, weight) in [
            (OPEN, true, 1.0),
            (open(4, 0.1), true, 0.3),
            (open(4, 0.8), true, 1.5),
            (open(61, 0.0), true, 1.5),
            (open(30, 0.5), true, 1.0),
            (Act::Keep, true, 2.0),
            (Act::Less, false, 3.0),
            (Act::Unsubscribe, false, 3.0),
            (Act::MarkRead, false, 1.0),
            (Act::Pass, false, 1.0),
        ] {
            assert_eq!((act.is_click(), act.weight()), (click, weight), "{act:?}");
        }
    }

    #[test]
    fn the_strongest_act_on_an_item_counts_once_and_passing_comes_last() {
        let told = |item, act, row| Told { item: ItemId(item), act, row, on_screen: None };
        let all = [
            told(1, Act::Pass, Some(0)),
            told(2, Act::Pass, Some(1)),
            told(1, OPEN, None),
            told(3, OPEN, Some(2)),
            told(1, Act::Keep, None),
            told(3, Act::Less, None),
            told(1, OPEN, Some(9)),
        ];
        let expected =
            [told(1, Act::Keep, Some(0)), told(3, Act::Less, Some(2)), told(2, Act::Pass, Some(1))];
        assert_eq!(outcomes(&all), expected);
        assert!(outcomes(&[]).is_empty());
    }
}
