//! A server that does exactly what a test says, byte by byte, and remembers what it was asked.

use domain::secret::FeedSecrets;
use domain::{FeedId, Limits, Timestamp, Validators};
use fetch::{
    AllowList, Answer, FeedRequest, FetchConfig, Fetcher, Outcome, PageRequest, Resolver, TestNames, Wanted,
};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

pub(crate) const NOW: Timestamp = Timestamp::from_seconds(1_700_000_000);
pub(crate) const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// One thing a server does after it has read a request.
pub(crate) enum Act {
    Send(Vec<u8>),
    /// These bytes one at a time with pauses, again and again.
    Drip(&'static [u8], Duration),
    /// These bytes at full speed, for ever.
    Endless(Vec<u8>),
    /// Says nothing and keeps the connection.
    Hang,
    /// Closes with a reset instead of an orderly end.
    Reset,
    /// Waits for the next request on the same connection.
    Keep,
}

pub(crate) type Acts = Vec<Act>;

/// A request as it came, head only.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) head: String,
    pub(crate) path: String,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// Header names in lower case, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let lines = self.head.lines().skip(1).filter(|line| !line.is_empty());
        let mut names: Vec<String> =
            lines.map(|line| line.split(':').next().unwrap().to_ascii_lowercase()).collect();
        names.sort();
        names
    }
}

#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) addr: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    connections: Arc<AtomicUsize>,
}

impl Server {
    pub(crate) async fn start(script: impl Fn(&Seen) -> Acts + Send + Sync + 'static) -> Server {
        Self::start_at(SocketAddr::new(LOOPBACK, 0), script).await
    }

    pub(crate) async fn start_at(
        at: SocketAddr,
        script: impl Fn(&Seen) -> Acts + Send + Sync + 'static,
    ) -> Server {
        let listener = TcpListener::bind(at).await.unwrap();
        let server = Server {
            addr: listener.local_addr().unwrap(),
            seen: Arc::default(),
            connections: Arc::default(),
        };
        let (mine, script) = (server.clone(), Arc::new(script));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                mine.connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(mine.clone().serve_tcp(stream, script.clone()));
            }
        });
        server
    }

    /// Always the same answer, then an orderly end.
    pub(crate) async fn saying(answer: impl Into<Vec<u8>>) -> Server {
        let answer = answer.into();
        Server::start(move |_| vec![Act::Send(answer.clone())]).await
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn url(&self, host: &str, path: &str) -> Url {
        Url::parse(&format!("http://{host}:{}{path}", self.addr.port())).unwrap()
    }

    pub(crate) fn allow(&self) -> AllowList {
        AllowList::parse([format!("{}/32:{}", self.addr.ip(), self.addr.port()).as_str()]).unwrap()
    }

    /// A fetcher that may go to this server, where all `.test` names are.
    pub(crate) fn fetcher(&self) -> Fetcher {
        self.fetcher_with(Limits::default())
    }

    pub(crate) fn fetcher_with(&self, limits: Limits) -> Fetcher {
        Fetcher::new(FetchConfig { limits, ..self.config() }).unwrap()
    }

    pub(crate) fn config(&self) -> FetchConfig {
        FetchConfig {
            allow: self.allow(),
            resolver: Resolver::Injected(Arc::new(TestNames { addr: self.addr.ip() })),
            contact: Some("https://reader.example/about-fetcher".into()),
            version: "0.1.0",
            ..FetchConfig::default()
        }
    }

    async fn serve_tcp(self, mut stream: TcpStream, script: Arc<impl Fn(&Seen) -> Acts>) {
        if self.serve(&mut stream, script).await {
            // Closing with zero linger sends a reset.
            stream.set_zero_linger().unwrap();
        }
    }

    /// Plays the script on any stream; true when it ended with [`Act::Reset`].
    pub(crate) async fn serve(
        self,
        mut stream: impl AsyncRead + AsyncWrite + Unpin,
        script: Arc<impl Fn(&Seen) -> Acts>,
    ) -> bool {
        'next: loop {
            let Some(seen) = read_head(&mut stream).await else { return false };
            self.seen.lock().unwrap().push(seen.clone());
            for act in script(&seen) {
                let going = match act {
                    Act::Send(bytes) => stream.write_all(&bytes).await.is_ok(),
                    Act::Drip(bytes, pause) => drip(&mut stream, bytes, pause).await,
                    Act::Endless(bytes) => {
                        while stream.write_all(&bytes).await.is_ok() {}
                        false
                    }
                    Act::Hang => {
                        let mut rest = [0; 64];
                        while stream.read(&mut rest).await.is_ok_and(|read| read > 0) {}
                        false
                    }
                    Act::Reset => return true,
                    Act::Keep => continue 'next,
                };
                if !going {
                    return false;
                }
            }
            let _ = stream.shutdown().await;
            return false;
        }
    }
}

async fn drip(stream: &mut (impl AsyncWrite + Unpin), bytes: &[u8], pause: Duration) -> bool {
    for byte in bytes.iter().cycle() {
        if stream.write_all(&[*byte]).await.is_err() || stream.flush().await.is_err() {
            return false;
        }
        tokio::time::sleep(pause).await;
    }
    true
}

async fn read_head(stream: &mut (impl AsyncRead + Unpin)) -> Option<Seen> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    // One character per byte: tests compare bytes.
    let head: String = head.iter().map(|byte| char::from(*byte)).collect();
    let path = head.split(' ').nth(1)?.to_owned();
    Some(Seen { head, path })
}

/// A whole response with the right length.
pub(crate) fn ok(headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    respond("200 OK", headers, body)
}

/// `headers` are lines, each ended by `\r\n`.
pub(crate) fn respond(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let mut out =
        format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    out.extend_from_slice(body);
    out
}

pub(crate) fn redirect(status: &str, to: &str) -> Vec<u8> {
    respond(status, &format!("Location: {to}\r\n"), "")
}

pub(crate) fn feed(url: Url) -> FeedRequest {
    FeedRequest::new(url, FeedId(7))
}

pub(crate) fn page(url: Url) -> PageRequest {
    PageRequest::new(url, Wanted::Page)
}

pub(crate) fn with_validators(url: Url, etag: &str, last_modified: &str) -> FeedRequest {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    FeedRequest {
        validators: Validators { etag: some(etag), last_modified: some(last_modified) },
        ..feed(url)
    }
}

pub(crate) fn with_secrets(url: Url) -> FeedRequest {
    let headers = vec![("X-Api-Key".to_owned(), domain::Secret::new("k3y"))];
    let secrets =
        FeedSecrets { user: Some("mira".into()), password: Some(domain::Secret::new("hunter2")), headers };
    FeedRequest { secrets, ..feed(url) }
}

/// A short window for slow bodies; the other bounds stay long, so that a busy machine does not meet them first.
pub(crate) fn hasty() -> Limits {
    Limits { slow_window: Duration::from_millis(300), ..Limits::default() }
}

/// A short wait for the head of an answer, for servers that never send it.
pub(crate) fn impatient() -> Limits {
    Limits { first_byte_timeout: Duration::from_millis(500), ..Limits::default() }
}

pub(crate) fn body(answer: &Answer) -> (&[u8], bool) {
    match &answer.outcome {
        Outcome::Body { bytes, complete, .. } => (bytes, *complete),
        other => panic!("no body: {other:?}"),
    }
}
