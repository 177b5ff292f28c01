//! How long pages take while hundreds of slow publishers and dozens of deeply nested documents are in flight.
//!
//! `cargo bench -p wellread --bench busy`: the real server as a process of its own, 500 feeds whose bytes drip, 50
//! whose documents are nested thousands deep, one ordinary feed to read, and a person who asks for pages over real
//! sockets. Every address in 127/8 is this machine and a provider of its own, so spacing stays on. Bar: page p99
//! < 100 ms.

#![allow(clippy::unwrap_used, reason = "a benchmark ends where something fails")]

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const SLOW: usize = 500;
const NESTED: usize = 50;
const DEPTH: usize = 20_000;
const ROUNDS: usize = 400;
const PASSWORD: &str = "a long enough password";

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let publisher = Publisher::start();
    let opml = folder.path().join("feeds.opml");
    std::fs::write(&opml, subscriptions(publisher.port)).unwrap();
    let allow = format!("127.0.0.0/8:{}", publisher.port);
    run(folder.path(), &allow, &["user", "add", "mira", "--password-stdin"], PASSWORD);
    run(folder.path(), &allow, &["import", opml.to_str().unwrap(), "--user", "mira"], "");
    let server = Server::start(folder.path(), &allow);
    let cookie = server.sign_in();
    let begun = Instant::now();
    while publisher.dripping.load(Ordering::Relaxed) < SLOW * 9 / 10 {
        assert!(begun.elapsed() < Duration::from_secs(120), "the slow feeds were never all asked");
        std::thread::sleep(Duration::from_millis(50));
    }
    publisher.say();
    for path in ["/newest", "/unread", "/feeds", "/settings"] {
        let mut times = Vec::with_capacity(ROUNDS);
        for _ in 0..ROUNDS {
            let begun = Instant::now();
            let answer = server.ask(&cookie, path);
            times.push(begun.elapsed());
            assert!(answer.starts_with("HTTP/1.1 200"), "{path}: {}", answer.lines().next().unwrap_or(""));
        }
        times.sort_unstable();
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
        println!("{path:<12} p50 {:>7.2} ms   p99 {:>7.2} ms   max {:>7.2} ms", at(0.5), at(0.99), at(1.0));
    }
    publisher.say();
}

fn subscriptions(port: u16) -> String {
    let mut text = String::from("<opml version=\"2.0\"><body>");
    for (net, count, kind) in [(1, NESTED, "nested"), (2, SLOW, "slow"), (3, 1, "plain")] {
        for n in 0..count {
            let (c, d) = (n / 250, n % 250 + 1);
            write!(text, "<outline type=\"rss\" xmlUrl=\"http://127.{net}.{c}.{d}:{port}/{kind}\"/>")
                .unwrap();
        }
    }
    text + "</body></opml>"
}

fn run(folder: &Path, allow: &str, arguments: &[&str], input: &str) {
    let mut child =
        wellread(folder, allow).args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "wellread {arguments:?}");
}

fn wellread(folder: &Path, allow: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wellread"));
    command
        .env_clear()
        .env("HOME", folder)
        .env("WELLREAD_DATA_DIR", folder.join("data"))
        .env("WELLREAD_ALLOW", allow)
        .env("WELLREAD_POLLS_MAX", "600");
    command
}

/// The real thing, killed when the benchmark ends.
struct Server {
    child: Child,
    host: String,
}

impl Server {
    fn start(folder: &Path, allow: &str) -> Server {
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let host = format!("127.0.0.1:{free}");
        let begun = Instant::now();
        let child = wellread(folder, allow)
            .args(["serve", "--listen", &host])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Server { child, host };
        while TcpStream::connect(&server.host).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(30), "the server does not answer");
            std::thread::sleep(Duration::from_millis(5));
        }
        println!("start-up {:.0} ms", begun.elapsed().as_secs_f64() * 1e3);
        server
    }

    fn sign_in(&self) -> String {
        let form = format!("name=mira&password={}", PASSWORD.replace(' ', "+"));
        let answer = self.send(&format!(
            "POST /login HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nConnection: close\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{form}",
            form.len(),
            host = self.host,
        ));
        let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }

    fn ask(&self, cookie: &str, path: &str) -> String {
        self.send(&format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n",
            self.host
        ))
    }

    fn send(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A publisher that drips, nests, or behaves, by the path it is asked for. A thread per connection: it mostly sleeps.
struct Publisher {
    port: u16,
    dripping: Arc<AtomicUsize>,
    nested: Arc<AtomicUsize>,
}

impl Publisher {
    fn start() -> Publisher {
        let listener = TcpListener::bind("0.0.0.0:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (dripping, nested) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let counters = (Arc::clone(&dripping), Arc::clone(&nested));
        let documents = Arc::new((document(&"<div><b>".repeat(DEPTH / 2)), document("<p>A short text.</p>")));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (documents, counters) = (Arc::clone(&documents), counters.clone());
                let builder = std::thread::Builder::new().stack_size(64 << 10);
                let _ = builder.spawn(move || answer(stream, &documents, &counters.0, &counters.1));
            }
        });
        Publisher { port, dripping, nested }
    }

    fn say(&self) {
        let (slow, nested) = (self.dripping.load(Ordering::Relaxed), self.nested.load(Ordering::Relaxed));
        println!("{slow} slow answers in flight, {nested} of {NESTED} nested documents sent");
    }
}

fn answer(
    mut stream: TcpStream,
    (nested, plain): &(String, String),
    dripping: &AtomicUsize,
    sent: &AtomicUsize,
) -> Option<()> {
    let mut line = String::new();
    BufReader::new(stream.try_clone().ok()?).read_line(&mut line).ok()?;
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\nConnection: close\r\n";
    if line.contains("/slow") {
        dripping.fetch_add(1, Ordering::Relaxed);
        let _ = drip(&mut stream, &format!("{head}\r\n"), plain);
        dripping.fetch_sub(1, Ordering::Relaxed);
        return Some(());
    }
    let is_nested = line.contains("/nested");
    if !is_nested && !line.contains("/plain") {
        let none = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        return stream.write_all(none).ok();
    }
    let body = if is_nested { nested } else { plain };
    stream.write_all(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).ok()?;
    sent.fetch_add(usize::from(is_nested), Ordering::Relaxed);
    Some(())
}

/// Fast enough not to be given up on at once, slow enough to last.
fn drip(stream: &mut TcpStream, head: &str, body: &str) -> std::io::Result<()> {
    stream.write_all(head.as_bytes())?;
    for piece in body.as_bytes().chunks(64) {
        stream.write_all(piece)?;
        std::thread::sleep(Duration::from_millis(500));
    }
    Ok(())
}

fn document(body: &str) -> String {
    let mut text = String::from("<rss version=\"2.0\"><channel><title>A feed</title>");
    for n in 0..200 {
        let body = if n == 0 { body } else { "<p>Text</p>" };
        write!(
            text,
            "<item><guid>{n}</guid><title>Item {n}</title><link>http://site.test/{n}</link>\
             <description><![CDATA[{body}]]></description></item>"
        )
        .unwrap();
    }
    text + "</channel></rss>"
}
