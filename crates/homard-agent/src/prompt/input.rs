//! What a system prompt is made from. Nothing here changes by itself, or with the message it is made for: no clock, no
//! counters, not who speaks nor by which way.

use std::path::PathBuf;
use std::sync::Arc;

use homard_protocol::{SessionKey, SessionScope};

pub use homard_protocol::prompt_report::PromptMode;

/// Who hears what the model says, which decides what it may know.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Audience {
    /// The owner, or one person who was let in.
    #[default]
    Owner,
    /// Many people: what is private stays out.
    Group,
    /// Nobody: a helper or a scheduled job with one task.
    Worker,
}

impl Audience {
    /// The audience of a conversation.
    #[must_use]
    pub fn of(key: &SessionKey) -> Self {
        let SessionKey::Agent { scope, .. } = key else { return Self::Owner };
        match scope {
            SessionScope::Group { .. } | SessionScope::Channel { .. } => Self::Group,
            SessionScope::Subagent(_) | SessionScope::Cron { .. } => Self::Worker,
            SessionScope::Main
            | SessionScope::Peer(_)
            | SessionScope::Direct { .. }
            | SessionScope::Slash { .. }
            | SessionScope::Hook(_)
            | SessionScope::Acp(_)
            | SessionScope::Http(_)
            | SessionScope::Named(_) => Self::Owner,
        }
    }

    /// How much the model is told when nobody says otherwise.
    #[must_use]
    pub fn prompt_mode(self) -> PromptMode {
        match self {
            Self::Worker => PromptMode::Minimal,
            Self::Owner | Self::Group => PromptMode::Full,
        }
    }
}

/// The workspace and how much of its files is told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileRules {
    /// The agent's folder; made when missing.
    pub workspace: PathBuf,
    /// Most characters of one file.
    pub max_file_chars: usize,
    /// Most characters of all files.
    pub max_total_chars: usize,
    /// Whether a new workspace is left without its starting files.
    pub skip_templates: bool,
}

/// Where the model runs, for its own information.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The model as the owner writes it.
    pub model: String,
    /// The owner's time zone.
    pub timezone: String,
    /// Whether messages do not carry the time they were sent.
    pub is_unstamped: bool,
    /// Short names of models and what they stand for.
    pub aliases: Vec<(String, String)>,
    /// The folder of a conversation that works apart from the workspace.
    pub folder: Option<PathBuf>,
}

/// Everything a system prompt is made from, beside the tools and the files themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PromptInput {
    /// How much is told.
    pub mode: PromptMode,
    /// Who hears the answer.
    pub audience: Audience,
    /// What the assistant is called.
    pub name: String,
    pub files: FileRules,
    pub surroundings: Surroundings,
    /// What is told in a group's own conversation.
    pub group: Option<String>,
    /// The skills there are, as a block ready to read.
    pub skills: Option<Arc<str>>,
    /// Whether the model is a small one, which takes advice for other situations as meant for this one.
    pub is_small: bool,
}
