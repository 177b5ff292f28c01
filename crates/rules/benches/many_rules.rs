//! How long 200 rules take on 10,000 new items (the bar is one second), and what compiling them costs.
//!
//! `cargo bench -p rules`. A tenth of the rules are regular expressions, the rest words and phrases; items have a title
//! and some 300 words. Run as a test it does a hundredth of that and only checks that something matched.

use domain::{Condition, Limits, Pattern, Rule, RuleAction, RuleField, RuleId, RuleOrder, RuleScope, UserId};
use rules::{Compiled, Subject};
use std::time::Instant;

const RULES: usize = 200;
const ITEMS: usize = 10_000;
const WORDS: usize = 300;

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn main() {
    let tiny = std::env::args().any(|argument| argument == "--test");
    let items = if tiny { ITEMS / 100 } else { ITEMS };
    let mut dice = Dice(7);
    let rules: Vec<Rule> = (0..RULES).map(|nth| rule(nth, &mut dice)).collect();
    let texts: Vec<(String, String)> =
        (0..items).map(|_| (text(10, &mut dice), text(WORDS, &mut dice))).collect();
    let bytes: usize = texts.iter().map(|(title, text)| title.len() + text.len()).sum();

    let start = Instant::now();
    let (compiled, bad) = Compiled::new(&rules, &Limits::default());
    let compiling = start.elapsed();
    assert!(bad.is_empty(), "{bad:?}");
    let start = Instant::now();
    let mut effects = 0;
    for (title, text) in &texts {
        let subject =
            Subject { title, text, link: "https://site.test/a/b", language: "en", ..Subject::default() };
        effects += compiled.apply(&subject).effects.len();
    }
    let applying = start.elapsed();
    assert!(effects > 0, "nothing matched");
    println!(
        "{RULES} rules x {items} items ({} MB): {} ms, {effects} effects; compiling {} ms",
        bytes / 1_000_000,
        applying.as_millis(),
        compiling.as_millis()
    );
}

fn rule(nth: usize, dice: &mut Dice) -> Rule {
    let pattern = match nth % 10 {
        0 => Pattern::Regex(format!("\\b{}(s|ing)? +(of|in) {}", word(dice), word(dice))),
        1..=4 => Pattern::Phrase(format!("{} {}", word(dice), word(dice))),
        _ => Pattern::Words((0..5).map(|_| word(dice)).collect()),
    };
    let field = if nth.is_multiple_of(3) { RuleField::Title } else { RuleField::Anywhere };
    let conditions = vec![Condition { field, pattern, negated: false }];
    let order = RuleOrder { scope: RuleScope::Everything, conditions, action: RuleAction::Hide };
    let id = i64::try_from(nth).unwrap_or_default();
    Rule { id: RuleId(id), user: UserId(1), order, enabled: true, notice: None }
}

fn text(words: usize, dice: &mut Dice) -> String {
    let mut out = String::new();
    for nth in 0..words {
        out.push_str(if nth % 12 == 11 { ". " } else { " " });
        out.push_str(&word(dice));
    }
    out
}

/// One of some 20,000 made-up words; like real ones, a few are frequent and most are rare.
fn word(dice: &mut Dice) -> String {
    const PARTS: [&str; 28] = [
        "ta", "ri", "no", "mel", "ka", "sen", "lo", "Ver", "di", "pa", "shu", "gra", "be", "nor", "ti", "wa",
        "lin", "os", "qu", "ex", "tha", "mo", "ünd", "é", "st", "un", "re", "ing",
    ];
    let roll = dice.roll(1 << 20);
    let rank = roll * roll / (1 << 20) * 20_000 / (1 << 20);
    let (a, b, c) = (rank % 28, rank / 28 % 28, rank / 784 % 28);
    format!("{}{}{}", PARTS[a], PARTS[b], PARTS[c])
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % sides
    }
}
