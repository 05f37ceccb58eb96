//! What a tool answers. Failing is an answer too: the model reads it and tries something else.

use std::error::Error;
use std::fmt::Write as _;

use homard_protocol::UserBlock;
use serde_json::Value;

use crate::words_of_others::taint::Label;

/// A tool's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutcome {
    /// What the model reads.
    pub content: Vec<UserBlock>,
    /// What people and programs read: exit codes, diffs, timings.
    pub details: Option<Value>,
    /// Whether the call did not do what was asked.
    pub is_error: bool,
    /// Whose words are in it, where they are not the owner's or our own.
    pub untrusted: Vec<Label>,
}

impl ToolOutcome {
    /// A success told in words.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![UserBlock::text(text)], details: None, is_error: false, untrusted: Vec::new() }
    }

    /// A failure told in words; they should say what the model can do instead.
    pub fn error(text: impl Into<String>) -> Self {
        Self { content: vec![UserBlock::text(text)], details: None, is_error: true, untrusted: Vec::new() }
    }

    /// A failure told by an error and everything that caused it.
    #[must_use]
    pub fn from_error(error: &dyn Error) -> Self {
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            write!(text, ": {cause}").ok();
            source = cause.source();
        }
        Self::error(text)
    }

    /// The same answer with words of others in it. Every tool that brings in what a stranger may have written
    /// says so.
    #[must_use]
    pub fn from_others(mut self, label: Label) -> Self {
        self.untrusted.push(label);
        self
    }

    /// The same answer with details.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }
}

impl<E: Error> From<Result<Self, E>> for ToolOutcome {
    fn from(result: Result<Self, E>) -> Self {
        result.unwrap_or_else(|error| Self::from_error(&error))
    }
}
