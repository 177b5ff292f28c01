//! How one person likes to read. Stored as one JSON text; every field has a default, so that older texts still read.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Preferences {
    pub theme: Theme,
    pub font: Font,
    pub text_size: TextSize,
    pub text_width: TextWidth,
    pub density: Density,
    pub mark_read: MarkRead,
    pub images: Images,
    pub order: ReadingOrder,
    /// Folder and feed lists show unread items only.
    pub hide_read: bool,
    /// Copies of a story share a row in lists; in Search they always do.
    pub group_stories: bool,
    pub start: Start,
    /// An IANA name; none follows the browser.
    pub time_zone: Option<String>,
    /// None follows the browser.
    pub language: Option<Language>,
    /// Where items can be sent to from their share menu.
    pub save_to: Vec<SaveTo>,
}

/// A service elsewhere that takes a link: its name, and its address with `{url}` and, if it likes, `{title}`. The
/// person's browser goes there; this server does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaveTo {
    pub name: String,
    pub address: String,
}

pub const SAVE_TO_MAX: usize = 8;
const SAVE_TO_NAME_CHARS_MAX: usize = 40;
const SAVE_TO_ADDRESS_CHARS_MAX: usize = 500;

impl SaveTo {
    /// None when a link could not be sent there: no name, no web address, or no `{url}` behind its host.
    pub fn new(name: &str, address: &str) -> Option<Self> {
        let (name, address) = (name.trim(), address.trim());
        let rest = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"))?;
        let (host, path) = rest.split_at(rest.find(['/', '?'])?);
        let is_plain = |text: &str| !text.chars().any(|c| c.is_control() || c.is_whitespace());
        let fits = (1..=SAVE_TO_NAME_CHARS_MAX).contains(&name.chars().count())
            && !name.chars().any(char::is_control)
            && address.chars().count() <= SAVE_TO_ADDRESS_CHARS_MAX;
        let takes_links = !host.is_empty() && !host.contains(['{', '}', '@', '\\']) && path.contains("{url}");
        (fits && takes_links && is_plain(address))
            .then(|| SaveTo { name: name.to_owned(), address: address.to_owned() })
    }

    /// The address that takes this link; `encode` makes text safe inside an address.
    pub fn link(&self, url: &str, title: &str, encode: impl Fn(&str) -> String) -> String {
        // The title goes in first: what it says is encoded, so no place is made by it.
        self.address.replace("{title}", &encode(title)).replace("{url}", &encode(url))
    }
}

/// Defines an enumeration with a stable name per value, for JSON, forms and templates.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $value:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $text)] $value),+
        }

        impl $name {
            pub const ALL: &[$name] = &[$($name::$value),+];

            pub const fn name(self) -> &'static str {
                match self {
                    $($name::$value => $text),+
                }
            }

            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.name() == name)
            }
        }
    };
}

named!(Theme {
    #[default]
    System = "system",
    Light = "light",
    Dark = "dark",
});
named!(
    /// For reading; the interface is always sans.
    Font {
        #[default]
        Serif = "serif",
        Sans = "sans",
    }
);
named!(TextSize {
    Smallest = "1",
    Small = "2",
    #[default]
    Normal = "3",
    Large = "4",
    Largest = "5",
});
named!(TextWidth {
    Narrow = "narrow",
    #[default]
    Normal = "normal",
    Wide = "wide",
});
named!(Density {
    Titles = "titles",
    #[default]
    Normal = "normal",
    Cards = "cards",
});
named!(
    /// When an item counts as read without a click.
    MarkRead {
        #[default]
        OnOpen = "open",
        /// Once it has been scrolled out of the list.
        OnScroll = "scroll",
        /// Once it has been open for some seconds.
        AfterDelay = "delay",
        Never = "never",
    }
);
named!(Images {
    /// Through this server, so that publishers do not see who reads.
    #[default]
    Proxy = "proxy",
    Direct = "direct",
    Hidden = "none",
});
named!(ReadingOrder {
    #[default]
    NewestFirst = "newest",
    OldestFirst = "oldest",
});
named!(Start {
    ForYou = "foryou",
    Newest = "newest",
    #[default]
    Unread = "unread",
    Starred = "starred",
});
named!(Language {
    #[default]
    English = "en",
    German = "de",
});

/// "After a delay" means this long.
pub const MARK_READ_DELAY_S: u64 = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_takes_links_behind_a_host_of_its_own() {
        let ok = SaveTo::new(" Later ", "https://later.test/add?u={url}&t={title}").expect("a service");
        assert_eq!(ok.name, "Later");
        let encode = |text: &str| text.replace(['{', '}', '&', ' '], "%");
        assert_eq!(
            ok.link("https://a.test/?x&y", "{url} b", encode),
            "https://later.test/add?u=https://a.test/?x%y&t=%url%%b"
        );
        for bad in [
            "javascript:alert({url})",
            "https://{url}/",
            "https://later.test/",
            "https:///add?u={url}",
            "https://u@later.test/{url}",
            "ftp://later.test/{url}",
            "https://later.test/a b?{url}",
            "later.test/{url}",
        ] {
            assert_eq!(SaveTo::new("x", bad), None, "{bad}");
        }
        assert_eq!(SaveTo::new("", "https://later.test/{url}"), None);
        assert_eq!(SaveTo::new("x", &format!("https://later.test/{}{{url}}", "x".repeat(600))), None);
    }

    #[test]
    fn preferences_of_an_older_program_still_read_and_names_come_back() {
        let read: Preferences = serde_json::from_str(r#"{"theme":"dark"}"#).expect("preferences");
        assert_eq!(read, Preferences { theme: Theme::Dark, ..Preferences::default() });
        for value in Density::ALL {
            assert_eq!(Density::from_name(value.name()), Some(*value));
        }
        assert_eq!(Theme::from_name("<b>"), None);
    }
}
