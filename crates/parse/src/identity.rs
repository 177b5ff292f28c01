//! Which item is which (D1): a stable name for every item, of our own making.
//!
//! The key is the guid where it is unique in the document; else guid and link; else the link where that is unique;
//! else title, date and text. Each kind of key is hashed behind its own prefix, so that a guid can never be taken for
//! a link. Uniqueness is a property of one document, so the kind of key may change when a publisher starts to repeat
//! a guid; the `twin`, a hash of link and title, lets the store recognise the item then.
//!
//! Addresses are compared without what changes between copies of the same address: scheme, case of the host, default
//! port, tracking parameters. Fragments count, because change logs and wikis tell their items apart by nothing else.

use domain::{Identity, Timestamp};
use std::collections::{HashMap, HashSet};
use url::Url;
use xxhash_rust::xxh3::Xxh3Default;

/// What identity is made from.
pub(crate) struct Keys {
    pub(crate) guid: Option<String>,
    pub(crate) link: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) date: Option<Timestamp>,
    /// [`digest`] of the body as it was written, before sanitising: our rules may change, the item must not.
    pub(crate) text: Option<u128>,
}

pub(crate) struct Named {
    pub(crate) identity: Identity,
    pub(crate) twin: Option<Identity>,
}

/// Names the items of one document. The order of `items` changes nothing.
pub(crate) fn name_items(items: &[Keys]) -> Vec<Named> {
    let canon: Vec<Canon<'_>> = items.iter().map(Canon::new).collect();
    let distinct = distinct(&canon);
    let guids = count(&distinct, Canon::guid_key);
    let pairs = count(&distinct, Canon::pair_key);
    let links = count(&distinct, Canon::link_key);
    let twins = count(&distinct, Canon::twin_key);
    let rolling = dates_roll(items);
    let unique =
        |counts: &HashMap<u128, u32>, key: Option<u128>| key.filter(|key| counts.get(key) == Some(&1));
    canon
        .iter()
        .map(|item| {
            let key = unique(&guids, item.guid_key())
                .or_else(|| unique(&pairs, item.pair_key()))
                .or_else(|| unique(&links, item.link_key()).filter(|_| item.guid.is_none()))
                .unwrap_or_else(|| item.text_key(rolling));
            Named { identity: Identity(key), twin: unique(&twins, item.twin_key()).map(Identity) }
        })
        .collect()
}

/// The items without repetitions: a document that holds an item twice must not lose its guid's uniqueness for it. The
/// same guid, link and title make a repetition; an item that lacks one of them must be equal in everything.
fn distinct<'c, 'a>(canon: &'c [Canon<'a>]) -> Vec<&'c Canon<'a>> {
    let mut seen = HashSet::new();
    canon.iter().filter(|item| seen.insert(item.repetition_key())).collect()
}

fn count<'a>(items: &[&Canon<'a>], key: impl Fn(&Canon<'a>) -> Option<u128>) -> HashMap<u128, u32> {
    let mut counts = HashMap::new();
    for key in items.iter().filter_map(|item| key(item)) {
        *counts.entry(key).or_insert(0) += 1;
    }
    counts
}

/// Some publishers date every item with the moment of the request; such a date says nothing about the item.
fn dates_roll(items: &[Keys]) -> bool {
    let first = items.first().and_then(|item| item.date);
    items.len() >= 2 && first.is_some() && items.iter().all(|item| item.date == first)
}

struct Canon<'a> {
    guid: Option<String>,
    link: Option<String>,
    keys: &'a Keys,
}

impl<'a> Canon<'a> {
    fn new(keys: &'a Keys) -> Self {
        Canon { guid: keys.guid.as_deref().map(canonical), link: keys.link.as_deref().map(canonical), keys }
    }

    fn guid_key(&self) -> Option<u128> {
        Some(hash("guid", &[Some(self.guid.as_deref()?)]))
    }

    fn pair_key(&self) -> Option<u128> {
        Some(hash("guid+link", &[Some(self.guid.as_deref()?), Some(self.link.as_deref()?)]))
    }

    fn link_key(&self) -> Option<u128> {
        Some(hash("link", &[Some(self.link.as_deref()?)]))
    }

    fn twin_key(&self) -> Option<u128> {
        Some(hash("twin", &[Some(self.link.as_deref()?), Some(self.keys.title.as_deref()?)]))
    }

    fn text(&self) -> Option<String> {
        self.keys.text.map(|text| format!("{text:032x}"))
    }

    fn repetition_key(&self) -> u128 {
        let (guid, link, title) = (self.guid.as_deref(), self.link.as_deref(), self.keys.title.as_deref());
        if guid.is_some() && link.is_some() && title.is_some() {
            return hash("same", &[guid, link, title]);
        }
        let date = self.keys.date.map(|date| date.seconds().to_string());
        hash("equal", &[guid, link, title, date.as_deref(), self.text().as_deref()])
    }

    fn text_key(&self, rolling: bool) -> u128 {
        let date = self.keys.date.filter(|_| !rolling).map(|date| date.seconds().to_string());
        hash("text", &[self.keys.title.as_deref(), date.as_deref(), self.text().as_deref()])
    }
}

pub(crate) fn digest(text: &str) -> u128 {
    xxhash_rust::xxh3::xxh3_128(text.trim().as_bytes())
}

/// Length-prefixed, so that no two lists of parts run together.
fn hash(kind: &str, parts: &[Option<&str>]) -> u128 {
    let mut hasher = Xxh3Default::new();
    hasher.update(kind.as_bytes());
    for part in parts {
        feed(&mut hasher, *part);
    }
    hasher.digest128()
}

fn feed(hasher: &mut Xxh3Default, part: Option<&str>) {
    let length = part.map_or(u64::MAX, |text| text.len() as u64);
    hasher.update(&length.to_le_bytes());
    hasher.update(part.unwrap_or("").as_bytes());
}

/// A hash of everything a reader sees, in the order given.
pub(crate) fn content_hash<'a>(parts: impl Iterator<Item = Option<&'a str>>) -> u64 {
    let mut hasher = Xxh3Default::new();
    parts.for_each(|part| feed(&mut hasher, part));
    hasher.digest()
}

/// The comparable form of a guid or link. What is no web address stays as it is.
pub(crate) fn canonical(text: &str) -> String {
    let text = text.trim();
    let is_web = text.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("http://"))
        || text.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("https://"));
    let Some(url) = is_web.then(|| Url::parse(text).ok()).flatten() else { return text.to_owned() };
    let host = url.host_str().unwrap_or("").trim_end_matches('.');
    let mut out = format!("web://{host}");
    if let Some(port) = url.port().filter(|port| *port != 80 && *port != 443) {
        out.push_str(&format!(":{port}"));
    }
    out.push_str(url.path());
    let mut separator = '?';
    for pair in url.query().unwrap_or("").split('&').filter(|pair| !pair.is_empty() && !is_tracking(pair)) {
        out.push(separator);
        out.push_str(pair);
        separator = '&';
    }
    if let Some(fragment) = url.fragment().filter(|f| !f.is_empty() && !is_tracking(f)) {
        out.push('#');
        out.push_str(fragment);
    }
    out
}

/// Parameters that say how a reader came, never what is shown.
fn is_tracking(pair: &str) -> bool {
    const NAMES: [&str; 22] = [
        "fbclid",
        "gclid",
        "dclid",
        "gclsrc",
        "msclkid",
        "yclid",
        "twclid",
        "igshid",
        "mc_cid",
        "mc_eid",
        "_hsenc",
        "_hsmi",
        "mkt_tok",
        "vero_id",
        "oly_anon_id",
        "oly_enc_id",
        "wickedid",
        "xtor",
        "at_medium",
        "at_campaign",
        "ncid",
        "cmpid",
    ];
    let name = pair.split('=').next().unwrap_or(pair).to_ascii_lowercase();
    name.starts_with("utm_")
        || name.starts_with("pk_")
        || name.starts_with("mtm_")
        || NAMES.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(guid: &str, link: &str, title: &str) -> Keys {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Keys { guid: some(guid), link: some(link), title: some(title), date: None, text: None }
    }

    fn names(items: &[Keys]) -> Vec<Identity> {
        name_items(items).into_iter().map(|named| named.identity).collect()
    }

    #[test]
    fn d1_addresses_that_differ_only_in_dressing_are_one() {
        let plain = canonical("https://h.test/a?id=1");
        for dressed in [
            "http://h.test/a?id=1",
            "https://H.TEST:443/a?id=1",
            "https://h.test./a?id=1",
            "https://h.test/a?utm_source=rss&id=1&fbclid=x",
            " https://h.test/a?id=1#utm_source=feed ",
        ] {
            assert_eq!(canonical(dressed), plain, "{dressed}");
        }
        for other in [
            "https://h.test/b?id=1",
            "https://h.test/a?id=2",
            "https://h.test/a?id=1#x",
            "https://h.test:8080/a?id=1",
        ] {
            assert_ne!(canonical(other), plain, "{other}");
        }
        assert_eq!(canonical("tag:h.test,2024:1"), "tag:h.test,2024:1");
    }

    #[test]
    fn d1_a_unique_guid_is_the_identity_whatever_else_changes() {
        let before = names(&[keys("g1", "https://h.test/1", "One"), keys("g2", "https://h.test/2", "Two")]);
        let after =
            names(&[keys("g2", "https://h.test/2b", "Two!"), keys("g1", "https://h.test/1b", "One!")]);
        assert_eq!(before, [after[1], after[0]]);
    }

    #[test]
    fn d1_one_guid_for_all_falls_back_to_guid_and_link() {
        let named = names(&[keys("g", "https://h.test/1", "One"), keys("g", "https://h.test/2", "Two")]);
        assert_ne!(named[0], named[1]);
        let named = names(&[keys("g", "https://h.test/", "One"), keys("g", "https://h.test/", "Two")]);
        assert_ne!(named[0], named[1]);
    }

    #[test]
    fn d1_a_guid_is_never_taken_for_a_link() {
        let guid = names(&[keys("https://h.test/1", "", "")]);
        let link = names(&[keys("", "https://h.test/1", "")]);
        assert_ne!(guid, link);
    }

    #[test]
    fn d6_rolling_dates_do_not_make_new_items() {
        let dated = |seconds: i64, title: &str| Keys {
            date: Some(Timestamp::from_seconds(seconds)),
            ..keys("", "", title)
        };
        let first = names(&[dated(100, "a"), dated(100, "b")]);
        let second = names(&[dated(200, "a"), dated(200, "b")]);
        assert_eq!(first, second);
        let honest = names(&[dated(100, "a"), dated(200, "a")]);
        assert_ne!(honest[0], honest[1]);
    }

    #[test]
    fn d1_twins_need_link_and_title_and_no_double() {
        let named = name_items(&[
            keys("g1", "https://h.test/1", "One"),
            keys("g2", "https://h.test/2", "Same"),
            keys("g3", "https://h.test/2", "Same"),
            keys("g4", "", "Four"),
        ]);
        assert!(named[0].twin.is_some());
        assert!(named[1..].iter().all(|item| item.twin.is_none()));
    }
}
