use super::*;
use crate::synthetic::world;

fn options(policies: &[&str]) -> ScheduleOptions {
    ScheduleOptions {
        world: WorldOptions::default(),
        polls_per_day: 2.0,
        rules: Rules::default(),
        policies: Some(policies.iter().map(|name| (*name).to_owned()).collect()),
        metric: None,
        study: Study::default(),
        apart: false,
        show_progress: false,
    }
}

#[test]
fn the_report_has_what_the_contract_names() {
    let world = world(1, 20, 7);
    let report = run_in(&world, Account::default(), &options(&["uniform", "sia-combined"])).expect("run");
    let json = serde_json::to_value(&report).expect("JSON");
    for key in ["feeds", "posts", "polls_per_day", "policies"] {
        assert!(json.get(key).is_some(), "{key}");
    }
    let row = &json["policies"][1];
    assert_eq!(row["name"], "sia-combined");
    for key in [
        "polls",
        "mean_delay_s",
        "median_delay_s",
        "p99_delay_s",
        "max_delay_s",
        "stddev_delay_s",
        "missed_per_access",
        "access_delay_s",
        "items_lost",
        "bytes",
        "bytes_changed",
        "bytes_new",
        "plan_ms",
    ] {
        assert!(row.get(key).is_some(), "{key}");
    }
    assert!(row["missed_per_access"].is_null(), "nobody looked");
    assert!(table(&report).contains("uniform"));
    assert!(figure(&report).contains("<svg"));
}

#[test]
fn the_same_seed_gives_the_same_numbers() {
    let world = world(2, 20, 7);
    let asked = options(&["uniform", "newsblur", "wellread"]);
    let mut runs: Vec<ScheduleReport> =
        (0..2).map(|_| run_in(&world, Account::default(), &asked).expect("run")).collect();
    for run in &mut runs {
        run.policies.iter_mut().for_each(|row| row.plan_ms = 0.0);
    }
    let text = |report: &ScheduleReport| serde_json::to_string(report).expect("JSON");
    assert_eq!(text(&runs[0]), text(&runs[1]));
}

#[test]
fn budgets_that_mean_nothing_are_refused() {
    let world = world(3, 5, 7);
    for polls_per_day in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
        let asked = ScheduleOptions { polls_per_day, ..options(&["uniform"]) };
        assert!(run_in(&world, Account::default(), &asked).is_err(), "{polls_per_day}");
    }
    for days in [0.0, -3.0, f64::NAN, 1e9] {
        let study = Study { posts_days: days, ..Study::default() };
        let looks = Study { looks_days: Some(days), ..Study::default() };
        for study in [study, looks, Study { anew_days: Some(0), ..Study::default() }] {
            let asked = ScheduleOptions { study, ..options(&["uniform"]) };
            assert!(run_in(&world, Account::default(), &asked).is_err(), "{study:?}");
        }
    }
    let floor = Rules { floor_s: 3600 * 24, ..Rules::default() };
    let asked = ScheduleOptions { rules: floor, ..options(&["uniform"]) };
    let error = run_in(&world, Account::default(), &asked).expect_err("refused").to_string();
    assert!(error.contains("floor"), "{error}");
}

#[test]
fn unknown_policies_and_those_without_people_are_named() {
    let world = world(4, 5, 7);
    let refused = |name| run_in(&world, Account::default(), &options(&[name])).expect_err(name).to_string();
    assert!(refused("nonsense").contains("there is no policy nonsense"));
    assert!(refused("refresh-on-open").contains("--accesses"));
}
