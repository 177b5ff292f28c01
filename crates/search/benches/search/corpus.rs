//! A million items of about a kilobyte, made again on demand so that they need no memory: resampled from real articles
//! where there are some, from articles of our own making otherwise.

use domain::{FeedId, ItemId, Timestamp};
use flate2::read::GzDecoder;
use search::ItemText;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

pub(crate) const FEEDS: i64 = 5_000;
/// Of the articles this much is kept to draw from.
const KEPT_BYTES: usize = 12 << 20;
const ITEM_BYTES: usize = 1_000;

pub(crate) struct Corpus {
    titles: Vec<String>,
    pieces: Vec<String>,
    pub(crate) origin: &'static str,
}

/// Dice from a seed (splitmix64).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

impl Corpus {
    pub(crate) fn load() -> Corpus {
        let folder = std::env::var_os("WELLREAD_LAB_DATA");
        folder.and_then(|folder| real(Path::new(&folder))).unwrap_or_else(made)
    }

    pub(crate) fn item(&self, id: i64) -> ItemText {
        let mut dice = Dice(id as u64 ^ 0x5eed);
        let title = self.titles[dice.below(self.titles.len())].clone();
        let mut text = String::with_capacity(ITEM_BYTES + 300);
        while text.len() + title.len() < ITEM_BYTES {
            text.push_str(&self.pieces[dice.below(self.pieces.len())]);
            text.push(' ');
        }
        ItemText {
            id: ItemId(id),
            feed: FeedId(dice.next().cast_signed().rem_euclid(FEEDS)),
            time: Timestamp::from_seconds(1_700_000_000 + id * 30),
            title,
            text,
            author: String::new(),
            link: format!("https://feed.test/item/{id}"),
            tags: Vec::new(),
            language: Some("en".to_owned()),
        }
    }

    /// One to three words as they stand in the items, so that frequent ones are drawn often.
    pub(crate) fn query(&self, items: i64, dice: &mut Dice) -> String {
        let wanted = 1 + dice.below(3);
        let mut words = Vec::new();
        while words.len() < wanted {
            let item = self.item(1 + dice.next().cast_signed().rem_euclid(items));
            let text: Vec<&str> = item.text.split_whitespace().collect();
            let word: String =
                text[dice.below(text.len())].chars().filter(char::is_ascii_alphabetic).collect();
            if word.len() > 1 {
                words.push(word.to_lowercase());
            }
        }
        words.join(" ")
    }
}

fn real(folder: &Path) -> Option<Corpus> {
    let (mut titles, mut pieces) = (Vec::new(), Vec::new());
    for name in ["articles-newsrss", "articles-congress", "articles-reddit", "articles-reuters"] {
        let file = File::open(folder.join(name).join("articles.ndjson.gz")).ok()?;
        let mut kept = 0;
        for line in BufReader::new(GzDecoder::new(file)).lines().map_while(Result::ok) {
            let Ok(article) = serde_json::from_str::<serde_json::Value>(&line) else { continue };
            let field = |name: &str| article[name].as_str().unwrap_or_default().trim().to_owned();
            let (title, text) = (field("title"), field("summary"));
            kept += title.len() + text.len();
            if kept > KEPT_BYTES / 4 {
                break;
            }
            pieces.extend(in_pieces(if text.is_empty() { &title } else { &text }));
            if !title.is_empty() {
                titles.push(title[..title.floor_char_boundary(120)].to_owned());
            }
        }
    }
    Some(Corpus { titles, pieces, origin: "resampled from real articles" })
        .filter(|corpus| !corpus.titles.is_empty())
}

/// Runs of about thirty words.
fn in_pieces(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.chunks(30).map(|words| words.join(" ")).filter(|piece| !piece.is_empty()).collect()
}

/// Articles of words that follow Zipf's law.
fn made() -> Corpus {
    let mut dice = Dice(7);
    let syllables =
        ["ba", "ten", "lo", "ri", "mun", "sa", "ver", "ko", "del", "ni", "tra", "pol", "es", "gu", "ham"];
    let mut vocabulary: Vec<String> = Vec::with_capacity(60_000);
    for nth in 0..60_000 {
        let length = 1 + dice.below(if nth < 200 { 2 } else { 4 });
        let mut word: String = (0..=length).map(|_| syllables[dice.below(syllables.len())]).collect();
        word.push_str(["", "", "s", "ed", "ing"][dice.below(5)]);
        vocabulary.push(word);
    }
    let count = vocabulary.len() as f64;
    // The inverse of a continuous Zipf distribution with exponent 1.
    let mut words = |length: usize| {
        let drawn: Vec<&str> = (0..length)
            .map(|_| vocabulary[(count.powf(dice.unit()) as usize).min(59_999)].as_str())
            .collect();
        drawn.join(" ")
    };
    let titles = (0..20_000).map(|_| words(9)).collect();
    let pieces = (0..40_000).map(|_| words(30)).collect();
    Corpus { titles, pieces, origin: "of our own making" }
}
