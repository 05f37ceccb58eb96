//! `device.pair.*` and `device.token.*`: the owner decides which devices may connect, and for how long.

pub mod setup_codes;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::id::DeviceId;
use crate::method::{Access, Method, NoParams};
use crate::scope::{Role, Scope};
use crate::word::{Word, words};

/// Most characters of the name an owner gives a device.
pub const MAX_DEVICE_LABEL: usize = 64;

words! {
    /// How a device came to be approved.
    ApprovedVia {
        /// A person said yes.
        Owner = "owner",
        /// It is on the gateway's machine.
        Silent = "silent",
        /// It brought a set-up code.
        Bootstrap = "bootstrap",
    }
}

/// `device.pair.list`.
#[derive(Debug)]
pub struct DevicePairList;

impl Method for DevicePairList {
    const NAME: &'static str = "device.pair.list";
    const ACCESS: Access = Access::Operator(Scope::Pairing);
    type Params = NoParams;
    type Result = DevicePairListResult;
}

/// `device.pair.approve`.
#[derive(Debug)]
pub struct DevicePairApprove;

impl Method for DevicePairApprove {
    const NAME: &'static str = "device.pair.approve";
    const ACCESS: Access = Access::Operator(Scope::Pairing);
    type Params = DeviceRequestParams;
    type Result = DevicePairApproved;
}

/// `device.pair.reject`.
#[derive(Debug)]
pub struct DevicePairReject;

impl Method for DevicePairReject {
    const NAME: &'static str = "device.pair.reject";
    const ACCESS: Access = Access::Operator(Scope::Pairing);
    type Params = DeviceRequestParams;
    type Result = DevicePairRejected;
}

/// `device.pair.remove`.
#[derive(Debug)]
pub struct DevicePairRemove;

impl Method for DevicePairRemove {
    const NAME: &'static str = "device.pair.remove";
    const ACCESS: Access = Access::Operator(Scope::Pairing);
    type Params = DeviceParams;
    type Result = DeviceParams;
}

/// `device.pair.rename`.
#[derive(Debug)]
pub struct DevicePairRename;

impl Method for DevicePairRename {
    const NAME: &'static str = "device.pair.rename";
    const ACCESS: Access = Access::Operator(Scope::Pairing);
    type Params = DeviceLabel;
    type Result = DeviceLabel;
}

/// `device.token.rotate`.
#[derive(Debug)]
pub struct DeviceTokenRotate;

impl Method for DeviceTokenRotate {
    const NAME: &'static str = "device.token.rotate";
    const ACCESS: Access = Access::Operator(Scope::Pairing);
    type Params = DeviceTokenRotateParams;
    type Result = DeviceTokenRotated;
}

/// `device.token.revoke`.
#[derive(Debug)]
pub struct DeviceTokenRevoke;

impl Method for DeviceTokenRevoke {
    const NAME: &'static str = "device.token.revoke";
    const ACCESS: Access = Access::Operator(Scope::Pairing);
    type Params = DeviceTokenParams;
    type Result = DeviceTokenRevoked;
}

/// Which request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeviceRequestParams {
    /// As `device.pair.requested` named it.
    pub request_id: String,
}

/// Which device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeviceParams {
    /// Hex SHA-256 of its public key.
    pub device_id: DeviceId,
}

/// A device and what the owner calls it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeviceLabel {
    /// Hex SHA-256 of its public key.
    pub device_id: DeviceId,
    /// At most [`MAX_DEVICE_LABEL`] characters.
    pub label: String,
}

/// Which token: a device has one per role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeviceTokenParams {
    /// Hex SHA-256 of its public key.
    pub device_id: DeviceId,
    pub role: Role,
}

/// Which token, and what the new one may do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeviceTokenRotateParams {
    /// Hex SHA-256 of its public key.
    pub device_id: DeviceId,
    pub role: Role,
    /// At most what the device is approved for; as before when left out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub scopes: Option<Vec<String>>,
}

/// Everything about devices.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct DevicePairListResult {
    /// Requests that wait, oldest first.
    pub pending: Vec<PendingDeviceRow>,
    /// Devices that may connect, newest approval first.
    pub paired: Vec<PairedDeviceRow>,
}

/// A device that asks to be let in. What it says of itself is its own claim.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingDeviceRow {
    /// What approves or rejects it.
    pub request_id: String,
    /// Hex SHA-256 of its public key.
    pub device_id: DeviceId,
    /// Its Ed25519 public key, in base64url.
    pub public_key: String,
    /// What it calls itself.
    pub display_name: Option<String>,
    pub platform: Option<String>,
    pub device_family: Option<String>,
    /// Which program it runs.
    pub client_id: Option<String>,
    /// How that program uses the gateway.
    pub client_mode: Option<String>,
    /// The page it asks from, when it is one.
    pub browser_origin: Option<String>,
    /// The role it wants.
    pub role: Word<Role>,
    /// The same as a list.
    pub roles: Vec<Word<Role>>,
    /// The scopes it wants.
    pub scopes: Vec<String>,
    /// Where it asks from.
    pub remote_ip: Option<String>,
    /// Whether nobody is to be asked.
    pub silent: bool,
    /// Whether it is paired already and wants more.
    pub is_repair: bool,
    /// When it last asked.
    pub ts: i64,
    /// When the request is forgotten unless it asks again. Homard's own.
    #[serde(default)]
    pub expires_at_ms: i64,
}

/// A device that may connect.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PairedDeviceRow {
    /// Hex SHA-256 of its public key.
    pub device_id: DeviceId,
    /// Its Ed25519 public key, in base64url.
    pub public_key: String,
    /// What it calls itself.
    pub display_name: Option<String>,
    /// What the owner calls it.
    pub operator_label: Option<String>,
    pub platform: Option<String>,
    pub device_family: Option<String>,
    /// Which program it runs.
    pub client_id: Option<String>,
    /// How that program uses the gateway.
    pub client_mode: Option<String>,
    /// The first role it was approved for.
    pub role: Option<Word<Role>>,
    /// Every role it was approved for.
    pub roles: Vec<Word<Role>>,
    /// What it was approved for.
    pub scopes: Vec<String>,
    /// Where it was when it was approved.
    pub remote_ip: Option<String>,
    pub approved_via: Option<Word<ApprovedVia>>,
    /// When it was first paired.
    pub created_at_ms: i64,
    /// When it was last approved.
    pub approved_at_ms: i64,
    /// When it last connected.
    pub last_seen_at_ms: Option<i64>,
    /// Why that is known: `connect`.
    pub last_seen_reason: Option<String>,
    /// Whether it is connected now.
    pub connected: bool,
    /// Its tokens, without the bearers.
    pub tokens: Vec<DeviceTokenRow>,
}

/// A token without its bearer.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeviceTokenRow {
    pub role: Word<Role>,
    /// What it may do.
    pub scopes: Vec<String>,
    /// When it was first issued.
    pub created_at_ms: i64,
    /// When the bearer was last replaced.
    pub rotated_at_ms: Option<i64>,
    /// When it stopped being valid.
    pub revoked_at_ms: Option<i64>,
    /// When it was last presented.
    pub last_used_at_ms: Option<i64>,
}

/// Answer of [`DevicePairApprove`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevicePairApproved {
    pub request_id: String,
    /// The device as it may connect from now on.
    pub device: PairedDeviceRow,
}

/// Answer of [`DevicePairReject`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevicePairRejected {
    pub request_id: String,
    pub device_id: DeviceId,
}

/// How a new token reaches its device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TokenDelivery {
    /// In this answer: the device rotated its own.
    InBand,
    /// In the device's next hello: nobody else is shown it.
    WithheldCrossDevice,
}

/// Answer of [`DeviceTokenRotate`].
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeviceTokenRotated {
    pub device_id: DeviceId,
    pub role: Role,
    /// The bearer, only for the device itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// What it may do.
    pub scopes: Vec<String>,
    pub rotated_at_ms: i64,
    /// Whether `token` is here.
    pub token_delivery: TokenDelivery,
}

impl std::fmt::Debug for DeviceTokenRotated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { device_id, role, scopes, .. } = self;
        f.debug_struct("DeviceTokenRotated")
            .field("device_id", device_id)
            .field("role", role)
            .field("scopes", scopes)
            .finish_non_exhaustive()
    }
}

/// Answer of [`DeviceTokenRevoke`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeviceTokenRevoked {
    pub device_id: DeviceId,
    pub role: Role,
    /// Since when it opens no door.
    pub revoked_at_ms: i64,
}
