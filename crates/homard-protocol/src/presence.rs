//! Who is here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::scope::Role;
use crate::word::Word;

/// One client, node or the gateway itself.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PresenceEntry {
    /// When this entry was made or refreshed.
    pub ts: i64,
    /// Host or program name.
    pub host: Option<String>,
    pub client_id: Option<String>,
    pub ip: Option<String>,
    pub version: Option<String>,
    pub platform: Option<String>,
    /// Its kind of device.
    pub device_family: Option<String>,
    pub model_identifier: Option<String>,
    pub time_zone: Option<String>,
    /// In which manner it is connected.
    pub mode: Option<String>,
    /// Seconds since a person touched it.
    pub last_input_seconds: Option<u64>,
    /// Why this entry is here: `self`, `connect`, `disconnect` …
    pub reason: Option<String>,
    /// One line for people.
    pub text: Option<String>,
    /// Since when it is connected.
    pub online_since: Option<i64>,
    pub device_id: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Word<Role>>,
    /// What it may do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// One per running program.
    pub instance_id: Option<String>,
}
