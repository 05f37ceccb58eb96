//! What pages ask about the gateway's machine: where work can be done, folders, lanes, what is kept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::id::AgentId;
use crate::method::{Access, Method, NoParams};
use crate::scope::Scope;

/// `environments.list`: machines that work can be done on: the gateway's own, and nodes.
#[derive(Debug)]
pub struct EnvironmentsList;

impl Method for EnvironmentsList {
    const NAME: &'static str = "environments.list";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = EnvironmentsParams;
    type Result = EnvironmentsResult;

    fn access_for(params: &EnvironmentsParams) -> Access {
        Access::Operator(if params.runtime_id.is_some() { Scope::Write } else { Scope::Read })
    }
}

/// Parameters of [`EnvironmentsList`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct EnvironmentsParams {
    /// Only those that a program of this name runs on: there are none.
    pub runtime_id: Option<String>,
    /// `profiles`: only kinds of machines that could be rented, of which there are none.
    pub projection: Option<String>,
    pub include_desktop_setup: Option<bool>,
}

/// Answer of [`EnvironmentsList`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EnvironmentsResult {
    pub environments: Vec<WorkPlace>,
}

/// A machine that work can be done on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkPlace {
    /// `gateway`, or `node:` and the node's id.
    pub id: String,
    /// `local` for the gateway's own machine, or `node`.
    #[serde(rename = "type")]
    pub kind: String,
    pub label: String,
    /// `available`, or `unavailable` while a node is not connected.
    pub status: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// Whether conversations live there; at the gateway's own machine alone.
    pub session_host: bool,
    pub capabilities: Vec<String>,
}

/// `fs.listDir`: folders of the gateway's machine, for choosing one. Who is not admin sees workspaces alone.
#[derive(Debug)]
pub struct FsListDir;

impl Method for FsListDir {
    const NAME: &'static str = "fs.listDir";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = FsListDirParams;
    type Result = FsListDirResult;

    fn access_for(params: &FsListDirParams) -> Access {
        Access::Operator(if params.node_id.is_some() { Scope::Admin } else { Scope::Write })
    }
}

/// Parameters of [`FsListDir`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct FsListDirParams {
    /// An absolute path; the home folder when it is left out.
    pub path: Option<String>,
    /// Folders of a node; refused, `node.invoke` asks one for them.
    pub node_id: Option<String>,
}

/// Answer of [`FsListDir`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FsListDirResult {
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    pub home: String,
    /// Hidden ones last, each by name.
    pub entries: Vec<HostFolder>,
}

/// A folder of the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HostFolder {
    pub name: String,
    pub path: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
}

/// `diagnostics.lanes`: how much goes on at once, and how much waits.
#[derive(Debug)]
pub struct DiagnosticsLanes;

impl Method for DiagnosticsLanes {
    const NAME: &'static str = "diagnostics.lanes";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = NoParams;
    type Result = LanesResult;
}

/// Answer of [`DiagnosticsLanes`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LanesResult {
    pub ts: i64,
    /// `main`, and `subagent` for conversations of subagents.
    pub lanes: Vec<LaneLoad>,
    /// The lanes of single conversations; `null` when none is awake.
    pub dynamic: Option<LaneTotals>,
}

/// One lane: runs that share places.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LaneLoad {
    pub lane: String,
    pub queued_count: usize,
    pub active_count: usize,
    pub max_concurrent: usize,
    pub draining: bool,
}

/// All conversations that are awake.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LaneTotals {
    pub lane_count: usize,
    pub active_count: usize,
    pub queued_count: usize,
    pub queued_lane_count: usize,
}

/// `sessions.storage.status`: how much room conversations take. Nothing is put into cold storage here.
#[derive(Debug)]
pub struct SessionsStorageStatus;

impl Method for SessionsStorageStatus {
    const NAME: &'static str = "sessions.storage.status";
    const ACCESS: Access = Access::Sessions(Scope::Admin);
    type Params = NoParams;
    type Result = StorageStatus;
}

/// Answer of [`SessionsStorageStatus`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StorageStatus {
    pub agents: Vec<AgentStorage>,
    pub maintenance: StorageMaintenance,
}

/// What one agent's conversations take. All agents share one database, whose size is told with each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentStorage {
    pub agent_id: AgentId,
    pub store_path: String,
    pub hot_transcripts: u64,
    pub cold_transcripts: u64,
    pub database_bytes: u64,
    pub wal_bytes: u64,
    pub archive_bytes: u64,
    pub embedded_archive_bytes: u64,
}

/// What moved conversations to cold storage; nothing does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StorageMaintenance {
    pub running: bool,
    pub last_started_at: Option<i64>,
    pub last_completed_at: Option<i64>,
    pub last_error: Option<String>,
    pub archived_transcripts: u64,
    pub externalized_transcripts: u64,
}
