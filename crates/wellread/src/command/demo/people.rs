//! Who lives in the demo: two people, what they follow, how keen they are on it, when they read, and their rules.

use anyhow::{Context, Result};
use domain::rule::{Condition, Pattern, RuleAction, RuleField, RuleOrder, RuleScope};
use domain::{FeedId, NewSubscription, Timestamp, UserId};
use farm::World;
use std::collections::HashMap;
use store::{Store, Wish};
use url::Url;

pub(super) struct Person {
    pub(super) name: &'static str,
    pub(super) is_admin: bool,
    follows: &'static [Interest],
    /// Hours (UTC) at which they tend to look, with how likely it is, on working days and at weekends.
    pub(super) weekdays: &'static [(u8, f64)],
    pub(super) weekends: &'static [(u8, f64)],
    /// Rows they look at before they have had enough.
    pub(super) patience: usize,
    /// Shows friends what they star.
    pub(super) shares: bool,
}

/// A topic of the farm, where its feeds are kept, and the share of its items they open.
struct Interest {
    topic: &'static str,
    folder: [&'static str; 2],
    keen: f64,
    /// Of the topic's feeds, every so many-th.
    every: usize,
}

const fn interest(topic: &'static str, folder: [&'static str; 2], keen: f64, every: usize) -> Interest {
    Interest { topic, folder, keen, every }
}

pub(super) const MIRA: Person = Person {
    name: "mira",
    is_admin: true,
    follows: &[
        interest("sailing", ["Outdoors", "Sailing"], 0.55, 1),
        interest("cycling", ["Outdoors", "Cycling"], 0.08, 1),
        interest("weather", ["Outdoors", "Weather"], 0.3, 1),
        interest("compilers", ["Work", "Compilers"], 0.5, 1),
        interest("maintenance", ["Work", "Maintenance"], 0.25, 1),
        interest("bread", ["Making", "Bread"], 0.25, 1),
        interest("ceramics", ["Making", "Clay"], 0.06, 2),
        interest("gardening", ["Making", "Garden"], 0.12, 2),
        interest("typography", ["Making", "Type and books"], 0.4, 1),
        interest("cities", ["City", "Streets"], 0.2, 1),
        interest("politics", ["City", "Council"], 0.04, 1),
        interest("trains", ["City", "Trains and ferries"], 0.3, 1),
        interest("astronomy", ["Evenings", "Sky"], 0.3, 1),
        interest("music", ["Evenings", "Music"], 0.2, 1),
        interest("chess", ["Evenings", "Chess"], 0.03, 2),
    ],
    weekdays: &[(6, 0.9), (11, 0.6), (15, 0.3), (20, 0.95)],
    weekends: &[(8, 0.9), (13, 0.4), (19, 0.8)],
    patience: 45,
    shares: false,
};

pub(super) const TOBIAS: Person = Person {
    name: "tobias",
    is_admin: false,
    follows: &[
        interest("trains", ["Rail and sea", "Trains"], 0.6, 1),
        interest("sailing", ["Rail and sea", "Boats"], 0.15, 3),
        interest("cycling", ["Bikes", "All of them"], 0.5, 1),
        interest("politics", ["News", "Council"], 0.35, 2),
        interest("weather", ["News", "Weather"], 0.2, 2),
        interest("chess", ["Evenings", "Chess"], 0.4, 2),
    ],
    weekdays: &[(7, 0.85), (17, 0.9)],
    weekends: &[(9, 0.6), (21, 0.5)],
    patience: 25,
    shares: true,
};

/// A person with their account and feeds.
pub(super) struct Reader {
    pub(super) person: &'static Person,
    pub(super) user: UserId,
    /// How likely an item of each feed is opened.
    pub(super) keen: HashMap<FeedId, f64>,
    /// The feeds by their number in the world.
    pub(super) feeds: Vec<(usize, FeedId)>,
}

impl Reader {
    pub(super) async fn arrive(
        store: &Store,
        person: &'static Person,
        password_hash: &str,
        now: Timestamp,
    ) -> Result<Reader> {
        let user = store.add_user(person.name, Some(password_hash), person.is_admin, now).await?;
        Ok(Reader { person, user, keen: HashMap::new(), feeds: Vec::new() })
    }

    /// Asks somebody who agrees.
    pub(super) async fn befriend(&self, store: &Store, other: &Reader, now: Timestamp) -> Result<()> {
        store.ask_to_follow(self.user, other.person.name, now).await?;
        for request in store.friends(other.user, now).await?.waiting {
            store.answer_request(other.user, request.id, true, now).await?;
        }
        Ok(())
    }

    /// Follows what interests them of these feeds of the world.
    pub(super) async fn follow(
        &mut self,
        store: &Store,
        world: &World,
        feeds: impl Iterator<Item = usize>,
        now: Timestamp,
    ) -> Result<()> {
        let (mut wishes, mut wished) = (Vec::new(), Vec::new());
        for index in feeds {
            let Some(interest) = self.interest(world, index) else { continue };
            let url = world.feed_url(index).context("the simulated web has too few feeds")?;
            let folder = interest.folder.iter().map(|&name| name.to_owned()).collect();
            wishes.push(Wish {
                provider: fetch::provider(&Url::parse(&url)?),
                subscription: NewSubscription { url, title: None, site_url: world.site_url(index), folder },
                private: false,
                sealed: None,
            });
            // Some of a topic's sources are loved and some are only kept.
            let taste = [0.1, 0.5, 0.9, 1.2, 1.6][index.wrapping_mul(7) % 5];
            wished.push((index, (interest.keen * taste).min(0.9)));
        }
        let done = store.subscribe_many(self.user, &wishes, std::time::Duration::ZERO, now).await?;
        for (subscribed, (index, keen)) in done.iter().zip(wished) {
            self.keen.insert(subscribed.feed, keen);
            self.feeds.push((index, subscribed.feed));
        }
        Ok(())
    }

    fn interest(&self, world: &World, index: usize) -> Option<&'static Interest> {
        let spec = world.feeds().get(index)?;
        let place = self.person.follows.iter().position(|interest| interest.topic == spec.topic)?;
        let interest = &self.person.follows[place];
        // Nobody keeps dozens of agencies; the first publications are the ones they do keep.
        const TIRING: f64 = 12.0;
        let bearable = spec.rhythm.posts_per_day < TIRING || index < 30;
        ((index / 15).is_multiple_of(interest.every) && bearable).then_some(interest)
    }

    /// A person's standing orders. Made before anything comes in, so that they apply to all of it.
    pub(super) async fn lay_down_rules(&self, store: &Store, now: Timestamp) -> Result<()> {
        let folders = store.folders(self.user).await?;
        let council = folders.iter().find(|folder| folder.name == "Council").map(|folder| folder.id);
        let scope = council.map_or(RuleScope::Everything, RuleScope::Folder);
        let orders = [
            (scope, RuleField::Title, words(&["petition", "objections"]), RuleAction::Hide),
            (scope, RuleField::Title, words(&["minutes", "overspent"]), RuleAction::MarkRead),
            (RuleScope::Everything, RuleField::Tag, words(&["ferries"]), RuleAction::Tag("ferries".into())),
            (
                RuleScope::Everything,
                RuleField::Anywhere,
                Pattern::Phrase("spring tide".into()),
                RuleAction::Star,
            ),
        ];
        for (scope, field, pattern, action) in orders {
            let conditions = vec![Condition { field, pattern, negated: false }];
            store.add_rule(self.user, &RuleOrder { scope, conditions, action }, now).await?;
        }
        Ok(())
    }
}

fn words(words: &[&str]) -> Pattern {
    Pattern::Words(words.iter().map(|&word| word.to_owned()).collect())
}
