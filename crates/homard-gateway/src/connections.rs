//! The sockets: accepting them, counting them, talking over them, telling many at once.

pub(crate) mod conn;
pub(crate) mod connection_limits;
pub(crate) mod fanout;
mod hello;
pub(crate) mod presence;
pub(crate) mod server;

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use homard_network::TlsConfig;
use homard_protocol::presence::PresenceEntry;
use homard_runtime::Tasks;

use self::connection_limits::ConnectionLimits;
use self::fanout::Clients;
use self::presence::Presence;
use crate::gateway::HostFacts;
use crate::methods;
use crate::table::MethodTable;

/// The sockets, who is behind them and what they may call.
pub(crate) struct Connections {
    /// What clients may call.
    pub(crate) methods: MethodTable,
    /// Everybody who is connected.
    pub(crate) clients: Arc<Clients>,
    /// Who is shown as being here.
    pub(crate) presence: Presence,
    /// How many sockets there are of whom.
    pub(crate) limits: ConnectionLimits,
    /// What encrypts connections, if anything does.
    pub(crate) tls: Option<TlsConfig>,
    pub(crate) sockets: Tasks,
    /// HTTP connections that are open, each with a request under way or about to come.
    pub(crate) visitors: AtomicUsize,
}

impl Connections {
    /// None yet, of the gateway on this host.
    pub(crate) fn new(host: &HostFacts, boot_id: &str, tls: Option<TlsConfig>) -> Self {
        let own = PresenceEntry {
            host: Some(host.name.clone()),
            version: Some(host.version.clone()),
            platform: Some(host.platform.clone()),
            instance_id: Some(boot_id.to_owned()),
            text: Some(format!("Gateway: {} · {}", host.name, host.version)),
            ..PresenceEntry::default()
        };
        Self {
            methods: methods::table(),
            clients: Arc::new(Clients::default()),
            presence: Presence::new(own),
            limits: ConnectionLimits::default(),
            tls,
            sockets: Tasks::new(),
            visitors: AtomicUsize::new(0),
        }
    }
}
