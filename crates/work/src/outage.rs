//! Is it them or us? When polls of several providers in a row get no answer at all and nobody answers in between, the
//! fault is our own network's, and no feed is blamed for it.

use std::collections::BTreeSet;

/// How many different providers must fail without an answer before we suspect ourselves.
const PROVIDERS_MIN: usize = 3;

#[derive(Debug, Default)]
pub(crate) struct Outage {
    unanswered: BTreeSet<String>,
}

impl Outage {
    /// Somebody answered, if only with an error: our network works.
    pub(crate) fn answered(&mut self) {
        self.unanswered.clear();
    }

    /// `provider` gave no answer at all; true when this looks like our own outage.
    pub(crate) fn unanswered(&mut self, provider: &str) -> bool {
        if self.unanswered.len() < PROVIDERS_MIN {
            self.unanswered.insert(provider.to_owned());
        }
        self.is_ours()
    }

    pub(crate) fn is_ours(&self) -> bool {
        self.unanswered.len() >= PROVIDERS_MIN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn if_everything_fails_we_blame_ourselves() {
        let mut outage = Outage::default();
        assert!(!outage.unanswered("a.test"));
        assert!(!outage.unanswered("b.test"));
        assert!(outage.unanswered("c.test"));
        outage.answered();
        assert!(!outage.is_ours());
    }

    #[test]
    fn one_dead_provider_with_many_feeds_is_not_our_outage() {
        let mut outage = Outage::default();
        assert!((0..100).all(|_| !outage.unanswered("dead.test")));
    }
}
