use super::*;
use text::Frequencies;

const FILLER: [&str; 12] = [
    "lantern", "orchard", "velvet", "granite", "meadow", "copper", "saddle", "walnut", "glacier", "harvest",
    "pepper", "violin",
];

fn at(item: u64) -> Timestamp {
    Timestamp::from_seconds(1_700_000_000 + 3_600 * item as i64)
}

/// Sentences about a topic, never the same twice.
fn article(topic: &str, nth: u64) -> (String, String) {
    let word = |step: u64| FILLER[((nth * 7 + step * 5) % 12) as usize];
    let title = format!("{topic} reaches {} near{nth}", word(1));
    let text = format!(
        "People who know the {topic} well say that the {} and the {} of place{nth} have never been so good as this year.",
        word(2),
        word(3)
    );
    (title, text)
}

struct Server {
    profile: FeedProfile,
    frequencies: Frequencies,
    nth: u64,
}

impl Server {
    fn new() -> Self {
        Server { profile: FeedProfile::default(), frequencies: Frequencies::default(), nth: 0 }
    }

    fn take(&mut self, title: &str, text: &str) -> Noticed {
        let terms = self.profile.read(title, text);
        let language = self.profile.language();
        self.frequencies.add(language, terms.ids(), at(self.nth));
        self.nth += 1;
        self.profile.add(&terms, self.frequencies.of(language), at(self.nth))
    }

    fn publish(&mut self, topic: &str, items: u64) -> Vec<Noticed> {
        (0..items)
            .map(|_| {
                let (title, text) = article(topic, self.nth);
                self.take(&title, &text)
            })
            .collect()
    }

    /// Other feeds, so that words have an idf.
    fn others(&mut self) {
        let mut other = FeedProfile::default();
        for nth in 0..200 {
            let (title, text) = article(FILLER[nth as usize % 12], 1_000 + nth);
            let terms = other.read(&title, &text);
            self.frequencies.add(Language::parse("en"), terms.ids(), at(0));
        }
    }

    fn top(&self, window_items: usize) -> Vec<String> {
        let summary = self.profile.summary(window_items, self.frequencies.of(self.profile.language()));
        summary.top(6).into_iter().map(|term| term.text.clone()).collect()
    }
}

#[test]
fn a_feed_is_about_what_its_items_are_about() {
    let mut server = Server::new();
    server.others();
    server.publish("beekeeping", 30);
    assert_eq!(server.profile.language(), Language::parse("en"));
    assert!(server.top(20).contains(&"beekeeping".to_owned()), "{:?}", server.top(20));
    let summary = server.profile.summary(20, server.frequencies.of(Some(Language::ENGLISH)));
    assert_eq!(summary.items, 20);
    assert!(
        summary.pairs.iter().any(|pair| pair.text == "beekeeping reaches" && pair.phrase),
        "{:?}",
        summary.pairs
    );
}

#[test]
fn now_and_in_general_differ_when_a_feed_changes_topic_overnight() {
    let mut server = Server::new();
    server.others();
    server.publish("beekeeping", 400);
    let noticed = server.publish("volcanoes", 40);
    assert!(noticed.iter().take(20).any(|item| item.novel));
    assert!(
        server.top(20).contains(&"volcanoes".to_owned())
            && !server.top(20).contains(&"beekeeping".to_owned())
    );
    assert!(server.top(500).contains(&"beekeeping".to_owned()), "{:?}", server.top(500));
    let river = server.profile.river(8, server.frequencies.of(Some(Language::ENGLISH)));
    let share = |term: &str, era: usize| {
        let place = river.terms.iter().position(|shown| shown.starts_with(term)).unwrap();
        river.eras[era].shares[place]
    };
    let last = river.eras.len() - 1;
    assert!(share("beekeeping", 0) > 0.9 && share("beekeeping", last) < 0.1);
    assert!(share("volcanoes", 0) < 0.1 && share("volcanoes", last) > 0.9);
    assert!(river.eras.windows(2).all(|pair| pair[1].until.is_none() || pair[0].until < pair[1].until));
}

#[test]
fn the_commonest_form_is_shown() {
    let mut server = Server::new();
    for form in ["glacier", "glaciers", "glaciers", "glacier", "glaciers", "glaciers"] {
        server.take(
            &format!("{form} melting"),
            "The ice of the mountains is going away faster than anybody thought it would.",
        );
    }
    let summary = server.profile.summary(20, &|_: TermId| 1.0);
    let shown: Vec<&str> = summary.words.iter().map(|word| word.text.as_str()).collect();
    assert!(shown.contains(&"glaciers") && !shown.contains(&"glacier"), "{shown:?}");
}

#[test]
fn copies_change_nothing_and_unrelated_items_everything() {
    let (mut copies, mut mixed) = (Server::new(), Server::new());
    for nth in 0..80u64 {
        copies.take(
            "The same title every day",
            "The same text every day about lanterns and orchards in the valley.",
        );
        let words: Vec<String> = (0..8).map(|word| format!("q{nth}w{word}z")).collect();
        mixed.take("", &words.join(" "));
    }
    assert!(copies.profile.change().unwrap() < 0.02);
    assert!(mixed.profile.change().unwrap() > 0.8, "{:?}", mixed.profile.change());
    assert!(copies.profile.cohesion() > mixed.profile.cohesion());
}

#[test]
fn a_state_goes_on_where_it_was_stored() {
    let mut server = Server::new();
    server.others();
    server.publish("beekeeping", 75);
    let bytes = server.profile.to_bytes();
    let mut back = Server {
        profile: FeedProfile::from_bytes(&bytes).unwrap(),
        frequencies: server.frequencies.clone(),
        nth: server.nth,
    };
    assert_eq!(back.profile.to_bytes(), bytes);
    let (one, other) = (server.publish("volcanoes", 60), back.publish("volcanoes", 60));
    for (one, other) in one.iter().zip(&other) {
        assert!((one.similarity - other.similarity).abs() < 1e-9 && one.novel == other.novel);
    }
    assert_eq!(server.top(20), back.top(20));
}

#[test]
fn states_are_small_and_damaged_ones_are_refused() {
    let mut server = Server::new();
    server.publish("beekeeping", 600);
    let bytes = server.profile.to_bytes();
    assert!(bytes.len() < 60_000, "{} bytes", bytes.len());
    for cut in (0..bytes.len()).step_by(97) {
        assert!(FeedProfile::from_bytes(&bytes[..cut]).is_err());
    }
    for nth in (0..bytes.len()).step_by(61) {
        let mut damaged = bytes.clone();
        damaged[nth] ^= 0xff;
        // Whatever it says, it may not panic.
        if let Ok(mut profile) = FeedProfile::from_bytes(&damaged) {
            let terms = profile.read("a title", "and a text");
            profile.add(&terms, server.frequencies.of(None), at(0));
            profile.summary(500, &|_: TermId| 1.0);
        }
    }
}

#[test]
fn hostile_items_are_taken_in_and_bounded() {
    let mut server = Server::new();
    let long = "lantern orchard ".repeat(70_000);
    let odd = [
        "",
        "the of and",
        "🎉🎉🎉",
        "שלום עולם",
        "\u{0}\u{202e}x",
        "a",
        long.as_str(),
        "東京都知事",
        "mixed Текст 文字 نص",
    ];
    for _ in 0..10 {
        for text in odd {
            let noticed = server.take(text, text);
            assert!((0.0..=1.0).contains(&noticed.similarity) && (0.0..=1.0).contains(&noticed.freshness));
        }
    }
    assert!(server.profile.to_bytes().len() < 100_000);
    assert!(FeedProfile::from_bytes(&server.profile.to_bytes()).is_ok());
}

#[test]
fn an_empty_feed_has_an_empty_profile() {
    let profile = FeedProfile::default();
    assert_eq!((profile.cohesion(), profile.change(), profile.items()), (None, None, 0));
    assert_eq!(profile.summary(500, &|_: TermId| 1.0), Summary::default());
    assert!(profile.river(8, &|_: TermId| 1.0).eras.is_empty());
}

#[test]
fn words_that_are_said_together_are_one_band_of_the_river() {
    let mut server = Server::new();
    server.others();
    for nth in 0..45_u64 {
        let word = FILLER[(nth % 12) as usize];
        server.take(
            &format!("The tide barrier and the {word}"),
            &format!("People near the tide barrier of place{nth} say it is closed too often this year."),
        );
    }
    let river = server.profile.river(6, server.frequencies.of(Some(Language::ENGLISH)));
    assert!(river.terms.contains(&"tide barrier".to_owned()), "{:?}", river.terms);
    assert!(!river.terms.iter().any(|term| term == "tide" || term == "barrier"), "{:?}", river.terms);
    let place = river.terms.iter().position(|term| term == "tide barrier").unwrap();
    assert!(river.eras.iter().skip(1).all(|era| era.shares[place] > 0.9), "{:?}", river.eras);
}
