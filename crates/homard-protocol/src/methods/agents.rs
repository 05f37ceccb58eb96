//! `agents.create`, `.update`, `.delete` and `agents.files.*`: who answers, and the files that say how.

pub mod workspace;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::id::AgentId;
use crate::method::{Access, Method};
use crate::scope::Scope;
use crate::word::words;

/// Longest name of an agent, in characters.
pub const MAX_AGENT_NAME_CHARS: usize = 128;
/// Largest file that is read or written, in bytes.
pub const MAX_AGENT_FILE_BYTES: u64 = 2 * 1024 * 1024;

/// `agents.create`: one more agent, with a workspace of its own.
#[derive(Debug)]
pub struct AgentsCreate;

impl Method for AgentsCreate {
    const NAME: &'static str = "agents.create";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = AgentsCreateParams;
    type Result = AgentsCreateResult;
}

/// Parameters of [`AgentsCreate`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentsCreateParams {
    /// Its name; the id is made from it.
    pub name: String,
    /// Its folder; one is made when it is left out.
    pub workspace: Option<String>,
    pub model: Option<String>,
    pub emoji: Option<String>,
    pub avatar: Option<String>,
}

/// Answer of [`AgentsCreate`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsCreateResult {
    pub ok: bool,
    pub agent_id: AgentId,
    pub name: String,
    pub workspace: String,
    /// Its model, when one was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// `agents.update`: change an agent.
#[derive(Debug)]
pub struct AgentsUpdate;

impl Method for AgentsUpdate {
    const NAME: &'static str = "agents.update";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = AgentsUpdateParams;
    type Result = AgentsUpdateResult;
}

/// Parameters of [`AgentsUpdate`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentsUpdateParams {
    pub agent_id: AgentId,
    pub name: Option<String>,
    pub workspace: Option<String>,
    /// Its model: left out, `null` (the default again), or `provider/model`.
    #[serde(default, deserialize_with = "said", skip_serializing_if = "Said::is_unsaid")]
    #[schemars(with = "Option<String>")]
    pub model: Said,
    /// Who runs its turns; only Homard does.
    pub agent_runtime: Option<String>,
    pub emoji: Option<String>,
    pub avatar: Option<String>,
}

/// A text that may be left out, cleared or set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Said {
    #[default]
    Unsaid,
    Nothing,
    Text(String),
}

impl Said {
    fn is_unsaid(&self) -> bool {
        *self == Self::Unsaid
    }
}

impl Serialize for Said {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unsaid | Self::Nothing => to.serialize_none(),
            Self::Text(text) => to.serialize_str(text),
        }
    }
}

fn said<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Said, D::Error> {
    Ok(Option::<String>::deserialize(from)?.map_or(Said::Nothing, Said::Text))
}

/// Answer of [`AgentsUpdate`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsUpdateResult {
    pub ok: bool,
    pub agent_id: AgentId,
}

/// `agents.delete`: take an agent away; its files go to a trash folder unless they are to stay.
#[derive(Debug)]
pub struct AgentsDelete;

impl Method for AgentsDelete {
    const NAME: &'static str = "agents.delete";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = AgentsDeleteParams;
    type Result = AgentsDeleteResult;
}

/// Parameters of [`AgentsDelete`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentsDeleteParams {
    pub agent_id: AgentId,
    /// Whether its files go; true when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delete_files: Option<bool>,
}

/// Answer of [`AgentsDelete`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsDeleteResult {
    pub ok: bool,
    pub agent_id: AgentId,
    /// Routes that led to it and went with it.
    pub removed_bindings: u64,
    pub removed: Option<Vec<RemovedPath>>,
    /// Folders that could not.
    pub failed: Option<Vec<FailedPath>>,
}

words! {
    /// How a folder went.
    RemovalMethod {
        Trash = "trash",
        /// It was not there.
        Missing = "missing",
    }
}

/// A folder that went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemovedPath {
    pub path: String,
    pub method: RemovalMethod,
}

/// A folder that could not be taken away.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailedPath {
    pub path: String,
    pub reason: String,
}

/// `agents.files.list`: the files of a workspace that every turn is told.
#[derive(Debug)]
pub struct AgentsFilesList;

impl Method for AgentsFilesList {
    const NAME: &'static str = "agents.files.list";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = AgentsFilesListParams;
    type Result = AgentsFilesListResult;
}

/// Parameters of [`AgentsFilesList`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentsFilesListParams {
    pub agent_id: AgentId,
}

/// Answer of [`AgentsFilesList`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsFilesListResult {
    pub agent_id: AgentId,
    pub workspace: String,
    /// All that may be there.
    pub files: Vec<AgentFile>,
}

/// One of the files.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentFile {
    pub name: String,
    pub path: String,
    /// Whether it is not there.
    pub missing: bool,
    pub size: Option<u64>,
    /// When it last changed.
    pub updated_at_ms: Option<i64>,
    /// SHA-256 of it, in hex; to be sent back as `expectedHash`.
    pub hash: Option<String>,
    pub content: Option<String>,
}

/// `agents.files.get`: read one.
#[derive(Debug)]
pub struct AgentsFilesGet;

impl Method for AgentsFilesGet {
    const NAME: &'static str = "agents.files.get";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = AgentsFilesGetParams;
    type Result = AgentsFilesGetResult;
}

/// Parameters of [`AgentsFilesGet`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentsFilesGetParams {
    pub agent_id: AgentId,
    pub name: String,
}

/// Answer of [`AgentsFilesGet`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsFilesGetResult {
    pub agent_id: AgentId,
    pub workspace: String,
    pub file: AgentFile,
}

/// `agents.files.set`: write one, if it is still what the caller read.
#[derive(Debug)]
pub struct AgentsFilesSet;

impl Method for AgentsFilesSet {
    const NAME: &'static str = "agents.files.set";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = AgentsFilesSetParams;
    type Result = AgentsFilesSetResult;
}

/// Parameters of [`AgentsFilesSet`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentsFilesSetParams {
    pub agent_id: AgentId,
    pub name: String,
    pub content: String,
    /// The hash of what the caller read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_hash: Option<String>,
}

/// Answer of [`AgentsFilesSet`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsFilesSetResult {
    pub ok: bool,
    pub agent_id: AgentId,
    pub workspace: String,
    pub file: AgentFile,
}
