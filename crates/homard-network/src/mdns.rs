//! Being found on the local network: multicast DNS, with the service name and keys other clients already know.
//!
//! `minimal` tells that a gateway is here and how to talk to it; `full` adds how to log in to the machine.
//! What is heard from the network is a stranger's word: it is cut to size and never acted on by itself.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use homard_config::config::gateway::reach::MdnsMode;
use homard_runtime::{Arrange as _, Clip, CollectOrdered as _};
use mdns_sd::{ResolvedService, ServiceDaemon, ServiceEvent, ServiceInfo};
use serde::Serialize;

/// The kind of service gateways are announced as, and looked for.
pub const SERVICE: &str = "_openclaw-gw._tcp";
/// The kind under which earlier apps look for them.
const EARLIER_SERVICE: &str = "_openclaw._tcp";
/// Where it is announced.
const DOMAIN: &str = "local.";
/// The longest name of one announcement, in bytes.
const MAX_LABEL: usize = 63;
/// The longest value of a key, in bytes: key, `=` and value share 255.
const MAX_VALUE: usize = 200;
/// How long saying goodbye may take.
const GOODBYE: Duration = Duration::from_millis(500);
/// Most gateways told about; a network with more is not a home.
const MAX_BEACONS: usize = 256;

/// Why multicast does not work.
#[derive(Debug, thiserror::Error)]
#[error("multicast DNS does not work here")]
pub struct MdnsError(#[from] mdns_sd::Error);

/// What is announced.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// The machine, as people call it.
    pub display_name: String,
    /// The machine's name on the network, without a domain.
    pub host: String,
    pub port: u16,
    /// The certificate's fingerprint, when it speaks TLS.
    pub tls_sha256: Option<String>,
    /// Its name on the tailnet.
    pub tailnet_dns: Option<String>,
    /// Where to log in; told in `full` mode.
    pub ssh_port: Option<u16>,
    /// The program's path; told in `full` mode.
    pub cli_path: Option<String>,
}

impl Facts {
    /// The keys that go with the announcement.
    #[must_use]
    pub fn txt(&self, mode: MdnsMode) -> Vec<(&'static str, String)> {
        let full = mode == MdnsMode::Full;
        let tls = self.tls_sha256.is_some();
        let keys = [
            ("role", Some("gateway".to_owned())),
            ("displayName", Some(self.display_name.clone())),
            ("lanHost", Some(format!("{}.local", self.host))),
            ("gatewayPort", Some(self.port.to_string())),
            ("gatewayTls", tls.then(|| "1".to_owned())),
            ("gatewayTlsSha256", self.tls_sha256.clone()),
            ("transport", Some("gateway".to_owned())),
            ("tailnetDns", self.tailnet_dns.clone()),
            ("sshPort", self.ssh_port.filter(|_| full).map(|port| port.to_string())),
            ("cliPath", self.cli_path.clone().filter(|_| full)),
        ];
        keys.into_iter()
            .filter_map(|(key, value)| Some((key, value?.clip_bytes(MAX_VALUE).to_owned())))
            .collect()
    }
}

/// An announcement; [`end`](Advert::end) takes it back.
pub struct Advert {
    daemon: ServiceDaemon,
    /// One for each kind of service.
    names: Vec<String>,
}

impl Advert {
    /// Announces a gateway and answers questions about it, in a thread of its own.
    ///
    /// # Errors
    /// When the network does not do multicast.
    pub fn begin(facts: &Facts, mode: MdnsMode) -> Result<Self, MdnsError> {
        let services = services(facts, mode)?;
        let names = services.iter().map(|service| service.get_fullname().to_owned()).collect();
        let daemon = ServiceDaemon::new()?;
        for service in services {
            daemon.register(service)?;
        }
        Ok(Self { daemon, names })
    }

    /// Takes it back, so that nobody tries a gateway that is gone.
    pub async fn end(self) {
        for name in &self.names {
            if let Ok(done) = self.daemon.unregister(name) {
                // A network that does not answer is left as it is.
                drop(tokio::time::timeout(GOODBYE, done.recv_async()).await);
            }
        }
        if let Ok(done) = self.daemon.shutdown() {
            drop(tokio::time::timeout(GOODBYE, done.recv_async()).await);
        }
    }
}

impl std::fmt::Debug for Advert {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Advert").field("names", &self.names).finish_non_exhaustive()
    }
}

/// The same facts under every kind of service that apps look for.
fn services(facts: &Facts, mode: MdnsMode) -> Result<Vec<ServiceInfo>, MdnsError> {
    let label = format!("{} (Homard)", facts.display_name).clip_bytes(MAX_LABEL).to_owned();
    let host = format!("{}.{DOMAIN}", facts.host);
    let txt = facts.txt(mode);
    let mut services = Vec::new();
    for kind in [SERVICE, EARLIER_SERVICE] {
        let kind = format!("{kind}.{DOMAIN}");
        let service = ServiceInfo::new(&kind, &label, &host, (), facts.port, txt.as_slice())?;
        services.push(service.enable_addr_auto());
    }
    Ok(services)
}

/// A gateway somebody announces. Everything in it is a stranger's word.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Beacon {
    /// The announcement's own name.
    pub instance_name: String,
    /// The domain it was heard in.
    pub domain: String,
    /// The machine, as people call it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// The machine's name on the network.
    pub host: String,
    /// The port that is announced.
    pub port: u16,
    pub addresses: Vec<IpAddr>,
    /// Its name in the local domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lan_host: Option<String>,
    /// Its name on the tailnet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tailnet_dns: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gateway_port: Option<u16>,
    /// Where to log in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ssh_port: Option<u16>,
    /// Whether it speaks TLS.
    pub gateway_tls: bool,
    /// The certificate's fingerprint, as announced. Pin it only after comparing it with what the gateway prints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gateway_tls_fingerprint_sha256: Option<String>,
    /// What it is; gateways say `gateway`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// How to talk to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transport: Option<String>,
    /// The program's path on its machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cli_path: Option<String>,
    pub ws_url: String,
}

impl Beacon {
    fn heard(service: &ResolvedService) -> Self {
        let keys = service.get_properties().iter();
        let txt: BTreeMap<String, String> =
            keys.map(|key| (key.key().to_owned(), shown(key.val_str()))).collect_map();
        let mut addresses: Vec<IpAddr> =
            service.get_addresses().iter().map(|address| address.to_ip_addr()).collect();
        addresses.arrange_by_key(|address| (address.is_ipv6(), address.is_loopback(), *address));
        let ending = format!(".{SERVICE}.{DOMAIN}");
        let name = service.get_fullname();
        let name = name.strip_suffix(&ending).unwrap_or(name);
        Self::from_txt(shown(name), &shown(service.get_hostname()), service.get_port(), addresses, &txt)
    }

    /// Reads the keys of an announcement.
    fn from_txt(
        instance_name: String,
        host: &str,
        port: u16,
        addresses: Vec<IpAddr>,
        txt: &BTreeMap<String, String>,
    ) -> Self {
        let text = |key: &str| txt.get(key).filter(|value| !value.is_empty()).cloned();
        let number = |key: &str| txt.get(key).and_then(|value| value.parse::<u16>().ok());
        let gateway_tls = matches!(txt.get("gatewayTls").map(String::as_str), Some("1" | "true"));
        let host = host.trim_end_matches('.').to_owned();
        let gateway_port = number("gatewayPort");
        let scheme = if gateway_tls { "wss" } else { "ws" };
        let place = match addresses.first() {
            Some(IpAddr::V6(address)) => format!("[{address}]"),
            Some(address) => address.to_string(),
            None => host.clone(),
        };
        Self {
            ws_url: format!("{scheme}://{place}:{}", gateway_port.unwrap_or(port)),
            instance_name,
            domain: DOMAIN.to_owned(),
            display_name: text("displayName"),
            host,
            port,
            addresses,
            lan_host: text("lanHost"),
            tailnet_dns: text("tailnetDns"),
            gateway_port,
            ssh_port: number("sshPort"),
            gateway_tls,
            gateway_tls_fingerprint_sha256: text("gatewayTlsSha256"),
            role: text("role"),
            transport: text("transport"),
            cli_path: text("cliPath"),
        }
    }
}

/// Listens for announcements this long.
///
/// # Errors
/// When the network does not do multicast.
pub async fn browse(within: Duration) -> Result<Vec<Beacon>, MdnsError> {
    let daemon = ServiceDaemon::new()?;
    let events = daemon.browse(&format!("{SERVICE}.{DOMAIN}"))?;
    let mut found: BTreeMap<String, Beacon> = BTreeMap::new();
    let listening = async {
        while let Ok(event) = events.recv_async().await {
            match event {
                ServiceEvent::ServiceResolved(service) if found.len() < MAX_BEACONS => {
                    let beacon = Beacon::heard(&service);
                    found.insert(beacon.instance_name.clone(), beacon);
                }
                ServiceEvent::ServiceRemoved(_, name) => {
                    found.retain(|instance, _| !name.starts_with(instance.as_str()));
                }
                _ => {}
            }
        }
    };
    // Announcements come until time is up; that is no failure.
    drop(tokio::time::timeout(within, listening).await);
    if let Ok(done) = daemon.shutdown() {
        drop(tokio::time::timeout(GOODBYE, done.recv_async()).await);
    }
    Ok(found.into_values().collect())
}

/// Words of a stranger, without what could move a cursor or hide something.
fn shown(text: &str) -> String {
    text.clip_bytes(MAX_VALUE).chars().filter(|c| !c.is_control()).collect()
}

#[cfg(test)]
mod tests;
