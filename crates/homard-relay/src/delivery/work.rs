//! What people on a chat platform are shown of the work behind an answer, where they want to know: which tools are used
//! and what they answered (`/verbose`), and what it cost (`/usage`).

use std::sync::OnceLock;

use homard_agent::Step;
use homard_config::Config;
use homard_policy::words::Verbosity;
use homard_protocol::session_words::ResponseUsage;
use homard_protocol::{SessionKey, ToolCall, ToolResultMessage, Usage, UserBlock};
use homard_runtime::{Clip, Mutex, brief};
use homard_store::SessionEntry;
use serde_json::Value;

/// Longest line about a call, in characters.
const MAX_CALL: usize = 200;
/// Longest output that is shown, in characters.
const MAX_OUTPUT: usize = 8_000;
/// Longest failure that is shown, in characters.
const MAX_FAILURE: usize = 400;
/// Most lines of one run that wait to be sent.
const MAX_WAITING: usize = 200;
/// What a call is mostly about, by the name of the argument.
const TELLING: [&str; 9] =
    ["command", "path", "file_path", "url", "query", "action", "sessionKey", "task", "message"];

/// How much of it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShownWork {
    pub(crate) tools: Verbosity,
    pub(crate) usage: ResponseUsage,
}

impl ShownWork {
    /// As the conversation wants it, or else the owner.
    pub(crate) fn of(config: &Config, session: &SessionEntry) -> Self {
        let tools = match &session.verbose_level {
            Some(own) => own.read(Verbosity::parse),
            None => config.agents.defaults.verbose.as_deref().and_then(Verbosity::parse),
        };
        let usage = session.response_usage.as_ref().and_then(|own| own.read(ResponseUsage::parse));
        Self { tools: tools.unwrap_or(Verbosity::Off), usage: usage.unwrap_or_default() }
    }
}

/// The work of one run.
#[derive(Debug, Default)]
pub(crate) struct Work {
    shown: OnceLock<ShownWork>,
    /// Lines that are not said yet.
    lines: Mutex<Vec<String>>,
}

impl Work {
    /// Says how much is shown; the first word stands.
    pub(crate) fn show(&self, shown: ShownWork) {
        self.shown.get_or_init(|| shown);
    }

    /// Takes one step of the agent.
    pub(crate) fn step(&self, step: &Step<'_>) {
        let tools = self.shown.get().map_or(Verbosity::Off, |shown| shown.tools);
        let line = match step {
            Step::ToolStart(call) if tools != Verbosity::Off => Some(called(call)),
            Step::ToolEnd { call, result } if tools != Verbosity::Off => answered(call, result, tools),
            _ => None,
        };
        let Some(line) = line else { return };
        let mut lines = self.lines.lock();
        if lines.len() < MAX_WAITING {
            lines.push(line);
        }
    }

    /// What is to be said now.
    pub(crate) fn unsaid(&self) -> Vec<String> {
        std::mem::take(&mut self.lines.lock())
    }

    /// What is said below the answer.
    pub(crate) fn usage_line(&self, usage: &Usage, key: &SessionKey) -> Option<String> {
        let mode = self.shown.get().map_or(ResponseUsage::Off, |shown| shown.usage);
        let line = format!("Usage: {} in / {} out", count(usage.input), count(usage.output));
        // Nothing is said about money where no price is known.
        let money = (usage.cost.total > 0.0).then(|| format!(" · est ${:.4}", usage.cost.total));
        match mode {
            ResponseUsage::Off => None,
            ResponseUsage::Tokens => Some(line),
            ResponseUsage::Full => Some(format!("{line}{} · session {key}", money.unwrap_or_default())),
        }
    }
}

/// `900`, `1.2k`, `3.4m`.
fn count(tokens: u64) -> String {
    match tokens {
        ..1_000 => tokens.to_string(),
        1_000..1_000_000 => format!("{}.{}k", tokens / 1_000, tokens % 1_000 / 100),
        _ => format!("{}.{}m", tokens / 1_000_000, tokens % 1_000_000 / 100_000),
    }
}

fn called(call: &ToolCall) -> String {
    let argument = |name: &&str| call.arguments.get(*name).and_then(Value::as_str);
    let about = match TELLING.iter().find_map(argument) {
        Some(about) => about.to_owned(),
        None if call.arguments.as_object().is_none_or(serde_json::Map::is_empty) => String::new(),
        None => call.arguments.to_string(),
    };
    let line = if about.is_empty() { call.name.clone() } else { format!("{}: {about}", call.name) };
    format!("🛠️ {}", brief(&line, MAX_CALL))
}

fn answered(call: &ToolCall, result: &ToolResultMessage, tools: Verbosity) -> Option<String> {
    let texts: Vec<&str> = result.content.iter().filter_map(UserBlock::as_text).collect();
    let text = texts.join("\n");
    if result.is_error {
        return Some(format!("⚠️ {} failed: {}", call.name, brief(&text, MAX_FAILURE)));
    }
    if tools != Verbosity::Full || text.trim().is_empty() {
        return None;
    }
    // Nothing in it may end the block it stands in.
    let text = text.trim_end().ellipsis_within(MAX_OUTPUT).replace("```", "'''");
    Some(format!("🛠️ {}\n```\n{text}\n```", call.name))
}

#[cfg(test)]
mod tests;
