//! The handshake: `connect.challenge`, `connect` and `hello-ok`.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::frame::StateVersion;
use crate::presence::PresenceEntry;
use crate::scope::Role;
use crate::word::{Word, words};

/// Parameters of `connect`.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConnectParams {
    /// Oldest protocol the client speaks.
    pub min_protocol: u32,
    /// Newest protocol the client speaks.
    pub max_protocol: u32,
    pub client: ClientDescription,
    /// What the client understands beyond the basics.
    #[serde(default)]
    pub caps: Vec<String>,
    /// Commands a node offers.
    pub commands: Option<Vec<String>>,
    /// What a node's operating system lets it do.
    pub permissions: Option<BTreeMap<String, bool>>,
    pub path_env: Option<String>,
    /// A node's desktop control abilities.
    pub computer_use: Option<Value>,
    /// A node's worker runtime.
    pub worker_runs: Option<Value>,
    pub role: Option<Word<Role>>,
    /// Permissions asked for; none are implied.
    #[serde(default)]
    pub scopes: Vec<String>,
    /// Asks for a model catalogue after the hello.
    pub model_catalog: Option<Value>,
    /// Proof of a device key.
    pub device: Option<DeviceProof>,
    /// Shared secrets and tokens.
    pub auth: Option<ConnectAuth>,
    pub locale: Option<String>,
    pub user_agent: Option<String>,
}

/// Who is calling.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClientDescription {
    pub id: ClientId,
    pub mode: ClientMode,
    pub version: String,
    /// Its operating system; pinned when the device is paired.
    pub platform: String,
    /// A name for people.
    pub display_name: Option<String>,
    /// `iPhone`, `Linux` …; pinned when the device is paired.
    pub device_family: Option<String>,
    pub model_identifier: Option<String>,
    /// One per running program.
    pub instance_id: Option<String>,
    pub build_id: Option<String>,
    /// The person's time zone.
    pub time_zone: Option<String>,
}

/// The programs that may connect; the spelling is frozen by the ones already out there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClientId {
    /// An embedded chat page.
    WebchatUi,
    OpenclawControlUi,
    OpenclawBrowserCopilot,
    OpenclawTui,
    Webchat,
    Cli,
    /// A program of the owner's.
    GatewayClient,
    OpenclawMacos,
    OpenclawLinux,
    OpenclawIos,
    OpenclawWatchos,
    OpenclawAndroid,
    NodeHost,
    OpenclawWorker,
    Test,
    /// A scanner that asks only what this is.
    Fingerprint,
    OpenclawProbe,
}

/// In which manner a program connects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ClientMode {
    /// Chat in a browser.
    Webchat,
    Cli,
    Ui,
    Backend,
    /// A host that offers commands.
    Node,
    Worker,
    /// Only looking whether somebody is there.
    Probe,
    Test,
}

/// The wire spelling of a unit enum.
fn spelling<T: Serialize>(value: &T, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match serde_json::to_value(value) {
        Ok(Value::String(text)) => f.write_str(&text),
        _ => Err(fmt::Error),
    }
}

impl fmt::Display for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        spelling(self, f)
    }
}

impl fmt::Display for ClientMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        spelling(self, f)
    }
}

impl ClientId {
    /// Whether this is a page in a browser, which must come from an allowed origin.
    #[must_use]
    pub fn is_browser_ui(self) -> bool {
        matches!(
            self,
            Self::OpenclawControlUi | Self::WebchatUi | Self::Webchat | Self::OpenclawBrowserCopilot
        )
    }
}

/// Proof of a device key.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeviceProof {
    /// Hex SHA-256 of the raw public key.
    pub id: String,
    /// Raw Ed25519 key in base64url; base64 and PEM are taken too.
    pub public_key: String,
    /// Base64url signature over [`signed_payload`](crate::device::signed_payload).
    pub signature: String,
    /// When it was signed, milliseconds since 1970.
    pub signed_at: i64,
    pub nonce: String,
}

/// Shared secrets and tokens. `Debug` shows which are present, never what they are.
#[skip_serializing_none]
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConnectAuth {
    pub token: Option<String>,
    pub password: Option<String>,
    /// A token this gateway issued to the device earlier.
    pub device_token: Option<String>,
    /// A setup code's token.
    pub bootstrap_token: Option<String>,
    /// Internal to the reference system; taken and ignored.
    pub approval_runtime_token: Option<String>,
    /// Internal to the reference system; taken and ignored.
    pub agent_runtime_identity_token: Option<String>,
}

impl fmt::Debug for ConnectAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectAuth")
            .field("token", &self.token.is_some())
            .field("password", &self.password.is_some())
            .field("device_token", &self.device_token.is_some())
            .field("bootstrap_token", &self.bootstrap_token.is_some())
            .finish_non_exhaustive()
    }
}

/// Payload of the event every socket gets first.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ConnectChallenge {
    pub nonce: String,
    /// The gateway's clock; clients sign with it.
    pub ts: i64,
    /// What may be asked for in `connect`.
    pub capabilities: Vec<String>,
}

/// The answer to a good `connect`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HelloOk {
    #[serde(rename = "type")]
    pub kind: HelloTag,
    pub protocol: u32,
    pub server: ServerDescription,
    /// What may be called and heard.
    pub features: Features,
    pub snapshot: HelloSnapshot,
    /// What this socket may do.
    pub auth: HelloAuth,
    /// The limits in force.
    pub policy: HelloPolicy,
    /// Where documents made for people are found, by kind; good for as long as this socket is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plugin_surface_urls: Option<BTreeMap<String, String>>,
}

/// The hello's `type`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum HelloTag {
    #[default]
    #[serde(rename = "hello-ok")]
    HelloOk,
}

/// Who answers.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerDescription {
    pub version: String,
    pub conn_id: String,
    /// One per start of the gateway.
    pub boot_id: String,
}

/// What may be called and heard.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Features {
    pub methods: Vec<String>,
    pub events: Vec<String>,
    /// Optional behaviour clients gate on; only what is implemented.
    pub capabilities: Vec<String>,
}

/// How things stand at the moment of connecting.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HelloSnapshot {
    pub presence: Vec<PresenceEntry>,
    pub health: Value,
    pub state_version: StateVersion,
    /// Since the gateway started.
    pub uptime_ms: u64,
    /// Where a client that has no session yet should go.
    pub session_defaults: SessionDefaultsHint,
    pub config_path: Option<String>,
    pub state_dir: Option<String>,
    pub auth_mode: Option<AuthMode>,
}

/// Where a client that has no session yet should go.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionDefaultsHint {
    /// The agent that answers by default.
    pub default_agent_id: String,
    pub main_key: String,
    /// The main conversation's key.
    pub main_session_key: String,
    pub scope: String,
    /// Whether a real model is configured.
    pub model_configured: bool,
}

words! {
    /// How callers prove themselves.
    #[derive(Default)]
    AuthMode {
        /// By a shared token.
        #[default]
        Token = "token",
        /// By a shared password.
        Password = "password",
        /// Not at all.
        None = "none",
        /// A reverse proxy says who they are.
        TrustedProxy = "trusted-proxy",
    }
}

words! {
    /// How a client proved itself.
    AuthMethod {
        None = "none",
        Token = "token",
        Password = "password",
        /// A token issued to the device.
        DeviceToken = "device-token",
        /// The word of a trusted proxy.
        TrustedProxy = "trusted-proxy",
        /// The word of the tailnet.
        Tailscale = "tailscale",
        SetupCode = "bootstrap-token",
    }
}

/// What a socket may do.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HelloAuth {
    pub role: Role,
    pub scopes: Vec<String>,
    pub method: AuthMethod,
    /// To be used next time instead of the shared secret.
    pub device_token: Option<String>,
    /// When that token was made.
    pub issued_at_ms: Option<i64>,
    /// Tokens for other roles, handed to a device that came with a setup code.
    pub device_tokens: Option<Vec<HandedToken>>,
}

/// A token for another role than the one connected in. `Debug` hides it.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HandedToken {
    pub device_token: String,
    pub role: Role,
    /// What it may do.
    pub scopes: Vec<String>,
    /// When it was made.
    pub issued_at_ms: i64,
}

impl fmt::Debug for HandedToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandedToken").field("role", &self.role).finish_non_exhaustive()
    }
}

/// The limits in force.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HelloPolicy {
    pub max_payload: u64,
    /// What may wait unsent.
    pub max_buffered_bytes: u64,
    /// How often `tick` comes.
    pub tick_interval_ms: u64,
    /// How large attachments may be.
    pub attachments: AttachmentPolicy,
}

/// How large attachments may be.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachmentPolicy {
    pub max_bytes: u64,
    pub max_image_bytes: u64,
}
