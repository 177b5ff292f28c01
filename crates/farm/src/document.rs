//! Documents in four formats, honest or spoiled as the feed's behaviour asks. Only identity, dates and markup are
//! spoiled here; what happens on the wire is `hostile`'s.

mod json;
mod xml;

pub(crate) use xml::escape;

use crate::behaviour::Behaviour;
use crate::calendar::{http_date, rfc3339};
use crate::hostile;
use crate::spec::FeedSpec;
use crate::world::{Edition, Post, Posted, World};
use domain::{Enclosure, Format, Timestamp};

/// What a document says about one item; `None` is left out.
pub(crate) struct Shown {
    pub(crate) guid: Option<String>,
    pub(crate) title: String,
    pub(crate) link: String,
    /// In the spelling of the format.
    pub(crate) published: Option<String>,
    pub(crate) updated: Option<String>,
    pub(crate) author: String,
    pub(crate) summary: String,
    pub(crate) html: Option<String>,
    pub(crate) tags: Vec<&'static str>,
    pub(crate) enclosure: Option<Enclosure>,
}

pub(crate) fn render(
    world: &World,
    spec: &FeedSpec,
    posts: &[(Post, u8)],
    edition: &Edition,
    now: Timestamp,
) -> Vec<u8> {
    let behaviour = spec.behaviour_at(now);
    let shown: Vec<Shown> = posts
        .iter()
        .map(|&(post, revision)| show(spec, behaviour, world.write(spec, post, revision), edition))
        .collect();
    let frame = Frame {
        spec,
        self_url: world.feed_url(spec.index).unwrap_or_default(),
        site_url: world.site_url(spec.index).unwrap_or_default(),
        changed_at: edition.changed_at,
    };
    let text = match spec.format {
        Format::Json11 | Format::Json10 => json::feed(&frame, &shown),
        Format::Atom10 | Format::Atom03 => xml::atom(&frame, &shown),
        Format::Rss10 => xml::rdf(&frame, &shown),
        _ => xml::rss(&frame, &shown),
    };
    hostile::spoil(behaviour, spec.variant, text)
}

/// What every format says about the feed itself.
pub(crate) struct Frame<'a> {
    pub(crate) spec: &'a FeedSpec,
    pub(crate) self_url: String,
    pub(crate) site_url: String,
    pub(crate) changed_at: Timestamp,
}

pub(crate) fn media_type(format: Format) -> &'static str {
    match format {
        Format::Json10 | Format::Json11 => "application/feed+json",
        Format::Atom03 | Format::Atom10 => "application/atom+xml; charset=utf-8",
        Format::Rss10 => "application/rdf+xml; charset=utf-8",
        _ => "application/rss+xml; charset=utf-8",
    }
}

fn show(spec: &FeedSpec, behaviour: Behaviour, posted: Posted, edition: &Edition) -> Shown {
    let spell = |at: Timestamp| match spec.format {
        Format::Rss20 => http_date(at),
        _ => rfc3339(at),
    };
    let full = spec.habits.full_content;
    let mut shown = Shown {
        published: Some(spell(posted.at)),
        updated: Some(spell(posted.updated)),
        guid: Some(posted.guid),
        title: posted.title,
        link: posted.link,
        author: posted.author,
        summary: posted.summary,
        html: full.then_some(posted.html),
        tags: posted.tags,
        enclosure: posted.enclosure,
    };
    match behaviour {
        Behaviour::NoGuid => shown.guid = None,
        Behaviour::SameGuid => shown.guid = Some(format!("http://{}/", spec.host)),
        Behaviour::RotatingGuid => {
            shown.guid = Some(format!("{}?utm_source=day{}", shown.link, edition.phase));
        }
        Behaviour::Replay if edition.replaying => {
            shown.guid = Some(format!("replayed-{}-{}", edition.phase, posted.number));
        }
        Behaviour::FutureDates => {
            let ahead = if spec.variant == 0 { 32_472_144_000 } else { posted.at.seconds() + 25 * 3_600 };
            shown.date(Some(spell(Timestamp::from_seconds(ahead))));
        }
        Behaviour::NoDates => shown.date(None),
        Behaviour::RollingDates => {
            let now = i64::try_from(edition.phase).unwrap_or(0);
            shown.date(Some(spell(Timestamp::from_seconds(now))));
        }
        Behaviour::OddDates => shown.date(Some(odd_date(spec.variant, posted.number))),
        Behaviour::EditStorm => {
            shown.title = format!("{} [{}]", shown.title, edition.phase);
            shown.summary = format!("{} As of {}.", shown.summary, edition.phase);
        }
        Behaviour::Latin1 => shown.title = format!("{}, à la carte für café", shown.title),
        Behaviour::Scripts => hostile::script(&mut shown, posted.number),
        _ => {}
    }
    shown
}

impl Shown {
    fn date(&mut self, date: Option<String>) {
        self.updated.clone_from(&date);
        self.published = date;
    }
}

fn odd_date(variant: u8, number: u64) -> String {
    match variant {
        0 => "Thu, 01 Jan 1970 00:00:00 GMT".to_owned(),
        1 => "yesterday".to_owned(),
        2 => format!("Fri, 30 Feb 2024 {:02}:00:00 GMT", number % 24),
        _ => format!("03 Mar 24 {:02}:15 EST", number % 24),
    }
}
