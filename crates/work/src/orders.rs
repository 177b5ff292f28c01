//! People's rules on what a poll brings: compiled once, applied on the CPU pool, their effects stored with the items.

use crate::clock::Clock;
use crate::crawler::Crawler;
use crate::network::Network;
use crate::words;
use domain::{DocumentItem, FeedId, Limits, Rule, RuleId};
use rules::{Compiled, Subject};
use std::collections::VecDeque;
use std::sync::Arc;
use store::{RuleEffect, StoreError};

/// Compiled rules of the feeds polled lately. Most feeds of one person have the same rules.
#[derive(Default)]
pub(crate) struct Orders {
    /// By what the rules say, the oldest first.
    kept: VecDeque<(u64, Arc<Compiled>)>,
}

const KEPT_MAX: usize = 16;

impl Orders {
    fn get(&self, key: u64) -> Option<Arc<Compiled>> {
        self.kept.iter().find(|(known, _)| *known == key).map(|(_, compiled)| Arc::clone(compiled))
    }

    fn keep(&mut self, key: u64, compiled: &Arc<Compiled>) {
        self.kept.push_back((key, Arc::clone(compiled)));
        while self.kept.len() > KEPT_MAX {
            self.kept.pop_front();
        }
    }
}

/// A new item as rules see it, with its place among the items to be stored.
pub(crate) struct NewItem {
    pub(crate) index: usize,
    pub(crate) item: DocumentItem,
    pub(crate) text: String,
}

impl<N: Network, C: Clock> Crawler<N, C> {
    /// What the rules of a feed's subscribers do to its new items. A rule that cannot be used or costs too much is
    /// switched off with a notice; a poll never fails because of one (O2).
    pub(crate) async fn rule_effects(
        &self,
        feed: FeedId,
        new: Vec<NewItem>,
        language: Option<String>,
    ) -> Result<Vec<RuleEffect>, StoreError> {
        if new.is_empty() {
            return Ok(Vec::new());
        }
        let rules = self.store.rules_for_feed(feed).await?;
        let Some(compiled) = self.compiled(rules).await? else { return Ok(Vec::new()) };
        let job = Arc::clone(&compiled);
        match self.cpu.run(move || apply(&job, &new, language.as_deref())).await {
            Ok((effects, over_budget)) => {
                for rule in over_budget {
                    self.store.disable_rule(rule, &words::rule_over_budget()).await?;
                }
                Ok(effects)
            }
            Err(_) => {
                if let Some(rule) = compiled.heaviest() {
                    self.store.disable_rule(rule, &words::rule_over_budget()).await?;
                }
                Ok(Vec::new())
            }
        }
    }

    async fn compiled(&self, rules: Vec<Rule>) -> Result<Option<Arc<Compiled>>, StoreError> {
        if rules.is_empty() {
            return Ok(None);
        }
        let key = xxhash_rust::xxh3::xxh3_64(format!("{rules:?}").as_bytes());
        if let Some(compiled) = self.orders().get(key) {
            return Ok(Some(compiled));
        }
        let limits: Arc<Limits> = Arc::clone(&self.limits);
        let Ok((compiled, bad)) = self.cpu.run(move || Compiled::new(&rules, &limits)).await else {
            return Ok(None);
        };
        for (rule, why) in bad {
            self.store.disable_rule(rule, &why.to_string()).await?;
        }
        let compiled = Arc::new(compiled);
        self.orders().keep(key, &compiled);
        Ok(Some(compiled))
    }
}

fn apply(compiled: &Compiled, new: &[NewItem], language: Option<&str>) -> (Vec<RuleEffect>, Vec<RuleId>) {
    let (mut effects, mut over_budget) = (Vec::new(), Vec::new());
    for NewItem { index, item, text } in new {
        let subject = Subject {
            title: item.title.as_deref().unwrap_or_default(),
            text,
            author: item.author.as_deref().unwrap_or_default(),
            link: item.link.as_deref().unwrap_or_default(),
            tags: &item.tags,
            language: item.language.as_deref().or(language).unwrap_or_default(),
        };
        let applied = compiled.apply(&subject);
        let effect = |(rule, user, action)| RuleEffect { user, item: *index, rule, action };
        effects.extend(applied.effects.into_iter().map(effect));
        over_budget.extend(applied.over_budget);
    }
    over_budget.sort_unstable();
    over_budget.dedup();
    (effects, over_budget)
}
