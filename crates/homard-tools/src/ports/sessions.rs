//! What tools ask about conversations and the agents in them.

use std::time::Duration;

use futures_util::future::BoxFuture;
use homard_protocol::{AgentId, RunId, SessionKey};
use serde::Serialize;

use super::PortError;
use crate::cx::ToolCx;
use crate::words_of_others::taint::Label;

/// Which conversations to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionFilter {
    /// Only these kinds: `main`, `group`, `cron`, `hook`, `node`, `other`; empty means all.
    pub kinds: Vec<String>,
    pub limit: usize,
    /// Only those that changed within this time.
    pub active_within: Option<Duration>,
    /// Newest messages to show of each.
    pub messages: usize,
}

/// A conversation in a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionLine {
    pub key: SessionKey,
    pub kind: &'static str,
    /// Its label or title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// When it changed last, RFC 3339.
    pub updated_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Tokens of its last prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// Whether a turn is under way.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub running: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spawned_by: Option<String>,
    /// Newest messages, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<HistoryLine>,
}

/// A message, as far as others may read it: words only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HistoryLine {
    pub role: &'static str,
    /// The tool, where one answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    pub text: String,
}

/// Which conversation is meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionTarget {
    pub key: Option<String>,
    pub label: Option<String>,
    /// Whose label; the asking agent's when unset.
    pub agent: Option<String>,
}

/// Which part of a conversation to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistoryWanted {
    pub key: String,
    pub limit: usize,
    /// Whether tool results are shown.
    pub tools: bool,
}

/// Conversations as another one may see them.
#[derive(Debug, Clone, Default)]
pub struct SessionsPage {
    pub sessions: Vec<SessionLine>,
    /// Whose words are in the messages that are shown, where they are not the owner's.
    pub labels: Vec<Label>,
}

/// Part of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryPage {
    pub session_key: SessionKey,
    pub messages: Vec<HistoryLine>,
    /// Whether something was left out or cut.
    pub truncated: bool,
    /// Whose words are in it, where they are not the owner's.
    #[serde(skip)]
    pub labels: Vec<Label>,
}

/// What is looked for in conversations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionsQuestion {
    /// Words, some of which are enough.
    pub text: String,
    pub limit: usize,
}

/// A message that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundMessage {
    pub session_key: SessionKey,
    pub role: String,
    /// When it was said, RFC 3339.
    pub at: String,
    /// The words around what was found.
    pub text: String,
}

/// What was found in conversations, the best first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundMessages {
    pub results: Vec<FoundMessage>,
    /// Whether older conversations are still being read, so that something may be missing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
    /// Whose words are in it, where they are not the owner's.
    #[serde(skip)]
    pub labels: Vec<Label>,
}

/// A message from one conversation to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionMessage {
    pub to: SessionTarget,
    pub message: String,
    /// How long to wait for the answer; zero means not at all.
    pub wait: Duration,
}

/// Whether a letter was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SessionMessageStatus {
    Ok,
    /// It is kept, and nobody waits for the answer.
    Accepted,
    /// The answer takes longer than it was waited for.
    Timeout,
    Error,
}

/// What came of a letter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionMessageAnswer {
    pub status: SessionMessageStatus,
    /// The run it caused.
    pub run_id: RunId,
    pub session_key: SessionKey,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whose words are in it, where they are not the owner's.
    #[serde(skip)]
    pub labels: Vec<Label>,
}

/// Work for an agent of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChildTask {
    pub task: String,
    /// What to call it.
    pub label: Option<String>,
    pub agent: Option<String>,
    pub model: Option<String>,
    pub thinking: Option<String>,
    /// For how long at most.
    pub timeout: Option<Duration>,
    /// Whether its conversation is deleted afterwards.
    pub delete_after: bool,
}

/// A child that was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Spawned {
    pub status: &'static str,
    pub run_id: RunId,
    pub child_session_key: SessionKey,
    pub note: &'static str,
}

/// A child in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChildLine {
    pub session_key: SessionKey,
    pub run_id: RunId,
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The beginning of its task.
    pub task: String,
    /// `queued`, `running`, `ok`, `error`, `aborted`, `timed-out`, `interrupted`.
    pub status: &'static str,
    /// How long it took so far, in seconds.
    pub seconds: i64,
}

/// Conversations and the agents started in them. Every question is answered as far as the conversation of
/// `cx` may know.
pub trait SessionsPort: Send + Sync {
    /// The conversations that may be seen, newest first.
    fn list<'a>(
        &'a self,
        cx: &'a ToolCx,
        filter: SessionFilter,
    ) -> BoxFuture<'a, Result<SessionsPage, PortError>>;

    /// What was said in one.
    fn history<'a>(
        &'a self,
        cx: &'a ToolCx,
        wanted: HistoryWanted,
    ) -> BoxFuture<'a, Result<HistoryPage, PortError>>;

    /// What was said anywhere, by its words.
    fn search<'a>(
        &'a self,
        cx: &'a ToolCx,
        question: SessionsQuestion,
    ) -> BoxFuture<'a, Result<FoundMessages, PortError>>;

    /// Writes to one and waits for its answer. The same letter of the same call is sent once.
    fn send<'a>(
        &'a self,
        cx: &'a ToolCx,
        letter: SessionMessage,
    ) -> BoxFuture<'a, Result<SessionMessageAnswer, PortError>>;

    /// Starts an agent in a conversation of its own; its end is announced to this one.
    fn spawn<'a>(&'a self, cx: &'a ToolCx, task: ChildTask) -> BoxFuture<'a, Result<Spawned, PortError>>;

    /// The agents this conversation started: those under way, and those of the last while.
    fn children<'a>(
        &'a self,
        cx: &'a ToolCx,
        recent: Duration,
    ) -> BoxFuture<'a, Result<Vec<ChildLine>, PortError>>;

    /// Stops one (by key, run, label) or `all`, and what they started; nothing is announced.
    fn kill<'a>(
        &'a self,
        cx: &'a ToolCx,
        target: &'a str,
    ) -> BoxFuture<'a, Result<Vec<ChildLine>, PortError>>;

    /// Says something to one that is under way.
    fn steer<'a>(
        &'a self,
        cx: &'a ToolCx,
        target: &'a str,
        message: String,
    ) -> BoxFuture<'a, Result<ChildLine, PortError>>;

    /// How a conversation stands, in words; `model` changes its model first (`default` takes that back).
    fn status<'a>(
        &'a self,
        cx: &'a ToolCx,
        key: Option<&'a str>,
        model: Option<&'a str>,
    ) -> BoxFuture<'a, Result<String, PortError>>;
}

/// An agent that may be started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentLine {
    pub id: AgentId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Whether it is the one asking.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub you: bool,
}

/// Who there is.
pub trait AgentsPort: Send + Sync {
    /// The agents this conversation may start.
    fn agents(&self, cx: &ToolCx) -> Result<Vec<AgentLine>, PortError>;
}
