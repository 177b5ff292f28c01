//! Text that must never be printed.

use std::fmt;

/// A password, token or header value. `Debug` and `Display` show `***`; reading it is an explicit act.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Secret(text.into())
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// What a feed is sent beside the plain request: basic credentials and headers, each only to the feed's own origin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeedSecrets {
    pub user: Option<String>,
    pub password: Option<Secret>,
    pub headers: Vec<(String, Secret)>,
}

impl FeedSecrets {
    pub fn is_empty(&self) -> bool {
        self.user.is_none() && self.password.is_none() && self.headers.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_never_prints_itself() {
        let secrets = FeedSecrets {
            user: Some("mira".into()),
            password: Some(Secret::new("hunter2")),
            headers: vec![("X-Api-Key".into(), Secret::new("k3y"))],
        };
        let shown = format!("{secrets:?} {}", Secret::new("hunter2"));
        assert!(!shown.contains("hunter2") && !shown.contains("k3y"), "{shown}");
    }
}
