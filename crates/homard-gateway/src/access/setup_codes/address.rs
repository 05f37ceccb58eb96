//! Where a device on another machine finds this gateway, and whether the road to it may carry a secret.

use std::net::{IpAddr, Ipv4Addr, UdpSocket};

use homard_config::config::gateway::BindMode;
use homard_http::is_this_machine;
use homard_protocol::methods::devices::setup_codes::SetupCodeParams;
use url::{Host, Url};

/// An address nobody has: asking the system how it would get there tells our own address and sends nothing.
const NOWHERE: (Ipv4Addr, u16) = (Ipv4Addr::new(192, 0, 2, 1), 9);

/// Why there is no address.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UrlError {
    /// Nobody else can reach this gateway.
    #[error(
        "Gateway is only bound to loopback. Set gateway.bind=lan, or say where it can be reached: \
         `homard qr --public-url wss://…`"
    )]
    OnlyHere,
    #[error(
        "this machine has no address in a local network; say where it can be reached: `homard qr --public-url wss://…`"
    )]
    NoNetwork,
    #[error(
        "`{0}` is not the address of a gateway; write it as wss://host, or ws://host:port in a local network"
    )]
    NotAnAddress(String),
    /// A secret would travel where everybody can read it.
    #[error(
        "pairing over the internet needs a secure address (wss://); ws:// is only for this machine, private \
         addresses and .local names (the address came from {0})"
    )]
    Insecure(&'static str),
    #[error(
        "gateway.remote.url is not set; set it, or say where the gateway can be reached with --public-url"
    )]
    NoRemote,
}

/// What is known about the network.
#[derive(Debug, Clone)]
pub(crate) struct Network {
    pub(crate) bind: BindMode,
    pub(crate) custom_host: Option<String>,
    pub(crate) port: u16,
    pub(crate) remote_url: Option<String>,
    pub(crate) lan_ip: Option<IpAddr>,
}

/// Where to connect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SetupAddress {
    /// As a WebSocket address.
    pub(crate) url: String,
    pub(crate) source: &'static str,
    encrypted: bool,
    loopback: bool,
}

impl SetupAddress {
    /// Whether others in the network can read what is said.
    pub(crate) fn is_open_road(&self) -> bool {
        !self.encrypted && !self.loopback
    }

    /// The address that hands a code out.
    pub(crate) fn join_url(&self, code: &str) -> String {
        let web = self.url.replacen("ws", "http", 1);
        format!("{}/j/{code}", web.trim_end_matches('/'))
    }
}

/// Finds the address, from what was asked for to what is left.
pub(crate) fn find(params: &SetupCodeParams, network: &Network) -> Result<SetupAddress, UrlError> {
    if let Some(url) = params.public_url.as_deref().map(str::trim).filter(|url| !url.is_empty()) {
        return place(url, "request.publicUrl");
    }
    let remote = network.remote_url.as_deref();
    if params.prefer_remote_url == Some(true) {
        return place(remote.ok_or(UrlError::NoRemote)?, "gateway.remote.url");
    }
    let port = network.port;
    match (network.bind, &network.custom_host, network.lan_ip) {
        (BindMode::Lan, _, Some(ip)) => place(&format!("ws://{}", with_port(ip, port)), "gateway.bind=lan"),
        (BindMode::Lan, _, None) => Err(UrlError::NoNetwork),
        (BindMode::Custom, Some(host), _) => place(&format!("ws://{host}:{port}"), "gateway.bind=custom"),
        (BindMode::Loopback | BindMode::Auto | BindMode::Tailnet | BindMode::Custom, ..) => match remote {
            Some(url) => place(url, "gateway.remote.url"),
            None => Err(UrlError::OnlyHere),
        },
    }
}

fn with_port(ip: IpAddr, port: u16) -> String {
    std::net::SocketAddr::new(ip, port).to_string()
}

fn place(text: &str, source: &'static str) -> Result<SetupAddress, UrlError> {
    let wrong = || UrlError::NotAnAddress(text.to_owned());
    let read = Url::parse(text).map_err(|_not_a_url| wrong())?;
    let encrypted = match read.scheme() {
        "wss" | "https" => true,
        "ws" | "http" => false,
        _ => return Err(wrong()),
    };
    let host = read.host().ok_or_else(wrong)?;
    if !read.username().is_empty() || read.password().is_some() {
        return Err(wrong());
    }
    let loopback = is_this_machine(&host.to_string());
    if !encrypted && !loopback && !is_private(&host) {
        return Err(UrlError::Insecure(source));
    }
    let scheme = if encrypted { "wss" } else { "ws" };
    let port = read.port().map(|port| format!(":{port}")).unwrap_or_default();
    let path = read.path().trim_end_matches('/');
    Ok(SetupAddress { url: format!("{scheme}://{host}{port}{path}"), source, encrypted, loopback })
}

fn is_private(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => name.to_ascii_lowercase().ends_with(".local"),
        Host::Ipv4(ip) => ip.is_private() || ip.is_link_local(),
        Host::Ipv6(ip) => ip.is_unique_local() || ip.is_unicast_link_local(),
    }
}

/// This machine's address in its network.
pub(crate) fn lan_ip() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect(NOWHERE).ok()?;
    let ip = socket.local_addr().ok()?.ip();
    (!ip.is_loopback() && !ip.is_unspecified()).then_some(ip)
}

#[cfg(test)]
mod tests;
