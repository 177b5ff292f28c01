//! What is done beside the polls and never in their way: full texts, icons, housekeeping.

use crate::clock::Clock;
use crate::crawler::Crawler;
use crate::network::Network;
use domain::Timestamp;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const LOOK_EVERY: Duration = Duration::from_secs(30);
const HOUSEKEEPING_EVERY: Duration = Duration::from_secs(3600);
/// Providers that only a redirect named are forgotten after this long.
const PROVIDER_KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 3600);

impl<N: Network, C: Clock> Crawler<N, C> {
    /// Does the side work that is waiting, and answers how much it was: the step of tests and of [`Crawler::run`].
    pub async fn side_cycle(&self) -> usize {
        if self.outage().is_ours() {
            return 0;
        }
        // Two at once, so that one slow site does not keep all pages waiting.
        let (one, two, icons) = tokio::join!(self.fetch_pages(), self.fetch_pages(), self.fetch_icons());
        let pages = one + two;
        match icons {
            Ok(icons) => pages + icons,
            Err(error) => {
                tracing::error!(%error, "looking for icons");
                pages
            }
        }
    }

    pub(crate) async fn side(self: Arc<Self>, stop: CancellationToken) {
        let mut tidied_at: Option<Timestamp> = None;
        while !stop.is_cancelled() {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = self.side_cycle() => {}
            }
            if let Err(error) = self.replan_when_cheaper().await {
                tracing::error!(%error, "planning again");
            }
            let now = self.clock.now();
            if tidied_at.is_none_or(|last| now.since(last) >= HOUSEKEEPING_EVERY || last > now) {
                tidied_at = Some(now);
                self.tidy(now).await;
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.clock.sleep_until(now.saturating_add(LOOK_EVERY)) => {}
                () = self.page_waits.notified() => {}
            }
        }
    }

    async fn tidy(&self, now: Timestamp) {
        if let Err(error) = self.store.prune_providers(now.saturating_sub(PROVIDER_KEPT_FOR)).await {
            tracing::error!(%error, "forgetting providers");
        }
        if let Err(error) = self.store.prune(now).await {
            tracing::error!(%error, "housekeeping");
        }
    }
}
