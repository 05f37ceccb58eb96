//! `channels.deadLetters`: what could not be delivered to a chat platform. Homard's own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::method::{Access, Method};
use crate::scope::Scope;

/// Messages in one answer unless the caller says otherwise.
pub const DEFAULT_DEAD_LETTERS: u32 = 50;
/// Most messages in one answer.
pub const MAX_DEAD_LETTERS: u32 = 500;

/// `channels.deadLetters`.
#[derive(Debug)]
pub struct ChannelsDeadLetters;

impl Method for ChannelsDeadLetters {
    const NAME: &'static str = "channels.deadLetters";
    const ACCESS: Access = Access::Operator(Scope::Read);
    const ADVERTISED: bool = false;
    type Params = DeadLettersParams;
    type Result = DeadLettersResult;
}

/// Parameters of [`ChannelsDeadLetters`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct DeadLettersParams {
    /// How many at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Answer to [`ChannelsDeadLetters`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeadLettersResult {
    /// What was given up, newest first.
    pub letters: Vec<DeadLetter>,
    /// How each account's outbox is.
    pub accounts: Vec<OutboxState>,
}

/// A message that was given up.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeadLetter {
    pub key: String,
    pub channel: String,
    pub account_id: String,
    pub conversation: String,
    /// When it was kept.
    pub created_at: i64,
    /// When it was given up.
    pub failed_at: Option<i64>,
    /// How often it was tried.
    pub tries: u32,
    /// Why it was given up.
    pub error: Option<String>,
}

/// How an account's outbox is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutboxState {
    pub channel: String,
    pub account_id: String,
    /// What waits or is being sent.
    pub waiting: u64,
    /// Since when the oldest of it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest_at: Option<i64>,
    /// What was sent, as far as it is remembered.
    pub sent: u64,
    /// What was given up.
    pub failed: u64,
    /// What may have been sent twice: nobody knew at least once whether the platform took it.
    pub ambiguous: u64,
}
