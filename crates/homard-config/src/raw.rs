//! The file as people write it: every key optional, nothing decided.
//!
//! A field here is a key in effect: the compiler refuses one nobody reads, and the few that are read as written say
//! by whom. Keys of rooms that do not exist yet have no field; they are data, in `validation/known_keys.json`, and
//! taken out before the file is read into these types. The JSON Schema, the help texts and "unknown key" come from
//! both. Sections that belong to other rooms (`channels`) stay free-form here. Defaults and meaning live in
//! [`crate::config`].

pub(crate) mod agents;
pub(crate) mod budgets;
pub(crate) mod extensions;
pub(crate) mod gateway;
pub(crate) mod heartbeat;
pub(crate) mod housekeeping;
pub(crate) mod models;
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

use crate::config::bindings::BroadcastStrategy;

/// The whole file.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Raw {
    /// Address of a schema for editors; ignored.
    #[expect(dead_code, reason = "for editors")]
    #[serde(rename = "$schema")]
    pub(crate) schema: Option<String>,
    /// Stamps left by the last write.
    #[expect(dead_code, reason = "stamps; the loader looks at them in the value")]
    pub(crate) meta: Option<housekeeping::Meta>,
    /// Environment variables set when they are absent.
    #[expect(dead_code, reason = "the loader takes it from the value, before references are resolved")]
    pub(crate) env: Option<Env>,
    /// What the setup wizard did last.
    #[expect(dead_code, reason = "stamps for people")]
    pub(crate) wizard: Option<housekeeping::Wizard>,
    /// Where newer programs come from, and which.
    pub(crate) update: Option<housekeeping::Update>,
    /// What is logged, where, and how much of it.
    pub(crate) logging: Option<housekeeping::Logging>,
    /// Self-observation.
    pub(crate) diagnostics: Option<housekeeping::Diagnostics>,
    /// Which credentials are used in which order.
    pub(crate) auth: Option<housekeeping::Auth>,
    /// The server other programs and people connect to.
    pub(crate) gateway: Option<gateway::Gateway>,
    /// Who answers.
    pub(crate) agents: Option<agents::Agents>,
    /// What is remembered.
    pub(crate) memory: Option<agents::Memory>,
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
    /// Where models are served.
    pub(crate) models: Option<models::Models>,
    /// What models may cost.
    pub(crate) budgets: Option<budgets::Budgets>,
    /// What agents may do.
    pub(crate) tools: Option<tools::Tools>,
    /// What agents have been taught.
    pub(crate) skills: Option<extensions::Skills>,
    /// Calls from outside that start something.
    pub(crate) hooks: Option<extensions::Hooks>,
    /// Turns nobody typed.
    pub(crate) cron: Option<extensions::Cron>,
    /// Where questions to the owner are shown.
    pub(crate) approvals: Option<extensions::Approvals>,
    /// Speaking with the assistant.
    #[expect(dead_code, reason = "handed to clients as written, by `talk.config`")]
    pub(crate) talk: Option<surfaces::Talk>,
    /// Being found.
    pub(crate) discovery: Option<surfaces::Discovery>,
    /// Chat platforms by id; each adapter reads its own part.
    pub(crate) channels: Option<BTreeMap<String, Value>>,
}

/// The `env` section: `shellEnv`, `vars`, and any other name as a variable.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "the loader takes it from the value, before references are resolved")]
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
    ///
    /// Default: `parallel`.
    pub(crate) strategy: Option<BroadcastStrategy>,
    /// Agents per conversation.
    #[serde(flatten)]
    pub(crate) peers: BTreeMap<String, Vec<String>>,
}
