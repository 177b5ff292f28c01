//! Character and entity references.
//!
//! Predefined and HTML names are resolved; entities a document declares itself are expanded within `entity_bytes_max`
//! in all (P1); external ones are never looked up (P2), because this crate cannot reach a file or a network.

use quick_xml::escape::resolve_html5_entity;
use std::collections::HashMap;

/// Entities may name each other; real feeds use one level.
const NESTING_MAX: usize = 8;
const DECLARED_MAX: usize = 256;
/// Charged for each reference, so that entities that expand to nothing still use up the budget.
const REFERENCE_COST: usize = 8;

pub(crate) struct Entities {
    declared: HashMap<String, String>,
    budget: usize,
    /// The budget was passed: later references of the document's own expand to nothing.
    pub(crate) spent: bool,
    /// An entity with a SYSTEM or PUBLIC address was declared.
    pub(crate) external: bool,
}

impl Entities {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Entities { declared: HashMap::new(), budget: bytes_max, spent: false, external: false }
    }

    /// Reads the `<!ENTITY name "value">` declarations of a document type.
    pub(crate) fn declare(&mut self, doctype: &str) {
        let mut rest = doctype;
        while let Some(at) = rest.find("<!ENTITY") {
            rest = &rest[at + "<!ENTITY".len()..];
            let declaration = rest.trim_start();
            let Some(name_end) = declaration.find(char::is_whitespace) else { break };
            let (name, value) = (&declaration[..name_end], declaration[name_end..].trim_start());
            match value.chars().next() {
                Some(quote @ ('"' | '\'')) => {
                    let Some(value) = value[1..].split(quote).next() else { break };
                    if self.declared.len() < DECLARED_MAX && value.len() <= self.budget {
                        self.declared.entry(name.to_owned()).or_insert_with(|| value.to_owned());
                    }
                }
                _ => self.external |= value.starts_with("SYSTEM") || value.starts_with("PUBLIC"),
            }
        }
    }

    /// Writes what `&name;` stands for; an unknown name stays as it was written.
    pub(crate) fn resolve(&mut self, name: &str, out: &mut String) {
        match reference(name) {
            Reference::Text(text) => out.push_str(text),
            Reference::Char(c) => out.push(c),
            Reference::Nothing => {}
            Reference::Unknown if self.declared.contains_key(name) => self.expand(name, out, 0),
            Reference::Unknown => push_literal(name, out),
        }
    }

    /// Resolves all references in an attribute's value.
    pub(crate) fn resolve_all(&mut self, raw: &str, out: &mut String) {
        each_reference(raw, out, |name, out| self.resolve(name, out));
    }

    fn expand(&mut self, name: &str, out: &mut String, nesting: usize) {
        let Some(value) = self.declared.get(name).cloned() else { return };
        let cost = value.len().saturating_add(REFERENCE_COST);
        if cost > self.budget || nesting >= NESTING_MAX {
            self.spent = true;
            self.budget = 0;
            return;
        }
        self.budget -= cost;
        each_reference(&value, out, |name, out| match reference(name) {
            Reference::Text(text) => out.push_str(text),
            Reference::Char(c) => out.push(c),
            Reference::Nothing => {}
            Reference::Unknown if self.declared.contains_key(name) => self.expand(name, out, nesting + 1),
            Reference::Unknown => push_literal(name, out),
        });
    }
}

fn push_literal(name: &str, out: &mut String) {
    out.push('&');
    out.push_str(name);
    out.push(';');
}

fn each_reference(raw: &str, out: &mut String, mut resolve: impl FnMut(&str, &mut String)) {
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match rest.find([';', '&', '<']) {
            Some(end) if rest.as_bytes()[end] == b';' => {
                resolve(&rest[..end], out);
                rest = &rest[end + 1..];
            }
            _ => out.push('&'),
        }
    }
    out.push_str(rest);
}

enum Reference {
    Text(&'static str),
    Char(char),
    Nothing,
    Unknown,
}

fn reference(name: &str) -> Reference {
    let Some(number) = name.strip_prefix('#') else {
        return resolve_html5_entity(name).map_or(Reference::Unknown, Reference::Text);
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    };
    match code {
        Ok(0x09) => Reference::Char('\t'),
        Ok(0x0A) => Reference::Char('\n'),
        Ok(0x0D) => Reference::Char('\r'),
        Ok(0..=0x1F | 0x7F) => Reference::Nothing,
        Ok(code @ 0x80..=0x9F) => windows_1252(code).map_or(Reference::Nothing, Reference::Char),
        Ok(code) => Reference::Char(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)),
        Err(_) => Reference::Unknown,
    }
}

/// C1 control codes are meant as windows-1252 wherever they turn up in text; five of them mean nothing there either.
pub(crate) fn windows_1252(code: u32) -> Option<char> {
    const TABLE: [char; 32] = [
        '€', '\0', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\0', 'Ž', '\0', '\0', '‘', '’',
        '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\0', 'ž', 'Ÿ',
    ];
    let index = usize::try_from(code.checked_sub(0x80)?).ok()?;
    TABLE.get(index).copied().filter(|c| *c != '\0')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(doctype: &str, raw: &str, expected: &str) {
        let mut entities = Entities::new(64 << 10);
        entities.declare(doctype);
        let mut out = String::new();
        entities.resolve_all(raw, &mut out);
        assert_eq!(out, expected);
    }

    #[test]
    fn html_names_numbers_and_bare_ampersands_are_read() {
        check("", "caf&eacute; &amp; &#8217;&#x41; AT&T &nope; a&b", "café & ’A AT&T &nope; a&b");
    }

    #[test]
    fn p7_nul_and_surrogate_references_are_harmless() {
        check("", "a&#0;b&#xD800;c&#8;d&#146;&#x110000;", "ab\u{FFFD}cd’\u{FFFD}");
    }

    #[test]
    fn small_internal_entities_are_expanded() {
        check(
            r#"rss [<!ENTITY co "Example &amp; Co"><!ENTITY both '&co;!'>]"#,
            "&co; &both;",
            "Example & Co Example & Co!",
        );
    }

    #[test]
    fn p1_entity_bombs_stop_at_the_budget() {
        let mut doctype = String::from("rss [<!ENTITY a0 \"lollollol\">");
        for level in 1..10 {
            let value = format!("&a{};", level - 1).repeat(10);
            doctype.push_str(&format!("<!ENTITY a{level} \"{value}\">"));
        }
        let mut entities = Entities::new(64 << 10);
        entities.declare(&doctype);
        let mut out = String::new();
        entities.resolve_all("&a7;&a9;", &mut out);
        assert!(out.len() <= 64 << 10, "{}", out.len());
        assert!(entities.spent);
    }

    #[test]
    fn p1_entities_that_expand_to_nothing_also_use_up_the_budget() {
        let mut doctype = String::from("rss [<!ENTITY a0 \"\">");
        for level in 1..7 {
            doctype.push_str(&format!("<!ENTITY a{level} \"{}\">", format!("&a{};", level - 1).repeat(100)));
        }
        let mut entities = Entities::new(64 << 10);
        entities.declare(&doctype);
        entities.resolve_all("&a6;", &mut String::new());
        assert!(entities.spent);
    }

    #[test]
    fn p2_external_entities_are_not_resolved() {
        check(r#"rss [<!ENTITY x SYSTEM "file:///etc/passwd">]"#, "[&x;]", "[&x;]");
    }
}
