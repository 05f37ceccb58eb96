//! A call for a thing to be said. Pure, so that every kind can be looked at in a table.

use frankenstein::ParseMode;
use frankenstein::methods::{
    CreateForumTopicParams, DeleteMessageParams, EditMessageCaptionParams, EditMessageTextParams,
    PinChatMessageParams, SendChatActionParams, SendMessageParams, SendPollParams, SetMessageReactionParams,
    UnpinChatMessageParams,
};
use frankenstein::types::{
    ChatAction, ChatId, InlineKeyboardButton, InlineKeyboardMarkup, InputPollOption, LinkPreviewOptions,
    ReactionType, ReactionTypeEmoji, ReplyMarkup, ReplyParameters,
};
use homard_channel::{Address, Button, ChannelError, Content, File, Outbound, Words};
use serde::Serialize;
use serde_json::{Map, Value};

use super::media;
use crate::telegram::errors::ApiError;

/// Longest value of a button, in bytes.
const MAX_BUTTON: usize = 64;
/// How long a poll may be open, in seconds.
const POLL_OPEN: std::ops::RangeInclusive<u64> = 5..=600;
/// How many answers a poll may have.
const POLL_OPTIONS: std::ops::RangeInclusive<usize> = 2..=10;
/// The topic that has no number when one writes to it.
const GENERAL_TOPIC: i32 = 1;

/// Another form of the same thing, tried when the server refuses the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Without formatting.
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
pub(super) struct Target {
    pub(super) chat: ChatId,
    topic: Option<i32>,
}

/// What is sent.
#[derive(Debug)]
pub(super) struct Call<'o> {
    pub(super) method: &'static str,
    pub(super) params: Map<String, Value>,
    pub(super) file: Option<(&'static str, &'o File)>,
}

impl Target {
    /// A number, or the `@name` of a public chat.
    pub(super) fn of(address: &Address) -> Result<Self, ChannelError> {
        let to = address.to.as_str();
        let bare = to.strip_prefix("telegram:").or_else(|| to.strip_prefix("tg:")).unwrap_or(to);
        let bare = bare.strip_prefix("group:").unwrap_or(bare);
        let chat = match bare.parse::<i64>() {
            Ok(number) => ChatId::Integer(number),
            Err(_) if bare.starts_with('@') && bare.len() > 1 => ChatId::String(bare.to_owned()),
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
    target: &Target,
    forms: &[Form],
    link_preview: bool,
) -> Result<Call<'o>, ApiError> {
    let chat = target.chat.clone();
    match &outbound.content {
        Content::Text { words, buttons } => {
            text(&Saying { outbound, target, forms, link_preview }, words, buttons)
        }
        Content::Media { file, caption } => {
            media::compose(&Saying { outbound, target, forms, link_preview }, file, caption)
        }
        Content::Poll { .. } => poll(&Saying { outbound, target, forms, link_preview }),
        Content::Edit { message_id, words, buttons } => {
            edit(&Saying { outbound, target, forms, link_preview }, message_id, words, buttons)
        }
        Content::Delete { message_id } => {
            let params = DeleteMessageParams::builder().chat_id(chat).message_id(number(message_id)?).build();
            call("deleteMessage", &params)
        }
        Content::React { message_id, emoji } => {
            // The server knows emoji without the mark that makes them colourful.
            let bare = emoji.as_deref().map(|emoji| emoji.trim().trim_end_matches('\u{fe0f}').to_owned());
            let reaction: Vec<ReactionType> =
                bare.map(|emoji| ReactionType::Emoji(ReactionTypeEmoji { emoji })).into_iter().collect();
            let params = SetMessageReactionParams::builder().chat_id(chat);
            call("setMessageReaction", &params.message_id(number(message_id)?).reaction(reaction).build())
        }
        Content::Pin { message_id, pinned: true } => {
            let params = PinChatMessageParams::builder().chat_id(chat).message_id(number(message_id)?);
            call("pinChatMessage", &params.disable_notification(outbound.silent).build())
        }
        Content::Pin { message_id, pinned: false } => {
            let params = UnpinChatMessageParams::builder().chat_id(chat).message_id(number(message_id)?);
            call("unpinChatMessage", &params.build())
        }
        Content::NewThread { name } => call(
            "createForumTopic",
            &CreateForumTopicParams::builder().chat_id(chat).name(name.clone()).build(),
        ),
        Content::Typing { voice } => {
            let action = if *voice { ChatAction::RecordVoice } else { ChatAction::Typing };
            let params = SendChatActionParams::builder().chat_id(chat).action(action);
            // Here even the general topic has its number.
            call("sendChatAction", &params.maybe_message_thread_id(target.topic).build())
        }
    }
}

/// A thing to be said and how.
pub(super) struct Saying<'o, 's> {
    pub(super) outbound: &'o Outbound,
    pub(super) target: &'s Target,
    pub(super) forms: &'s [Form],
    pub(super) link_preview: bool,
}

impl Saying<'_, '_> {
    /// A text in the form to try, and how it is to be read.
    pub(super) fn words(&self, words: &Words) -> (String, Option<ParseMode>) {
        if self.forms.contains(&Form::Plain) {
            (words.plain.clone(), None)
        } else {
            (words.formatted.clone(), Some(ParseMode::Html))
        }
    }

    /// The message it answers to; ids that are no numbers are presses of buttons, which cannot be answered to.
    pub(super) fn reply(&self) -> Option<ReplyParameters> {
        let message: i32 = self.outbound.reply_to.as_ref()?.parse().ok()?;
        Some(ReplyParameters::builder().message_id(message).allow_sending_without_reply(true).build())
    }

    pub(super) fn silent(&self) -> Option<bool> {
        self.outbound.silent.then_some(true)
    }
}

/// Parameters as they go out.
pub(super) fn call<'o, P: Serialize>(method: &'static str, params: &P) -> Result<Call<'o>, ApiError> {
    match serde_json::to_value(params) {
        Ok(Value::Object(params)) => Ok(Call { method, params, file: None }),
        Ok(_) => Err(ApiError::NotSendable(format!("{method} has no parameters"))),
        Err(error) => Err(ApiError::NotSendable(error.to_string())),
    }
}

/// Messages are numbered.
fn number(message_id: &str) -> Result<i32, ApiError> {
    message_id.trim().parse().map_err(|_error: std::num::ParseIntError| {
        ApiError::NotSendable(format!("`{message_id}` is no message of Telegram; write its number"))
    })
}

fn text<'o>(saying: &Saying<'o, '_>, words: &Words, buttons: &[Vec<Button>]) -> Result<Call<'o>, ApiError> {
    let (text, parse_mode) = saying.words(words);
    let params = SendMessageParams::builder()
        .chat_id(saying.target.chat.clone())
        .text(text)
        .maybe_parse_mode(parse_mode)
        .maybe_message_thread_id(saying.target.topic(saying.forms))
        .maybe_link_preview_options(preview(saying.link_preview))
        .maybe_disable_notification(saying.silent())
        .maybe_reply_parameters(saying.reply())
        .maybe_reply_markup(keyboard(buttons).map(ReplyMarkup::InlineKeyboardMarkup));
    call("sendMessage", &params.build())
}

fn edit<'o>(
    saying: &Saying<'o, '_>,
    message_id: &str,
    words: &Words,
    buttons: &[Vec<Button>],
) -> Result<Call<'o>, ApiError> {
    let (text, parse_mode) = saying.words(words);
    let (chat, message) = (saying.target.chat.clone(), number(message_id)?);
    let keyboard = keyboard(buttons);
    if saying.forms.contains(&Form::Caption) {
        let params = EditMessageCaptionParams::builder().chat_id(chat).message_id(message).caption(text);
        let params = params.maybe_parse_mode(parse_mode).maybe_reply_markup(keyboard);
        return call("editMessageCaption", &params.build());
    }
    let params = EditMessageTextParams::builder().chat_id(chat).message_id(message).text(text);
    let params = params.maybe_parse_mode(parse_mode).maybe_reply_markup(keyboard);
    call("editMessageText", &params.maybe_link_preview_options(preview(saying.link_preview)).build())
}

fn poll<'o>(saying: &Saying<'o, '_>) -> Result<Call<'o>, ApiError> {
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
    let options: Vec<InputPollOption> =
        options.iter().map(|option| InputPollOption::builder().text(option.clone()).build()).collect();
    let params = SendPollParams::builder()
        .chat_id(saying.target.chat.clone())
        .question(question.clone())
        .options(options)
        .is_anonymous(*anonymous)
        .allows_multiple_answers(*max_selections > 1)
        .maybe_open_period(open_seconds.and_then(|open| u32::try_from(open).ok()))
        .maybe_message_thread_id(saying.target.topic(saying.forms))
        .maybe_disable_notification(saying.silent())
        .maybe_reply_parameters(saying.reply());
    call("sendPoll", &params.build())
}

fn preview(wanted: bool) -> Option<LinkPreviewOptions> {
    (!wanted).then(|| LinkPreviewOptions::builder().is_disabled(true).build())
}

/// Rows of buttons. One whose value is too long could never come back, so it is left out.
pub(super) fn keyboard(rows: &[Vec<Button>]) -> Option<InlineKeyboardMarkup> {
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
    let shown = |button: &Button| {
        InlineKeyboardButton::builder().text(button.text.clone()).callback_data(button.value.clone()).build()
    };
    let rows: Vec<Vec<InlineKeyboardButton>> = rows
        .iter()
        .map(|row| row.iter().filter(usable).map(shown).collect::<Vec<_>>())
        .filter(|row| !row.is_empty())
        .collect();
    (!rows.is_empty()).then(|| InlineKeyboardMarkup::builder().inline_keyboard(rows).build())
}

#[cfg(test)]
mod tests;
