//! Which addresses a model may make us ask: public ones, and nothing that only we can reach.
//!
//! Names are resolved here and nowhere else. The client is given this resolver, so the addresses that were
//! checked are the ones it connects to; a name that answers differently the second time gains nothing, because
//! there is no second time.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use homard_runtime::Clip;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

/// Names, and everything under them, that mean this machine or its network.
const PRIVATE_NAMES: [&str; 12] = [
    "corp",
    "home",
    "home.arpa",
    "internal",
    "intranet",
    "invalid",
    "lan",
    "local",
    "localdomain",
    "localhost",
    "metadata.goog",
    "private",
];

/// IPv4 networks that are not the public internet: prefix and length.
const PRIVATE_V4: [(Ipv4Addr, u32); 17] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // Where one cloud keeps its metadata, on an address that otherwise looks public.
    (Ipv4Addr::new(168, 63, 129, 16), 32),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 31, 196, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// Networks inside the public part of IPv6 that are not public, or hide an IPv4 address: prefix and length.
const PRIVATE_V6: [(Ipv6Addr, u32); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// The part of IPv6 that is given out to the public; everything else is refused, which covers mapped,
/// translated, local and multicast addresses, and those nobody has thought of yet.
const PUBLIC_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Longest address.
const MAX_URL: usize = 4_096;

/// Why an address is not asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refused {
    #[error("`{text}` is not an address of a page; give a whole one, like https://example.com/page")]
    NotAnAddress { text: String },
    #[error("the address is longer than {MAX_URL} characters and is not fetched")]
    TooLong,
    #[error("only http and https addresses can be fetched, not {scheme}")]
    Scheme { scheme: String },
    #[error("addresses with a user name or password in them are not fetched; leave it out")]
    Credentials,
    #[error("`{host}` is on this machine or a private network and is not fetched; only public pages are")]
    Private { host: String },
    #[error("there is no address for `{host}`; check the spelling")]
    Unknown { host: String },
}

/// How names become addresses.
type Lookup = Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> + Send + Sync>;

/// The guard in front of every fetch.
#[derive(Clone)]
pub(crate) struct Guard {
    /// Private places that may be asked all the same; only tests name any.
    exempt: Arc<[SocketAddr]>,
    lookup: Lookup,
}

impl Guard {
    pub(crate) fn new(exempt: &[SocketAddr]) -> Self {
        let system = |host: String| -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> {
            Box::pin(async move { Ok(tokio::net::lookup_host((host, 0)).await?.collect()) })
        };
        Self { exempt: exempt.into(), lookup: Arc::new(system) }
    }

    /// The same guard, asking somebody else for names.
    #[cfg(test)]
    pub(crate) fn with_lookup(self, lookup: Lookup) -> Self {
        Self { lookup, ..self }
    }

    /// Reads an address and checks everything about it that can be told without asking anybody.
    pub(crate) fn parse(&self, text: &str) -> Result<Url, Refused> {
        let clipped = || text.clip_chars(200).to_owned();
        let url = Url::parse(text.trim()).map_err(|_unreadable| Refused::NotAnAddress { text: clipped() })?;
        self.check(&url)?;
        Ok(url)
    }

    /// Checks an address; for names the rest of the check is done when they are resolved.
    pub(crate) fn check(&self, url: &Url) -> Result<(), Refused> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Refused::Scheme { scheme: url.scheme().clip_chars(20).to_owned() });
        }
        if url.as_str().len() > MAX_URL {
            return Err(Refused::TooLong);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Refused::Credentials);
        }
        let port = url.port_or_known_default().unwrap_or_default();
        let is_allowed = match url.host() {
            // The parser has made plain addresses of all the odd spellings: decimal, octal, hexadecimal, short.
            Some(Host::Ipv4(address)) => self.allows(SocketAddr::new(address.into(), port)),
            Some(Host::Ipv6(address)) => self.allows(SocketAddr::new(address.into(), port)),
            Some(Host::Domain(name)) => !is_private_name(name),
            None => return Err(Refused::NotAnAddress { text: url.as_str().clip_chars(200).to_owned() }),
        };
        match is_allowed {
            true => Ok(()),
            false => Err(Refused::Private { host: url.host_str().unwrap_or_default().to_owned() }),
        }
    }

    fn allows(&self, address: SocketAddr) -> bool {
        is_public(address.ip()) || self.exempt.contains(&address)
    }

    /// All addresses of a name. One private address among them is enough to refuse the name: no honest page
    /// has both.
    async fn addresses(self, host: String) -> Result<Vec<SocketAddr>, Refused> {
        if is_private_name(&host) {
            return Err(Refused::Private { host });
        }
        let found = match (self.lookup)(host.clone()).await {
            Ok(found) if !found.is_empty() => found,
            Ok(_) | Err(_) => return Err(Refused::Unknown { host }),
        };
        if found.iter().all(|address| self.allows(*address)) {
            Ok(found)
        } else {
            Err(Refused::Private { host })
        }
    }
}

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let found = self.clone().addresses(name.as_str().to_owned());
        Box::pin(async move { Ok(Box::new(found.await?.into_iter()) as Addrs) })
    }
}

/// Whether a name means this machine or its network by itself. One without a dot is looked up in the local
/// network's domain, so it is private, too.
fn is_private_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let is_under = |parent: &&str| {
        name.strip_suffix(parent).is_some_and(|front| front.is_empty() || front.ends_with('.'))
    };
    !name.contains('.') || PRIVATE_NAMES.iter().any(is_under)
}

/// Whether everybody could ask this address.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let is_in = |(network, length): &(Ipv4Addr, u32)| {
                (address.to_bits() ^ network.to_bits()).leading_zeros() >= *length
            };
            !PRIVATE_V4.iter().any(is_in)
        }
        IpAddr::V6(address) => {
            let is_in = |(network, length): &(Ipv6Addr, u32)| {
                (address.to_bits() ^ network.to_bits()).leading_zeros() >= *length
            };
            is_in(&PUBLIC_V6) && !PRIVATE_V6.iter().any(is_in) && !hides_v4(address)
        }
    }
}

/// Whether the lower half is an IPv4 address behind a tunnel of the ISATAP kind.
fn hides_v4(address: Ipv6Addr) -> bool {
    let [_, _, _, _, kind, tunnel, _, _] = address.segments();
    matches!(kind, 0 | 0x200) && tunnel == 0x5efe
}

#[cfg(test)]
mod tests;
