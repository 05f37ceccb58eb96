//! What of an answer is said aloud: silent tokens, tags, media lines, prefixes, and what a tool has said already.
//!
//! The text that comes here has passed the agent's stream filter: reasoning is gone, and wishes such as
//! `[[reply_to_current]]` were taken out and kept beside the run. Whoever delivers writes them into the
//! [`ReplyText`] that [`normalise`] gives.

mod media;
mod prefix;
mod repeats;
mod silence;
mod threading;

pub use media::{MAX_MEDIA, split_media};
pub use prefix::{PrefixFacts, with_prefix};
pub use repeats::{LEAST_COMPARED, was_said};
pub use silence::{ALL_WELL, SILENT, audible, may_be_silent};
pub use threading::{ReplyToMode, Threader};

/// An answer, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplyText {
    /// The words, in Markdown; empty when there are only files.
    pub text: String,
    /// Paths and addresses of files that go with it, in order, each once.
    pub media: Vec<String>,
    /// The message it answers to, if the model named one.
    pub reply_to: ReplyTo,
    /// Whether sound files go out as voice notes.
    pub as_voice: bool,
}

/// The message an answer is a reply to, as the model wishes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ReplyTo {
    /// It did not say.
    #[default]
    None,
    /// The one that is being answered.
    Current,
    Id(String),
}

/// Takes a finished answer apart; `None` when the model chose silence, or had nothing to say.
#[must_use]
pub fn normalise(text: &str) -> Option<ReplyText> {
    let (text, media) = split_media(text);
    let said = audible(&text, None);
    (said.is_some() || !media.is_empty()).then(|| ReplyText {
        text: said.map(str::to_owned).unwrap_or_default(),
        media,
        ..ReplyText::default()
    })
}

#[cfg(test)]
mod tests;
