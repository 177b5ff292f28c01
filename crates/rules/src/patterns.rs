//! Regular expressions: compiled within bounds, run in sets.
//!
//! The engine has no look-around and no back-references, so its time is linear in the text; what it takes per byte grows
//! with the size of what was compiled, which is bounded and becomes the expression's weight.

use crate::check::BadPattern;
use domain::Limits;
use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use regex_syntax::hir::{Hir, HirKind};

/// Deeper groups are nobody's honest pattern.
const NEST_MAX: u32 = 50;
/// An expression of up to this compiled size weighs one.
const WEIGHT_BYTES: usize = 64 << 10;
/// Sets are kept small enough to be built within a bound.
const SET_PATTERNS_MAX: usize = 64;
const SET_BYTES_MAX: usize = 16 << 20;

/// Compiles one expression; also answers its weight.
pub(crate) fn compile(pattern: &str, limits: &Limits) -> Result<(Regex, u64), BadPattern> {
    let most = limits.regex_compiled_bytes_max;
    // The engine does not say how large a result is, only that it would be too large; so the bound is raised step by step.
    let mut size = WEIGHT_BYTES.min(most);
    loop {
        match build(pattern, size) {
            Ok(regex) => return Ok((regex, weight(size))),
            Err(regex::Error::CompiledTooBig(_)) if size < most => {
                size = size.saturating_mul(4).min(most);
            }
            Err(regex::Error::CompiledTooBig(_)) => return Err(BadPattern::TooComplex),
            Err(error) => return Err(bad_syntax(&error)),
        }
    }
}

fn build(pattern: &str, size: usize) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern)
        .case_insensitive(true)
        .size_limit(size)
        .dfa_size_limit(size)
        .nest_limit(NEST_MAX)
        .build()
}

fn weight(size: usize) -> u64 {
    u64::try_from(size.div_ceil(WEIGHT_BYTES)).unwrap_or(u64::MAX).max(1)
}

/// The engine draws a picture over several lines; its last line says what is wrong.
fn bad_syntax(error: &regex::Error) -> BadPattern {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    let why = last.trim().strip_prefix("error: ").unwrap_or(last.trim());
    if why.contains("look-around") || why.contains("backreferences") {
        return BadPattern::Unsupported;
    }
    BadPattern::Syntax(why.chars().take(160).collect())
}

/// A piece of text without which the expression cannot match, folded; `None` when there is none worth looking for.
///
/// Only ASCII: there the engine's way of ignoring case and our folding agree, whatever the rest of the text is.
pub(crate) fn needle(pattern: &str) -> Option<String> {
    let hir = regex_syntax::Parser::new().parse(pattern).ok()?;
    let mut best = String::new();
    find_needle(&hir, &mut best, 0);
    (best.len() >= NEEDLE_BYTES_MIN).then(|| best.to_ascii_lowercase())
}

/// Shorter pieces are in every text.
const NEEDLE_BYTES_MIN: usize = 3;

fn find_needle(hir: &Hir, best: &mut String, depth: u32) {
    if depth > NEST_MAX {
        return;
    }
    match hir.kind() {
        HirKind::Literal(literal) => {
            let text = String::from_utf8_lossy(&literal.0);
            // White space is folded too, so a needle has none; nor anything that another spelling may stand for.
            for piece in text.split(|c: char| !c.is_ascii_graphic()) {
                if piece.len() > best.len() {
                    *best = piece.to_owned();
                }
            }
        }
        HirKind::Capture(capture) => find_needle(&capture.sub, best, depth + 1),
        HirKind::Repetition(repetition) if repetition.min > 0 => {
            find_needle(&repetition.sub, best, depth + 1);
        }
        HirKind::Concat(parts) => parts.iter().for_each(|part| find_needle(part, best, depth + 1)),
        _ => {}
    }
}

/// One expression of a rule.
pub(crate) struct Expression {
    pub(crate) regex: Regex,
    pub(crate) fields: u8,
    /// The number of its needle among the literals.
    pub(crate) needle: Option<u32>,
}

/// Expressions without a needle, which are looked for together.
pub(crate) struct Batch {
    pub(crate) members: Vec<usize>,
    pub(crate) fields: u8,
    /// None when together they would be too large.
    set: Option<RegexSet>,
}

impl Batch {
    pub(crate) fn all(expressions: &[Expression]) -> Vec<Batch> {
        let free: Vec<usize> = (0..expressions.len())
            .filter(|nth| expressions.get(*nth).is_some_and(|expression| expression.needle.is_none()))
            .collect();
        free.chunks(SET_PATTERNS_MAX).map(|members| Batch::new(members, expressions)).collect()
    }

    fn new(members: &[usize], expressions: &[Expression]) -> Self {
        let those = || members.iter().filter_map(|nth| expressions.get(*nth));
        let set = RegexSetBuilder::new(those().map(|expression| expression.regex.as_str()))
            .case_insensitive(true)
            .size_limit(SET_BYTES_MAX)
            .dfa_size_limit(SET_BYTES_MAX)
            .nest_limit(NEST_MAX)
            .build()
            .ok();
        let fields = those().fold(0, |fields, expression| fields | expression.fields);
        Batch { members: members.to_vec(), fields, set }
    }

    /// Calls `found` with the number of each wanted expression that is in the text.
    pub(crate) fn search(
        &self,
        text: &str,
        expressions: &[Expression],
        wanted: &[bool],
        mut found: impl FnMut(usize),
    ) {
        let is_wanted = |nth: &&usize| wanted.get(**nth).copied().unwrap_or(false);
        // One that is not wanted would cost its part of the whole set.
        match &self.set {
            Some(set) if self.members.iter().all(|nth| is_wanted(&nth)) => {
                set.matches(text).iter().filter_map(|nth| self.members.get(nth)).for_each(|nth| found(*nth));
            }
            _ => {
                for nth in self.members.iter().filter(is_wanted) {
                    if expressions.get(*nth).is_some_and(|expression| expression.regex.is_match(text)) {
                        found(*nth);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_needle_is_the_longest_piece_that_must_be_there() {
        let check = |pattern: &str, expected: Option<&str>| {
            assert_eq!(needle(pattern).as_deref(), expected, "{pattern}");
        };
        check("\\bTide(s|ing)? +of water", Some("water"));
        check("(?:Tide)+x?", Some("tide"));
        check("(Tide|Ebb)", None);
        check("(?:Tide)?mud", Some("mud"));
        check("(?:Tide){0,3}", None);
        check("[a-z]+", None);
        check("a.b", None);
        check("été \u{e9}", None);
        check("über-tide", Some("ber-tide"));
    }
}
