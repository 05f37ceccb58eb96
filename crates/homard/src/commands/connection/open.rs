//! Opening the connection a route describes, with the tunnel it needs.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use anyhow::Context;
use homard_client::{Client, ClientError, ConnectOptions, DeviceIdentity};
use homard_network::{Tunnel, is_tailnet};
use homard_protocol::connect::ClientMode;
use homard_runtime::CollectOrdered as _;
use http::Uri;

use super::{Cx, Route, Target, is_local, route};

/// What a client says that shows tools.
const TOOL_EVENTS: &str = "tool-events";

/// Connects as the owner's command line.
///
/// # Errors
/// When there is no gateway or it refuses.
pub(crate) async fn connect(cx: &Cx, target: &Target, limit: Duration) -> anyhow::Result<Client> {
    let route = route(cx, target)?;
    warn_if_overheard(cx, &route);
    open(cx, &route, Purpose::Command).await.map(|client| client.with_timeout(limit))
}

/// Connects to watch runs with their tools, again and again; nothing is printed.
///
/// # Errors
/// When there is no gateway or it refuses.
pub(crate) async fn watch(cx: &Cx, route: &Route) -> anyhow::Result<Client> {
    open(cx, route, Purpose::Watching).await
}

/// Says when somebody on the way could read along.
pub(crate) fn warn_if_overheard(cx: &Cx, route: &Route) {
    if is_overheard(route) {
        cx.console.warn(&format!(
            "the connection to {} is not encrypted; use wss:// or gateway.remote.sshTarget",
            super::without_query(&route.url)
        ));
    }
}

/// Connects only to see whether somebody is there.
///
/// # Errors
/// When there is no gateway or it refuses.
pub(crate) async fn probe(cx: &Cx, route: &Route, limit: Duration) -> anyhow::Result<Client> {
    open(cx, route, Purpose::Probe(limit)).await.map(|client| client.with_timeout(limit))
}

/// What a connection is for.
#[derive(Clone, Copy)]
enum Purpose {
    Command,
    /// To see whether somebody is there, within this time.
    Probe(Duration),
    /// To show runs with what their tools are given and answer.
    Watching,
}

async fn open(cx: &Cx, route: &Route, purpose: Purpose) -> anyhow::Result<Client> {
    let mut options = options(cx, route)?;
    match purpose {
        Purpose::Command => {}
        Purpose::Probe(limit) => {
            options.client.mode = ClientMode::Probe;
            options.timeout = limit;
        }
        Purpose::Watching => options.caps.push(TOOL_EVENTS.to_owned()),
    }
    let Some((target, port)) = &route.tunnel else {
        return Ok(Client::connect(&options).await?);
    };
    let tunnel = Tunnel::open(target, *port, &environment(cx)).await?;
    options.url = at_our_end(&route.url, tunnel.port());
    let client =
        Client::connect(&options).await.with_context(|| format!("through the tunnel to {target}"))?;
    Ok(client.with_companion(tunnel))
}

/// What a tunnel's program may choose from.
fn environment(cx: &Cx) -> BTreeMap<String, String> {
    cx.source.environment.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect_map()
}

/// The same address at the near end of a tunnel.
fn at_our_end(url: &str, port: u16) -> String {
    let uri = url.parse::<Uri>().ok();
    let scheme = uri.as_ref().and_then(|uri| uri.scheme_str()).unwrap_or("ws").to_owned();
    let path = uri.as_ref().map_or("/", |uri| uri.path()).trim_end_matches('/').to_owned();
    format!("{scheme}://127.0.0.1:{port}{path}")
}

fn options(cx: &Cx, route: &Route) -> anyhow::Result<ConnectOptions> {
    let mut options = ConnectOptions::command_line(&route.url, env!("CARGO_PKG_VERSION"));
    options.auth = route.auth.clone();
    options.tls_fingerprint = route.pin;
    if route.device {
        let path = cx.source.paths.identity_file();
        options.identity = Some(DeviceIdentity::load_or_create(&path, &cx.source.clock)?);
    }
    Ok(options)
}

/// Whether somebody on the way could read along: not on this machine, not through a tunnel or tailnet.
fn is_overheard(route: &Route) -> bool {
    let Some(uri) = route.url.parse::<Uri>().ok().filter(|_| route.tunnel.is_none()) else { return false };
    let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let on_tailnet = host.parse::<IpAddr>().is_ok_and(is_tailnet) || host.ends_with(".ts.net");
    matches!(uri.scheme_str(), Some("ws" | "http")) && !is_local(&route.url) && !on_tailnet
}

/// Whether a command failed because no gateway runs.
pub(crate) fn is_not_running(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(ClientError::NotRunning { .. }))
}

#[cfg(test)]
mod tests {
    use super::at_our_end;

    #[test]
    fn a_tunnel_keeps_scheme_and_path() {
        for (url, near) in [
            ("ws://127.0.0.1:18789", "ws://127.0.0.1:5"),
            ("wss://far:1/gw/", "wss://127.0.0.1:5/gw"),
            ("nonsense", "ws://127.0.0.1:5"),
        ] {
            assert_eq!(at_our_end(url, 5), near);
        }
    }
}
