//! Every listed threat has a test that is named after it.

use crate::architecture::{root, sources};
use std::collections::{BTreeMap, BTreeSet};

/// The rows that have to be there so far; a page's rows join with the page.
fn required() -> Vec<String> {
    let range = |letter: &str, numbers: &[std::ops::RangeInclusive<u32>]| -> Vec<String> {
        numbers.iter().cloned().flatten().map(|number| format!("{letter}{number}")).collect()
    };
    [
        range("E", &[1..=16]),
        range("B", &[1..=10]),
        range("P", &[1..=11]),
        range("D", &[1..=8]),
        range("O", &[1..=8, 12..=12]),
        range("N", &[1..=26, 28..=30]),
        range("A", &[1..=9, 11..=11]),
        range("X", &[1..=12]),
        range("M", &[1..=5]),
    ]
    .concat()
}

/// Rows of the table in docs/threats.md: `| E1 | what | tests |`.
fn listed() -> BTreeMap<String, Vec<String>> {
    let text = std::fs::read_to_string(root().join("docs/threats.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| row "));
    rows.map(|line| {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        let tests = cells[3].split('`').skip(1).step_by(2).map(str::to_owned).collect();
        (cells[1].to_owned(), tests)
    })
    .collect()
}

/// Functions that are run as tests: one that lost its attribute tests nothing.
fn test_names() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in sources(&root().join("crates")) {
        let mut is_test = false;
        for line in std::fs::read_to_string(file).unwrap().lines() {
            let line = line.trim_start().trim_start_matches("async ");
            if line.starts_with("#[") {
                is_test |= line.contains("test]") || line.contains("test(");
                is_test &= !line.contains("ignore");
            } else if !line.starts_with("//") {
                if let Some(rest) = line.strip_prefix("fn ").filter(|_| is_test) {
                    names.insert(rest.split(['(', '<']).next().unwrap_or_default().to_owned());
                }
                is_test = false;
            }
        }
    }
    names
}

#[test]
fn every_required_or_listed_row_has_a_test_named_after_it() {
    let (listed, tests) = (listed(), test_names());
    let rows: BTreeSet<String> = required().into_iter().chain(listed.keys().cloned()).collect();
    let mut missing = Vec::new();
    for row in rows {
        match listed.get(&row) {
            None => missing.push(format!("{row} is not listed in docs/threats.md")),
            Some(names) if names.is_empty() => missing.push(format!("{row} lists no test")),
            Some(names) => {
                let prefix = format!("{}_", row.to_lowercase());
                for name in names {
                    if !tests.contains(name) {
                        missing.push(format!("{row} lists `{name}`, which is no test"));
                    }
                    if !name.contains(&prefix) {
                        missing.push(format!("{row} lists `{name}`, which is not named after it"));
                    }
                }
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
