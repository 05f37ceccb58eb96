//! `channels.status`: the chat platforms and how they are; `channels.platforms`: which there are.

pub mod accounts;
pub mod check;
pub mod dead_letters;
pub mod pairing_rows;
pub mod sending;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::method::{Access, Method, NoParams};
use crate::scope::Scope;

/// `channels.status`.
#[derive(Debug)]
pub struct ChannelsStatus;

impl Method for ChannelsStatus {
    const NAME: &'static str = "channels.status";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = ChannelsStatusParams;
    type Result = ChannelsStatusResult;
}

/// Parameters of [`ChannelsStatus`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ChannelsStatusParams {
    pub probe: Option<bool>,
    /// How long that may take.
    pub timeout_ms: Option<u64>,
    pub channel: Option<String>,
}

/// Answer of [`ChannelsStatus`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChannelsStatusResult {
    pub ts: i64,
    /// In which order to show them.
    pub channel_order: Vec<String>,
    /// What to call them.
    pub channel_labels: BTreeMap<String, String>,
    /// What to call them at length.
    pub channel_detail_labels: BTreeMap<String, String>,
    pub channel_system_images: BTreeMap<String, String>,
    /// The same in one list.
    pub channel_meta: Vec<Value>,
    pub channels: BTreeMap<String, Value>,
    /// How each account is.
    pub channel_accounts: BTreeMap<String, Vec<Value>>,
    /// Which account is used unless told otherwise.
    pub channel_default_account_id: BTreeMap<String, String>,
    pub status_issues: Vec<Value>,
}

/// `channels.platforms`: the chat platforms there are, with what a form needs to know. Homard's own.
#[derive(Debug)]
pub struct ChannelsPlatforms;

impl Method for ChannelsPlatforms {
    const NAME: &'static str = "channels.platforms";
    const ACCESS: Access = Access::Operator(Scope::Read);
    const ADVERTISED: bool = false;
    type Params = NoParams;
    type Result = ChannelsPlatformsResult;
}

/// Answer of [`ChannelsPlatforms`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChannelsPlatformsResult {
    /// In the order people are shown.
    pub platforms: Vec<ChannelPlatform>,
}

/// A chat platform.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChannelPlatform {
    /// Its name in configuration.
    pub id: String,
    /// What people call it.
    pub label: String,
    /// What it is, in a line.
    pub summary: String,
    /// Keys of its section that hold credentials.
    pub secrets: Vec<String>,
    /// Its section's JSON Schema. What has an `x-form` is asked for when an account is set up.
    pub schema: Value,
}
