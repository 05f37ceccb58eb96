//! Finding the gateway and what proves our right to talk to it.
//!
//! Address: `--url` or `--port`, then `HOMARD_GATEWAY_URL`, then the gateway elsewhere that the configuration names in remote
//! mode, then this machine at the port its gateway says it listens on, or else at the configured one. Secret: `--token` or `--password`, then the environment, then the
//! configuration — but a configured secret goes only to the gateway it is configured for, so an address on the
//! command line needs its own.

mod open;
mod remote;

use std::time::Duration;

use clap::Args;
use homard_client::{Client, Fingerprint};
use homard_config::Config;
use homard_config::config::gateway::{AuthMode, GatewayMode};
use homard_network::{CertificateFiles, SshTarget, fingerprint_of_file};
use homard_protocol::connect::ConnectAuth;
use http::Uri;

pub(crate) use open::{connect, is_not_running, probe, warn_if_overheard, watch};
pub(crate) use remote::{configured as configured_remote, through};

use super::Cx;
use crate::compose::lock;
use crate::report::Advice;

/// Which gateway to talk to.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Connection")]
pub(crate) struct Target {
    /// Gateway to talk to; this machine's own otherwise
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Port of this machine's gateway; the one it listens on otherwise
    #[arg(long, value_name = "PORT", conflicts_with = "url")]
    pub(crate) port: Option<u16>,
    /// Token of the gateway; the configured one otherwise
    #[arg(long)]
    pub(crate) token: Option<String>,
    /// Password of the gateway, where it uses one
    #[arg(long, conflicts_with = "token")]
    pub(crate) password: Option<String>,
    /// SHA-256 fingerprint of the one certificate the gateway may show
    #[arg(long, value_name = "SHA256")]
    pub(crate) tls_fingerprint: Option<String>,
}

/// How long to wait.
#[derive(Args, Clone)]
#[command(next_help_heading = "Connection")]
pub(crate) struct Patience {
    /// How long to wait for an answer, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 10_000)]
    pub(crate) timeout: u64,
}

/// What a command takes that asks a gateway for something and tells what came of it.
#[derive(Args, Clone)]
pub(crate) struct ConnectArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) target: Target,
    #[command(flatten)]
    pub(crate) patience: Patience,
}

impl Target {
    /// Whether the gateway meant is not this machine's own: somebody said where it is, or the configuration names one
    /// elsewhere.
    pub(crate) fn is_elsewhere(&self, cx: &Cx) -> bool {
        self.url.is_some()
            || (self.port.is_none() && cx.snapshot().config.is_some_and(|config| is_remote(&config)))
    }
}

impl Patience {
    pub(crate) fn limit(&self) -> Duration {
        Duration::from_millis(self.timeout)
    }
}

impl ConnectArgs {
    /// Connects as the owner's command line.
    ///
    /// # Errors
    /// When there is no gateway or it refuses.
    pub(crate) async fn connect(&self, cx: &Cx) -> anyhow::Result<Client> {
        connect(cx, &self.target, self.patience.limit()).await
    }
}

/// Where a gateway is and what it will be told.
pub(crate) struct Route {
    /// Its address; through a tunnel, as it is seen from the other end.
    pub(crate) url: String,
    pub(crate) auth: ConnectAuth,
    /// Whether it is on this machine.
    pub(crate) local: bool,
    /// The tunnel that leads there, and the port at its other end.
    pub(crate) tunnel: Option<(SshTarget, u16)>,
    /// The one certificate it may show.
    pub(crate) pin: Option<Fingerprint>,
    /// Whether it will want to know the device too: elsewhere always, here only when there is no secret to know.
    device: bool,
}

/// Decides where to connect.
///
/// # Errors
/// When the configuration is needed and cannot be used, or an address lacks what it needs.
pub(crate) fn route(cx: &Cx, target: &Target) -> anyhow::Result<Route> {
    let auth = explicit_auth(cx, target);
    let pin = target.tls_fingerprint.as_deref().map(Fingerprint::parse).transpose()?;
    if let Some(url) = &target.url {
        return chosen(cx, url, auth, pin, Chosen::ByFlag);
    }
    if let Some(port) = target.port {
        return Ok(own_at(port, &*cx.config()?, auth, pin));
    }
    if let Some(url) = cx.source.environment.get("HOMARD_GATEWAY_URL") {
        return chosen(cx, url, auth, pin, Chosen::ByVariable);
    }
    let config = cx.config()?;
    if is_remote(&config) { remote::configured(&config, auth, pin) } else { Ok(own(cx, &config, auth, pin)) }
}

/// The port of this machine's gateway. A running one may have been started with another than is configured; a
/// variable that names one is believed.
pub(crate) fn own_port(cx: &Cx, config: &Config) -> u16 {
    let is_told = cx.source.environment.get("HOMARD_GATEWAY_PORT").is_some();
    let running = if is_told { None } else { lock::port_of_running(&cx.source.paths.lock_file()) };
    running.unwrap_or(config.gateway.port)
}

/// Whether commands on this machine talk to a gateway elsewhere.
pub(crate) fn is_remote(config: &Config) -> bool {
    config.gateway.mode == Some(GatewayMode::Remote) && config.gateway.remote.enabled
}

/// This machine's own gateway.
pub(crate) fn own(cx: &Cx, config: &Config, auth: ConnectAuth, pin: Option<Fingerprint>) -> Route {
    own_at(own_port(cx, config), config, auth, pin)
}

fn own_at(port: u16, config: &Config, auth: ConnectAuth, pin: Option<Fingerprint>) -> Route {
    let tls = config.gateway.tls.enabled;
    let scheme = if tls { "wss" } else { "ws" };
    let auth = if is_empty(&auth) { configured_auth(config) } else { auth };
    Route {
        url: format!("{scheme}://127.0.0.1:{port}"),
        auth,
        local: true,
        tunnel: None,
        pin: pin.or_else(|| own_certificate(config)),
        device: is_open(config),
    }
}

/// The certificate of this machine's own gateway, as it lies on the disk.
fn own_certificate(config: &Config) -> Option<Fingerprint> {
    let files = config.gateway.tls.enabled.then(|| CertificateFiles::of(&config.gateway.tls.certificate))?;
    fingerprint_of_file(&files.cert).ok().and_then(|text| Fingerprint::parse(&text).ok())
}

/// How an address was chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chosen {
    ByFlag,
    ByVariable,
}

/// An address somebody gave.
fn chosen(
    cx: &Cx,
    url: &str,
    mut auth: ConnectAuth,
    mut pin: Option<Fingerprint>,
    how: Chosen,
) -> anyhow::Result<Route> {
    let local = is_local(url);
    // The file may be broken; the address is known all the same.
    let config = if local { cx.snapshot().config } else { None };
    // What the file says is said about the gateway of this machine; another port may lead anywhere.
    let ours =
        config.filter(|config| how == Chosen::ByVariable || port_of(url) == Some(own_port(cx, config)));
    if let Some(config) = &ours {
        pin = pin.or_else(|| own_certificate(config));
        if is_empty(&auth) {
            auth = configured_auth(config);
        }
    } else if how == Chosen::ByFlag && is_empty(&auth) {
        return Err(Advice::error(
            format!("--url {} needs credentials of its own", without_query(url)),
            "add --token or --password; the configured ones belong to the configured gateway and are not sent elsewhere",
        ));
    }
    let device = ours.is_none_or(|config| is_open(&config));
    Ok(Route { url: url.to_owned(), auth, local, tunnel: None, pin, device })
}

/// The way to a gateway that knows this machine by a token of its own, which stands for every other proof.
///
/// # Errors
/// When the fingerprint is none.
pub(crate) fn by_own_token(cx: &Cx, target: &Target, url: &str) -> anyhow::Result<Route> {
    let pin = target.tls_fingerprint.as_deref().map(Fingerprint::parse).transpose()?;
    let auth = explicit_auth(cx, target);
    Ok(Route { url: url.to_owned(), auth, local: is_local(url), tunnel: None, pin, device: true })
}

/// An address without what could be a secret.
fn without_query(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

fn port_of(url: &str) -> Option<u16> {
    let uri = url.parse::<Uri>().ok()?;
    let usual = if matches!(uri.scheme_str(), Some("wss" | "https")) { 443 } else { 80 };
    Some(uri.port_u16().unwrap_or(usual))
}

fn is_open(config: &Config) -> bool {
    matches!(config.gateway.auth.mode, AuthMode::None)
}

pub(crate) fn explicit_auth(cx: &Cx, target: &Target) -> ConnectAuth {
    let env = |name| cx.source.environment.get(name).map(str::to_owned);
    let mut auth = ConnectAuth { token: target.token.clone(), ..ConnectAuth::default() };
    auth.password.clone_from(&target.password);
    if is_empty(&auth) {
        auth.token = env("HOMARD_GATEWAY_TOKEN");
        auth.password = env("HOMARD_GATEWAY_PASSWORD");
    }
    auth
}

fn configured_auth(config: &Config) -> ConnectAuth {
    let auth = &config.gateway.auth;
    let shown =
        |secret: &Option<homard_config::Secret>| secret.as_ref().map(|secret| secret.expose().to_owned());
    match auth.mode {
        AuthMode::Token => ConnectAuth { token: shown(&auth.token), ..ConnectAuth::default() },
        AuthMode::Password => ConnectAuth { password: shown(&auth.password), ..ConnectAuth::default() },
        // Behind a proxy the secret is for programs on this machine.
        AuthMode::TrustedProxy => ConnectAuth {
            token: shown(&auth.token).or_else(|| shown(&auth.password)),
            ..ConnectAuth::default()
        },
        AuthMode::None => ConnectAuth::default(),
    }
}

fn is_empty(auth: &ConnectAuth) -> bool {
    auth.token.is_none() && auth.password.is_none()
}

/// Whether an address is this machine's own.
fn is_local(url: &str) -> bool {
    url.parse::<Uri>().is_ok_and(|uri| uri.host().is_some_and(homard_http::is_this_machine))
}

#[cfg(test)]
mod tests;
