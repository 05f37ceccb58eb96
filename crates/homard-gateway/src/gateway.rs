//! The gateway itself: what every connection and handler shares.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use homard_automation::Automation;
use homard_config::config::gateway::AuthMode;
use homard_config::{Config, ConfigHandle, Secret};
use homard_network::{Tailscale, TlsConfig};
use homard_protocol::connect::{
    AttachmentPolicy, Features, HelloAuth, HelloOk, HelloPolicy, HelloSnapshot, HelloTag, ServerDescription,
    SessionDefaultsHint,
};
use homard_protocol::events::{ALL_EVENTS, PresenceEvent};
use homard_protocol::limits::{
    CONTROL_WRITE_LIMIT, CONTROL_WRITE_WINDOW, HANDSHAKE_TIMEOUT, MAX_ATTACHMENT_BYTES, MAX_BUFFERED_BYTES,
    MAX_IMAGE_BYTES, MAX_PAYLOAD, PROTOCOL_VERSION, TICK_INTERVAL,
};
use homard_protocol::presence::PresenceEntry;
use homard_protocol::{ConnId, ErrorShape, Role, Scope, ScopeSet, SessionKey, StateVersion};
use homard_relay::{Bus, Relay};
use homard_runtime::{Clock, LogLimiter, Tasks};
use homard_store::Store;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::access::auth::{GuessCounter, GuessLimit, SharedAuth};
use crate::access::caller::Caller;
use crate::access::handshake::Admission;
use crate::access::proxy::ProxyRules;
use crate::access::scope_upgrades::ScopeUpgrades;
use crate::access::write_limit::WriteLimit;
use crate::approvals;
use crate::connections::connection_limits::ConnectionLimits;
use crate::connections::fanout::Clients;
use crate::connections::presence::{Presence, is_shown};
use crate::http::{HttpState, Pages};
use crate::lifecycle::health::Health;
use crate::lifecycle::metrics::Metrics;
use crate::methods;
use crate::nodes::Nodes;
use crate::table::MethodTable;
use crate::wizard::Wizards;

/// Overrides the time a socket may take to finish `connect`, in milliseconds.
const HANDSHAKE_TIMEOUT_VARIABLE: &str = "HOMARD_HANDSHAKE_TIMEOUT_MS";
/// What clients look for in the greeting before they use it. The first: `models.list` answers with what the
/// gateway itself would use, so that a client needs no catalogue of its own.
const CAPABILITIES: [&str; 1] = ["published-model-catalog"];

/// What a gateway is made of.
pub struct GatewayParts {
    /// The owner's settings.
    pub config: ConfigHandle,
    /// What is kept.
    pub store: Store,
    /// The walk of a message.
    pub relay: Relay,
    /// Jobs that run by the clock.
    pub automation: Automation,
    /// Where events come from.
    pub bus: Bus,
    /// Where the time comes from.
    pub clock: Clock,
    /// The Control UI, if it is served.
    pub pages: Option<Box<dyn Pages>>,
    /// The log file that `logs.tail` reads; asked each time, because it changes with the day.
    pub log_file: Box<dyn Fn() -> PathBuf + Send + Sync>,
    /// The machine, as presence shows it.
    pub host: HostFacts,
    /// How it is reached from elsewhere.
    pub reach: NetworkParts,
}

/// How the gateway is reached from elsewhere; nothing of it by default.
#[derive(Debug, Default)]
pub struct NetworkParts {
    /// Encrypts every connection.
    pub tls: Option<TlsConfig>,
    /// Asked who is calling, when the tailnet's word counts.
    pub tailscale: Option<Tailscale>,
}

/// The machine, as presence shows it.
#[derive(Debug, Clone, Default)]
pub struct HostFacts {
    /// Its name.
    pub name: String,
    /// Its operating system and release.
    pub platform: String,
    /// Homard's version.
    pub version: String,
}

/// Who may come in, computed from the configuration once per change.
#[derive(Debug)]
pub(crate) struct AccessRules {
    pub(crate) auth: SharedAuth,
    /// Names the shared secret without telling it; device tokens live as long as it.
    pub(crate) generation: String,
    pub(crate) allowed_origins: Vec<String>,
    pub(crate) proxies: ProxyRules,
    pub(crate) exempt_loopback: bool,
    pub(crate) guess_limit: GuessLimit,
}

impl AccessRules {
    fn new(config: &Config) -> Self {
        let auth = &config.gateway.auth;
        let secret = |secret: Option<&Secret>| secret.map(|secret| secret.expose().to_owned());
        let shared = match auth.mode {
            AuthMode::None => SharedAuth::None,
            AuthMode::Token => SharedAuth::Token(secret(auth.token.as_ref())),
            AuthMode::Password => SharedAuth::Password(secret(auth.password.as_ref())),
            AuthMode::TrustedProxy => {
                SharedAuth::TrustedProxy(secret(auth.token.as_ref().or(auth.password.as_ref())))
            }
        };
        let limit = &auth.rate_limit;
        Self {
            generation: shared.generation(),
            auth: shared,
            allowed_origins: config.gateway.control_ui.allowed_origins.clone(),
            proxies: ProxyRules::new(config),
            exempt_loopback: limit.exempt_loopback,
            guess_limit: GuessLimit {
                max_attempts: u32::try_from(limit.max_attempts).unwrap_or(u32::MAX),
                window: limit.window,
                lockout: limit.lockout,
            },
        }
    }
}

/// The gateway: shared by every connection and handler.
pub struct Gateway {
    config: ConfigHandle,
    store: Store,
    relay: Relay,
    automation: Automation,
    bus: Bus,
    clock: Clock,
    pages: Option<Box<dyn Pages>>,
    log_file: Box<dyn Fn() -> PathBuf + Send + Sync>,
    host: HostFacts,
    reach: NetworkParts,
    access: ArcSwap<AccessRules>,
    methods: MethodTable,
    clients: Arc<Clients>,
    nodes: Arc<Nodes>,
    presence: Presence,
    health: Health,
    metrics: Metrics,
    guesses: GuessCounter,
    connection_limits: ConnectionLimits,
    noise: LogLimiter,
    writes: WriteLimit,
    http: HttpState,
    upgrades: ScopeUpgrades,
    wizards: Wizards,
    boot_id: String,
    started: Instant,
    tasks: Tasks,
    sockets: Tasks,
    visitors: AtomicUsize,
    stopping: CancellationToken,
    leaving: CancellationToken,
    restart: CancellationToken,
    hand_over: CancellationToken,
}

impl Gateway {
    /// Puts a gateway together; it serves nobody before [`run`](fn@crate::run).
    #[must_use]
    pub fn new(parts: GatewayParts) -> Arc<Self> {
        let GatewayParts { config, store, relay, automation, bus, clock, pages, log_file, host, reach } =
            parts;
        let noise = LogLimiter::new(clock.clone());
        let boot_id = uuid::Uuid::new_v4().to_string();
        let own = PresenceEntry {
            host: Some(host.name.clone()),
            version: Some(host.version.clone()),
            platform: Some(host.platform.clone()),
            instance_id: Some(boot_id.clone()),
            text: Some(format!("Gateway: {} · {}", host.name, host.version)),
            ..PresenceEntry::default()
        };
        let clients = Arc::new(Clients::default());
        let listeners = Arc::clone(&clients);
        bus.listen(move |event| listeners.publish(event));
        let nodes = Arc::new(Nodes::default());
        let listening = Arc::clone(&nodes);
        bus.listen(move |event| listening.hear(event));
        let access = ArcSwap::from_pointee(AccessRules::new(&config.current()));
        let gateway = Self {
            config,
            store,
            relay,
            automation,
            bus,
            clock,
            pages,
            log_file,
            host,
            reach,
            access,
            methods: methods::table(),
            clients,
            nodes,
            presence: Presence::new(own),
            health: Health::default(),
            metrics: Metrics::new(),
            guesses: GuessCounter::default(),
            connection_limits: ConnectionLimits::default(),
            noise,
            writes: WriteLimit::new(CONTROL_WRITE_LIMIT, CONTROL_WRITE_WINDOW),
            http: HttpState::default(),
            upgrades: ScopeUpgrades::default(),
            wizards: Wizards::default(),
            boot_id,
            started: Instant::now(),
            tasks: Tasks::new(),
            sockets: Tasks::new(),
            visitors: AtomicUsize::new(0),
            stopping: CancellationToken::new(),
            leaving: CancellationToken::new(),
            restart: CancellationToken::new(),
            hand_over: CancellationToken::new(),
        };
        let gateway = Arc::new(gateway);
        let counted = Arc::downgrade(&gateway);
        approvals::announce(&gateway);
        gateway.relay.events().subscribe(move |event| {
            if let Some(gateway) = counted.upgrade() {
                gateway.metrics.count(event);
            }
        });
        gateway
    }

    pub(crate) fn config(&self) -> &ConfigHandle {
        &self.config
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn relay(&self) -> &Relay {
        &self.relay
    }

    pub(crate) fn automation(&self) -> &Automation {
        &self.automation
    }

    pub(crate) fn bus(&self) -> &Bus {
        &self.bus
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    pub(crate) fn pages(&self) -> Option<&dyn Pages> {
        self.pages.as_deref().filter(|_| self.config.current().gateway.control_ui.enabled)
    }

    pub(crate) fn log_file(&self) -> PathBuf {
        (self.log_file)()
    }

    /// What encrypts connections, if anything does.
    pub(crate) fn tls(&self) -> Option<&TlsConfig> {
        self.reach.tls.as_ref()
    }

    /// Who knows who is calling, where that counts.
    pub(crate) fn tailscale(&self) -> Option<&Tailscale> {
        self.reach.tailscale.as_ref()
    }

    pub(crate) fn version(&self) -> &str {
        &self.host.version
    }

    pub(crate) fn access(&self) -> Arc<AccessRules> {
        self.access.load_full()
    }

    pub(crate) fn methods(&self) -> &MethodTable {
        &self.methods
    }

    pub(crate) fn clients(&self) -> &Clients {
        &self.clients
    }

    /// The nodes that are here.
    pub(crate) fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    pub(crate) fn presence(&self) -> &Presence {
        &self.presence
    }

    pub(crate) fn health(&self) -> &Health {
        &self.health
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    pub(crate) fn guesses(&self) -> &GuessCounter {
        &self.guesses
    }

    /// Asked before every line that somebody who has not proven anything can cause.
    pub(crate) fn noise(&self) -> &LogLimiter {
        &self.noise
    }

    /// How many sockets there are of whom.
    pub(crate) fn connection_limits(&self) -> &ConnectionLimits {
        &self.connection_limits
    }

    /// What HTTP routes remember.
    pub(crate) fn http(&self) -> &HttpState {
        &self.http
    }

    pub(crate) fn upgrades(&self) -> &ScopeUpgrades {
        &self.upgrades
    }

    pub(crate) fn wizards(&self) -> &Wizards {
        &self.wizards
    }

    /// One per start of the gateway.
    pub(crate) fn boot_id(&self) -> &str {
        &self.boot_id
    }

    pub(crate) fn host(&self) -> &HostFacts {
        &self.host
    }

    /// Where handlers run.
    pub(crate) fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// HTTP connections that are open, each with a request under way or about to come.
    pub(crate) fn visitors(&self) -> &AtomicUsize {
        &self.visitors
    }

    /// Where connections run. After a hand-over some still say goodbye; the process is to wait for them.
    pub fn sockets(&self) -> &Tasks {
        &self.sockets
    }

    /// Cancelled when the gateway begins to stop.
    pub(crate) fn stopping(&self) -> &CancellationToken {
        &self.stopping
    }

    /// Starts the gateway afresh as soon as runs under way are over.
    pub fn ask_for_restart(&self) {
        self.restart.cancel();
    }

    /// Cancelled when somebody asked for a restart.
    pub(crate) fn restart_asked(&self) -> &CancellationToken {
        &self.restart
    }

    /// Leaves the listening socket and the store to another process as soon as runs under way are over.
    pub fn ask_for_hand_over(&self) {
        self.hand_over.cancel();
    }

    /// Cancelled when another process is ready to take over.
    pub(crate) fn hand_over_asked(&self) -> &CancellationToken {
        &self.hand_over
    }

    /// Cancelled when HTTP connections are to end with the request under way.
    pub(crate) fn leaving(&self) -> &CancellationToken {
        &self.leaving
    }

    /// How long a socket may take to finish `connect`.
    pub(crate) fn handshake_timeout(&self) -> Duration {
        let config = self.config.current();
        let set = config.env.get(HANDSHAKE_TIMEOUT_VARIABLE).and_then(|ms| ms.parse().ok());
        set.map_or(HANDSHAKE_TIMEOUT, Duration::from_millis)
    }

    pub(crate) fn uptime_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Takes over what a changed configuration says about access.
    pub(crate) fn refresh_access(&self) {
        self.access.store(Arc::new(AccessRules::new(&self.config.current())));
    }

    pub(crate) fn state_version(&self) -> StateVersion {
        StateVersion { presence: self.presence.version(), health: self.health.version() }
    }

    /// Counts a control-plane write.
    pub(crate) fn check_write_limit(&self, method: &str, caller: &Caller) -> Result<(), ErrorShape> {
        let key = format!("{method}|{}", caller.limit_key());
        self.writes.take(&key, Instant::now()).map_err(|wait| {
            ErrorShape::unavailable(format!("rate limit exceeded for {method}"))
                .with_details(json!({"method": method, "limit": "30 per 60s"}))
                .retry_after(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX))
        })
    }

    /// A client has been greeted.
    pub(crate) fn connected(&self, caller: &Caller) {
        self.clients.add(Arc::clone(&caller.client));
        self.metrics.connected();
        tracing::debug!(conn = %caller.client.conn, client = %caller.id, ip = %caller.peer.ip, "connected");
        if is_shown(caller.mode) {
            self.announce_presence();
        }
    }

    /// Has the store tell what is appended as long as somebody listens.
    pub(crate) fn listen_as_wanted(&self) {
        self.store.want_appends(self.clients.someone_listens(None));
    }

    /// A client is gone.
    pub(crate) fn disconnected(&self, caller: &Caller) {
        self.clients.remove(&caller.client.conn);
        self.listen_as_wanted();
        self.nodes.leave(&caller.client);
        self.metrics.disconnected();
        tracing::debug!(conn = %caller.client.conn, "disconnected");
        // A node that came back on another socket is still here.
        if !self.nodes.is_here(&caller.client) && self.presence.leave(caller) {
            self.announce_presence();
        }
    }

    fn announce_presence(&self) {
        let presence = self.presence.list(self.clock.now_ms());
        self.bus.publish_state(&PresenceEvent { presence }, self.state_version());
    }

    /// The answer to a good `connect`.
    pub(crate) fn hello(&self, conn: &ConnId, admission: &Admission) -> HelloOk {
        let config = self.config.current();
        let may_read = admission.role == Role::Operator && admission.scopes.grants(Scope::Read);
        let is_admin = admission.role == Role::Operator && admission.scopes.grants(Scope::Admin);
        let admin = |text: String| is_admin.then_some(text);
        let agent = config.agents.default_agent().id.clone();
        let model = self.relay.sessions().model_for(&SessionKey::main(agent.clone()), None);
        let paths = &self.config.source().paths;
        HelloOk {
            kind: HelloTag::HelloOk,
            protocol: PROTOCOL_VERSION,
            server: ServerDescription {
                version: self.host.version.clone(),
                conn_id: conn.to_string(),
                boot_id: self.boot_id.clone(),
            },
            features: Features {
                methods: self.methods.advertised(),
                events: ALL_EVENTS.iter().map(|&name| name.to_owned()).collect(),
                capabilities: CAPABILITIES.iter().map(|&name| name.to_owned()).collect(),
            },
            snapshot: HelloSnapshot {
                presence: if may_read { self.presence.list(self.clock.now_ms()) } else { Vec::new() },
                health: self.health.value(),
                state_version: self.state_version(),
                uptime_ms: self.uptime_ms(),
                session_defaults: SessionDefaultsHint {
                    default_agent_id: agent.to_string(),
                    main_key: "main".to_owned(),
                    main_session_key: SessionKey::main(agent).to_string(),
                    scope: "per-sender".to_owned(),
                    model_configured: model != homard_llm::Models::demo(),
                },
                config_path: admin(paths.config_path.display().to_string()),
                state_dir: admin(paths.state_dir.display().to_string()),
                auth_mode: admin(self.access().auth.mode().to_owned()),
            },
            auth: hello_auth(admission),
            policy: HelloPolicy {
                max_payload: as_u64(MAX_PAYLOAD),
                max_buffered_bytes: as_u64(MAX_BUFFERED_BYTES),
                tick_interval_ms: millis(TICK_INTERVAL),
                attachments: AttachmentPolicy {
                    max_bytes: MAX_ATTACHMENT_BYTES,
                    max_image_bytes: MAX_IMAGE_BYTES,
                },
            },
            plugin_surface_urls: None,
        }
    }
}

fn hello_auth(admission: &Admission) -> HelloAuth {
    let scopes: ScopeSet = admission.scopes;
    HelloAuth {
        role: admission.role.to_string(),
        scopes: scopes.to_strings(),
        method: admission.method.as_str().to_owned(),
        device_token: admission.device_token.as_ref().map(|(token, _)| token.clone()),
        issued_at_ms: admission.device_token.as_ref().map(|(_, at)| *at),
        device_tokens: (!admission.handed.is_empty()).then(|| admission.handed.clone()),
    }
}

fn as_u64(size: usize) -> u64 {
    u64::try_from(size).unwrap_or(u64::MAX)
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl std::fmt::Debug for Gateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gateway").field("boot_id", &self.boot_id).finish_non_exhaustive()
    }
}
