//! The gateway as a program on a machine: its key, its updates, its secrets, the machine, the browser.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;

use crate::id::DeviceId;
use crate::method::{Access, Method, NoParams};
use crate::scope::Scope;
use crate::session_ref::SessionRef;

/// `gateway.identity.get`: the gateway's own key, by which clients recognise it.
#[derive(Debug)]
pub struct GatewayIdentityGet;

impl Method for GatewayIdentityGet {
    const NAME: &'static str = "gateway.identity.get";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = NoParams;
    type Result = GatewayIdentity;
}

/// Answer of [`GatewayIdentityGet`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayIdentity {
    /// Hex SHA-256 of the public key.
    pub device_id: DeviceId,
    /// The Ed25519 public key, in base64url.
    pub public_key: String,
}

/// `update.status`.
#[derive(Debug)]
pub struct UpdateStatus;

impl Method for UpdateStatus {
    const NAME: &'static str = "update.status";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = UpdateStatusParams;
    type Result = UpdateStatusResult;
}

/// Parameters of [`UpdateStatus`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct UpdateStatusParams {
    /// Look at the checkout again; taken, nothing is looked up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh_checkout: Option<bool>,
}

/// Answer of [`UpdateStatus`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateStatusResult {
    /// What the last update left behind; Homard makes none, so `null`.
    pub sentinel: Option<String>,
    /// A newer release; nobody is asked, so `null`.
    pub update_available: Option<String>,
    /// Which releases are followed.
    pub effective_channel: String,
    /// How this program came here.
    pub schedule: UpdateSchedule,
}

/// How this program came here, and that nothing updates it by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateSchedule {
    /// Which releases are followed.
    pub channel: String,
    pub auto_enabled: bool,
    /// How it was installed.
    pub install: UpdateInstall,
}

/// How a program was installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateInstall {
    pub kind: InstallKind,
}

/// The manner in which a program was installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum InstallKind {
    /// By a package manager.
    Package,
    /// Built from a checkout of the sources.
    Git,
    Unknown,
}

/// `update.run`.
#[derive(Debug)]
pub struct UpdateRun;

impl Method for UpdateRun {
    const NAME: &'static str = "update.run";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    const RATE_LIMITED: bool = true;
    type Params = UpdateRunParams;
    type Result = UpdateRunResult;
}

/// Parameters of [`UpdateRun`]; taken and not used, because Homard does not update itself.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct UpdateRunParams {
    pub requester: Option<Map<String, Value>>,
    /// Whom to tell afterwards.
    pub session_key: Option<SessionRef>,
    /// Where to tell it.
    pub delivery_context: Option<Map<String, Value>>,
    pub note: Option<String>,
    /// What to go on with.
    pub continuation_message: Option<String>,
    /// How long to wait before the restart.
    pub restart_delay_ms: Option<u64>,
    /// How long the update may take.
    pub timeout_ms: Option<u64>,
    /// What to update to.
    pub target: Option<Map<String, Value>>,
}

/// Answer of [`UpdateRun`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateRunResult {
    pub run_id: String,
    pub ok: bool,
    /// Whether anybody was told on a platform.
    pub ack_delivered: bool,
    /// Whether that will happen.
    pub ack_queued: bool,
    /// What to do instead.
    pub message: String,
    /// The same for programs.
    pub result: UpdateOutcome,
}

/// What became of an update.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UpdateOutcome {
    pub status: String,
    /// How Homard was installed.
    pub mode: InstallKind,
    pub reason: String,
}

/// `secrets.reload`: reads the configuration and what it refers to again.
#[derive(Debug)]
pub struct SecretsReload;

impl Method for SecretsReload {
    const NAME: &'static str = "secrets.reload";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = NoParams;
    type Result = SecretsReloaded;
}

/// Answer of [`SecretsReload`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretsReloaded {
    /// The new values are in use.
    pub ok: bool,
    /// What is odd about the configuration, counted.
    pub warning_count: usize,
}

/// `system.info`: the machine.
#[derive(Debug)]
pub struct SystemInfo;

impl Method for SystemInfo {
    const NAME: &'static str = "system.info";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = NoParams;
    type Result = SystemInfoResult;
}

/// Answer of [`SystemInfo`]. What this system does not tell is left out.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SystemInfoResult {
    /// What the machine is called.
    pub machine_name: String,
    /// Its name in the network.
    pub hostname: String,
    pub platform: String,
    /// Of the operating system.
    pub release: String,
    pub arch: String,
    pub os_label: String,
    pub port: u16,
    /// The gateway's process; for administrators.
    pub pid: Option<u32>,
    /// One per start of the gateway.
    pub process_instance_id: String,
    /// Since the gateway started.
    pub uptime_ms: u64,
    pub cpu_count: usize,
    /// Over one, five and fifteen minutes.
    pub load_average: Vec<f64>,
    /// Memory of the machine.
    pub memory_total_bytes: Option<u64>,
    /// What of it is free.
    pub memory_free_bytes: Option<u64>,
    /// The disk the state folder is on.
    pub disks: Vec<DiskInfo>,
    pub disk_total_bytes: Option<u64>,
    /// What of it is free.
    pub disk_available_bytes: Option<u64>,
    pub disk_path: Option<String>,
}

/// One disk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiskInfo {
    /// Where it is seen; for administrators.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    pub total_bytes: u64,
    /// What of it is free.
    pub available_bytes: u64,
}

/// `browser.request`: the browser's own control interface. There is no browser yet.
#[derive(Debug)]
pub struct BrowserRequest;

impl Method for BrowserRequest {
    const NAME: &'static str = "browser.request";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    const EMPTY: bool = true;
    type Params = BrowserRequestParams;
    type Result = Value;
}

/// Parameters of [`BrowserRequest`].
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BrowserRequestParams {
    pub method: BrowserMethod,
    pub path: String,
    pub query: Option<Map<String, Value>>,
    pub body: Option<Value>,
    /// How long it may take.
    pub timeout_ms: Option<u64>,
    pub node_id: Option<String>,
}

/// What may be asked of the browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum BrowserMethod {
    Get,
    Post,
    Delete,
}
