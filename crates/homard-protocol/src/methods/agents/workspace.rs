//! `agents.workspace.*`: looking around in an agent's folder, without changing anything.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::id::AgentId;
use crate::method::{Access, Method};
use crate::scope::Scope;
use crate::word::words;

/// Entries in one answer of [`AgentsWorkspaceList`] unless the caller says otherwise, and most of them.
pub const MAX_WORKSPACE_ENTRIES: u32 = 500;

/// `agents.workspace.list`: what lies in one folder of a workspace.
#[derive(Debug)]
pub struct AgentsWorkspaceList;

impl Method for AgentsWorkspaceList {
    const NAME: &'static str = "agents.workspace.list";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = AgentsWorkspaceListParams;
    type Result = AgentsWorkspaceListResult;
}

/// Parameters of [`AgentsWorkspaceList`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentsWorkspaceListParams {
    pub agent_id: AgentId,
    /// The folder, seen from the workspace; the workspace itself when it is left out.
    pub path: Option<String>,
    /// How many to leave out.
    pub offset: Option<u64>,
    pub limit: Option<u32>,
}

words! {
    /// What lies in a folder.
    WorkspaceEntryKind {
        Directory = "directory",
        File = "file",
    }
}

/// Answer of [`AgentsWorkspaceList`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsWorkspaceListResult {
    pub agent_id: AgentId,
    /// The folder, seen from the workspace; empty for the workspace itself.
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_path: Option<String>,
    /// Folders first, then files, each by name.
    pub entries: Vec<WorkspaceEntry>,
    /// How many there are.
    pub total_entries: u64,
    /// How many were left out.
    pub offset: u64,
}

/// One thing in a folder.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceEntry {
    /// Seen from the workspace.
    pub path: String,
    pub name: String,
    pub kind: WorkspaceEntryKind,
    pub size: Option<u64>,
    /// When it last changed.
    pub updated_at_ms: Option<i64>,
}

/// `agents.workspace.get`: read one file of a workspace.
#[derive(Debug)]
pub struct AgentsWorkspaceGet;

impl Method for AgentsWorkspaceGet {
    const NAME: &'static str = "agents.workspace.get";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = AgentsWorkspaceGetParams;
    type Result = AgentsWorkspaceGetResult;
}

/// Parameters of [`AgentsWorkspaceGet`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentsWorkspaceGetParams {
    pub agent_id: AgentId,
    /// Seen from the workspace.
    pub path: String,
}

/// Answer of [`AgentsWorkspaceGet`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsWorkspaceGetResult {
    pub agent_id: AgentId,
    pub file: WorkspaceFile,
}

words! {
    /// How a file's content is spelled.
    WorkspaceEncoding {
        Utf8 = "utf8",
        Base64 = "base64",
    }
}

/// A file and what is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceFile {
    /// Seen from the workspace.
    pub path: String,
    pub name: String,
    pub size: u64,
    /// When it last changed.
    pub updated_at_ms: i64,
    pub mime_type: String,
    pub encoding: WorkspaceEncoding,
    pub content: String,
}
