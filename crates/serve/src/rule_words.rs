//! A rule as a phrase: “title has ‘sponsored’ → hide”. Rules have no names of their own, so this is what lists and
//! items call them.

use crate::shell::Library;
use crate::words::{Words, fill};
use domain::{Condition, Pattern, RuleAction, RuleField, RuleOrder, RuleScope};

pub(crate) fn name(order: &RuleOrder, library: &Library, w: &'static Words) -> String {
    let r = &w.rules;
    let conditions: Vec<String> = order.conditions.iter().map(|one| condition(one, w)).collect();
    let conditions = conditions.join(r.and);
    let text = fill(r.phrase, &[("conditions", &conditions), ("action", &action(&order.action, w))]);
    match scope(order.scope, library) {
        Some(place) => fill(r.within, &[("rule", &text), ("place", &place)]),
        None => text,
    }
}

/// None for everything.
pub(crate) fn scope(scope: RuleScope, library: &Library) -> Option<String> {
    match scope {
        RuleScope::Everything => None,
        RuleScope::Folder(folder) => library.folder(folder).map(|folder| folder.name.clone()),
        RuleScope::Feed(feed) => library.name(feed),
    }
}

pub(crate) fn field(field: RuleField, w: &'static Words) -> &'static str {
    let r = &w.rules;
    match field {
        RuleField::Anywhere => r.field_anywhere,
        RuleField::Title => r.field_title,
        RuleField::Text => r.field_text,
        RuleField::Author => r.field_author,
        RuleField::Link => r.field_link,
        RuleField::Tag => r.field_tag,
        RuleField::Language => r.field_language,
    }
}

pub(crate) fn action(action: &RuleAction, w: &'static Words) -> String {
    let r = &w.rules;
    match action {
        RuleAction::Hide => r.do_hide.to_owned(),
        RuleAction::MarkRead => r.do_read.to_owned(),
        RuleAction::Star => r.do_star.to_owned(),
        RuleAction::Tag(tag) => fill(r.do_tag, &[("tag", tag)]),
    }
}

fn condition(condition: &Condition, w: &'static Words) -> String {
    let r = &w.rules;
    let text = match (&condition.pattern, condition.negated) {
        (Pattern::Words(_), false) => r.has_words,
        (Pattern::Words(_), true) => r.lacks_words,
        (Pattern::Phrase(_), false) => r.has_phrase,
        (Pattern::Phrase(_), true) => r.lacks_phrase,
        (Pattern::Regex(_), false) => r.has_regex,
        (Pattern::Regex(_), true) => r.lacks_regex,
    };
    let pattern = match &condition.pattern {
        Pattern::Words(words) => words.join(", "),
        Pattern::Phrase(text) | Pattern::Regex(text) => text.clone(),
    };
    fill(text, &[("field", &field(condition.field, w)), ("pattern", &pattern)])
}
