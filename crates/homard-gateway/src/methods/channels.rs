//! `channels.status`: no chat platform can be connected yet, and that is what it says.

use homard_protocol::ErrorShape;
use homard_protocol::methods::channels::{ChannelsStatusParams, ChannelsStatusResult};

use crate::table::Cx;

/// `channels.status`.
pub(super) async fn status(cx: Cx, params: ChannelsStatusParams) -> Result<ChannelsStatusResult, ErrorShape> {
    if let Some(channel) = &params.channel {
        return Err(ErrorShape::invalid(format!("unknown channel: {channel}")));
    }
    Ok(ChannelsStatusResult { ts: cx.gateway.clock().now_ms(), ..ChannelsStatusResult::default() })
}
