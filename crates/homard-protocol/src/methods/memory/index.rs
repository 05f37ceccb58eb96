//! The index a memory is searched by, and taking passages out of notes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::id::AgentId;
use crate::method::{Access, Method};
use crate::scope::Scope;

/// `memory.status`: how an agent's memory stands.
#[derive(Debug)]
pub struct MemoryStatus;

impl Method for MemoryStatus {
    const NAME: &'static str = "memory.status";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = super::MemoryListParams;
    type Result = MemoryStatusResult;
}

/// Answer of [`MemoryStatus`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemoryStatusResult {
    pub agent_id: AgentId,
    /// The file of the index. It may be deleted and is made anew.
    pub index: String,
    pub index_bytes: u64,
    pub files: u64,
    /// Conversations that are searched besides.
    #[serde(default)]
    pub sessions: u64,
    pub passages: u64,
    /// Passages that have a vector.
    pub vectors: u64,
    /// Who makes vectors, as `provider/model`; absent where the words alone are searched.
    pub model: Option<String>,
    /// Why no vectors are made, as far as somebody tried.
    pub trouble: Option<String>,
    /// Present while the index is being brought up to date.
    pub progress: Option<MemoryProgress>,
    /// Files that are not searched.
    pub skipped: Vec<MemorySkipped>,
    /// Present and true when the index was found broken and was made anew.
    pub was_broken: Option<bool>,
}

/// How far the index is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryProgress {
    pub done: u64,
    pub total: u64,
}

/// A file that is not searched.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemorySkipped {
    pub path: String,
    pub reason: String,
}

/// `memory.index`: brings an agent's index up to date.
#[derive(Debug)]
pub struct MemoryIndex;

impl Method for MemoryIndex {
    const NAME: &'static str = "memory.index";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = MemoryIndexParams;
    type Result = MemoryIndexResult;
}

/// Parameters of [`MemoryIndex`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct MemoryIndexParams {
    /// Whose memory; the default agent's when absent.
    pub agent_id: Option<AgentId>,
    /// Make it anew from the files.
    pub force: Option<bool>,
}

/// Answer of [`MemoryIndex`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemoryIndexResult {
    pub agent_id: AgentId,
    /// Files that were read and cut anew.
    pub indexed: u64,
    /// Files that are gone.
    pub forgotten: u64,
    pub unchanged: u64,
    pub skipped: Vec<MemorySkipped>,
    /// Present and true when somebody else is at it already.
    pub busy: Option<bool>,
}

/// `memory.forget`: takes lines out of a note, or puts them back.
#[derive(Debug)]
pub struct MemoryForget;

impl Method for MemoryForget {
    const NAME: &'static str = "memory.forget";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = MemoryForgetParams;
    type Result = MemoryForgetResult;
}

/// Parameters of [`MemoryForget`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemoryForgetParams {
    /// Which note, as a search names it.
    pub path: String,
    /// The first line, counted from 1.
    pub start_line: u32,
    /// The last line that goes; one less than the first takes nothing out.
    pub end_line: u32,
    /// SHA-256 of the note as it was seen, in hex: nothing is done to another one.
    pub hash: String,
    /// Lines to put in their place, as when taking out is undone.
    pub replacement: Option<String>,
    /// Whose memory; the default agent's when absent.
    pub agent_id: Option<AgentId>,
}

/// Answer of [`MemoryForget`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemoryForgetResult {
    pub agent_id: AgentId,
    pub path: String,
    /// SHA-256 of the note as it is now, in hex.
    pub hash: String,
    /// What was taken out, with which it can be put back.
    pub removed: String,
}
