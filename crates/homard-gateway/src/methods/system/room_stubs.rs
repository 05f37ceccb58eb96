//! Lists of rooms that are not furnished.

use crate::error::RequestError;
use crate::table::Cx;

/// Says that there is nothing.
pub(crate) async fn nothing<P, R: Default>(_cx: Cx, _params: P) -> Result<R, RequestError> {
    Ok(R::default())
}
