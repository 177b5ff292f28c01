//! The administrator's list of exceptions to the guard (E16).
//!
//! Each entry names a host or a network *and* a port: a list without ports would turn "let it read my NAS's feed"
//! into "let it talk to everything on my NAS". The list is empty by default and belongs to the whole server, never to
//! a user.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;
use thiserror::Error;
use url::Host;

/// Hosts and networks, each with its port, that may be reached although the guard would refuse them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowList {
    hosts: Vec<(String, u16)>,
    blocks: Vec<(Block, u16)>,
}

impl AllowList {
    /// Reads entries such as `nas.lan:8080`, `192.168.1.0/24:80`, `10.0.0.7:8080`, `[fd00::7]:8080`, `[fd00::/8]:80`.
    pub fn parse<'a>(entries: impl IntoIterator<Item = &'a str>) -> Result<Self, AllowError> {
        let mut list = AllowList::default();
        for entry in entries {
            list.add(entry.trim())?;
        }
        Ok(list)
    }

    pub fn is_empty(&self) -> bool {
        self.hosts.is_empty() && self.blocks.is_empty()
    }

    /// Whether this very host name (lower case, without trailing dot) and port are allowed.
    pub fn allows_host(&self, host: &str, port: u16) -> bool {
        self.hosts.iter().any(|(allowed, at)| *at == port && allowed == host)
    }

    /// Whether this address and port are allowed.
    pub fn allows_addr(&self, addr: IpAddr, port: u16) -> bool {
        self.blocks.iter().any(|(block, at)| *at == port && block.contains(addr))
    }

    /// Whether any entry names this port: then a name may be asked for its addresses, which are judged next.
    pub fn names_port(&self, port: u16) -> bool {
        self.ports().any(|at| at == port)
    }

    pub(crate) fn ports(&self) -> impl Iterator<Item = u16> + '_ {
        let hosts = self.hosts.iter().map(|(_, port)| *port);
        hosts.chain(self.blocks.iter().map(|(_, port)| *port))
    }

    fn add(&mut self, entry: &str) -> Result<(), AllowError> {
        let wrong = |problem: Problem| AllowError { entry: entry.to_owned(), problem };
        if entry.contains("://") {
            return Err(wrong(Problem::Scheme));
        }
        let (host, port) = split_port(entry).map_err(wrong)?;
        match host.split_once('/') {
            Some((network, bits)) => {
                let block = Block::parse(network, bits).map_err(wrong)?;
                self.blocks.push((block, port));
            }
            None => match parse_host(host).map_err(wrong)? {
                Named::Host(name) => self.hosts.push((name, port)),
                Named::Addr(addr) => self.blocks.push((Block::single(addr), port)),
            },
        }
        Ok(())
    }
}

impl FromStr for AllowList {
    type Err = AllowError;

    /// Entries separated by commas or white space, as in an environment variable.
    fn from_str(text: &str) -> Result<Self, AllowError> {
        AllowList::parse(text.split([',', ' ', '\t', '\n']).filter(|entry| !entry.trim().is_empty()))
    }
}

/// An entry that cannot be used, with what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("The allow-list entry «{entry}» cannot be used: {problem}")]
pub struct AllowError {
    pub entry: String,
    pub problem: Problem,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    Port,
    Brackets,
    Scheme,
    Host,
    Network,
    Everything,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Problem::Port => {
                "it needs a port from 1 to 65535. Write host:port or network/bits:port, for example nas.lan:8080 or 192.168.1.0/24:80."
            }
            Problem::Brackets => {
                "IPv6 addresses stand in brackets, with a port after them. Write for example [fd00::7]:8080 or [fd00::/8]:80."
            }
            Problem::Scheme => "it is not a web address. Write only host:port, for example nas.lan:8080.",
            Problem::Host => "its host name is not valid. Write one exact name, for example nas.lan:8080.",
            Problem::Network => {
                "its network is not valid. Write the first address of the network and its bits, for example 192.168.1.0/24:80."
            }
            Problem::Everything => "it would allow every address. Write the network your feeds are in.",
        })
    }
}

/// A network: the addresses that share `bits` leading bits with `first`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    first: IpAddr,
    bits: u8,
}

impl Block {
    pub(crate) const fn v4(a: u8, b: u8, c: u8, d: u8, bits: u8) -> Self {
        Block { first: IpAddr::V4(Ipv4Addr::new(a, b, c, d)), bits }
    }

    pub(crate) const fn v6(segments: [u16; 8], bits: u8) -> Self {
        let [a, b, c, d, e, f, g, h] = segments;
        Block { first: IpAddr::V6(Ipv6Addr::new(a, b, c, d, e, f, g, h)), bits }
    }

    fn single(addr: IpAddr) -> Self {
        Block { first: addr, bits: if addr.is_ipv4() { 32 } else { 128 } }
    }

    pub(crate) fn contains(&self, addr: IpAddr) -> bool {
        match (self.first, addr) {
            (IpAddr::V4(first), IpAddr::V4(addr)) => {
                let mask = u32::MAX.checked_shl(32 - u32::from(self.bits.min(32))).unwrap_or(0);
                first.to_bits() & mask == addr.to_bits() & mask
            }
            (IpAddr::V6(first), IpAddr::V6(addr)) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(self.bits.min(128))).unwrap_or(0);
                first.to_bits() & mask == addr.to_bits() & mask
            }
            _ => false,
        }
    }

    /// First and last address, for tests of tables.
    #[cfg(test)]
    pub(crate) fn ends(&self) -> (IpAddr, IpAddr) {
        match self.first {
            IpAddr::V4(first) => {
                let host = u32::MAX.checked_shr(u32::from(self.bits)).unwrap_or(0);
                (self.first, IpAddr::V4(Ipv4Addr::from_bits(first.to_bits() | host)))
            }
            IpAddr::V6(first) => {
                let host = u128::MAX.checked_shr(u32::from(self.bits)).unwrap_or(0);
                (self.first, IpAddr::V6(Ipv6Addr::from_bits(first.to_bits() | host)))
            }
        }
    }

    fn parse(network: &str, bits: &str) -> Result<Self, Problem> {
        let first: IpAddr = network.parse().map_err(|_| Problem::Network)?;
        let bits: u8 = bits.parse().map_err(|_| Problem::Network)?;
        if bits == 0 {
            return Err(Problem::Everything);
        }
        let host_bits_are_zero = match first {
            IpAddr::V4(first) if bits <= 32 => first.to_bits().checked_shl(u32::from(bits)).unwrap_or(0) == 0,
            IpAddr::V6(first) if bits <= 128 => {
                first.to_bits().checked_shl(u32::from(bits)).unwrap_or(0) == 0
            }
            _ => return Err(Problem::Network),
        };
        // `10.0.0.5/8` is either a slip or a wish for one address; guessing would open too much.
        if host_bits_are_zero { Ok(Block { first, bits }) } else { Err(Problem::Network) }
    }
}

enum Named {
    Host(String),
    Addr(IpAddr),
}

fn split_port(entry: &str) -> Result<(&str, u16), Problem> {
    let (host, port) = if let Some(rest) = entry.strip_prefix('[') {
        let (inside, after) = rest.split_once(']').ok_or(Problem::Brackets)?;
        if !inside.contains(':') {
            return Err(Problem::Brackets);
        }
        (inside, after.strip_prefix(':').ok_or(Problem::Brackets)?)
    } else {
        let (host, port) = entry.rsplit_once(':').ok_or(Problem::Port)?;
        if host.contains(':') {
            return Err(Problem::Brackets);
        }
        (host, port)
    };
    // Digits only: `u16::from_str` would also take "+80".
    let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    match port.parse::<u16>() {
        Ok(port) if digits && port != 0 => Ok((host, port)),
        _ => Err(Problem::Port),
    }
}

fn parse_host(host: &str) -> Result<Named, Problem> {
    if host.contains(':') {
        return host.parse().map(Named::Addr).map_err(|_| Problem::Brackets);
    }
    match Host::parse(host) {
        Ok(Host::Ipv4(addr)) => Ok(Named::Addr(IpAddr::V4(addr))),
        Ok(Host::Ipv6(addr)) => Ok(Named::Addr(IpAddr::V6(addr))),
        Ok(Host::Domain(name)) if !name.contains(['*', '?']) && !name.trim_end_matches('.').is_empty() => {
            Ok(Named::Host(name.trim_end_matches('.').to_owned()))
        }
        _ => Err(Problem::Host),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn e16_entries_name_a_host_or_a_network_and_a_port() {
        let list: AllowList = "NAS.lan.:8080, 192.168.1.0/24:80 10.0.0.7:8080,[fd00::7]:81,[fd12::/16]:82"
            .parse()
            .expect("a list");
        assert!(list.allows_host("nas.lan", 8080));
        assert!(!list.allows_host("nas.lan", 22));
        assert!(!list.allows_host("other.lan", 8080));
        assert!(list.allows_addr(ip("192.168.1.200"), 80));
        assert!(!list.allows_addr(ip("192.168.2.1"), 80));
        assert!(!list.allows_addr(ip("192.168.1.200"), 81));
        assert!(list.allows_addr(ip("10.0.0.7"), 8080));
        assert!(!list.allows_addr(ip("10.0.0.8"), 8080));
        assert!(list.allows_addr(ip("fd00::7"), 81));
        assert!(list.allows_addr(ip("fd12:1::1"), 82));
        assert!(!list.allows_addr(ip("fd13::1"), 82));
        assert!("".parse::<AllowList>().expect("an empty list").is_empty());
    }

    #[test]
    fn e16_an_entry_without_a_port_is_refused_with_what_to_write() {
        for entry in [
            "nas.lan",
            "192.168.1.0/24",
            "nas.lan:",
            "nas.lan:0",
            "nas.lan:65536",
            "nas.lan:+80",
            "nas.lan:http",
        ] {
            let wrong = AllowList::parse([entry]).expect_err(entry);
            assert_eq!(wrong.problem, Problem::Port, "{entry}");
            assert!(wrong.to_string().contains("nas.lan:8080"), "{wrong}");
        }
        for entry in ["fd00::7", "fd00::7:80", "[fd00::7]", "[fd00::/8]", "[nas.lan]:80"] {
            let wrong = AllowList::parse([entry]).expect_err(entry);
            assert_eq!(wrong.problem, Problem::Brackets, "{entry}");
        }
    }

    #[test]
    fn e16_an_entry_that_would_open_too_much_is_refused() {
        let check = |entry: &str, expected| {
            assert_eq!(AllowList::parse([entry]).expect_err(entry).problem, expected, "{entry}");
        };
        check("0.0.0.0/0:80", Problem::Everything);
        check("[::/0]:80", Problem::Everything);
        check("10.0.0.5/8:80", Problem::Network);
        check("10.0.0.0/33:80", Problem::Network);
        check("nas.lan/24:80", Problem::Network);
        check("*.lan:80", Problem::Host);
        check(":80", Problem::Host);
        check("http://nas.lan:80", Problem::Scheme);
    }
}
