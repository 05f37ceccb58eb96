//! What can be done with messages on chat platforms, in one closed list.

use homard_channel::{Abilities, Act, Button};
use homard_tools::{ButtonArgs, MessageArgs, MessageVerb, PortError};

use crate::approvals::BUTTON_PREFIX;

/// Fewest answers of a poll.
const MIN_POLL_OPTIONS: usize = 2;
/// Seconds in an hour.
const HOUR: u64 = 3_600;

/// What is to be done, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    pub deed: MessageAction,
    pub to: Place,
    /// The key under which doing it twice is harmless.
    pub key: String,
    /// Whether it is only to be said what would be done.
    pub dry_run: bool,
}

/// Where something is done, as far as anybody said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The platform, or an alias of it.
    pub channel: Option<String>,
    /// To whom; see `target`.
    pub target: Option<String>,
    /// Which of our accounts.
    pub account: Option<String>,
    pub thread: Option<String>,
}

/// What is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageAction {
    Send(Post),
    /// People are asked to choose.
    Poll(PollDraft),
    /// A reaction; none takes ours back.
    React {
        message_id: String,
        emoji: Option<String>,
    },
    /// New text for a sent message.
    Edit {
        message_id: String,
        /// What it says now, in Markdown.
        text: String,
        buttons: Vec<Vec<Button>>,
    },
    /// A message is taken back.
    Delete {
        message_id: String,
    },
    /// A message is pinned, or no longer.
    Pin {
        message_id: String,
        /// Whether it is pinned from now on.
        pinned: bool,
    },
    /// A thread is begun.
    NewThread {
        /// What it is called.
        name: String,
        /// What is said first in it.
        text: Option<String>,
    },
}

/// Something to say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Post {
    pub text: String,
    /// How it is written.
    pub writing: Writing,
    pub files: Vec<FileWanted>,
    /// How files are shown.
    pub guise: FileForm,
    /// Rows of buttons below the last part.
    pub buttons: Vec<Vec<Button>>,
    /// The message it answers to.
    pub reply_to: Option<String>,
    /// Whether nobody's device is to make a sound.
    pub silent: bool,
}

/// How a text is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Writing {
    #[default]
    Markdown,
    /// In the platform's own tags.
    Tags,
}

/// How files are shown, beyond what they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FileForm {
    /// As what they are.
    #[default]
    Plain,
    /// Sound as a voice message.
    Voice,
    /// Anything as a file.
    Document,
    /// Films as moving pictures.
    Animation,
    Sticker,
}

/// A file somebody wants sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileWanted {
    /// By a path, an http(s) address or a data URL.
    At(String),
    Bytes {
        bytes: Vec<u8>,
        name: Option<String>,
        mime: Option<String>,
    },
}

/// A question with answers to choose from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PollDraft {
    pub question: String,
    pub options: Vec<String>,
    /// How many may be chosen.
    pub max_selections: u32,
    /// How long it is open, in seconds.
    pub open_seconds: Option<u64>,
    /// Whether nobody sees who chose what.
    pub anonymous: bool,
    /// Whether nobody's device is to make a sound.
    pub silent: bool,
}

impl MessageAction {
    /// Its word.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Send(post) if post.guise == FileForm::Sticker => "sticker",
            Self::Send(_) => "send",
            Self::Poll(_) => "poll",
            Self::React { .. } => "react",
            Self::Edit { .. } => "edit",
            Self::Delete { .. } => "delete",
            Self::Pin { pinned: true, .. } => "pin",
            Self::Pin { pinned: false, .. } => "unpin",
            Self::NewThread { .. } => "thread-create",
        }
    }

    /// The keys under `actions` that can turn it off, and whether it is on when none is written.
    pub(crate) fn gates(&self) -> (&'static [&'static str], bool) {
        match self {
            Self::Send(post) if post.guise == FileForm::Sticker => (&["sticker", "stickers"], false),
            Self::Send(_) => (&["sendMessage", "messages"], true),
            Self::Poll(_) => (&["poll", "polls"], true),
            Self::React { .. } => (&["reactions"], true),
            Self::Edit { .. } => (&["editMessage", "messages"], true),
            Self::Delete { .. } => (&["deleteMessage", "messages"], true),
            Self::Pin { .. } => (&["pins"], true),
            Self::NewThread { .. } => (&["createForumTopic", "threads"], true),
        }
    }

    /// Whether a platform can do it.
    pub(crate) fn fits(&self, abilities: &Abilities) -> bool {
        match self {
            Self::Send(post) => post.buttons.is_empty() || abilities.can(Act::Buttons),
            Self::Poll(_) => abilities.polls.is_some(),
            Self::React { .. } => abilities.can(Act::React),
            Self::Edit { .. } => abilities.can(Act::Edit),
            Self::Delete { .. } => abilities.can(Act::Delete),
            Self::Pin { .. } => abilities.can(Act::Pin),
            Self::NewThread { .. } => abilities.can(Act::ManageThreads),
        }
    }
}

impl PollDraft {
    /// Refuses what no platform takes.
    pub(crate) fn check(&self, abilities: &Abilities) -> Result<(), String> {
        let Some(limits) = abilities.polls else { return Ok(()) };
        let options = self.options.len();
        if self.question.trim().is_empty() {
            return Err("a poll needs a question (pollQuestion)".to_owned());
        }
        if !(MIN_POLL_OPTIONS..=limits.options).contains(&options) {
            return Err(format!(
                "a poll here needs {MIN_POLL_OPTIONS} to {} answers (pollOption), not {options}",
                limits.options
            ));
        }
        let most = limits.open_for.as_secs();
        match self.open_seconds {
            Some(seconds) if seconds > most => {
                Err(format!("a poll here can be open for at most {most} seconds, not {seconds}"))
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// What a wish comes to.
pub(crate) fn deed_of(wish: &MessageArgs) -> Result<MessageAction, PortError> {
    let message_id = || {
        let id = wish.message_id.clone().or_else(|| wish.reply_to.clone());
        id.ok_or_else(|| missing("messageId", wish.action))
    };
    Ok(match wish.action {
        MessageVerb::React => {
            let emoji = wish.emoji.clone().filter(|emoji| !emoji.trim().is_empty() && !wish.remove);
            if emoji.is_none() && !wish.remove {
                return Err(missing("emoji", wish.action));
            }
            MessageAction::React { message_id: message_id()?, emoji }
        }
        MessageVerb::Edit => {
            let text = wish.message.clone().filter(|text| !text.trim().is_empty());
            let text = text.ok_or_else(|| missing("message", wish.action))?;
            MessageAction::Edit { message_id: message_id()?, text, buttons: buttons(&wish.buttons)? }
        }
        MessageVerb::Delete => MessageAction::Delete { message_id: message_id()? },
        MessageVerb::Pin => MessageAction::Pin { message_id: message_id()?, pinned: true },
        MessageVerb::Unpin => MessageAction::Pin { message_id: message_id()?, pinned: false },
        MessageVerb::Poll => MessageAction::Poll(ballot(wish)?),
        MessageVerb::ThreadCreate => {
            let name = wish.thread_name.clone().filter(|name| !name.trim().is_empty());
            MessageAction::NewThread {
                name: name.ok_or_else(|| missing("threadName", wish.action))?,
                text: wish.message.clone(),
            }
        }
        MessageVerb::ThreadReply if wish.thread_id.is_none() => {
            return Err(missing("threadId", wish.action));
        }
        MessageVerb::Reply if wish.reply_to.is_none() && wish.message_id.is_none() => {
            return Err(missing("replyTo", wish.action));
        }
        MessageVerb::Send
        | MessageVerb::Broadcast
        | MessageVerb::Reply
        | MessageVerb::ThreadReply
        | MessageVerb::Sticker
        | MessageVerb::SendAttachment => MessageAction::Send(post(wish)?),
    })
}

fn missing(field: &str, verb: MessageVerb) -> PortError {
    PortError::Invalid(format!("{field} is needed for the action {}", verb.as_str()))
}

fn ballot(wish: &MessageArgs) -> Result<PollDraft, PortError> {
    let question = wish.poll_question.clone().or_else(|| wish.message.clone());
    let hours = wish.poll_duration_hours.map(|hours| hours.saturating_mul(HOUR));
    let most = u32::try_from(wish.poll_option.len()).unwrap_or(u32::MAX).max(1);
    Ok(PollDraft {
        question: question.ok_or_else(|| missing("pollQuestion", wish.action))?,
        options: wish.poll_option.clone(),
        max_selections: if wish.poll_multi { most } else { 1 },
        open_seconds: wish.poll_duration_seconds.or(hours),
        anonymous: wish.poll_anonymous.unwrap_or(true),
        silent: wish.silent,
    })
}

fn post(wish: &MessageArgs) -> Result<Post, PortError> {
    let mut files: Vec<FileWanted> =
        wish.media.iter().chain(&wish.more_media).cloned().map(FileWanted::At).collect();
    if let Some(buffer) = &wish.buffer {
        let bytes = super::files::decode(buffer).map_err(PortError::Invalid)?;
        files.push(FileWanted::Bytes { bytes, name: wish.filename.clone(), mime: wish.content_type.clone() });
    }
    let said = [&wish.message, &wish.caption].into_iter().flatten().find(|text| !text.trim().is_empty());
    let text = said.cloned().unwrap_or_default();
    if files.is_empty() && text.is_empty() {
        let needed = match wish.action {
            MessageVerb::SendAttachment | MessageVerb::Sticker => "media",
            _ => "message or media",
        };
        return Err(missing(needed, wish.action));
    }
    let answered = if wish.action == MessageVerb::Reply { wish.message_id.clone() } else { None };
    let guise = match wish.action {
        MessageVerb::Sticker => FileForm::Sticker,
        _ if wish.as_voice => FileForm::Voice,
        _ if wish.force_document => FileForm::Document,
        _ if wish.gif_playback => FileForm::Animation,
        _ => FileForm::Plain,
    };
    Ok(Post {
        text,
        writing: Writing::Markdown,
        files,
        guise,
        buttons: buttons(&wish.buttons)?,
        reply_to: wish.reply_to.clone().or(answered),
        silent: wish.silent,
    })
}

fn buttons(rows: &[Vec<ButtonArgs>]) -> Result<Vec<Vec<Button>>, PortError> {
    let button = |wished: &ButtonArgs| {
        let text = wished.text.trim().to_owned();
        if text.is_empty() {
            return Err(PortError::Invalid("a button needs a text".to_owned()));
        }
        let value = wished.callback_data.clone().unwrap_or_else(|| text.clone());
        if value.starts_with(BUTTON_PREFIX) {
            // Whoever pressed it would answer a question they did not read.
            return Err(PortError::Invalid(format!("a button's value may not begin with `{BUTTON_PREFIX}`")));
        }
        Ok(Button { text, value })
    };
    rows.iter().map(|row| row.iter().map(button).collect()).collect()
}

#[cfg(test)]
mod tests;
