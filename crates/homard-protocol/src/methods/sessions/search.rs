//! `sessions.search`: finding what was said.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::id::{AgentId, EntryId, SessionId};
use crate::message::MessageRole;
use crate::method::{Access, Method};
use crate::methods::sessions::SessionsListParams;
use crate::scope::Scope;
use crate::session_key::SessionKey;
use crate::session_ref::SessionRef;
use crate::session_row::SessionRow;
use crate::word::Word;

/// Hits unless the caller says otherwise.
pub const DEFAULT_SEARCH_LIMIT: u32 = 20;
/// Most hits of one search.
pub const MAX_SEARCH_LIMIT: u32 = 25;
/// Longest question, in characters.
pub const MAX_QUERY_CHARS: usize = 4_096;
/// Most sessions named in one search.
pub const MAX_SEARCH_KEYS: usize = 200;

/// `sessions.search`: full-text search over transcripts.
#[derive(Debug)]
pub struct SessionsSearch;

impl Method for SessionsSearch {
    const NAME: &'static str = "sessions.search";
    const ACCESS: Access = Access::Sessions(Scope::Read);
    type Params = SessionsSearchParams;
    type Result = SessionsSearchResult;
}

/// Parameters of [`SessionsSearch`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsSearchParams {
    /// Words, all of which must be there; those in quotes in this order.
    pub query: String,
    /// Only this agent's sessions.
    pub agent_id: Option<AgentId>,
    pub session_keys: Option<Vec<SessionRef>>,
    /// Only sessions that `sessions.list` would list with this.
    pub scope: Option<SessionsListParams>,
    /// How many at most.
    pub limit: Option<u32>,
}

/// Answer of [`SessionsSearch`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsSearchResult {
    pub results: Vec<SessionsSearchHit>,
    /// The sessions of the hits.
    pub sessions: Vec<SessionRow>,
    /// Present and true while transcripts are still being read.
    pub indexing: Option<bool>,
    /// Present and true when there are more.
    pub truncated: Option<bool>,
}

/// One message that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsSearchHit {
    pub session_key: SessionKey,
    pub session_id: SessionId,
    pub message_id: EntryId,
    pub role: Word<MessageRole>,
    /// When it was said.
    pub timestamp: i64,
    /// The words around the first one found.
    pub snippet: String,
    /// How well it fits; more is better.
    pub score: f64,
}
