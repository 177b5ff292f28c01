//! A feed's state as bytes. Terms are written once, by id, and referred to by their place.
//!
//! Surfaces of terms that occur once in the window and in no block are left out: they come back with the word.

use super::{BLOCKS_MAX, Block, Count, FORMS_MAX, FeedProfile};
use crate::cohesion::{Beta, Cohesion};
use crate::summary::{PAIRS_KEPT, WORDS_KEPT};
use crate::value::PostValue;
use crate::window::{ById, Window};
use domain::Timestamp;
use std::collections::{BTreeSet, HashMap, HashSet};
use text::packed::{BadState, Reader, Writer};
use text::{Boilerplate, LanguageVotes, PAIRS_MAX, TermId, WORDS_MAX};

const VERSION: u8 = 1;
/// Window, block and blocks hold at most so many different terms.
const IDS_MAX: usize = 60 * (WORDS_MAX + PAIRS_MAX);
const FORM_BYTES_MAX: usize = 1_024;

impl FeedProfile {
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new(VERSION);
        let in_blocks: HashSet<TermId> =
            self.blocks.iter().flat_map(|block| &block.terms).map(|(id, _)| *id).collect();
        let ids: BTreeSet<TermId> =
            self.window.ids().chain(in_blocks.iter().copied()).chain(self.filling.keys().copied()).collect();
        let places: HashMap<TermId, u64> = ids.iter().copied().zip(0..).collect();
        let place = |id: TermId| places.get(&id).copied().unwrap_or_default();
        out.number(self.items);
        out.signed(self.idf_day);
        self.cohesion.write(&mut out);
        self.beta.write(&mut out);
        self.value.write(&mut out);
        self.votes.write(&mut out);
        self.boilerplate.write(&mut out);
        out.number(ids.len() as u64);
        for id in &ids {
            out.word(id.0);
            let shown = in_blocks.contains(id) || self.window.count(*id) > 1;
            let forms = self.forms.get(id).filter(|_| shown).map_or(&[][..], Vec::as_slice);
            out.number(forms.len() as u64);
            for (form, seen) in forms {
                out.text(form);
                out.number(u64::from(*seen));
            }
        }
        self.window.write(&mut out, place);
        out.number(u64::from(self.filling_items));
        let mut filling: Vec<(TermId, Count)> =
            self.filling.iter().map(|(id, count)| (*id, *count)).collect();
        filling.sort_unstable_by_key(|(id, _)| *id);
        write_counts(&mut out, &filling, &place);
        out.number(self.blocks.len() as u64);
        for block in &self.blocks {
            out.signed(block.until.micros());
            out.number(u64::from(block.items));
            write_counts(&mut out, &block.terms, &place);
        }
        out.finish()
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BadState> {
        let mut from = Reader::new(bytes, VERSION)?;
        let (items, idf_day) = (from.number()?, from.signed()?);
        let cohesion = Cohesion::read(&mut from)?;
        let beta = Beta::read(&mut from)?;
        let value = PostValue::read(&mut from)?;
        let votes = LanguageVotes::read(&mut from)?;
        let boilerplate = Boilerplate::read(&mut from)?;
        let mut ids = Vec::new();
        let mut forms = ById::default();
        for _ in 0..from.length(IDS_MAX)? {
            let id = TermId(from.word()?);
            ids.push(id);
            let mut own = Vec::new();
            for _ in 0..from.length(FORMS_MAX)? {
                let form = from.text(FORM_BYTES_MAX)?.to_owned();
                own.push((form, small(&mut from)?));
            }
            if !own.is_empty() {
                forms.insert(id, own);
            }
        }
        let window = Window::read(&mut from, &ids)?;
        let filling_items = small(&mut from)?;
        let filling = read_counts(&mut from, &ids, IDS_MAX)?.into_iter().collect();
        let mut blocks = std::collections::VecDeque::new();
        for _ in 0..from.length(BLOCKS_MAX)? {
            let until = Timestamp::from_micros(from.signed()?);
            let items = small(&mut from)?;
            let terms = read_counts(&mut from, &ids, WORDS_KEPT + PAIRS_KEPT)?;
            blocks.push_back(Block { until, items, terms });
        }
        from.end()?;
        let value = FeedProfile {
            window,
            cohesion,
            beta,
            value,
            votes,
            boilerplate,
            filling,
            filling_items,
            blocks,
            forms,
            items,
            idf_day,
        };
        Ok(value)
    }
}

fn small(from: &mut Reader<'_>) -> Result<u32, BadState> {
    u32::try_from(from.number()?).map_err(|_| BadState::Wrong)
}

fn write_counts(out: &mut Writer, terms: &[(TermId, Count)], place: &impl Fn(TermId) -> u64) {
    out.number(terms.len() as u64);
    for (id, count) in terms {
        out.number(place(*id));
        out.number(u64::from(count.count));
        out.number(u64::from(count.items));
        out.number(u64::from(count.adjacent));
    }
}

fn read_counts(from: &mut Reader<'_>, ids: &[TermId], most: usize) -> Result<Vec<(TermId, Count)>, BadState> {
    let length = from.length(most)?;
    let mut out = Vec::with_capacity(length);
    for _ in 0..length {
        let id = ids.get(from.within(ids.len())?).copied().ok_or(BadState::Wrong)?;
        out.push((id, Count { count: small(from)?, items: small(from)?, adjacent: small(from)? }));
    }
    Ok(out)
}
