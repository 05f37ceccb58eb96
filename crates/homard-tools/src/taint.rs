//! Whose words are in play: content that did not come from the owner is labelled where it enters, and the label
//! stays with the run.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Labels kept of one conversation; the rest are counted by being there at all.
const MAX_LABELS: usize = 32;

/// Where content of others came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// A page somebody put on the web.
    Web,
    /// Results of a search.
    Search,
    /// A message of somebody who is not the owner.
    Message,
    /// A file somebody else attached or made.
    File,
    /// What a tool of an untrusted server answered.
    Tool,
    /// A hook, an e-mail, a scheduled job fed from outside.
    Hook,
}

impl Source {
    /// The word people and transcripts read.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Web => "web page",
            Self::Search => "search results",
            Self::Message => "message",
            Self::File => "file",
            Self::Tool => "tool output",
            Self::Hook => "external event",
        }
    }
}

/// One piece of content of others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label {
    /// What kind of content.
    pub source: Source,
    /// Which: an address, a sender, a path. Never the content.
    pub detail: String,
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.source.as_str(), self.detail)
    }
}

/// The labels of one conversation. Clone-cheap: clones share them.
#[derive(Debug, Clone, Default)]
pub struct Taint {
    labels: Arc<Mutex<Vec<Label>>>,
}

impl Taint {
    /// Content of others is in play from now on.
    pub fn add(&self, label: Label) {
        let mut labels = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
        if labels.len() < MAX_LABELS && !labels.contains(&label) {
            labels.push(label);
        }
    }

    /// What is in play, oldest first.
    #[must_use]
    pub fn labels(&self) -> Vec<Label> {
        self.labels.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether only the owner's words are.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.labels.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}
