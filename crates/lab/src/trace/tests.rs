use super::*;
use std::io::Write;
use std::path::{Path, PathBuf};

const MONDAY: i64 = 1_704_067_200;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        path
    }
}

fn options(path: &Path) -> WorldOptions {
    WorldOptions { posts: vec![path.to_owned()], train_days: 14, seed: 1, ..WorldOptions::default() }
}

/// One feed, a post every six hours from `first` for so many days.
fn steady(name: &str, first: i64, days: i64) -> String {
    (0..days * 4).map(|nth| format!("{name},{}\n", first + nth * 21_600)).collect()
}

#[test]
fn broken_and_unsorted_lines_are_skipped_counted_and_reported() {
    let folder = Folder::new();
    let text = "source_id,unix_ts\nb,1704100000\na,1704090000\nnonsense\na,NaN\na,-5\na,99999999999\n\
                b,1704080000,ignored\n,1704070000\n\"c\", 1704070001.7\n\n";
    let events = read_posts(&folder.file("posts.csv", text.as_bytes())).expect("read");
    let names: Vec<&str> = events.sources.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["", "a", "b", "c"]);
    assert_eq!(events.sources[2].1, [1_704_080_000, 1_704_100_000], "sorted");
    let skipped = events.skipped.expect("counted");
    assert_eq!((skipped.lines, skipped.first_line), (4, 4));
}

#[test]
fn a_header_is_optional_and_a_first_line_from_the_wrong_century_is_no_header() {
    let folder = Folder::new();
    let events = read_posts(&folder.file("a.csv", b"a,1704090000\n")).expect("read");
    assert_eq!((events.sources.len(), events.skipped), (1, None));
    let events = read_posts(&folder.file("b.csv", b"a,12\n")).expect("read");
    assert_eq!(events.skipped.map(|skipped| skipped.lines), Some(1));
}

#[test]
fn a_header_may_name_the_columns_in_any_order_among_others() {
    let folder = Folder::new();
    let read = |text: &str| read_posts(&folder.file("posts.csv", text.as_bytes())).expect("read");
    let expected = read("a,1704090000\nb,1704100000\n");
    for text in [
        "unix_ts,source_id\n1704090000,a\n1704100000,b\n",
        "title,Source,score,TS\n\"one, two\",a,3,1704090000\n\"\"\"three\"\"\",b,,1704100000.0\n",
        "source,ts\n\"a\", 1704090000 \nb,1704100000,more\n",
        "{\"source_id\":\"a\",\"unix_ts\":1704090000}\n{\"ts\":\"1704100000\",\"source\":\"b\"}\n",
    ] {
        assert_eq!(read(text), expected, "{text}");
    }
    let quoted = read("\"a, b\",1704090000\n");
    assert_eq!(quoted.sources[0].0, "a, b");
    for text in ["unix_ts\n1704090000\n1704100000\n", "1704090000\n1704100000\n"] {
        assert_eq!(read(text).sources, [(String::new(), vec![1_704_090_000, 1_704_100_000])], "{text}");
    }
    let looks = folder.file("looks.csv", b"source_id,user_id,unix_ts\nf,u,1704090000\n");
    assert_eq!(read_accesses(&looks).expect("read").sources[0].0, "u");
}

#[test]
fn packed_files_and_articles_are_read_whatever_they_are_called() {
    let folder = Folder::new();
    let text = steady("a", MONDAY, 2);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).expect("packed");
    let plain = read_posts(&folder.file("plain", text.as_bytes())).expect("plain");
    let gzip = read_posts(&folder.file("gzip", &gzip.finish().expect("gzip"))).expect("gzip");
    let zstd = zstd::encode_all(text.as_bytes(), 1).expect("zstd");
    let zstd = read_posts(&folder.file("zstd", &zstd)).expect("zstd");
    assert_eq!(plain, gzip);
    assert_eq!(plain, zstd);
    let articles = "{\"source\":\"a\",\"ts\":1704067200,\"title\":\"t\"}\n{broken\n{\"ts\":1704067201}\n";
    let events = read_posts(&folder.file("articles", articles.as_bytes())).expect("articles");
    assert_eq!(events.sources.len(), 2);
    assert_eq!(events.skipped.map(|skipped| skipped.lines), Some(1));
    let events = read_posts(&folder.file("broken", b"{broken\n{\"source\":\"a\",\"ts\":1704067200}\n"));
    assert_eq!(events.expect("read").skipped.map(|skipped| skipped.lines), Some(1), "no header");
}

#[test]
fn a_trace_of_nothing_is_refused_with_a_reason() {
    let folder = Folder::new();
    for text in ["", "source_id,unix_ts\n", "a,NaN\nb,NaN\n"] {
        let path = folder.file("empty.csv", text.as_bytes());
        let error = build(&options(&path)).expect_err("refused").to_string();
        assert!(error.contains("holds no posts"), "{error}");
    }
    let missing = folder.0.path().join("missing.csv");
    assert!(build(&options(&missing)).is_err());
}

#[test]
fn of_a_file_of_broken_lines_their_number_and_the_first_reason_are_told() {
    let folder = Folder::new();
    let refused = |options: &WorldOptions| build(options).expect_err("refused").to_string();
    let broken = folder.file("broken.csv", b"source_id,unix_ts\na,noon\nb,12\nc\n");
    let error = refused(&options(&broken));
    assert!(
        error.ends_with("broken.csv holds no posts; 3 lines are broken, the first is line 2 (no time)"),
        "{error}"
    );
    let one = folder.file("one.csv", b"a,12\n");
    let error = refused(&options(&one));
    assert!(error.ends_with("one.csv holds no posts; line 1 is broken (before 1990)"), "{error}");
    let posts = folder.file("posts.csv", steady("a", MONDAY, 30).as_bytes());
    let error = refused(&WorldOptions { accesses: vec![broken], ..options(&posts) });
    assert!(error.contains("broken.csv holds no looks; 3 lines are broken"), "{error}");
}

#[test]
fn a_sample_of_nothing_is_refused() {
    let folder = Folder::new();
    let path = folder.file("posts.csv", steady("a", MONDAY, 30).as_bytes());
    let error = build(&WorldOptions { sample: vec![0], ..options(&path) }).expect_err("refused").to_string();
    assert_eq!(error, "--sample must draw at least one feed");
}

#[test]
fn one_post_or_all_in_a_minute_leave_nothing_to_test() {
    let folder = Folder::new();
    let one = folder.file("one.csv", b"a,1704090000\n");
    assert!(build(&options(&one)).expect_err("refused").to_string().contains("ends before the test begins"));
    let minute: String = (0..100).map(|nth| format!("a,{}\n", MONDAY + 60_000 + nth % 60)).collect();
    let minute = folder.file("minute.csv", minute.as_bytes());
    assert!(build(&options(&minute)).is_err());
    // With a window that holds the minute, the feed is there and silent in the test.
    let asked = WorldOptions { starts: vec![MONDAY], test_days: Some(7), ..options(&minute) };
    let (world, account) = build(&asked).expect("built");
    assert_eq!((world.feeds.len(), world.test_posts(), world.history(0).len()), (1, 0, 100));
    assert_eq!(account.notes.len(), 1, "the trace is shorter than the test");
}

#[test]
fn the_first_monday_is_where_a_trace_starts_unless_told() {
    let folder = Folder::new();
    // From a Wednesday on, five weeks.
    let path = folder.file("posts.csv", steady("a", MONDAY + 2 * DAY_S, 35).as_bytes());
    let (world, _) = build(&options(&path)).expect("built");
    assert_eq!(world.begin, MONDAY + WEEK_S + 2 * WEEK_S);
    assert_eq!(world.test_days(), 15.0);
    assert_eq!(world.history(0).len(), 14 * 4);
    let asked = WorldOptions {
        starts: vec![MONDAY + 3 * DAY_S],
        train_days: 7,
        test_days: Some(3),
        ..options(&path)
    };
    let (world, _) = build(&asked).expect("built");
    assert_eq!((world.begin, world.test_posts()), (MONDAY + 10 * DAY_S, 12));
}

#[test]
fn mixed_traces_meet_on_a_monday_and_keep_their_hours() {
    let folder = Folder::new();
    let one = folder.file("one.csv", steady("a", MONDAY + 3600, 40).as_bytes());
    let two = folder.file("two.csv", steady("a", MONDAY - 500 * WEEK_S + 7200, 40).as_bytes());
    let mixed = WorldOptions { posts: vec![one, two], test_days: Some(14), ..options(Path::new("")) };
    let (world, _) = build(&mixed).expect("built");
    assert_eq!(world.feeds.len(), 2, "the same name in two traces is two feeds");
    assert_eq!(world.begin.rem_euclid(WEEK_S), MONDAY.rem_euclid(WEEK_S));
    let hours: Vec<i64> = (0..2).map(|feed| (world.test(feed)[0] - world.begin) / 3600).collect();
    assert_eq!(hours, [1, 2]);
}

#[test]
fn feeds_are_chosen_by_history_alone_and_drawn_by_seed() {
    let folder = Folder::new();
    let mut text: String = (0..50).map(|nth| steady(&format!("f{nth}"), MONDAY, 30)).collect();
    text.push_str(&steady("late", MONDAY + 20 * DAY_S, 5));
    let path = folder.file("posts.csv", text.as_bytes());
    let (world, account) = build(&options(&path)).expect("built");
    assert_eq!((world.feeds.len(), account.feeds_without_history), (50, 1));
    let draw = |seed| {
        let (world, _) = build(&WorldOptions { sample: vec![10], seed, ..options(&path) }).expect("built");
        world.feeds.iter().map(|feed| feed.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(draw(1).len(), 10);
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(2));
}

#[test]
fn releases_get_fourteen_weeks_of_history() {
    let folder = Folder::new();
    let path = folder.file("traces-pypi.csv", steady("a", MONDAY, 150).as_bytes());
    let (world, _) = build(&options(&path)).expect("built");
    assert_eq!(world.history_days(0), 98.0);
}

#[test]
fn visits_are_shifted_by_whole_weeks_and_merged_within_half_an_hour() {
    let folder = Folder::new();
    let posts = folder.file("posts.csv", steady("a", MONDAY, 40).as_bytes());
    let then = MONDAY - 100 * WEEK_S;
    let visits: String = (0..40)
        .flat_map(|day| {
            [0, 600, 1500, 7200].map(|more| format!("u,{}\n", then + day * DAY_S + 9 * 3600 + more))
        })
        .collect();
    let accesses = folder.file("accesses.csv", visits.as_bytes());
    let asked = WorldOptions { accesses: vec![accesses], ..options(&posts) };
    let (world, _) = build(&asked).expect("built");
    assert_eq!(world.readers.len(), 1);
    assert_eq!(world.readers[0].visits[0], MONDAY + 9 * 3600);
    assert_eq!(world.readers[0].visits[1], MONDAY + 11 * 3600, "three looks in a row are one visit");
    let nobody = folder.file("nobody.csv", b"u,1704090000\n");
    assert!(build(&WorldOptions { accesses: vec![nobody], ..asked }).is_err());
}

#[test]
fn subscriptions_say_who_reads_what() {
    let folder = Folder::new();
    let text: String = ["a", "B", "c"].iter().map(|name| steady(name, MONDAY, 40)).collect();
    let posts = folder.file("posts.csv", text.as_bytes());
    let visits: String = ["u", "w"].iter().map(|user| steady(user, MONDAY, 40)).collect();
    let accesses = folder.file("accesses.csv", visits.as_bytes());
    let subscriptions = folder.file("subs.csv", b"user,source,weight\nu,b,1\nu,c,2\nu,unknown,1\n");
    let asked =
        WorldOptions { accesses: vec![accesses], subscriptions: Some(subscriptions), ..options(&posts) };
    let (world, _) = build(&asked).expect("built");
    assert_eq!(world.readers.len(), 1, "who reads nothing is left out");
    let read: Vec<&str> = (0..3)
        .filter(|feed| world.readers[0].reads(*feed))
        .map(|feed| world.feeds[feed].name.as_str())
        .collect();
    assert_eq!(read, ["B", "c"]);
}

#[test]
fn dates_are_read_and_nonsense_is_refused() {
    assert_eq!(parse_date("2024-01-01").expect("a date"), MONDAY);
    for text in ["", "2024", "1969-01-01", "9999-12-31", "2024-13-01"] {
        assert!(parse_date(text).is_err(), "{text}");
    }
}
