//! The lines of a conversation.

use homard_runtime::Clip;
use serde_json::Value;

use crate::text::clean::{clean, clean_line};

/// Longest output of a tool that is kept: its end, which is what one looks for.
const OUTPUT_MAX: usize = 64 * 1024;
/// Fields that usually carry the point of a call, best first.
const TELLING: [&str; 10] =
    ["command", "path", "file_path", "url", "query", "pattern", "message", "text", "action", "name"];
const SUMMARY_CHARS: usize = 160;

/// The names of lines: the same whether a line was heard live or read back.
pub(super) mod ids {
    pub(in crate::chat) fn user(run: &str) -> String {
        format!("u:{run}")
    }

    pub(in crate::chat) fn text(run: &str, segment: usize) -> String {
        format!("a:{run}:{segment}")
    }

    pub(in crate::chat) fn thought(run: &str, index: usize) -> String {
        format!("k:{run}:{index}")
    }

    pub(in crate::chat) fn tool(call: &str) -> String {
        format!("t:{call}")
    }

    pub(in crate::chat) fn note(run: &str) -> String {
        format!("n:{run}")
    }

    pub(in crate::chat) fn error(run: &str) -> String {
        format!("e:{run}")
    }
}

/// One line of a conversation: something said, done, or noted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChatItem {
    pub(crate) id: String,
    pub(crate) run: Option<String>,
    pub(crate) body: ItemBody,
    /// Grows with every change of it.
    pub(crate) revision: u64,
    /// After which line it came, for lines that are in no history.
    pub(crate) after: Option<String>,
}

impl ChatItem {
    pub(crate) fn new(id: String, run: Option<String>, body: ItemBody) -> Self {
        Self { id, run, body, revision: 0, after: None }
    }

    /// Nothing more comes; tells whether that is news.
    pub(super) fn settle(&mut self) -> bool {
        match &mut self.body {
            ItemBody::Text { streaming, .. } | ItemBody::Thinking { streaming, .. } => {
                std::mem::take(streaming)
            }
            ItemBody::Tool(tool) if tool.state == ToolState::Running => {
                tool.state = ToolState::Unanswered;
                true
            }
            _ => false,
        }
    }

    /// Its words, for searching.
    pub(crate) fn words(&self) -> String {
        match &self.body {
            ItemBody::User { text, .. }
            | ItemBody::Text { text, .. }
            | ItemBody::Thinking { text, .. }
            | ItemBody::Error(text)
            | ItemBody::Note(text) => clean(text),
            ItemBody::Tool(tool) => format!("{} {} {}", tool.name, tool.summary, clean(&tool.output)),
            ItemBody::Shell { command, output, .. } => format!("{command} {}", clean(output)),
        }
    }
}

/// What a line is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ItemBody {
    User {
        text: String,
        files: Vec<String>,
        /// Who wrote it, when it came through a channel.
        sender: Option<String>,
        state: SendState,
    },
    Text {
        text: String,
        streaming: bool,
        ending: Option<Ending>,
    },
    Thinking {
        text: String,
        streaming: bool,
    },
    Tool(Box<ToolCard>),
    Error(String),
    Note(String),
    /// A command the owner ran on this machine.
    Shell {
        command: String,
        output: String,
        /// How it ended, once it has.
        end: Option<String>,
    },
}

/// How a message of ours stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SendState {
    Sending,
    Sent,
    /// It waits for a connection.
    Unsent,
    Refused(String),
}

/// How an answer ended, when not in the ordinary way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Stopped,
    Interrupted,
    /// The model may not say more at once.
    Length,
}

impl Ending {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Stopped => "stopped",
            Self::Interrupted => "interrupted",
            Self::Length => "cut off: the answer reached its longest length",
        }
    }
}

/// How a call of a tool stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolState {
    Running,
    Done,
    Failed,
    /// The run ended before it answered.
    Unanswered,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolCard {
    pub(crate) name: String,
    /// One line that says what it is about.
    pub(crate) summary: String,
    /// What it was given, as people read it.
    pub(crate) input: String,
    pub(crate) output: String,
    pub(crate) state: ToolState,
    pub(crate) started: Option<i64>,
    pub(crate) took_ms: Option<u64>,
    pub(crate) exit_code: Option<i64>,
}

impl ToolCard {
    /// It has answered.
    pub(super) fn end(&mut self, failed: bool, details: Option<&Value>, at: i64) {
        self.state = if failed { ToolState::Failed } else { ToolState::Done };
        let fact = |name: &str| details.and_then(|details| details.get(name));
        self.exit_code = fact("exitCode").and_then(Value::as_i64);
        let measured = self.started.and_then(|started| u64::try_from(at.saturating_sub(started)).ok());
        self.took_ms = fact("durationMs").and_then(Value::as_u64).or(measured);
        if self.output.len() > OUTPUT_MAX {
            let from = self.output.ceil_char_boundary(self.output.len() - OUTPUT_MAX);
            self.output = format!("…{}", self.output.get(from..).unwrap_or_default());
        }
    }
}

/// A call that has not answered.
pub(super) fn tool(
    call: &str,
    run: Option<&str>,
    name: &str,
    args: &Value,
    started: Option<i64>,
) -> ChatItem {
    let card = ToolCard {
        name: clean_line(name),
        summary: summary(args),
        input: input(args),
        output: String::new(),
        state: ToolState::Running,
        started,
        took_ms: None,
        exit_code: None,
    };
    ChatItem::new(ids::tool(call), run.map(str::to_owned), ItemBody::Tool(Box::new(card)))
}

fn summary(args: &Value) -> String {
    let Some(fields) = args.as_object() else { return String::new() };
    let words = |value: &Value| value.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned);
    let telling = TELLING.iter().find_map(|name| fields.get(*name).and_then(words));
    let any = telling.or_else(|| fields.values().find_map(words)).unwrap_or_default();
    clean_line(any.clip_chars(4 * SUMMARY_CHARS)).ellipsis_within(SUMMARY_CHARS)
}

fn input(args: &Value) -> String {
    match args.as_object() {
        None => String::new(),
        Some(fields) if fields.is_empty() => String::new(),
        Some(fields) if fields.len() == 1 && fields.get("command").is_some_and(Value::is_string) => {
            fields.get("command").and_then(Value::as_str).unwrap_or_default().to_owned()
        }
        Some(_) => serde_json::to_string_pretty(args).unwrap_or_default(),
    }
}
