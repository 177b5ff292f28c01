use super::*;
use domain::{RuleOrder, RuleScope};
use proptest::prelude::*;

fn rule(id: i64, conditions: Vec<Condition>) -> Rule {
    let order = RuleOrder { scope: RuleScope::Everything, conditions, action: RuleAction::Hide };
    Rule { id: RuleId(id), user: UserId(id % 3), order, enabled: true, notice: None }
}

fn when(field: RuleField, pattern: Pattern) -> Condition {
    Condition { field, pattern, negated: false }
}

fn words(words: &[&str]) -> Pattern {
    Pattern::Words(words.iter().map(|word| (*word).to_owned()).collect())
}

fn compiled(rules: &[Rule]) -> Compiled {
    let (compiled, bad) = Compiled::new(rules, &Limits::default());
    assert_eq!(bad, []);
    compiled
}

fn holds(condition: Condition, subject: &Subject<'_>) -> bool {
    !compiled(&[rule(1, vec![condition])]).apply(subject).effects.is_empty()
}

#[test]
fn words_phrases_and_expressions_hold_in_their_fields_and_nowhere_else() {
    let tags = ["Sponsored".to_owned(), "Bread & Butter".to_owned()];
    let subject = Subject {
        title: "The Tide turns",
        text: "Water\n  comes IN over the flats; 42 birds.",
        author: "Ada Voss",
        link: "https://site.test/News/tide?x=1",
        tags: &tags,
        language: "de-AT",
    };
    let yes = [
        (RuleField::Title, words(&["boat", "tide"])),
        (RuleField::Anywhere, words(&["TIDE"])),
        (RuleField::Anywhere, words(&["flats"])),
        (RuleField::Text, Pattern::Phrase("water comes in".into())),
        (RuleField::Author, words(&["voss"])),
        (RuleField::Link, words(&["news"])),
        (RuleField::Tag, words(&["sponsored"])),
        (RuleField::Tag, Pattern::Phrase("bread & butter".into())),
        (RuleField::Language, words(&["de"])),
        (RuleField::Language, words(&["de-at", "fr"])),
        (RuleField::Text, Pattern::Regex("[0-9]+ BIRDS".into())),
        (RuleField::Link, Pattern::Regex("^https://site\\.test/".into())),
        (RuleField::Language, Pattern::Regex("^de".into())),
    ];
    for (field, pattern) in yes {
        assert!(holds(when(field, pattern.clone()), &subject), "{field:?} {pattern:?}");
        let negated = Condition { negated: true, ..when(field, pattern.clone()) };
        assert!(!holds(negated, &subject), "not {field:?} {pattern:?}");
    }
    let no = [
        (RuleField::Title, words(&["flats"])),
        (RuleField::Title, words(&["tid", "urns"])),
        (RuleField::Text, words(&["tide"])),
        (RuleField::Text, Pattern::Phrase("water in".into())),
        (RuleField::Author, words(&["tide"])),
        (RuleField::Tag, words(&["sponsor"])),
        (RuleField::Language, words(&["d", "deu", "at"])),
        (RuleField::Title, Pattern::Regex("birds".into())),
    ];
    for (field, pattern) in no {
        assert!(!holds(when(field, pattern.clone()), &subject), "{field:?} {pattern:?}");
    }
}

#[test]
fn all_conditions_must_hold_and_every_person_gets_their_own_effects() {
    let both =
        rule(4, vec![when(RuleField::Title, words(&["tide"])), when(RuleField::Text, words(&["mud"]))]);
    let tagging = Rule {
        order: RuleOrder {
            action: RuleAction::Tag("sea".into()),
            ..rule(5, vec![when(RuleField::Title, words(&["tide"]))]).order
        },
        ..rule(5, vec![])
    };
    let compiled = compiled(&[both, tagging]);
    let subject = Subject { title: "Tide", text: "mud", ..Subject::default() };
    let all =
        [(RuleId(4), UserId(1), RuleAction::Hide), (RuleId(5), UserId(2), RuleAction::Tag("sea".into()))];
    assert_eq!(compiled.apply(&subject).effects, all);
    assert_eq!(compiled.apply(&Subject { text: "", ..subject }).effects, all[1..]);
    assert_eq!(compiled.apply(&Subject::default()), Applied::default());
}

#[test]
fn o2_a_bad_rule_is_named_and_the_others_still_work() {
    let rules = [
        rule(1, vec![when(RuleField::Title, Pattern::Regex("(x{1000}){1000}".into()))]),
        rule(2, vec![when(RuleField::Title, words(&["tide"]))]),
        rule(
            3,
            vec![when(RuleField::Title, Pattern::Regex("(".into())), when(RuleField::Title, words(&["a"]))],
        ),
    ];
    let (compiled, bad) = Compiled::new(&rules, &Limits::default());
    assert_eq!(bad.iter().map(|(id, _)| id.0).collect::<Vec<_>>(), [1, 3]);
    let applied = compiled.apply(&Subject { title: "tide", ..Subject::default() });
    assert_eq!(applied.effects.len(), 1);
}

#[test]
fn o2_a_rule_that_costs_too_much_on_an_item_is_not_run_and_named() {
    let heavy = Pattern::Regex("(?:[a-z]{1,30}-){60}".into());
    let rules = [
        rule(1, vec![when(RuleField::Text, heavy)]),
        rule(2, vec![when(RuleField::Text, Pattern::Regex("ab+c".into()))]),
        rule(3, vec![when(RuleField::Text, words(&["abc"]))]),
    ];
    let compiled = compiled(&rules);
    let short = "abc ".repeat(100);
    assert_eq!(compiled.apply(&Subject { text: &short, ..Subject::default() }).over_budget, []);
    let long = "abc ".repeat(1_000_000);
    let applied = compiled.apply(&Subject { text: &long, ..Subject::default() });
    assert_eq!(applied.over_budget, [RuleId(1)]);
    assert_eq!(
        applied.effects.iter().map(|(id, ..)| id.0).collect::<Vec<_>>(),
        [2, 3],
        "the others still work"
    );
    assert_eq!(compiled.heaviest(), Some(RuleId(1)));
}

#[test]
fn o2_patterns_within_patterns_stop_at_a_bound() {
    let nested: Vec<Condition> = (0..5)
        .map(|part| {
            let words = (1..=50).map(|n| "あ".repeat(part * 50 + n)).collect();
            when(RuleField::Text, Pattern::Words(words))
        })
        .collect();
    let rules = [rule(1, nested), rule(2, vec![when(RuleField::Title, words(&["tide"]))])];
    let compiled = compiled(&rules);
    let text = "あ".repeat(200_000);
    let applied = compiled.apply(&Subject { title: "tide", text: &text, ..Subject::default() });
    assert_eq!(applied.over_budget, [RuleId(1)]);
    assert!(applied.effects.iter().any(|(id, ..)| id.0 == 2));
}

#[test]
fn a_very_long_text_is_read_from_its_beginning() {
    let text = format!("tide {}{}", "ä".repeat(TEXT_BYTES_MAX), " mud");
    let subject = Subject { text: &text, ..Subject::default() };
    assert!(holds(when(RuleField::Text, words(&["tide"])), &subject));
    assert!(!holds(when(RuleField::Text, words(&["mud"])), &subject));
}

/// The plain meaning of a word or phrase, without any automaton: try every place.
fn naive(text: &str, wanted: &str) -> bool {
    let normal = |text: &str| {
        let spaced: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        spaced.join(" ").replace('ς', "σ").chars().collect::<Vec<char>>()
    };
    let (text, wanted) = (normal(text), normal(wanted));
    let letter = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric() || *c == '_');
    let dense = |c: Option<&char>| c.is_some_and(|c| ('\u{3040}'..='\u{9fff}').contains(c));
    let joined = |a: Option<&char>, b: Option<&char>| letter(a) && letter(b) && !dense(a) && !dense(b);
    (0..text.len()).any(|at| {
        text[at..].starts_with(&wanted)
            && !joined(at.checked_sub(1).map(|before| &text[before]), wanted.first())
            && !joined(wanted.last(), text.get(at + wanted.len()))
    })
}

proptest! {
    // Compiling is the slow part here, so fewer cases with more patterns each.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn literals_mean_what_a_naive_search_finds(
        text in "[aAbBσΣς東京 .,_\n-]{0,40}",
        patterns in prop::collection::vec("[aAbBσς東京.][aAbBσς東京. ]{0,4}", 1..8),
    ) {
        let rules: Vec<Rule> = patterns
            .iter()
            .zip(1..)
            .map(|(pattern, id)| rule(id, vec![when(RuleField::Title, Pattern::Phrase(pattern.clone()))]))
            .collect();
        let (compiled, _) = Compiled::new(&rules, &Limits::default());
        let applied = compiled.apply(&Subject { title: &text, ..Subject::default() });
        for (pattern, id) in patterns.iter().zip(1..) {
            let found = applied.effects.iter().any(|(rule, ..)| rule.0 == id);
            prop_assert_eq!(found, naive(&text, pattern), "{:?} in {:?}", pattern, text);
        }
    }

    #[test]
    fn sets_of_expressions_mean_what_each_alone_means(
        text in "[abcABCs\u{17f} é]{0,20}",
        patterns in prop::collection::vec("[abcs]{1,4}[+*?]?[abc]?( a|é)?", 1..70),
    ) {
        let rules: Vec<Rule> = patterns
            .iter()
            .zip(1..)
            .map(|(pattern, id)| rule(id, vec![when(RuleField::Text, Pattern::Regex(pattern.clone()))]))
            .collect();
        let (compiled, bad) = Compiled::new(&rules, &Limits::default());
        prop_assert!(bad.is_empty());
        let applied = compiled.apply(&Subject { text: &text, ..Subject::default() });
        for (pattern, id) in patterns.iter().zip(1..) {
            let alone = regex::Regex::new(&format!("(?i){pattern}")).expect("valid").is_match(&text);
            prop_assert_eq!(applied.effects.iter().any(|(rule, ..)| rule.0 == id), alone, "{}", pattern);
        }
    }

    #[test]
    fn o2_any_rule_on_any_text_ends(pattern in ".{0,30}", text in "\\PC{0,200}", word in "\\PC{0,10}") {
        let rules = [
            rule(1, vec![when(RuleField::Anywhere, Pattern::Regex(pattern))]),
            rule(2, vec![when(RuleField::Anywhere, Pattern::Words(vec![word.clone()]))]),
            rule(3, vec![when(RuleField::Tag, Pattern::Phrase(word.clone()))]),
        ];
        let (compiled, _) = Compiled::new(&rules, &Limits::default());
        let tags = [text.clone()];
        compiled.apply(&Subject { title: &text, text: &text, tags: &tags, language: &word, ..Subject::default() });
    }
}
