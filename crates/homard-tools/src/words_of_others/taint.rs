//! Whose words are in play: content that did not come from the owner is labelled where it enters, and the label
//! stays with the conversation.
//!
//! `record` is how labels stand in a transcript, so that they are still there after a restart and after the
//! content was summarised. What follows from a label is decided in `gate`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use homard_protocol::ToolCallId;
use homard_runtime::{Clip, Mutex};
use serde::{Deserialize, Serialize};

pub(crate) mod record;

/// Labels kept of one conversation; the rest are counted by being there at all.
const MAX_LABELS: usize = 32;
/// Most characters of a label that people are shown: strangers choose them.
const MAX_SHOWN: usize = 200;
/// Calls whose passing is remembered; they are asked about while they run.
const MAX_PASSED: usize = 64;

/// Where content of others came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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
    /// A client of the gateway that may write and not change settings.
    Client,
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
            Self::Client => "request",
        }
    }
}

/// One piece of content of others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Label {
    /// What kind of content.
    pub source: Source,
    /// Which: an address, a sender, a path. Never the content.
    pub detail: String,
}

impl Label {
    /// A label for content from `source`.
    pub fn new(source: Source, detail: impl Into<String>) -> Self {
        let detail = detail.into().clip_chars(MAX_SHOWN).to_owned();
        Self { source, detail }
    }
}

impl Label {
    /// The label of what a client asks for that may write and not change settings: nothing that comes of it may do
    /// what only an administrator may, now or in a later turn.
    #[must_use]
    pub fn of_client_without_admin() -> Self {
        Self::new(Source::Client, "of a client that may not change settings")
    }
}

/// As the person who is asked reads it: one line, nothing invisible.
impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.source.as_str(), one_line(&self.detail, MAX_SHOWN))
    }
}

/// A stranger's words on one line, without characters that hide or turn others around.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let mut shown = text.chars().filter(|c| !misleads(*c)).map(|c| if c.is_control() { ' ' } else { c });
    let mut line: String = shown.by_ref().take(most).collect();
    if shown.next().is_some() {
        line.push('…');
    }
    line
}

/// A text whole, with every character spelled out that hides or turns others around; for what will be run.
pub(crate) fn plain_to_see(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if misleads(c) || (c.is_control() && c != '\n' && c != '\t') {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Whether a character is invisible or changes how others are shown.
pub(crate) fn misleads(c: char) -> bool {
    matches!(
        c,
        '\u{A0}' | '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{1680}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{2000}'..='\u{200F}' | '\u{2028}'..='\u{202F}' | '\u{205F}'..='\u{206F}'
            | '\u{2800}' | '\u{3000}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}'
    )
}

/// A person's answer to the gate's question, for the tool that would ask one of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateAnswer {
    /// The gate asked, and the person allowed it: nothing is left to ask.
    Allowed,
    /// The gate left asking to the tool, which must ask with these reasons beside its own.
    MustAsk(Vec<String>),
}

/// The labels of one conversation. Clone-cheap: clones share them.
#[derive(Debug, Clone, Default)]
pub struct Taint {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    labels: Vec<Label>,
    /// What the owner allowed for as long as no further content comes: a tool's name and what exactly.
    allowed: BTreeSet<String>,
    /// Those of them the transcript does not know yet.
    unwritten: Vec<String>,
    passed: BTreeMap<ToolCallId, GateAnswer>,
}

impl Taint {
    /// Content of others is in play from now on. What was allowed before was allowed without it.
    pub fn add(&self, label: Label) {
        let mut state = self.state.lock();
        // Also when the label is known: the same page can say something else, and the same sender more.
        state.allowed.clear();
        if !state.labels.contains(&label) && state.labels.len() < MAX_LABELS {
            state.labels.push(label);
        }
    }

    /// What is in play, oldest first.
    #[must_use]
    pub fn labels(&self) -> Vec<Label> {
        self.state.lock().labels.clone()
    }

    /// Whether only the owner's words are.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.state.lock().labels.is_empty()
    }

    /// The owner allows a tool to do exactly `what` in this conversation until other content comes.
    pub fn allow(&self, tool: &str, what: &str) {
        let mut state = self.state.lock();
        let grant = grant(tool, what);
        if state.allowed.insert(grant.clone()) {
            state.unwritten.push(grant);
        }
    }

    /// Whether the owner did.
    #[must_use]
    pub fn allows(&self, tool: &str, what: &str) -> bool {
        self.state.lock().allowed.contains(&grant(tool, what))
    }

    /// All a tool was allowed to do.
    #[must_use]
    pub fn allowed(&self, tool: &str) -> Vec<String> {
        let begin = grant(tool, "");
        let state = self.state.lock();
        state.allowed.iter().filter_map(|grant| grant.strip_prefix(&begin)).map(str::to_owned).collect()
    }

    /// What was allowed since the last time this was asked, as far as it still holds; for the transcript.
    #[must_use]
    pub fn take_allowed(&self) -> Vec<String> {
        let mut state = self.state.lock();
        let unwritten = std::mem::take(&mut state.unwritten);
        unwritten.into_iter().filter(|tool| state.allowed.contains(tool)).collect()
    }

    /// What the gate says about a call that runs now; `None` when it saw no reason to ask.
    #[must_use]
    pub fn passed(&self, call: &ToolCallId) -> Option<GateAnswer> {
        self.state.lock().passed.get(call).cloned()
    }

    pub(crate) fn pass(&self, call: &ToolCallId, passed: GateAnswer) {
        let mut state = self.state.lock();
        if state.passed.len() >= MAX_PASSED {
            // Whose passing is forgotten is asked about.
            state.passed.pop_first();
        }
        state.passed.insert(call.clone(), passed);
    }

    pub(crate) fn forget(&self, call: &ToolCallId) {
        self.state.lock().passed.remove(call);
    }

    /// What was allowed, as the transcript says. Older ones name a tool and not what; that allows nothing.
    fn restore_allowed(&self, grant: &str) {
        self.state.lock().allowed.insert(grant.to_owned());
    }
}

/// A tool and what exactly it may do, as one text.
fn grant(tool: &str, what: &str) -> String {
    format!("{tool} {what}")
}

#[cfg(test)]
mod tests;
