//! Whether something that may have been taken was.
//!
//! The server lists no messages of the bot, but it numbers them, and it says whether an edit changes anything. So the
//! messages after the last known one are told to be what was sent: the one that is already has been found. One that is
//! not there, is not ours or is of another kind answers with an error and stays as it is. Not so in channels, where a
//! bot may change what others posted: there nobody looks.

use homard_channel::{ChannelError, Content, KnownNearby, Outbound, Receipt};

use super::compose::{ChatTarget, Form, compose};
use super::send;
use crate::telegram::Telegram;
use crate::telegram::errors::ApiError;
use crate::telegram::wire::{ChatId, Params};

/// How many messages after the last known one are looked at. In direct chats the bot's chats share their numbers.
const MOST: i64 = 12;
/// How often the server is asked about one of them when it does not answer.
const TRIES: u32 = 3;
/// What the server says of a text it cannot read as it is formatted.
const UNREADABLE: &str = "can't parse entities";
/// What it says of an edit that changes nothing.
const SAME: &str = "message is not modified";

/// Looks for a text, or a file with a text, that may have been taken.
pub(crate) async fn find_sent(
    telegram: &Telegram,
    outbound: &Outbound,
    known: &KnownNearby,
) -> Result<Option<Receipt>, ChannelError> {
    let (words, buttons, form) = match &outbound.content {
        Content::Text { words, buttons } => (words, buttons.as_slice(), None),
        // Without a text one file is like another.
        Content::Media { caption, .. } if !caption.plain.is_empty() => {
            (caption, [].as_slice(), Some(Form::Caption))
        }
        _ => return Ok(None),
    };
    let here = format!("{}:", outbound.address.to);
    let heard = known.answers.iter().filter_map(|key| key.strip_prefix(&here));
    let said = known.older.iter().chain(&outbound.reply_to).map(String::as_str);
    let Some(last) = heard.chain(said).filter_map(|id| id.parse::<i64>().ok()).max() else {
        return Ok(None);
    };
    let target = ChatTarget::of(&outbound.address)?;
    if is_channel(telegram, &target).await? {
        return Ok(None);
    }
    for id in last.saturating_add(1)..=last.saturating_add(MOST) {
        let message_id = id.to_string();
        if known.others.contains(&message_id) {
            continue;
        }
        let (words, buttons) = (words.clone(), buttons.to_vec());
        let content = Content::Edit { message_id: message_id.clone(), words, buttons };
        let edit = Outbound { content, ..outbound.clone() };
        if is_that(telegram, &edit, &target, form).await? {
            return Ok(Some(Receipt { message_id, went_to: None }));
        }
    }
    Ok(None)
}

/// Whether a chat is a channel. Addresses do not always tell it from a group.
async fn is_channel(telegram: &Telegram, target: &ChatTarget) -> Result<bool, ChannelError> {
    if matches!(target.chat, ChatId::Number(1..)) {
        return Ok(false);
    }
    match telegram.api.call("getChat", &Params::new().with("chat_id", target.chat.clone())).await {
        Ok(chat) => Ok(chat.get("type").is_none_or(|kind| kind == "channel")),
        // Where it cannot be said what it is, nothing is touched.
        Err(ApiError::Refusal { code: 400 | 403, .. }) => Ok(true),
        Err(ApiError::Lost(why)) => Err(ChannelError::Unreachable(why)),
        Err(error) => Err(error.into()),
    }
}

/// Whether the message an edit is about says what it should, as formatted or plain.
async fn is_that(
    telegram: &Telegram,
    edit: &Outbound,
    target: &ChatTarget,
    form: Option<Form>,
) -> Result<bool, ChannelError> {
    let link_preview = telegram.settings.link_preview && !edit.no_previews;
    let mut forms: Vec<Form> = form.into_iter().collect();
    let mut tries = 0;
    loop {
        let error = match send(telegram, &compose(edit, target, &forms, link_preview)?).await {
            Ok(_changed) => return Ok(true),
            Err(error) => error,
        };
        match error {
            ApiError::Refusal { code: 400 | 403, .. } if error.says(SAME) => return Ok(true),
            ApiError::Refusal { code: 400 | 403, .. }
                if error.says(UNREADABLE) && !forms.contains(&Form::Plain) =>
            {
                forms.push(Form::Plain);
            }
            ApiError::Refusal { code: 400 | 403, .. } => return Ok(false),
            ApiError::NotReached(_) | ApiError::Lost(_) if tries + 1 < TRIES => tries += 1,
            // Nothing was said, so nothing is ambiguous.
            ApiError::NotReached(why) | ApiError::Lost(why) => return Err(ChannelError::Unreachable(why)),
            error => return Err(error.into()),
        }
    }
}
