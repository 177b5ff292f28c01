//! A person's standing orders about new items: hide, mark read, star, tag.
//!
//! A rule is plain data here; `rules` compiles and matches it, `store` keeps it, `work` applies it to what a poll
//! brings. Bounds on patterns and counts are in [`crate::Limits`].

use crate::id::{FeedId, FolderId, RuleId, UserId};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub id: RuleId,
    pub user: UserId,
    pub order: RuleOrder,
    pub enabled: bool,
    /// Why the rule was switched off by the server (O2); none when a person did it.
    pub notice: Option<String>,
}

/// What a rule says; stored as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleOrder {
    pub scope: RuleScope,
    /// All of them must hold; at least one, at most five.
    pub conditions: Vec<Condition>,
    pub action: RuleAction,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuleScope {
    Everything,
    /// A folder with the folders inside it.
    Folder(FolderId),
    Feed(FeedId),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    pub field: RuleField,
    pub pattern: Pattern,
    /// The condition holds when the pattern is *not* found.
    #[serde(default)]
    pub negated: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuleField {
    /// Title or text.
    Anywhere,
    Title,
    Text,
    Author,
    Link,
    /// Any of the publisher's tags.
    Tag,
    /// The feed's or the item's own language, by its code: `de` also holds for `de-AT`.
    Language,
}

impl RuleField {
    pub const ALL: [RuleField; 7] = [
        RuleField::Anywhere,
        RuleField::Title,
        RuleField::Text,
        RuleField::Author,
        RuleField::Link,
        RuleField::Tag,
        RuleField::Language,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            RuleField::Anywhere => "anywhere",
            RuleField::Title => "title",
            RuleField::Text => "text",
            RuleField::Author => "author",
            RuleField::Link => "link",
            RuleField::Tag => "tag",
            RuleField::Language => "language",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.name() == name)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// Any of these whole words, whatever their case.
    Words(Vec<String>),
    /// These words in this order, whatever their case and the space between them.
    Phrase(String),
    /// A regular expression without look-around or back-references, whatever the case.
    Regex(String),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuleAction {
    /// Out of every list but "Hidden", and read.
    Hide,
    MarkRead,
    Star,
    Tag(String),
}
