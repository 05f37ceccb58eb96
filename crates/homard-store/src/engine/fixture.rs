//! A store in a temporary folder, and short ways to say things to it. Tests only.

use std::path::{Path, PathBuf};

use homard_protocol::{
    AgentId, AssistantBlock, AssistantMessage, Entry, EntryKind, Message, RunId, SessionId, SessionKey,
    StopReason, ToolCall, ToolCallId, UserContent, UserMessage, Word,
};
use homard_runtime::Clock;
use tempfile::TempDir;

use crate::Accepted;
use crate::NewRun;
use crate::OpenOptions;
use crate::StartRun;
use crate::StartedRun;
use crate::Store;
use crate::StoreError;

pub(crate) const NOW: i64 = 1_700_000_000_000;

/// A folder, a clock that stands still, and the store in it.
pub(crate) struct Home {
    pub(crate) dir: TempDir,
    pub(crate) clock: Clock,
    pub(crate) store: Store,
}

impl Home {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = Clock::fixed(NOW);
        let store = open(dir.path(), &clock).unwrap();
        Self { dir, clock, store }
    }

    /// Closes the store and opens it again on the same folder.
    pub(crate) async fn reopen(self) -> Self {
        let Self { dir, clock, store } = self;
        store.close().await;
        let store = open(dir.path(), &clock).unwrap();
        Self { dir, clock, store }
    }

    pub(crate) fn transcript(&self, session_id: &SessionId) -> PathBuf {
        self.sessions().join(format!("{session_id}.jsonl"))
    }

    pub(crate) fn sessions(&self) -> PathBuf {
        self.dir.path().join("agents/main/sessions")
    }

    /// The names in the sessions folder that contain `part`.
    pub(crate) fn files_with(&self, part: &str) -> Vec<String> {
        let names = std::fs::read_dir(self.sessions()).unwrap();
        let mut names: Vec<String> = names.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| name.contains(part));
        names.sort();
        names
    }

    /// Writes a transcript as other software might have left it.
    pub(crate) fn write_transcript(&self, session_id: &str, text: &str) -> SessionId {
        std::fs::create_dir_all(self.sessions()).unwrap();
        std::fs::write(self.sessions().join(format!("{session_id}.jsonl")), text).unwrap();
        SessionId::parse(session_id).unwrap()
    }

    /// Accepts and starts a run that says `text`.
    pub(crate) async fn says(&self, key: &str, run: &str, text: &str) -> StartedRun {
        assert_eq!(self.store.runs().accept(new_run(key, run)).await.unwrap(), Accepted::New);
        self.store.runs().start(start(run, text)).await.unwrap()
    }
}

pub(crate) fn open(dir: &Path, clock: &Clock) -> Result<Store, StoreError> {
    Store::open(OpenOptions {
        database: dir.join("state/homard.sqlite"),
        agents_dir: dir.join("agents"),
        clock: clock.clone(),
    })
}

pub(crate) fn key(text: &str) -> SessionKey {
    SessionKey::parse(text).unwrap()
}

pub(crate) fn run_id(text: &str) -> RunId {
    RunId::parse(text).unwrap()
}

pub(crate) fn new_run(session_key: &str, run: &str) -> NewRun {
    NewRun {
        run_id: run_id(run),
        session_key: key(session_key),
        agent_id: AgentId::main(),
        source: Word::of("webchat"),
        message: r#"{"text":"hi"}"#.to_owned(),
        inbox: Vec::new(),
    }
}

pub(crate) fn start(run: &str, text: &str) -> StartRun {
    let message = UserMessage {
        content: UserContent::Text(text.to_owned()),
        timestamp: NOW,
        idempotency_key: Some(format!("{run}:user")),
    };
    let (before, merged) = (Vec::new(), Vec::new());
    StartRun {
        run_id: run_id(run),
        message,
        shown: None,
        before,
        is_unasked: false,
        cwd: "/work".to_owned(),
        patch: None,
        merged,
    }
}

pub(crate) fn user(text: &str) -> EntryKind {
    let content = UserContent::Text(text.to_owned());
    EntryKind::Message {
        message: Message::User(UserMessage { content, timestamp: NOW, idempotency_key: None }),
    }
}

/// What a model said.
pub(crate) fn assistant(text: &str) -> EntryKind {
    let mut message = AssistantMessage::injected(text.to_owned(), StopReason::Stop, NOW);
    (message.provider, message.model) = ("fake".to_owned(), "fake-1".to_owned());
    EntryKind::Message { message: Message::Assistant(message) }
}

/// What was sent into a conversation beside its turns.
pub(crate) fn beside(text: &str) -> EntryKind {
    let message = AssistantMessage::injected(text.to_owned(), StopReason::Stop, NOW);
    EntryKind::Message { message: Message::Assistant(message) }
}

pub(crate) fn calls(ids: &[&str]) -> EntryKind {
    let mut message = AssistantMessage::injected(String::new(), StopReason::ToolUse, NOW);
    message.content = ids
        .iter()
        .map(|id| {
            AssistantBlock::ToolCall(ToolCall {
                id: ToolCallId::parse(id).unwrap(),
                name: "read".to_owned(),
                arguments: serde_json::json!({}),
                thought_signature: None,
            })
        })
        .collect();
    EntryKind::Message { message: Message::Assistant(message) }
}

/// The texts of messages, other kinds as `<kind>`.
pub(crate) fn texts<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Vec<String> {
    let text = |entry: &Entry| match &entry.kind {
        EntryKind::Message { message } => message.text(),
        other => format!("<{}>", other.tag()),
    };
    entries.into_iter().map(text).collect()
}
