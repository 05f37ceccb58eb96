//! `web.login.*`: no platform that can be connected is logged in to by scanning a code.

use crate::error::RequestError;
use homard_protocol::methods::channels::accounts::{WebLoginStartParams, WebLoginWaitParams};
use serde_json::Value;

use crate::table::Cx;

/// `web.login.start`.
pub(crate) async fn login_start(_cx: Cx, _params: WebLoginStartParams) -> Result<Value, RequestError> {
    Err(no_login())
}

/// `web.login.wait`.
pub(crate) async fn login_wait(_cx: Cx, _params: WebLoginWaitParams) -> Result<Value, RequestError> {
    Err(no_login())
}

fn no_login() -> RequestError {
    RequestError::invalid("web login provider is not available: no channel with a login is installed")
}
