//! The hooks that come with the program.

mod session_memory;

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use homard_channel::Inbound;
use homard_config::config::agents::Agent;
use homard_config::config::hooks::internal::{HookEntry, InternalHooks};
use homard_protocol::{SessionKey, TurnSource};
use homard_relay::{Queue, Relay, TurnOptions};
use homard_runtime::{Clip, OrLog, create_private_dir, off_thread};
use homard_tools::{HookOccasion, HookValue, ToldTo};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;

use super::found::{FoundHook, Handler, HookOrigin};
use super::handler::Answer;
use crate::automation::Automation;

/// What is run after a start.
const BOOT_FILE: &str = "BOOT.md";
/// How much of a file is told, in bytes.
const MAX_FILE: usize = 20_000;
/// Where commands are written down, in the state directory.
const COMMANDS_LOG: &str = "logs/commands.log";
/// When that file is begun anew, in bytes.
const MAX_LOG: u64 = 10 * 1024 * 1024;

/// A hook that comes with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bundled {
    SessionMemory,
    CommandLogger,
    BootMd,
    ExtraFiles,
}

impl Bundled {
    pub(super) const ALL: [Self; 4] =
        [Self::BootMd, Self::ExtraFiles, Self::CommandLogger, Self::SessionMemory];

    fn name(self) -> &'static str {
        match self {
            Self::SessionMemory => "session-memory",
            Self::CommandLogger => "command-logger",
            Self::BootMd => "boot-md",
            Self::ExtraFiles => "bootstrap-extra-files",
        }
    }

    /// As it is listed.
    pub(super) fn found(self, settings: &InternalHooks) -> FoundHook {
        let (emoji, description, events): (_, _, &[&str]) = match self {
            Self::SessionMemory => (
                "💾",
                "Keeps the last messages of a conversation as a note when /new or /reset ends it",
                &["command:new", "command:reset"],
            ),
            Self::CommandLogger => (
                "📝",
                "Writes down when conversations are begun anew or stopped, in logs/commands.log",
                &["command"],
            ),
            Self::BootMd => {
                ("🚀", "Does what BOOT.md says when the gateway has started", &["gateway:startup"])
            }
            Self::ExtraFiles => (
                "📎",
                "Tells the model more files of the workspace with every prompt (entries.bootstrap-extra-files.paths)",
                &["agent:bootstrap"],
            ),
        };
        let said = settings.entries.get(self.name()).and_then(|entry| entry.enabled);
        FoundHook {
            name: self.name().to_owned(),
            description: description.to_owned(),
            origin: HookOrigin::Bundled,
            dir: PathBuf::from("(in the program)"),
            events: events.iter().map(|event| (*event).to_owned()).collect(),
            emoji: Some(emoji.to_owned()),
            missing: Vec::new(),
            problem: None,
            enabled: settings.enabled && said.unwrap_or(true),
            handler: Handler::Bundled(self),
        }
    }

    /// Does what it is for.
    pub(super) async fn run(
        self,
        room: &Automation,
        event: &str,
        occasion: &HookOccasion,
        entry: Option<&HookEntry>,
    ) -> Result<Answer, String> {
        match self {
            Self::SessionMemory => session_memory::keep(room, occasion, entry).await?,
            Self::CommandLogger => room.log_command(event, occasion)?,
            Self::BootMd => room.boot().await,
            Self::ExtraFiles => {
                let append = room.extra_files(occasion, entry).await;
                return Ok(Answer { append, ..Answer::default() });
            }
        }
        Ok(Answer::default())
    }
}

impl Automation {
    /// Writes one line.
    fn log_command(&self, event: &str, occasion: &HookOccasion) -> Result<(), String> {
        let path = self.inner.config.source().paths.state_dir.join(COMMANDS_LOG);
        let said = |name: &str| match &occasion.value {
            HookValue::Arguments(said) => said.get(name).and_then(Value::as_str),
            HookValue::Nothing | HookValue::Text(_) => None,
        };
        let of_session =
            occasion.session.as_ref().and_then(SessionKey::channel).map(|channel| channel.as_str());
        let line = json!({
            "timestamp": self.inner.clock.now_rfc3339(),
            "action": event.split_once(':').map_or(event, |(_, action)| action),
            "sessionKey": occasion.session,
            "senderId": said("senderId").unwrap_or("unknown"),
            "source": said("commandSource").or(of_session).unwrap_or("unknown"),
        });
        append(&path, &format!("{line}\n")).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Has every agent do what its file says.
    async fn boot(&self) {
        for agent in &self.config().agents.list {
            let Some(text) = told_at_start(&agent.workspace).await else { continue };
            let ask = format!(
                "The gateway has started. Do what {BOOT_FILE} says, and nothing else.\n\n{BOOT_FILE}:\n{text}\n\nIf it asks you to write to somebody, use the message tool. When it is done, answer NO_REPLY."
            );
            let (key, now) = (SessionKey::main(agent.id.clone()), self.inner.clock.now_ms());
            let name = format!("boot-{}", uuid::Uuid::new_v4());
            let message = Inbound::from_operator(key, name, ask, now);
            let taken =
                self.inner.relay.accept(message, TurnOptions::of(TurnSource::Restart), Queue::Wait).await;
            taken.or_log("what is to be done after a start could not begin");
        }
    }

    /// The files the owner names, each under its name. Only those inside the workspace are told.
    async fn extra_files(&self, occasion: &HookOccasion, entry: Option<&HookEntry>) -> Option<String> {
        let (config, entry) = (self.config(), entry?);
        let key = occasion.session.as_ref()?;
        // What is about the owner is not for others, in a group or alone.
        if ToldTo::of(occasion) == ToldTo::Others {
            return None;
        }
        let agent = key.agent_id().and_then(|id| config.agents.agent(id));
        let workspace = &agent.unwrap_or(config.agents.default_agent()).workspace;
        let mut told = String::new();
        for name in &entry.paths {
            let Some(path) = inside(workspace, name).await else {
                tracing::warn!(file = name, "a file for the prompt is not in the workspace");
                continue;
            };
            let text = small_file(&path).await;
            // The assistant writes there unasked: what a page says must not become what every conversation begins with.
            if has_words_of_others(&self.inner.relay, path).await {
                tracing::warn!(file = name, "a file for the prompt holds words of others and is left out");
                continue;
            }
            if let Some(text) = text {
                told.push_str(&format!("## {name}\n\n{}\n\n", text.trim()));
            }
        }
        Some(told).filter(|told| !told.is_empty())
    }
}

/// Whether a file holds words of others. One that cannot be looked at may.
async fn has_words_of_others(relay: &Relay, path: PathBuf) -> bool {
    let relay = relay.clone();
    let from = off_thread(move || relay.words_of_others_in(&path)).await;
    from.map_or(true, |from| from.is_some())
}

/// What is to be done after a start, where anything is. A link out of the workspace may lead to what nobody meant to tell.
async fn told_at_start(workspace: &Path) -> Option<String> {
    let text = small_file(&inside(workspace, BOOT_FILE).await?).await?;
    Some(text).filter(|text| !text.trim().is_empty())
}

/// Where a file of the workspace really is; `None` outside.
async fn inside(workspace: &Path, name: &str) -> Option<PathBuf> {
    let root = tokio::fs::canonicalize(workspace).await.ok()?;
    let path = tokio::fs::canonicalize(root.join(name)).await.ok()?;
    path.starts_with(&root).then_some(path)
}

/// The text of a file, as far as it is told.
async fn small_file(path: &Path) -> Option<String> {
    let is_file = tokio::fs::metadata(path).await.is_ok_and(|meta| meta.is_file());
    if !is_file {
        return None;
    }
    let file = tokio::fs::File::open(path).await.ok()?;
    let mut bytes = Vec::new();
    file.take(u64::try_from(MAX_FILE).unwrap_or(u64::MAX)).read_to_end(&mut bytes).await.ok()?;
    Some(String::from_utf8_lossy(&bytes).clip_bytes(MAX_FILE).to_owned())
}

fn append(path: &Path, line: &str) -> std::io::Result<()> {
    create_private_dir(path.parent().unwrap_or(Path::new(".")))?;
    let is_long = std::fs::metadata(path).is_ok_and(|meta| meta.len() > MAX_LOG);
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(!is_long).write(true).truncate(is_long).mode(0o600);
    options.open(path)?.write_all(line.as_bytes())
}

/// The agent a conversation is of.
fn agent_of<'a>(config: &'a homard_config::Config, key: &SessionKey) -> &'a Agent {
    let named = key.agent_id().and_then(|id| config.agents.agent(id));
    named.unwrap_or(config.agents.default_agent())
}

#[cfg(test)]
mod tests;
