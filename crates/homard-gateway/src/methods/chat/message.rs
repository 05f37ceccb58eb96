//! `chat.message.get`.

use homard_protocol::EntryId;
use homard_protocol::methods::chat::message::{
    ChatMessageGetParams, ChatMessageGetResult, DEFAULT_MESSAGE_GET_CHARS, MAX_MESSAGE_GET_CHARS,
    MessageUnavailable,
};

use crate::error::RequestError;
use crate::methods::chat::shown;
use crate::methods::check_range;
use crate::methods::session_key;
use crate::table::Cx;

/// `chat.message.get`.
pub(crate) async fn get(cx: Cx, params: ChatMessageGetParams) -> Result<ChatMessageGetResult, RequestError> {
    let gateway = &cx.gateway;
    check_range("chat.message.get", "maxChars", params.max_chars, 1..=MAX_MESSAGE_GET_CHARS)?;
    let key = session_key(gateway, &params.session_key, params.agent_id.as_ref())?;
    let not = |why| ChatMessageGetResult { unavailable_reason: Some(why), ..Default::default() };
    let Ok(entry) = EntryId::parse(&params.message_id) else { return Ok(not(MessageUnavailable::NotFound)) };
    let Some(record) = gateway.store().sessions().get(&key).await? else {
        return Ok(not(MessageUnavailable::NotFound));
    };
    let found = gateway.store().transcripts().entry(&record.session_id, &entry).await?;
    let Some(place) = found else { return Ok(not(MessageUnavailable::NotFound)) };
    let limit = params.max_chars.unwrap_or(DEFAULT_MESSAGE_GET_CHARS);
    let Some(message) = shown(place, usize::try_from(limit).unwrap_or(usize::MAX)) else {
        return Ok(not(MessageUnavailable::NotVisible));
    };
    // A client asks here because it wants all of it.
    if message.pointer("/__openclaw/truncated").is_some() {
        return Ok(not(MessageUnavailable::Oversized));
    }
    Ok(ChatMessageGetResult { ok: true, message: Some(message), unavailable_reason: None })
}
