//! The network as a value: `fetch` for life, a simulated web for the simulator.

use domain::Timestamp;
use fetch::{Answer, FeedRequest, Fetcher, PageRequest};
use std::future::Future;

/// Every implementation passes the request's gate before each hop.
pub trait Network: Send + Sync + 'static {
    fn feed(&self, request: &FeedRequest, now: Timestamp) -> impl Future<Output = Answer> + Send;
    fn page(&self, request: &PageRequest, now: Timestamp) -> impl Future<Output = Answer> + Send;
}

impl Network for Fetcher {
    async fn feed(&self, request: &FeedRequest, now: Timestamp) -> Answer {
        Fetcher::feed(self, request, now).await
    }

    async fn page(&self, request: &PageRequest, now: Timestamp) -> Answer {
        Fetcher::page(self, request, now).await
    }
}
