//! The elements we know, what becomes of each, and which attributes survive on it.
//!
//! This is the allow-list, and it stands here once: the writer of clean HTML and the ammonia check behind it are both
//! made from these tables, so they cannot drift apart. What is not listed is not written.

use Fate::{Block, Keep, Skip, Unwrap, Void};

/// What becomes of an element in an item's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Written under its own name, with its allowed attributes.
    Keep,
    /// Written without an end tag.
    Void,
    /// Written as a plain `div`: its name means nothing safe, but it parts its text from what stands around it.
    Block,
    /// The tags vanish, the content stays.
    Unwrap,
    /// Vanishes with its content.
    Skip,
}

/// A start tag that closes an open `p` (§13.2.6.4.7).
pub(crate) const CLOSES_P: u8 = 1;
/// One of the standard's "special" elements, at which the search for an open `li`, `dt` or `dd` stops.
pub(crate) const SPECIAL: u8 = 2;
/// Closed without being asked, where only these are open (§13.2.6.3).
pub(crate) const IMPLIED_END: u8 = 4;
pub(crate) const HEADING: u8 = 8;
/// Parts of a table that hold nothing but other parts.
pub(crate) const FRAME: u8 = 16;
/// A table cell or caption: what is open inside ends with it, what is open outside cannot be closed from inside.
pub(crate) const CELL: u8 = 32;
/// One of the standard's "formatting" elements: its end tag also ends what is open inside it.
pub(crate) const FORMATTING: u8 = 128;
/// Starts a new line when the tags are dropped.
pub(crate) const LINE: u8 = 64;

macro_rules! tags {
    ($($variant:ident $name:literal $fate:ident $flags:expr;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) enum Tag { $($variant),* }

        impl Tag {
            pub(crate) const ALL: &[Tag] = &[$(Tag::$variant),*];
            pub(crate) const COUNT: usize = Tag::ALL.len();

            pub(crate) const fn name(self) -> &'static str {
                match self { $(Tag::$variant => $name),* }
            }

            pub(crate) const fn fate(self) -> Fate {
                match self { $(Tag::$variant => $fate),* }
            }

            pub(crate) const fn has(self, flag: u8) -> bool {
                let flags = match self { $(Tag::$variant => $flags),* };
                flags & flag != 0
            }

            pub(super) fn from_lower(name: &[u8]) -> Option<Tag> {
                $(const $variant: &[u8] = $name.as_bytes();)*
                match name { $($variant => Some(Tag::$variant),)* _ => None }
            }
        }
    };
}

#[expect(non_upper_case_globals, reason = "the table turns names into patterns")]
mod table {
    use super::*;
    tags! {
        A "a" Keep FORMATTING;
        Abbr "abbr" Keep 0;
        Acronym "acronym" Unwrap 0;
        Address "address" Keep CLOSES_P | SPECIAL | LINE;
        Applet "applet" Unwrap 0;
        Area "area" Unwrap 0;
        Article "article" Keep CLOSES_P | SPECIAL | LINE;
        Aside "aside" Keep CLOSES_P | SPECIAL | LINE;
        Audio "audio" Keep 0;
        B "b" Keep FORMATTING;
        Base "base" Unwrap 0;
        Bdi "bdi" Keep 0;
        Bdo "bdo" Keep 0;
        Big "big" Keep FORMATTING;
        Blockquote "blockquote" Keep CLOSES_P | SPECIAL | LINE;
        Body "body" Unwrap LINE;
        Br "br" Void SPECIAL | LINE;
        Button "button" Unwrap 0;
        Canvas "canvas" Unwrap 0;
        Caption "caption" Keep SPECIAL | CELL | LINE;
        Center "center" Block LINE;
        Cite "cite" Keep 0;
        Code "code" Keep FORMATTING;
        Col "col" Unwrap 0;
        Colgroup "colgroup" Unwrap 0;
        Datalist "datalist" Skip 0;
        Dd "dd" Keep CLOSES_P | SPECIAL | IMPLIED_END | LINE;
        Del "del" Keep 0;
        Details "details" Keep CLOSES_P | SPECIAL | LINE;
        Dfn "dfn" Keep 0;
        Dialog "dialog" Block LINE;
        Dir "dir" Block LINE;
        Div "div" Keep CLOSES_P | SPECIAL | LINE;
        Dl "dl" Keep CLOSES_P | SPECIAL | LINE;
        Dt "dt" Keep CLOSES_P | SPECIAL | IMPLIED_END | LINE;
        Em "em" Keep FORMATTING;
        Embed "embed" Unwrap 0;
        Fieldset "fieldset" Block LINE;
        Figcaption "figcaption" Keep CLOSES_P | SPECIAL | LINE;
        Figure "figure" Keep CLOSES_P | SPECIAL | LINE;
        Font "font" Unwrap 0;
        Footer "footer" Keep CLOSES_P | SPECIAL | LINE;
        Form "form" Block LINE;
        Frame "frame" Unwrap 0;
        Frameset "frameset" Unwrap 0;
        H1 "h1" Keep CLOSES_P | SPECIAL | HEADING | LINE;
        H2 "h2" Keep CLOSES_P | SPECIAL | HEADING | LINE;
        H3 "h3" Keep CLOSES_P | SPECIAL | HEADING | LINE;
        H4 "h4" Keep CLOSES_P | SPECIAL | HEADING | LINE;
        H5 "h5" Keep CLOSES_P | SPECIAL | HEADING | LINE;
        H6 "h6" Keep CLOSES_P | SPECIAL | HEADING | LINE;
        Head "head" Unwrap 0;
        Header "header" Keep CLOSES_P | SPECIAL | LINE;
        Hgroup "hgroup" Block LINE;
        Hr "hr" Void CLOSES_P | SPECIAL | LINE;
        Html "html" Unwrap 0;
        I "i" Keep FORMATTING;
        Iframe "iframe" Skip 0;
        Image "image" Unwrap 0;
        Img "img" Void SPECIAL;
        Input "input" Unwrap 0;
        Ins "ins" Keep 0;
        Kbd "kbd" Keep 0;
        Keygen "keygen" Unwrap 0;
        Label "label" Unwrap 0;
        Legend "legend" Unwrap LINE;
        Li "li" Keep CLOSES_P | SPECIAL | IMPLIED_END | LINE;
        Link "link" Unwrap 0;
        Listing "listing" Block LINE;
        Main "main" Block CLOSES_P | SPECIAL | LINE;
        Map "map" Unwrap 0;
        Mark "mark" Keep 0;
        Marquee "marquee" Unwrap 0;
        Math "math" Skip 0;
        Menu "menu" Block LINE;
        Meta "meta" Unwrap 0;
        Meter "meter" Unwrap 0;
        Nav "nav" Block CLOSES_P | SPECIAL | LINE;
        Nobr "nobr" Unwrap 0;
        Noembed "noembed" Skip 0;
        Noframes "noframes" Skip 0;
        Noscript "noscript" Unwrap 0;
        Object "object" Unwrap 0;
        Ol "ol" Keep CLOSES_P | SPECIAL | LINE;
        Optgroup "optgroup" Unwrap 0;
        Option "option" Unwrap LINE;
        Output "output" Unwrap 0;
        P "p" Keep CLOSES_P | SPECIAL | IMPLIED_END | LINE;
        Param "param" Unwrap 0;
        Picture "picture" Keep 0;
        Plaintext "plaintext" Unwrap 0;
        Pre "pre" Keep CLOSES_P | SPECIAL | LINE;
        Progress "progress" Unwrap 0;
        Q "q" Keep 0;
        Rb "rb" Unwrap 0;
        Rp "rp" Keep IMPLIED_END;
        Rt "rt" Keep IMPLIED_END;
        Rtc "rtc" Unwrap 0;
        Ruby "ruby" Keep 0;
        S "s" Keep FORMATTING;
        Samp "samp" Keep 0;
        Script "script" Skip 0;
        Search "search" Block LINE;
        Section "section" Keep CLOSES_P | SPECIAL | LINE;
        Select "select" Unwrap 0;
        Slot "slot" Unwrap 0;
        Small "small" Keep FORMATTING;
        Source "source" Void SPECIAL;
        Span "span" Keep 0;
        Strike "strike" Keep FORMATTING;
        Strong "strong" Keep FORMATTING;
        Style "style" Skip 0;
        Sub "sub" Keep 0;
        Summary "summary" Keep CLOSES_P | SPECIAL | LINE;
        Sup "sup" Keep 0;
        Svg "svg" Skip 0;
        Table "table" Keep CLOSES_P | SPECIAL | FRAME | LINE;
        Tbody "tbody" Keep SPECIAL | FRAME | LINE;
        Td "td" Keep SPECIAL | CELL;
        Template "template" Skip 0;
        Textarea "textarea" Unwrap LINE;
        Tfoot "tfoot" Keep SPECIAL | FRAME | LINE;
        Th "th" Keep SPECIAL | CELL;
        Thead "thead" Keep SPECIAL | FRAME | LINE;
        Time "time" Keep 0;
        Title "title" Skip 0;
        Tr "tr" Keep SPECIAL | FRAME | LINE;
        Track "track" Void SPECIAL;
        Tt "tt" Keep FORMATTING;
        U "u" Keep FORMATTING;
        Ul "ul" Keep CLOSES_P | SPECIAL | LINE;
        Var "var" Keep 0;
        Video "video" Keep 0;
        Wbr "wbr" Void SPECIAL;
        Xmp "xmp" Block LINE;
    }
}
pub(crate) use table::Tag;

impl Tag {
    pub(crate) fn from_name(name: &str) -> Option<Tag> {
        let mut lower = [0; 10];
        let lower = lower.get_mut(..name.len())?;
        lower.copy_from_slice(name.as_bytes());
        lower.make_ascii_lowercase();
        Tag::from_lower(lower)
    }

    /// Whether the text between its tags is never markup (§13.2.5.2 to 13.2.5.4).
    pub(crate) const fn is_raw(self) -> bool {
        matches!(self, Tag::Script | Tag::Style | Tag::Iframe | Tag::Noembed | Tag::Noframes | Tag::Title)
    }
}

/// How an attribute's value is checked and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Any text.
    Text,
    /// An absolute address people may follow.
    Link,
    /// An absolute http or https address that is loaded.
    Media,
    /// Candidates of an image, each an absolute http or https address.
    Srcset,
    /// A whole number from 1 to this.
    Number(u32),
    /// One of these words, in lower case.
    Word(&'static [&'static str]),
    /// One of these words, exactly.
    Exactly(&'static [&'static str]),
    /// A language tag (BCP 47).
    Language,
    /// Present or absent.
    Flag,
    /// Always written, with this value, whatever the source said.
    Always(&'static str),
}

macro_rules! attributes {
    ($($variant:ident $name:literal;)*) => {
        /// The attributes we read. Not all are written: some only tell a beacon from a picture.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Attribute { $($variant),* }

        impl Attribute {
            pub(crate) const COUNT: usize = [$(Attribute::$variant),*].len();

            pub(crate) const fn name(self) -> &'static str {
                match self { $(Attribute::$variant => $name),* }
            }

            pub(crate) fn from_name(name: &str) -> Option<Attribute> {
                let mut lower = [0; 16];
                let lower = lower.get_mut(..name.len())?;
                lower.copy_from_slice(name.as_bytes());
                lower.make_ascii_lowercase();
                $(#[expect(non_upper_case_globals, reason = "turns names into patterns")]
                const $variant: &[u8] = $name.as_bytes();)*
                match &*lower { $($variant => Some(Attribute::$variant),)* _ => None }
            }
        }
    };
}

attributes! {
    Alt "alt";
    AriaHidden "aria-hidden";
    Cite "cite";
    Class "class";
    Colspan "colspan";
    Content "content";
    Controls "controls";
    DataLazySrc "data-lazy-src";
    DataOriginal "data-original";
    DataSrc "data-src";
    DataSrcset "data-srcset";
    Datetime "datetime";
    Dir "dir";
    Height "height";
    Hidden "hidden";
    Href "href";
    Hreflang "hreflang";
    Id "id";
    Itemprop "itemprop";
    Kind "kind";
    Label "label";
    Lang "lang";
    Loading "loading";
    Media "media";
    Name "name";
    Open "open";
    Poster "poster";
    Preload "preload";
    Property "property";
    Rel "rel";
    Reversed "reversed";
    Role "role";
    Rowspan "rowspan";
    Scope "scope";
    Sizes "sizes";
    Span "span";
    Src "src";
    Srclang "srclang";
    Srcset "srcset";
    Start "start";
    Style "style";
    Title "title";
    Type "type";
    Value "value";
    Width "width";
}

/// Written on every element, after its own attributes.
pub(crate) const GENERIC: &[(Attribute, Rule)] = &[
    (Attribute::Title, Rule::Text),
    (Attribute::Lang, Rule::Language),
    (Attribute::Dir, Rule::Word(&["ltr", "rtl", "auto"])),
];

/// The only value of `rel` we write (X10).
pub(crate) const REL: &str = "noopener noreferrer";

const SIDE_MAX: u32 = 10_000;
const NUMBER_MAX: u32 = 1_000_000;
/// Browsers clamp spans to 1,000 columns; so do we, before they see a table of a million.
const SPAN_MAX: u32 = 1_000;

/// The attributes written on an element of its own, in the order they are written.
pub(crate) const fn attributes_of(tag: Tag) -> &'static [(Attribute, Rule)] {
    use Attribute as At;
    match tag {
        Tag::A => &[(At::Href, Rule::Link), (At::Hreflang, Rule::Language)],
        Tag::Audio => {
            &[(At::Src, Rule::Media), (At::Controls, Rule::Always("")), (At::Preload, Rule::Always("none"))]
        }
        Tag::Blockquote | Tag::Q => &[(At::Cite, Rule::Link)],
        Tag::Del | Tag::Ins => &[(At::Cite, Rule::Link), (At::Datetime, Rule::Text)],
        Tag::Details => &[(At::Open, Rule::Flag)],
        Tag::Img => &[
            (At::Src, Rule::Media),
            (At::Srcset, Rule::Srcset),
            (At::Sizes, Rule::Text),
            (At::Alt, Rule::Text),
            (At::Width, Rule::Number(SIDE_MAX)),
            (At::Height, Rule::Number(SIDE_MAX)),
            (At::Loading, Rule::Always("lazy")),
        ],
        Tag::Li => &[(At::Value, Rule::Number(NUMBER_MAX))],
        Tag::Ol => &[
            (At::Start, Rule::Number(NUMBER_MAX)),
            (At::Reversed, Rule::Flag),
            (At::Type, Rule::Exactly(&["1", "a", "A", "i", "I"])),
        ],
        Tag::Source => &[
            (At::Src, Rule::Media),
            (At::Srcset, Rule::Srcset),
            (At::Sizes, Rule::Text),
            (At::Type, Rule::Text),
            (At::Media, Rule::Text),
        ],
        Tag::Td => &[(At::Colspan, Rule::Number(SPAN_MAX)), (At::Rowspan, Rule::Number(SPAN_MAX))],
        Tag::Th => &[
            (At::Colspan, Rule::Number(SPAN_MAX)),
            (At::Rowspan, Rule::Number(SPAN_MAX)),
            (At::Scope, Rule::Word(&["row", "col", "rowgroup", "colgroup"])),
        ],
        Tag::Time => &[(At::Datetime, Rule::Text)],
        Tag::Track => &[
            (At::Src, Rule::Media),
            (At::Kind, Rule::Word(&["subtitles", "captions", "descriptions", "chapters", "metadata"])),
            (At::Srclang, Rule::Language),
            (At::Label, Rule::Text),
        ],
        Tag::Video => &[
            (At::Src, Rule::Media),
            (At::Poster, Rule::Media),
            (At::Width, Rule::Number(SIDE_MAX)),
            (At::Height, Rule::Number(SIDE_MAX)),
            (At::Controls, Rule::Always("")),
            (At::Preload, Rule::Always("none")),
        ],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case_and_all_of_them() {
        assert_eq!(Tag::from_name("BlockQuote"), Some(Tag::Blockquote));
        assert_eq!(Tag::from_name("blockquotes"), None);
        assert!(Tag::ALL.iter().all(|tag| Tag::from_name(tag.name()) == Some(*tag)));
        assert!(Tag::ALL.iter().enumerate().all(|(i, tag)| *tag as usize == i));
    }

    #[test]
    fn nothing_that_changes_how_text_is_read_is_kept() {
        for name in
            ["svg", "math", "style", "script", "iframe", "noscript", "template", "title", "textarea", "xmp"]
        {
            let tag = Tag::from_name(name).expect("known");
            assert!(matches!(tag.fate(), Fate::Skip | Fate::Unwrap | Fate::Block), "{name}");
        }
    }
}
