//! The gateway itself: what every connection and handler shares.

use std::path::PathBuf;
use std::sync::Arc;

use homard_automation::Automation;
use homard_channel::{ChannelRegistry, Ingress};
use homard_config::ConfigHandle;
use homard_network::{Tailscale, TlsConfig};
use homard_nodes::Nodes;
use homard_openai::OpenAiApi;
use homard_protocol::StateVersion;
use homard_protocol::events::PresenceEvent;
use homard_relay::{Bus, Relay};
use homard_runtime::{Clock, Tasks};
use homard_store::Store;

use crate::access::caller::Caller;
use crate::access::rules::Access;
use crate::approvals;
use crate::approvals::log::ApprovalLog;
use crate::connections::Connections;
use crate::connections::presence::is_shown;
use crate::http::{HttpState, Pages};
use crate::lifecycle::{Diagnostics, Lifecycle};
use crate::methods::nodes::replays::Replays;
use crate::wizard::SetupWizard;

/// What a gateway is made of.
pub struct GatewayParts {
    pub config: ConfigHandle,
    pub store: Store,
    /// The walk of a message.
    pub relay: Relay,
    /// Jobs that run by the clock.
    pub automation: Automation,
    /// The chat platforms there are.
    pub channels: ChannelRegistry,
    /// Paths that platforms bring messages to.
    pub ingress: Ingress,
    /// Where events come from.
    pub bus: Bus,
    /// Where the time comes from.
    pub clock: Clock,
    /// What the program around it does for it.
    pub ports: GatewayPorts,
    /// The machine, as presence shows it.
    pub host: HostFacts,
    /// How it is reached from elsewhere.
    pub reach: NetworkParts,
}

/// What the program around the gateway does for it.
pub struct GatewayPorts {
    /// The Control UI, if it is served.
    pub pages: Option<Box<dyn Pages>>,
    /// The log file that `logs.tail` reads; asked each time, because it changes with the day.
    pub log_file: Box<dyn Fn() -> PathBuf + Send + Sync>,
    /// Asks the questions of `wizard.*`.
    pub wizard: Box<dyn SetupWizard>,
}

/// How the gateway is reached from elsewhere; nothing of it by default.
#[derive(Debug, Default)]
pub struct NetworkParts {
    pub tls: Option<TlsConfig>,
    /// Asked who is calling, when the tailnet's word counts.
    pub tailscale: Option<Tailscale>,
}

/// The machine, as presence shows it.
#[derive(Debug, Clone, Default)]
pub struct HostFacts {
    pub name: String,
    /// Its operating system and release.
    pub platform: String,
    pub version: String,
}

/// What handlers translate for.
struct Rooms {
    relay: Relay,
    automation: Automation,
    channels: ChannelRegistry,
    nodes: Arc<Nodes>,
    node_calls: Replays,
    approval_log: ApprovalLog,
    wizard: Box<dyn SetupWizard>,
    openai: OpenAiApi,
}

/// The gateway: shared by every connection and handler. What belongs together is a part of its own.
pub struct Gateway {
    config: ConfigHandle,
    store: Store,
    bus: Bus,
    clock: Clock,
    rooms: Rooms,
    access: Access,
    connections: Connections,
    lifecycle: Lifecycle,
    diagnostics: Diagnostics,
    http: HttpState,
}

impl Gateway {
    /// Puts a gateway together; it serves nobody before [`run`](fn@crate::run).
    #[must_use]
    pub fn new(parts: GatewayParts) -> Arc<Self> {
        let GatewayParts {
            config,
            store,
            relay,
            automation,
            channels,
            ingress,
            bus,
            clock,
            ports,
            host,
            reach,
        } = parts;
        let lifecycle = Lifecycle::default();
        let connections = Connections::new(&host, &lifecycle.boot_id, reach.tls);
        bus.listen(Arc::clone(&connections.clients) as _);
        let nodes = Arc::new(Nodes::new(config.clone(), store.clone(), bus.clone(), clock.clone()));
        let openai = OpenAiApi {
            config: config.clone(),
            store: store.clone(),
            relay: relay.clone(),
            clock: clock.clone(),
            tasks: lifecycle.tasks.clone(),
        };
        let gateway = Arc::new(Self {
            access: Access::new(&config.current(), reach.tailscale, &clock),
            connections,
            lifecycle,
            diagnostics: Diagnostics::new(host, ports.log_file),
            http: HttpState::new(ports.pages, ingress),
            rooms: Rooms {
                relay,
                automation,
                channels,
                nodes,
                node_calls: Replays::default(),
                approval_log: ApprovalLog::default(),
                wizard: ports.wizard,
                openai,
            },
            config,
            store,
            bus,
            clock,
        });
        let counted = Arc::downgrade(&gateway);
        approvals::announce(&gateway);
        gateway.relay().events().subscribe(move |event| {
            if let Some(gateway) = counted.upgrade() {
                gateway.diagnostics.metrics.count(event);
            }
        });
        gateway
    }

    /// The owner's settings.
    pub(crate) fn config(&self) -> &ConfigHandle {
        &self.config
    }

    /// What is kept.
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// The walk of a message.
    pub(crate) fn relay(&self) -> &Relay {
        &self.rooms.relay
    }

    /// Jobs that run by the clock.
    pub(crate) fn automation(&self) -> &Automation {
        &self.rooms.automation
    }

    /// The chat platforms there are.
    pub(crate) fn channels(&self) -> ChannelRegistry {
        self.rooms.channels
    }

    /// The nodes that are here.
    pub(crate) fn nodes(&self) -> &Arc<Nodes> {
        &self.rooms.nodes
    }

    /// Commands for nodes that were asked with a key.
    pub(crate) fn node_calls(&self) -> &Replays {
        &self.rooms.node_calls
    }

    /// Questions to people that have ended.
    pub(crate) fn approval_log(&self) -> &ApprovalLog {
        &self.rooms.approval_log
    }

    /// The API for programs written for OpenAI.
    pub(crate) fn openai(&self) -> &OpenAiApi {
        &self.rooms.openai
    }

    /// Asks the questions of a setup.
    pub(crate) fn wizard(&self) -> &dyn SetupWizard {
        self.rooms.wizard.as_ref()
    }

    /// Where events come from.
    pub(crate) fn bus(&self) -> &Bus {
        &self.bus
    }

    /// Where the time comes from.
    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Who is let in.
    pub(crate) fn access(&self) -> &Access {
        &self.access
    }

    /// The sockets, who is behind them and what they may call.
    pub(crate) fn connections(&self) -> &Connections {
        &self.connections
    }

    /// This start of the gateway, from beginning to end.
    pub(crate) fn lifecycle(&self) -> &Lifecycle {
        &self.lifecycle
    }

    /// How the gateway is doing.
    pub(crate) fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    /// What HTTP routes remember.
    pub(crate) fn http(&self) -> &HttpState {
        &self.http
    }

    /// Where connections run. After a hand-over some still say goodbye; the process is to wait for them.
    pub fn sockets(&self) -> &Tasks {
        &self.connections.sockets
    }

    /// Starts the gateway afresh as soon as runs under way are over.
    pub fn ask_for_restart(&self) {
        self.lifecycle.restart.cancel();
    }

    /// Leaves the listening socket and the store to another process as soon as runs under way are over.
    pub fn ask_for_hand_over(&self) {
        self.lifecycle.hand_over.cancel();
    }

    pub(crate) fn state_version(&self) -> StateVersion {
        StateVersion {
            presence: self.connections.presence.version(),
            health: self.diagnostics.health.version(),
        }
    }

    /// A client has been greeted.
    pub(crate) fn connected(&self, caller: &Caller) {
        self.connections.clients.add(Arc::clone(&caller.client));
        self.diagnostics.metrics.connected();
        tracing::debug!(conn = %caller.client.conn, client = %caller.id, ip = %caller.peer.ip, "connected");
        if is_shown(caller.mode) {
            self.announce_presence();
        }
    }

    /// Has the store tell what is appended as long as somebody listens.
    pub(crate) fn listen_as_wanted(&self) {
        self.store.want_appends(self.connections.clients.someone_listens(None));
    }

    /// A client is gone.
    pub(crate) fn disconnected(&self, caller: &Caller) {
        self.connections.clients.remove(&caller.client.conn);
        self.listen_as_wanted();
        self.nodes().registry().leave(caller.client.as_ref());
        self.diagnostics.metrics.disconnected();
        tracing::debug!(conn = %caller.client.conn, "disconnected");
        // A node that came back on another socket is still here.
        if !self.nodes().registry().is_here(caller.client.as_ref()) && self.connections.presence.leave(caller)
        {
            self.announce_presence();
        }
    }

    fn announce_presence(&self) {
        let presence = self.connections.presence.list(self.clock.now_ms());
        self.bus.publish_state(&PresenceEvent { presence }, self.state_version());
    }
}

impl std::fmt::Debug for Gateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gateway").field("boot_id", &self.lifecycle.boot_id).finish_non_exhaustive()
    }
}
