//! The farm itself: one listener for every name, HTTP/1.1 by hand. The Host header chooses the site.
//!
//! Everything is bounded: connections, the request head, the time one answer may take, the log. A client that sends
//! nonsense gets 400 and a closed connection.

mod connection;
mod head;

use crate::log::{Log, LogEntry};
use crate::message::{Request, Response};
use crate::world::{World, lock};
use domain::Timestamp;
use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};

const CONNECTIONS_MAX: usize = 1_024;
/// With fewer free places than this, connections are closed after each answer, so that idle ones cannot lock out new
/// ones.
const CONNECTIONS_SPARE: usize = 256;
const LOG_ENTRIES_MAX: usize = 65_536;

/// The time as the farm sees it: real, hurried or standing still.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// A running farm; dropping it stops it.
pub struct Farm {
    addr: SocketAddr,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

pub(crate) struct Shared {
    world: Arc<World>,
    clock: Clock,
    log: Log,
    places: Arc<Semaphore>,
    in_flight: Mutex<HashMap<String, u32>>,
    answered: AtomicU64,
    connections: AtomicUsize,
}

impl Farm {
    /// Listens and tells the world its port.
    pub async fn start(world: Arc<World>, clock: Clock, listen: SocketAddr) -> io::Result<Farm> {
        let listener = TcpListener::bind(listen).await?;
        let addr = listener.local_addr()?;
        world.set_port(addr.port());
        let shared = Arc::new(Shared {
            world,
            clock,
            log: Log::new(LOG_ENTRIES_MAX),
            places: Arc::new(Semaphore::new(CONNECTIONS_MAX)),
            in_flight: Mutex::default(),
            answered: AtomicU64::new(0),
            connections: AtomicUsize::new(0),
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Ok(Farm { addr, shared, accepting })
    }

    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    pub fn world(&self) -> &Arc<World> {
        &self.shared.world
    }

    pub fn log(&self) -> &Log {
        &self.shared.log
    }

    pub fn entries(&self) -> Vec<LogEntry> {
        self.shared.log.entries()
    }

    /// Requests answered so far, beyond what the log still holds.
    pub fn answered(&self) -> u64 {
        self.shared.answered.load(Ordering::Relaxed)
    }

    /// Connections accepted so far.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::Relaxed)
    }

    /// Ends all connections and frees the port.
    pub async fn shutdown(mut self) {
        self.accepting.abort();
        let _ = (&mut self.accepting).await;
    }
}

impl Drop for Farm {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    // The set dies with this task and takes its connections along.
    let mut connections = JoinSet::new();
    loop {
        let Ok(place) = Arc::clone(&shared.places).acquire_owned().await else { return };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            // Out of descriptors, or a client that left at once: the next one may fare better.
            Err(_) => {
                tokio::time::sleep(std::time::Duration::from_millis(10)).await;
                continue;
            }
        };
        shared.connections.fetch_add(1, Ordering::Relaxed);
        let shared = Arc::clone(&shared);
        connections.spawn(async move {
            // The peer may leave at any moment; that is its affair.
            let _ = connection::serve(stream, &shared).await;
            drop(place);
        });
        while connections.try_join_next().is_some() {}
    }
}

impl Shared {
    fn answer(&self, request: &Request<'_>, flight: &Flight<'_>) -> Response {
        let now = (self.clock)();
        let response = self.world.respond(request, now);
        self.log.record(&self.world, request, &response, flight.concurrent, now);
        self.answered.fetch_add(1, Ordering::Relaxed);
        response
    }

    fn is_crowded(&self) -> bool {
        self.places.available_permits() < CONNECTIONS_SPARE
    }
}

/// One request under way; dropping it is the end of the answer, however it ended.
struct Flight<'a> {
    shared: &'a Shared,
    host: String,
    concurrent: u32,
}

impl<'a> Flight<'a> {
    fn begin(shared: &'a Shared, host: &str) -> Flight<'a> {
        let mut in_flight = lock(&shared.in_flight);
        let count = in_flight.entry(host.to_owned()).or_insert(0);
        *count += 1;
        let concurrent = *count;
        drop(in_flight);
        Flight { shared, host: host.to_owned(), concurrent }
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        let mut in_flight = lock(&self.shared.in_flight);
        if let Some(count) = in_flight.get_mut(&self.host) {
            *count -= 1;
            if *count == 0 {
                in_flight.remove(&self.host);
            }
        }
    }
}
