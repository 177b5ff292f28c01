use super::compare::{Agreement, Asked};
use super::cost::{Costs, Counted};
use super::methods::{Exact, Groups, View, membership, view_writes};
use super::*;
use learn::{Factors, Fit, Sparse};
use rank::buzz::Ranked;
use std::io::Write;

fn matrix(rows: &[&[f32]]) -> Sparse {
    let columns = rows.first().map_or(0, |row| row.len());
    Sparse::of_rows(columns, rows.iter().map(|row| (0u32..).zip(row.iter().copied()).collect()))
}

/// Example 5 of 003 (Figure 4.2).
fn example() -> World {
    let follows = matrix(&[&[0.8, 0.8, 0.0, 0.0], &[0.2, 0.2, 0.6, 0.6], &[0.0, 0.0, 0.5, 0.5]]);
    let references = matrix(&[&[3.0, 2.0, 0.0], &[0.0, 3.0, 0.0], &[1.0, 0.0, 1.0], &[1.0, 2.0, 3.0]]);
    let keys = ["o1", "o2", "o3"].map(str::to_owned).to_vec();
    World::new(follows, references, keys, Vec::new())
}

fn keys(list: &[Ranked]) -> Vec<(u32, f64)> {
    list.iter().map(|one| (one.key, (one.score * 1e4).round() / 1e4)).collect()
}

#[test]
fn all_methods_agree_on_example_5() {
    let world = example();
    let region = world.region(0, 0);
    let left = [vec![1.0, 0.0], vec![0.25, 1.2], vec![0.0, 1.0]];
    let right = [vec![0.8, 0.8, 0.0, 0.0], vec![0.0, 0.0, 0.5, 0.5]];
    let fit = Fit { factors: Factors::given(&left, &right), residuals: vec![0.0], converged: true };
    let mut groups = Groups::with(&world, &region, fit, 0.0);
    let view = View::new(&world, &[0, 1, 2], |_| true);
    let mut exact = Exact::new(world.postings());
    let expected =
        [vec![(1, 4.0), (0, 2.4)], vec![(2, 2.4), (1, 2.2), (0, 1.8)], vec![(2, 2.0), (0, 1.0), (1, 1.0)]];
    for (user, expected) in expected.iter().enumerate() {
        let follows = world.follows_of(user);
        assert_eq!(&keys(&exact.top(&follows, 3)), expected);
        assert_eq!(&keys(&view.top(user, 3)), expected);
        assert_eq!(&keys(&groups.top(user, 3)), expected);
        assert_eq!(&keys(&groups.top_by_threshold(user, 3, None).top), expected);
    }
    let sqlite = sqlite::ask(&world, &[0, 1, 2], 3).unwrap();
    for (list, expected) in sqlite.lists.iter().zip(&expected) {
        assert_eq!(&keys(list), expected);
    }
    // §4.2.3: a reference is one write on the fly, two to views, one to a group.
    let references = world.references.len() as u64;
    assert_eq!(exact.postings.references() as u64, references);
    assert_eq!((view.writes, view_writes(&world.references, &region)), (2 * references, 2 * references));
    assert_eq!(groups.writes, references);
}

#[test]
fn agreement_counts_what_both_lists_have() {
    let list = |keys: &[u32]| keys.iter().map(|key| Ranked { key: *key, score: 1.0 }).collect::<Vec<_>>();
    let found = Agreement::of(
        &[list(&[1, 2, 3]), list(&[4, 5]), list(&[])],
        &[list(&[2, 1]), list(&[4, 9]), list(&[])],
        2,
    );
    assert_eq!((found.at_one, found.overlap, found.first_in_list), (0.5, 0.75, 1.0));
    let nobody = Agreement::of(&[], &[], 20);
    assert_eq!((nobody.overlap, nobody.at_one), (0.0, 0.0));
}

/// Costs by counting, for any borders.
#[test]
fn the_cost_of_borders_is_that_of_counting() {
    let posts = synthetic::Posts::drawn(3);
    let world = synthetic::scaled(Size::Light, &posts, None, 3, 400);
    let counted = Counted { accesses: 300.0, groups: 7.0 };
    let costs = Costs::new(&world, counted);
    let references = |source: u32| world.references.row(source as usize).len() as f64;
    let by_hand = |a: usize, b: u32| {
        let mut rows = world.references.len() as f64;
        for user in 0..world.users() {
            let own = world.follows.row(user);
            if own.len() <= a {
                rows += 7.0 * own.iter().map(|(source, _)| references(*source)).sum::<f64>();
            } else {
                rows += 7.0 * counted.accesses;
                let rare = own.iter().filter(|(source, _)| world.readers[*source as usize] <= b);
                rows += rare.map(|(source, _)| references(*source)).sum::<f64>();
            }
        }
        let dense = (0..world.sources() as u32).filter(|source| world.readers[*source as usize] > b);
        rows + counted.groups * dense.map(references).sum::<f64>()
    };
    for (a, b) in [(0, 0), (5, 10), (30, 30), (45, 5)] {
        let (found, expected) = (costs.at(a, b).rows, by_hand(a, b as u32));
        assert!((found - expected).abs() < 1e-6 * expected, "{a} {b}: {found} {expected}");
    }
    let best = costs.best();
    assert!(costs.around(best).iter().all(|at| at.rows >= best.rows));
    assert!(best.rows <= costs.at(30, 30).rows);
}

fn small() -> World {
    synthetic::scaled(Size::Full, &synthetic::Posts::drawn(1), None, 1, 200)
}

#[test]
fn the_same_seed_draws_the_same_world() {
    let (one, other) = (small(), small());
    assert_eq!((&one.follows, &one.references), (&other.follows, &other.references));
    assert!(one.references.len() > 10_000 && one.follows.len() > 5_000);
    let resampled = synthetic::scaled(Size::Heavy, &synthetic::Posts::drawn(1), Some(&[1, 1, 2, 9]), 1, 200);
    assert!((0..resampled.users()).all(|user| !resampled.follows.row(user).is_empty()));
}

#[test]
fn the_exact_index_is_brute_force_and_sqlite() {
    let world = small();
    let mut exact = Exact::new(world.postings());
    let users = world.most_following(40, 1);
    let asked = Asked::new(&world, &mut exact, &users, 20, |_| true);
    let sqlite = sqlite::ask(&world, &users, 20).unwrap();
    for (nth, user) in users.iter().enumerate() {
        let mut sums = vec![0f64; world.keys.len()];
        for (source, weight) in world.follows.row(*user) {
            for (key, score) in world.references.row(*source as usize) {
                sums[*key as usize] += f64::from(*weight) * f64::from(*score);
            }
        }
        let mut scores = sums.clone();
        scores.sort_by(|one, other| other.total_cmp(one));
        for (place, one) in asked.truth[nth].iter().enumerate() {
            assert!((one.score - scores[place]).abs() <= 1e-4 * scores[place]);
            assert!((one.score - sums[one.key as usize]).abs() <= 1e-4 * one.score);
            assert!((sqlite.lists[nth][place].score - one.score).abs() <= 1e-4 * one.score);
        }
        assert_eq!(asked.truth[nth].len(), sqlite.lists[nth].len());
    }
}

#[test]
fn the_threshold_algorithm_finds_what_adding_up_all_groups_finds() {
    let world = small();
    let region = world.region(5, 5);
    assert!(membership(&world, &region).iter().any(|within| *within));
    let mut groups = Groups::new(&world, &region, &options(&file(""), &file("")), 12);
    for user in region.users.iter().take(30) {
        let (one, other) = (groups.top(*user, 20), groups.top_by_threshold(*user, 20, None).top);
        assert_eq!(one.len(), other.len());
        for (one, other) in one.iter().zip(&other) {
            assert!((one.score - other.score).abs() <= 1e-4 * one.score);
        }
    }
}

fn file(text: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

fn options(subscriptions: &tempfile::NamedTempFile, references: &tempfile::NamedTempFile) -> BuzzOptions {
    BuzzOptions {
        source: Source::Files {
            subscriptions: subscriptions.path().to_owned(),
            references: references.path().to_owned(),
            how: Reading { days: None, same_day_idf: true, weighted: true },
        },
        top: 20,
        rank: 2,
        l1: 0.0,
        readers: 1_000,
        border: None,
        threads: 2,
        seed: 1,
        methods: None,
        show_progress: false,
    }
}

/// Twelve people of two kinds with twelve sources each.
fn two_kinds() -> (tempfile::NamedTempFile, tempfile::NamedTempFile) {
    let mut follows = "user,source,weight\n".to_owned();
    let mut says = String::new();
    for source in 0..24 {
        for user in (0..12).filter(|user| user % 2 == source % 2) {
            follows.push_str(&format!("u{user},s{source},1\n"));
        }
        for key in 0..6 {
            says.push_str(&format!("s{source},k{}-{key},{}\n", source % 2, key + 1));
        }
    }
    follows.push_str("broken\nu1,unknown,1\n");
    (file(&follows), file(&says))
}

#[test]
fn files_give_a_report_by_contract() {
    let (subscriptions, references) = two_kinds();
    let report = run(&options(&subscriptions, &references)).unwrap();
    assert_eq!((report.users, report.sources, report.references), (12, 24, 144));
    let names: Vec<&str> = report.methods.iter().map(|method| method.name.as_str()).collect();
    assert_eq!(names, METHODS);
    for method in &report.methods {
        assert!((method.overlap_at_20 - 1.0).abs() < 1e-9, "{}", method.name);
    }
    let json = serde_json::to_value(&report).unwrap();
    assert!(json["methods"][0]["query_ms"]["p99"].is_number() && json["methods"][0]["updates"].is_number());
    assert!(report.notes.iter().any(|note| note.contains("line")), "{:?}", report.notes);
    assert!(table(&report).contains("wellread") && figure(&report).ends_with("</svg>\n"));
}

#[test]
fn every_experiment_runs_on_something_small() {
    let (subscriptions, references) = two_kinds();
    let options = options(&subscriptions, &references);
    for name in EXPERIMENTS {
        let found = experiment(name, &options, None).unwrap();
        assert!(!found.rows.is_empty() && rows_table(&found).starts_with(name), "{name}");
    }
    assert!(experiment("nothing", &options, None).is_err());
}

#[test]
fn articles_are_references_by_day() {
    let article = |source: &str, day: i64, title: &str| {
        format!("{{\"source\":\"{source}\",\"ts\":{},\"title\":\"{title}\"}}\n", 1_500_000_000 + day * 86_400)
    };
    let mut text = String::new();
    for day in 0..3 {
        text.push_str(&article("a.test", day, "Volcano island"));
        text.push_str(&article("b.test", day, "Glacier valley"));
    }
    let (subscriptions, references) = (file("u,a.test,5\nu,b.test,1\nv,c.test,1\n"), file(&text));
    let world = options(&subscriptions, &references).world().unwrap();
    assert_eq!((world.users(), world.sources()), (1, 2));
    assert!(world.keys.contains(&"volcano island".to_owned()));
    let first =
        world.references.row(0).iter().find(|(key, _)| world.keys[*key as usize] == "volcano").unwrap();
    // Twice for the title, on three days, of which half of the items have it.
    assert!((first.1 - 3.0 * 2.0 * 2f32.ln()).abs() < 1e-4);
}

#[test]
fn what_cannot_be_asked_is_refused_with_a_sentence() {
    let (subscriptions, references) = two_kinds();
    let good = options(&subscriptions, &references);
    for bad in [
        BuzzOptions { top: 0, ..good.clone() },
        BuzzOptions { rank: 0, ..good.clone() },
        BuzzOptions { readers: 0, ..good.clone() },
        BuzzOptions { methods: Some(vec!["magic".to_owned()]), ..good.clone() },
    ] {
        assert!(run(&bad).is_err());
    }
    let empty = file("");
    assert!(run(&options(&subscriptions, &empty)).is_err());
    assert!(run(&options(&empty, &references)).is_err());
    assert!(Size::parse("huge").is_err());
}
