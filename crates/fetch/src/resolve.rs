//! Names to addresses, with the guard in between.
//!
//! The client asks `Guarded` whenever it opens a connection to a name, and dials exactly the addresses it gets back:
//! what was checked is what is dialled, so a name that changes its mind between two questions gains nothing (E5).

use crate::allow::AllowList;
use crate::failure::Refusal;
use crate::guard::{self, OwnAddress};
use futures_util::future::BoxFuture;
use hickory_resolver::TokioResolver;
use hickory_resolver::net::NetError;
use std::error::Error;
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};

/// Where addresses come from.
pub trait Resolve: Send + Sync {
    /// All addresses of `host`, which is lower case and without trailing dot. Never asked for IP literals.
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;
}

#[derive(Clone, Default)]
pub enum Resolver {
    /// The machine's own name servers.
    #[default]
    System,
    /// The simulated web, and tests.
    Injected(Arc<dyn Resolve>),
}

impl fmt::Debug for Resolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Resolver::System => "System",
            Resolver::Injected(_) => "Injected",
        })
    }
}

impl Resolver {
    pub(crate) fn into_source(self) -> Arc<dyn Resolve> {
        match self {
            Resolver::System => Arc::new(SystemNames::default()),
            Resolver::Injected(source) => source,
        }
    }
}

/// The names of the simulated web: everything under `.test` is at one address, everything else does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TestNames {
    pub addr: IpAddr,
}

impl Resolve for TestNames {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let answer =
            if host.ends_with(".test") { Ok(vec![self.addr]) } else { Err(io::ErrorKind::NotFound.into()) };
        Box::pin(std::future::ready(answer))
    }
}

/// Hickory with the system's configuration, because it caches and does not block threads; the C library's resolver
/// where hickory cannot help (no readable configuration, broken transport, names only the system knows).
#[derive(Default)]
struct SystemNames {
    // Built at the first question, which is inside a runtime.
    hickory: OnceLock<Option<TokioResolver>>,
}

impl Resolve for SystemNames {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            if let Some(hickory) = self.hickory.get_or_init(build_hickory) {
                // A name with a dot is meant as it is: without the final dot the search list would be tried as well.
                let name = if host.contains('.') { format!("{host}.") } else { host.to_owned() };
                match hickory.lookup_ip(name).await {
                    Ok(found) => return Ok(found.iter().collect()),
                    // The C library would ask the same servers the same question, and block a thread while it waits.
                    Err(error) if !is_local_name(host) && error.is_no_records_found() => {
                        return Err(io::ErrorKind::NotFound.into());
                    }
                    Err(NetError::Timeout) if !is_local_name(host) => {
                        return Err(io::ErrorKind::TimedOut.into());
                    }
                    Err(_) => {}
                }
            }
            Ok(tokio::net::lookup_host((host, 0)).await?.map(|addr| addr.ip()).collect())
        })
    }
}

fn build_hickory() -> Option<TokioResolver> {
    let built = TokioResolver::builder_tokio().and_then(hickory_resolver::ResolverBuilder::build);
    built.inspect_err(|error| tracing::warn!(%error, "the system's DNS configuration cannot be read; using the C library")).ok()
}

/// Names that mDNS, hosts files or routers answer, and name servers may not.
fn is_local_name(host: &str) -> bool {
    !host.contains('.')
        || [".local", ".lan", ".home", ".internal", ".home.arpa"].iter().any(|end| host.ends_with(end))
}

/// The guard as the client's resolver. The client's interface names no port, so there is one of these for each port
/// that the allow-list or our own addresses mention, and one for all the others.
pub(crate) struct Guarded {
    pub(crate) source: Arc<dyn Resolve>,
    pub(crate) allow: Arc<AllowList>,
    pub(crate) own: Arc<[OwnAddress]>,
    pub(crate) port: u16,
}

impl reqwest::dns::Resolve for Guarded {
    fn resolve(&self, name: reqwest::dns::Name) -> reqwest::dns::Resolving {
        let (source, allow, own, port) =
            (self.source.clone(), self.allow.clone(), self.own.clone(), self.port);
        Box::pin(async move {
            let host = guard::normal_name(name.as_str());
            let addresses = source.resolve(&host).await.map_err(|_| NotResolved)?;
            if addresses.is_empty() {
                return Err(NotResolved.into());
            }
            // One refused answer refuses the name (E4): a mixed answer is how rebinding begins.
            for ip in &addresses {
                guard::check_answer(&host, SocketAddr::new(*ip, port), &allow, &own).map_err(Barred)?;
            }
            let addresses = addresses.into_iter().map(|ip| SocketAddr::new(ip, 0));
            Ok(Box::new(addresses) as reqwest::dns::Addrs)
        })
    }
}

/// Travels through the client's error chain, to be found again by the caller.
#[derive(Debug)]
pub(crate) struct Barred(pub(crate) Refusal);

impl fmt::Display for Barred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for Barred {}

#[derive(Debug)]
pub(crate) struct NotResolved;

impl fmt::Display for NotResolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the host name was not found")
    }
}

impl Error for NotResolved {}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_systems_names_answer() {
        let found = SystemNames::default().resolve("localhost").await.expect("addresses");
        assert!(!found.is_empty() && found.iter().all(IpAddr::is_loopback), "{found:?}");
    }

    #[tokio::test]
    async fn the_simulated_web_has_its_own_names_only() {
        let addr = IpAddr::from([127, 0, 0, 1]);
        let names = TestNames { addr };
        assert_eq!(names.resolve("f0001.test").await.expect("addresses"), [addr]);
        for foreign in ["example.com", "test", "f.test.example.com", "localhost"] {
            assert!(names.resolve(foreign).await.is_err(), "{foreign}");
        }
    }
}
