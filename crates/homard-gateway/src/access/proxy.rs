//! What stands between the gateway and a caller: whose word about a caller's address and name is believed.
//!
//! Headers are written by whoever sends them. So forwarding headers count only when the socket itself comes from
//! one of the owner's proxies, an identity header only in `trusted-proxy` mode from such a socket, and the
//! tailnet's headers only from this machine and after the tailnet confirmed them.

use std::net::IpAddr;

use homard_config::Config;
use homard_config::config::gateway::{AuthMode, TrustedProxy};
use homard_network::{Tailscale, TailscaleError, is_tailnet};
use homard_protocol::connect::ConnectAuth;
use homard_protocol::{Scope, ScopeSet};
use homard_runtime::LogLimiter;
use http::HeaderMap;
use ipnet::IpNet;

use crate::access::auth::{AuthMethod, AuthRefusal};
use crate::access::origin::{Locality, Peer};
use crate::access::rules::AccessRules;
use crate::gateway::Gateway;

/// Most addresses of one forwarding header that are looked at.
const MAX_HOPS: usize = 32;
/// The longest name of a person that is believed.
const MAX_USER_CHARS: usize = 256;
/// Caps what the caller may do.
const SCOPES_HEADER: &str = "x-openclaw-scopes";
/// Who the tailnet's proxy says is calling.
const TAILSCALE_LOGIN: &str = "tailscale-user-login";
/// What the tailnet's proxy always sets.
const TAILSCALE_PROXY: [&str; 3] = ["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"];

/// Whose word is believed.
#[derive(Debug, Default)]
pub(crate) struct ProxyRules {
    pub(crate) trusted: Vec<IpNet>,
    /// Whether `X-Real-IP` counts where `X-Forwarded-For` is missing.
    pub(crate) real_ip_fallback: bool,
    /// How a proxy names people, in `trusted-proxy` mode.
    pub(crate) names: Option<TrustedProxy>,
    /// Whether the tailnet's word is looked at.
    pub(crate) tailnet: bool,
}

impl ProxyRules {
    pub(crate) fn new(config: &Config) -> Self {
        let (gateway, auth) = (&config.gateway, &config.gateway.auth);
        Self {
            trusted: gateway.trusted_proxies.clone(),
            real_ip_fallback: gateway.allow_real_ip_fallback,
            names: auth.trusted_proxy.clone().filter(|_| auth.mode == AuthMode::TrustedProxy),
            tailnet: auth.allow_tailscale,
        }
    }

    /// Whether an address is one of the owner's proxies.
    pub(crate) fn trusts(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.trusted.iter().any(|network| network.contains(&address))
    }

    /// Whether somebody, trusted or not, says who is calling: then it is not a program on this machine.
    pub(crate) fn is_named(&self, headers: &HeaderMap) -> bool {
        self.names.as_ref().is_some_and(|rules| headers.contains_key(rules.user_header.as_str()))
            || headers.contains_key(TAILSCALE_LOGIN)
    }

    /// The caller's address: the first that is not ours, looking from our side.
    pub(crate) fn client(&self, remote: IpAddr, headers: &HeaderMap) -> IpAddr {
        let remote = remote.to_canonical();
        if !self.trusts(remote) {
            return remote;
        }
        match self.walk(headers) {
            Some(client) => client,
            None if self.real_ip_fallback && !headers.contains_key("x-forwarded-for") => {
                text(headers, "x-real-ip").and_then(address).unwrap_or(remote)
            }
            None => remote,
        }
    }

    /// Walks `X-Forwarded-For` from the nearest hop outward. An entry that is no address ends the walk: what lies
    /// beyond it was written by somebody we cannot name.
    fn walk(&self, headers: &HeaderMap) -> Option<IpAddr> {
        let lines: Vec<&str> =
            headers.get_all("x-forwarded-for").iter().map(|line| line.to_str().unwrap_or("?")).collect();
        let hops = lines.iter().rev().flat_map(|line| line.rsplit(','));
        for hop in hops.take(MAX_HOPS) {
            let address = address(hop)?;
            if !self.trusts(address) {
                return Some(address);
            }
        }
        None
    }

    /// Reads what others say about the caller.
    pub(crate) fn claims(&self, remote: IpAddr, headers: &HeaderMap) -> Claims {
        let cap = text(headers, SCOPES_HEADER)
            .map(|list| ScopeSet::parse(list.split(',').map(str::trim).filter(|scope| !scope.is_empty())));
        Claims {
            user: self.named(remote, headers),
            tailnet: self.tailnet.then(|| TailnetClaim::read(remote, headers)).flatten(),
            scope_cap: cap,
        }
    }

    /// Who a proxy says is calling.
    fn named(&self, remote: IpAddr, headers: &HeaderMap) -> Result<String, AuthRefusal> {
        let Some(rules) = &self.names else { return Err(AuthRefusal::IdentityHeaderRequired) };
        if !self.trusts(remote) {
            return Err(AuthRefusal::ProxyNotTrusted);
        }
        let filled = |name: &str| text(headers, name).filter(|value| !value.is_empty());
        if !rules.required_headers.iter().all(|name| filled(&name.to_lowercase()).is_some()) {
            return Err(AuthRefusal::IdentityHeaderRequired);
        }
        // Twice the same header is how somebody smuggles a name past a proxy that only appends.
        let one = headers.get_all(rules.user_header.as_str()).iter().count() == 1;
        let user = filled(&rules.user_header).filter(|user| one && user.chars().count() <= MAX_USER_CHARS);
        let user = user.ok_or(AuthRefusal::IdentityHeaderRequired)?;
        let allowed = rules.allow_users.is_empty() || rules.allow_users.iter().any(|name| name == user);
        if allowed { Ok(user.to_owned()) } else { Err(AuthRefusal::UserNotAllowed) }
    }
}

/// What others say about a caller. Nothing here is proven by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claims {
    /// Who a trusted proxy says it is, in `trusted-proxy` mode.
    pub(crate) user: Result<String, AuthRefusal>,
    /// What the tailnet's proxy says.
    pub(crate) tailnet: Option<TailnetClaim>,
    /// The most it may do.
    pub(crate) scope_cap: Option<ScopeSet>,
}

impl Default for Claims {
    fn default() -> Self {
        Self { user: Err(AuthRefusal::IdentityHeaderRequired), tailnet: None, scope_cap: None }
    }
}

impl Claims {
    /// What is left of `scopes` for somebody who proved itself by `method`. Only those whom another program names
    /// are capped by it; who knows the secret needs nobody's word.
    pub(crate) fn cap(&self, method: AuthMethod, scopes: ScopeSet) -> ScopeSet {
        let named = matches!(method, AuthMethod::TrustedProxy | AuthMethod::Tailscale);
        match self.scope_cap {
            Some(cap) if named => {
                Scope::ALL.into_iter().filter(|&scope| scopes.grants(scope) && cap.grants(scope)).collect()
            }
            _ => scopes,
        }
    }
}

/// What the tailnet's proxy says about a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TailnetClaim {
    login: Option<String>,
    /// From where; absent when the proxy's own headers are not all there.
    address: Option<IpAddr>,
    /// The name the caller used for us.
    host: Option<String>,
}

impl TailnetClaim {
    /// The tailnet's proxy is a program on this machine.
    fn read(remote: IpAddr, headers: &HeaderMap) -> Option<Self> {
        if !remote.to_canonical().is_loopback() {
            return None;
        }
        let login = text(headers, TAILSCALE_LOGIN).filter(|login| !login.is_empty()).map(str::to_owned);
        let proxied = TAILSCALE_PROXY.iter().all(|name| headers.contains_key(*name));
        let client = text(headers, "x-forwarded-for").filter(|_| proxied).and_then(address);
        let from_tailnet = client.is_some_and(is_tailnet);
        let host = text(headers, "x-forwarded-host").map(str::to_owned);
        (login.is_some() || from_tailnet).then_some(Self { login, address: client, host })
    }

    /// Whether a page at this authority is ours as the tailnet shows it. A page elsewhere cannot set the header
    /// that is compared, and cannot have a name of the tailnet.
    pub(crate) fn is_own_page(&self, scheme: &str, authority: &str) -> bool {
        scheme == "https"
            && authority.to_ascii_lowercase().ends_with(".ts.net")
            && self.host.as_deref().is_some_and(|host| host.eq_ignore_ascii_case(authority))
    }

    /// Asks the tailnet.
    async fn verify(&self, tailscale: &Tailscale, noise: &LogLimiter) -> Result<AuthMethod, AuthRefusal> {
        let address = self.address.ok_or(AuthRefusal::TailscaleProxyMissing)?;
        let login = self.login.as_deref().ok_or(AuthRefusal::TailscaleIdentityMissing)?;
        let known = tailscale.whois(address).await.map_err(|error: TailscaleError| {
            if noise.allows("tailnet does not say who is calling") {
                tracing::warn!(%error, "the tailnet does not say who is calling");
            }
            AuthRefusal::TailscaleWhoisFailed
        })?;
        if known.login.trim().eq_ignore_ascii_case(login.trim()) {
            Ok(AuthMethod::Tailscale)
        } else {
            Err(AuthRefusal::TailscaleIdentityMismatch)
        }
    }
}

/// How a caller proved itself apart from its device: by the secret, by the proxy's word, or by the tailnet's.
pub(crate) async fn prove(
    gateway: &Gateway,
    access: &AccessRules,
    sent: Option<&ConnectAuth>,
    peer: &Peer,
) -> Result<AuthMethod, AuthRefusal> {
    if access.proxies.names.is_some() && peer.locality == Locality::Remote {
        return peer.claims.user.as_ref().map(|_user| AuthMethod::TrustedProxy).map_err(|refusal| *refusal);
    }
    let shared = access.auth.check(sent);
    let (Err(refusal), Some(claim), Some(tailscale)) =
        (&shared, &peer.claims.tailnet, gateway.access().tailscale.as_ref())
    else {
        return shared;
    };
    match claim.verify(tailscale, &gateway.access().noise).await {
        Ok(method) => Ok(method),
        // A wrong secret is the better reason: it was tried, and it counts.
        Err(_tailnet) if refusal.is_guess() => shared,
        Err(tailnet) => Err(tailnet),
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim)
}

/// An address as proxies write it: bare, with a port, or in brackets.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim().trim_matches('"');
    let bare = text.parse::<IpAddr>().ok();
    let with_port = || text.parse::<std::net::SocketAddr>().ok().map(|address| address.ip());
    let in_brackets = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    bare.or_else(with_port).or_else(in_brackets).map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests;
