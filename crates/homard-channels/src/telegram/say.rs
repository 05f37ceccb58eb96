//! How things are said: composed, sent, and said otherwise where the server refuses only the form.
//!
//! Nothing is sent twice here: another form is tried only after the server said that it did not take the first.

mod compose;
mod find;
mod media;

use homard_channel::{Address, ChannelError, Content, Outbound, Receipt};
use homard_protocol::{PeerId, ThreadId};
use serde_json::Value;

use super::Telegram;
use super::errors::ApiError;
use compose::{ApiCall, ChatTarget, Form, compose};

pub(super) use find::find_sent;

/// What the server says when only the form is wrong, and the form to try instead.
const OTHERWISE: &[(&str, Form)] = &[
    ("can't parse entities", Form::Plain),
    ("message thread not found", Form::OutsideTopic),
    ("PHOTO_INVALID_DIMENSIONS", Form::AsDocument),
    ("IMAGE_PROCESS_FAILED", Form::AsDocument),
    ("PHOTO_SAVE_FILE_INVALID", Form::AsDocument),
    ("there is no text in the message to edit", Form::Caption),
];

/// What the server says when everything already is as it should be: method and words.
const DONE_ALREADY: &[(&str, &str)] = &[
    ("editMessageText", "message is not modified"),
    ("editMessageCaption", "message is not modified"),
    ("deleteMessage", "message to delete not found"),
    ("unpinChatMessage", "message to unpin not found"),
];

/// Says one thing.
pub(super) async fn deliver(telegram: &Telegram, outbound: &Outbound) -> Result<Receipt, ChannelError> {
    let target = ChatTarget::of(&outbound.address)?;
    let (result, went_to) = match say(telegram, outbound, &target).await {
        Err(error) => match error.moved_to() {
            Some(moved) => {
                let address = Address { to: number(moved)?, ..outbound.address.clone() };
                let target = ChatTarget::of(&address)?;
                (say(telegram, outbound, &target).await?, Some(address))
            }
            None => return Err(error.into()),
        },
        Ok(result) => (result, None),
    };
    receipt(telegram, outbound, &result, went_to)
}

async fn say(telegram: &Telegram, outbound: &Outbound, target: &ChatTarget) -> Result<Value, ApiError> {
    let mut forms: Vec<Form> = Vec::new();
    loop {
        let link_preview = telegram.settings.link_preview && !outbound.no_previews;
        let call = compose(outbound, target, &forms, link_preview)?;
        let error = match send(telegram, &call).await {
            Ok(result) => return Ok(result),
            Err(error) => error,
        };
        if DONE_ALREADY.iter().any(|(method, words)| *method == call.method && error.says(words)) {
            return Ok(Value::Null);
        }
        match OTHERWISE.iter().find(|(words, form)| error.says(words) && !forms.contains(form)) {
            Some((_, form)) => {
                tracing::debug!(method = call.method, %error, "Telegram is told otherwise");
                forms.push(*form);
            }
            None => return Err(error),
        }
    }
}

async fn send(telegram: &Telegram, call: &ApiCall<'_>) -> Result<Value, ApiError> {
    match call.file {
        Some((field, file)) => telegram.api.upload(call.method, &call.params, field, file).await,
        None => telegram.api.call(call.method, &call.params).await,
    }
}

fn receipt(
    telegram: &Telegram,
    outbound: &Outbound,
    result: &Value,
    went_to: Option<Address>,
) -> Result<Receipt, ChannelError> {
    let address = went_to.as_ref().unwrap_or(&outbound.address);
    if let Content::NewThread { .. } = outbound.content {
        let Some(id) = result.get("message_thread_id").and_then(Value::as_i64) else {
            return Err(ChannelError::Unknown("the server did not number the new topic".to_owned()));
        };
        let thread = ThreadId::parse(&id.to_string()).ok();
        let began = Address { thread, ..address.clone() };
        return Ok(Receipt { message_id: id.to_string(), went_to: Some(began) });
    }
    let written = result.get("message_id").and_then(Value::as_i64);
    if let Some(id) = written
        && let Ok(chat) = address.to.as_str().parse()
    {
        telegram.recent.note(chat, id);
    }
    let message_id = match (&outbound.content, written) {
        (_, Some(id)) => id.to_string(),
        (
            Content::Edit { message_id, .. }
            | Content::Delete { message_id }
            | Content::React { message_id, .. }
            | Content::Pin { message_id, .. },
            None,
        ) => message_id.clone(),
        (Content::Text { .. } | Content::Media { .. } | Content::Poll { .. }, None)
        | (Content::NewThread { .. } | Content::Typing { .. }, None) => String::new(),
    };
    Ok(Receipt { message_id, went_to })
}

fn number(chat: i64) -> Result<PeerId, ChannelError> {
    PeerId::parse(&chat.to_string()).map_err(|error| ChannelError::Permanent(error.to_string()))
}
