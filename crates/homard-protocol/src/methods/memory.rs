//! `memory.*`: what an agent wrote down for itself: `MEMORY.md` and the Markdown files under `memory/` of its workspace.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::AgentId;
use crate::method::{Access, Method};
use crate::scope::Scope;

/// Hits unless the caller says otherwise.
pub const DEFAULT_MEMORY_HITS: u32 = 20;
/// Most hits of one search.
pub const MAX_MEMORY_HITS: u32 = 100;
/// Longest question, in characters.
pub const MAX_MEMORY_QUERY_CHARS: usize = 512;

/// `memory.search`: passages in which the words are.
#[derive(Debug)]
pub struct MemorySearch;

impl Method for MemorySearch {
    const NAME: &'static str = "memory.search";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = MemorySearchParams;
    type Result = MemorySearchResult;
}

/// Parameters of [`MemorySearch`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemorySearchParams {
    /// Words, all of which must be in a file for it to be found.
    pub query: String,
    /// Whose memory; the default agent's when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// How many at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Answer of [`MemorySearch`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemorySearchResult {
    pub agent_id: AgentId,
    pub results: Vec<MemoryHit>,
    /// Present and true when there are more, or not everything was looked through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<bool>,
}

/// One passage that was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemoryHit {
    /// In which file, from the workspace on.
    pub path: String,
    /// Its first line, counted from 1.
    pub start_line: u32,
    pub end_line: u32,
    /// How well it fits, from 0 to 1.
    pub score: f64,
    pub snippet: String,
    /// When the file last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at_ms: Option<i64>,
}

/// `memory.list`: the files there are.
#[derive(Debug)]
pub struct MemoryList;

impl Method for MemoryList {
    const NAME: &'static str = "memory.list";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = MemoryListParams;
    type Result = MemoryListResult;
}

/// Parameters of [`MemoryList`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct MemoryListParams {
    /// Whose memory; the default agent's when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
}

/// Answer of [`MemoryList`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemoryListResult {
    pub agent_id: AgentId,
    pub workspace: String,
    pub files: Vec<MemoryFile>,
    /// Present and true when there are more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<bool>,
}

/// One file of a memory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemoryFile {
    /// From the workspace on, with `/`.
    pub path: String,
    pub size: u64,
    /// When it last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at_ms: Option<i64>,
}

/// `memory.get`: one of the files.
#[derive(Debug)]
pub struct MemoryGet;

impl Method for MemoryGet {
    const NAME: &'static str = "memory.get";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = MemoryGetParams;
    type Result = MemoryGetResult;
}

/// Parameters of [`MemoryGet`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemoryGetParams {
    /// Which, as [`MemoryList`] names it.
    pub path: String,
    /// Whose memory; the default agent's when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
}

/// Answer of [`MemoryGet`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemoryGetResult {
    pub agent_id: AgentId,
    pub path: String,
    pub text: String,
    /// SHA-256 of it, in hex.
    pub hash: String,
    pub size: u64,
    /// When it last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at_ms: Option<i64>,
}
