//! Rows of `channels.pairing.*`: accounts strangers can write to, strangers who wait, and what came of an answer.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An account strangers can write to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PairingAccount {
    pub channel: String,
    /// What people call it.
    pub channel_label: String,
    /// Which of our accounts.
    pub account_id: String,
    /// What the owner calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account_label: Option<String>,
    /// Whether somebody who is let in can be told so.
    pub notify_supported: bool,
}

/// A stranger who waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PairingRow {
    /// Names the request; it is the code the stranger was told.
    pub request_id: String,
    /// The platform and the account they wrote to.
    #[serde(flatten)]
    pub account: PairingAccount,
    /// Who they are to the platform.
    pub sender_id: String,
    /// What they call themselves, else their id.
    pub sender_label: String,
    /// What else they say of themselves.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
    /// Since when, in ISO 8601.
    pub created_at: String,
    /// When they last wrote.
    pub last_seen_at: String,
    /// When they are forgotten.
    pub expires_at: String,
}

/// Answer of `channels.pairing.approve`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PairingApproved {
    pub request_id: String,
    /// Who is let in.
    pub sender_id: String,
    /// Whether they were told.
    pub notification: PairingNotification,
    /// Whether they are the owner now.
    pub command_owner_bootstrap: OwnerBootstrap,
}

/// Whether somebody who was let in was told so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PairingNotification {
    /// Nobody asked for it.
    NotRequested,
    /// The message is on its way.
    Sent,
    Unsupported,
    /// It could not be sent.
    Failed,
}

/// Whether somebody who was let in became the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OwnerBootstrap {
    /// Nobody asked for it.
    NotRequested,
    Configured,
    /// There is an owner already.
    AlreadyConfigured,
    /// It could not be written down.
    Unavailable,
}

/// Answer of `channels.pairing.dismiss`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PairingDismissed {
    pub request_id: String,
    pub sender_id: String,
}
