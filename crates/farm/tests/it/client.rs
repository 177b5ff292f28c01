//! A client that reads exactly what is on the wire and believes nothing.

use domain::Timestamp;
use farm::{Farm, FarmConfig, World};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// More than any test reads.
const BYTES_MAX: usize = 24 << 20;

pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    /// The connection ended by a reset instead of an orderly close.
    pub(crate) reset: bool,
}

impl Reply {
    pub(crate) fn header<'a>(&'a self, name: &str) -> Option<&'a str> {
        self.all(name).next()
    }

    pub(crate) fn all<'a>(&'a self, name: &str) -> std::vec::IntoIter<&'a str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .filter(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
            .collect::<Vec<_>>()
            .into_iter()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

pub(crate) async fn start(config: FarmConfig, now: Timestamp) -> Farm {
    let listen: SocketAddr = ([127, 0, 0, 1], 0).into();
    Farm::start(Arc::new(World::new(config)), Arc::new(move || now), listen).await.unwrap()
}

/// One request on a connection of its own, read until it ends or `BYTES_MAX` came.
pub(crate) async fn get(farm: &Farm, host: &str, path: &str, headers: &[(&str, &str)]) -> Reply {
    let mut lines =
        format!("GET {path} HTTP/1.1\r\nHost: {host}:{}\r\nConnection: close\r\n", farm.addr().port());
    for (name, value) in headers {
        lines.push_str(&format!("{name}: {value}\r\n"));
    }
    lines.push_str("\r\n");
    let mut stream = TcpStream::connect(farm.addr()).await.unwrap();
    stream.write_all(lines.as_bytes()).await.unwrap();
    let (bytes, reset) = read(&mut stream).await;
    reply(bytes, reset)
}

/// The feed of an index, with the headers given.
pub(crate) async fn poll(farm: &Farm, feed: usize, headers: &[(&str, &str)]) -> Reply {
    let spec = &farm.world().feeds()[feed];
    get(farm, &spec.host, &spec.url_path, headers).await
}

pub(crate) async fn read(stream: &mut TcpStream) -> (Vec<u8>, bool) {
    let mut bytes = Vec::new();
    let mut piece = vec![0; 256 << 10];
    while bytes.len() < BYTES_MAX {
        match stream.read(&mut piece).await {
            Ok(0) => return (bytes, false),
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
            Err(_) => return (bytes, true),
        }
    }
    (bytes, false)
}

pub(crate) fn reply(bytes: Vec<u8>, reset: bool) -> Reply {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").map_or(bytes.len(), |at| at + 4);
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    Reply { status, head, body: bytes[end..].to_vec(), reset }
}
