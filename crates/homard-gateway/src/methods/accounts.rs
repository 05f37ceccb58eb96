//! Accounts on chat platforms: there is no platform yet, so each one that is named is unknown.

use homard_protocol::ErrorShape;
use homard_protocol::methods::accounts::{AccountParams, WebLoginStartParams, WebLoginWaitParams};
use serde_json::Value;

use crate::table::Cx;

/// `channels.start`.
pub(super) async fn start(_cx: Cx, params: AccountParams) -> Result<Value, ErrorShape> {
    Err(unknown("channels.start", &params))
}

/// `channels.stop`.
pub(super) async fn stop(_cx: Cx, params: AccountParams) -> Result<Value, ErrorShape> {
    Err(unknown("channels.stop", &params))
}

/// `channels.logout`.
pub(super) async fn logout(_cx: Cx, params: AccountParams) -> Result<Value, ErrorShape> {
    Err(unknown("channels.logout", &params))
}

/// `web.login.start`.
pub(super) async fn login_start(_cx: Cx, _params: WebLoginStartParams) -> Result<Value, ErrorShape> {
    Err(no_login())
}

/// `web.login.wait`.
pub(super) async fn login_wait(_cx: Cx, _params: WebLoginWaitParams) -> Result<Value, ErrorShape> {
    Err(no_login())
}

fn unknown(method: &str, params: &AccountParams) -> ErrorShape {
    ErrorShape::invalid(format!("invalid {method} channel: there is no channel `{}`", params.channel))
}

fn no_login() -> ErrorShape {
    ErrorShape::invalid("web login provider is not available: no channel with a login is installed")
}
