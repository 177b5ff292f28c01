//! What the invented publications write about: a dozen and some topics, each a file of vocabulary, and the grammar
//! that turns them into articles. Everything here was written for this project; the people, places and papers do not
//! exist.

mod grammar;
mod publications;

mod astronomy;
mod bread;
mod ceramics;
mod chess;
mod cities;
mod common;
mod compilers;
mod cycling;
mod gardening;
mod maintenance;
mod music;
mod politics;
mod sailing;
mod trains;
mod typography;
mod weather;

pub(crate) use common::{REGIONS, SHARED_STORIES};
pub(crate) use grammar::{Coverage, Surroundings, compose, tell};
pub(crate) use publications::PUBLICATIONS;

/// A publication of its own title; further feeds are its offshoots.
#[derive(Debug)]
pub(crate) struct Publication {
    pub(crate) title: &'static str,
    pub(crate) tagline: &'static str,
    pub(crate) author: &'static str,
    /// Index into [`TOPICS`].
    pub(crate) topic: usize,
    pub(crate) podcast: bool,
}

/// The vocabulary of one topic. Templates name slots in braces: `{slot}` is replaced by a word of that slot, `{Slot}`
/// by the same with a capital, `{a slot}` with its article in front.
#[derive(Debug)]
pub(crate) struct Topic {
    pub(crate) key: &'static str,
    pub(crate) folder: &'static str,
    pub(crate) tags: &'static [&'static str],
    pub(crate) titles: &'static [&'static str],
    pub(crate) openings: &'static [&'static str],
    pub(crate) sentences: &'static [&'static str],
    pub(crate) closings: &'static [&'static str],
    pub(crate) quotes: &'static [&'static str],
    pub(crate) points: &'static [&'static str],
    pub(crate) stories: &'static [Plot],
    pub(crate) slots: &'static [(&'static str, &'static [&'static str])],
}

/// Something that happens once and is written about by several publications in the same words.
#[derive(Debug)]
pub(crate) struct Plot {
    pub(crate) subject: &'static str,
    pub(crate) facts: &'static [&'static str],
}

pub(crate) static TOPICS: [&Topic; 15] = [
    &compilers::TOPIC,
    &sailing::TOPIC,
    &trains::TOPIC,
    &gardening::TOPIC,
    &astronomy::TOPIC,
    &bread::TOPIC,
    &typography::TOPIC,
    &cities::TOPIC,
    &weather::TOPIC,
    &chess::TOPIC,
    &ceramics::TOPIC,
    &politics::TOPIC,
    &music::TOPIC,
    &maintenance::TOPIC,
    &cycling::TOPIC,
];
