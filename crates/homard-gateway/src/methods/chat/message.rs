//! `chat.message.get`.

use homard_protocol::methods::chat_message::{
    ChatMessageGetParams, ChatMessageGetResult, DEFAULT_MESSAGE_GET_CHARS, MAX_MESSAGE_GET_CHARS,
};
use homard_protocol::{EntryId, ErrorShape};

use crate::error;
use crate::methods::chat::shown;
use crate::methods::check_range;
use crate::methods::session_key;
use crate::table::Cx;

/// `chat.message.get`.
pub(crate) async fn get(cx: Cx, params: ChatMessageGetParams) -> Result<ChatMessageGetResult, ErrorShape> {
    let gateway = &cx.gateway;
    check_range("chat.message.get", "maxChars", params.max_chars, 1..=MAX_MESSAGE_GET_CHARS)?;
    let key = session_key(gateway, &params.session_key, params.agent_id.as_deref())?;
    let not =
        |why: &str| ChatMessageGetResult { unavailable_reason: Some(why.to_owned()), ..Default::default() };
    let Ok(entry) = EntryId::parse(&params.message_id) else { return Ok(not("not_found")) };
    let Some(record) = gateway.store().sessions().get(&key).await.map_err(|e| error::store(&e))? else {
        return Ok(not("not_found"));
    };
    let found = gateway
        .store()
        .transcripts()
        .entry(&record.session_id, &entry)
        .await
        .map_err(|e| error::store(&e))?;
    let Some(place) = found else { return Ok(not("not_found")) };
    let limit = params.max_chars.unwrap_or(DEFAULT_MESSAGE_GET_CHARS);
    let Some(message) = shown(place, usize::try_from(limit).unwrap_or(usize::MAX)) else {
        return Ok(not("not_visible"));
    };
    // A client asks here because it wants all of it.
    if message.pointer("/__openclaw/truncated").is_some() {
        return Ok(not("oversized"));
    }
    Ok(ChatMessageGetResult { ok: true, message: Some(message), unavailable_reason: None })
}
