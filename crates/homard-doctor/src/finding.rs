//! What a check found, how bad it is, and what would mend it.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing has to be done.
    Info,
    /// Works, and will not for long or not for everybody.
    Warn,
    /// Does not work, or lets somebody in.
    Error,
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// What kind of finding it is, such as `config.wrong`.
    pub id: String,
    pub severity: Severity,
    /// What is the matter, in a sentence.
    pub message: String,
    /// What to do about it, where something can be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// The same for a machine: what `--fix` does.
    #[serde(skip)]
    pub act: Option<Act>,
}

impl Finding {
    fn new(severity: Severity, id: impl Into<String>, message: impl Into<String>) -> Self {
        Self { id: id.into(), severity, message: message.into(), fix: None, act: None }
    }

    pub(crate) fn info(id: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Severity::Info, id, message)
    }

    pub(crate) fn warn(id: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Severity::Warn, id, message)
    }

    pub(crate) fn error(id: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, id, message)
    }

    /// What a person does about it.
    #[must_use]
    pub(crate) fn fix(mut self, words: impl Into<String>) -> Self {
        self.fix = Some(words.into());
        self
    }

    /// What `--fix` does about it; its words are the fix.
    #[must_use]
    pub(crate) fn act(mut self, act: Act) -> Self {
        self.fix = Some(act.to_string());
        self.act = Some(act);
        self
    }
}

/// One step that mends something. Shown before it is done; what it changes is kept.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// Gives a file or folder other rights.
    Close {
        path: PathBuf,
        mode: u32,
    },
    /// Takes a key out of the configuration.
    Unset {
        key: String,
    },
    Set {
        key: String,
        value: Value,
    },
    /// Puts back the configuration a gateway last ran with.
    LastGood,
    /// Moves something out of the way, into the folder of what was changed.
    SetAside {
        path: PathBuf,
    },
    /// Copies what can be read of a damaged database into a new one, which takes its place.
    Salvage {
        path: PathBuf,
    },
    /// Takes the name of a process that is gone out of a lock.
    EmptyLock {
        path: PathBuf,
    },
}

impl Act {
    /// Whether nothing is lost by it, so that nobody has to be asked.
    #[must_use]
    pub fn is_harmless(&self) -> bool {
        match self {
            Self::Close { .. } | Self::EmptyLock { .. } => true,
            Self::Unset { .. } | Self::Set { .. } | Self::LastGood => false,
            Self::SetAside { .. } | Self::Salvage { .. } => false,
        }
    }
}

impl std::fmt::Display for Act {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Close { path, mode } => write!(f, "chmod {mode:o} {}", path.display()),
            Self::Unset { key } => write!(f, "take `{key}` out of the configuration"),
            Self::Set { key, value } => write!(f, "homard config set {key} '{value}'"),
            Self::LastGood => write!(f, "put back the configuration a gateway last ran with"),
            Self::SetAside { path } => write!(f, "move {} out of the way", path.display()),
            Self::Salvage { path } => {
                write!(f, "copy what can be read of {} into a new database", path.display())?;
                write!(f, " (a backup has everything: homard backup list)")
            }
            Self::EmptyLock { path } => write!(f, "empty {}", path.display()),
        }
    }
}
