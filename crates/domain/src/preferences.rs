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
    pub start: Start,
    /// An IANA name; none follows the browser.
    pub time_zone: Option<String>,
    /// None follows the browser.
    pub language: Option<Language>,
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
    fn preferences_of_an_older_program_still_read_and_names_come_back() {
        let read: Preferences = serde_json::from_str(r#"{"theme":"dark"}"#).expect("preferences");
        assert_eq!(read, Preferences { theme: Theme::Dark, ..Preferences::default() });
        for value in Density::ALL {
            assert_eq!(Density::from_name(value.name()), Some(*value));
        }
        assert_eq!(Theme::from_name("<b>"), None);
    }
}
