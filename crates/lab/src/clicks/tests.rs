use super::bootstrap::Tally;
use super::mind::measures;
use super::*;
use std::fmt::Write as _;
use std::io::Write as _;

fn packed(path: &Path, text: &str) {
    let mut out =
        flate2::write::GzEncoder::new(std::fs::File::create(path).unwrap(), flate2::Compression::fast());
    out.write_all(text.as_bytes()).unwrap();
    out.finish().unwrap();
}

fn options(data: Option<&Path>, set: &str) -> ClicksOptions {
    ClicksOptions {
        data: data.map(Path::to_owned),
        sets: Some(vec![set.to_owned()]),
        resamples: 200,
        seed: 1,
        show_progress: false,
    }
}

fn value(report: &ClicksReport, ranker: &str, measure: &str) -> Estimate {
    let row = report.sets[0].rankers.iter().find(|row| row.name == ranker).unwrap();
    row.measures.iter().find(|own| own.name == measure).unwrap().estimate
}

#[test]
fn a_list_is_measured_as_mind_does() {
    let [auc, mrr, five, ten] = measures(&[false, true, false, true]);
    assert!((auc - 0.25).abs() < 1e-12 && (mrr - (0.5 + 0.25) / 2.0).abs() < 1e-12);
    let best = 1.0 + 1.0 / 3f64.log2();
    let found = 1.0 / 3f64.log2() + 1.0 / 5f64.log2();
    assert!((five - found / best).abs() < 1e-12 && (ten - five).abs() < 1e-12);
    assert_eq!(measures(&[true, false]), [1.0; 4]);
    let mut late = [false; 12];
    late[7] = true;
    assert_eq!((measures(&late)[2], measures(&late)[3] > 0.0), (0.0, true));
}

#[test]
fn an_interval_holds_the_truth_and_a_difference_is_paired() {
    let mut tally = Tally::new(&["ee-10", "other"], &["rate"]);
    let mut dice = crate::dice::Dice::new(3);
    for _ in 0..400 {
        let (mut unit, luck) = (tally.unit(), dice.unit());
        unit.add(0, 0, luck, 1.0);
        unit.add(1, 0, luck + 0.01, 1.0);
        tally.push(unit);
    }
    let found = tally.estimates("ee-10", 500, 7);
    let (own, _) = found[0][0];
    assert!(own.low < 0.5 && 0.5 < own.high && own.high - own.low < 0.08, "{own:?}");
    let (_, above) = found[1][0];
    assert!((above.low - 0.01).abs() < 1e-9 && (above.high - 0.01).abs() < 1e-9, "{above:?}");
}

#[test]
fn without_data_it_says_what_is_missing_and_where_it_is_published() {
    let refused = run(&ClicksOptions { sets: None, ..options(None, "obd") }).unwrap_err().to_string();
    assert!(refused.contains("--data") && refused.contains("https://msnews.github.io"), "{refused}");
    let empty = tempfile::tempdir().unwrap();
    let refused = run(&options(Some(empty.path()), "movielens")).unwrap_err().to_string();
    assert!(refused.contains("ratings-movielens/{ratings.csv.gz,items.csv.gz}"), "{refused}");
    assert!(run(&options(Some(empty.path()), "netflix")).unwrap_err().to_string().contains("there are: obd"));
}

/// Twelve items, of which one is clicked three times in four.
#[test]
fn an_item_that_is_clicked_is_found_in_a_random_log() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().join("clicks-obd");
    std::fs::create_dir(&folder).unwrap();
    let mut dice = crate::dice::Dice::new(5);
    for campaign in ["men", "women"] {
        let mut log = "unix_ts,item_id,position,click,propensity,user_feature_0\n".to_owned();
        for nth in 0..4_000 {
            let item = dice.below(12);
            let chance = if item == 7 { 0.75 } else { 0.05 };
            let click = u8::from(dice.unit() < chance);
            writeln!(log, "{},{item},{},{click},{},x", 1_574_000_000 + nth, 1 + nth % 3, 1.0 / 12.0).unwrap();
        }
        log.push_str("1574000000,3,1,0,nothing,x\n");
        packed(&folder.join(format!("{campaign}-random.csv.gz")), &log);
        let items: String = (0..12).map(|item| format!("{item},0.5,a{},b,c\n", item % 4)).collect();
        let header = "item_id,item_feature_0,item_feature_1,item_feature_2,item_feature_3\n";
        std::fs::write(folder.join(format!("{campaign}-items.csv")), header.to_owned() + &items).unwrap();
    }
    let report = run(&options(Some(data.path()), "obd")).unwrap();
    let mean = (0.75 + 11.0 * 0.05) / 12.0;
    let random = value(&report, "random", "click rate, first");
    assert!(random.low < mean && mean < random.high, "{random:?}");
    for ranker in ["popular", "ee-10", "wellread"] {
        let quarter = value(&report, ranker, "click rate, quarter");
        let truth = (0.75 + 2.0 * 0.05) / 3.0;
        assert!((quarter.value - truth).abs() < 0.05, "{ranker} {quarter:?}");
        assert!(value(&report, ranker, "click rate, first").low > random.high, "{ranker}");
    }
    assert!(report.sets[0].notes.iter().any(|note| note == "2 lines skipped"), "{:?}", report.sets[0].notes);
    assert!(table(&report).contains("wellread") && figure(&report).starts_with("<svg"));
}

/// People of two kinds: each clicks one category of two.
#[test]
fn who_clicks_one_category_gets_it_on_top() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().join("clicks-mind");
    std::fs::create_dir(&folder).unwrap();
    let news: String = (0..200)
        .map(|id| {
            format!("{{\"id\":\"N{id}\",\"category\":\"{}\"}}\n", if id % 2 == 0 { "sport" } else { "art" })
        })
        .collect();
    packed(&folder.join("news.ndjson.gz"), &news);
    let mut dice = crate::dice::Dice::new(5);
    let mut lists = String::new();
    for nth in 0..300usize {
        let (user, kind) = (nth % 30, nth % 2);
        let shown: Vec<usize> = dice.sample(200, 10);
        let clicked: Vec<usize> = shown.iter().copied().filter(|id| id % 2 == kind).take(2).collect();
        let named = |ids: &[usize]| ids.iter().map(|id| format!("\"N{id}\"")).collect::<Vec<_>>().join(",");
        let (shown, clicked) = (named(&shown), named(&clicked));
        let history = named(&[kind, kind + 2, kind + 4]);
        let at = 1_573_000_000 + 60 * nth;
        let list = format!("\"history\":[{history}],\"shown\":[{shown}],\"clicked\":[{clicked}]");
        writeln!(lists, "{{\"user\":\"U{user}\",\"ts\":{at},{list}}}").unwrap();
    }
    packed(&folder.join("impressions.ndjson.gz"), &lists);
    let report = run(&options(Some(data.path()), "mind")).unwrap();
    let random = value(&report, "random", "AUC");
    assert!(random.low < 0.5 && 0.5 < random.high, "{random:?}");
    assert!(value(&report, "wellread", "AUC").low > 0.6, "{}", table(&report));
    assert!(value(&report, "wellread", "AUC").low > value(&report, "popular", "AUC").high);
}

#[test]
fn who_loves_one_genre_gets_it_on_top() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().join("ratings-movielens");
    std::fs::create_dir(&folder).unwrap();
    let genres = ["Comedy", "Drama|War", "Horror", "Musical|Comedy"];
    let items: String =
        (0..400).map(|item| format!("{item},\"A, B ({item})\",{}\n", genres[item % 4])).collect();
    packed(&folder.join("items.csv.gz"), &format!("item,title,topics\n{items}"));
    let mut ratings = "user,item,rating,unix_ts\n".to_owned();
    let mut dice = crate::dice::Dice::new(5);
    for user in 0..20usize {
        for nth in 0..200 {
            let item = dice.below(400);
            let stars = if item % 4 == user % 4 { 4.5 } else { 2.0 };
            writeln!(ratings, "{user},{item},{stars},{}", 1_000_000_000 + 1_000 * nth + user).unwrap();
        }
    }
    packed(&folder.join("ratings.csv.gz"), &ratings);
    let report = run(&options(Some(data.path()), "movielens")).unwrap();
    assert!(value(&report, "wellread", "AUC after 5 lists").low > 0.95, "{}", table(&report));
    assert!(value(&report, "popular", "AUC").high < 0.7, "{}", table(&report));
    let again = run(&options(Some(data.path()), "movielens")).unwrap();
    assert_eq!(table(&again), table(&report), "the same seed gives the same numbers");
}
