//! `config.schema.lookup` and `config.openFile`: one key of the configuration, and its file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::method::{Access, Method, NoParams};
use crate::scope::Scope;

/// Longest path, in characters.
pub const MAX_LOOKUP_CHARS: usize = 1_024;

/// `config.schema.lookup`: what one key means and what lies beneath it.
#[derive(Debug)]
pub struct ConfigSchemaLookup;

impl Method for ConfigSchemaLookup {
    const NAME: &'static str = "config.schema.lookup";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = ConfigSchemaLookupParams;
    type Result = ConfigSchemaLookupResult;
}

/// Parameters of [`ConfigSchemaLookup`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConfigSchemaLookupParams {
    /// With dots; `*` for any name or place in a list.
    pub path: String,
}

/// Answer of [`ConfigSchemaLookup`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigSchemaLookupResult {
    /// As asked, in one spelling.
    pub path: String,
    /// What the value may be, without what lies beneath.
    pub schema: Value,
    /// What a change asks for: `restart`, `hot` or `none`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reload_kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<ConfigHint>,
    /// Whose words these are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint_path: Option<String>,
    pub children: Vec<ConfigChild>,
}

/// A key beneath another.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigChild {
    /// Its name; `*` for any.
    pub key: String,
    pub path: String,
    /// Its type, or types.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(rename = "type")]
    pub kind: Option<Value>,
    /// Whether it must be there.
    pub required: bool,
    /// Whether something lies beneath it.
    pub has_children: bool,
    /// What a change asks for: `restart`, `hot` or `none`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reload_kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<ConfigHint>,
    /// Whose words these are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint_path: Option<String>,
}

/// Words for people.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigHint {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Present and true for secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensitive: Option<bool>,
}

/// `config.openFile`: show the file in the editor of the machine the gateway runs on.
#[derive(Debug)]
pub struct ConfigOpenFile;

impl Method for ConfigOpenFile {
    const NAME: &'static str = "config.openFile";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    const ADVERTISED: bool = false;
    type Params = NoParams;
    type Result = ConfigOpenFileResult;
}

/// Answer of [`ConfigOpenFile`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigOpenFileResult {
    /// Whether something was opened.
    pub ok: bool,
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
