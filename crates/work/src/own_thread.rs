//! Work that blocks and never ends, on a thread of its own.
//!
//! It takes one core at most and no thread that serves people. When it panics it is started again after a pause: what it
//! does can be done twice.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

const AGAIN_AFTER: Duration = Duration::from_secs(30);

/// Returns when `work` has returned, which it must when told to stop.
pub(crate) async fn run<W, F>(name: &'static str, stop: CancellationToken, work: W)
where
    W: Fn() -> F + Send + Sync + 'static,
    F: Future<Output = ()>,
{
    let work = Arc::new(work);
    loop {
        let (done, ended) = tokio::sync::oneshot::channel::<()>();
        let (work, handle) = (Arc::clone(&work), Handle::current());
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            handle.block_on(work());
            // Not sent when the work panics: the other side then hears that nobody is left to send.
            let _ = done.send(());
        });
        match thread {
            Ok(_) => {
                if ended.await.is_ok() {
                    return;
                }
                tracing::error!(work = name, "something broke; it is started again");
            }
            Err(error) => tracing::error!(work = name, %error, "no thread could be started"),
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(AGAIN_AFTER) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[tokio::test]
    async fn what_panics_ends_with_the_process_and_not_before() {
        let (stop, started) = (CancellationToken::new(), Arc::new(AtomicBool::new(false)));
        let (seen, also) = (Arc::clone(&started), stop.clone());
        let work = move || {
            seen.store(true, Ordering::Release);
            also.cancel();
            async { panic!("planted") }
        };
        run("test", stop, work).await;
        assert!(started.load(Ordering::Acquire));
    }
}
