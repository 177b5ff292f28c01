//! Many rules, ready to be asked about one item after another.

use crate::check::{BadPattern, check_shape};
use crate::fold::{fold_into, folded};
use crate::literals::{Literals, LiteralsBuilder};
use crate::patterns::{Batch, Expression, compile, needle};
use domain::{Condition, Limits, Pattern, Rule, RuleAction, RuleField, RuleId, UserId};

/// Of a text this much is read.
pub const TEXT_BYTES_MAX: usize = 256 << 10;
/// What the expressions of one rule may cost on one item: bytes read × weight. A rule beyond it is not run (O2).
pub const RULE_WORK_MAX: u64 = 2 << 20;
/// Of an item's tags so many are read.
const TAGS_MAX: usize = 50;

/// One item, as rules see it. Texts are plain.
#[derive(Debug, Clone, Copy, Default)]
pub struct Subject<'a> {
    pub title: &'a str,
    pub text: &'a str,
    pub author: &'a str,
    pub link: &'a str,
    pub tags: &'a [String],
    /// The item's own language or its feed's.
    pub language: &'a str,
}

/// What the rules say about one item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Applied {
    /// In the order of the rules.
    pub effects: Vec<(RuleId, UserId, RuleAction)>,
    /// Rules that were not run because they would have cost too much; switch them off and say so.
    pub over_budget: Vec<RuleId>,
}

/// Rules of any number of people.
pub struct Compiled {
    rules: Vec<Ready>,
    literals: Literals,
    batches: Vec<Batch>,
    /// Fields in which any literal is looked for.
    literal_fields: u8,
    expressions: Vec<Expression>,
}

struct Ready {
    id: RuleId,
    user: UserId,
    action: RuleAction,
    conditions: Vec<Test>,
    /// Weight of the rule's expressions by field.
    weights: Vec<(u8, u64)>,
    literals: usize,
}

struct Test {
    fields: u8,
    what: What,
    negated: bool,
}

enum What {
    /// Any of these literals.
    Literals(Vec<u32>),
    Expression(usize),
    /// Any of these language codes, folded.
    Languages(Vec<String>),
}

const TITLE: u8 = 1;
const TEXT: u8 = 2;
const AUTHOR: u8 = 4;
const LINK: u8 = 8;
const TAG: u8 = 16;
const LANGUAGE: u8 = 32;

const fn fields(field: RuleField) -> u8 {
    match field {
        RuleField::Anywhere => TITLE | TEXT,
        RuleField::Title => TITLE,
        RuleField::Text => TEXT,
        RuleField::Author => AUTHOR,
        RuleField::Link => LINK,
        RuleField::Tag => TAG,
        RuleField::Language => LANGUAGE,
    }
}

impl Compiled {
    /// Compiles rules, and names those that cannot be used. Costs up to a millisecond per expression.
    pub fn new(rules: &[Rule], limits: &Limits) -> (Compiled, Vec<(RuleId, BadPattern)>) {
        let mut building = Building { limits, literals: LiteralsBuilder::default(), expressions: Vec::new() };
        let (mut ready, mut bad) = (Vec::with_capacity(rules.len()), Vec::new());
        for rule in rules {
            match building.rule(rule) {
                Ok(rule) => ready.push(rule),
                Err(why) => bad.push((rule.id, why)),
            }
        }
        let Building { literals, expressions, .. } = building;
        let words = ready.iter().flat_map(|rule| &rule.conditions);
        let words = words.filter(|test| matches!(test.what, What::Literals(_))).map(|test| test.fields);
        let needles = expressions.iter().filter(|one| one.needle.is_some()).map(|one| one.fields);
        let compiled = Compiled {
            literal_fields: words.chain(needles).fold(0, |all, fields| all | fields),
            rules: ready,
            literals: literals.build(),
            batches: Batch::all(&expressions),
            expressions,
        };
        (compiled, bad)
    }

    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The rule whose expressions weigh most, if any has some: the one to switch off when time ran out all the same.
    pub fn heaviest(&self) -> Option<RuleId> {
        let weight = |rule: &Ready| rule.weights.iter().map(|(_, weight)| weight).sum::<u64>();
        self.rules.iter().filter(|rule| weight(rule) > 0).max_by_key(|rule| weight(rule)).map(|rule| rule.id)
    }

    /// What the rules say about an item.
    pub fn apply(&self, subject: &Subject<'_>) -> Applied {
        let mut seen = Seen::new(self.literals.count, self.expressions.len());
        let mut applied = Applied::default();
        let texts = texts(subject);
        let affordable: Vec<bool> =
            self.rules.iter().map(|rule| rule.cost(&texts) <= RULE_WORK_MAX).collect();
        let wanted = self.wanted(&affordable);
        let mut crowded = false;
        let mut buffer = String::new();
        for (field, text) in &texts {
            if self.literal_fields & field != 0 {
                fold_into(text, &mut buffer);
                crowded |= !self.literals.search(&buffer, |nth, whole| seen.literal(nth, *field, whole));
            }
            self.search_expressions(*field, text, &wanted, &mut seen);
            seen.next_text();
        }
        for (rule, affordable) in self.rules.iter().zip(affordable) {
            if !affordable {
                applied.over_budget.push(rule.id);
            } else if rule.conditions.iter().all(|test| test.holds(&seen, subject)) {
                applied.effects.push((rule.id, rule.user, rule.action.clone()));
            }
        }
        if crowded {
            // Too many hits to look at: the rule with the most words made them.
            applied
                .over_budget
                .extend(self.rules.iter().max_by_key(|rule| rule.literals).map(|rule| rule.id));
            applied.over_budget.dedup();
        }
        applied
    }

    /// The expressions of the rules that are run.
    fn wanted(&self, affordable: &[bool]) -> Vec<bool> {
        let mut wanted = vec![false; self.expressions.len()];
        for (rule, affordable) in self.rules.iter().zip(affordable) {
            for test in &rule.conditions {
                if let (true, What::Expression(nth)) = (affordable, &test.what)
                    && let Some(wanted) = wanted.get_mut(*nth)
                {
                    *wanted = true;
                }
            }
        }
        wanted
    }

    fn search_expressions(&self, field: u8, text: &str, wanted: &[bool], seen: &mut Seen) {
        for (nth, expression) in self.expressions.iter().enumerate() {
            if expression.fields & field != 0
                && wanted.get(nth).copied().unwrap_or(false)
                && expression.needle.is_some_and(|needle| seen.is_here(needle))
                && expression.regex.is_match(text)
            {
                seen.expression(nth, field);
            }
        }
        for batch in self.batches.iter().filter(|batch| batch.fields & field != 0) {
            batch.search(text, &self.expressions, wanted, |nth| seen.expression(nth, field));
        }
    }
}

/// The texts of an item, each with its field.
fn texts<'a>(subject: &Subject<'a>) -> Vec<(u8, &'a str)> {
    let mut texts = vec![
        (TITLE, cut(subject.title)),
        (TEXT, cut(subject.text)),
        (AUTHOR, cut(subject.author)),
        (LINK, cut(subject.link)),
        (LANGUAGE, cut(subject.language)),
    ];
    texts.extend(subject.tags.iter().take(TAGS_MAX).map(|tag| (TAG, cut(tag))));
    texts
}

struct Building<'a> {
    limits: &'a Limits,
    literals: LiteralsBuilder,
    expressions: Vec<Expression>,
}

impl Building<'_> {
    fn rule(&mut self, rule: &Rule) -> Result<Ready, BadPattern> {
        check_shape(&rule.order, self.limits)?;
        let mut ready = Ready {
            id: rule.id,
            user: rule.user,
            action: rule.order.action.clone(),
            conditions: Vec::new(),
            weights: Vec::new(),
            literals: 0,
        };
        // All expressions first: a rule that fails leaves nothing behind.
        let mut compiled = Vec::new();
        for condition in &rule.order.conditions {
            if let Pattern::Regex(pattern) = &condition.pattern {
                compiled.push((pattern, compile(pattern, self.limits)?));
            }
        }
        let mut compiled = compiled.into_iter();
        for condition in &rule.order.conditions {
            let fields = fields(condition.field);
            let what = match &condition.pattern {
                Pattern::Regex(_) => {
                    let Some((source, (regex, weight))) = compiled.next() else { continue };
                    ready.weights.push((fields, weight));
                    let needle = needle(source).map(|needle| self.literals.add(needle));
                    self.expressions.push(Expression { regex, fields, needle });
                    What::Expression(self.expressions.len() - 1)
                }
                Pattern::Words(_) | Pattern::Phrase(_) => self.words(condition),
            };
            if let What::Literals(literals) = &what {
                ready.literals += literals.len();
            }
            ready.conditions.push(Test { fields, what, negated: condition.negated });
        }
        Ok(ready)
    }

    fn words(&mut self, condition: &Condition) -> What {
        let words: Vec<String> = match &condition.pattern {
            Pattern::Words(words) => words.iter().map(|word| folded(word)).collect(),
            Pattern::Phrase(phrase) | Pattern::Regex(phrase) => vec![folded(phrase)],
        };
        let words = words.into_iter().filter(|word| !word.is_empty());
        match condition.field {
            RuleField::Language => What::Languages(words.collect()),
            _ => What::Literals(words.map(|word| self.literals.add(word)).collect()),
        }
    }
}

/// In which fields what was seen.
struct Seen {
    literals: Vec<u8>,
    expressions: Vec<u8>,
    /// Literals anywhere in the text that is being read, whole or not: needles.
    here: Vec<bool>,
    touched: Vec<usize>,
}

impl Seen {
    fn new(literals: usize, expressions: usize) -> Self {
        Seen {
            literals: vec![0; literals],
            expressions: vec![0; expressions],
            here: vec![false; literals],
            touched: Vec::new(),
        }
    }

    fn literal(&mut self, nth: usize, field: u8, whole: bool) {
        if let (true, Some(fields)) = (whole, self.literals.get_mut(nth)) {
            *fields |= field;
        }
        if let Some(here) = self.here.get_mut(nth).filter(|here| !**here) {
            *here = true;
            self.touched.push(nth);
        }
    }

    fn expression(&mut self, nth: usize, field: u8) {
        if let Some(fields) = self.expressions.get_mut(nth) {
            *fields |= field;
        }
    }

    fn is_here(&self, literal: u32) -> bool {
        usize::try_from(literal).ok().and_then(|nth| self.here.get(nth)).copied().unwrap_or(false)
    }

    fn next_text(&mut self) {
        for nth in self.touched.drain(..) {
            if let Some(here) = self.here.get_mut(nth) {
                *here = false;
            }
        }
    }
}

impl Ready {
    fn cost(&self, texts: &[(u8, &str)]) -> u64 {
        let bytes = |fields: u8| -> u64 {
            texts.iter().filter(|(field, _)| fields & field != 0).map(|(_, text)| text.len() as u64).sum()
        };
        self.weights
            .iter()
            .map(|(fields, weight)| bytes(*fields).saturating_mul(*weight))
            .fold(0, u64::saturating_add)
    }
}

impl Test {
    fn holds(&self, seen: &Seen, subject: &Subject<'_>) -> bool {
        let hit = |found: &[u8], nth: usize| found.get(nth).is_some_and(|fields| fields & self.fields != 0);
        let found = match &self.what {
            What::Literals(any) => {
                any.iter().any(|nth| hit(&seen.literals, usize::try_from(*nth).unwrap_or(usize::MAX)))
            }
            What::Expression(nth) => hit(&seen.expressions, *nth),
            What::Languages(any) => {
                let own = folded(cut(subject.language));
                any.iter().any(|code| is_language(&own, code))
            }
        };
        found != self.negated
    }
}

/// `de` is also `de-at`.
fn is_language(own: &str, code: &str) -> bool {
    own.strip_prefix(code).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(TEXT_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests;
