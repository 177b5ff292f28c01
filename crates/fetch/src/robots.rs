//! robots.txt (RFC 9309; N25), for everything we start ourselves.
//!
//! Reading and matching are pure; `Cache` remembers what sites said, for at most a day and within a bound. Our own
//! reader instead of a crate: the one at hand compiles a regular expression per rule, which a 500 KiB file of rules
//! turns into hundreds of megabytes.

use crate::request::hex_pair;
use domain::Timestamp;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use url::Url;

/// Our product token, matched without regard to case.
pub(crate) const TOKEN: &str = "wellread";
/// RFC 9309 §2.5 asks for at least 500 KiB.
pub(crate) const FILE_BYTES_MAX: u64 = 512 * 1024;
/// RFC 9309 §2.4: not longer than a day.
const KEPT_FOR: Duration = Duration::from_secs(24 * 3600);
/// An unreachable file is asked for again sooner.
const UNREACHABLE_FOR: Duration = Duration::from_secs(15 * 60);
const DELAY_MAX: Duration = Duration::from_secs(60);
const SITES_MAX: usize = 2_000;
const RULE_BYTES_MAX: usize = 8 << 20;

/// What a site says about one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Allowed {
        crawl_delay: Option<Duration>,
    },
    Disallowed {
        crawl_delay: Option<Duration>,
    },
    /// 5xx or no answer: disallowed for now (RFC 9309 §2.3.1.4).
    Unreachable,
}

/// A site's answer, as far as it concerns us.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Policy {
    Rules(Rules),
    Unreachable,
}

impl Policy {
    pub(crate) fn verdict(&self, url: &Url) -> Verdict {
        match self {
            Policy::Unreachable => Verdict::Unreachable,
            Policy::Rules(rules) if rules.allows(url) => Verdict::Allowed { crawl_delay: rules.crawl_delay },
            Policy::Rules(rules) => Verdict::Disallowed { crawl_delay: rules.crawl_delay },
        }
    }

    fn cost(&self) -> usize {
        match self {
            Policy::Rules(rules) => {
                rules.rules.iter().map(|rule| rule.pattern.len() + size_of::<Rule>()).sum()
            }
            Policy::Unreachable => 0,
        }
    }
}

/// The rules of the groups that are meant for us.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Rules {
    rules: Vec<Rule>,
    pub(crate) crawl_delay: Option<Duration>,
}

#[derive(Debug, Clone, PartialEq)]
struct Rule {
    allow: bool,
    /// Normalised; `*` is any text, a `$` at the end anchors.
    pattern: Box<str>,
}

impl Rules {
    /// Reads a file, however broken. Groups for our token count; only if there is none, the groups for `*`.
    pub(crate) fn parse(file: &[u8]) -> Rules {
        let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
        let (mut ours, mut everybodys, mut named) = (Rules::default(), Rules::default(), false);
        let mut group = Group::default();
        for line in file.split(|byte| matches!(byte, b'\n' | b'\r')) {
            let Some((key, value)) = key_value(line) else { continue };
            if key.eq_ignore_ascii_case("user-agent") {
                group.begin(&value);
                named |= group.ours;
                continue;
            }
            let mut add = |apply: &dyn Fn(&mut Rules)| {
                group.open = false;
                if group.ours {
                    apply(&mut ours);
                }
                if group.everybodys {
                    apply(&mut everybodys);
                }
            };
            match key.to_ascii_lowercase().as_str() {
                "allow" => add(&|rules| rules.push(true, &value)),
                "disallow" => add(&|rules| rules.push(false, &value)),
                "crawl-delay" => add(&|rules| rules.crawl_delay = rules.crawl_delay.or(delay(&value))),
                _ => {}
            }
        }
        if named { ours } else { everybodys }
    }

    /// The longest matching rule decides, `allow` among equals; no rule means allowed (RFC 9309 §2.2.2).
    pub(crate) fn allows(&self, url: &Url) -> bool {
        if url.path() == "/robots.txt" {
            return true;
        }
        let path = match url.query() {
            Some(query) => normal(&format!("{}?{query}", url.path()), Text::Path),
            None => normal(url.path(), Text::Path),
        };
        let matching = self.rules.iter().filter(|rule| matches(&rule.pattern, &path));
        matching.max_by_key(|rule| (rule.pattern.len(), rule.allow)).is_none_or(|rule| rule.allow)
    }

    fn push(&mut self, allow: bool, pattern: &str) {
        // An empty pattern matches nothing ("Disallow:" allows all); one that cannot begin a path is a mistake.
        if pattern.starts_with(['/', '*', '$']) {
            self.rules.push(Rule { allow, pattern: normal(pattern, Text::Pattern).into_boxed_str() });
        }
    }
}

/// Whom the lines being read are meant for. Agents that follow each other share one group.
#[derive(Default)]
struct Group {
    ours: bool,
    everybodys: bool,
    open: bool,
}

impl Group {
    fn begin(&mut self, agent: &str) {
        if !self.open {
            *self = Group { open: true, ..Group::default() };
        }
        // The token ends where its characters do: "Wellread/1.0" means us, "Wellreader" does not.
        let token = agent
            .split(|c: char| !c.is_ascii_alphabetic() && c != '_' && c != '-')
            .next()
            .unwrap_or_default();
        self.ours |= token.eq_ignore_ascii_case(TOKEN);
        self.everybodys |= agent.starts_with('*');
    }
}

fn key_value(line: &[u8]) -> Option<(String, String)> {
    let line = line.split(|byte| *byte == b'#').next().unwrap_or_default();
    let text = String::from_utf8_lossy(line);
    let (key, value) = text.split_once(':')?;
    Some((key.trim().to_owned(), value.trim().to_owned()))
}

fn delay(value: &str) -> Option<Duration> {
    let seconds: f64 = value.parse().ok()?;
    let delay = Duration::try_from_secs_f64(seconds).unwrap_or(if seconds > 0.0 {
        DELAY_MAX
    } else {
        Duration::ZERO
    });
    (delay > Duration::ZERO).then_some(delay.min(DELAY_MAX))
}

#[derive(Clone, Copy, PartialEq)]
enum Text {
    Path,
    Pattern,
}

/// One spelling for one octet (RFC 9309 §2.2.2): unreserved characters bare, everything outside ASCII encoded, other
/// encodings in upper case. In a path `*` and `$` are literal, so they are encoded to differ from a pattern's own.
fn normal(text: &str, kind: Text) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let encoded = bytes.get(at + 1..at + 3).and_then(hex_pair).filter(|_| byte == b'%');
        at += if encoded.is_some() { 3 } else { 1 };
        let value = encoded.unwrap_or(byte);
        let bare = match encoded {
            Some(_) => value.is_ascii_alphanumeric() || matches!(value, b'-' | b'.' | b'_' | b'~'),
            None => value.is_ascii() && !(kind == Text::Path && matches!(value, b'*' | b'$')),
        };
        if bare { out.push(char::from(value)) } else { out.push_str(&format!("%{value:02X}")) }
    }
    out
}

/// Whether `path` begins as the pattern says. Each piece between stars is taken at its first place, which is enough:
/// an earlier place leaves more room for the rest. The last piece of an anchored pattern must end the path.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, anchored) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let (first, rest) = match pattern.split_once('*') {
        None if anchored => return path == pattern,
        None => return path.starts_with(pattern),
        Some(split) => split,
    };
    let Some(mut path) = path.strip_prefix(first) else { return false };
    let mut pieces = rest.split('*').peekable();
    while let Some(piece) = pieces.next() {
        if anchored && pieces.peek().is_none() {
            return path.ends_with(piece);
        }
        let Some(at) = path.find(piece) else { return false };
        path = &path[at + piece.len()..];
    }
    true
}

/// What sites said, bounded in sites and in bytes; the oldest leave first.
#[derive(Default)]
pub(crate) struct Cache {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    sites: HashMap<String, Entry>,
    order: VecDeque<String>,
    bytes: usize,
}

struct Entry {
    policy: Arc<Policy>,
    until: Timestamp,
}

impl Cache {
    pub(crate) fn get(&self, site: &str, now: Timestamp) -> Option<Arc<Policy>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = kept.sites.get(site)?;
        // A clock that was set back must not stretch the day.
        (now < entry.until && entry.until <= now.saturating_add(KEPT_FOR)).then(|| entry.policy.clone())
    }

    pub(crate) fn put(&self, site: String, policy: Arc<Policy>, now: Timestamp) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.remove(&site);
        let life = if *policy == Policy::Unreachable { UNREACHABLE_FOR } else { KEPT_FOR };
        kept.bytes += policy.cost();
        kept.order.push_back(site.clone());
        kept.sites.insert(site, Entry { policy, until: now.saturating_add(life) });
        while kept.sites.len() > SITES_MAX || kept.bytes > RULE_BYTES_MAX {
            let Some(oldest) = kept.order.front().cloned() else { break };
            kept.remove(&oldest);
        }
    }
}

impl Kept {
    fn remove(&mut self, site: &str) {
        if let Some(entry) = self.sites.remove(site) {
            self.bytes = self.bytes.saturating_sub(entry.policy.cost());
            self.order.retain(|other| other != site);
        }
    }
}

#[cfg(test)]
mod tests;
