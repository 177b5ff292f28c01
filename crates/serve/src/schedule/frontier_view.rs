//! What more or fewer polls would give: the picture with its slider, and a few rows.

use super::{Known, amount, delay};
use crate::chart::{self, FrontierChart, Step, Svg};
use crate::visitor::Visitor;
use crate::words::{Words, fill};
use domain::Frontier;

pub(super) struct FrontierView {
    pub(super) title: String,
    /// Why a larger budget gives no more.
    pub(super) note: Option<&'static str>,
    /// For pages and for phones.
    pub(super) pictures: [Svg; 2],
    /// The budgets of the slider, as the form sends them, and as they are called.
    pub(super) steps: Vec<(String, String)>,
    pub(super) now: usize,
    pub(super) rows: Vec<Row>,
}

pub(super) struct Row {
    pub(super) polls: String,
    pub(super) delay: String,
    pub(super) requests: String,
    pub(super) note: &'static str,
    pub(super) is_now: bool,
}

impl FrontierView {
    /// None while nothing is known.
    pub(super) fn of(known: &Known, visitor: &Visitor) -> Option<FrontierView> {
        let w = visitor.words;
        let (steps, now) = steps(&known.frontier, known.budget, w)?;
        let here = steps.get(now)?;
        let s = &w.schedule;
        let polls = reached(&known.frontier, here.polls)?;
        let is_beyond = polls < here.polls;
        let name = if is_beyond { amount(polls, w) } else { here.name.clone() };
        let label = fill(s.picture, &[("n", &name), ("delay", &delay(here.delay_s, w))]);
        let most = steps.iter().map(|step| step.even_delay_s.max(step.delay_s)).fold(0.0, f64::max);
        let levels = levels(most, w);
        let draw = |is_phone| {
            chart::frontier(&FrontierChart {
                steps: &steps,
                now,
                ours_label: s.ours,
                even_label: if is_phone { s.even_short } else { s.even },
                axis_label: s.axis,
                levels: &levels,
                label: &label,
                is_phone,
            })
        };
        let title = match known.frontier.even_polls_for(here.delay_s) {
            Some(even) => fill(s.frontier, &[("n", &name), ("even", &format!("{even:.0}"))]),
            None => fill(s.frontier_beyond, &[("n", &name), ("delay", &delay(here.delay_s, w))]),
        };
        Some(FrontierView {
            title,
            note: is_beyond.then_some(s.frontier_end),
            pictures: [draw(false), draw(true)],
            steps: steps.iter().map(|step| (step.polls.to_string(), step.name.clone())).collect(),
            now,
            rows: rows(known, w),
        })
    }
}

/// The points of the frontier, with the budget in force among them, and its place.
fn steps(frontier: &Frontier, budget: f64, w: &'static Words) -> Option<(Vec<Step>, usize)> {
    let s = &w.schedule;
    let (first, last) = (frontier.points.first()?, frontier.points.last()?);
    let most = last.polls_per_day;
    let step = |polls: f64, delay_s: f64, even_delay_s: f64| {
        let even_polls = frontier.even_polls_for(delay_s);
        let within = reached(frontier, polls).unwrap_or(polls);
        Step {
            polls,
            delay_s,
            even_delay_s,
            even_polls,
            finding: [
                fill(s.at, &[("delay", &delay(delay_s, w)), ("n", &amount(within, w))]),
                match even_polls {
                    Some(even) => fill(s.needs, &[("n", &format!("{even:.0}"))]),
                    None => fill(s.needs_more, &[("n", &format!("{most:.0}"))]),
                },
            ],
            name: amount(polls, w),
        }
    };
    let mut steps: Vec<Step> = frontier
        .points
        .iter()
        .map(|point| step(whole(point.polls_per_day), point.delay_s, point.even_delay_s))
        .collect();
    // Where floors end the curve, budgets beyond give no more polls.
    steps.dedup_by(|next, step| next.polls < step.polls * 1.03);
    let near = |step: &Step| (step.polls / budget - 1.0).abs() < 0.01;
    if !steps.iter().any(near) {
        // Below the first point nothing is known, so it speaks for what is there.
        let delay_s = delay_of(frontier, budget).unwrap_or(first.delay_s);
        steps.push(step(budget, delay_s, 43_200.0 / budget));
        steps.sort_by(|a, b| a.polls.total_cmp(&b.polls));
    }
    let now = steps.iter().position(near)?;
    (steps.len() >= 2).then_some((steps, now))
}

/// How many polls a budget becomes: floors end the curve.
fn reached(frontier: &Frontier, polls: f64) -> Option<f64> {
    let most = frontier.points.last()?.polls_per_day;
    Some(if polls > most { whole(most).min(polls) } else { polls })
}

/// The delay a budget gives: beyond the last point that of the last; None below the first.
fn delay_of(frontier: &Frontier, polls: f64) -> Option<f64> {
    let last = frontier.points.last()?;
    if polls > last.polls_per_day { Some(last.delay_s) } else { frontier.delay_at(polls) }
}

/// The search for a budget's price ends a little beside it; what is offered to people is the round number meant.
fn whole(polls: f64) -> f64 {
    let whole = polls.round();
    if (polls / whole - 1.0).abs() < 0.02 { whole } else { polls }
}

/// Lines of the grid from nothing to beyond the most, at most six.
fn levels(most_s: f64, w: &Words) -> Vec<(f64, String)> {
    const MINUTE: f64 = 60.0;
    let widths = [5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 240.0, 360.0, 720.0, 1440.0, 2880.0, 5760.0, 11_520.0];
    let width = widths.iter().map(|minutes| minutes * MINUTE).find(|width| most_s / width <= 5.0);
    let width = width.unwrap_or(most_s / 5.0);
    let count = (most_s / width).ceil().clamp(1.0, 5.0);
    let mut levels = vec![(0.0, "0".to_owned())];
    for nth in [1.0, 2.0, 3.0, 4.0, 5.0] {
        if nth <= count {
            let hours = nth * width / 3600.0;
            let name = if hours >= 1.0 {
                fill(w.schedule.hours, &[("n", &amount(hours, w))])
            } else {
                delay(nth * width, w)
            };
            levels.push((nth * width, name));
        }
    }
    levels
}

fn rows(known: &Known, w: &'static Words) -> Vec<Row> {
    let s = &w.schedule;
    let is_default = (known.budget / known.default_budget - 1.0).abs() < 1e-6;
    let feeds = f64::from(u32::try_from(known.due.len()).unwrap_or(u32::MAX));
    [
        (0.5, s.half),
        (2.0 / 3.0, s.third_less),
        (1.0, if is_default { s.now_default } else { s.now }),
        (4.0 / 3.0, s.third_more),
        (2.0, s.twice),
    ]
    .into_iter()
    .filter_map(|(times, note)| {
        let polls = known.budget * times;
        let delay_s = delay_of(&known.frontier, polls)?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a float cast saturates")]
        let requests = (reached(&known.frontier, polls)? * feeds).round() as u64;
        Some(Row {
            polls: amount(polls, w),
            delay: delay(delay_s, w),
            requests: w.number(requests),
            note,
            is_now: (times - 1.0_f64).abs() < 1e-9,
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::FrontierPoint;
    use domain::preferences::Language;

    fn frontier() -> Frontier {
        let point = |polls_per_day: f64| FrontierPoint {
            polls_per_day,
            delay_s: 22_000.0 / polls_per_day,
            even_delay_s: 43_200.0 / polls_per_day,
        };
        Frontier { points: [3.0, 6.0, 12.0, 24.0, 48.0].map(point).to_vec(), ..Frontier::default() }
    }

    #[test]
    fn the_budget_in_force_is_among_the_steps_even_between_them() {
        let w = Words::of(Language::English);
        let (made, now) = steps(&frontier(), 12.0, w).expect("known");
        assert_eq!((made.len(), now), (5, 2));
        assert!(made[2].finding[1].contains("24"), "{:?}", made[2].finding);
        let (made, now) = steps(&frontier(), 10.0, w).expect("known");
        assert_eq!((made.len(), now, made[now].name.as_str()), (6, 2, "10"));
        let mut beside = frontier();
        beside.points[3].polls_per_day = 24.13;
        assert_eq!(
            steps(&beside, 12.0, w).expect("known").0[3].name,
            "24",
            "a budget is offered as it was meant"
        );
        assert!(steps(&Frontier::default(), 12.0, w).is_none());
    }

    #[test]
    fn a_budget_beyond_either_end_of_the_curve_has_its_step_too() {
        let w = Words::of(Language::English);
        let (made, now) = steps(&frontier(), 288.0, w).expect("known");
        assert_eq!((made.len(), now, made[now].name.as_str()), (6, 5, "288"));
        assert!((made[5].delay_s - made[4].delay_s).abs() < 1e-9, "floors allow no more polls");
        assert!(made[5].finding[0].contains("48"), "{:?}", made[5].finding);
        assert_eq!(reached(&frontier(), 288.0), Some(48.0));
        let (made, now) = steps(&frontier(), 1.0, w).expect("known");
        assert_eq!((made.len(), now, made[now].name.as_str()), (6, 0, "1"));
        assert!((made[0].delay_s - made[1].delay_s).abs() < 1e-9, "the first point speaks for it");
    }

    #[test]
    fn the_grid_has_few_lines_and_covers_everything() {
        let w = Words::of(Language::English);
        for most in [30.0, 900.0, 3_599.0, 14_400.0, 90_000.0, 1e7] {
            let levels = levels(most, w);
            assert!((2..=6).contains(&levels.len()), "{most}");
            assert!(levels.last().is_some_and(|(top, _)| *top >= most * 0.999), "{most} {levels:?}");
        }
        assert_eq!(levels(14_400.0, w)[4].1, "4 h");
    }
}
