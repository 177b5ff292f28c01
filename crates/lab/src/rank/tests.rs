use super::*;

fn options(users: usize) -> RankOptions {
    RankOptions {
        kind: Kind::Paper,
        users,
        iterations: 100,
        drift_every: None,
        drift_pool: 20,
        seed: 1,
        strategies: None,
        show_progress: false,
    }
}

fn total(report: &RankReport, name: &str) -> f64 {
    report.strategies.iter().find(|row| row.name == name).unwrap().total_clicks
}

/// Reference 1.2, within what a few readers allow.
#[test]
fn the_papers_strategies_come_to_what_the_reference_measured() {
    let report = run(&options(60)).unwrap();
    for (name, expected) in
        [("random", 182.5), ("greedy", 456.0), ("ee-10", 492.2), ("ee-20", 491.8), ("oracle", 567.1)]
    {
        let got = total(&report, name);
        assert!((got / expected - 1.0).abs() < 0.03, "{name}: {got}");
    }
    for row in report.strategies.iter().filter(|row| row.name != "oracle") {
        assert!(row.total_clicks < 537.2, "{} knows what nobody can", row.name);
        assert_eq!((row.clicks_per_iteration.len(), row.theta_mae.len()), (100, 100));
    }
    let names: Vec<&str> = report.strategies.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, STRATEGIES);
    assert!(table(&report).lines().count() == 10 && figure(&report).contains("Error"));
}

#[test]
fn ours_is_back_sooner_after_a_drift() {
    let asked = Some(vec!["ee-10".to_owned(), "wellread".to_owned()]);
    let report = run(&RankOptions {
        iterations: 150,
        drift_every: Some(30),
        drift_pool: 7,
        strategies: asked,
        ..options(60)
    })
    .unwrap();
    let back =
        |name: &str| report.strategies.iter().find(|row| row.name == name).unwrap().iterations_to_95.unwrap();
    assert!(total(&report, "wellread") > 1.1 * total(&report, "ee-10"));
    assert!(back("wellread") < back("ee-10"));
}

#[test]
fn the_shipped_ranker_beats_the_papers_where_items_mix_topics() {
    for model in [ClickModel::Logistic, ClickModel::Capped] {
        let kind = Kind::Contextual(model);
        let report = run(&RankOptions { kind, iterations: 40, ..options(12) }).unwrap();
        let (ours, paper, best) =
            (total(&report, "wellread"), total(&report, "ee-10"), total(&report, "oracle"));
        assert!(ours > 1.1 * paper && ours < best, "{ours} {paper} {best}");
        assert!(total(&report, "newest") < paper);
        assert!(report.strategies.iter().all(|row| row.theta_mae.is_empty()));
    }
}

#[test]
fn the_same_seed_gives_the_same_numbers_and_leaving_one_out_changes_none() {
    let all = run(&RankOptions { iterations: 20, ..options(5) }).unwrap();
    let one = RankOptions { iterations: 20, strategies: Some(vec!["ee-10".to_owned()]), ..options(5) };
    let alone = run(&one).unwrap();
    assert_eq!(alone.strategies.len(), 2, "and the oracle");
    assert_eq!(total(&all, "ee-10"), total(&alone, "ee-10"));
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let asked = |change: fn(&mut RankOptions)| {
        let mut options = options(2);
        change(&mut options);
        run(&options).is_err()
    };
    assert!(asked(|options| options.users = 0));
    assert!(asked(|options| options.iterations = 0));
    assert!(asked(|options| options.drift_every = Some(0)));
    assert!(asked(|options| options.drift_pool = 21));
    assert!(asked(|options| options.strategies = Some(vec!["nobody".to_owned()])));
}
