//! The answer to a good `connect`: what the gateway is, what it can do, and how things stand.

use homard_protocol::connect::{
    AttachmentPolicy, Features, HelloAuth, HelloOk, HelloPolicy, HelloSnapshot, HelloTag, ServerDescription,
    SessionDefaultsHint,
};
use homard_protocol::events::ALL_EVENTS;
use homard_protocol::limits::{
    MAX_ATTACHMENT_BYTES, MAX_BUFFERED_BYTES, MAX_IMAGE_BYTES, MAX_PAYLOAD, PROTOCOL_VERSION, TICK_INTERVAL,
};
use homard_protocol::{ConnId, Role, Scope, ScopeSet, SessionKey};
use homard_runtime::millis;

use crate::access::handshake::Admission;
use crate::gateway::Gateway;

/// What clients look for in the greeting before they use it. The first: `models.list` answers with what the
/// gateway itself would use, so that a client needs no catalogue of its own.
const CAPABILITIES: [&str; 1] = ["published-model-catalog"];

/// The answer to a good `connect`.
pub(crate) fn hello(gateway: &Gateway, conn: &ConnId, admission: &Admission) -> HelloOk {
    let config = gateway.config().current();
    let may_read = admission.role == Role::Operator && admission.scopes.grants(Scope::Read);
    let is_admin = admission.role == Role::Operator && admission.scopes.grants(Scope::Admin);
    let admin = |text: String| is_admin.then_some(text);
    let agent = config.agents.default_agent().id.clone();
    let model = gateway.relay().sessions().model_for(&SessionKey::main(agent.clone()), None);
    let paths = &gateway.config().source().paths;
    HelloOk {
        kind: HelloTag::HelloOk,
        protocol: PROTOCOL_VERSION,
        server: ServerDescription {
            version: gateway.diagnostics().host.version.clone(),
            conn_id: conn.to_string(),
            boot_id: gateway.lifecycle().boot_id.clone(),
        },
        features: Features {
            methods: gateway.connections().methods.advertised(),
            events: ALL_EVENTS.iter().map(|&name| name.to_owned()).collect(),
            capabilities: CAPABILITIES.iter().map(|&name| name.to_owned()).collect(),
        },
        snapshot: HelloSnapshot {
            presence: if may_read {
                gateway.connections().presence.list(gateway.clock().now_ms())
            } else {
                Vec::new()
            },
            health: gateway.diagnostics().health.value(),
            state_version: gateway.state_version(),
            uptime_ms: gateway.lifecycle().uptime_ms(),
            session_defaults: SessionDefaultsHint {
                default_agent_id: agent.to_string(),
                main_key: "main".to_owned(),
                main_session_key: SessionKey::main(agent).to_string(),
                scope: "per-sender".to_owned(),
                model_configured: model != homard_llm::Models::demo(),
            },
            config_path: admin(paths.config_path.display().to_string()),
            state_dir: admin(paths.state_dir.display().to_string()),
            auth_mode: is_admin.then(|| gateway.access().rules().auth.mode()),
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

fn hello_auth(admission: &Admission) -> HelloAuth {
    let scopes: ScopeSet = admission.scopes;
    HelloAuth {
        role: admission.role,
        scopes: scopes.to_strings(),
        method: admission.method,
        device_token: admission.device_token.as_ref().map(|(token, _)| token.clone()),
        issued_at_ms: admission.device_token.as_ref().map(|(_, at)| *at),
        device_tokens: (!admission.handed.is_empty()).then(|| admission.handed.clone()),
    }
}

fn as_u64(size: usize) -> u64 {
    u64::try_from(size).unwrap_or(u64::MAX)
}
