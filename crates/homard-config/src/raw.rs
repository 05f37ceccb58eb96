//! The file as people write it: every key optional, nothing decided.
//!
//! These types mirror the whole configuration surface, including keys whose owner is not built yet, so that
//! the JSON Schema, the help texts and "unknown key" all come from one place. Sections that belong to other
//! rooms (`channels`, a plugin's own `config`) stay free-form here. Defaults and meaning live in
//! [`crate::config`].

pub(crate) mod agents;
pub(crate) mod budgets;
pub(crate) mod extensions;
pub(crate) mod gateway;
pub(crate) mod housekeeping;
pub(crate) mod memory;
pub(crate) mod models;
pub(crate) mod sandbox;
pub(crate) mod session;
pub(crate) mod surfaces;
pub(crate) mod tools;
pub(crate) mod turns;
pub(crate) mod value;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use value::MaskedText;

/// The whole file.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Raw {
    /// Address of a schema for editors; ignored.
    #[serde(rename = "$schema")]
    pub(crate) schema: Option<String>,
    /// Stamps left by the last write.
    pub(crate) meta: Option<housekeeping::Meta>,
    /// Environment variables set when they are absent.
    pub(crate) env: Option<Env>,
    /// What the setup wizard did last.
    pub(crate) wizard: Option<housekeeping::Wizard>,
    /// How updates are looked for.
    pub(crate) update: Option<housekeeping::Update>,
    /// What is logged, where, and how much of it.
    pub(crate) logging: Option<housekeeping::Logging>,
    /// Self-observation.
    pub(crate) diagnostics: Option<housekeeping::Diagnostics>,
    /// Looks of the Control UI.
    pub(crate) ui: Option<housekeeping::Ui>,
    /// Which credentials are used in which order.
    pub(crate) auth: Option<housekeeping::Auth>,
    /// Where secret references are looked up.
    pub(crate) secrets: Option<housekeeping::Secrets>,
    /// The server other programs and people connect to.
    pub(crate) gateway: Option<gateway::Gateway>,
    /// Who answers.
    pub(crate) agents: Option<agents::Agents>,
    /// Which agent gets which messages.
    pub(crate) bindings: Option<Vec<agents::Binding>>,
    /// Conversations several agents answer in.
    pub(crate) broadcast: Option<Broadcast>,
    /// Which messages belong to one conversation.
    pub(crate) session: Option<session::Session>,
    /// How messages look and wait.
    pub(crate) messages: Option<session::Messages>,
    /// Slash commands in chats.
    pub(crate) commands: Option<session::Commands>,
    /// Newer place of `messages.tts`.
    pub(crate) tts: Option<session::Tts>,
    /// Where models are served.
    pub(crate) models: Option<models::Models>,
    /// What models may cost.
    pub(crate) budgets: Option<budgets::Budgets>,
    /// What agents may do.
    pub(crate) tools: Option<tools::Tools>,
    /// What agents have been taught.
    pub(crate) skills: Option<extensions::Skills>,
    /// Rooms furnished by others.
    pub(crate) plugins: Option<extensions::Plugins>,
    /// Calls from outside that start something.
    pub(crate) hooks: Option<extensions::Hooks>,
    /// Turns nobody typed.
    pub(crate) cron: Option<extensions::Cron>,
    /// Asking the owner.
    pub(crate) approvals: Option<extensions::Approvals>,
    /// What is remembered.
    pub(crate) memory: Option<memory::Memory>,
    /// The browser agents use.
    pub(crate) browser: Option<surfaces::Browser>,
    /// Speaking with the assistant.
    pub(crate) talk: Option<surfaces::Talk>,
    /// Being found.
    pub(crate) discovery: Option<surfaces::Discovery>,
    /// Pages agents make.
    pub(crate) canvas_host: Option<surfaces::CanvasHost>,
    /// This machine as a node.
    pub(crate) node_host: Option<surfaces::NodeHost>,
    /// The web-based chat connection.
    pub(crate) web: Option<surfaces::WebChannel>,
    /// Chat platforms by id; each adapter reads its own part.
    pub(crate) channels: Option<BTreeMap<String, Value>>,
    /// Older place of sound settings.
    pub(crate) audio: Option<Value>,
    /// Older place of media settings.
    pub(crate) media: Option<Value>,
    /// Older place of the assistant's identity.
    pub(crate) identity: Option<Value>,
    /// Newer section: groups of people.
    pub(crate) access_groups: Option<Value>,
    /// Newer section: agent client protocol.
    pub(crate) acp: Option<Value>,
    /// Newer section: how long attachments are kept.
    pub(crate) attachments: Option<Value>,
    /// Newer section: workers elsewhere.
    pub(crate) cloud_workers: Option<Value>,
    /// Newer section: the desktop program.
    pub(crate) desktop: Option<Value>,
    /// Newer section: tool servers.
    pub(crate) mcp: Option<Value>,
    /// Newer section: outgoing proxy.
    pub(crate) proxy: Option<Value>,
    /// Newer section: security audit.
    pub(crate) security: Option<Value>,
    /// Newer section: where things are shown.
    pub(crate) surfaces: Option<Value>,
    /// Newer section: usage reports.
    pub(crate) telemetry: Option<Value>,
    /// Newer section: transcript storage.
    pub(crate) transcripts: Option<Value>,
    /// Newer section: working copies.
    pub(crate) worktree: Option<Value>,
    /// Newer section: working copies.
    pub(crate) worktrees: Option<Value>,
}

/// The `env` section: `shellEnv`, `vars`, and any other name as a variable.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Env {
    /// Importing missing keys from the owner's login shell.
    pub(crate) shell_env: Option<housekeeping::ShellEnv>,
    /// Variables set when they are absent.
    pub(crate) vars: Option<BTreeMap<String, MaskedText>>,
    /// The same, written directly into the section.
    #[serde(flatten)]
    pub(crate) names: BTreeMap<String, MaskedText>,
}

/// Conversations several agents answer in: the strategy, and agent ids per conversation.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Broadcast {
    /// All at once or one after the other.
    #[schemars(extend("enum" = ["parallel", "sequential"]))]
    pub(crate) strategy: Option<String>,
    /// Agents per conversation.
    #[serde(flatten)]
    pub(crate) peers: BTreeMap<String, Vec<String>>,
}
