//! The file as people write it: every key optional, nothing decided.
//!
//! These types mirror the whole configuration surface, including keys whose owner is not built yet, so that
//! the JSON Schema, the help texts and "unknown key" all come from one place. Sections that belong to other
//! rooms (`channels`, a plugin's own `config`) stay free-form here. Defaults and meaning live in
//! [`crate::config`].

pub mod agents;
pub mod budgets;
pub mod extensions;
pub mod gateway;
pub mod housekeeping;
pub mod memory;
pub mod models;
pub mod sandbox;
pub mod session;
pub mod surfaces;
pub mod tools;
pub mod turns;
pub mod value;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use value::MaskedText;

/// The whole file.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Raw {
    /// Address of a schema for editors; ignored.
    #[serde(rename = "$schema")]
    pub schema: Option<String>,
    /// Stamps left by the last write.
    pub meta: Option<housekeeping::Meta>,
    /// Environment variables set when they are absent.
    pub env: Option<Env>,
    /// What the setup wizard did last.
    pub wizard: Option<housekeeping::Wizard>,
    /// How updates are looked for.
    pub update: Option<housekeeping::Update>,
    /// What is logged, where, and how much of it.
    pub logging: Option<housekeeping::Logging>,
    /// Self-observation.
    pub diagnostics: Option<housekeeping::Diagnostics>,
    /// Looks of the Control UI.
    pub ui: Option<housekeeping::Ui>,
    /// Which credentials are used in which order.
    pub auth: Option<housekeeping::Auth>,
    /// Where secret references are looked up.
    pub secrets: Option<housekeeping::Secrets>,
    /// The server other programs and people connect to.
    pub gateway: Option<gateway::Gateway>,
    /// Who answers.
    pub agents: Option<agents::Agents>,
    /// Which agent gets which messages.
    pub bindings: Option<Vec<agents::Binding>>,
    /// Conversations several agents answer in.
    pub broadcast: Option<Broadcast>,
    /// Which messages belong to one conversation.
    pub session: Option<session::Session>,
    /// How messages look and wait.
    pub messages: Option<session::Messages>,
    /// Slash commands in chats.
    pub commands: Option<session::Commands>,
    /// Newer place of `messages.tts`.
    pub tts: Option<session::Tts>,
    /// Where models are served.
    pub models: Option<models::Models>,
    /// What models may cost.
    pub budgets: Option<budgets::Budgets>,
    /// What agents may do.
    pub tools: Option<tools::Tools>,
    /// What agents have been taught.
    pub skills: Option<extensions::Skills>,
    /// Rooms furnished by others.
    pub plugins: Option<extensions::Plugins>,
    /// Calls from outside that start something.
    pub hooks: Option<extensions::Hooks>,
    /// Turns nobody typed.
    pub cron: Option<extensions::Cron>,
    /// Asking the owner.
    pub approvals: Option<extensions::Approvals>,
    /// What is remembered.
    pub memory: Option<memory::Memory>,
    /// The browser agents use.
    pub browser: Option<surfaces::Browser>,
    /// Speaking with the assistant.
    pub talk: Option<surfaces::Talk>,
    /// Being found.
    pub discovery: Option<surfaces::Discovery>,
    /// Pages agents make.
    pub canvas_host: Option<surfaces::CanvasHost>,
    /// This machine as a node.
    pub node_host: Option<surfaces::NodeHost>,
    /// The web-based chat connection.
    pub web: Option<surfaces::WebChannel>,
    /// Chat platforms by id; each adapter reads its own part.
    pub channels: Option<BTreeMap<String, Value>>,
    /// Older place of sound settings.
    pub audio: Option<Value>,
    /// Older place of media settings.
    pub media: Option<Value>,
    /// Older place of the assistant's identity.
    pub identity: Option<Value>,
    /// Newer section: groups of people.
    pub access_groups: Option<Value>,
    /// Newer section: agent client protocol.
    pub acp: Option<Value>,
    /// Newer section: how long attachments are kept.
    pub attachments: Option<Value>,
    /// Newer section: workers elsewhere.
    pub cloud_workers: Option<Value>,
    /// Newer section: the desktop program.
    pub desktop: Option<Value>,
    /// Newer section: tool servers.
    pub mcp: Option<Value>,
    /// Newer section: outgoing proxy.
    pub proxy: Option<Value>,
    /// Newer section: security audit.
    pub security: Option<Value>,
    /// Newer section: where things are shown.
    pub surfaces: Option<Value>,
    /// Newer section: usage reports.
    pub telemetry: Option<Value>,
    /// Newer section: transcript storage.
    pub transcripts: Option<Value>,
    /// Newer section: working copies.
    pub worktree: Option<Value>,
    /// Newer section: working copies.
    pub worktrees: Option<Value>,
}

/// The `env` section: `shellEnv`, `vars`, and any other name as a variable.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Env {
    /// Importing missing keys from the owner's login shell.
    pub shell_env: Option<housekeeping::ShellEnv>,
    /// Variables set when they are absent.
    pub vars: Option<BTreeMap<String, MaskedText>>,
    /// The same, written directly into the section.
    #[serde(flatten)]
    pub names: BTreeMap<String, MaskedText>,
}

/// Conversations several agents answer in: the strategy, and agent ids per conversation.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Broadcast {
    /// All at once or one after the other.
    #[schemars(extend("enum" = ["parallel", "sequential"]))]
    pub strategy: Option<String>,
    /// Agents per conversation.
    #[serde(flatten)]
    pub peers: BTreeMap<String, Vec<String>>,
}
