//! What is wrong with a configuration, in words for its owner.

use serde::Serialize;

use crate::syntax::value_path::ValuePath;

/// One problem, with the place it is at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Issue {
    /// Place in the configuration (`gateway.port`); empty for the file as a whole.
    pub path: String,
    /// What is wrong, what is allowed, and what may have been meant.
    pub message: String,
}

impl Issue {
    /// A problem at a place.
    pub(crate) fn at(path: &ValuePath, message: impl Into<String>) -> Self {
        Self { path: path.to_string(), message: message.into() }
    }

    /// A problem at a place whose path is known as text.
    pub(crate) fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }
}

impl std::fmt::Display for Issue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "`{}`: {}", self.path, self.message)
        }
    }
}

/// Several problems on several lines, for error messages.
pub(crate) fn listed(issues: &[Issue]) -> String {
    issues.iter().map(|issue| format!("\n  - {issue}")).collect()
}
