//! Where a socket or request really comes from: locality, and which browser origins are let in.
//!
//! A page on the internet can open a WebSocket to a gateway on this machine, and a domain can be made to
//! resolve to it. So an `Origin` is let in only when it is a loopback page talking to a loopback name, or one
//! the owner listed; and a connection is *local* only when nothing about it says that it was forwarded.

use std::net::IpAddr;

use http::HeaderMap;
use http::header::{HOST, ORIGIN};

use crate::proxy::{Claims, ProxyRules};

/// What the transport knows about the other side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Peer {
    /// The address, after trusted proxies were looked through.
    pub(crate) ip: IpAddr,
    /// Whether it is this machine.
    pub(crate) locality: Locality,
    /// The page a browser came from.
    pub(crate) origin: Option<String>,
    /// The name the client used for us.
    pub(crate) host: Option<String>,
    /// What others say about it.
    pub(crate) claims: Claims,
}

/// Whether the other side is on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Locality {
    /// Directly connected over loopback, using a loopback name.
    Local,
    /// Anything else, including forwarded loopback connections.
    Remote,
}

/// Headers that mean "somebody else's request, passed on".
const FORWARDED: [&str; 4] = ["x-forwarded-for", "forwarded", "x-real-ip", "x-forwarded-host"];

impl Peer {
    /// Reads a request's headers. `proxies` says whose word counts.
    pub(crate) fn read(remote: IpAddr, headers: &HeaderMap, proxies: &ProxyRules) -> Self {
        let text = |name: &str| headers.get(name).and_then(|v| v.to_str().ok()).map(str::to_owned);
        let host = text(HOST.as_str());
        let forwarded = FORWARDED.iter().any(|name| headers.contains_key(*name)) || proxies.is_named(headers);
        let ip = proxies.client(remote, headers);
        let local_name = host.as_deref().is_none_or(|host| is_loopback_name(host_name(host)));
        let locality =
            if is_loopback(remote) && local_name && !forwarded { Locality::Local } else { Locality::Remote };
        let claims = proxies.claims(remote, headers);
        Self { ip, locality, origin: text(ORIGIN.as_str()), host, claims }
    }
}

fn is_loopback(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(v4) => v4.is_loopback(),
        IpAddr::V6(v6) => v6.is_loopback() || v6.to_ipv4_mapped().is_some_and(|v4| v4.is_loopback()),
    }
}

/// `host` without its port and brackets.
fn host_name(host: &str) -> &str {
    if let Some(rest) = host.strip_prefix('[') {
        return rest.split(']').next().unwrap_or(rest);
    }
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    }
}

fn is_loopback_name(name: &str) -> bool {
    name.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(is_loopback)
}

/// Whether the name a client used for us is this machine's own.
pub(crate) fn is_loopback_host(host: &str) -> bool {
    is_loopback_name(host_name(host))
}

/// Whether the name a client used for us is that of a page the owner listed.
pub(crate) fn is_listed_host(host: &str, listed: &[String]) -> bool {
    let of = |origin: &String| origin.split_once("://").map(|(_, authority)| authority.to_owned());
    listed
        .iter()
        .filter_map(of)
        .any(|authority| !host.is_empty() && authority.trim_end_matches('/').eq_ignore_ascii_case(host))
}

/// Why an origin is not let in; goes into `details.reason`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OriginRefusal {
    /// A page must say where it is from.
    MissingOrInvalid,
    /// Not ours and not listed.
    NotAllowed,
}

impl OriginRefusal {
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::MissingOrInvalid => "origin missing or invalid",
            Self::NotAllowed => "origin not allowed",
        }
    }
}

/// Decides about a browser origin. `listed` is `gateway.controlUi.allowedOrigins`.
pub(crate) fn check_origin(peer: &Peer, listed: &[String]) -> Result<(), OriginRefusal> {
    let Some(origin) = peer.origin.as_deref() else { return Err(OriginRefusal::MissingOrInvalid) };
    let Some((scheme, authority)) = origin.split_once("://") else {
        return Err(OriginRefusal::MissingOrInvalid);
    };
    if authority.is_empty() || authority.contains('/') || !matches!(scheme, "http" | "https") {
        return Err(OriginRefusal::MissingOrInvalid);
    }
    let plain = origin.trim_end_matches('/');
    if listed.iter().any(|o| o == "*" || o.trim_end_matches('/').eq_ignore_ascii_case(plain)) {
        return Ok(());
    }
    let to_loopback_name = peer.host.as_deref().is_some_and(|host| is_loopback_name(host_name(host)));
    if is_loopback_name(host_name(authority)) && to_loopback_name {
        return Ok(());
    }
    // A name can be made to lead here; an address that is typed cannot. So a page that came from the address it
    // now talks to is ours.
    let by_address = host_name(authority).parse::<IpAddr>().is_ok();
    if by_address && peer.host.as_deref().is_some_and(|host| host.eq_ignore_ascii_case(authority)) {
        return Ok(());
    }
    if peer.claims.tailnet.as_ref().is_some_and(|claim| claim.is_own_page(scheme, authority)) {
        return Ok(());
    }
    Err(OriginRefusal::NotAllowed)
}

#[cfg(test)]
mod tests;
