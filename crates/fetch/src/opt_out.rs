//! Publishers who asked to be left alone (N26). A list that may change while we run, shared by everything that fetches.

use crate::guard::normal_name;
use std::collections::HashSet;
use std::sync::{Arc, PoisonError, RwLock};
use url::Url;

/// Hosts that are never asked, each with the hosts below it. Clones share the list.
#[derive(Debug, Clone, Default)]
pub struct OptOuts(Arc<RwLock<HashSet<String>>>);

impl OptOuts {
    /// Replaces the list. Counts from the next request on, redirects included.
    pub fn set(&self, hosts: impl IntoIterator<Item = String>) {
        let hosts =
            hosts.into_iter().map(|host| normal_name(&host)).filter(|host| !host.is_empty()).collect();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = hosts;
    }

    pub(crate) fn holds(&self, url: &Url) -> bool {
        let hosts = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if hosts.is_empty() {
            return false;
        }
        let host = normal_name(url.host_str().unwrap_or_default());
        let mut rest = Some(host.as_str());
        while let Some(name) = rest {
            if hosts.contains(name) {
                return true;
            }
            rest = name.split_once('.').map(|(_, above)| above);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(list: &[&str], address: &str) -> bool {
        let opt_outs = OptOuts::default();
        opt_outs.set(list.iter().map(|host| (*host).to_owned()));
        opt_outs.holds(&Url::parse(address).expect("an address"))
    }

    #[test]
    fn n26_a_host_is_left_alone_with_the_hosts_below_it_and_nobody_else() {
        let list = ["Example.org.", "192.0.2.7", ""];
        for held in ["https://example.org/feed", "http://a.b.EXAMPLE.org./", "http://192.0.2.7:8080/"] {
            assert!(holds(&list, held), "{held}");
        }
        for free in
            ["https://notexample.org/", "https://example.org.evil.test/", "https://org/", "http://192.0.2.8/"]
        {
            assert!(!holds(&list, free), "{free}");
        }
        assert!(!holds(&[], "https://example.org/"));
    }
}
