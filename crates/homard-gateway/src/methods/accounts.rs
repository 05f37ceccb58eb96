//! Accounts on chat platforms: there is no platform yet, so each one that is named is unknown.

use homard_protocol::ErrorShape;
use homard_protocol::methods::accounts::{
    PairingApproveParams, PairingDismissParams, PairingLimits, PairingListParams, PairingListResult,
    WebLoginStartParams, WebLoginWaitParams,
};
use serde_json::Value;

use crate::table::Cx;

/// Strangers that may wait per account.
const MAX_STRANGERS: u32 = 3;
/// How long they may wait, in milliseconds.
const STRANGER_TTL_MS: u64 = 3_600_000;

/// `channels.pairing.list`.
pub(super) async fn pairing_list(
    _cx: Cx,
    params: PairingListParams,
) -> Result<PairingListResult, ErrorShape> {
    if let Some(channel) = &params.channel {
        return Err(unknown_pairing(channel));
    }
    Ok(PairingListResult {
        accounts: Vec::new(),
        requests: Vec::new(),
        command_owner_configured: false,
        limits: PairingLimits { pending_per_account: MAX_STRANGERS, ttl_ms: STRANGER_TTL_MS },
    })
}

/// `channels.pairing.approve`.
pub(super) async fn pairing_approve(_cx: Cx, params: PairingApproveParams) -> Result<Value, ErrorShape> {
    Err(unknown_pairing(&params.channel))
}

/// `channels.pairing.dismiss`.
pub(super) async fn pairing_dismiss(_cx: Cx, params: PairingDismissParams) -> Result<Value, ErrorShape> {
    Err(unknown_pairing(&params.channel))
}

/// `web.login.start`.
pub(super) async fn login_start(_cx: Cx, _params: WebLoginStartParams) -> Result<Value, ErrorShape> {
    Err(no_login())
}

/// `web.login.wait`.
pub(super) async fn login_wait(_cx: Cx, _params: WebLoginWaitParams) -> Result<Value, ErrorShape> {
    Err(no_login())
}

fn unknown_pairing(channel: &str) -> ErrorShape {
    ErrorShape::invalid(format!("unknown pairing channel: {channel}"))
}

fn no_login() -> ErrorShape {
    ErrorShape::invalid("web login provider is not available: no channel with a login is installed")
}
