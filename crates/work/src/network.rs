//! The network as a value: `fetch` for life, a simulated web for the simulator.

use domain::Timestamp;
use fetch::{Answer, FeedRequest, Fetcher};
use std::future::Future;

pub trait Network: Send + Sync + 'static {
    fn feed(&self, request: &FeedRequest, now: Timestamp) -> impl Future<Output = Answer> + Send;
}

impl Network for Fetcher {
    fn feed(&self, request: &FeedRequest, now: Timestamp) -> impl Future<Output = Answer> + Send {
        Fetcher::feed(self, request, now)
    }
}
