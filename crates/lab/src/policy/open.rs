//! Poll when somebody opens the reader. With more openings than budget, a feed is polled at the first opening after its
//! share of the square-root allocation has passed; with fewer, what is left is spent evenly between them.

use super::Setting;
use super::spacing::Spacing;
use crate::replay::{Policy, Poll};
use crate::trace::DAY_S;

#[derive(Debug)]
pub struct RefreshOnOpen<'a> {
    setting: Setting<'a>,
    /// A feed polled less long ago than this is left alone.
    rest_s: Vec<i64>,
    between: Option<Spacing>,
}

impl<'a> RefreshOnOpen<'a> {
    pub fn new(setting: Setting<'a>, strength: f64) -> Self {
        let looks: f64 = setting.learned.attention.iter().map(|hours| hours.iter().sum::<f64>() / 24.0).sum();
        let budget = setting.budget() * strength;
        let spare = (budget - looks) / setting.world.feeds.len() as f64;
        let between = (spare > 0.0).then(|| Spacing::new(setting, &vec![spare; setting.world.feeds.len()]));
        let roots: Vec<f64> = setting.learned.rates.iter().map(|rate| rate.sqrt()).collect();
        let scale = budget / roots.iter().sum::<f64>();
        let rest = |root: &f64| (DAY_S as f64 / (root * scale)) as i64;
        let rest_s = roots.iter().map(|root| if spare > 0.0 { 0 } else { rest(root) }).collect();
        RefreshOnOpen { setting, rest_s, between }
    }
}

impl Policy for RefreshOnOpen<'_> {
    fn first(&mut self, feed: usize) -> i64 {
        self.between.as_mut().map_or(self.setting.world.end, |between| between.first(feed))
    }

    fn after(&mut self, poll: &Poll<'_>) -> i64 {
        self.between.as_mut().map_or(self.setting.world.end, |between| between.after(poll))
    }

    fn opened(&mut self, reader: usize, now: i64, last: &[i64], poll: &mut Vec<usize>) {
        let reader = &self.setting.world.readers[reader];
        let due = self.setting.feeds().filter(|feed| reader.reads(*feed));
        poll.extend(due.filter(|feed| now - last[*feed] >= self.rest_s[*feed]));
    }
}
