//! `channels.check`: whether an account would work, asked before its settings are written down. Homard's own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;

use crate::method::{Access, Method};
use crate::scope::Scope;

/// Longest a platform may take to answer, in milliseconds.
pub const MAX_CHECK_MS: u64 = 30_000;

/// `channels.check`.
#[derive(Debug)]
pub struct ChannelsCheck;

impl Method for ChannelsCheck {
    const NAME: &'static str = "channels.check";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    const ADVERTISED: bool = false;
    type Params = ChannelsCheckParams;
    type Result = ChannelsCheckResult;
}

/// Parameters of [`ChannelsCheck`]. `Debug` hides the settings: there are secrets among them.
#[skip_serializing_none]
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChannelsCheckParams {
    pub channel: String,
    /// Which account; the default one when left out.
    pub account_id: Option<String>,
    /// Its settings, laid over those that are written down; hidden secrets stand for what is written.
    #[serde(default)]
    pub section: Map<String, Value>,
    /// How long the platform may take.
    pub timeout_ms: Option<u64>,
}

impl std::fmt::Debug for ChannelsCheckParams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChannelsCheckParams")
            .field("channel", &self.channel)
            .field("account_id", &self.account_id)
            .finish_non_exhaustive()
    }
}

/// Answer of [`ChannelsCheck`]. An account that would not work is an answer, too.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChannelsCheckResult {
    /// Whether it would work.
    pub ok: bool,
    /// How long the platform took.
    pub elapsed_ms: i64,
    pub id: Option<String>,
    pub username: Option<String>,
    /// What else the platform says.
    #[serde(default)]
    pub facts: Value,
    /// What the owner should change there, in sentences.
    #[serde(default)]
    pub advice: Vec<String>,
    /// Why it would not work.
    pub error: Option<String>,
}
