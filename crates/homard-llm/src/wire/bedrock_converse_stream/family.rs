//! What the models behind the one API differ in, read from their names: nothing else tells.

use crate::spec::ModelSpec;

/// Earlier members of the family that have no cache and refuse its marks.
const WITHOUT_CACHE: &[&str] = &[
    "claude-v2",
    "claude-instant",
    "claude-3-opus",
    "claude-3-sonnet",
    "claude-3-haiku",
    "claude-3-5-sonnet-20240620",
];

/// Whose model it is, as far as requests differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Claude { caches: bool },
    Nova,
    Other,
}

impl Family {
    pub(super) fn of(model: &ModelSpec) -> Self {
        let id = model.id.as_str();
        if id.contains("claude") {
            Self::Claude { caches: !WITHOUT_CACHE.iter().any(|old| id.contains(old)) }
        } else if id.contains("amazon.nova") {
            Self::Nova
        } else {
            Self::Other
        }
    }

    /// Whether marks in the system prompt and the messages are understood.
    pub(super) fn caches(self) -> bool {
        matches!(self, Self::Claude { caches: true } | Self::Nova)
    }

    /// Whether marks among the tools are understood too.
    pub(super) fn caches_tools(self) -> bool {
        self == Self::Claude { caches: true }
    }

    pub(super) fn is_claude(self) -> bool {
        matches!(self, Self::Claude { .. })
    }
}
