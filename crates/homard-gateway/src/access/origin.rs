//! Where a socket or request really comes from: locality, and which browser origins are let in.
//!
//! A page on the internet can open a WebSocket to a gateway on this machine, and a domain can be made to
//! resolve to it. So an `Origin` is let in only when it is a loopback page talking to a loopback name, or one
//! the owner listed; and a connection is *local* only when nothing about it says that it was forwarded.

use std::fmt;
use std::net::IpAddr;

use homard_http::is_this_machine;
use http::HeaderMap;
use http::header::{HOST, ORIGIN};

use crate::access::proxy::{Claims, ProxyRules};

/// What the transport knows about the other side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Peer {
    /// The address, after trusted proxies were looked through.
    pub(crate) ip: IpAddr,
    /// Whether it is this machine.
    pub(crate) locality: Locality,
    /// Who is charged with what it does wrong.
    pub(crate) source: Source,
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

/// Who something is counted against: wrong guesses, and places for sockets. What a browser sends on behalf of a page
/// never counts against the programs of this machine, or any page could shut them out.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    /// The programs of this machine, all together.
    ThisMachine,
    /// A page in a browser on this machine, by its origin.
    Page(String),
    /// Whatever reached us over loopback but was passed on, or called us by a name that is not this machine's.
    PassedOn,
    /// One of the owner's proxies, where nobody has said yet whom it speaks for.
    Proxy(IpAddr),
    Address(IpAddr),
}

impl Source {
    /// Who opened a socket that has said nothing yet.
    pub(crate) fn of_socket(remote: IpAddr, proxies: &ProxyRules) -> Self {
        let remote = remote.to_canonical();
        match remote {
            _ if is_loopback(remote) => Self::ThisMachine,
            _ if proxies.trusts(remote) => Self::Proxy(remote),
            _ => Self::Address(remote),
        }
    }

    fn of(ip: IpAddr, locality: Locality, origin: Option<&str>, site: Option<&str>) -> Self {
        let page = origin.or(site.filter(|site| matches!(*site, "cross-site" | "same-site")));
        match (locality, page) {
            _ if !is_loopback(ip) => Self::Address(ip),
            (Locality::Remote, _) => Self::PassedOn,
            (Locality::Local, Some(page)) => Self::Page(page.to_owned()),
            (Locality::Local, None) => Self::ThisMachine,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ThisMachine => f.write_str("this machine"),
            Self::Page(origin) => write!(f, "page {origin}"),
            Self::PassedOn => f.write_str("passed on"),
            Self::Proxy(ip) => write!(f, "proxy {ip}"),
            Self::Address(ip) => write!(f, "{ip}"),
        }
    }
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
        let local_name = host.as_deref().is_none_or(|host| is_this_machine(host_name(host)));
        let locality =
            if is_loopback(remote) && local_name && !forwarded { Locality::Local } else { Locality::Remote };
        let claims = proxies.claims(remote, headers);
        let origin = text(ORIGIN.as_str());
        let source = Source::of(ip, locality, origin.as_deref(), text("sec-fetch-site").as_deref());
        Self { ip, locality, source, origin, host, claims }
    }
}

fn is_loopback(ip: IpAddr) -> bool {
    ip.to_canonical().is_loopback()
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

/// Whether the name a client used for us is this machine's own.
pub(crate) fn is_loopback_host(host: &str) -> bool {
    is_this_machine(host_name(host))
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

    /// What a person reads, and does next.
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::MissingOrInvalid => "origin not allowed: a page must be opened from the gateway itself",
            Self::NotAllowed => "origin not allowed: add it to gateway.controlUi.allowedOrigins",
        }
    }
}

/// Decides about a page that asks for a WebSocket, before it gets one, and says whom its socket is counted against.
/// Only a page from the very host it talks to may be the gateway's own, under a name nobody listed: `connect` refuses
/// that one, so that its reader is told which setting is missing, and its places are its own until then.
pub(crate) fn check_upgrade(peer: &Peer, listed: &[String]) -> Result<Source, OriginRefusal> {
    let Some(origin) = &peer.origin else { return Ok(peer.source.clone()) };
    let Err(refusal) = check_origin(peer, listed) else { return Ok(peer.source.clone()) };
    let authority = origin.split_once("://").map(|(_, authority)| authority);
    match (authority, &peer.host) {
        (Some(from), Some(to)) if from.eq_ignore_ascii_case(to) => Ok(Source::Page(origin.clone())),
        _ => Err(refusal),
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
    let to_loopback_name = peer.host.as_deref().is_some_and(|host| is_this_machine(host_name(host)));
    if is_this_machine(host_name(authority)) && to_loopback_name {
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
