//! The HTTP clients behind the fetcher, and which of them a request uses.
//!
//! All share one TLS configuration and differ in two ways. *Port*: the resolver inside a client is not told the port, so
//! each port the guard treats specially has its own client (see [`Guarded`]). *Reuse*: a client either keeps one idle
//! connection per host for a short while or none at all; the keeping one is used only while few connections can be
//! idle, so that a refresh of 10,000 hosts does not hold 10,000 sockets.

use crate::failure::FetchError;
use crate::fetcher::FetchConfig;
use crate::guard::OwnAddress;
use crate::resolve::Guarded;
use reqwest::Client;
use rustls::pki_types::CertificateDer;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long an idle connection is kept for the provider's next request. Requests to one provider are two seconds apart
/// (N21); many servers leave after five, and a request that meets a leaving server fails.
const IDLE: Duration = Duration::from_secs(4);
/// Requests per `IDLE` that may leave a connection behind.
const KEPT_MAX: u32 = 128;
/// A port the guard finds nothing special about; stands for all of those.
const PLAIN_PORT: u16 = 443;

pub(crate) struct Door {
    /// For ports named by the allow-list or our own addresses.
    special: Vec<(u16, Pair)>,
    plain: Pair,
    kept: Mutex<Kept>,
}

struct Pair {
    keeping: Client,
    closing: Client,
}

struct Kept {
    since: Instant,
    count: u32,
}

impl Door {
    pub(crate) fn new(config: &FetchConfig) -> Result<Self, FetchError> {
        let tls = tls_config(&config.extra_roots)?;
        let source = config.resolver.clone().into_source();
        let (allow, own) =
            (Arc::new(config.allow.clone()), Arc::<[OwnAddress]>::from(config.own_addresses.as_slice()));
        let pair = |port: u16| -> Result<Pair, FetchError> {
            let resolver =
                Arc::new(Guarded { source: source.clone(), allow: allow.clone(), own: own.clone(), port });
            Ok(Pair {
                keeping: client(config, tls.clone(), resolver.clone(), 1)?,
                closing: client(config, tls.clone(), resolver, 0)?,
            })
        };
        let ports: BTreeSet<u16> =
            config.allow.ports().chain(config.own_addresses.iter().map(OwnAddress::port)).collect();
        // 443 itself may be special; then the plain client must check as some other ordinary port.
        let plain = if ports.contains(&PLAIN_PORT) { ordinary_port(&ports) } else { PLAIN_PORT };
        Ok(Door {
            special: ports.iter().map(|port| Ok((*port, pair(*port)?))).collect::<Result<_, FetchError>>()?,
            plain: pair(plain)?,
            kept: Mutex::new(Kept { since: Instant::now(), count: 0 }),
        })
    }

    /// The client for a request to this port.
    pub(crate) fn client(&self, port: u16) -> &Client {
        let pair = self.special.iter().find(|(at, _)| *at == port).map_or(&self.plain, |(_, pair)| pair);
        if self.may_keep() { &pair.keeping } else { &pair.closing }
    }

    fn may_keep(&self) -> bool {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if now.duration_since(kept.since) >= IDLE {
            *kept = Kept { since: now, count: 0 };
        }
        kept.count = kept.count.saturating_add(1);
        kept.count <= KEPT_MAX
    }
}

/// Any web port that is not special. There are 64,000 of them; the list is an administrator's and short.
fn ordinary_port(special: &BTreeSet<u16>) -> u16 {
    [80, 8000, 8080]
        .into_iter()
        .chain(30_000..60_000)
        .find(|port| !special.contains(port))
        .unwrap_or(PLAIN_PORT)
}

fn tls_config(extra_roots: &[Vec<u8>]) -> Result<rustls::ClientConfig, FetchError> {
    let mut roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for der in extra_roots {
        roots.add(CertificateDer::from(der.clone()))?;
    }
    // The provider is given here, so nothing is installed for the whole process.
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(tls)
}

fn client(
    config: &FetchConfig,
    tls: rustls::ClientConfig,
    resolver: Arc<Guarded>,
    idle_max: usize,
) -> Result<Client, FetchError> {
    let limits = &config.limits;
    let built = Client::builder()
        .tls_backend_preconfigured(tls)
        .dns_resolver(resolver)
        // Redirects are our own loop: each hop is checked and its headers are built from zero (E6, E11).
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        // A proxy from the environment would resolve names itself and so undo the guard (E15).
        .no_proxy()
        .connect_timeout(limits.connect_timeout)
        .pool_max_idle_per_host(idle_max)
        .pool_idle_timeout(IDLE)
        .http1_max_headers(limits.header_fields_max)
        .http2_max_header_list_size(u32::try_from(limits.header_bytes_max).unwrap_or(u32::MAX))
        .http2_initial_stream_window_size(512 * 1024)
        .http2_initial_connection_window_size(1024 * 1024)
        .tcp_nodelay(true)
        .build()?;
    Ok(built)
}
