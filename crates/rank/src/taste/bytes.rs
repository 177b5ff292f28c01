//! A person's taste as bytes, and back with every number checked.

use super::{FEED_VARIANCE, FEEDS_MAX, LIKING_MAX, TOPIC_VARIANCE, Taste};
use crate::features::{PLAIN, TOPICS_MAX};
use crate::position::Positions;
use crate::weight::Weight;
use crate::words::Words;
use domain::FeedId;
use std::collections::BTreeMap;
use text::packed::{BadState, Reader, Writer};

const VERSION: u8 = 1;

impl Taste {
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new(VERSION);
        out.number(u64::from(self.sessions));
        out.signed(self.day);
        out.number(u64::from(self.acts));
        self.plain.iter().for_each(|weight| write(&mut out, *weight));
        out.number(self.topics.len() as u64);
        self.topics.iter().for_each(|weight| write(&mut out, *weight));
        out.number(self.start.len() as u64);
        self.start.iter().for_each(|mean| out.small_float(*mean));
        out.number(self.feeds.len() as u64);
        for (feed, weight) in &self.feeds {
            out.signed(feed.0);
            write(&mut out, *weight);
        }
        self.words.write(&mut out);
        self.positions.write(&mut out);
        out.finish()
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BadState> {
        let mut from = Reader::new(bytes, VERSION)?;
        let mut taste = Taste {
            sessions: small(&mut from)?,
            day: from.signed()?,
            acts: small(&mut from)?,
            ..Taste::default()
        };
        for (weight, feature) in taste.plain.iter_mut().zip(PLAIN) {
            *weight = read(&mut from, feature.prior().1)?;
        }
        for _ in 0..from.length(TOPICS_MAX)? {
            taste.topics.push(read(&mut from, TOPIC_VARIANCE)?);
        }
        for _ in 0..from.length(TOPICS_MAX)? {
            taste.start.push(mean(&mut from)?);
        }
        taste.feeds = feeds(&mut from)?;
        taste.words = Words::load(&mut from)?;
        taste.positions = Positions::load(&mut from)?;
        from.end()?;
        Ok(taste)
    }
}

fn feeds(from: &mut Reader<'_>) -> Result<BTreeMap<FeedId, Weight>, BadState> {
    let mut feeds = BTreeMap::new();
    for _ in 0..from.length(FEEDS_MAX)? {
        let feed = FeedId(from.signed()?);
        if feeds.insert(feed, read(from, FEED_VARIANCE)?).is_some() {
            return Err(BadState::Wrong);
        }
    }
    Ok(feeds)
}

fn write(out: &mut Writer, weight: Weight) {
    out.small_float(weight.mean);
    out.small_float(weight.variance);
}

/// Never surer than can be, never less sure than at first.
fn read(from: &mut Reader<'_>, prior: f32) -> Result<Weight, BadState> {
    let weight = Weight { mean: mean(from)?, variance: from.small_float()? };
    if weight.variance > 0.0 && weight.variance <= prior { Ok(weight) } else { Err(BadState::Wrong) }
}

fn mean(from: &mut Reader<'_>) -> Result<f32, BadState> {
    let mean = from.small_float()?;
    if mean.abs() <= 2.0 * LIKING_MAX { Ok(mean) } else { Err(BadState::Wrong) }
}

fn small(from: &mut Reader<'_>) -> Result<u32, BadState> {
    u32::try_from(from.number()?).map_err(|_| BadState::Wrong)
}
