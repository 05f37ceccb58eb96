//! `device.pair.setupCode`, `device.pair.setupStatus` and `device.scopes.*`: letting a device in by a code it
//! scans, and letting one that is in do more.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::connect::AuthMode;
use crate::id::DeviceId;
use crate::method::{Access, Method};
use crate::scope::{Scope, ScopeSet};

/// How long a setup code opens the door, in milliseconds.
pub const SETUP_TTL_MS: i64 = 600_000;
/// Most scopes of one request to do more.
pub const MAX_UPGRADE_SCOPES: usize = 8;
/// Longest name of a setup.
pub const MAX_SETUP_ID: usize = 128;

/// `device.pair.setupCode`.
#[derive(Debug)]
pub struct DevicePairSetupCode;

impl Method for DevicePairSetupCode {
    const NAME: &'static str = "device.pair.setupCode";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    const ADVERTISED: bool = false;
    type Params = SetupCodeParams;
    type Result = SetupCodeResult;
}

/// Parameters of [`DevicePairSetupCode`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SetupCodeParams {
    /// Where the device finds this gateway; worked out from the configuration when left out.
    pub public_url: Option<String>,
    /// Prefer `gateway.remote.url` to the address in the local network.
    pub prefer_remote_url: Option<bool>,
    /// Whether a picture of the code is wanted; it is unless this is false.
    pub include_qr: Option<bool>,
    /// What the device may do; everything a person's own device may when left out.
    pub bootstrap_profile: Option<SetupProfile>,
    /// Also an address that hands the code out once; for nodes only.
    pub join_url: Option<bool>,
}

/// What a device that comes with a code may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SetupProfile {
    /// A person's device that changes no settings.
    Limited,
    /// A machine that offers commands, and nothing else.
    Node,
    /// A machine that offers commands and listens to a person.
    VoiceNode,
}

/// What a code gives, as clients are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SetupAccess {
    /// Everything but deciding about devices.
    Full,
    /// The same without settings.
    Limited,
    Node,
}

impl SetupAccess {
    /// The wire spelling.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Limited => "limited",
            Self::Node => "node",
        }
    }
}

/// What a person's limited device may do.
const LIMITED: [Scope; 5] =
    [Scope::Read, Scope::Write, Scope::Approvals, Scope::Questions, Scope::TalkSecrets];

/// The scopes an operator gets by a code: of a profile, or of full access when there is none.
#[must_use]
pub fn setup_scopes(profile: Option<SetupProfile>) -> ScopeSet {
    match profile {
        None => LIMITED.into_iter().chain([Scope::Admin]).collect(),
        Some(SetupProfile::Limited) => LIMITED.into_iter().collect(),
        Some(SetupProfile::VoiceNode) => [Scope::Read, Scope::Talk].into_iter().collect(),
        Some(SetupProfile::Node) => ScopeSet::EMPTY,
    }
}

/// What clients are told of a profile.
#[must_use]
pub fn setup_access(profile: Option<SetupProfile>) -> SetupAccess {
    match profile {
        None => SetupAccess::Full,
        Some(SetupProfile::Limited | SetupProfile::VoiceNode) => SetupAccess::Limited,
        Some(SetupProfile::Node) => SetupAccess::Node,
    }
}

/// Answer of [`DevicePairSetupCode`]. `Debug` hides the code.
#[skip_serializing_none]
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SetupCodeResult {
    /// What `device.pair.setupStatus` asks for.
    pub setup_id: String,
    /// When the code ends.
    pub expires_at_ms: i64,
    /// What the device reads.
    pub setup_code: String,
    /// Hands the code out once.
    pub join_url: Option<String>,
    /// The code as a picture.
    pub qr_data_url: Option<String>,
    /// Where the device will connect.
    pub gateway_url: String,
    /// What the gateway asks everybody else for.
    pub auth: AuthMode,
    /// Where the address comes from.
    pub url_source: String,
    /// What the device may do.
    pub access: SetupAccess,
    /// That it may do less than was asked for, because the road to it is not encrypted.
    pub access_downgraded: Option<bool>,
}

impl std::fmt::Debug for SetupCodeResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SetupCodeResult")
            .field("setup_id", &self.setup_id)
            .field("gateway_url", &self.gateway_url)
            .finish_non_exhaustive()
    }
}

/// What is in a setup code. `Debug` hides the token.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SetupPayload {
    pub url: String,
    /// What to send as `auth.bootstrapToken`.
    pub bootstrap_token: String,
    pub expires_at_ms: i64,
}

impl SetupPayload {
    /// The code: JSON in base64url.
    #[must_use]
    pub fn encode(&self) -> String {
        URL_SAFE_NO_PAD.encode(serde_json::to_string(self).unwrap_or_default())
    }

    /// Reads a code.
    #[must_use]
    pub fn decode(code: &str) -> Option<Self> {
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(code.trim()).ok()?).ok()
    }
}

impl std::fmt::Debug for SetupPayload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SetupPayload").field("url", &self.url).finish_non_exhaustive()
    }
}

/// `device.pair.setupStatus`.
#[derive(Debug)]
pub struct DevicePairSetupStatus;

impl Method for DevicePairSetupStatus {
    const NAME: &'static str = "device.pair.setupStatus";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    const ADVERTISED: bool = false;
    type Params = SetupStatusParams;
    type Result = SetupStatusResult;
}

/// Parameters of [`DevicePairSetupStatus`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetupStatusParams {
    /// As the code's answer named it.
    pub setup_id: String,
}

/// Answer of [`DevicePairSetupStatus`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SetupStatusResult {
    /// Who came with the code; absent while nobody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion: Option<SetupCompletion>,
}

/// A device came in with a code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SetupCompletion {
    pub setup_id: String,
    pub device_id: DeviceId,
    /// What it calls itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_name: Option<String>,
    /// What it may do.
    pub access: SetupAccess,
    pub ts: i64,
}

/// `device.scopes.requestUpgrade`: a connected device asks to do more. No scope is needed to ask.
#[derive(Debug)]
pub struct DeviceScopesRequestUpgrade;

impl Method for DeviceScopesRequestUpgrade {
    const NAME: &'static str = "device.scopes.requestUpgrade";
    const ACCESS: Access = Access::AnyOperator;
    type Params = ScopeUpgradeParams;
    type Result = ScopeUpgradeAsked;
}

/// Parameters of [`DeviceScopesRequestUpgrade`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScopeUpgradeParams {
    /// Everything it wants to be able to do, what it has included.
    pub scopes: Vec<String>,
}

/// Answer of [`DeviceScopesRequestUpgrade`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScopeUpgradeAsked {
    /// What the owner approves or rejects; also the parameters of [`DeviceScopesWaitUpgrade`].
    pub request_id: String,
}

/// `device.scopes.waitUpgrade`: answers when the owner has decided.
#[derive(Debug)]
pub struct DeviceScopesWaitUpgrade;

impl Method for DeviceScopesWaitUpgrade {
    const NAME: &'static str = "device.scopes.waitUpgrade";
    const ACCESS: Access = Access::AnyOperator;
    type Params = ScopeUpgradeAsked;
    type Result = ScopeUpgradeOutcome;
}

/// Answer of [`DeviceScopesWaitUpgrade`]. `Debug` hides the token.
#[skip_serializing_none]
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScopeUpgradeOutcome {
    pub status: ScopeUpgradeStatus,
    pub request_id: String,
    /// To connect with from now on.
    pub device_token: Option<String>,
    /// What that may do.
    pub scopes: Option<Vec<String>>,
}

impl std::fmt::Debug for ScopeUpgradeOutcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScopeUpgradeOutcome")
            .field("status", &self.status)
            .field("request_id", &self.request_id)
            .finish_non_exhaustive()
    }
}

/// What was decided about a device that wants to do more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScopeUpgradeStatus {
    Approved,
    Rejected,
    /// Nobody decided in time.
    Expired,
}

#[cfg(test)]
mod tests;
