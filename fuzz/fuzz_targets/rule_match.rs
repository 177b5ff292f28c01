//! Any rule on any item: compiled or refused, and then matched within its bounds, the same way every time.
#![no_main]

use domain::{Condition, Limits, Pattern, Rule, RuleAction, RuleField, RuleId, RuleOrder, RuleScope, UserId};
use libfuzzer_sys::fuzz_target;
use rules::{Compiled, Subject};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mut parts = text.splitn(3, '\n');
    let mut next = || parts.next().unwrap_or_default().to_owned();
    let (pattern, title, body) = (next(), next(), next());
    let limits = Limits::default();
    let rule = |id: i64, pattern: Pattern| {
        let condition = Condition { field: RuleField::Anywhere, pattern, negated: id == 3 };
        let order =
            RuleOrder { scope: RuleScope::Everything, conditions: vec![condition], action: RuleAction::Hide };
        Rule { id: RuleId(id), user: UserId(1), order, enabled: true, notice: None }
    };
    let words = pattern.split(' ').map(str::to_owned).collect();
    let all = [
        rule(1, Pattern::Regex(pattern.clone())),
        rule(2, Pattern::Phrase(pattern.clone())),
        rule(3, Pattern::Words(words)),
    ];
    for rule in &all {
        let compiles = Compiled::new(std::slice::from_ref(rule), &limits).1.is_empty();
        assert_eq!(rules::check(&rule.order, &limits).is_ok(), compiles);
    }
    let (compiled, _) = Compiled::new(&all, &limits);
    let tags = [title.clone()];
    let subject = Subject { title: &title, text: &body, tags: &tags, language: "en", ..Subject::default() };
    assert_eq!(compiled.apply(&subject), compiled.apply(&subject));
    // Alone or with others, a rule means the same.
    let mut alone = Vec::new();
    for rule in &all {
        alone.extend(Compiled::new(std::slice::from_ref(rule), &limits).0.apply(&subject).effects);
    }
    assert_eq!(compiled.apply(&subject).effects, alone);
});
