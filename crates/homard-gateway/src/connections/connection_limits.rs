//! How many sockets one source may have open at a time: ones that have asked for nothing yet, ones that have not
//! proven themselves, and all together. Whoever comes too often is turned away before anything is spent on it.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use homard_protocol::limits::MAX_PREAUTH_PER_IP;
use homard_runtime::Mutex;

use crate::access::origin::Source;

/// Sockets of one address that may have sent no request yet, TLS handshakes included.
const MAX_SILENT_PER_ADDRESS: usize = 128;
/// The same for this machine and for a proxy, behind which many are.
const MAX_SILENT_SHARED: usize = 512;
/// WebSockets of this machine's programs that may be unauthenticated at a time: more than a browser opens in all.
const MAX_PREAUTH_SHARED: usize = 512;
/// Sockets of one address, of whatever kind.
const MAX_OPEN_PER_ADDRESS: usize = 512;
/// The same for this machine and for a proxy, behind which many are.
const MAX_OPEN_SHARED: usize = 4_096;
/// Bits of an IPv6 address that name a network: one household or server has all the addresses behind them.
const IPV6_NETWORK_BITS: u32 = 64;

/// The sockets of a gateway.
#[derive(Debug)]
pub(crate) struct ConnectionLimits {
    /// Those that have sent no request yet.
    pub(crate) silent: ConnectionLimit,
    /// WebSockets that have not finished `connect`.
    pub(crate) unauthenticated: ConnectionLimit,
    pub(crate) open: ConnectionLimit,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            silent: ConnectionLimit::new(MAX_SILENT_PER_ADDRESS, MAX_SILENT_SHARED),
            unauthenticated: ConnectionLimit::new(MAX_PREAUTH_PER_IP, MAX_PREAUTH_SHARED),
            open: ConnectionLimit::new(MAX_OPEN_PER_ADDRESS, MAX_OPEN_SHARED),
        }
    }
}

/// Sockets of one kind, counted by where they come from.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionLimit {
    each: usize,
    shared: usize,
    inside: Arc<Mutex<HashMap<Source, usize>>>,
}

/// A counted connection; given back when dropped.
#[derive(Debug)]
pub(crate) struct Ticket {
    source: Source,
    inside: Arc<Mutex<HashMap<Source, usize>>>,
}

impl ConnectionLimit {
    /// So many of each source; another number where one source stands for many.
    fn new(each: usize, shared: usize) -> Self {
        Self { each, shared, inside: Arc::default() }
    }

    /// A place for `source`, if it has one left.
    pub(crate) fn enter(&self, source: Source) -> Option<Ticket> {
        let source = by_network(source);
        let limit = match source {
            Source::ThisMachine | Source::Proxy(_) => self.shared,
            Source::Page(_) | Source::PassedOn | Source::Address(_) => self.each,
        };
        let mut inside = self.inside.lock();
        let count = inside.get(&source).copied().unwrap_or_default();
        if count >= limit {
            return None;
        }
        inside.insert(source.clone(), count + 1);
        Some(Ticket { source, inside: Arc::clone(&self.inside) })
    }
}

/// Addresses of one IPv6 network count as one.
fn by_network(source: Source) -> Source {
    match source {
        Source::Address(IpAddr::V6(ip)) => {
            let mask = u128::MAX << (Ipv6Addr::BITS - IPV6_NETWORK_BITS);
            Source::Address(IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() & mask)))
        }
        other => other,
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut inside = self.inside.lock();
        if let Some(count) = inside.get_mut(&self.source) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                inside.remove(&self.source);
            }
        }
    }
}

#[cfg(test)]
mod tests;
