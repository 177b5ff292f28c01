//! A rule as its form holds it: any text in any field, until it is checked.

use crate::shell::Library;
use crate::words::{Words, fill};
use domain::{Condition, FeedId, FolderId, Limits, Pattern, RuleAction, RuleField, RuleOrder, RuleScope};
use rules::BadPattern;

/// Characters of one field that are kept while it is shown again.
const CHARS_MAX: usize = 4_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Draft {
    /// `all`, `folder:3` or `feed:4`.
    pub(crate) scope: String,
    pub(crate) conditions: Vec<DraftCondition>,
    /// `hide`, `read`, `star` or `tag`.
    pub(crate) action: String,
    pub(crate) tag: String,
    pub(crate) apply: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DraftCondition {
    pub(crate) field: String,
    pub(crate) lacks: bool,
    /// `words`, `phrase` or `regex`.
    pub(crate) kind: String,
    pub(crate) pattern: String,
}

impl Default for DraftCondition {
    fn default() -> Self {
        DraftCondition {
            field: RuleField::Anywhere.name().to_owned(),
            lacks: false,
            kind: "words".to_owned(),
            pattern: String::new(),
        }
    }
}

impl Default for Draft {
    fn default() -> Self {
        Draft {
            scope: "all".to_owned(),
            conditions: vec![DraftCondition::default()],
            action: "hide".to_owned(),
            tag: String::new(),
            apply: false,
        }
    }
}

/// Where a sentence about a rule belongs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) scope: Option<String>,
    /// By the condition's place.
    pub(crate) pattern: Option<(usize, String)>,
    pub(crate) tag: Option<String>,
    pub(crate) whole: Option<String>,
}

impl Draft {
    /// Reads the form. Conditions are `field0`, `has0`, `kind0`, `pattern0`, then `field1` and so on; what is not a
    /// field of ours is passed over (A7).
    pub(crate) fn read(pairs: &[(String, String)], limits: &Limits) -> Draft {
        let last = |name: &str| {
            let value = pairs.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
            value.map(|value| value.chars().take(CHARS_MAX).collect::<String>())
        };
        let mut conditions = Vec::new();
        for place in 0..limits.conditions_max {
            let Some(pattern) = last(&format!("pattern{place}")) else { continue };
            let usual = DraftCondition::default();
            conditions.push(DraftCondition {
                field: last(&format!("field{place}")).unwrap_or(usual.field),
                lacks: last(&format!("has{place}")).is_some_and(|has| has == "no"),
                kind: last(&format!("kind{place}")).unwrap_or(usual.kind),
                pattern,
            });
        }
        let usual = Draft::default();
        Draft {
            scope: last("scope").unwrap_or(usual.scope),
            conditions: if conditions.is_empty() { usual.conditions } else { conditions },
            action: last("action").unwrap_or(usual.action),
            tag: last("tag").unwrap_or_default(),
            apply: last("apply").is_some(),
        }
    }

    /// A stored rule, to be changed.
    pub(crate) fn of(order: &RuleOrder) -> Draft {
        let scope = match order.scope {
            RuleScope::Everything => "all".to_owned(),
            RuleScope::Folder(id) => format!("folder:{id}"),
            RuleScope::Feed(id) => format!("feed:{id}"),
        };
        let condition = |one: &Condition| {
            let (kind, pattern) = match &one.pattern {
                Pattern::Words(words) => ("words", words.join(", ")),
                Pattern::Phrase(text) => ("phrase", text.clone()),
                Pattern::Regex(text) => ("regex", text.clone()),
            };
            DraftCondition {
                field: one.field.name().to_owned(),
                lacks: one.negated,
                kind: kind.to_owned(),
                pattern,
            }
        };
        let (action, tag) = match &order.action {
            RuleAction::Hide => ("hide", String::new()),
            RuleAction::MarkRead => ("read", String::new()),
            RuleAction::Star => ("star", String::new()),
            RuleAction::Tag(tag) => ("tag", tag.clone()),
        };
        Draft {
            scope,
            conditions: order.conditions.iter().map(condition).collect(),
            action: action.to_owned(),
            tag,
            apply: false,
        }
    }

    /// None when a field holds what our form never sends.
    pub(crate) fn order(&self) -> Option<RuleOrder> {
        let scope = match self.scope.split_once(':') {
            None if self.scope == "all" => RuleScope::Everything,
            Some(("folder", id)) => RuleScope::Folder(FolderId(id.parse().ok()?)),
            Some(("feed", id)) => RuleScope::Feed(FeedId(id.parse().ok()?)),
            _ => return None,
        };
        let action = match self.action.as_str() {
            "hide" => RuleAction::Hide,
            "read" => RuleAction::MarkRead,
            "star" => RuleAction::Star,
            "tag" => RuleAction::Tag(self.tag.trim().to_owned()),
            _ => return None,
        };
        let conditions: Option<Vec<Condition>> =
            self.conditions.iter().map(DraftCondition::condition).collect();
        Some(RuleOrder { scope, conditions: conditions?, action })
    }
}

impl DraftCondition {
    fn condition(&self) -> Option<Condition> {
        let pattern = match self.kind.as_str() {
            "words" => {
                let words = self.pattern.split(',').map(str::trim).filter(|word| !word.is_empty());
                Pattern::Words(words.map(str::to_owned).collect())
            }
            "phrase" => Pattern::Phrase(self.pattern.trim().to_owned()),
            "regex" => Pattern::Regex(self.pattern.clone()),
            _ => return None,
        };
        Some(Condition { field: RuleField::from_name(&self.field)?, pattern, negated: self.lacks })
    }
}

/// Somebody else's feed or folder reads like one that is not there (A5).
pub(crate) fn is_own(scope: RuleScope, library: &Library) -> bool {
    match scope {
        RuleScope::Everything => true,
        RuleScope::Folder(folder) => library.folder(folder).is_some(),
        RuleScope::Feed(feed) => library.feeds.contains_key(&feed),
    }
}

/// A refusal beside the field it is about. `at` is the condition that was refused.
pub(crate) fn refusal(bad: &BadPattern, at: usize, w: &'static Words) -> Refused {
    let r = &w.rules;
    let n = |text: &str, n: &usize| w.count(text, u64::try_from(*n).unwrap_or(u64::MAX));
    let pattern = |text: String| Refused { pattern: Some((at, text)), ..Refused::default() };
    match bad {
        BadPattern::NoConditions => Refused { whole: Some(r.bad_none.to_owned()), ..Refused::default() },
        BadPattern::TooManyConditions { conditions_max } => {
            Refused { whole: Some(n(r.bad_many, conditions_max)), ..Refused::default() }
        }
        BadPattern::Empty => pattern(r.bad_empty.to_owned()),
        BadPattern::TooLong { chars_max } => pattern(n(r.bad_long, chars_max)),
        BadPattern::TooManyWords { words_max } => pattern(n(r.bad_words, words_max)),
        BadPattern::Syntax(why) => pattern(fill(r.bad_syntax, &[("why", why)])),
        BadPattern::Unsupported => pattern(r.bad_unsupported.to_owned()),
        BadPattern::TooComplex => pattern(r.bad_complex.to_owned()),
        BadPattern::EmptyTag => Refused { tag: Some(r.bad_tag.to_owned()), ..Refused::default() },
        BadPattern::LongTag { chars_max } => {
            Refused { tag: Some(n(r.bad_tag_long, chars_max)), ..Refused::default() }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        url::form_urlencoded::parse(text.as_bytes()).into_owned().collect()
    }

    #[test]
    fn a_form_becomes_a_rule_and_a_rule_a_form() {
        let form = pairs(
            "scope=feed:4&field0=title&has0=no&kind0=words&pattern0=a,+b,,&pattern2=x+y&kind2=phrase&action=tag&tag=+t+",
        );
        let draft = Draft::read(&form, &Limits::default());
        let order = draft.order().expect("a rule");
        assert_eq!(order.scope, RuleScope::Feed(FeedId(4)));
        assert_eq!(order.conditions[0].pattern, Pattern::Words(vec!["a".into(), "b".into()]));
        assert!(order.conditions[0].negated && !order.conditions[1].negated);
        assert_eq!(order.action, RuleAction::Tag("t".into()));
        assert_eq!(Draft::of(&order).order(), Some(order));
    }

    #[test]
    fn a7_fields_that_are_not_ours_are_passed_over_and_odd_values_make_no_rule() {
        let plain = Draft::read(&pairs("pattern0=a&user=1&enabled=no&id=7&pattern99=x"), &Limits::default());
        assert_eq!(plain.conditions.len(), 1);
        for odd in
            ["scope=feed:x", "scope=world", "action=drop", "kind0=sql&pattern0=a", "field0=body&pattern0=a"]
        {
            assert_eq!(Draft::read(&pairs(odd), &Limits::default()).order(), None, "{odd}");
        }
    }
}
