//! The listing keeps its promises: dependency arrows as ARCHITECTURE.md draws them, licences we may ship, no banned
//! crates, pure crates that stay pure.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn metadata() -> Value {
    let out = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).unwrap()
}

/// Our crates, each with the names of its normal dependencies.
fn ours(metadata: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let members: BTreeSet<&str> =
        metadata["workspace_members"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    let packages = metadata["packages"].as_array().unwrap();
    packages
        .iter()
        .filter(|package| members.contains(package["id"].as_str().unwrap()))
        .map(|package| {
            let normal = package["dependencies"].as_array().unwrap().iter().filter(|d| d["kind"].is_null());
            let names = normal.map(|d| d["name"].as_str().unwrap().to_owned()).collect();
            (package["name"].as_str().unwrap().to_owned(), names)
        })
        .collect()
}

/// The arrows of ARCHITECTURE.md: lines `name: other other` in the block that follows "## Arrows".
fn drawn() -> BTreeMap<String, BTreeSet<String>> {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let section = text.split("## Arrows").nth(1).expect("a section Arrows");
    let block = section.split("```").nth(1).expect("a block of arrows");
    let lines = block.lines().filter_map(|line| line.split_once(':'));
    lines
        .map(|(name, uses)| (name.trim().to_owned(), uses.split_whitespace().map(str::to_owned).collect()))
        .collect()
}

#[test]
fn dependency_arrows_are_those_of_the_architecture() {
    let ours = ours(&metadata());
    let names: BTreeSet<_> = ours.keys().cloned().collect();
    let real: BTreeMap<_, BTreeSet<_>> =
        ours.into_iter().map(|(name, uses)| (name, uses.intersection(&names).cloned().collect())).collect();
    assert_eq!(real, drawn(), "left: cargo metadata, right: ARCHITECTURE.md");
}

#[test]
fn e9_only_fetch_opens_outgoing_connections() {
    const CLIENTS: &[&str] = &["reqwest", "hyper", "hyper-util", "ureq", "isahc", "curl", "hickory-resolver"];
    for (name, uses) in ours(&metadata()) {
        let clients: Vec<_> = uses.iter().filter(|used| CLIENTS.contains(&used.as_str())).collect();
        assert!(name == "fetch" || clients.is_empty(), "{name} uses {clients:?}");
    }
    for file in sources(&root().join("crates")) {
        let path = file.to_string_lossy().into_owned();
        // Tests and the simulated web open sockets of their own; the product does not.
        if path.contains("/fetch/")
            || path.contains("/tests/")
            || path.contains("crates/farm")
            || path.contains("/benches/")
        {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let product = text.split("#[cfg(test)]").next().unwrap();
        for door in ["TcpStream::connect", "UdpSocket::bind", "UnixStream::connect"] {
            assert!(!product.contains(door), "{path} opens a connection with {door}");
        }
    }
}

#[test]
fn pure_crates_know_no_clock_no_async_no_io() {
    const BANNED: &[&str] = &["tokio", "sqlx", "axum", "reqwest", "rand", "tempfile"];
    let ours = ours(&metadata());
    for name in ["domain", "html", "parse", "text", "learn", "rank", "plan", "rules"] {
        let used: Vec<_> = ours[name].iter().filter(|used| BANNED.contains(&used.as_str())).collect();
        assert!(used.is_empty(), "{name} uses {used:?}");
        let lints = std::fs::read_to_string(root().join("crates").join(name).join("clippy.toml")).unwrap();
        assert!(lints.contains("SystemTime::now"), "{name}/clippy.toml forbids the clock");
    }
}

#[test]
fn o7_licences_are_ones_we_may_ship_and_banned_crates_are_absent() {
    const LICENCES: &[&str] = &[
        "MIT",
        "MIT-0",
        "Apache-2.0",
        "Apache-2.0 WITH LLVM-exception",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "ISC",
        "Zlib",
        "0BSD",
        "BSL-1.0",
        "CC0-1.0",
        "Unlicense",
        "Unicode-3.0",
        "Unicode-DFS-2016",
        "CDLA-Permissive-2.0",
        "MPL-2.0",
    ];
    const BANNED: &[&str] =
        &["openssl", "openssl-sys", "native-tls", "aws-lc-sys", "aws-lc-rs", "cmake", "opml", "htmd"];
    let metadata = metadata();
    for package in metadata["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        assert!(!BANNED.contains(&name), "{name} is banned");
        let licence = package["license"].as_str().unwrap_or_default().replace('/', " OR ");
        assert!(is_allowed(&licence, LICENCES), "{name} has the licence {licence:?}");
    }
    let lock = std::fs::read_to_string(root().join("Cargo.lock")).unwrap();
    assert!(lock.contains("[[package]]"), "Cargo.lock is committed");
}

/// Enough of SPDX for what crates write: OR of ANDs, with brackets around ORs inside ANDs.
fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
    let expression = expression.trim();
    if allowed.contains(&expression) {
        return true;
    }
    if let Some(parts) = split_outside_brackets(expression, " AND ") {
        return parts.iter().all(|part| is_allowed(part, allowed));
    }
    if let Some(parts) = split_outside_brackets(expression, " OR ") {
        return parts.iter().any(|part| is_allowed(part, allowed));
    }
    match expression.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) => is_allowed(inner, allowed),
        None => false,
    }
}

fn split_outside_brackets<'a>(text: &'a str, separator: &str) -> Option<Vec<&'a str>> {
    let mut depth = 0;
    let (mut parts, mut from) = (Vec::new(), 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ' ' if depth == 0 && text[at..].starts_with(separator) => {
                parts.push(&text[from..at]);
                from = at + separator.len();
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    (parts.len() > 1).then_some(parts)
}

#[test]
fn licence_expressions_are_read_right() {
    let check = |text| is_allowed(text, &["MIT", "Apache-2.0", "Unicode-3.0"]);
    assert!(check("MIT OR GPL-3.0") && check("(MIT OR GPL-3.0) AND Unicode-3.0"));
    assert!(!check("GPL-3.0") && !check("MIT AND GPL-3.0") && !check(""));
}

#[test]
fn the_dependency_lock_is_used_everywhere() {
    let script = std::fs::read_to_string(root().join("scripts/test")).unwrap();
    for line in script.lines().filter(|line| line.contains("cargo ") && line.contains("stage ")) {
        assert!(line.contains("--locked") || line.contains("cargo fmt"), "{line}");
    }
}

pub(crate) fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("target") {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found
}
