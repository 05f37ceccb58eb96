//! `memory.*`: what an agent wrote down for itself: `MEMORY.md`, the Markdown files under `memory/` of its workspace, and
//! what else its owner counts to it.

pub mod index;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::id::AgentId;
use crate::method::{Access, Method};
use crate::scope::Scope;
use crate::session_key::SessionKey;

/// Hits unless the caller says otherwise.
pub const DEFAULT_MEMORY_HITS: u32 = 20;
/// Most hits of one search.
pub const MAX_MEMORY_HITS: u32 = 100;
/// Longest question, in characters.
pub const MAX_MEMORY_QUERY_CHARS: usize = 512;

/// `memory.search`: passages that fit a question.
#[derive(Debug)]
pub struct MemorySearch;

impl Method for MemorySearch {
    const NAME: &'static str = "memory.search";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = MemorySearchParams;
    type Result = MemorySearchResult;
}

/// Parameters of [`MemorySearch`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemorySearchParams {
    /// A question in plain words; none of them is required.
    pub query: String,
    /// Whose memory; the default agent's when absent.
    pub agent_id: Option<AgentId>,
    /// How many at most.
    pub limit: Option<u32>,
    /// Least score, from 0 to 1; the owner's setting when absent.
    pub min_score: Option<f64>,
}

/// Answer of [`MemorySearch`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemorySearchResult {
    pub agent_id: AgentId,
    pub results: Vec<MemoryHit>,
    /// Present and true when there are more.
    pub truncated: Option<bool>,
    /// Who made vectors for it, as `provider/model`; absent where the words alone were searched.
    pub model: Option<String>,
    /// What is not as it should be.
    pub note: Option<String>,
}

/// One passage that was found.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemoryHit {
    /// In which file, from the workspace on.
    pub path: String,
    /// Its first line, counted from 1.
    pub start_line: u32,
    pub end_line: u32,
    /// The line of it that fits best.
    #[serde(default)]
    pub line: u32,
    /// How well it fits, from 0 to 1.
    pub score: f64,
    pub snippet: String,
    /// When the file last changed.
    pub updated_at_ms: Option<i64>,
    /// The headings over it, outermost first.
    pub heading: Option<String>,
    /// The day it was written on, or is about, as `YYYY-MM-DD`.
    pub date: Option<String>,
    /// Words of the question that are in it, most telling first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matched: Vec<String>,
    /// How near its meaning is, where there are vectors.
    pub vector_score: Option<f64>,
    /// Whose words it is.
    #[serde(flatten)]
    pub whose: MemoryWhose,
}

crate::word::words! {
    /// What a passage is of.
    #[derive(Default)]
    MemorySource {
        /// A note.
        #[default]
        Memory = "memory",
        /// A conversation.
        Sessions = "sessions",
    }
}

crate::word::words! {
    /// Who wrote or said something, as far as is known.
    #[derive(Default)]
    MemoryWriter {
        #[default]
        Owner = "owner",
        Agent = "agent",
        /// Words of strangers were in play.
        Others = "others",
    }
}

/// Where a passage comes from, and whose words it is.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct MemoryWhose {
    pub source: MemorySource,
    /// Who wrote it, as far as is known.
    pub by: MemoryWriter,
    /// Where words of strangers came from that were in play.
    pub from_others: Option<String>,
    /// The conversation it was said in.
    pub session_key: Option<SessionKey>,
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
