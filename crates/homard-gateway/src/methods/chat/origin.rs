//! Where a message of `chat.send` came from and what it answers to.

use homard_channel::Address;
use homard_protocol::methods::chat::ChatSendParams;
use homard_protocol::{EntryId, EntryKind, Message, SessionKey};
use homard_runtime::Clip;
use serde_json::{Map, Value, json};

use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::methods::channels::delivery;

/// Longest part of a message that is told again with one that answers it, in characters.
const MAX_QUOTED: usize = 2_000;

/// Where the answer goes beside those who watch: where the message came from, or where the conversation was last
/// spoken to.
pub(super) async fn answered(
    gateway: &Gateway,
    params: &ChatSendParams,
    key: &SessionKey,
) -> Result<Option<Address>, RequestError> {
    if params.mentions.as_ref().and_then(Value::as_array).is_some_and(|named| !named.is_empty()) {
        return Err(RequestError::invalid(
            "invalid chat.send params: at mentions: nobody else can be told: a gateway has one owner",
        ));
    }
    let from = [&params.originating_channel, &params.originating_to, &params.originating_account_id];
    let is_from_elsewhere = from.iter().any(|part| part.is_some()) || params.originating_thread_id.is_some();
    if params.deliver != Some(true) && (params.deliver.is_some() || !is_from_elsewhere) {
        return Ok(None);
    }
    if !is_from_elsewhere {
        return Ok(gateway.relay().messages().route_of(key).await?);
    }
    let said = [
        ("deliver", Some(json!(true))),
        ("channel", params.originating_channel.as_ref().map(|word| json!(word))),
        ("to", params.originating_to.as_ref().map(|word| json!(word))),
        ("accountId", params.originating_account_id.as_ref().map(|word| json!(word))),
        ("threadId", params.originating_thread_id.clone()),
    ];
    let place: Map<String, Value> =
        said.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
    delivery::destination(gateway, &place, key).await
}

/// What the message answers to, as the model is told it before the message; `None` when it answers to nothing. On a
/// chat platform the platform shows it.
pub(super) async fn quoted(
    gateway: &Gateway,
    params: &ChatSendParams,
    key: &SessionKey,
    is_on_platform: bool,
) -> Result<Option<String>, RequestError> {
    let Some(id) = params.reply_to_id.as_deref().filter(|_| !is_on_platform) else { return Ok(None) };
    let unknown =
        || RequestError::invalid("invalid chat.send params: at replyToId: no message of this session");
    let entry = EntryId::parse(id).ok().ok_or_else(unknown)?;
    let session = gateway.store().sessions().get(key).await?.ok_or_else(unknown)?;
    let found = gateway.store().transcripts().entry(&session.session_id, &entry).await?;
    let (who, said) = match found.map(|place| place.entry.kind) {
        Some(EntryKind::Message { message: Message::User(said) }) => {
            ("me", homard_policy::envelope::shown(&said.content.text()))
        }
        Some(EntryKind::Message { message: Message::Assistant(said) }) => ("you", said.text()),
        _ => return Err(unknown()),
    };
    let lines: Vec<String> =
        said.trim().ellipsis_within(MAX_QUOTED).lines().map(|line| format!("> {line}")).collect();
    Ok(Some(format!("[In answer to what {who} said:]\n{}\n\n", lines.join("\n"))))
}
