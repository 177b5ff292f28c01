//! Intervals: units that are independent, people or lists, are drawn again and again with replacement.
//!
//! All rankers are judged on the same draws, so that the difference of two of them has an interval of its own, which is
//! narrower than their two together.

use crate::dice::Dice;
use serde::Serialize;

/// A number, and between which two 95 % of the draws lie.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// What each ranker came to in each unit: for every measure a sum and what it is divided by.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    pub(crate) rankers: Vec<&'static str>,
    pub(crate) measures: Vec<&'static str>,
    units: Vec<Vec<(f64, f64)>>,
}

/// The parts of one unit, by ranker and measure.
#[derive(Debug, Clone)]
pub(crate) struct Unit {
    parts: Vec<(f64, f64)>,
    measures: usize,
}

impl Unit {
    pub(crate) fn add(&mut self, ranker: usize, measure: usize, value: f64, of: f64) {
        let (sum, whole) = &mut self.parts[ranker * self.measures + measure];
        *sum += value;
        *whole += of;
    }
}

impl Tally {
    pub(crate) fn new(rankers: &[&'static str], measures: &[&'static str]) -> Self {
        Tally { rankers: rankers.to_vec(), measures: measures.to_vec(), units: Vec::new() }
    }

    pub(crate) fn unit(&self) -> Unit {
        Unit {
            parts: vec![(0.0, 0.0); self.rankers.len() * self.measures.len()],
            measures: self.measures.len(),
        }
    }

    pub(crate) fn push(&mut self, unit: Unit) {
        self.units.push(unit.parts);
    }

    /// Of every ranker and measure the value, and its difference from that of the ranker `of`.
    pub(crate) fn estimates(&self, of: &str, resamples: usize, seed: u64) -> Vec<Vec<(Estimate, Estimate)>> {
        let other = self.rankers.iter().position(|name| *name == of).unwrap_or_default();
        let width = self.measures.len();
        let values = |sums: &[(f64, f64)]| -> Vec<f64> {
            sums.iter().map(|(sum, whole)| if *whole > 0.0 { sum / whole } else { 0.0 }).collect()
        };
        let sum = |units: &mut dyn Iterator<Item = &Vec<(f64, f64)>>| -> Vec<f64> {
            let mut sums = vec![(0.0, 0.0); self.rankers.len() * width];
            for unit in units {
                for (sum, part) in sums.iter_mut().zip(unit) {
                    sum.0 += part.0;
                    sum.1 += part.1;
                }
            }
            values(&sums)
        };
        let whole = sum(&mut self.units.iter());
        let mut dice = Dice::new(seed);
        let draws: Vec<Vec<f64>> = (0..resamples)
            .map(|_| sum(&mut (0..self.units.len()).map(|_| &self.units[dice.below(self.units.len())])))
            .collect();
        let estimate = |of: &dyn Fn(&[f64]) -> f64| {
            let mut all: Vec<f64> = draws.iter().map(|draw| of(draw)).collect();
            all.sort_by(f64::total_cmp);
            let at = |share: f64| all.get(((all.len() - 1) as f64 * share).round() as usize).copied();
            let value = of(&whole);
            Estimate { value, low: at(0.025).unwrap_or(value), high: at(0.975).unwrap_or(value) }
        };
        let one = |ranker: usize, measure: usize| {
            let own = ranker * width + measure;
            let against = other * width + measure;
            (estimate(&|draw| draw[own]), estimate(&|draw| draw[own] - draw[against]))
        };
        (0..self.rankers.len())
            .map(|ranker| (0..width).map(|measure| one(ranker, measure)).collect())
            .collect()
    }
}
