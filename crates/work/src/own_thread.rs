//! Work that blocks and never ends, on a thread of its own.
//!
//! It takes one core at most and no thread that serves people, and gives way to those that do. When it panics it is
//! started again after a pause: what it does can be done twice.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

const AGAIN_AFTER: Duration = Duration::from_secs(30);
/// As far as `nice` goes by itself: a tenth of a core that others want all of.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

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
            give_way();
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

/// Lowers the priority of this thread and of those it starts, as an index starts its own.
#[cfg(target_os = "linux")]
fn give_way() {
    if let Err(error) = rustix::process::nice(NICENESS) {
        tracing::debug!(%error, "a thread keeps its priority");
    }
}

/// Elsewhere a priority is the whole process's.
#[cfg(not(target_os = "linux"))]
fn give_way() {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn it_gives_way_with_the_threads_it_starts_and_nobody_else_does() {
        use rustix::process::getpriority_process;
        use std::sync::atomic::AtomicI32;

        let before = getpriority_process(None).unwrap_or_default();
        let seen = Arc::new(AtomicI32::new(i32::MIN));
        let tell = Arc::clone(&seen);
        let work = move || {
            let child = std::thread::spawn(|| getpriority_process(None).unwrap_or_default());
            tell.store(child.join().unwrap_or_default(), Ordering::Release);
            async {}
        };
        run("test", CancellationToken::new(), work).await;
        assert_eq!(seen.load(Ordering::Acquire), (before + NICENESS).min(19));
        assert_eq!(getpriority_process(None).unwrap_or_default(), before);
    }

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
