//! The gateway elsewhere that the configuration names, straight or through a tunnel.

use std::path::Path;

use homard_client::Fingerprint;
use homard_config::config::gateway::DEFAULT_PORT;
use homard_config::config::gateway::reach::{Remote, Transport};
use homard_config::{Config, Secret};
use homard_network::SshTarget;
use homard_protocol::connect::ConnectAuth;

use super::{Route, is_empty, is_local, port_of};
use crate::report::Advice;

/// The route to the configured gateway elsewhere.
///
/// # Errors
/// When the configuration does not say enough.
pub(crate) fn configured(
    config: &Config,
    auth: ConnectAuth,
    pin: Option<Fingerprint>,
) -> anyhow::Result<Route> {
    let remote = &config.gateway.remote;
    let auth = if is_empty(&auth) { secrets(remote) } else { auth };
    let pin = match (pin, &remote.tls_fingerprint) {
        (Some(pin), _) => Some(pin),
        (None, Some(text)) => Some(Fingerprint::parse(text)?),
        (None, None) => None,
    };
    match &remote.transport {
        Transport::Ssh { target, identity } => {
            through(target, identity.as_deref(), remote.url.as_deref(), auth, pin)
        }
        Transport::SshNowhere => Err(Advice::error(
            "gateway.remote.transport is `ssh`, but gateway.remote.sshTarget is not set",
            "say where to log in: homard config set gateway.remote.sshTarget user@host",
        )),
        Transport::Direct => {
            let Some(url) = remote.url.clone() else {
                return Err(Advice::error(
                    "gateway.mode is `remote`, but gateway.remote.url is not set",
                    "say where the gateway is: homard config set gateway.remote.url wss://host:18789",
                ));
            };
            let local = is_local(&url);
            Ok(Route { url, auth, local, tunnel: None, pin, device: true })
        }
    }
}

/// The route through a tunnel. `url` is where the gateway is as its own machine sees it.
///
/// # Errors
/// When the target is none.
pub(crate) fn through(
    target: &str,
    identity: Option<&Path>,
    url: Option<&str>,
    auth: ConnectAuth,
    pin: Option<Fingerprint>,
) -> anyhow::Result<Route> {
    let target = SshTarget::parse(target, identity)?;
    let port = url.and_then(port_of).unwrap_or(DEFAULT_PORT);
    let url = url.map_or_else(|| format!("ws://127.0.0.1:{port}"), str::to_owned);
    // At the other end the tunnel is a program of that machine; without a secret it wants to know the device.
    let device = is_empty(&auth);
    Ok(Route { url, auth, local: false, tunnel: Some((target, port)), pin, device })
}

fn secrets(remote: &Remote) -> ConnectAuth {
    let shown = |secret: &Option<Secret>| secret.as_ref().map(|secret| secret.expose().to_owned());
    ConnectAuth { token: shown(&remote.token), password: shown(&remote.password), ..ConnectAuth::default() }
}
