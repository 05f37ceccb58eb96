//! `tools.*`: which tools there are, which a conversation is offered, and why. `tools.explain` is Homard's own.

pub mod hooks;
pub mod invoke;
pub mod search_status;
pub mod skills;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::id::AgentId;
use crate::method::{Access, Method};
use crate::scope::Scope;
use crate::session_key::SessionKey;
use crate::session_ref::SessionRef;
use crate::word::words;

/// `tools.catalog`: all tools.
#[derive(Debug)]
pub struct ToolsCatalog;

impl Method for ToolsCatalog {
    const NAME: &'static str = "tools.catalog";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = ToolsCatalogParams;
    type Result = ToolsCatalogResult;
}

/// Parameters of [`ToolsCatalog`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ToolsCatalogParams {
    /// Whose; the default agent's when left out.
    pub agent_id: Option<AgentId>,
    /// Whether tools of plugins are listed too.
    pub include_plugins: Option<bool>,
}

/// Answer to [`ToolsCatalog`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolsCatalogResult {
    pub agent_id: AgentId,
    pub profiles: Vec<ToolProfileRow>,
    pub groups: Vec<ToolGroupRow>,
}

/// A ready-made choice of tools.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolProfileRow {
    pub id: String,
    pub label: String,
}

/// A group of tools.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolGroupRow {
    /// Its id, without `group:`.
    pub id: String,
    pub label: String,
    pub source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plugin_id: Option<String>,
    pub tools: Vec<ToolRow>,
}

/// A tool.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolRow {
    /// The name the model calls it by.
    pub id: String,
    pub label: String,
    pub description: String,
    /// All the model is told, in `tools.effective`.
    pub raw_description: Option<String>,
    pub source: String,
    pub plugin_id: Option<String>,
    /// Profiles that have it, in `tools.catalog`.
    pub default_profiles: Option<Vec<String>>,
}

/// `tools.effective`: the tools a conversation is offered.
#[derive(Debug)]
pub struct ToolsEffective;

impl Method for ToolsEffective {
    const NAME: &'static str = "tools.effective";
    const ACCESS: Access = Access::Sessions(Scope::Read);
    type Params = ToolsEffectiveParams;
    type Result = ToolsEffectiveResult;
}

/// Parameters of [`ToolsEffective`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolsEffectiveParams {
    /// Whose, for bare keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// The conversation; it must exist.
    pub session_key: SessionRef,
}

/// Answer to [`ToolsEffective`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolsEffectiveResult {
    pub agent_id: AgentId,
    /// The profile in effect.
    pub profile: String,
    pub groups: Vec<ToolGroupRow>,
    /// What the owner should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notices: Option<Vec<String>>,
}

/// `tools.explain`: why a tool is offered or not.
#[derive(Debug)]
pub struct ToolsExplain;

impl Method for ToolsExplain {
    const NAME: &'static str = "tools.explain";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = ToolsExplainParams;
    type Result = ToolsExplainResult;
}

/// Parameters of [`ToolsExplain`]. The conversation need not exist.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolsExplainParams {
    /// The tool; all of them when left out.
    pub name: Option<String>,
    /// The conversation; the default agent's main one when left out.
    pub session_key: Option<SessionRef>,
    /// Supposing that this sender speaks; the owner when left out.
    pub sender: Option<String>,
    /// Supposing that this model answers.
    pub model: Option<String>,
}

/// Answer to [`ToolsExplain`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolsExplainResult {
    pub session_key: SessionKey,
    pub agent_id: AgentId,
    /// The model it is said for.
    pub model: String,
    /// The sender it is said for; the owner when left out.
    pub sender: Option<String>,
    /// Which files they may have, in words.
    pub files: Option<String>,
    pub tools: Vec<ExplainedTool>,
    /// What the owner should know: entries of lists that name nothing.
    pub notices: Vec<String>,
}

/// Why one tool is offered or not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedTool {
    pub name: String,
    /// Whether it is offered: it is there, and every layer agrees.
    pub offered: bool,
    /// Whether every layer agrees.
    pub allowed: bool,
    /// Whether there is such a tool in this gateway, as it is set up.
    pub exists: bool,
    /// The rule that decided, in words.
    pub decided_by: String,
    /// What to change to have it offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// Names that are spelled alike, when there is no such tool.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub similar: Vec<String>,
    /// What every layer says, in the order they are asked; only when one tool was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<ExplainedLayer>,
}

words! {
    /// What a layer says about a tool, in one word.
    #[derive(Default)]
    LayerWord {
        Denied = "denied",
        NotListed = "notListed",
        Allowed = "allowed",
        /// Nothing; the next one decides.
        #[default]
        Silent = "silent",
    }
}

/// What one layer says about a tool.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedLayer {
    pub layer: String,
    pub verdict: LayerWord,
    /// The entry that matched.
    pub pattern: Option<String>,
    /// Where it is configured.
    pub place: Option<String>,
    /// What it allows; empty allows everything.
    pub allow: Vec<String>,
    pub deny: Vec<String>,
    /// What to change, when it refuses.
    pub advice: Option<String>,
    /// Whether it is the one that decided.
    pub decides: bool,
}
