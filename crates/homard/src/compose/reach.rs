//! How the gateway is reached: its sockets, its certificate, and being shown to others while it runs.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use anyhow::Context;
use homard_config::config::gateway::reach::{MdnsMode, TailscaleMode};
use homard_config::config::gateway::{AuthMode, BindMode, GatewayMode};
use homard_config::{Config, ConfigSource};
use homard_gateway::NetworkParts;
use homard_network::{Advert, Facts, Listen, Tailscale, TlsConfig, is_exposed, listen, own_addresses};
use homard_runtime::{Arrange as _, CollectOrdered as _, Tasks};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::listeners::Listeners;
use super::machine;
use crate::commands::service::dashboard::link;
use crate::report::{Advice, Console};

/// Where people log in to a machine, unless they moved it.
const SSH_PORT: u16 = 22;

/// Refuses what would be unsafe or pointless to start.
pub(super) fn check(config: &Config, allow_unconfigured: bool) -> anyhow::Result<()> {
    let gateway = &config.gateway;
    if gateway.mode == Some(GatewayMode::Remote) && !allow_unconfigured {
        return Err(Advice::error(
            "gateway.mode is `remote`: this machine is set up to use another gateway",
            "set gateway.mode to `local`, or start with --allow-unconfigured",
        ));
    }
    let open = gateway.auth.mode == AuthMode::None;
    if open && is_exposed(&wanted(config)?.addresses) {
        return Err(Advice::error(
            "a gateway that asks for no token may only listen on this machine",
            "set gateway.auth.mode to `token`, or gateway.bind to `loopback`",
        ));
    }
    if gateway.tailscale.mode == TailscaleMode::Off {
        return Ok(());
    }
    if !matches!(gateway.bind, BindMode::Loopback | BindMode::Auto) {
        return Err(Advice::error(
            format!(
                "gateway.tailscale.mode `{}` needs a gateway on loopback",
                gateway.tailscale.mode.as_str()
            ),
            "set gateway.bind to `loopback`; the tailnet reaches it through this machine",
        ));
    }
    if gateway.tailscale.mode == TailscaleMode::Funnel && gateway.auth.mode != AuthMode::Password {
        return Err(Advice::error(
            "gateway.tailscale.mode `funnel` shows the gateway to everybody on the internet",
            "set gateway.auth.mode to `password` and choose a long one, or use `serve`",
        ));
    }
    if open {
        return Err(Advice::error(
            "a gateway that asks for no token may not be shown to a tailnet",
            "set gateway.auth.mode to `token`",
        ));
    }
    Ok(())
}

/// Where to listen.
fn wanted(config: &Config) -> anyhow::Result<Listen> {
    let gateway = &config.gateway;
    let own = if gateway.bind == BindMode::Tailnet { own_addresses() } else { Vec::new() };
    listen(gateway.bind, gateway.custom_bind_host.as_deref(), &own).map_err(|error| {
        Advice::error(error.to_string(), "write an IP address of this machine, for example 192.0.2.10")
    })
}

/// The sockets a gateway with this configuration would have.
pub(super) fn addresses(config: &Config) -> anyhow::Result<Vec<SocketAddr>> {
    let port = config.gateway.port;
    Ok(wanted(config)?.addresses.into_iter().map(|ip| SocketAddr::new(ip, port)).collect())
}

/// Begins to listen, or goes on listening where the door is open already.
pub(super) async fn bind(config: &Config, door: &Listeners) -> anyhow::Result<Vec<TcpListener>> {
    let (listen, port) = (wanted(config)?, config.gateway.port);
    if listen.no_tailnet {
        tracing::warn!(
            "gateway.bind is `tailnet`, but this machine has no tailnet address; listening on loopback"
        );
    }
    let mut listeners = Vec::new();
    for ip in listen.addresses {
        let bound = match (door.open(SocketAddr::new(ip, port)).await, listen.otherwise) {
            // Nobody is let in without proof where others can knock.
            (Err(error), Some(otherwise))
                if config.gateway.auth.mode != AuthMode::None && !is_taken(&error) =>
            {
                tracing::warn!(%error, %otherwise, "loopback cannot be listened on; listening elsewhere");
                door.open(SocketAddr::new(otherwise, port)).await?
            }
            (bound, _) => bound?,
        };
        listeners.push(bound);
    }
    let open: Vec<SocketAddr> = listeners.iter().filter_map(|open| open.local_addr().ok()).collect();
    door.keep_only(&open);
    Ok(listeners)
}

fn is_taken(error: &anyhow::Error) -> bool {
    error.downcast_ref::<Advice>().is_some()
}

/// Whether a gateway with this configuration could start in place of one that listens on `bound`.
pub(super) fn could_start(
    config: &Config,
    source: &ConfigSource,
    bound: &[SocketAddr],
) -> anyhow::Result<()> {
    for wanted in addresses(config)?.into_iter().filter(|address| !bound.contains(address)) {
        let overlaps = bound.iter().any(|have| have.ip().is_unspecified() || wanted.ip().is_unspecified());
        if overlaps && bound.iter().any(|have| have.port() == wanted.port()) {
            continue;
        }
        // Let go of at once; the new gateway takes it in a moment.
        std::net::TcpListener::bind(wanted).with_context(|| format!("could not listen on {wanted}"))?;
    }
    rooms(config, source).map(drop)
}

/// What the gateway needs to be reached from elsewhere; nothing where it is not.
pub(super) fn rooms(config: &Config, source: &ConfigSource) -> anyhow::Result<NetworkParts> {
    let gateway = &config.gateway;
    let tls = if gateway.tls.enabled {
        let door = TlsConfig::open(&gateway.tls.certificate, &names(config), &source.clock);
        Some(door.context("TLS is asked for (gateway.tls.enabled), but there is no usable certificate")?)
    } else {
        None
    };
    let tailscale = gateway.auth.allow_tailscale.then(|| tailscale(config, source));
    Ok(NetworkParts { tls, tailscale })
}

/// The names a certificate we make is for.
fn names(config: &Config) -> Vec<String> {
    let host = host_label();
    let mut names = vec!["localhost".to_owned(), host.clone(), format!("{host}.local")];
    let addresses = own_addresses().into_iter().filter(|ip| !ip.is_loopback());
    let custom = config.gateway.custom_bind_host.as_deref().and_then(|host| host.parse().ok());
    let loopback =
        [IpAddr::V4(Ipv4Addr::LOCALHOST), "::1".parse().unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST))];
    names.extend(loopback.into_iter().chain(addresses).chain(custom).map(|ip| ip.to_string()));
    names.arrange();
    names.dedup();
    names
}

/// The machine's name as one label of a domain name.
fn host_label() -> String {
    let name = machine::facts().name;
    let label: String = name
        .split('.')
        .next()
        .unwrap_or_default()
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '-')
        .take(63)
        .collect();
    if label.is_empty() { "homard".to_owned() } else { label }
}

fn tailscale(config: &Config, source: &ConfigSource) -> Tailscale {
    let base: BTreeMap<String, String> =
        config.env.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect_map();
    Tailscale::new(source.paths.state_dir.clone(), &base)
}

/// Whether the local network is told about a gateway with this configuration.
fn is_announced(config: &Config) -> bool {
    match config.discovery.mdns {
        MdnsMode::Off => false,
        MdnsMode::Minimal => wanted(config).is_ok_and(|listen| is_exposed(&listen.addresses)),
        MdnsMode::Full => true,
    }
}

/// Says by which certificate the gateway is known, and shows it to the tailnet and the local network until `tasks` end;
/// starts nothing where neither is asked for.
pub(super) fn show(config: &Config, source: &ConfigSource, fingerprint: Option<String>, tasks: &Tasks) {
    if let Some(fingerprint) = &fingerprint {
        tracing::info!(%fingerprint, "speaking TLS");
    }
    let gateway = &config.gateway;
    let announced = is_announced(config);
    if !announced && gateway.tailscale.mode == TailscaleMode::Off {
        return;
    }
    let on_tailnet = gateway.tailscale.mode != TailscaleMode::Off || gateway.bind == BindMode::Tailnet;
    let tailnet = (on_tailnet || gateway.auth.allow_tailscale).then(|| tailscale(config, source));
    let host = host_label();
    let stage = Stage {
        mode: gateway.tailscale.mode,
        reset_on_exit: gateway.tailscale.reset_on_exit,
        tailnet,
        mdns: announced.then_some(config.discovery.mdns),
        facts: Facts {
            display_name: host.clone(),
            host,
            port: gateway.port,
            tls_sha256: fingerprint,
            tailnet_dns: None,
            ssh_port: Some(SSH_PORT),
            cli_path: std::env::current_exe().ok().map(|path| path.display().to_string()),
        },
    };
    let until = tasks.token().clone();
    tasks.spawn(stage.run(until));
}

/// Being shown, from beginning to end.
struct Stage {
    mode: TailscaleMode,
    reset_on_exit: bool,
    tailnet: Option<Tailscale>,
    mdns: Option<MdnsMode>,
    facts: Facts,
}

impl Stage {
    async fn run(mut self, cancel: CancellationToken) {
        self.enter().await;
        let advert = self.mdns.and_then(|mode| match Advert::begin(&self.facts, mode) {
            Ok(advert) => {
                tracing::info!(service = homard_network::SERVICE, "announced on the local network");
                Some(advert)
            }
            Err(error) => {
                tracing::warn!(%error, "the local network is not told about this gateway");
                None
            }
        });
        cancel.cancelled().await;
        if let Some(advert) = advert {
            advert.end().await;
        }
        if let Some(tailnet) = self.tailnet.as_ref().filter(|_| self.reset_on_exit)
            && let Err(error) = tailnet.hide(self.mode).await
        {
            tracing::warn!(%error, "the tailnet still shows this gateway");
        }
    }

    /// Shows the gateway to the tailnet and learns what it is called there.
    async fn enter(&mut self) {
        let Some(tailnet) = &self.tailnet else { return };
        let scheme = if self.facts.tls_sha256.is_some() { "https+insecure" } else { "http" };
        let target = format!("{scheme}://127.0.0.1:{}", self.facts.port);
        match tailnet.show(self.mode, &target).await {
            Ok(()) => {}
            Err(error) => tracing::error!(%error, "the gateway could not be shown to the tailnet"),
        }
        match tailnet.dns_name().await {
            Ok(name) => {
                if self.mode != TailscaleMode::Off {
                    tracing::info!(url = %format!("https://{name}/"), mode = self.mode.as_str(), "shown on the tailnet");
                }
                self.facts.tailnet_dns = Some(name);
            }
            Err(error) => tracing::warn!(%error, "this machine's name on the tailnet is not known"),
        }
    }
}

/// Says where the chat is, and how others may know the gateway.
pub(super) fn announce(listeners: &[TcpListener], config: &Config, fingerprint: Option<&str>) {
    let Some(address) = listeners.first().and_then(|listener| listener.local_addr().ok()) else { return };
    let loopback = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), address.port());
    // Where several are listened on, loopback is one of them.
    let here = if address.ip().is_unspecified() || listeners.len() > 1 { loopback } else { address };
    let signed = link(config, here);
    // The link holds the token, so it goes to a person's terminal and never to the log or the service's journal.
    let mut lines = if std::io::stdout().is_terminal() {
        vec![format!("Homard is ready. Open this link to chat:\n\n  {signed}\n")]
    } else {
        let page = signed.split('#').next().unwrap_or_default();
        vec![format!("Homard is ready at {page} (`homard dashboard` prints the link that signs in).")]
    };
    if let Some(elsewhere) = from_elsewhere(address, config) {
        lines.push(format!("From other devices: {elsewhere}"));
    }
    if let Some(fingerprint) = fingerprint {
        lines.push(format!("TLS fingerprint (SHA-256): {fingerprint}"));
    }
    let console = Console::new(true);
    if lines.iter().try_for_each(|line| console.line(line)).is_err() {
        tracing::debug!("nobody reads the terminal");
    }
}

/// The page's address for others, without the token.
fn from_elsewhere(address: SocketAddr, config: &Config) -> Option<String> {
    let ip = if address.ip().is_unspecified() {
        own_addresses().into_iter().find(|ip| ip.is_ipv4() && !ip.is_loopback())?
    } else {
        Some(address.ip()).filter(|ip| !ip.is_loopback())?
    };
    let link = link(config, SocketAddr::new(ip, address.port()));
    Some(link.split('#').next().unwrap_or_default().to_owned())
}
