//! K-means of hour-of-day patterns (002 §4.3.1, 000 §5.2): Euclidean distance, seeded, the best of a few starts.

use crate::dice::Dice;

type Pattern = [f64; 24];

/// Centroids, and which one each pattern belongs to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Clusters {
    pub centroids: Vec<Pattern>,
    pub of: Vec<usize>,
}

const STARTS: usize = 5;
const ROUNDS_MAX: usize = 100;

pub fn cluster(patterns: &[Pattern], count: usize, seed: u64) -> Clusters {
    let count = count.min(patterns.len()).max(1);
    let runs = (0..STARTS).map(|nth| run(patterns, count, Dice::of(seed, nth)));
    let best = runs.min_by(|a, b| a.1.total_cmp(&b.1));
    best.map(|(clusters, _)| clusters).unwrap_or_default()
}

fn run(patterns: &[Pattern], count: usize, dice: Dice) -> (Clusters, f64) {
    let mut centroids = seeds(patterns, count, dice);
    let mut of = vec![usize::MAX; patterns.len()];
    let mut spread = f64::INFINITY;
    for _ in 0..ROUNDS_MAX {
        let mut moved = false;
        spread = 0.0;
        for (pattern, of) in patterns.iter().zip(&mut of) {
            let (nearest, distance) = nearest(pattern, &centroids);
            moved |= *of != nearest;
            *of = nearest;
            spread += distance;
        }
        if !moved {
            break;
        }
        for (nth, centroid) in centroids.iter_mut().enumerate() {
            let members: Vec<&Pattern> =
                patterns.iter().zip(&of).filter(|(_, of)| **of == nth).map(|(pattern, _)| pattern).collect();
            // A centroid that lost all its members stays where it is.
            if !members.is_empty() {
                let mean = |hour: usize| {
                    members.iter().map(|member| member[hour]).sum::<f64>() / members.len() as f64
                };
                *centroid = std::array::from_fn(mean);
            }
        }
    }
    (Clusters { centroids, of }, spread)
}

/// k-means++: each further seed is drawn in proportion to its squared distance from those there are.
fn seeds(patterns: &[Pattern], count: usize, mut dice: Dice) -> Vec<Pattern> {
    let Some(first) = patterns.get(dice.below(patterns.len())) else { return vec![[1.0 / 24.0; 24]] };
    let mut seeds = vec![*first];
    while seeds.len() < count {
        let distances: Vec<f64> = patterns.iter().map(|pattern| nearest(pattern, &seeds).1).collect();
        let mut left = dice.unit() * distances.iter().sum::<f64>();
        let chosen = distances.iter().position(|distance| {
            left -= distance;
            left < 0.0
        });
        seeds.push(patterns[chosen.unwrap_or(patterns.len() - 1)]);
    }
    seeds
}

fn nearest(pattern: &Pattern, centroids: &[Pattern]) -> (usize, f64) {
    let distance = |other: &Pattern| pattern.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let judged = centroids.iter().map(distance).enumerate();
    judged.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn morning_and_evening_feeds_part() {
        let at = |hour: usize| std::array::from_fn(|nth| f64::from(u8::from(nth == hour)));
        let patterns: Vec<Pattern> = (0..20).map(|nth| at(if nth % 2 == 0 { 8 } else { 20 })).collect();
        let clusters = cluster(&patterns, 2, 1);
        assert!(clusters.of.iter().enumerate().all(|(nth, of)| *of == clusters.of[nth % 2]));
        assert_ne!(clusters.of[0], clusters.of[1]);
        assert_eq!(clusters.centroids[clusters.of[0]], at(8));
    }

    #[test]
    fn nothing_and_too_many_clusters_are_no_trouble() {
        assert!(cluster(&[], 12, 1).of.is_empty());
        assert_eq!(cluster(&[[1.0 / 24.0; 24]; 3], 12, 1).of, [0, 0, 0]);
    }
}
