//! Fetching bytes from public addresses for rooms above: what a caller names instead of sending.
//!
//! The guard looks at every hop and resolves the names itself, so no address leads to this machine or its
//! network.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Client;
use tokio::time::timeout;
use url::Url;

use super::address::{Guard, Refused};
use super::body;
use crate::tools::web_fetch::leads_to;

/// Fetches from public addresses. Clone-cheap.
#[derive(Clone)]
pub struct PublicFetch {
    guard: Guard,
}

/// What may be fetched.
#[derive(Debug, Clone, Copy)]
pub struct FetchLimits<'a> {
    /// Hosts that may be asked, `*.` before one for everything under it; empty means all public ones.
    pub hosts: &'a [String],
    pub max_bytes: usize,
    /// Most redirects; each is looked at like the first address.
    pub max_redirects: usize,
    /// Longest time for all of it.
    pub time: Duration,
}

/// What was at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedBytes {
    pub bytes: Vec<u8>,
    /// The kind the server names, in small letters without parameters; may be empty.
    pub kind: String,
}

/// Why nothing was fetched.
#[derive(Debug, thiserror::Error)]
pub enum NotFetched {
    /// The address is none that may be asked.
    #[error("{0}")]
    Refused(String),
    /// The owner's list does not have the host.
    #[error("the host `{host}` is not on the owner's list and is not asked")]
    NotListed { host: String },
    /// It leads on and on.
    #[error("the address leads on and on: more than {0} redirects")]
    Redirects(usize),
    /// The server did not answer with it.
    #[error("the server answered {0}")]
    Status(u16),
    /// It is too large.
    #[error("it is larger than {0} bytes")]
    TooLarge(usize),
    /// It took too long.
    #[error("it was not there after {} ms", homard_runtime::millis(*.0))]
    TimedOut(Duration),
    #[error("it could not be read")]
    Transport(#[source] reqwest::Error),
}

impl PublicFetch {
    /// A fetcher that asks public addresses only. `reachable` are private places that may be asked all the
    /// same: only tests, whose servers are on this machine, name any.
    #[must_use]
    pub fn new(reachable: &[SocketAddr]) -> Self {
        Self { guard: Guard::new(reachable) }
    }

    /// The bytes at an address.
    ///
    /// # Errors
    /// When it may not be asked, does not answer, or answers with too much.
    pub async fn get(&self, address: &str, limits: FetchLimits<'_>) -> Result<FetchedBytes, NotFetched> {
        let fetching = timeout(limits.time, self.walk(address, limits)).await;
        fetching.unwrap_or(Err(NotFetched::TimedOut(limits.time)))
    }

    async fn walk(&self, address: &str, limits: FetchLimits<'_>) -> Result<FetchedBytes, NotFetched> {
        let mut url =
            self.guard.parse(address).map_err(|refused| NotFetched::Refused(refused.to_string()))?;
        for _ in 0..=limits.max_redirects {
            self.guard.check(&url).map_err(|refused| NotFetched::Refused(refused.to_string()))?;
            check_listed(&url, limits.hosts)?;
            let client = self.client(url.scheme() == "http").map_err(failed)?;
            let mut response = client.get(url.clone()).send().await.map_err(failed)?;
            if let Some(next) = leads_to(&response, &url) {
                url = next;
                continue;
            }
            let status = response.status().as_u16();
            if !(200..300).contains(&status) {
                return Err(NotFetched::Status(status));
            }
            let (kind, _charset) = body::kind(&response);
            let (bytes, has_more) =
                body::read_up_to(&mut response, limits.max_bytes).await.map_err(failed)?;
            if has_more {
                return Err(NotFetched::TooLarge(limits.max_bytes));
            }
            return Ok(FetchedBytes { bytes, kind });
        }
        Err(NotFetched::Redirects(limits.max_redirects))
    }

    /// The client looks names up through the guard, and no proxy does it instead.
    fn client(&self, is_plain: bool) -> Result<Client, reqwest::Error> {
        let builder = body::client(is_plain).no_proxy().dns_resolver(Arc::new(self.guard.clone()));
        builder.pool_max_idle_per_host(0).build()
    }
}

impl std::fmt::Debug for PublicFetch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PublicFetch")
    }
}

fn check_listed(url: &Url, hosts: &[String]) -> Result<(), NotFetched> {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.').to_ascii_lowercase();
    let is_listed = |entry: &String| {
        let entry = entry.trim().to_ascii_lowercase();
        match entry.strip_prefix("*.") {
            Some(parent) => host.strip_suffix(parent).is_some_and(|front| front.ends_with('.')),
            None => host == entry,
        }
    };
    if hosts.is_empty() || hosts.iter().any(is_listed) { Ok(()) } else { Err(NotFetched::NotListed { host }) }
}

/// What the guard said is somewhere inside what the client says.
fn failed(error: reqwest::Error) -> NotFetched {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(inner) = cause {
        if let Some(refused) = inner.downcast_ref::<Refused>() {
            return NotFetched::Refused(refused.to_string());
        }
        cause = inner.source();
    }
    NotFetched::Transport(error.without_url())
}

#[cfg(test)]
mod tests;
