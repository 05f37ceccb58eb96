//! `config.*`: the owner's file, over the wire.

pub mod lookup;
pub mod wizard;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::method::{Access, Method, NoParams};
use crate::scope::Scope;
use crate::session_ref::SessionRef;

/// What stands in for a secret in everything that leaves the gateway; restored from disk when it comes back.
pub const REDACTED: &str = "__OPENCLAW_REDACTED__";

/// `config.get`.
#[derive(Debug)]
pub struct ConfigGet;

impl Method for ConfigGet {
    const NAME: &'static str = "config.get";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = NoParams;
    type Result = ConfigSnapshot;
}

/// The file as it is and as it is understood, secrets redacted.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the wire has them")]
pub struct ConfigSnapshot {
    pub path: String,
    /// Whether it is there.
    pub exists: bool,
    /// Whether it can be used.
    pub valid: bool,
    /// Its text; `null` when secrets could not be hidden in it.
    pub raw: Option<String>,
    pub parsed: Value,
    /// With includes and variables put in.
    pub source_config: Value,
    pub resolved: Value,
    pub config: Value,
    pub runtime_config: Value,
    /// SHA-256 of the text; to be sent back as `baseHash`.
    pub hash: String,
    pub config_revision_hash: String,
    /// Of what is running.
    pub applied_config_hash: Option<String>,
    pub issues: Vec<ConfigIssue>,
    pub warnings: Vec<ConfigIssue>,
    pub legacy_issues: Vec<ConfigIssue>,
    /// Other files it is made of.
    pub included_paths: Vec<String>,
    /// Which value came from which of them; not told yet.
    #[serde(default)]
    pub include_provenance: Vec<Value>,
    /// Whether the list of agents comes from another file, so that it cannot be changed here.
    #[serde(default)]
    pub agent_roster_include_owned: bool,
    /// The same of the routes.
    #[serde(default)]
    pub bindings_include_owned: bool,
}

/// Something wrong or odd in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigIssue {
    pub path: String,
    pub message: String,
}

/// `config.schema`.
#[derive(Debug)]
pub struct ConfigSchema;

impl Method for ConfigSchema {
    const NAME: &'static str = "config.schema";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = NoParams;
    type Result = ConfigSchemaResult;
}

/// Answer of [`ConfigSchema`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigSchemaResult {
    pub schema: Value,
    /// Labels and help by path.
    pub ui_hints: Value,
    pub version: String,
    pub generated_at: String,
}

/// `config.set`: replace the whole file.
#[derive(Debug)]
pub struct ConfigSet;

impl Method for ConfigSet {
    const NAME: &'static str = "config.set";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = ConfigSetParams;
    type Result = ConfigWriteResult;
}

/// Parameters of [`ConfigSet`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConfigSetParams {
    pub raw: String,
    /// The hash of the text this was made from; required when the file exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_hash: Option<String>,
}

/// `config.patch`: merge into the file.
#[derive(Debug)]
pub struct ConfigPatch;

impl Method for ConfigPatch {
    const NAME: &'static str = "config.patch";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    const RATE_LIMITED: bool = true;
    type Params = ConfigApplyParams;
    type Result = ConfigWriteResult;
}

/// `config.apply`: replace the file and restart if needed.
#[derive(Debug)]
pub struct ConfigApply;

impl Method for ConfigApply {
    const NAME: &'static str = "config.apply";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    const RATE_LIMITED: bool = true;
    type Params = ConfigApplyParams;
    type Result = ConfigWriteResult;
}

/// Parameters of [`ConfigPatch`] and [`ConfigApply`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConfigApplyParams {
    /// A merge patch (`null` deletes), or the new text.
    pub raw: String,
    pub base_hash: Option<String>,
    /// Who asked, to be told after a restart.
    pub session_key: Option<SessionRef>,
    /// Where to tell it.
    pub delivery_context: Option<Value>,
    pub note: Option<String>,
    /// How long to wait before a restart.
    pub restart_delay_ms: Option<u64>,
    /// Lists that are replaced instead of merged; patch only.
    pub replace_paths: Option<Vec<String>>,
}

/// Answer of every configuration write.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigWriteResult {
    pub ok: bool,
    /// Where it was written.
    pub path: String,
    /// Whether nothing had to be written.
    pub noop: Option<bool>,
    /// Of the new text.
    pub hash: Option<String>,
    /// The new file, secrets redacted.
    pub config: Value,
    pub changed_paths: Option<Vec<String>>,
    /// Present when a restart is needed for it to take effect.
    pub restart: Option<Value>,
    /// Who is told after that restart: `{persisted, payload}`.
    pub sentinel: Option<Value>,
}
