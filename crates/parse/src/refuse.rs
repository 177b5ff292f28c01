//! Why a document is no feed, in a sentence for the person who asked for it.

/// A refusal. Nothing was parsed, nothing may be stored, and what was stored before stays (N20).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAFeed {
    #[error("The document is empty.")]
    Empty,
    #[error("This is a web page, not a feed. Its feed may be linked from it.")]
    Html,
    #[error("This is a page that asks to sign in or to prove to be human, not a feed.")]
    Login,
    #[error("This is JSON, but not a JSON Feed: {0}.")]
    Json(String),
    #[error("This is a list of subscriptions (OPML), not a feed. It can be imported.")]
    Opml,
    #[error("This is plain text, not a feed.")]
    Text,
    #[error("This is XML, but its root element <{root}> is not that of a feed.")]
    UnknownXml { root: String },
    #[error("This is not text at all, so it is no feed.")]
    Binary,
}

impl NotAFeed {
    /// Whether looking for feed links in it makes sense.
    pub fn looks_like_html(&self) -> bool {
        matches!(self, NotAFeed::Html | NotAFeed::Login)
    }
}

/// Words of gate pages, in lower case. They are looked for in titles only, so that an article about them is no gate.
const GATES: [&str; 10] = [
    "log in",
    "login",
    "sign in",
    "captcha",
    "just a moment",
    "attention required",
    "access denied",
    "are you human",
    "robot check",
    "checking your browser",
];

/// Whether an HTML page is a gate rather than a page.
pub(crate) fn is_gate(text: &str, asks_for_password: bool) -> bool {
    let head = text.get(..text.len().min(16 << 10)).unwrap_or(text).to_lowercase();
    let title = head
        .split_once("<title")
        .and_then(|(_, rest)| rest.split_once("</title"))
        .map_or("", |(title, _)| title);
    asks_for_password || GATES.iter().any(|gate| title.contains(gate)) || head.contains("g-recaptcha")
}

/// Roots of pages that forgot to say `<html>`.
pub(crate) fn is_html_part(root: &str) -> bool {
    [
        "head", "body", "meta", "script", "div", "p", "center", "table", "h1", "title", "a", "br", "b",
        "noscript",
    ]
    .iter()
    .any(|part| part.eq_ignore_ascii_case(root))
}
