//! Where we may go (E1–E8). Pure: addresses and lists in, a verdict out.
//!
//! Two questions are asked. [`check_url`] judges what can be known before a name is resolved: scheme, port, literals in
//! every spelling (the `url` crate has already turned `0x7f.1` into 127.0.0.1). [`check_addr`] judges an address that
//! is about to be dialled. Both must say yes, on every hop; the resolver inside the client asks the second question of
//! exactly the addresses it hands to the connector, so nothing can change in between (E5).
//!
//! The ranges are an explicit table, not `is_private()` and friends: the stable predicates miss shared, benchmarking,
//! reserved and translated ranges.

use crate::allow::{AllowList, Block};
use crate::failure::Refusal;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;
use url::{Host, Url};

/// Judges an address as written, before any name is resolved.
pub fn check_url(url: &Url, allow: &AllowList, own: &[OwnAddress]) -> Result<(), Refusal> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Refusal::Scheme);
    }
    let port = url.port_or_known_default().ok_or(Refusal::Port)?;
    match url.host().ok_or(Refusal::Host)? {
        Host::Ipv4(addr) => check_addr(SocketAddr::new(IpAddr::V4(addr), port), allow, own),
        Host::Ipv6(addr) => check_addr(SocketAddr::new(IpAddr::V6(addr), port), allow, own),
        Host::Domain(name) => check_name(&normal_name(name), port, allow, own),
    }
}

/// Judges an address that is about to be dialled.
pub fn check_addr(addr: SocketAddr, allow: &AllowList, own: &[OwnAddress]) -> Result<(), Refusal> {
    let (ip, port) = (addr.ip().to_canonical(), addr.port());
    if own.iter().any(|mine| mine.is_addr(ip, port)) {
        return Err(Refusal::Address);
    }
    if allow.allows_addr(ip, port) {
        return Ok(());
    }
    // The address before the port: a refused network gives the same answer whatever the port (E1).
    if is_refused(ip) {
        return Err(Refusal::Address);
    }
    if is_web_port(port) { Ok(()) } else { Err(Refusal::Port) }
}

/// Judges one answer of a resolver for `host` (as [`normal_name`] gives it). An allowed `host:port` may be anywhere but
/// at our own door.
pub fn check_answer(
    host: &str,
    addr: SocketAddr,
    allow: &AllowList,
    own: &[OwnAddress],
) -> Result<(), Refusal> {
    if !allow.allows_host(host, addr.port()) {
        return check_addr(addr, allow, own);
    }
    let ip = addr.ip().to_canonical();
    if own.iter().any(|mine| mine.is_addr(ip, addr.port())) { Err(Refusal::Address) } else { Ok(()) }
}

/// Lower case, without the trailing dot: `LocalHost.` is `localhost`.
pub fn normal_name(name: &str) -> String {
    name.trim_end_matches('.').to_ascii_lowercase()
}

/// An address this server itself answers at. Never fetched, whatever the allow-list says (E8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnAddress {
    /// A listening socket. An unspecified address (`0.0.0.0`, `::`) stands for every address of this machine; which
    /// those are is not known here, so on that port every non-public address is taken as ours.
    Socket(SocketAddr),
    /// The name in the server's public address.
    Host { host: String, port: u16 },
}

impl OwnAddress {
    fn is_addr(&self, ip: IpAddr, port: u16) -> bool {
        match self {
            OwnAddress::Socket(mine) => {
                let at = mine.ip().to_canonical();
                // Dialling the unspecified address reaches this machine.
                mine.port() == port
                    && (at == ip || ip.is_unspecified() || (at.is_unspecified() && is_refused(ip)))
            }
            OwnAddress::Host { host, port: at } => *at == port && host.parse() == Ok(ip),
        }
    }

    fn is_name(&self, name: &str, port: u16) -> bool {
        match self {
            OwnAddress::Socket(_) => false,
            OwnAddress::Host { host, port: at } => *at == port && normal_name(host) == name,
        }
    }

    pub(crate) fn port(&self) -> u16 {
        match self {
            OwnAddress::Socket(addr) => addr.port(),
            OwnAddress::Host { port, .. } => *port,
        }
    }
}

impl From<SocketAddr> for OwnAddress {
    fn from(addr: SocketAddr) -> Self {
        OwnAddress::Socket(addr)
    }
}

impl FromStr for OwnAddress {
    type Err = Refusal;

    /// `127.0.0.1:7323`, `[::1]:7323`, `reader.example:443` or a whole address such as `https://reader.example/`.
    fn from_str(text: &str) -> Result<Self, Refusal> {
        if let Ok(addr) = text.parse::<SocketAddr>() {
            return Ok(OwnAddress::Socket(addr));
        }
        let whole = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
        let url = Url::parse(&whole).map_err(|_| Refusal::Host)?;
        let port = url.port_or_known_default().ok_or(Refusal::Port)?;
        match url.host().ok_or(Refusal::Host)? {
            Host::Ipv4(addr) => Ok(OwnAddress::Socket(SocketAddr::new(IpAddr::V4(addr), port))),
            Host::Ipv6(addr) => Ok(OwnAddress::Socket(SocketAddr::new(IpAddr::V6(addr), port))),
            Host::Domain(name) => Ok(OwnAddress::Host { host: normal_name(name), port }),
        }
    }
}

/// What may not be dialled in IPv4: the IANA special-purpose registry, multicast and the reserved block.
const REFUSED_V4: &[Block] = &[
    Block::v4(0, 0, 0, 0, 8),       // "this network"; 0.0.0.0 reaches this machine
    Block::v4(10, 0, 0, 0, 8),      // private
    Block::v4(100, 64, 0, 0, 10),   // shared by carriers
    Block::v4(127, 0, 0, 0, 8),     // loopback
    Block::v4(169, 254, 0, 0, 16),  // link-local, cloud metadata
    Block::v4(172, 16, 0, 0, 12),   // private
    Block::v4(192, 0, 0, 0, 24),    // protocol assignments
    Block::v4(192, 0, 2, 0, 24),    // documentation
    Block::v4(192, 31, 196, 0, 24), // AS112
    Block::v4(192, 52, 193, 0, 24), // multicast tunnelling
    Block::v4(192, 88, 99, 0, 24),  // old 6to4 relays
    Block::v4(192, 168, 0, 0, 16),  // private
    Block::v4(192, 175, 48, 0, 24), // AS112
    Block::v4(198, 18, 0, 0, 15),   // benchmarking
    Block::v4(198, 51, 100, 0, 24), // documentation
    Block::v4(203, 0, 113, 0, 24),  // documentation
    Block::v4(224, 0, 0, 0, 4),     // multicast
    Block::v4(240, 0, 0, 0, 4),     // reserved, broadcast
];

/// What may not be dialled in IPv6 *within* 2000::/3, the only block given out for public hosts. Everything outside it
/// is refused without a row: loopback, unique local, link-local, site-local, multicast, discard, local NAT64, and what
/// will be invented.
const REFUSED_V6: &[Block] = &[
    Block::v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), // protocol assignments: Teredo, ORCHID, benchmarking
    Block::v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32), // documentation
    Block::v6([0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0], 48), // AS112
    Block::v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20), // documentation
];

const GLOBAL_V6: Block = Block::v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);
const NAT64: Block = Block::v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96);
const SIX_TO_FOUR: Block = Block::v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16);

/// Ports from 1024 on behind which something else than a web server usually listens (E8).
const DENIED_PORTS: &[u16] = &[
    1080, 1433, 1434, 1521, 1719, 1720, 1723, 1883, 2049, 2181, 2375, 2376, 2377, 2379, 2380, 3128, 3260,
    3306, 3389, 3659, 4045, 4190, 4369, 5060, 5061, 5222, 5269, 5432, 5433, 5672, 5900, 5901, 5984, 6000,
    6001, 6379, 6380, 6432, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 7000, 7001, 7199, 8125,
    8500, 8883, 9042, 9092, 9160, 9200, 9300, 10080, 10250, 10255, 11211, 11300, 15672, 16379, 26257, 26379,
    27017, 27018, 27019, 28015, 28017,
];

fn check_name(name: &str, port: u16, allow: &AllowList, own: &[OwnAddress]) -> Result<(), Refusal> {
    if name.is_empty() {
        return Err(Refusal::Host);
    }
    if own.iter().any(|mine| mine.is_name(name, port)) {
        return Err(Refusal::Address);
    }
    if allow.allows_host(name, port) {
        return Ok(());
    }
    // These names mean this machine by definition (RFC 6761 §6.3): no need to ask anybody.
    if name == "localhost" || name.ends_with(".localhost") {
        return Err(Refusal::Address);
    }
    if is_web_port(port) || allow.names_port(port) { Ok(()) } else { Err(Refusal::Port) }
}

/// `ip` must be canonical: an IPv4 address mapped into IPv6 is already unwrapped.
fn is_refused(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(_) => REFUSED_V4.iter().any(|block| block.contains(ip)),
        IpAddr::V6(v6) => match inner_v4(v6) {
            Some(inner) => is_refused(IpAddr::V4(inner)),
            None => !GLOBAL_V6.contains(ip) || REFUSED_V6.iter().any(|block| block.contains(ip)),
        },
    }
}

/// The IPv4 address a translator on the way would dial (E3). Teredo, `::/96` and the local NAT64 prefix are refused
/// whole, so they need no unwrapping.
fn inner_v4(v6: Ipv6Addr) -> Option<Ipv4Addr> {
    let [_, a, b, _, _, _, g, h] = v6.segments();
    let joined = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    if let Some(mapped) = v6.to_ipv4_mapped() {
        Some(mapped)
    } else if NAT64.contains(IpAddr::V6(v6)) {
        Some(joined(g, h))
    } else if SIX_TO_FOUR.contains(IpAddr::V6(v6)) {
        Some(joined(a, b))
    } else {
        None
    }
}

fn is_web_port(port: u16) -> bool {
    matches!(port, 80 | 443) || (port >= 1024 && !DENIED_PORTS.contains(&port))
}

#[cfg(test)]
mod tests;
