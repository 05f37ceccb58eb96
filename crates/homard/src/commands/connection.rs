//! Finding the gateway and what proves our right to talk to it.
//!
//! Address: `--url`, then `HOMARD_GATEWAY_URL`, then this machine at the configured port. Secret: `--token` or
//! `--password`, then the environment, then the configuration — but the configured secret is never sent to an
//! address on another machine that the configuration does not name.

use std::net::IpAddr;
use std::time::Duration;

use clap::Args;
use homard_client::{Client, ClientError, ConnectOptions, DeviceIdentity};
use homard_config::Config;
use homard_config::config::gateway::AuthMode;
use homard_protocol::connect::{ClientMode, ConnectAuth};
use http::Uri;

use super::Cx;

/// Which gateway to talk to.
#[derive(Args, Default)]
#[command(next_help_heading = "Connection")]
pub(crate) struct Target {
    /// Gateway to talk to; this machine's own otherwise
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Token of the gateway; the configured one otherwise
    #[arg(long)]
    pub(crate) token: Option<String>,
    /// Password of the gateway, where it uses one
    #[arg(long, conflicts_with = "token")]
    pub(crate) password: Option<String>,
}

/// How long to wait.
#[derive(Args)]
#[command(next_help_heading = "Connection")]
pub(crate) struct Patience {
    /// How long to wait for an answer, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 10_000)]
    pub(crate) timeout: u64,
}

impl Target {
    /// Whether somebody said where the gateway is.
    pub(crate) fn is_given(&self) -> bool {
        self.url.is_some()
    }
}

impl Patience {
    pub(crate) fn limit(&self) -> Duration {
        Duration::from_millis(self.timeout)
    }
}

/// Where a gateway is and what it will be told.
pub(crate) struct Route {
    pub(crate) url: String,
    pub(crate) auth: ConnectAuth,
    /// Whether it is on this machine.
    pub(crate) local: bool,
    /// Whether it will want to know the device too: elsewhere always, here only when there is no secret to know.
    device: bool,
}

/// Decides where to connect.
///
/// # Errors
/// When the configuration is needed and cannot be used.
pub(crate) fn route(cx: &Cx, target: &Target) -> anyhow::Result<Route> {
    let chosen =
        target.url.clone().or_else(|| cx.source.environment.get("HOMARD_GATEWAY_URL").map(str::to_owned));
    let mut auth = explicit_auth(cx, target);
    let Some(url) = chosen else {
        let config = cx.config()?;
        let url = format!("ws://127.0.0.1:{}", config.gateway.port);
        if is_empty(&auth) {
            auth = configured_auth(&config);
        }
        return Ok(Route { url, auth, local: true, device: is_open(&config) });
    };
    let local = is_local(&url);
    // The file may be broken; the address is known all the same.
    let config = if local { cx.snapshot().config } else { None };
    if let Some(config) = config.as_ref().filter(|_| is_empty(&auth)) {
        auth = configured_auth(config);
    }
    let device = config.is_none_or(|config| is_open(&config));
    Ok(Route { url, auth, local, device })
}

fn is_open(config: &Config) -> bool {
    matches!(config.gateway.auth.mode, AuthMode::None)
}

fn explicit_auth(cx: &Cx, target: &Target) -> ConnectAuth {
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
        AuthMode::None | AuthMode::TrustedProxy => ConnectAuth::default(),
    }
}

fn is_empty(auth: &ConnectAuth) -> bool {
    auth.token.is_none() && auth.password.is_none()
}

/// Whether an address is this machine's own.
fn is_local(url: &str) -> bool {
    let host = url.parse::<Uri>().ok().and_then(|uri| uri.host().map(str::to_owned)).unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Connects as the owner's command line.
///
/// # Errors
/// When there is no gateway or it refuses.
pub(crate) async fn connect(cx: &Cx, target: &Target, limit: Duration) -> anyhow::Result<Client> {
    let route = route(cx, target)?;
    let options = options(cx, &route, ClientMode::Cli)?;
    Ok(Client::connect(&options).await?.with_timeout(limit))
}

/// Connects only to see whether somebody is there.
///
/// # Errors
/// When there is no gateway or it refuses.
pub(crate) async fn probe(cx: &Cx, route: &Route, limit: Duration) -> anyhow::Result<Client> {
    let mut options = options(cx, route, ClientMode::Probe)?;
    options.timeout = limit;
    Ok(Client::connect(&options).await?.with_timeout(limit))
}

fn options(cx: &Cx, route: &Route, mode: ClientMode) -> anyhow::Result<ConnectOptions> {
    let mut options = ConnectOptions::command_line(&route.url, env!("CARGO_PKG_VERSION"));
    options.auth = route.auth.clone();
    options.client.mode = mode;
    if route.device {
        let path = cx.source.paths.identity_file();
        options.identity = Some(DeviceIdentity::load_or_create(&path, &cx.source.clock)?);
    }
    Ok(options)
}

/// Whether a command failed because no gateway runs.
pub(crate) fn is_not_running(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(ClientError::NotRunning { .. }))
}

#[cfg(test)]
mod tests;
