//! `voicewake.get` and `voicewake.set`.

use homard_protocol::ErrorShape;
use homard_protocol::method::NoParams;
use homard_protocol::methods::voicewake::WakeWords;

use crate::error;
use crate::table::Cx;

/// `voicewake.get`.
pub(crate) async fn get(cx: Cx, _params: NoParams) -> Result<WakeWords, ErrorShape> {
    cx.gateway.nodes().wake_words().await.map_err(|e| error::store(&e))
}

/// `voicewake.set`.
pub(crate) async fn set(cx: Cx, params: WakeWords) -> Result<WakeWords, ErrorShape> {
    cx.gateway.nodes().set_wake_words(&params.triggers).await.map_err(|e| error::store(&e))
}
