//! `voicewake.get` and `voicewake.set`.

use homard_protocol::ErrorShape;
use homard_protocol::method::NoParams;
use homard_protocol::methods::voicewake::WakeWords;

use crate::error;
use crate::table::Cx;
use crate::voicewake;

/// `voicewake.get`.
pub(crate) async fn get(cx: Cx, _params: NoParams) -> Result<WakeWords, ErrorShape> {
    voicewake::words(&cx.gateway).await.map_err(|e| error::store(&e))
}

/// `voicewake.set`.
pub(crate) async fn set(cx: Cx, params: WakeWords) -> Result<WakeWords, ErrorShape> {
    voicewake::change(&cx.gateway, &params.triggers).await.map_err(|e| error::store(&e))
}
