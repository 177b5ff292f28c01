use super::*;
use crate::dice::Dice;
use serde_json::json;
use std::io::Write;

const WORDS: [&str; 16] = [
    "lantern", "orchard", "velvet", "granite", "meadow", "copper", "saddle", "walnut", "glacier", "harvest",
    "pepper", "violin", "anchor", "basket", "candle", "desert",
];

/// Feeds of different rates, each with words of its own and some of everybody's.
fn invented(feeds: usize, days: i64) -> Articles {
    let mut dice = Dice::new(5);
    let mut all = Vec::new();
    for feed in 0..feeds {
        let mean_s = 3_600.0 * [2.0, 6.0, 12.0, 30.0][feed % 4];
        let mut at = 1_700_000_000i64;
        while at < 1_700_000_000 + days * 86_400 {
            let own = format!("topic{feed}part{}", dice.below(30));
            let common: Vec<&str> = (0..5).map(|_| WORDS[dice.below(16)]).collect();
            let title = format!("{own} {}", common.join(" "));
            all.push(Article {
                source: format!("feed{feed}"),
                at,
                title,
                summary: String::new(),
                url: String::new(),
            });
            at += (-mean_s * (1.0 - dice.unit()).ln()) as i64 + 1;
        }
    }
    all.sort_by_key(|article| article.at);
    Articles { all, skipped_lines: 0, notes: Vec::new() }
}

fn rules(budget: f64) -> Rules {
    Rules { budget, window: 20, beta: 0.1, shown: 15, seed: 1 }
}

#[test]
fn every_policy_spends_the_same_and_more_probes_help() {
    let corpus = Corpus::of(&invented(12, 20)).unwrap();
    for name in POLICIES {
        let (few, many) =
            (monitor(&corpus, name, &rules(0.5)).unwrap(), monitor(&corpus, name, &rules(3.0)).unwrap());
        let expected = 0.5 * corpus.hours();
        assert!((few.probes as f64 / expected - 1.0).abs() < 0.01, "{name}: {} of {expected}", few.probes);
        assert!(few.qualities.iter().all(|quality| (0.0..=1.0).contains(quality)));
        // Greed may spend what it gets on the same few.
        assert!(name.contains("greedy") || many.quality() > few.quality(), "{name}");
    }
    assert!(monitor(&corpus, "nobody", &rules(1.0)).is_err());
}

#[test]
fn whoever_polls_everything_every_hour_holds_nearly_the_best_profile() {
    let corpus = Corpus::of(&invented(6, 20)).unwrap();
    for name in ["round-robin", "wellread"] {
        assert!(monitor(&corpus, name, &rules(6.0)).unwrap().quality() > 0.97, "{name}");
    }
}

#[test]
fn ours_is_not_below_the_others_where_rates_differ() {
    let corpus = Corpus::of(&invented(24, 30)).unwrap();
    let quality = |name: &str| monitor(&corpus, name, &rules(1.0)).unwrap();
    let ours = quality("wellread");
    for name in POLICIES {
        let other = quality(name);
        assert!(
            ours.quality() >= other.quality() - 0.005,
            "{name} {} ours {}",
            other.quality(),
            ours.quality()
        );
    }
    let even = quality("round-robin");
    assert!(ours.quality_p5() > even.quality_p5(), "{} {}", ours.quality_p5(), even.quality_p5());
}

#[test]
fn the_same_seed_gives_the_same_numbers() {
    let corpus = Corpus::of(&invented(8, 10)).unwrap();
    let run = || monitor(&corpus, "content-fair", &rules(1.0)).unwrap().qualities;
    assert_eq!(run(), run());
}

/// Incremental quality against the definition: windows built anew at every hour.
#[test]
fn quality_is_the_similarity_of_the_two_profiles_at_any_time() {
    let corpus = Corpus::of(&invented(3, 15)).unwrap();
    let channel = &corpus.channels[0];
    let mut twin = twin::Twin::new(20, corpus.begin);
    let mut captured = 0;
    for (nth, post) in channel.posts.iter().enumerate() {
        twin.post(post, &corpus);
        if nth % 7 == 6 {
            for late in &channel.posts[captured..=nth] {
                twin.capture(late, post.at, &corpus);
            }
            captured = nth + 1;
        }
        let idf = &corpus.idf[corpus.idf_at(post.at)];
        let last = |until: usize| {
            let mut window = learn::Window::new(20);
            channel.posts[until.saturating_sub(20)..until]
                .iter()
                .for_each(|post| drop(window.push(&post.bag, idf)));
            window
        };
        let expected = last(nth + 1).similarity(&last(captured));
        assert!((twin.similarity() - expected).abs() < 1e-6, "{nth}: {} {expected}", twin.similarity());
    }
}

fn file(lines: &[&str]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(lines.join("\n").as_bytes()).unwrap();
    file
}

fn options(path: &std::path::Path) -> ProfilesOptions {
    ProfilesOptions {
        articles: path.to_owned(),
        budget: 1.0,
        window: 20,
        beta: 0.1,
        shown: 15,
        seed: 1,
        policies: None,
    }
}

#[test]
fn bad_lines_are_skipped_and_counted_and_missing_columns_are_empty() {
    let file = file(&[
        r#"{"source":"a","ts":1700000000,"title":"Lanterns in the orchard","summary":null}"#,
        "not json",
        r#"{"source":"a","title":"no time"}"#,
        r#"{"source":"b","ts":1700090000.5,"unknown":[1]}"#,
        r#"{"ts":1700180000}"#,
        r#"{"source":"a","ts":99}"#,
        "",
    ]);
    let articles = read_articles(file.path()).unwrap();
    assert_eq!((articles.all.len(), articles.skipped_lines), (3, 3));
    assert!(articles.notes[0].contains("3 lines skipped"), "{:?}", articles.notes);
    let report = run(&options(file.path())).unwrap();
    assert_eq!((report.channels, report.items, report.skipped_lines), (3, 3, 3));
    assert_eq!(report.policies.len(), POLICIES.len());
    assert!(table(&report).contains("round-robin") && figure(&report).ends_with("</svg>\n"));
}

#[test]
fn compressed_files_are_read_and_empty_ones_refused() {
    let line = json!({"source": "a", "ts": 1_700_000_000, "title": "Lanterns"}).to_string();
    let mut packed = tempfile::NamedTempFile::new().unwrap();
    let mut gzip = flate2::write::GzEncoder::new(&mut packed, flate2::Compression::fast());
    writeln!(gzip, "{line}").unwrap();
    gzip.finish().unwrap();
    assert_eq!(read_articles(packed.path()).unwrap().all.len(), 1);
    let zstd = file(&[]);
    std::fs::write(zstd.path(), zstd::encode_all(line.as_bytes(), 1).unwrap()).unwrap();
    assert_eq!(read_articles(zstd.path()).unwrap().all.len(), 1);
    assert!(read_articles(file(&["{}"]).path()).is_err());
    assert!(run(&options(packed.path())).is_err(), "one article is no history");
}

#[test]
fn every_experiment_of_the_paper_gives_rows() {
    let articles = invented(10, 16);
    let lines: Vec<String> = articles
        .all
        .iter()
        .map(|article| {
            json!({"source": article.source, "ts": article.at, "title": article.title}).to_string()
        })
        .collect();
    let file = file(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    for name in EXPERIMENTS {
        let report = experiment(name, &options(file.path())).unwrap();
        assert!(!report.rows.is_empty(), "{name}");
        assert!(rows_table(&report).lines().count() > 1);
    }
    assert!(experiment("nothing", &options(file.path())).is_err());
}

#[test]
fn planted_mirrors_are_polled_less_and_first_copies_come_earlier() {
    let corpus = Corpus::of(&invented(20, 40)).unwrap();
    let channels = mirrors::planted(&corpus, 0.3, 3);
    assert_eq!(channels.len(), 26);
    let of = |value| mirrors::first_copies(&channels, corpus.begin, corpus.end, &rules(1.0), value);
    let (plain, valued) = (of(false), of(true));
    assert_eq!(plain.probes, valued.probes);
    assert!(valued.median_hours < plain.median_hours, "{} {}", valued.median_hours, plain.median_hours);
    let alone = |value| mirrors::first_copies(&corpus.channels, corpus.begin, corpus.end, &rules(1.0), value);
    assert!(
        (alone(true).median_hours - alone(false).median_hours).abs() < 1e-9,
        "nothing changes without mirrors"
    );
}
