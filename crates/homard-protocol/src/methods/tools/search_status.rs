//! `webSearch.status`: who searches the web for a conversation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::id::AgentId;
use crate::method::{Access, Method};
use crate::scope::Scope;

/// `webSearch.status`.
#[derive(Debug)]
pub struct WebSearchStatus;

impl Method for WebSearchStatus {
    const NAME: &'static str = "webSearch.status";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = WebSearchStatusParams;
    type Result = WebSearchStatusResult;
}

/// Parameters of [`WebSearchStatus`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct WebSearchStatusParams {
    pub agent_id: Option<AgentId>,
    /// Taken without effect: the same search is offered to every model.
    pub model_provider: Option<String>,
    pub model_id: Option<String>,
}

/// Answer of [`WebSearchStatus`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebSearchStatusResult {
    pub enabled: bool,
    pub provider: Option<String>,
    pub agent_id: AgentId,
    pub model: SearchingModel,
    pub route: SearchRoute,
    pub providers: Vec<SearchProviderRow>,
}

/// The model that would ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SearchingModel {
    pub provider: String,
    pub id: String,
    pub runtime: String,
}

/// The way a search takes.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SearchRoute {
    /// `managed`: the gateway asks; `unavailable`: nobody can.
    pub kind: String,
    pub provider: Option<String>,
    pub label: String,
    pub reason: Option<String>,
    /// Never: `webSearch.test` is not there.
    pub testable: bool,
}

/// One who could search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the wire has them")]
pub struct SearchProviderRow {
    pub id: String,
    /// `homard`: it is built in.
    pub plugin_id: String,
    pub label: String,
    pub hint: String,
    /// Whether it is the one that searches.
    pub configured: bool,
    pub installed: bool,
    pub available: bool,
    pub requires_credential: bool,
    /// `config`, `none` or `missing`; where a key came from is not looked up.
    pub credential_source: String,
    /// Where its settings are written.
    pub config_path: Vec<String>,
}
