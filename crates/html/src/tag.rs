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

// Names are written as bytes, because the compiler turns a match on bytes into a decision tree, and one on strings
// into a row of comparisons.
macro_rules! tags {
    ($($variant:ident $name:literal $fate:ident $flags:expr;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) enum Tag { $($variant),* }

        impl Tag {
            pub(crate) const ALL: &[Tag] = &[$(Tag::$variant),*];
            pub(crate) const COUNT: usize = Tag::ALL.len();

            pub(crate) const fn name(self) -> &'static str {
                ascii(match self { $(Tag::$variant => $name),* })
            }

            pub(crate) const fn fate(self) -> Fate {
                match self { $(Tag::$variant => $fate),* }
            }

            pub(crate) const fn has(self, flag: u8) -> bool {
                let flags = match self { $(Tag::$variant => $flags),* };
                flags & flag != 0
            }

            fn from_lower(name: &[u8]) -> Option<Tag> {
                match name { $($name => Some(Tag::$variant),)* _ => None }
            }
        }
    };
}

tags! {
    A b"a" Keep FORMATTING;
    Abbr b"abbr" Keep 0;
    Acronym b"acronym" Unwrap 0;
    Address b"address" Keep CLOSES_P | SPECIAL | LINE;
    Applet b"applet" Unwrap 0;
    Area b"area" Unwrap 0;
    Article b"article" Keep CLOSES_P | SPECIAL | LINE;
    Aside b"aside" Keep CLOSES_P | SPECIAL | LINE;
    Audio b"audio" Keep 0;
    B b"b" Keep FORMATTING;
    Base b"base" Unwrap 0;
    Bdi b"bdi" Keep 0;
    Bdo b"bdo" Keep 0;
    Big b"big" Keep FORMATTING;
    Blockquote b"blockquote" Keep CLOSES_P | SPECIAL | LINE;
    Body b"body" Unwrap LINE;
    Br b"br" Void SPECIAL | LINE;
    Button b"button" Unwrap 0;
    Canvas b"canvas" Unwrap 0;
    Caption b"caption" Keep SPECIAL | CELL | LINE;
    Center b"center" Block LINE;
    Cite b"cite" Keep 0;
    Code b"code" Keep FORMATTING;
    Col b"col" Unwrap 0;
    Colgroup b"colgroup" Unwrap 0;
    Datalist b"datalist" Skip 0;
    Dd b"dd" Keep CLOSES_P | SPECIAL | IMPLIED_END | LINE;
    Del b"del" Keep 0;
    Details b"details" Keep CLOSES_P | SPECIAL | LINE;
    Dfn b"dfn" Keep 0;
    Dialog b"dialog" Block LINE;
    Dir b"dir" Block LINE;
    Div b"div" Keep CLOSES_P | SPECIAL | LINE;
    Dl b"dl" Keep CLOSES_P | SPECIAL | LINE;
    Dt b"dt" Keep CLOSES_P | SPECIAL | IMPLIED_END | LINE;
    Em b"em" Keep FORMATTING;
    Embed b"embed" Unwrap 0;
    Fieldset b"fieldset" Block LINE;
    Figcaption b"figcaption" Keep CLOSES_P | SPECIAL | LINE;
    Figure b"figure" Keep CLOSES_P | SPECIAL | LINE;
    Font b"font" Unwrap 0;
    Footer b"footer" Keep CLOSES_P | SPECIAL | LINE;
    Form b"form" Block LINE;
    Frame b"frame" Unwrap 0;
    Frameset b"frameset" Unwrap 0;
    H1 b"h1" Keep CLOSES_P | SPECIAL | HEADING | LINE;
    H2 b"h2" Keep CLOSES_P | SPECIAL | HEADING | LINE;
    H3 b"h3" Keep CLOSES_P | SPECIAL | HEADING | LINE;
    H4 b"h4" Keep CLOSES_P | SPECIAL | HEADING | LINE;
    H5 b"h5" Keep CLOSES_P | SPECIAL | HEADING | LINE;
    H6 b"h6" Keep CLOSES_P | SPECIAL | HEADING | LINE;
    Head b"head" Unwrap 0;
    Header b"header" Keep CLOSES_P | SPECIAL | LINE;
    Hgroup b"hgroup" Block LINE;
    Hr b"hr" Void CLOSES_P | SPECIAL | LINE;
    Html b"html" Unwrap 0;
    I b"i" Keep FORMATTING;
    Iframe b"iframe" Skip 0;
    Image b"image" Unwrap 0;
    Img b"img" Void SPECIAL;
    Input b"input" Unwrap 0;
    Ins b"ins" Keep 0;
    Kbd b"kbd" Keep 0;
    Keygen b"keygen" Unwrap 0;
    Label b"label" Unwrap 0;
    Legend b"legend" Unwrap LINE;
    Li b"li" Keep CLOSES_P | SPECIAL | IMPLIED_END | LINE;
    Link b"link" Unwrap 0;
    Listing b"listing" Block LINE;
    Main b"main" Block CLOSES_P | SPECIAL | LINE;
    Map b"map" Unwrap 0;
    Mark b"mark" Keep 0;
    Marquee b"marquee" Unwrap 0;
    Math b"math" Skip 0;
    Menu b"menu" Block LINE;
    Meta b"meta" Unwrap 0;
    Meter b"meter" Unwrap 0;
    Nav b"nav" Block CLOSES_P | SPECIAL | LINE;
    Nobr b"nobr" Unwrap 0;
    Noembed b"noembed" Skip 0;
    Noframes b"noframes" Skip 0;
    Noscript b"noscript" Unwrap 0;
    Object b"object" Unwrap 0;
    Ol b"ol" Keep CLOSES_P | SPECIAL | LINE;
    Optgroup b"optgroup" Unwrap 0;
    Option b"option" Unwrap LINE;
    Output b"output" Unwrap 0;
    P b"p" Keep CLOSES_P | SPECIAL | IMPLIED_END | LINE;
    Param b"param" Unwrap 0;
    Picture b"picture" Keep 0;
    Plaintext b"plaintext" Unwrap 0;
    Pre b"pre" Keep CLOSES_P | SPECIAL | LINE;
    Progress b"progress" Unwrap 0;
    Q b"q" Keep 0;
    Rb b"rb" Unwrap 0;
    Rp b"rp" Keep IMPLIED_END;
    Rt b"rt" Keep IMPLIED_END;
    Rtc b"rtc" Unwrap 0;
    Ruby b"ruby" Keep 0;
    S b"s" Keep FORMATTING;
    Samp b"samp" Keep 0;
    Script b"script" Skip 0;
    Search b"search" Block LINE;
    Section b"section" Keep CLOSES_P | SPECIAL | LINE;
    Select b"select" Unwrap 0;
    Slot b"slot" Unwrap 0;
    Small b"small" Keep FORMATTING;
    Source b"source" Void SPECIAL;
    Span b"span" Keep 0;
    Strike b"strike" Keep FORMATTING;
    Strong b"strong" Keep FORMATTING;
    Style b"style" Skip 0;
    Sub b"sub" Keep 0;
    Summary b"summary" Keep CLOSES_P | SPECIAL | LINE;
    Sup b"sup" Keep 0;
    Svg b"svg" Skip 0;
    Table b"table" Keep CLOSES_P | SPECIAL | FRAME | LINE;
    Tbody b"tbody" Keep SPECIAL | FRAME | LINE;
    Td b"td" Keep SPECIAL | CELL;
    Template b"template" Skip 0;
    Textarea b"textarea" Unwrap LINE;
    Tfoot b"tfoot" Keep SPECIAL | FRAME | LINE;
    Th b"th" Keep SPECIAL | CELL;
    Thead b"thead" Keep SPECIAL | FRAME | LINE;
    Time b"time" Keep 0;
    Title b"title" Skip 0;
    Tr b"tr" Keep SPECIAL | FRAME | LINE;
    Track b"track" Void SPECIAL;
    Tt b"tt" Keep FORMATTING;
    U b"u" Keep FORMATTING;
    Ul b"ul" Keep CLOSES_P | SPECIAL | LINE;
    Var b"var" Keep 0;
    Video b"video" Keep 0;
    Wbr b"wbr" Void SPECIAL;
    Xmp b"xmp" Block LINE;
}

const fn ascii(name: &'static [u8]) -> &'static str {
    match std::str::from_utf8(name) {
        Ok(name) => name,
        Err(_) => "",
    }
}

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
                ascii(match self { $(Attribute::$variant => $name),* })
            }

            pub(crate) fn from_name(name: &str) -> Option<Attribute> {
                let mut lower = [0; 16];
                let lower = lower.get_mut(..name.len())?;
                lower.copy_from_slice(name.as_bytes());
                lower.make_ascii_lowercase();
                match &*lower { $($name => Some(Attribute::$variant),)* _ => None }
            }
        }
    };
}

attributes! {
    Alt b"alt";
    AriaHidden b"aria-hidden";
    Cite b"cite";
    Class b"class";
    Colspan b"colspan";
    Content b"content";
    Controls b"controls";
    DataLazySrc b"data-lazy-src";
    DataOriginal b"data-original";
    DataSrc b"data-src";
    DataSrcset b"data-srcset";
    Datetime b"datetime";
    Dir b"dir";
    Height b"height";
    Hidden b"hidden";
    Href b"href";
    Hreflang b"hreflang";
    Id b"id";
    Itemprop b"itemprop";
    Kind b"kind";
    Label b"label";
    Lang b"lang";
    Loading b"loading";
    Media b"media";
    Name b"name";
    Open b"open";
    Poster b"poster";
    Preload b"preload";
    Property b"property";
    Rel b"rel";
    Reversed b"reversed";
    Role b"role";
    Rowspan b"rowspan";
    Scope b"scope";
    Sizes b"sizes";
    Span b"span";
    Src b"src";
    Srclang b"srclang";
    Srcset b"srcset";
    Start b"start";
    Style b"style";
    Title b"title";
    Type b"type";
    Value b"value";
    Width b"width";
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
