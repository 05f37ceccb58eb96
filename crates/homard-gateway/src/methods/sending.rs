//! `send`, `poll` and `message.action`: there is no chat platform to write to yet.

use homard_protocol::ErrorShape;
use homard_protocol::methods::sending::{
    MAX_POLL_OPTIONS, MAX_POLL_SECONDS, MIN_POLL_OPTIONS, MessageActionParams, PollParams, SendParams,
};
use serde_json::Value;

use super::check_range;
use crate::table::Cx;

/// `send`.
pub(super) async fn send(_cx: Cx, params: SendParams) -> Result<Value, ErrorShape> {
    let filled = |text: Option<&String>| text.is_some_and(|text| !text.trim().is_empty());
    let media = filled(params.media_url.as_ref())
        || filled(params.buffer.as_ref())
        || params.media_urls.as_ref().is_some_and(|urls| !urls.is_empty());
    if !filled(params.message.as_ref()) && !media {
        return Err(ErrorShape::invalid("invalid send params: text or media is required"));
    }
    Err(refuse(params.channel.as_deref(), "channel"))
}

/// `poll`.
pub(super) async fn poll(_cx: Cx, params: PollParams) -> Result<Value, ErrorShape> {
    check_range("poll", "options", Some(params.options.len()), MIN_POLL_OPTIONS..=MAX_POLL_OPTIONS)?;
    let most = u64::try_from(MAX_POLL_OPTIONS).unwrap_or(u64::MAX);
    check_range("poll", "maxSelections", params.max_selections, 1..=most)?;
    check_range("poll", "durationSeconds", params.duration_seconds, 1..=MAX_POLL_SECONDS)?;
    check_range("poll", "durationHours", params.duration_hours, 1..=u64::MAX)?;
    Err(refuse(params.channel.as_deref(), "poll channel"))
}

/// `message.action`.
pub(super) async fn action(_cx: Cx, params: MessageActionParams) -> Result<Value, ErrorShape> {
    let MessageActionParams { channel, action, .. } = params;
    Err(ErrorShape::invalid(format!("Channel {channel} does not support action {action}.")))
}

fn refuse(channel: Option<&str>, what: &str) -> ErrorShape {
    ErrorShape::invalid(match channel {
        Some(channel) => format!("unsupported {what}: {channel}"),
        None => "Channel is required (no configured channels detected).".to_owned(),
    })
}
