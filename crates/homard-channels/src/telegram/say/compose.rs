//! A call for a thing to be said. Pure, so that every kind can be looked at in a table.

use homard_channel::{Address, Button, ChannelError, Content, File, Outbound, RichText};
use serde_json::{Value, json};

use super::media;
use crate::telegram::errors::ApiError;
use crate::telegram::wire::{ChatId, Params};

/// Longest value of a button, in bytes.
const MAX_BUTTON: usize = 64;
/// How long a poll may be open, in seconds.
const POLL_OPEN: std::ops::RangeInclusive<u64> = 5..=600;
/// How many answers a poll may have.
const POLL_OPTIONS: std::ops::RangeInclusive<usize> = 2..=10;
/// The topic that has no number when one writes to it.
const GENERAL_TOPIC: i32 = 1;
/// How formatted texts are to be read.
const HTML: &str = "HTML";

/// Another form of the same thing, tried when the server refuses the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Plain,
    /// Not in its topic, which is gone.
    OutsideTopic,
    /// A picture as a file.
    AsDocument,
    /// The text beside a file instead of a text.
    Caption,
}

/// Where a call goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChatTarget {
    pub(super) chat: ChatId,
    topic: Option<i32>,
}

/// What is sent.
#[derive(Debug)]
pub(super) struct ApiCall<'o> {
    pub(super) method: &'static str,
    pub(super) params: serde_json::Map<String, Value>,
    pub(super) file: Option<(&'static str, &'o File)>,
}

impl ChatTarget {
    /// A number, or the `@name` of a public chat.
    pub(super) fn of(address: &Address) -> Result<Self, ChannelError> {
        let to = address.to.as_str();
        let bare = to.strip_prefix("telegram:").or_else(|| to.strip_prefix("tg:")).unwrap_or(to);
        let bare = bare.strip_prefix("group:").unwrap_or(bare);
        let chat = match bare.parse::<i64>() {
            Ok(number) => ChatId::Number(number),
            Err(_) if bare.starts_with('@') && bare.len() > 1 => ChatId::Name(bare.to_owned()),
            Err(_) => {
                return Err(ChannelError::Permanent(format!(
                    "`{to}` is no Telegram chat; write its number or the @name of a public one"
                )));
            }
        };
        let topic = address.thread.as_ref().and_then(|thread| thread.as_str().parse().ok());
        Ok(Self { chat, topic })
    }

    /// The topic to write to; the general one is written to by naming none.
    pub(super) fn topic(&self, forms: &[Form]) -> Option<i32> {
        self.topic.filter(|topic| *topic != GENERAL_TOPIC && !forms.contains(&Form::OutsideTopic))
    }
}

/// Makes the call.
pub(super) fn compose<'o>(
    outbound: &'o Outbound,
    target: &ChatTarget,
    forms: &[Form],
    link_preview: bool,
) -> Result<ApiCall<'o>, ApiError> {
    let to = || Params::new().with("chat_id", target.chat.clone());
    let about = |message_id: &str| Ok::<_, ApiError>(to().with("message_id", number(message_id)?));
    let whole = Composition { outbound, target, forms, link_preview };
    match &outbound.content {
        Content::Text { words, buttons } => Ok(text(&whole, words, buttons)),
        Content::Media { file, caption } => Ok(media::compose(&whole, file, caption)),
        Content::Poll { .. } => poll(&whole),
        Content::Edit { message_id, words, buttons } => edit(&whole, message_id, words, buttons),
        Content::Delete { message_id } => Ok(call("deleteMessage", about(message_id)?)),
        Content::React { message_id, emoji } => {
            // The server knows emoji without the mark that makes them colourful.
            let bare = emoji.as_deref().map(|emoji| emoji.trim().trim_end_matches('\u{fe0f}'));
            let reaction: Vec<Value> =
                bare.map(|emoji| json!({"type": "emoji", "emoji": emoji})).into_iter().collect();
            Ok(call("setMessageReaction", about(message_id)?.with("reaction", reaction)))
        }
        Content::Pin { message_id, pinned: true } => {
            let params = about(message_id)?.with("disable_notification", outbound.silent);
            Ok(call("pinChatMessage", params))
        }
        Content::Pin { message_id, pinned: false } => Ok(call("unpinChatMessage", about(message_id)?)),
        Content::NewThread { name } => Ok(call("createForumTopic", to().with("name", name.as_str()))),
        Content::Typing { voice } => {
            let action = if *voice { "record_voice" } else { "typing" };
            // Here even the general topic has its number.
            Ok(call("sendChatAction", to().with("action", action).maybe("message_thread_id", target.topic)))
        }
    }
}

/// A thing to be said and how.
pub(super) struct Composition<'o, 's> {
    pub(super) outbound: &'o Outbound,
    pub(super) target: &'s ChatTarget,
    pub(super) forms: &'s [Form],
    pub(super) link_preview: bool,
}

impl Composition<'_, '_> {
    /// A text in the form to try, and how it is to be read.
    pub(super) fn words(&self, words: &RichText) -> (String, Option<&'static str>) {
        if self.forms.contains(&Form::Plain) {
            (words.plain.clone(), None)
        } else {
            (words.formatted.clone(), Some(HTML))
        }
    }

    /// The message it answers to; ids that are no numbers are presses of buttons, which cannot be answered to.
    fn reply(&self) -> Option<Value> {
        let message: i32 = self.outbound.reply_to.as_ref()?.parse().ok()?;
        Some(json!({"message_id": message, "allow_sending_without_reply": true}))
    }

    /// What every new message has: where it goes, and what it answers to.
    pub(super) fn params(&self) -> Params {
        Params::new()
            .with("chat_id", self.target.chat.clone())
            .maybe("message_thread_id", self.target.topic(self.forms))
            .maybe("disable_notification", self.outbound.silent.then_some(true))
            .maybe("reply_parameters", self.reply())
    }
}

fn call<'o>(method: &'static str, params: Params) -> ApiCall<'o> {
    ApiCall { method, params: params.into_map(), file: None }
}

/// Messages are numbered.
fn number(message_id: &str) -> Result<i32, ApiError> {
    message_id.trim().parse().map_err(|_error: std::num::ParseIntError| {
        ApiError::NotSendable(format!("`{message_id}` is no message of Telegram; write its number"))
    })
}

fn text<'o>(saying: &Composition<'o, '_>, words: &RichText, buttons: &[Vec<Button>]) -> ApiCall<'o> {
    let (text, parse_mode) = saying.words(words);
    let params = saying
        .params()
        .with("text", text)
        .maybe("parse_mode", parse_mode)
        .maybe("link_preview_options", preview(saying.link_preview))
        .maybe("reply_markup", keyboard(buttons));
    call("sendMessage", params)
}

fn edit<'o>(
    saying: &Composition<'o, '_>,
    message_id: &str,
    words: &RichText,
    buttons: &[Vec<Button>],
) -> Result<ApiCall<'o>, ApiError> {
    let (text, parse_mode) = saying.words(words);
    let params = Params::new()
        .with("chat_id", saying.target.chat.clone())
        .with("message_id", number(message_id)?)
        .maybe("parse_mode", parse_mode)
        .maybe("reply_markup", keyboard(buttons));
    if saying.forms.contains(&Form::Caption) {
        return Ok(call("editMessageCaption", params.with("caption", text)));
    }
    let params = params.with("text", text).maybe("link_preview_options", preview(saying.link_preview));
    Ok(call("editMessageText", params))
}

fn poll<'o>(saying: &Composition<'o, '_>) -> Result<ApiCall<'o>, ApiError> {
    let Content::Poll { question, options, max_selections, open_seconds, anonymous } =
        &saying.outbound.content
    else {
        return Err(ApiError::NotSendable("not a poll".to_owned()));
    };
    if !POLL_OPTIONS.contains(&options.len()) {
        return Err(ApiError::NotSendable(format!("a poll has 2 to 10 answers, not {}", options.len())));
    }
    if let Some(open) = open_seconds.filter(|open| !POLL_OPEN.contains(open)) {
        return Err(ApiError::NotSendable(format!("a poll is open for 5 to 600 seconds, not {open}")));
    }
    let options: Vec<Value> = options.iter().map(|option| json!({"text": option})).collect();
    let params = saying
        .params()
        .with("question", question.as_str())
        .with("options", options)
        .with("is_anonymous", *anonymous)
        .with("allows_multiple_answers", *max_selections > 1)
        .maybe("open_period", *open_seconds);
    Ok(call("sendPoll", params))
}

fn preview(wanted: bool) -> Option<Value> {
    (!wanted).then(|| json!({"is_disabled": true}))
}

/// Rows of buttons. One whose value is too long could never come back, so it is left out.
fn keyboard(rows: &[Vec<Button>]) -> Option<Value> {
    let usable = |button: &&Button| {
        let fits = (1..=MAX_BUTTON).contains(&button.value.len()) && !button.text.trim().is_empty();
        if !fits {
            tracing::warn!(
                button = button.text,
                "a button's value must have 1 to {MAX_BUTTON} bytes; it is left out"
            );
        }
        fits
    };
    let shown = |button: &Button| json!({"text": button.text, "callback_data": button.value});
    let rows: Vec<Vec<Value>> = rows
        .iter()
        .map(|row| row.iter().filter(usable).map(shown).collect::<Vec<_>>())
        .filter(|row| !row.is_empty())
        .collect();
    (!rows.is_empty()).then(|| json!({"inline_keyboard": rows}))
}

#[cfg(test)]
mod tests;
