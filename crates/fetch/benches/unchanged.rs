//! How many unchanged feeds can be asked per second, each at a host of its own, with the server on the same machine.
//!
//! `cargo bench -p fetch` runs it; `FEEDS=20000` changes the number. Prints one line.
#![allow(clippy::unwrap_used, reason = "a benchmark on loopback")]

use domain::{FeedId, Timestamp, Validators};
use fetch::{AllowList, FeedRequest, FetchConfig, Fetcher, Outcome, Resolver, TestNames};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use url::Url;

const ANSWER: &[u8] = b"HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\nCache-Control: max-age=3600\r\n\r\n";

fn main() {
    // The server is a process of its own: its time is not the fetcher's.
    if std::env::args().any(|argument| argument == "serve") {
        return serve();
    }
    // Tiny when it runs as a test, which is without the flag that `cargo bench` gives.
    let usual = if std::env::args().any(|argument| argument == "--bench") { 10_000 } else { 200 };
    let count: usize = std::env::var("FEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .arg("serve")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut port = [0; 2];
    child.stdout.as_mut().unwrap().read_exact(&mut port).unwrap();
    let port = u16::from_be_bytes(port);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    for round in ["first", "second"] {
        let begin = Instant::now();
        let unchanged = runtime.block_on(ask(count, port));
        let seconds = begin.elapsed().as_secs_f64();
        println!(
            "{round}: {unchanged} of {count} unchanged in {seconds:.2} s, {:.0} per second",
            unchanged as f64 / seconds
        );
    }
    drop(child.stdin.take());
    child.wait().unwrap();
}

async fn ask(count: usize, port: u16) -> usize {
    let addr = Ipv4Addr::LOCALHOST.into();
    let config = FetchConfig {
        allow: AllowList::parse([format!("127.0.0.1/32:{port}").as_str()]).unwrap(),
        resolver: Resolver::Injected(Arc::new(TestNames { addr })),
        ..FetchConfig::default()
    };
    let fetcher = Fetcher::new(config).unwrap();
    let workers: Vec<_> = (0..64)
        .map(|worker| {
            let fetcher = fetcher.clone();
            tokio::spawn(async move {
                let mut unchanged = 0;
                for n in (worker..count).step_by(64) {
                    let url = Url::parse(&format!("http://f{n:05}.test:{port}/feed.xml")).unwrap();
                    let validators = Validators { etag: Some("\"1\"".into()), last_modified: None };
                    let request = FeedRequest { validators, ..FeedRequest::new(url, FeedId(1)) };
                    let answer = fetcher.feed(&request, Timestamp::from_seconds(1_700_000_000)).await;
                    unchanged += usize::from(answer.outcome == Outcome::Unchanged);
                }
                unchanged
            })
        })
        .collect();
    let mut unchanged = 0;
    for worker in workers {
        unchanged += worker.await.unwrap();
    }
    unchanged
}

fn serve() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let mut out = std::io::stdout();
        out.write_all(&listener.local_addr().unwrap().port().to_be_bytes()).unwrap();
        out.flush().unwrap();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let mut head = [0; 2048];
                    while stream.read(&mut head).await.is_ok_and(|read| read > 0) {
                        let _ = stream.write_all(ANSWER).await;
                    }
                });
            }
        });
        // Ends with the parent.
        let _ = tokio::task::spawn_blocking(|| std::io::stdin().read(&mut [0])).await;
    });
}
