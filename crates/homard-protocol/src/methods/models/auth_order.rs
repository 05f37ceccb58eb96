//! `models.authOrderSet`: which of several credentials is tried first.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::id::AgentId;
use crate::method::{Access, Method};
use crate::scope::Scope;

/// `models.authOrderSet`.
#[derive(Debug)]
pub struct ModelsAuthOrderSet;

impl Method for ModelsAuthOrderSet {
    const NAME: &'static str = "models.authOrderSet";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    const RATE_LIMITED: bool = true;
    type Params = ModelsAuthOrderSetParams;
    type Result = ModelsAuthOrderSetResult;
}

/// Parameters of [`ModelsAuthOrderSet`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelsAuthOrderSetParams {
    pub provider: String,
    /// The credentials, the first one first; without them the usual rule decides again.
    pub profile_ids: Option<Vec<String>>,
    /// Whose; the default agent's when left out.
    pub agent_id: Option<AgentId>,
}

/// Answer of [`ModelsAuthOrderSet`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelsAuthOrderSetResult {
    pub ok: bool,
    pub provider: String,
    pub agent_id: AgentId,
    /// The order that holds now, if one is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile_ids: Option<Vec<String>>,
}
