//! Starter packs: well-known feeds that can be read freely, by topic, for people who bring none.
//!
//! A table and nothing more. Each publication is named as it names itself; a feed that has moved or died since shows
//! up on the import's page like any other.

use crate::words::Words;
use domain::NewSubscription;
use domain::preferences::Language;

pub(crate) struct Pack {
    /// For forms.
    pub(crate) key: &'static str,
    en: &'static str,
    de: &'static str,
    /// Title and address.
    pub(crate) feeds: &'static [(&'static str, &'static str)],
}

impl Pack {
    pub(crate) fn find(key: &str) -> Option<&'static Pack> {
        PACKS.iter().find(|pack| pack.key == key)
    }

    pub(crate) fn name(&self, w: &Words) -> &'static str {
        match w.language {
            Language::English => self.en,
            Language::German => self.de,
        }
    }

    /// All of it, in a folder of the pack's name.
    pub(crate) fn subscriptions(&self, w: &Words) -> Vec<NewSubscription> {
        self.feeds
            .iter()
            .map(|(_, url)| NewSubscription {
                url: (*url).to_owned(),
                // The feed's own title comes with its first poll; ours would hide it.
                title: None,
                site_url: None,
                folder: vec![self.name(w).to_owned()],
            })
            .collect()
    }
}

pub(crate) const PACKS: &[Pack] = &[
    Pack {
        key: "world",
        en: "World news",
        de: "Nachrichten aus aller Welt",
        feeds: &[
            ("BBC News: World", "https://feeds.bbci.co.uk/news/world/rss.xml"),
            ("The Guardian: World", "https://www.theguardian.com/world/rss"),
            ("Al Jazeera", "https://www.aljazeera.com/xml/rss/all.xml"),
            ("Deutsche Welle", "https://rss.dw.com/rdf/rss-en-all"),
            ("NPR News", "https://feeds.npr.org/1001/rss.xml"),
            ("France 24", "https://www.france24.com/en/rss"),
            ("CBC World", "https://www.cbc.ca/webfeed/rss/rss-world"),
            ("ABC News Australia", "https://www.abc.net.au/news/feed/51120/rss.xml"),
            ("ProPublica", "https://www.propublica.org/feeds/propublica/main"),
            ("Global Voices", "https://globalvoices.org/feed/"),
        ],
    },
    Pack {
        key: "technology",
        en: "Technology and the net",
        de: "Technik und Netz",
        feeds: &[
            ("Ars Technica", "https://feeds.arstechnica.com/arstechnica/index"),
            ("LWN.net", "https://lwn.net/headlines/rss"),
            ("Hacker News", "https://news.ycombinator.com/rss"),
            ("Lobsters", "https://lobste.rs/rss"),
            ("The Register", "https://www.theregister.com/headlines.atom"),
            ("IEEE Spectrum", "https://spectrum.ieee.org/feeds/feed.rss"),
            ("EFF Updates", "https://www.eff.org/rss/updates.xml"),
            ("Techdirt", "https://www.techdirt.com/feed/"),
            ("404 Media", "https://www.404media.co/rss/"),
            ("Schneier on Security", "https://www.schneier.com/feed/atom/"),
            ("Krebs on Security", "https://krebsonsecurity.com/feed/"),
        ],
    },
    Pack {
        key: "programming",
        en: "Programming, one voice each",
        de: "Programmieren, einzelne Stimmen",
        feeds: &[
            ("Julia Evans", "https://jvns.ca/atom.xml"),
            ("Simon Willison", "https://simonwillison.net/atom/everything/"),
            ("Dan Luu", "https://danluu.com/atom.xml"),
            ("matklad", "https://matklad.github.io/feed.xml"),
            ("Eli Bendersky", "https://eli.thegreenplace.net/feeds/all.atom.xml"),
            ("The Old New Thing", "https://devblogs.microsoft.com/oldnewthing/feed"),
            ("Brendan Gregg", "https://www.brendangregg.com/blog/rss.xml"),
            ("rachelbythebay", "https://rachelbythebay.com/w/atom.xml"),
            ("research!rsc", "https://research.swtch.com/feed.atom"),
            ("null program", "https://nullprogram.com/feed/"),
            ("The Rust Blog", "https://blog.rust-lang.org/feed.xml"),
            ("The Go Blog", "https://go.dev/blog/feed.atom"),
        ],
    },
    Pack {
        key: "science",
        en: "Science and space",
        de: "Wissenschaft und Weltraum",
        feeds: &[
            ("Quanta Magazine", "https://www.quantamagazine.org/feed/"),
            ("NASA", "https://www.nasa.gov/feed/"),
            ("ESA", "https://www.esa.int/rssfeed/Our_Activities/Space_News"),
            ("Astronomy Picture of the Day", "https://apod.nasa.gov/apod.rss"),
            ("Science News", "https://www.sciencenews.org/feed"),
            ("Phys.org", "https://phys.org/rss-feed/"),
            ("The Planetary Society", "https://www.planetary.org/rss/articles"),
            ("RealClimate", "https://www.realclimate.org/index.php/feed/"),
            ("Terence Tao", "https://terrytao.wordpress.com/feed/"),
            ("The Conversation: Science", "https://theconversation.com/us/technology/articles.atom"),
        ],
    },
    Pack {
        key: "essays",
        en: "Essays, books, curiosities",
        de: "Essays, Bücher, Kurioses",
        feeds: &[
            ("Aeon", "https://aeon.co/feed.rss"),
            ("The Marginalian", "https://www.themarginalian.org/feed/"),
            ("The Public Domain Review", "https://publicdomainreview.org/rss.xml"),
            ("Literary Hub", "https://lithub.com/feed/"),
            ("Open Culture", "https://www.openculture.com/feed"),
            ("kottke.org", "https://feeds.kottke.org/main"),
            ("Longreads", "https://longreads.com/feed/"),
            ("3 Quarks Daily", "https://3quarksdaily.com/feed"),
            ("Atlas Obscura", "https://www.atlasobscura.com/feeds/latest"),
            ("Standard Ebooks", "https://standardebooks.org/feeds/rss/new-releases"),
        ],
    },
    Pack {
        key: "comics",
        en: "Comics",
        de: "Comics",
        feeds: &[
            ("xkcd", "https://xkcd.com/atom.xml"),
            ("Saturday Morning Breakfast Cereal", "https://www.smbc-comics.com/comic/rss"),
            ("Dinosaur Comics", "https://www.qwantz.com/rssfeed.php"),
            ("Questionable Content", "https://www.questionablecontent.net/QCRSS.xml"),
            ("Existential Comics", "https://existentialcomics.com/rss.xml"),
            ("Poorly Drawn Lines", "https://poorlydrawnlines.com/feed/"),
            ("PHD Comics", "https://phdcomics.com/gradfeed.php"),
            ("War and Peas", "https://warandpeas.com/feed/"),
        ],
    },
    Pack {
        key: "german",
        en: "In German",
        de: "Auf Deutsch",
        feeds: &[
            ("tagesschau.de", "https://www.tagesschau.de/index~rss2.xml"),
            ("Deutschlandfunk", "https://www.deutschlandfunk.de/nachrichten-100.rss"),
            ("ORF", "https://rss.orf.at/news.xml"),
            ("SRF", "https://www.srf.ch/news/bnf/rss/1646"),
            ("Der Standard", "https://www.derstandard.at/rss"),
            ("heise online", "https://www.heise.de/rss/heise-atom.xml"),
            ("netzpolitik.org", "https://netzpolitik.org/feed/"),
            ("Correctiv", "https://correctiv.org/feed/"),
            ("Übermedien", "https://uebermedien.de/feed/"),
            ("Spektrum der Wissenschaft", "https://www.spektrum.de/alias/rss/spektrum-de-rss-feed/996406"),
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_pack_has_its_own_key_and_eight_to_fifteen_feeds_each_named_once() {
        let mut keys = HashSet::new();
        let mut addresses = HashSet::new();
        for pack in PACKS {
            assert!(keys.insert(pack.key), "{}", pack.key);
            assert!((8..=15).contains(&pack.feeds.len()), "{}", pack.key);
            for (title, url) in pack.feeds {
                let parsed = url::Url::parse(url).expect("an address");
                assert_eq!((parsed.scheme(), parsed.as_str()), ("https", *url), "written as it is stored");
                assert!(!title.is_empty() && addresses.insert(*url), "{url}");
            }
        }
    }
}
