//! How the gateway is reached from elsewhere, and how this machine reaches one elsewhere: `gateway.tls`,
//! `gateway.tailscale`, `gateway.remote`, `gateway.trustedProxies` and `discovery`.

use std::net::IpAddr;
use std::path::PathBuf;

use ipnet::IpNet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::Resolve;
use crate::raw::gateway as raw;
use crate::raw::surfaces;
use crate::secret::Secret;

/// Encrypting connections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tls {
    /// Serve TLS, and nothing but TLS.
    pub enabled: bool,
    /// Where the certificate comes from.
    pub certificate: CertificateSource,
}

/// Where the certificate comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CertificateSource {
    /// Homard makes one and keeps it in this folder.
    Generated { dir: PathBuf },
    /// The owner's own files, read again when they change.
    Given {
        /// The certificate, with its chain behind it.
        cert: PathBuf,
        key: PathBuf,
        /// Certificates between it and a root, sent along.
        ca: Option<PathBuf>,
    },
}

/// How the gateway is shown to a tailnet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TailscaleMode {
    /// Not at all.
    #[default]
    Off,
    /// To the devices of the tailnet.
    Serve,
    /// To everybody on the internet.
    Funnel,
}

impl TailscaleMode {
    /// The word in the file, which is also the program's own.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Serve => "serve",
            Self::Funnel => "funnel",
        }
    }
}

/// Showing the gateway to a tailnet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tailscale {
    pub mode: TailscaleMode,
    /// Undo it when the gateway stops.
    pub reset_on_exit: bool,
}

/// The gateway elsewhere that commands on this machine talk to.
#[derive(Debug, Clone, PartialEq)]
pub struct Remote {
    /// Whether it is used at all, in remote mode.
    pub enabled: bool,
    /// Its WebSocket address; through a tunnel, as it is seen from the other end.
    pub url: Option<String>,
    /// How to get there.
    pub transport: Transport,
    pub token: Option<Secret>,
    pub password: Option<Secret>,
    /// The fingerprint its certificate must have.
    pub tls_fingerprint: Option<String>,
}

/// How to get to a gateway elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    /// Straight to its address.
    Direct,
    Ssh {
        target: String,
        identity: Option<PathBuf>,
    },
    /// A tunnel is asked for, but not where to; commands say so when they need it.
    SshNowhere,
}

/// How much the local network is told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MdnsMode {
    /// Nothing.
    Off,
    /// That a gateway is here, when it can be reached from there.
    #[default]
    Minimal,
    /// Also how to log in to the machine, even when the gateway itself can be reached only through that.
    Full,
}

/// Being found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Discovery {
    /// On the local network.
    pub mdns: MdnsMode,
}

impl Tls {
    pub(in crate::config) fn resolve(raw: raw::Tls, cx: &mut Resolve<'_>) -> Self {
        let enabled = raw.enabled.unwrap_or(false);
        let expand = |path: Option<String>| path.map(|path| cx.paths.expand(&path));
        let generated = CertificateSource::Generated { dir: cx.paths.tls_dir() };
        let certificate = match (expand(raw.cert_path), expand(raw.key_path)) {
            (Some(cert), Some(key)) => CertificateSource::Given { cert, key, ca: expand(raw.ca_path) },
            (None, None) => {
                if enabled && raw.auto_generate == Some(false) {
                    cx.issue(
                        "gateway.tls.certPath",
                        "a certificate is needed because `gateway.tls.autoGenerate` is false; set certPath and keyPath",
                    );
                }
                generated
            }
            (Some(_), None) => {
                cx.issue("gateway.tls.keyPath", "the certificate's key is needed beside `certPath`");
                generated
            }
            (None, Some(_)) => {
                cx.issue("gateway.tls.certPath", "the key's certificate is needed beside `keyPath`");
                generated
            }
        };
        Self { enabled, certificate }
    }
}

impl Tailscale {
    pub(in crate::config) fn resolve(raw: &raw::Tailscale) -> Self {
        let mode = match raw.mode.as_deref() {
            Some("serve") => TailscaleMode::Serve,
            Some("funnel") => TailscaleMode::Funnel,
            _ => TailscaleMode::Off,
        };
        Self { mode, reset_on_exit: raw.reset_on_exit.unwrap_or(false) }
    }
}

impl Remote {
    pub(in crate::config) fn resolve(raw: raw::Remote, cx: &mut Resolve<'_>) -> Self {
        let filled = |text: Option<String>| text.map(|t| t.trim().to_owned()).filter(|t| !t.is_empty());
        let target = filled(raw.ssh_target).filter(|_| raw.transport.as_deref() != Some("direct"));
        let transport = match (target, raw.transport.as_deref()) {
            (Some(target), _) => Transport::Ssh {
                target,
                identity: filled(raw.ssh_identity).map(|path| cx.paths.expand(&path)),
            },
            (None, Some("ssh")) => Transport::SshNowhere,
            (None, _) => Transport::Direct,
        };
        Self {
            enabled: raw.enabled.unwrap_or(true),
            url: filled(raw.url),
            transport,
            token: cx.secret("gateway.remote.token", raw.token),
            password: cx.secret("gateway.remote.password", raw.password),
            tls_fingerprint: filled(raw.tls_fingerprint),
        }
    }
}

impl Discovery {
    pub(in crate::config) fn resolve(raw: surfaces::Discovery, cx: &Resolve<'_>) -> Self {
        let written = raw.mdns.and_then(|mdns| mdns.mode);
        let mode = match written.as_deref() {
            Some("off") => MdnsMode::Off,
            Some("full") => MdnsMode::Full,
            _ => MdnsMode::default(),
        };
        let silenced = cx.env.get("HOMARD_DISABLE_BONJOUR").is_some_and(|value| !matches!(value, "" | "0"));
        Self { mdns: if silenced { MdnsMode::Off } else { mode } }
    }
}

/// Addresses and networks of the owner's own proxies.
pub(in crate::config) fn trusted_proxies(written: &[String], cx: &mut Resolve<'_>) -> Vec<IpNet> {
    let mut networks = Vec::with_capacity(written.len());
    for (position, text) in written.iter().enumerate() {
        match network(text.trim()) {
            Some(network) => networks.push(network),
            None => cx.warn(
                format!("gateway.trustedProxies[{position}]"),
                format!(
                    "`{text}` is neither an address nor a network such as 192.0.2.0/24, so it trusts nobody"
                ),
            ),
        }
    }
    networks
}

fn network(text: &str) -> Option<IpNet> {
    let address = text.parse::<IpAddr>().map(IpNet::from);
    address.ok().or_else(|| text.parse().ok())
}

#[cfg(test)]
mod tests;
