//! How a feed treats its readers. Each feed has one behaviour and a variant of it; all but [`Behaviour::Good`] start
//! at the feed's onset and are good before it.

macro_rules! behaviours {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $variants:literal;)*) => {
        /// See the module: one per feed. The number of variants is in [`Behaviour::variants`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Behaviour { $($(#[$doc])* $name,)* }

        impl Behaviour {
            pub const ALL: &'static [Behaviour] = &[$(Behaviour::$name,)*];

            pub const fn name(self) -> &'static str {
                match self { $(Behaviour::$name => $text,)* }
            }

            /// How many ways of doing it there are.
            pub const fn variants(self) -> u8 {
                match self { $(Behaviour::$name => $variants,)* }
            }
        }
    };
}

behaviours! {
    Good = "good", 1;

    // Identity and dates
    NoGuid = "no-guid", 1;
    /// All items carry one guid.
    SameGuid = "same-guid", 1;
    /// The guid's query changes every day.
    RotatingGuid = "rotating-guid", 1;
    /// Year 2999, or a day and an hour ahead.
    FutureDates = "future-dates", 2;
    NoDates = "no-dates", 1;
    /// Every item is dated now, on every fetch.
    RollingDates = "rolling-dates", 1;
    /// 1970, words, 30 February, a two-digit year.
    OddDates = "odd-dates", 4;
    /// A third of the items are edited three and twenty hours after they appear.
    Edits = "edits", 1;
    /// Every item's title and body change on every fetch.
    EditStorm = "edit-storm", 1;
    /// Every other item is missing in every other hour.
    Vanishing = "vanishing", 1;
    /// Shows its last 500 items, with new guids, for one day a week.
    Replay = "replay", 1;

    // Moves
    /// 301 to one lasting new address; or 308.
    Moved = "moved", 2;
    /// 302, 303, 307.
    MovedForNow = "moved-for-now", 3;
    /// 301 to another target each day.
    FlipFlop = "flip-flop", 1;
    /// Twenty hops.
    RedirectChain = "redirect-chain", 1;
    /// a → b → a; or a query that grows.
    RedirectLoop = "redirect-loop", 2;
    /// To loopback, metadata and other schemes (E6).
    RedirectPrivate = "redirect-private", 7;
    /// 301 of the whole site to a page that is no feed.
    RedirectToPage = "redirect-to-page", 1;

    // Refusals and spells
    Gone = "gone", 1;
    /// 404 for eight hours in three days; or for good.
    Missing = "missing", 2;
    /// 500 in spells; 502 in spells; 500 for good.
    Broken = "broken", 3;
    /// 429 in spells; Retry-After as seconds, date, past date, negative, huge, words, absent.
    Limited = "limited", 7;
    /// 503 in spells, with and without Retry-After.
    Unavailable = "unavailable", 2;
    /// 401, 403, 451.
    Denied = "denied", 3;
    /// 200 with a maintenance page, in spells.
    Maintenance = "maintenance", 1;
    /// 200 with a login page.
    Login = "login", 1;
    /// A challenge with `cf-mitigated`: as 200, as 403.
    Captcha = "captcha", 2;
    /// 200 and nothing.
    Empty = "empty", 1;

    // Lies and attacks on the wire
    /// One byte a second: of the body; of the head.
    Drip = "drip", 2;
    /// Half the body: under a full Content-Length; until close; chunked without an end.
    Truncated = "truncated", 3;
    /// Content-Length ×10, ÷10, negative, two different.
    LyingLength = "lying-length", 4;
    /// 1 GiB of zeros: gzip, zstd, gzip three times over.
    Bomb = "bomb", 3;
    Endless = "endless", 1;
    /// Reset after half the body; after the head; before the head.
    Reset = "reset", 3;
    /// A 10 MiB cookie; 10,000 fields; a 1 MiB ETag.
    HugeHeaders = "huge-headers", 3;
    Cookies = "cookies", 1;
    /// Another ETag in every response, 304s included.
    TrackingEtag = "tracking-etag", 1;

    // Documents that are wrong or malicious
    /// Bare ampersands and a lost end tag in one item; cut in the middle; junk before the prolog.
    BrokenXml = "broken-xml", 3;
    /// Latin-1 bytes without a word about it; declared as UTF-8.
    Latin1 = "latin-1", 2;
    /// A billion laughs; an external entity.
    Entities = "entities", 2;
    /// 20,000 elements inside each other.
    Deep = "deep", 1;
    /// Scripts, frames, forms and odd links in titles and bodies.
    Scripts = "scripts", 1;
}

impl Behaviour {
    pub fn from_name(name: &str) -> Option<Behaviour> {
        Behaviour::ALL.iter().copied().find(|behaviour| behaviour.name() == name)
    }

    pub fn is_hostile(self) -> bool {
        self != Behaviour::Good
    }
}
