//! How answers reach people on chat platforms: `messages.responsePrefix`, `messages.ackReaction*`,
//! `agents.defaults.blockStreaming*`, `agents.defaults.humanDelay`, `agents.defaults.typing*`.

use std::time::Duration;

use crate::raw::Raw;
use crate::raw::turns::{BlockChunk, BlockCoalesce, HumanDelay};

const DEFAULT_BLOCK_MIN: u64 = 800;
const DEFAULT_BLOCK_MAX: u64 = 1200;
const DEFAULT_IDLE_MS: u64 = 1000;
const DEFAULT_DELAY_MS: (u64, u64) = (800, 2500);
/// Longest wait between two pieces.
const MAX_DELAY_MS: u64 = 60_000;
/// Shortest time between two typing signs, in seconds.
const MIN_TYPING_SECONDS: u64 = 1;

/// How answers reach people, unless an account says otherwise.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Delivery {
    /// What stands before every answer, as a template.
    pub response_prefix: Option<String>,
    /// Sign put on a message that was seen; `None` means the agent's own, an empty text none.
    pub ack_reaction: Option<String>,
    /// Where it is put.
    pub ack_scope: AckScope,
    /// Whether it is taken away after answering.
    pub remove_ack: bool,
    /// When typing is shown; `None` means as fits the conversation.
    pub typing: Option<TypingMode>,
    /// Time between typing signs; `None` means as the platform needs it.
    pub typing_interval: Option<Duration>,
    /// Sending answers piece by piece.
    pub blocks: Blocks,
    /// Shortest and longest wait between pieces; `None` means none.
    pub human_delay: Option<(Duration, Duration)>,
}

/// Where the sign is put that a message was seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AckScope {
    /// In groups, on messages that mean us.
    #[default]
    GroupMentions,
    GroupAll,
    Direct,
    All,
    Off,
}

impl AckScope {
    fn parse(word: &str) -> Self {
        match word.trim() {
            "group-all" => Self::GroupAll,
            "direct" => Self::Direct,
            "all" => Self::All,
            "off" | "none" => Self::Off,
            _ => Self::GroupMentions,
        }
    }
}

/// When "somebody is typing" is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypingMode {
    Never,
    /// As soon as a turn begins.
    Instant,
    /// When the model thinks.
    Thinking,
    /// When there is something to say.
    Message,
}

impl TypingMode {
    fn parse(word: &str) -> Option<Self> {
        match word.trim() {
            "never" => Some(Self::Never),
            "instant" => Some(Self::Instant),
            "thinking" => Some(Self::Thinking),
            "message" => Some(Self::Message),
            _ => None,
        }
    }
}

/// Sending answers piece by piece while they are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocks {
    /// Whether it is done where an account says nothing.
    pub by_default: bool,
    /// Whether a piece waits for the end of the model's message.
    pub at_message_end: bool,
    /// Shortest piece, in characters.
    pub min: usize,
    /// Longest piece, in characters.
    pub max: usize,
    /// Where to cut by preference.
    pub cut: BlockCut,
    pub join_min: Option<usize>,
    pub join_max: Option<usize>,
    /// Quiet time after which what there is is sent.
    pub idle: Option<Duration>,
}

/// Where pieces are cut by preference.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BlockCut {
    #[default]
    Paragraph,
    Newline,
    Sentence,
}

impl Default for Blocks {
    fn default() -> Self {
        Self::resolve(None, None, &BlockChunk::default(), &BlockCoalesce::default())
    }
}

impl Blocks {
    /// The quiet time where neither account nor platform says one.
    pub const IDLE: Duration = Duration::from_millis(DEFAULT_IDLE_MS);

    fn resolve(
        by_default: Option<&str>,
        breaks: Option<&str>,
        chunk: &BlockChunk,
        join: &BlockCoalesce,
    ) -> Self {
        let max = size(chunk.max_chars.unwrap_or(DEFAULT_BLOCK_MAX)).max(1);
        Self {
            by_default: by_default == Some("on"),
            at_message_end: breaks == Some("message_end"),
            min: size(chunk.min_chars.unwrap_or(DEFAULT_BLOCK_MIN)).clamp(1, max),
            max,
            cut: match chunk.break_preference.as_deref() {
                Some("newline") => BlockCut::Newline,
                Some("sentence") => BlockCut::Sentence,
                Some(_) | None => BlockCut::Paragraph,
            },
            join_min: join.min_chars.map(size),
            join_max: join.max_chars.map(size),
            idle: join.idle_ms.map(Duration::from_millis),
        }
    }
}

impl Delivery {
    pub(in crate::config) fn resolve(raw: &Raw) -> Self {
        let messages = raw.messages.clone().unwrap_or_default();
        let defaults = raw.agents.as_ref().and_then(|agents| agents.defaults.clone()).unwrap_or_default();
        let session = raw.session.as_ref();
        let typing = defaults.typing_mode.as_deref().or_else(|| session?.typing_mode.as_deref());
        let seconds =
            defaults.typing_interval_seconds.or_else(|| session.and_then(|s| s.typing_interval_seconds));
        Self {
            response_prefix: messages.response_prefix,
            ack_reaction: messages.ack_reaction,
            ack_scope: messages.ack_reaction_scope.as_deref().map_or_else(AckScope::default, AckScope::parse),
            remove_ack: messages.remove_ack_after_reply.unwrap_or(false),
            typing: typing.and_then(TypingMode::parse),
            typing_interval: seconds.map(|seconds| Duration::from_secs(seconds.max(MIN_TYPING_SECONDS))),
            blocks: Blocks::resolve(
                defaults.block_streaming_default.as_deref(),
                defaults.block_streaming_break.as_deref(),
                &defaults.block_streaming_chunk.unwrap_or_default(),
                &defaults.block_streaming_coalesce.unwrap_or_default(),
            ),
            human_delay: defaults.human_delay.as_ref().and_then(delay),
        }
    }
}

fn delay(raw: &HumanDelay) -> Option<(Duration, Duration)> {
    let (least, most) = match raw.mode.as_deref() {
        Some("natural") => DEFAULT_DELAY_MS,
        Some("custom") => {
            (raw.min_ms.unwrap_or(DEFAULT_DELAY_MS.0), raw.max_ms.unwrap_or(DEFAULT_DELAY_MS.1))
        }
        Some(_) | None => return None,
    };
    let (least, most) = (least.min(MAX_DELAY_MS), most.min(MAX_DELAY_MS));
    Some((Duration::from_millis(least), Duration::from_millis(most.max(least))))
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
