//! All methods side by side: time of a question, cost of a week, memory, and how much of the exact list is found.

use super::cost::{Costs, Counted};
use super::methods::{Exact, Groups, Own, View, follows_within, membership, rescored, view_writes};
use super::report::{BuzzReport, Convergence, Method, QueryMs};
use super::world::{Region, World};
use super::{BuzzOptions, sqlite};
use anyhow::Result;
use rank::buzz::{Follow, Ranked};
use std::time::{Duration, Instant};

/// Users with fewer sources are not asked for.
pub(crate) const SOURCES_MIN: usize = 10;
/// More references than this are not put into SQLite unless it is named.
const SQLITE_REFERENCES_MAX: usize = 12_000_000;
/// What an entry of a view takes: its place in the sorted table and in the one by key.
const VIEW_ENTRY_BYTES: usize = 16;

/// The users asked for and their exact answers.
pub(crate) struct Asked {
    pub(crate) users: Vec<usize>,
    pub(crate) follows: Vec<Vec<Follow>>,
    pub(crate) truth: Vec<Vec<Ranked>>,
    pub(crate) times: Vec<Duration>,
}

impl Asked {
    /// Within the sources that `takes` allows.
    pub(crate) fn new(
        world: &World,
        exact: &mut Exact,
        users: &[usize],
        count: usize,
        takes: impl Fn(usize) -> bool,
    ) -> Self {
        let follows: Vec<Vec<Follow>> =
            users.iter().map(|user| follows_within(world, *user, &takes)).collect();
        let (truth, times) = timed(&follows, |follows| exact.top(follows, count));
        Asked { users: users.to_vec(), follows, truth, times }
    }
}

/// Rounds over all who ask. Each counts with its best, so that what else the machine does is not measured; a round apart,
/// so that nothing of the last time is left in the caches.
pub(crate) const ROUNDS: usize = 3;

/// What each asks for, and how long it took.
pub(crate) fn timed<A, T>(asked: &[A], mut ask: impl FnMut(&A) -> T) -> (Vec<T>, Vec<Duration>) {
    let mut round = || -> Vec<(T, Duration)> {
        let one = |one: &A| {
            let begin = Instant::now();
            let answer = ask(one);
            (answer, begin.elapsed())
        };
        asked.iter().map(one).collect()
    };
    let (answers, mut times): (Vec<T>, Vec<Duration>) = round().into_iter().unzip();
    for _ in 1..ROUNDS {
        times.iter_mut().zip(round()).for_each(|(best, (_, time))| *best = time.min(*best));
    }
    (answers, times)
}

/// How well lists agree with the exact ones.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Agreement {
    /// The same key comes first.
    pub(crate) at_one: f64,
    /// |A ∩ T| / |T| (§4.3.3).
    pub(crate) overlap: f64,
    pub(crate) overlap_deviation: f64,
    /// The exact first is somewhere in the list.
    pub(crate) first_in_list: f64,
}

/// A list and the exact one.
type Pair<'a> = (&'a [Ranked], &'a [Ranked]);

impl Agreement {
    pub(crate) fn of(lists: &[Vec<Ranked>], truth: &[Vec<Ranked>], count: usize) -> Self {
        let pairs: Vec<Pair<'_>> = lists
            .iter()
            .zip(truth)
            .map(|(list, truth)| (&list[..list.len().min(count)], &truth[..truth.len().min(count)]))
            .filter(|(_, truth)| !truth.is_empty())
            .collect();
        let share = |holds: &dyn Fn(&Pair<'_>) -> f64| {
            pairs.iter().map(holds).sum::<f64>() / pairs.len().max(1) as f64
        };
        let overlap = |(list, truth): &Pair<'_>| {
            let both = truth.iter().filter(|one| list.iter().any(|other| other.key == one.key)).count();
            both as f64 / truth.len() as f64
        };
        let mean = share(&overlap);
        let same_first = |(list, truth): &Pair<'_>| {
            f64::from(u8::from(list.first().map(|one| one.key) == truth.first().map(|one| one.key)))
        };
        let has_first = |(list, truth): &Pair<'_>| {
            f64::from(u8::from(
                truth.first().is_some_and(|first| list.iter().any(|one| one.key == first.key)),
            ))
        };
        Agreement {
            at_one: share(&same_first),
            overlap: mean,
            overlap_deviation: share(&|pair| (overlap(pair) - mean).powi(2)).sqrt(),
            first_in_list: share(&has_first),
        }
    }
}

pub(crate) fn run(options: &BuzzOptions, world: &World) -> Result<BuzzReport> {
    let border = options.border();
    options.say("filling the exact index");
    let begin = Instant::now();
    let mut exact = Exact::new(world.postings());
    let fill_s = begin.elapsed().as_secs_f64();
    let users = world.most_following(options.readers, SOURCES_MIN);
    let whole = Asked::new(world, &mut exact, &users, options.top, |_| true);
    let region = world.region(border, border as u32);
    let within = membership(world, &region);
    let dense_users: Vec<usize> =
        users.iter().copied().filter(|user| world.follows.row(*user).len() > border).collect();
    let dense = Asked::new(world, &mut exact, &dense_users, options.top, |source| within[source]);
    let mut methods = Vec::new();
    let mut notes = world.notes.clone();
    let wellread = Method {
        build_s: fill_s,
        ..row("wellread", "all", &whole.times, exact.postings.references() as u64, exact.postings.bytes())
    };
    if options.wants("otf-sqlite") {
        if world.references.len() > SQLITE_REFERENCES_MAX && options.methods.is_none() {
            notes.push(format!(
                "otf-sqlite is left out: more than {SQLITE_REFERENCES_MAX} references; --methods names it"
            ));
        } else {
            options.say("asking SQLite");
            let asked = sqlite::ask(world, &users, options.top)?;
            let base = row("otf-sqlite", "all", &asked.times, world.references.len() as u64, asked.bytes);
            methods.push(judged(base, &asked.lists, &whole, options.top));
        }
    }
    if options.wants("view") {
        options.say("writing views");
        methods.push(view(options, world, &mut exact, &region, &within, &dense));
    }
    options.say("factorising");
    let mut groups = Groups::new(world, &region, options, options.rank);
    let convergence = Convergence::new(&region, &groups.fit, groups.factor_s);
    let base = |name: &str, groups: &Groups, times: &[Duration]| Method {
        build_s: groups.write_s + groups.sort_s,
        ..row(name, "region", times, groups.writes, groups.bytes())
    };
    if options.wants("nmf") {
        let (lists, times) = timed(&dense.users, |user| groups.top(*user, options.top));
        methods.push(judged(base("nmf", &groups, &times), &lists, &dense, options.top));
    }
    let (answers, times) = timed(&dense.users, |user| groups.top_by_threshold(*user, options.top, None));
    let accesses: usize = answers.iter().map(|answer| answer.sorted + answer.random).sum();
    let lists: Vec<Vec<Ranked>> = answers.into_iter().map(|answer| answer.top).collect();
    if options.wants("nmf-ta") {
        methods.push(judged(base("nmf-ta", &groups, &times), &lists, &dense, options.top));
    }
    let counted = Counted {
        accesses: accesses as f64 / dense.users.len().max(1) as f64,
        groups: convergence.non_zeros_h * options.rank as f64,
    };
    let costs = Costs::new(world, counted);
    let best = costs.best();
    notes.push(format!(
        "everybody on the fly costs {:.1} million rows a week, the best borders {:.1}",
        costs.on_the_fly() / 1e6,
        best.rows / 1e6
    ));
    if options.wants("hybrid") {
        options.say("building the hybrid");
        let found = hybrid(options, world, &mut exact, &whole, (best.sources, best.readers as u32));
        let updates = world.references.len() as u64 + found.view_writes + found.group_writes;
        let base = row("hybrid", "all", &found.times, updates, found.bytes);
        methods.push(judged(Method { build_s: found.build_s, ..base }, &found.lists, &whole, options.top));
    }
    if options.wants("nmf-rescored") {
        let asked: Vec<(usize, &Vec<Follow>)> = dense.users.iter().copied().zip(&dense.follows).collect();
        let (lists, times) =
            timed(&asked, |(user, follows)| rescored(&mut exact, &mut groups, *user, follows, options.top));
        let both = Method {
            bytes: groups.bytes() + exact.postings.bytes(),
            ..base("nmf-rescored", &groups, &times)
        };
        methods.push(judged(both, &lists, &dense, options.top));
    }
    if options.wants("wellread") {
        methods.push(judged(wellread, &whole.truth, &whole, options.top));
    }
    Ok(BuzzReport {
        users: world.users(),
        sources: world.sources(),
        pairs: world.follows.len(),
        references: world.references.len(),
        keys: world.keys.len(),
        asked: users.len(),
        region_users: region.users.len(),
        region_sources: region.sources.len(),
        region_pairs: region.matrix.len(),
        methods,
        convergence,
        borders: best,
        borders_around: costs.around(best),
        notes,
    })
}

fn row(name: &str, scope: &str, times: &[Duration], updates: u64, bytes: usize) -> Method {
    Method {
        name: name.to_owned(),
        scope: scope.to_owned(),
        query_ms: QueryMs::of(times),
        updates,
        bytes,
        ..Method::default()
    }
}

fn judged(method: Method, lists: &[Vec<Ranked>], asked: &Asked, top: usize) -> Method {
    let found = Agreement::of(lists, &asked.truth, top);
    Method {
        overlap_at_1: found.at_one,
        overlap_at_20: found.overlap,
        first_in_list: found.first_in_list,
        ..method
    }
}

/// Views are written for those asked for; writes and memory are those of the whole region.
fn view(
    options: &BuzzOptions,
    world: &World,
    exact: &mut Exact,
    region: &Region,
    within: &[bool],
    dense: &Asked,
) -> Method {
    let view = View::new(world, &dense.users, |source| within[source]);
    let places: Vec<usize> = (0..dense.users.len()).collect();
    let (lists, times) = timed(&places, |nth| view.top(*nth, options.top));
    let entries: usize = region
        .users
        .iter()
        .map(|user| exact.sums(&follows_within(world, *user, |source| within[source])).keys().len())
        .sum();
    let writes = view_writes(&world.references, region);
    let base = row("view", "region", &times, writes, entries * VIEW_ENTRY_BYTES);
    let build_s = view.seconds * writes as f64 / view.writes.max(1) as f64;
    judged(Method { build_s, ..base }, &lists, dense, options.top)
}

/// What the hybrid answered, and what keeping it for a week takes.
pub(crate) struct Hybrid {
    pub(crate) region: Region,
    pub(crate) lists: Vec<Vec<Ranked>>,
    pub(crate) times: Vec<Duration>,
    pub(crate) view_writes: u64,
    pub(crate) group_writes: u64,
    bytes: usize,
    build_s: f64,
}

/// On the fly below the border of sources; above it views of rarely read sources and groups for the rest (§4.2.6).
pub(crate) fn hybrid(
    options: &BuzzOptions,
    world: &World,
    exact: &mut Exact,
    whole: &Asked,
    (sources, readers): (usize, u32),
) -> Hybrid {
    let region = world.region(sources, readers);
    let within = membership(world, &region);
    let mut groups = Groups::new(world, &region, options, options.rank);
    let view = View::new(world, &whole.users, |source| !within[source]);
    let own: Vec<Own<'_>> = (0..whole.users.len()).map(|nth| Own::new(view.table(nth))).collect();
    let places: Vec<usize> = (0..whole.users.len()).collect();
    let (lists, times) = timed(&places, |nth| {
        let user = whole.users[*nth];
        match world.follows.row(user).len() > sources {
            true => groups.top_by_threshold(user, options.top, Some(&own[*nth])).top,
            false => exact.top(&whole.follows[*nth], options.top),
        }
    });
    let (mut view_writes, mut view_entries) = (0u64, 0usize);
    for user in &region.users {
        let rare = follows_within(world, *user, |source| !within[source]);
        view_writes +=
            rare.iter().map(|own| world.references.row(own.feed as usize).len() as u64).sum::<u64>();
        view_entries += exact.sums(&rare).keys().len();
    }
    let bytes = exact.postings.bytes() + view_entries * VIEW_ENTRY_BYTES + groups.bytes();
    let build_s =
        groups.write_s + groups.sort_s + view.seconds * view_writes as f64 / view.writes.max(1) as f64;
    Hybrid { region, lists, times, view_writes, group_writes: groups.writes, bytes, build_s }
}
