//! `config.schema.lookup` and `config.openFile`: one key of the configuration, and its file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::method::{Access, Method, NoParams};
use crate::scope::Scope;
use crate::word::words;

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
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigSchemaLookupResult {
    /// As asked, in one spelling.
    pub path: String,
    /// What the value may be, without what lies beneath.
    pub schema: Value,
    pub reload_kind: Option<ReloadKind>,
    pub hint: Option<ConfigHint>,
    /// Whose words these are.
    pub hint_path: Option<String>,
    pub children: Vec<ConfigChild>,
}

words! {
    /// What a change of the configuration asks for.
    ReloadKind {
        Restart = "restart",
        Hot = "hot",
        None = "none",
    }
}

/// A key beneath another.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigChild {
    /// Its name; `*` for any.
    pub key: String,
    pub path: String,
    /// Its type, or types.
    #[serde(rename = "type")]
    pub kind: Option<Value>,
    /// Whether it must be there.
    pub required: bool,
    /// Whether something lies beneath it.
    pub has_children: bool,
    pub reload_kind: Option<ReloadKind>,
    pub hint: Option<ConfigHint>,
    /// Whose words these are.
    pub hint_path: Option<String>,
}

/// Words for people.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigHint {
    pub label: Option<String>,
    /// What it is for.
    pub help: Option<String>,
    /// Present and true for secrets.
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
