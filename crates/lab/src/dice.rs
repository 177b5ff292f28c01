//! Dice for experiments: the same seed throws the same numbers on every machine, for ever.

/// SplitMix64.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Dice(seed)
    }

    /// Dice of their own for one of many things, so that leaving one out changes nothing for the others.
    pub fn of(seed: u64, nth: usize) -> Self {
        let mut dice = Dice(seed ^ (nth as u64).wrapping_mul(0xd1b5_4a32_d192_ed03));
        dice.throw();
        dice
    }

    pub fn throw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// In [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.throw() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// In 0..below; zero when there is nothing below.
    pub fn below(&mut self, below: usize) -> usize {
        if below == 0 { 0 } else { (self.unit() * below as f64) as usize }
    }

    /// The same for spans of time.
    pub fn within(&mut self, below: i64) -> i64 {
        (self.unit() * below as f64) as i64
    }

    /// Any `take` of `0..of`, ascending.
    pub fn sample(&mut self, of: usize, take: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..of).collect();
        let take = take.min(of);
        for nth in 0..take {
            let other = nth + self.below(of - nth);
            all.swap(nth, other);
        }
        all.truncate(take);
        all.sort_unstable();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_what_was_asked_for_once_each() {
        let drawn = Dice::new(7).sample(100, 30);
        assert_eq!(drawn.len(), 30);
        assert!(drawn.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(drawn, Dice::new(7).sample(100, 30));
        assert_eq!(Dice::new(7).sample(3, 30), [0, 1, 2]);
    }
}
