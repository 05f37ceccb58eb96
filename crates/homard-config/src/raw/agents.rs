//! Shape of the `agents`, `bindings` and `broadcast` sections.
//!
//! Doc comments are the help people read; what the values mean is decided in [`crate::config`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::config::agents::ThinkingLevel;
use crate::raw::value::ModelChoice;

/// What the owner says about one model.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CatalogEntry {
    /// Short name for it.
    pub alias: Option<String>,
    /// Extra request parameters.
    pub params: Option<Value>,
    /// Whether answers are streamed.
    pub streaming: Option<bool>,
}

/// Which models may be chosen.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelPolicy {
    /// Models that may be chosen; empty means any.
    pub allow: Option<Vec<String>>,
}

/// What every agent has unless it says otherwise.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentDefaults {
    /// Model used, as provider/model, with optional fallbacks.
    pub model: Option<ModelChoice>,
    /// Model for pictures when the main one cannot see.
    pub image_model: Option<ModelChoice>,
    /// Known models with their aliases; also the list `/model` may choose from.
    pub models: Option<BTreeMap<String, CatalogEntry>>,
    /// Newer spelling of that list.
    pub model_policy: Option<ModelPolicy>,
    /// Directory the agent works in.
    pub workspace: Option<String>,
    /// Root of the repository named in the prompt.
    pub repo_root: Option<String>,
    /// Do not create the starting files of a workspace.
    ///
    /// Default: `false`.
    pub skip_bootstrap: Option<bool>,
    /// Longest part of one workspace file in the prompt, in characters.
    ///
    /// Default: `20000`.
    #[schemars(range(min = 1))]
    pub bootstrap_max_chars: Option<u64>,
    /// Longest total of workspace files in the prompt, in characters.
    ///
    /// Default: `150000`.
    #[schemars(range(min = 1))]
    pub bootstrap_total_max_chars: Option<u64>,
    /// The owner's time zone, as an IANA name.
    pub user_timezone: Option<String>,
    /// How times are written.
    ///
    /// Default: `auto`.
    #[schemars(extend("enum" = ["auto","12","24"]))]
    pub time_format: Option<String>,
    /// Time zone of message stamps.
    ///
    /// Default: `local`.
    pub envelope_timezone: Option<String>,
    /// Whether messages carry their time.
    ///
    /// Default: `on`.
    #[schemars(extend("enum" = ["on","off"]))]
    pub envelope_timestamp: Option<String>,
    /// Whether messages carry the time since the last one.
    ///
    /// Default: `on`.
    #[schemars(extend("enum" = ["on","off"]))]
    pub envelope_elapsed: Option<String>,
    /// Upper bound for the context, in tokens.
    #[schemars(range(min = 1))]
    pub context_tokens: Option<u64>,
    /// Command-line programs used as models.
    pub cli_backends: Option<BTreeMap<String, super::turns::CliBackend>>,
    /// Forgetting old tool results.
    pub context_pruning: Option<super::turns::ContextPruning>,
    /// Summarising long conversations.
    pub compaction: Option<super::turns::Compaction>,
    /// Searching notes.
    pub memory_search: Option<super::memory::MemorySearch>,
    /// How hard models think unless told otherwise.
    pub thinking_default: Option<ThinkingLevel>,
    /// How much of the work is shown.
    ///
    /// Default: `off`.
    #[schemars(extend("enum" = ["off","on","full"]))]
    pub verbose_default: Option<String>,
    /// Whether elevated commands are allowed at first.
    ///
    /// Default: `on`.
    #[schemars(extend("enum" = ["off","on","ask","full"]))]
    pub elevated_default: Option<String>,
    /// Whether answers are sent piece by piece.
    ///
    /// Default: `off`.
    #[schemars(extend("enum" = ["off","on"]))]
    pub block_streaming_default: Option<String>,
    /// When a piece is sent.
    ///
    /// Default: `text_end`.
    #[schemars(extend("enum" = ["text_end","message_end"]))]
    pub block_streaming_break: Option<String>,
    /// Where pieces are cut.
    pub block_streaming_chunk: Option<super::turns::BlockChunk>,
    /// Joining short pieces.
    pub block_streaming_coalesce: Option<super::turns::BlockCoalesce>,
    /// Waiting between pieces.
    pub human_delay: Option<super::turns::HumanDelay>,
    /// Longest run of an agent, in seconds; 0 means no limit.
    ///
    /// Default: `600`.
    pub timeout_seconds: Option<u64>,
    /// Largest media file, in megabytes.
    ///
    /// Default: `5`.
    pub media_max_mb: Option<f64>,
    /// Longest side of pictures shown to the model, in pixels.
    ///
    /// Default: `1200`.
    pub image_max_dimension_px: Option<u64>,
    /// Time between typing signs, in seconds.
    ///
    /// Default: `6`.
    pub typing_interval_seconds: Option<u64>,
    /// When typing is shown.
    #[schemars(extend("enum" = ["never","instant","thinking","message"]))]
    pub typing_mode: Option<String>,
    /// Looking around by itself.
    pub heartbeat: Option<super::turns::Heartbeat>,
    /// How many runs may happen at once.
    ///
    /// Default: `4`.
    #[schemars(range(min = 1))]
    pub max_concurrent: Option<u64>,
    /// Agents started by agents.
    pub subagents: Option<super::turns::SubagentDefaults>,
    /// Where commands run.
    pub sandbox: Option<super::sandbox::Sandbox>,
}

/// Who an agent is to the people it talks with.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Identity {
    /// Its name.
    pub name: Option<String>,
    /// Its manner.
    pub theme: Option<String>,
    /// Its sign.
    pub emoji: Option<String>,
    /// Its picture.
    pub avatar: Option<String>,
}

/// Behaviour in groups.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GroupChat {
    /// Patterns that count as a mention.
    pub mention_patterns: Option<Vec<String>>,
    /// Messages of context kept.
    pub history_limit: Option<u64>,
}

/// Agents one agent may start.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentSubagents {
    /// Agents it may start; `*` means any.
    pub allow_agents: Option<Vec<String>>,
    /// Model they use.
    pub model: Option<ModelChoice>,
    /// How hard they think.
    pub thinking: Option<String>,
}

/// Newer place of an agent's memory settings.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentMemory {
    /// Searching notes.
    pub search: Option<super::memory::MemorySearch>,
}

/// One agent.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentEntry {
    /// Its id: lower-case letters, digits, `_` and `-`.
    pub id: Option<String>,
    /// Whether it answers when nothing else is said.
    pub default: Option<bool>,
    /// Its name in lists.
    pub name: Option<String>,
    /// Directory it works in.
    pub workspace: Option<String>,
    /// Directory of its own state.
    pub agent_dir: Option<String>,
    /// Its model; `fallbacks: []` turns fallbacks off.
    pub model: Option<ModelChoice>,
    /// Skills it may use; all when unset.
    pub skills: Option<Vec<String>>,
    /// Searching notes.
    pub memory_search: Option<super::memory::MemorySearch>,
    /// Newer spelling of `memorySearch`.
    pub memory: Option<AgentMemory>,
    /// Waiting between pieces.
    pub human_delay: Option<super::turns::HumanDelay>,
    /// Looking around by itself.
    pub heartbeat: Option<super::turns::Heartbeat>,
    /// Who it is.
    pub identity: Option<Identity>,
    /// Behaviour in groups.
    pub group_chat: Option<GroupChat>,
    /// Agents it may start.
    pub subagents: Option<AgentSubagents>,
    /// Where its commands run.
    pub sandbox: Option<super::sandbox::Sandbox>,
    /// Tools it may use.
    pub tools: Option<super::tools::AgentTools>,
    /// How hard it thinks unless told otherwise.
    pub thinking_default: Option<ThinkingLevel>,
}

/// Who answers.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Agents {
    /// What every agent has unless it says otherwise.
    pub defaults: Option<AgentDefaults>,
    /// The agents.
    pub list: Option<Vec<AgentEntry>>,
    /// Newer spelling of `list`, keyed by id.
    pub entries: Option<BTreeMap<String, AgentEntry>>,
    /// Who keeps the newer table.
    pub ownership: Option<String>,
}

/// A conversation.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BindingPeer {
    /// Its kind.
    #[schemars(extend("enum" = ["direct","dm","group","channel"]))]
    pub kind: Option<String>,
    /// Its id on the platform.
    pub id: Option<String>,
}

/// Which messages a binding takes.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BindingMatch {
    /// Platform.
    pub channel: Option<String>,
    /// Our account there; `*` means any.
    pub account_id: Option<String>,
    /// Conversation.
    pub peer: Option<BindingPeer>,
    /// Server.
    pub guild_id: Option<String>,
    /// Team.
    pub team_id: Option<String>,
    /// Roles of the sender.
    pub roles: Option<Vec<String>>,
}

/// Sends matching messages to an agent.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Binding {
    /// The agent.
    pub agent_id: Option<String>,
    /// Which messages.
    #[serde(rename = "match")]
    pub matching: Option<BindingMatch>,
    /// Kind of binding.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["route","acp"]))]
    pub kind: Option<String>,
    /// A note for people.
    pub comment: Option<String>,
    /// Session settings for matching messages.
    pub session: Option<Value>,
}
