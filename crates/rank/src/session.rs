//! From what was recorded of a person to what is learnt of them: sessions, and one outcome for each item in them.
//!
//! A session ends when nothing happened for [`SILENCE`]. What was passed over is learnt when it has ended; what was opened,
//! kept or sent away at once, so that a page made within the session knows of it. What was taken back (a star, "less
//! like this") was never said. Pure: the same records make the same taste, whoever replays them.

use crate::act::{Act, Told, outcomes};
use crate::features::{Candidate, Moment};
use crate::taste::Taste;
use crate::words::Recent;
use domain::interaction::{Interaction, InteractionKind};
use domain::{ItemId, Timestamp};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

/// So long without anything, and a session is over.
pub const SILENCE: Duration = Duration::from_secs(30 * 60);
/// Rows that a list shows at once; when one of them was on screen, all were there to be seen.
const SCREENFUL: u32 = 50;
/// Rows of one list that positions are learnt from.
const ROWS_LEARNT_MAX: u32 = 500;

/// Records of one session, in the order they were made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Session<'a> {
    pub records: &'a [Interaction],
    /// When it began.
    pub from: Timestamp,
    pub is_over: bool,
}

/// Cuts records, in the order they were made, into sessions; only the last may not be over yet. Reports come a little late,
/// so a gap counts from the latest time of its session; what is told long after it happened is a session of its own.
pub fn sessions(records: &[Interaction], now: Timestamp) -> Vec<Session<'_>> {
    let mut all: Vec<Session<'_>> = Vec::new();
    let (mut start, mut latest, mut from) = (0, None::<Timestamp>, now);
    for (nth, record) in records.iter().enumerate() {
        let is_new = latest
            .is_some_and(|latest| record.at.since(latest) >= SILENCE || latest.since(record.at) >= SILENCE);
        if is_new {
            all.push(Session { records: &records[start..nth], from, is_over: true });
            (start, latest, from) = (nth, None, record.at);
        }
        from = if nth == start { record.at } else { from.min(record.at) };
        latest = Some(latest.map_or(record.at, |latest| latest.max(record.at)));
    }
    if let Some(latest) = latest {
        let is_over = now.since(latest) >= SILENCE;
        all.push(Session { records: &records[start..], from, is_over });
    }
    all
}

impl Taste {
    /// Learns a session: of items that are `known` what was done with them, and which rows were read. `recent` is what was
    /// read in the two weeks before it.
    pub fn learn_session(
        &mut self,
        session: Session<'_>,
        known: &HashMap<ItemId, Candidate>,
        recent: &Recent,
    ) {
        self.begin_session();
        if session.is_over {
            self.learn_positions(session.records);
        }
        let mut at: HashMap<ItemId, Timestamp> = HashMap::new();
        for record in session.records {
            at.entry(record.item).or_insert(record.at);
        }
        for told in outcomes(&told(session.records)) {
            if matches!(told.act, Act::Pass) && !session.is_over {
                continue;
            }
            let (Some(candidate), Some(at)) = (known.get(&told.item), at.get(&told.item)) else { continue };
            let features = self.features(candidate, Moment { now: *at, recent });
            self.learn(&features, &told, *at);
        }
    }

    /// Rows on screen, of those that were there.
    fn learn_positions(&mut self, records: &[Interaction]) {
        let mut seen: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        for record in records.iter().filter(|one| one.kind == InteractionKind::Impression) {
            if let Some(row) = record.position.filter(|row| *row < ROWS_LEARNT_MAX) {
                seen.entry(&record.place).or_default().insert(row);
            }
        }
        for rows in seen.values() {
            let last = rows.last().copied().unwrap_or_default();
            for row in 0..(last / SCREENFUL + 1) * SCREENFUL {
                self.positions_mut().on_screen(row, rows.contains(&row));
            }
        }
    }
}

/// What the records say of each item; what was taken back is left out.
fn told(records: &[Interaction]) -> Vec<Told> {
    let mut all: Vec<Told> = Vec::with_capacity(records.len());
    for record in records {
        let act = match record.kind {
            // It was on screen, and unless something else follows that is all.
            InteractionKind::Impression => Act::Pass,
            InteractionKind::Open => {
                Act::Open { dwell: record.dwell_ms.map(Duration::from_millis), scrolled: None }
            }
            InteractionKind::Star | InteractionKind::Tag | InteractionKind::Share => Act::Keep,
            InteractionKind::Hide => Act::Less,
            InteractionKind::Unstar | InteractionKind::Untag | InteractionKind::Unshare => {
                all.retain(|told| told.item != record.item || told.act != Act::Keep);
                continue;
            }
            InteractionKind::Unhide => {
                all.retain(|told| told.item != record.item || told.act != Act::Less);
                continue;
            }
        };
        // Positions are learnt from the whole list; a row in sight was read.
        all.push(Told { item: record.item, act, row: None, on_screen: Some(true) });
    }
    all
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests count small things")]
mod tests {
    use super::*;
    use crate::features::tests::about;
    use domain::UserId;

    const START: i64 = 1_700_000_000;

    fn record(item: i64, kind: InteractionKind, minute: i64) -> Interaction {
        Interaction {
            user: UserId(1),
            item: ItemId(item),
            kind,
            at: Timestamp::from_seconds(START + 60 * minute),
            place: "foryou".into(),
            position: u32::try_from(item).ok(),
            dwell_ms: None,
        }
    }

    fn minute(minute: i64) -> Timestamp {
        Timestamp::from_seconds(START + 60 * minute)
    }

    fn known() -> HashMap<ItemId, Candidate> {
        (1..=9).map(|item| (ItemId(item), about(item, item, (10 * item) as u16))).collect()
    }

    fn topic(taste: &Taste, item: u16) -> f32 {
        let wanted = crate::Feature::Topic(10 * item);
        taste.learned().iter().find(|one| one.feature == wanted).map_or(0.0, |one| one.liking)
    }

    #[test]
    fn half_an_hour_of_silence_ends_a_session() {
        use InteractionKind::Open;
        let all = [record(1, Open, 0), record(2, Open, 29), record(3, Open, 59), record(4, Open, 58)];
        let cut = |now: i64| {
            sessions(&all, minute(now)).iter().map(|one| (one.records.len(), one.is_over)).collect::<Vec<_>>()
        };
        assert_eq!(cut(60), [(2, true), (2, false)]);
        assert_eq!(cut(89), [(2, true), (2, true)], "counted from the latest");
        assert!(sessions(&[], minute(0)).is_empty());
        let late = [record(1, Open, 500), record(2, Open, 0), record(3, Open, 10)];
        let cut: Vec<_> = sessions(&late, minute(505)).iter().map(|one| (one.from, one.is_over)).collect();
        assert_eq!(cut, [(minute(500), true), (minute(0), true)], "told late, and long over");
    }

    #[test]
    fn what_was_passed_over_is_learnt_when_the_session_has_ended() {
        use InteractionKind::{Impression, Open};
        let all = [record(1, Impression, 0), record(2, Impression, 0), record(2, Open, 1)];
        let (known, recent) = (known(), Recent::default());
        let learn = |is_over: bool| {
            let mut taste = Taste::default();
            taste.learn_session(Session { records: &all, from: minute(0), is_over }, &known, &recent);
            taste
        };
        let (during, after) = (learn(false), learn(true));
        assert!(topic(&during, 2) > 0.0 && topic(&during, 1) == 0.0);
        assert!(topic(&after, 2) > 0.0 && topic(&after, 1) < 0.0);
    }

    #[test]
    fn what_was_taken_back_was_never_said() {
        use InteractionKind::{Hide, Star, Unhide, Unstar};
        let (known, recent) = (known(), Recent::default());
        let learn = |all: &[Interaction]| {
            let mut taste = Taste::default();
            taste.learn_session(Session { records: all, from: minute(0), is_over: true }, &known, &recent);
            taste
        };
        let hidden = learn(&[record(1, Hide, 0)]);
        assert!(topic(&hidden, 1) < 0.0);
        let shown =
            learn(&[record(1, Hide, 0), record(1, Unhide, 0), record(2, Star, 1), record(2, Unstar, 1)]);
        assert_eq!((topic(&shown, 1), topic(&shown, 2)), (0.0, 0.0));
    }

    #[test]
    fn rows_that_were_there_and_not_looked_at_say_how_far_down_a_person_reads() {
        let all: Vec<Interaction> = (0..5)
            .map(|row| Interaction { position: Some(row), ..record(1, InteractionKind::Impression, 0) })
            .collect();
        let mut taste = Taste::default();
        let before = taste.positions().read(30);
        for _ in 0..40 {
            taste.learn_session(
                Session { records: &all, from: minute(0), is_over: true },
                &known(),
                &Recent::default(),
            );
        }
        assert!(taste.positions().read(30) < before / 2.0);
        assert!(taste.positions().read(3) > 0.8);
    }

    #[test]
    fn the_same_records_make_the_same_taste_and_items_that_are_gone_teach_nothing() {
        use InteractionKind::{Impression, Open, Tag};
        let all: Vec<Interaction> = (1..=40)
            .flat_map(|nth| {
                [
                    record(nth % 12, Impression, nth),
                    record(nth % 7, if nth % 3 == 0 { Tag } else { Open }, nth),
                ]
            })
            .collect();
        let replay = || {
            let mut taste = Taste::default();
            for session in sessions(&all, minute(500)) {
                taste.learn_session(session, &known(), &Recent::default());
            }
            taste.to_bytes()
        };
        assert_eq!(replay(), replay());
        let mut none = Taste::default();
        none.learn_session(sessions(&all, minute(500))[0], &HashMap::new(), &Recent::default());
        assert!(none.learned().is_empty());
    }
}
