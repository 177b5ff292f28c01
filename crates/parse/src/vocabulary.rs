//! Which word an element's name is, whatever namespace, prefix and case it came with.
//!
//! Namespaces are matched by address where we know it, else by the conventional prefix; RSS and Atom share one
//! vocabulary, because real feeds mix them (`atom:link` in RSS, `pubDate` in Atom).

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    /// RSS, Atom or no namespace at all.
    Core,
    Content,
    Dc,
    DcTerms,
    FeedBurner,
    GooglePlay,
    Itunes,
    Media,
    Rdf,
    Syndication,
    WebFeeds,
    Xhtml,
    Xml,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    // Structure
    Rss,
    Rdf,
    Feed,
    Channel,
    Item,
    Image,
    TextInput,
    Source,
    MediaGroup,
    // Text
    Title,
    DcTitle,
    MediaTitle,
    ItunesTitle,
    Description,
    ItunesSummary,
    MediaDescription,
    Summary,
    Subtitle,
    ItunesSubtitle,
    Content,
    Encoded,
    Body,
    Rights,
    // Links and names
    Link,
    OriginalLink,
    Id,
    Url,
    Icon,
    Logo,
    ItunesImage,
    // Dates
    Published,
    Updated,
    DcDate,
    Created,
    // People
    Author,
    ItunesAuthor,
    MediaCredit,
    Contributor,
    Owner,
    Publisher,
    Name,
    Email,
    Uri,
    // The rest
    Category,
    ItunesCategory,
    Keywords,
    Enclosure,
    MediaContent,
    Thumbnail,
    Duration,
    Language,
    Ttl,
    SkipHours,
    SkipDays,
    Hour,
    Day,
    UpdatePeriod,
    UpdateFrequency,
    /// Known and of no use to us: `comments`, `generator`, `cloud`, `slash:…`.
    Skipped,
    Html,
    Opml,
    Unknown,
}

impl Word {
    /// Words that HTML uses as well: inside a body they are markup, not the next field.
    pub(crate) fn is_also_html(self) -> bool {
        matches!(
            self,
            Word::Title
                | Word::Link
                | Word::Summary
                | Word::Source
                | Word::Body
                | Word::Image
                | Word::Content
                | Word::Html
        )
    }
}

pub(crate) fn space_of_uri(uri: &str) -> Option<Space> {
    let uri = uri.trim().to_ascii_lowercase();
    let address = uri.strip_prefix("http://").or_else(|| uri.strip_prefix("https://")).unwrap_or(&uri);
    let address = address.trim_end_matches(['/', '#']);
    Some(match address {
        "www.w3.org/2005/atom"
        | "purl.org/atom/ns"
        | "purl.org/rss/1.0"
        | "my.netscape.com/rdf/simple/0.9" => Space::Core,
        "blogs.law.harvard.edu/tech/rss" | "purl.org/rss/1.0/modules/rss091" | "purl.org/net/rss1.1" => {
            Space::Core
        }
        "example.com/newformat"
        | "example.com/necho"
        | "purl.org/echo"
        | "uri/of/echo/namespace"
        | "purl.org/pie" => Space::Core,
        _ if address.contains("backend.userland.com/rss") => Space::Core,
        _ if address.starts_with("channel.netscape.com/rdf/simple/0.9") => Space::Core,
        "purl.org/rss/1.0/modules/content" => Space::Content,
        "purl.org/dc/elements/1.1" | "purl.org/dc/elements/1.0" => Space::Dc,
        "purl.org/dc/terms" => Space::DcTerms,
        "rssnamespace.org/feedburner/ext/1.0" => Space::FeedBurner,
        "www.google.com/schemas/play-podcasts/1.0" => Space::GooglePlay,
        _ if address.ends_with("/dtds/podcast-1.0.dtd") => Space::Itunes,
        "search.yahoo.com/mrss" => Space::Media,
        "www.w3.org/1999/02/22-rdf-syntax-ns" => Space::Rdf,
        "purl.org/rss/1.0/modules/syndication" => Space::Syndication,
        "webfeeds.org/rss/1.0" => Space::WebFeeds,
        "www.w3.org/1999/xhtml" => Space::Xhtml,
        "www.w3.org/xml/1998/namespace" => Space::Xml,
        "www.w3.org/2000/svg" | "www.w3.org/1998/math/mathml" => Space::Other,
        _ => return None,
    })
}

/// For prefixes that were never declared, or declared with an address nobody knows.
pub(crate) fn space_of_prefix(prefix: &str) -> Space {
    match prefix.to_ascii_lowercase().as_str() {
        "" | "rss" | "atom" | "a10" | "atom10" => Space::Core,
        "content" => Space::Content,
        "dc" => Space::Dc,
        "dcterms" | "dct" => Space::DcTerms,
        "feedburner" => Space::FeedBurner,
        "googleplay" => Space::GooglePlay,
        "itunes" => Space::Itunes,
        "media" => Space::Media,
        "rdf" => Space::Rdf,
        "sy" => Space::Syndication,
        "webfeeds" => Space::WebFeeds,
        "xhtml" => Space::Xhtml,
        "xml" => Space::Xml,
        _ => Space::Other,
    }
}

/// `local` is lower case.
pub(crate) fn word(space: Space, local: &str) -> Word {
    match space {
        Space::Core => core(local),
        Space::Content => match local {
            "encoded" => Word::Encoded,
            _ => Word::Skipped,
        },
        Space::Dc | Space::DcTerms => dublin_core(local),
        Space::FeedBurner => match local {
            "origlink" => Word::OriginalLink,
            _ => Word::Skipped,
        },
        Space::Itunes | Space::GooglePlay => itunes(local),
        Space::Media => media(local),
        Space::Rdf => match local {
            "rdf" => Word::Rdf,
            _ => Word::Unknown,
        },
        Space::Syndication => match local {
            "updateperiod" => Word::UpdatePeriod,
            "updatefrequency" => Word::UpdateFrequency,
            _ => Word::Skipped,
        },
        Space::WebFeeds => match local {
            "icon" | "logo" => Word::Logo,
            _ => Word::Skipped,
        },
        Space::Xhtml => match local {
            "body" => Word::Body,
            "html" => Word::Html,
            _ => Word::Unknown,
        },
        Space::Xml | Space::Other => Word::Unknown,
    }
}

fn core(local: &str) -> Word {
    match local {
        "rss" => Word::Rss,
        "rdf" => Word::Rdf,
        "feed" => Word::Feed,
        "channel" => Word::Channel,
        "item" | "entry" => Word::Item,
        "image" => Word::Image,
        "textinput" => Word::TextInput,
        "source" => Word::Source,
        "title" => Word::Title,
        "description" | "abstract" => Word::Description,
        "summary" => Word::Summary,
        "subtitle" | "tagline" => Word::Subtitle,
        "content" => Word::Content,
        "fullitem" => Word::Encoded,
        "body" => Word::Body,
        "rights" | "copyright" => Word::Rights,
        "link" => Word::Link,
        "guid" | "id" => Word::Id,
        "url" => Word::Url,
        "icon" => Word::Icon,
        "logo" => Word::Logo,
        "pubdate" | "published" | "issued" => Word::Published,
        "updated" | "modified" | "lastbuilddate" => Word::Updated,
        "created" => Word::Created,
        "author" | "managingeditor" => Word::Author,
        "contributor" => Word::Contributor,
        "webmaster" => Word::Publisher,
        "name" => Word::Name,
        "email" => Word::Email,
        "uri" | "homepage" => Word::Uri,
        "category" => Word::Category,
        "keywords" | "tags" => Word::Keywords,
        "enclosure" => Word::Enclosure,
        "language" => Word::Language,
        "ttl" => Word::Ttl,
        "skiphours" => Word::SkipHours,
        "skipdays" => Word::SkipDays,
        "hour" => Word::Hour,
        "day" => Word::Day,
        "comments" | "generator" | "cloud" | "docs" | "rating" | "info" => Word::Skipped,
        "html" => Word::Html,
        "opml" => Word::Opml,
        _ => Word::Unknown,
    }
}

fn dublin_core(local: &str) -> Word {
    match local {
        "title" => Word::DcTitle,
        "description" | "abstract" => Word::ItunesSummary,
        "creator" | "author" => Word::Author,
        "contributor" => Word::Contributor,
        "publisher" => Word::Publisher,
        "date" => Word::DcDate,
        "issued" => Word::Published,
        "modified" => Word::Updated,
        "created" => Word::Created,
        "subject" => Word::Category,
        "language" => Word::Language,
        "rights" => Word::Rights,
        _ => Word::Skipped,
    }
}

fn itunes(local: &str) -> Word {
    match local {
        "title" => Word::ItunesTitle,
        "author" => Word::ItunesAuthor,
        "owner" => Word::Owner,
        "name" => Word::Name,
        "email" => Word::Email,
        "summary" | "description" => Word::ItunesSummary,
        "subtitle" => Word::ItunesSubtitle,
        "image" | "link" => Word::ItunesImage,
        "keywords" => Word::Keywords,
        "category" => Word::ItunesCategory,
        "duration" => Word::Duration,
        _ => Word::Skipped,
    }
}

fn media(local: &str) -> Word {
    match local {
        "group" => Word::MediaGroup,
        "content" => Word::MediaContent,
        "thumbnail" => Word::Thumbnail,
        "title" => Word::MediaTitle,
        "description" => Word::MediaDescription,
        "credit" => Word::MediaCredit,
        "category" => Word::Category,
        "keywords" => Word::Keywords,
        _ => Word::Skipped,
    }
}
