//! `sessions.patchMany`: the same change to several conversations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;

use super::SessionsPatch;
use crate::frame::ErrorShape;
use crate::id::AgentId;
use crate::method::{Access, Method};
use crate::scope::Scope;
use crate::session_ref::SessionRef;

/// Most conversations changed at once.
pub const MAX_PATCHED: usize = 100;

/// `sessions.patchMany`.
#[derive(Debug)]
pub struct SessionsPatchMany;

impl Method for SessionsPatchMany {
    const LEAST: Access = SessionsPatch::LEAST;
    const NAME: &'static str = "sessions.patchMany";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = SessionsPatchManyParams;
    type Result = SessionsPatchManyResult;

    fn access_for(params: &Self::Params) -> Access {
        SessionsPatch::access_of(&params.patch)
    }
}

/// Parameters of [`SessionsPatchMany`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsPatchManyParams {
    pub targets: Vec<PatchTarget>,
    /// As in `sessions.patch`; `null` clears a setting.
    pub patch: Map<String, Value>,
}

/// One conversation to change.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PatchTarget {
    pub key: SessionRef,
    /// For bare keys: whose.
    pub agent_id: Option<AgentId>,
    /// Refuses the change when the conversation is not the one that was read.
    pub expected_session_id: Option<String>,
    /// Taken without effect, as in `sessions.patch`.
    pub expected_lifecycle_revision: Option<Value>,
}

/// Answer of [`SessionsPatchMany`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct SessionsPatchManyResult {
    /// One for each, in their order.
    pub outcomes: Vec<PatchOutcome>,
}

/// What became of one change.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatchOutcome {
    pub ok: bool,
    pub key: String,
    pub agent_id: Option<AgentId>,
    pub error: Option<ErrorShape>,
}
