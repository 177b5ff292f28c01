//! Every text of the interface, in one place: a file per group of pages, each text beside its translation.
//!
//! A text that lacks a language does not compile. Texts with numbers in them hold `{n}` and, where one differs from
//! many, both forms with a bar between: `{n} item|{n} items`.

mod admin;
mod buzz;
mod common;
mod discover;
mod entry;
mod feed;
mod feeds;
mod foryou;
mod friends;
mod getting_in;
mod item;
mod list;
mod outcome;
mod problem;
mod rules;
mod schedule;
mod search;
mod settings;
mod tags;
mod trial;

use domain::preferences::Language;
pub use outcome::in_german;
use std::fmt::Display;

/// Defines one group of texts: `key: "English", "German";`.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($key:ident: $en:literal, $de:literal;)+ }) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) struct $name {
            $(pub(crate) $key: &'static str,)+
        }

        impl $name {
            pub(in crate::words) const EN: $name = $name { $($key: $en,)+ };
            pub(in crate::words) const DE: $name = $name { $($key: $de,)+ };

            #[cfg(test)]
            pub(in crate::words) fn pairs() -> Vec<(&'static str, &'static str, &'static str)> {
                vec![$((stringify!($key), $en, $de),)+]
            }
        }
    };
}
use words;

/// Collects the groups into one value per language.
macro_rules! languages {
    ($($group:ident: $module:ident::$name:ident),+ $(,)?) => {
        #[derive(Debug)]
        pub(crate) struct Words {
            pub(crate) language: Language,
            $(pub(crate) $group: $module::$name,)+
        }

        static ENGLISH: Words = Words { language: Language::English, $($group: $module::$name::EN,)+ };
        static GERMAN: Words = Words { language: Language::German, $($group: $module::$name::DE,)+ };

        #[cfg(test)]
        fn all_pairs() -> Vec<(&'static str, &'static str, &'static str)> {
            let mut all = Vec::new();
            $(all.extend($module::$name::pairs());)+
            all
        }
    };
}

languages!(
    buzz: buzz::BuzzWords,
    common: common::Common,
    discover: discover::DiscoverWords,
    entry: entry::Entry,
    getting_in: getting_in::GettingIn,
    feeds: feeds::FeedsWords,
    feed: feed::FeedWords,
    foryou: foryou::ForYouWords,
    friends: friends::FriendWords,
    list: list::List,
    item: item::ItemWords,
    problem: problem::ProblemWords,
    rules: rules::Rules,
    schedule: schedule::ScheduleWords,
    search: search::SearchWords,
    settings: settings::SettingsWords,
    tags: tags::TagWords,
    trial: trial::TrialWords,
    admin: admin::AdminWords,
);

impl Words {
    pub(crate) fn of(language: Language) -> &'static Words {
        match language {
            Language::English => &ENGLISH,
            Language::German => &GERMAN,
        }
    }

    /// What the browser likes best of what we speak (RFC 9110 §12.5.4); English when it says nothing.
    pub(crate) fn accepted(header: Option<&str>) -> &'static Words {
        const PARTS_MAX: usize = 20;
        let mut best = (0.0, Language::English);
        for part in header.unwrap_or_default().split(',').take(PARTS_MAX) {
            let (tag, weight) = part.split_once(';').unwrap_or((part, "q=1"));
            let weight: f32 = weight.trim().strip_prefix("q=").and_then(|q| q.parse().ok()).unwrap_or(0.0);
            let primary = tag.trim().split('-').next().unwrap_or_default().to_ascii_lowercase();
            if let Some(language) = Language::from_name(&primary)
                && weight > best.0
            {
                best = (weight, language);
            }
        }
        Words::of(best.1)
    }

    /// The code for `lang` attributes.
    pub(crate) fn code(&self) -> &'static str {
        self.language.name()
    }

    /// A number with the language's groups: 1,482 or 1.482.
    pub(crate) fn number(&self, n: u64) -> String {
        let separator = match self.language {
            Language::English => ',',
            Language::German => '.',
        };
        let digits = n.to_string();
        let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
        for (place, digit) in digits.chars().enumerate() {
            if place > 0 && (digits.len() - place).is_multiple_of(3) {
                grouped.push(separator);
            }
            grouped.push(digit);
        }
        grouped
    }

    /// `text` with its number, in the form for one or for many.
    pub(crate) fn count(&self, text: &str, n: u64) -> String {
        let (one, many) = text.split_once('|').unwrap_or((text, text));
        fill(if n == 1 { one } else { many }, &[("n", &self.number(n))])
    }

    /// The same for a text with more places than its number.
    pub(crate) fn count_with(&self, text: &str, n: u64, values: &[(&str, &dyn Display)]) -> String {
        let (one, many) = text.split_once('|').unwrap_or((text, text));
        let number = self.number(n);
        let mut all: Vec<(&str, &dyn Display)> = values.to_vec();
        all.push(("n", &number));
        fill(if n == 1 { one } else { many }, &all)
    }

    /// One decimal, with the language's point.
    pub(crate) fn decimal(&self, value: f64) -> String {
        let text = format!("{value:.1}");
        match self.language {
            Language::English => text,
            Language::German => text.replace('.', ","),
        }
    }
}

/// Puts values into the places of a text. What is put in is never searched for places again.
pub(crate) fn fill(text: &str, values: &[(&str, &dyn Display)]) -> String {
    let mut filled = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let Some(length) = rest[start..].find('}') else { break };
        filled.push_str(&rest[..start]);
        let name = &rest[start + 1..start + length];
        if let Some((_, value)) = values.iter().find(|(key, _)| *key == name) {
            filled.push_str(&value.to_string());
        }
        rest = &rest[start + length + 1..];
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn places(text: &str) -> BTreeSet<&str> {
        text.split('{').skip(1).filter_map(|part| part.split_once('}').map(|(name, _)| name)).collect()
    }

    #[test]
    fn every_text_has_the_same_places_and_forms_in_both_languages() {
        for (key, english, german) in all_pairs() {
            assert!(!english.trim().is_empty() && !german.trim().is_empty(), "{key}");
            assert_eq!(places(english), places(german), "{key}");
            assert_eq!(english.matches('|').count(), german.matches('|').count(), "{key}");
        }
    }

    #[test]
    fn numbers_are_grouped_and_one_is_not_many() {
        let (en, de) = (Words::of(Language::English), Words::of(Language::German));
        assert_eq!(en.count("{n} item|{n} items", 1), "1 item");
        assert_eq!(en.count("{n} item|{n} items", 12_345), "12,345 items");
        assert_eq!(de.number(1_000_000), "1.000.000");
        assert_eq!(en.number(999), "999");
        assert_eq!((en.decimal(9.14), de.decimal(9.14)), ("9.1".to_owned(), "9,1".to_owned()));
    }

    #[test]
    fn what_is_filled_in_is_not_read_as_a_place() {
        assert_eq!(fill("{a} and {b}", &[("a", &"{b}"), ("b", &2)]), "{b} and 2");
        assert_eq!(fill("{unknown}!", &[]), "!");
        assert_eq!(fill("broken {", &[]), "broken {");
    }

    #[test]
    fn the_browser_chooses_the_language() {
        let chosen = |header| Words::accepted(header).language;
        assert_eq!(chosen(None), Language::English);
        assert_eq!(chosen(Some("de-AT,de;q=0.9,en;q=0.8")), Language::German);
        assert_eq!(chosen(Some("fr,en;q=0.4,de;q=0.6")), Language::German);
        assert_eq!(chosen(Some("fr;q=x,,;;=")), Language::English);
    }
}
