//! What a tool reaches, and what one call of it is about.

use super::CommandRun;

/// How far a tool's effects go. A tool that does not say is taken for one that acts on the world.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Effect {
    /// It looks, and changes nothing anybody else would notice.
    Looks,
    /// It changes files: harmless in the workspace, unless they steer the assistant.
    Files,
    /// It asks servers: harmless where the question carries nothing out.
    Web,
    /// It acts: runs commands, tells others, changes settings, plans for later.
    #[default]
    Outward,
}

/// What one call is about, as far as the gate has to know. The default says nothing, which is taken for the worst
/// the tool can do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject {
    /// Files it reads, as the model named them.
    pub reads: Vec<String>,
    /// Files it changes, as the model named them.
    pub writes: Vec<String>,
    /// Whether nothing of those files stays as it was.
    pub replaces: bool,
    /// The command it runs.
    pub(crate) command: Option<CommandRun>,
    /// The addresses it asks.
    pub addresses: Vec<String>,
    /// What it searches for.
    pub query: Option<String>,
    /// Whether this call only looks, though the tool can do more.
    pub only_looks: bool,
    /// What a person's "always" would allow, in words that say all of it; `None` when it can only be allowed once.
    pub grant: Option<String>,
}

impl Subject {
    /// A call that reads a file.
    pub fn reading(path: impl Into<String>) -> Self {
        Self { reads: vec![path.into()], ..Self::default() }
    }

    /// A call that changes files.
    #[must_use]
    pub fn writing(paths: Vec<String>) -> Self {
        Self { writes: paths, ..Self::default() }
    }

    /// A call that runs a command.
    pub(crate) fn running(command: CommandRun) -> Self {
        Self { command: Some(command), ..Self::default() }
    }

    /// A call that only looks.
    #[must_use]
    pub fn looking() -> Self {
        Self { only_looks: true, ..Self::default() }
    }
}
