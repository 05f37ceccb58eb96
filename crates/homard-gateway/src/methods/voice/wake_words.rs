//! `voicewake.get` and `voicewake.set`.

use homard_protocol::method::NoParams;
use homard_protocol::methods::voice::wake_words::WakeWords;

use crate::error::RequestError;
use crate::table::Cx;

/// `voicewake.get`.
pub(crate) async fn get(cx: Cx, _params: NoParams) -> Result<WakeWords, RequestError> {
    Ok(cx.gateway.nodes().wake_words().await?)
}

/// `voicewake.set`.
pub(crate) async fn set(cx: Cx, params: WakeWords) -> Result<WakeWords, RequestError> {
    Ok(cx.gateway.nodes().set_wake_words(&params.triggers).await?)
}
