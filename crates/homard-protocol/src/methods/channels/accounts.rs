//! `channels.*` beyond the status, and `web.login.*`: accounts on chat platforms and who may write to them.
//!
//! A platform that is not built, or an account that is not configured, is refused by name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::method::{Access, Method};
use crate::methods::channels::pairing_rows::{PairingAccount, PairingApproved, PairingDismissed, PairingRow};
use crate::scope::Scope;

/// `channels.start`.
#[derive(Debug)]
pub struct ChannelsStart;

impl Method for ChannelsStart {
    const NAME: &'static str = "channels.start";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = AccountParams;
    type Result = Value;
}

/// `channels.stop`.
#[derive(Debug)]
pub struct ChannelsStop;

impl Method for ChannelsStop {
    const NAME: &'static str = "channels.stop";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = AccountParams;
    type Result = Value;
}

/// `channels.logout`.
#[derive(Debug)]
pub struct ChannelsLogout;

impl Method for ChannelsLogout {
    const NAME: &'static str = "channels.logout";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = AccountParams;
    type Result = Value;
}

/// Which account.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AccountParams {
    pub channel: String,
    /// Which; the default one when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account_id: Option<String>,
}

/// `channels.pairing.list`: strangers who wrote and wait to be let in.
#[derive(Debug)]
pub struct ChannelsPairingList;

impl Method for ChannelsPairingList {
    const NAME: &'static str = "channels.pairing.list";
    const ACCESS: Access = Access::Operator(Scope::Pairing);
    type Params = PairingListParams;
    type Result = PairingListResult;
}

/// Parameters of [`ChannelsPairingList`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct PairingListParams {
    /// Only those of this platform.
    pub channel: Option<String>,
    /// Only those of this account.
    pub account_id: Option<String>,
}

/// Answer of [`ChannelsPairingList`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PairingListResult {
    /// The accounts strangers can write to.
    pub accounts: Vec<PairingAccount>,
    pub requests: Vec<PairingRow>,
    /// Whether anybody on a platform is known as the owner.
    pub command_owner_configured: bool,
    /// How many may wait, and how long.
    pub limits: PairingLimits,
}

/// How many strangers may wait, and how long.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PairingLimits {
    /// At the same time.
    pub pending_per_account: u32,
    /// Before they are forgotten.
    pub ttl_ms: u64,
}

/// `channels.pairing.approve`.
#[derive(Debug)]
pub struct ChannelsPairingApprove;

impl Method for ChannelsPairingApprove {
    const NAME: &'static str = "channels.pairing.approve";
    const ACCESS: Access = Access::Operator(Scope::Pairing);
    type Params = PairingApproveParams;
    type Result = PairingApproved;

    fn access_for(params: &Self::Params) -> Access {
        let owner = params.bootstrap_command_owner == Some(true);
        Access::Operator(if owner { Scope::Admin } else { Scope::Pairing })
    }
}

/// Parameters of [`ChannelsPairingApprove`].
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PairingApproveParams {
    pub channel: String,
    pub account_id: String,
    pub request_id: String,
    pub notify: Option<bool>,
    /// Also make the sender the owner; needs operator.admin.
    pub bootstrap_command_owner: Option<bool>,
}

/// `channels.pairing.dismiss`.
#[derive(Debug)]
pub struct ChannelsPairingDismiss;

impl Method for ChannelsPairingDismiss {
    const NAME: &'static str = "channels.pairing.dismiss";
    const ACCESS: Access = Access::Operator(Scope::Pairing);
    type Params = PairingDismissParams;
    type Result = PairingDismissed;
}

/// Parameters of [`ChannelsPairingDismiss`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PairingDismissParams {
    pub channel: String,
    pub account_id: String,
    pub request_id: String,
}

/// `web.login.start`: log in to a platform by scanning a code.
#[derive(Debug)]
pub struct WebLoginStart;

impl Method for WebLoginStart {
    const NAME: &'static str = "web.login.start";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    const ADVERTISED: bool = false;
    const EMPTY: bool = true;
    type Params = WebLoginStartParams;
    type Result = Value;
}

/// Parameters of [`WebLoginStart`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct WebLoginStartParams {
    pub channel: Option<String>,
    pub force: Option<bool>,
    /// How long that may take.
    pub timeout_ms: Option<u64>,
    pub verbose: Option<bool>,
    pub account_id: Option<String>,
}

/// `web.login.wait`.
#[derive(Debug)]
pub struct WebLoginWait;

impl Method for WebLoginWait {
    const NAME: &'static str = "web.login.wait";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    const ADVERTISED: bool = false;
    const EMPTY: bool = true;
    type Params = WebLoginWaitParams;
    type Result = Value;
}

/// Parameters of [`WebLoginWait`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct WebLoginWaitParams {
    pub channel: Option<String>,
    /// Which login, as the start named it.
    pub session_key: Option<String>,
    /// How long to wait.
    pub timeout_ms: Option<u64>,
    pub account_id: Option<String>,
    /// The code shown now; a newer one is answered at once.
    pub current_qr_data_url: Option<String>,
}
