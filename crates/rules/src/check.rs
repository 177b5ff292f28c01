//! Whether a rule may be kept, before anybody's item meets it.

use crate::fold::folded;
use crate::patterns;
use domain::{Limits, Pattern, RuleAction, RuleOrder};
use std::fmt;

/// Why a rule cannot be used; `Display` is a sentence for its author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadPattern {
    NoConditions,
    TooManyConditions {
        conditions_max: usize,
    },
    /// Nothing but spaces.
    Empty,
    TooLong {
        chars_max: usize,
    },
    TooManyWords {
        words_max: usize,
    },
    /// The expression cannot be read; the engine's own words.
    Syntax(String),
    /// Look-around or a back-reference.
    Unsupported,
    /// The expression compiles to more than we allow.
    TooComplex,
    EmptyTag,
    LongTag {
        chars_max: usize,
    },
}

impl fmt::Display for BadPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadPattern::NoConditions => f.write_str("A rule needs at least one condition."),
            BadPattern::TooManyConditions { conditions_max } => {
                write!(f, "A rule has at most {conditions_max} conditions; make two rules of it.")
            }
            BadPattern::Empty => f.write_str("A condition has nothing to look for; write a word."),
            BadPattern::TooLong { chars_max } => {
                write!(f, "A pattern has at most {chars_max} characters; make it shorter.")
            }
            BadPattern::TooManyWords { words_max } => {
                write!(f, "A condition has at most {words_max} words; make two rules of it.")
            }
            BadPattern::Syntax(why) => write!(f, "The regular expression cannot be read: {why}."),
            BadPattern::Unsupported => {
                f.write_str("Look-around and back-references are not supported; try it without them.")
            }
            BadPattern::TooComplex => {
                f.write_str("The regular expression is too complex; use smaller repetitions.")
            }
            BadPattern::EmptyTag => f.write_str("The tag to give is empty; write a name."),
            BadPattern::LongTag { chars_max } => {
                write!(f, "A tag has at most {chars_max} characters; make it shorter.")
            }
        }
    }
}

impl std::error::Error for BadPattern {}

/// Says whether a rule could be compiled. Costs what compiling costs, so off the async threads.
pub fn check(order: &RuleOrder, limits: &Limits) -> Result<(), BadPattern> {
    check_shape(order, limits)?;
    for condition in &order.conditions {
        if let Pattern::Regex(pattern) = &condition.pattern {
            patterns::compile(pattern, limits)?;
        }
    }
    Ok(())
}

/// Everything but the expressions themselves.
pub(crate) fn check_shape(order: &RuleOrder, limits: &Limits) -> Result<(), BadPattern> {
    if order.conditions.is_empty() {
        return Err(BadPattern::NoConditions);
    }
    if order.conditions.len() > limits.conditions_max {
        return Err(BadPattern::TooManyConditions { conditions_max: limits.conditions_max });
    }
    if let RuleAction::Tag(tag) = &order.action {
        if tag.trim().is_empty() {
            return Err(BadPattern::EmptyTag);
        }
        if tag.chars().count() > limits.tag_chars_max {
            return Err(BadPattern::LongTag { chars_max: limits.tag_chars_max });
        }
    }
    order.conditions.iter().try_for_each(|condition| check_pattern(&condition.pattern, limits))
}

fn check_pattern(pattern: &Pattern, limits: &Limits) -> Result<(), BadPattern> {
    let length = |text: &str| {
        let long = text.chars().count() > limits.pattern_chars_max;
        if long { Err(BadPattern::TooLong { chars_max: limits.pattern_chars_max }) } else { Ok(()) }
    };
    match pattern {
        Pattern::Words(words) => {
            if words.len() > limits.pattern_words_max {
                return Err(BadPattern::TooManyWords { words_max: limits.pattern_words_max });
            }
            if words.iter().all(|word| folded(word).is_empty()) {
                return Err(BadPattern::Empty);
            }
            words.iter().try_for_each(|word| length(word))
        }
        Pattern::Phrase(phrase) if folded(phrase).is_empty() => Err(BadPattern::Empty),
        Pattern::Regex(pattern) if pattern.is_empty() => Err(BadPattern::Empty),
        Pattern::Phrase(text) | Pattern::Regex(text) => length(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{Condition, RuleField, RuleScope};

    fn order(pattern: Pattern) -> RuleOrder {
        let condition = Condition { field: RuleField::Title, pattern, negated: false };
        RuleOrder { scope: RuleScope::Everything, conditions: vec![condition], action: RuleAction::Hide }
    }

    fn regex(pattern: &str) -> Result<(), BadPattern> {
        check(&order(Pattern::Regex(pattern.into())), &Limits::default())
    }

    #[test]
    fn o2_expressions_that_compile_to_too_much_are_refused() {
        for bomb in
            ["(x{1000}){1000}", "((a{100}){100}){100}", "(?:\\w{200}){200}", "\\pL{500}\\pL{500}\\pL{500}"]
        {
            assert_eq!(regex(bomb), Err(BadPattern::TooComplex), "{bomb}");
        }
        assert!(matches!(regex(&"(".repeat(400)), Err(BadPattern::Syntax(_))));
        let nested = format!("{}a{}", "(".repeat(240), ")".repeat(240));
        assert!(regex(&nested).is_err(), "deep nesting");
    }

    #[test]
    fn o2_expressions_that_could_take_more_than_linear_time_are_refused() {
        for pattern in ["(a)\\1", "(?=a)b", "(?!a)b", "(?<=a)b", "(?<!a)b"] {
            assert_eq!(regex(pattern), Err(BadPattern::Unsupported), "{pattern}");
        }
        assert_eq!(regex("(a+)+$"), Ok(()), "harmless here");
        let Err(BadPattern::Syntax(why)) = regex("a[") else { panic!("refused") };
        assert!(!why.contains('\n') && why.len() < 200, "{why}");
    }

    #[test]
    fn o2_patterns_and_their_counts_are_bounded() {
        let limits = Limits::default();
        let refused = |pattern| check(&order(pattern), &limits).expect_err("refused");
        assert_eq!(refused(Pattern::Phrase("x".repeat(501))), BadPattern::TooLong { chars_max: 500 });
        assert_eq!(refused(Pattern::Regex("x".repeat(501))), BadPattern::TooLong { chars_max: 500 });
        assert_eq!(refused(Pattern::Words(vec!["x".into(); 51])), BadPattern::TooManyWords { words_max: 50 });
        assert_eq!(refused(Pattern::Words(vec![" ".into(), "\n".into()])), BadPattern::Empty);
        assert_eq!(refused(Pattern::Phrase(" \u{a0} ".into())), BadPattern::Empty);
        let mut many = order(Pattern::Phrase("a".into()));
        many.conditions = vec![many.conditions[0].clone(); 6];
        assert_eq!(check(&many, &limits), Err(BadPattern::TooManyConditions { conditions_max: 5 }));
        many.conditions.clear();
        assert_eq!(check(&many, &limits), Err(BadPattern::NoConditions));
        let tag = RuleOrder { action: RuleAction::Tag(" ".into()), ..order(Pattern::Phrase("a".into())) };
        assert_eq!(check(&tag, &limits), Err(BadPattern::EmptyTag));
    }

    #[test]
    fn every_refusal_is_a_sentence() {
        for bad in [
            BadPattern::NoConditions,
            BadPattern::TooManyConditions { conditions_max: 5 },
            BadPattern::Empty,
            BadPattern::TooLong { chars_max: 5 },
            BadPattern::TooManyWords { words_max: 5 },
            BadPattern::Syntax("unclosed group".into()),
            BadPattern::Unsupported,
            BadPattern::TooComplex,
            BadPattern::EmptyTag,
            BadPattern::LongTag { chars_max: 5 },
        ] {
            assert!(bad.to_string().ends_with('.'), "{bad}");
        }
    }
}
