//! Shape of the `agents`, `bindings` and `broadcast` sections.
//!
//! Doc comments are the help people read; what the values mean is decided in [`crate::config`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::config::agents::ThinkingLevel;
use crate::raw::value::{ModelChoice, SecretText};

/// What the owner says about one model.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CatalogEntry {
    /// Short name for it.
    pub(crate) alias: Option<String>,
    /// What every call to it asks for: `temperature`, `topP`, `topK`, `maxTokens`, `seed`, `stop`, penalties, and
    /// whatever else its server understands.
    pub(crate) params: Option<BTreeMap<String, Value>>,
}

/// Which models may be chosen.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ModelPolicy {
    /// Models that may be chosen; empty means any.
    pub(crate) allow: Option<Vec<String>>,
}

/// What is remembered.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Memory {
    /// Whether what is found of notes says where it stands. Notes are read out to the owner alone, so `auto` is `on`.
    ///
    /// Default: `auto`.
    #[schemars(extend("enum" = ["auto","on","off"]))]
    pub(crate) citations: Option<String>,
    /// Newer place of `agents.defaults.memorySearch`, which it wins over.
    pub(crate) search: Option<MemorySearch>,
}

/// Newer place of an agent's settings.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AgentMemory {
    /// Newer place of `memorySearch`, which it wins over.
    pub(crate) search: Option<MemorySearch>,
}

/// Searching notes.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemorySearch {
    /// Offer it.
    ///
    /// Default: `true`.
    pub(crate) enabled: Option<bool>,
    /// Further Markdown files and folders that are searched, from the workspace on or absolute.
    pub(crate) extra_paths: Option<Vec<String>>,
    /// What is searched: notes (`memory`, always) and conversations (`sessions`, with `experimental.sessionMemory`).
    ///
    /// Default: `["memory"]`.
    pub(crate) sources: Option<Vec<String>>,
    /// What has to be wanted by name.
    pub(crate) experimental: Option<MemoryExperimental>,
    /// Who makes the vectors: a provider of `models.providers`, `local` for a model file of your own, or `auto`.
    /// Without one the words alone are searched.
    pub(crate) provider: Option<String>,
    /// With which model.
    pub(crate) model: Option<String>,
    /// Who makes them when that provider fails: another of `models.providers`, `local`, or `none`.
    ///
    /// Default: `none`.
    pub(crate) fallback: Option<String>,
    /// The provider's server for vectors, where it is another than for models.
    pub(crate) remote: Option<MemoryRemote>,
    /// A model of your own.
    pub(crate) local: Option<MemoryLocal>,
    /// Where the index is.
    pub(crate) store: Option<MemoryStore>,
    /// How notes are cut.
    pub(crate) chunking: Option<MemoryChunking>,
    /// How results are picked.
    pub(crate) query: Option<MemoryQuery>,
    /// When the index is brought up to date.
    pub(crate) sync: Option<MemorySync>,
}

/// When the index is brought up to date.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemorySync {
    /// When a conversation begins.
    ///
    /// Default: `true`.
    pub(crate) on_session_start: Option<bool>,
    /// Before something is searched.
    ///
    /// Default: `true`.
    pub(crate) on_search: Option<bool>,
    /// When files change.
    ///
    /// Default: `true`.
    pub(crate) watch: Option<bool>,
    /// Quiet time before a change counts, in milliseconds.
    ///
    /// Default: `1500`.
    pub(crate) watch_debounce_ms: Option<u64>,
    /// Every so many minutes; 0 is never.
    ///
    /// Default: `0`.
    pub(crate) interval_minutes: Option<u64>,
    /// How far a conversation grows before it is read again for a search; one that begins has all of them read.
    pub(crate) sessions: Option<MemorySyncSessions>,
}

/// How far a conversation grows before it is read again: whichever comes first.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemorySyncSessions {
    /// By so many bytes of text; 0 is at once.
    ///
    /// Default: `100000`.
    pub(crate) delta_bytes: Option<u64>,
    /// By so many messages; 0 is at once.
    ///
    /// Default: `50`.
    pub(crate) delta_messages: Option<u64>,
}

/// What has to be wanted by name.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemoryExperimental {
    /// Search conversations, too, where `sources` names them.
    ///
    /// Default: `false`.
    pub(crate) session_memory: Option<bool>,
}

/// Making vectors at a server of its own.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemoryRemote {
    /// Its address; the provider's own when unset.
    pub(crate) base_url: Option<String>,
    /// Its key. A provider's own key is not sent to another address.
    pub(crate) api_key: Option<SecretText>,
    /// Headers sent with every request.
    pub(crate) headers: Option<BTreeMap<String, SecretText>>,
}

/// Making vectors on this machine.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemoryLocal {
    /// Folder with `model.safetensors` and `tokenizer.json`, or the first of the two.
    pub(crate) model_path: Option<String>,
}

/// Where the index is kept.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemoryStore {
    /// File of the index; `{agentId}` stands for the agent. It may be deleted and is made anew.
    ///
    /// Default: `memory/{agentId}.sqlite` in the state directory.
    pub(crate) path: Option<String>,
}

/// How notes are cut.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemoryChunking {
    /// Largest passage, in tokens of four characters.
    ///
    /// Default: `400`.
    #[schemars(range(min = 1))]
    pub(crate) tokens: Option<u64>,
}

/// How results are picked.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemoryQuery {
    /// Most results.
    ///
    /// Default: `6`.
    #[schemars(range(min = 1))]
    pub(crate) max_results: Option<u64>,
    /// Least score.
    ///
    /// Default: `0.35`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub(crate) min_score: Option<f64>,
    /// Mixing words and meaning.
    pub(crate) hybrid: Option<MemoryHybrid>,
}

/// Mixing words and meaning, where there are vectors.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemoryHybrid {
    /// Use vectors where there are any.
    ///
    /// Default: `true`.
    pub(crate) enabled: Option<bool>,
    /// Share of the meaning.
    ///
    /// Default: `0.3`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub(crate) vector_weight: Option<f64>,
    /// Share of the words.
    ///
    /// Default: `0.7`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub(crate) text_weight: Option<f64>,
    /// How many times more than are wanted are looked at.
    ///
    /// Default: `4`.
    #[schemars(range(min = 1, max = 20))]
    pub(crate) candidate_multiplier: Option<u64>,
    /// Not telling the same twice.
    pub(crate) mmr: Option<MemoryMmr>,
    /// Preferring what is newer.
    pub(crate) temporal_decay: Option<MemoryDecay>,
}

/// Not telling the same twice.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemoryMmr {
    /// Turn it on.
    ///
    /// Default: `false`.
    pub(crate) enabled: Option<bool>,
    /// Share of fitting; the rest is being different.
    ///
    /// Default: `0.7`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub(crate) lambda: Option<f64>,
}

/// Preferring what is newer.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemoryDecay {
    /// Turn it on.
    ///
    /// Default: `false`.
    pub(crate) enabled: Option<bool>,
    /// After so many days a dated note counts half.
    ///
    /// Default: `30`.
    #[schemars(range(min = 1))]
    pub(crate) half_life_days: Option<u64>,
}

/// Where commands of untrusted sessions run.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Sandbox {
    /// Which sessions are sandboxed.
    ///
    /// Default: `off`.
    #[schemars(extend("enum" = ["off","non-main","all"]))]
    pub(crate) mode: Option<String>,
    /// What sandboxed sessions have of the agent's workspace: nothing (`none`: they have a folder of their own),
    /// reading (`ro`) or all of it (`rw`).
    ///
    /// Default: `none`.
    #[schemars(extend("enum" = ["none","ro","rw"]))]
    pub(crate) workspace_access: Option<String>,
    /// Which sandboxed sessions share one folder.
    ///
    /// Default: `agent`.
    #[schemars(extend("enum" = ["session","agent","shared"]))]
    pub(crate) scope: Option<String>,
    /// Older spelling of `scope`: `true` is `session`, `false` is `shared`.
    pub(crate) per_session: Option<bool>,
    /// Directory of the folders of sandboxed sessions.
    ///
    /// Default: `sandboxes` in the state directory.
    pub(crate) workspace_root: Option<String>,
    /// Which sessions are visible from inside: those that were started there, or as everywhere.
    ///
    /// Default: `spawned`.
    #[schemars(extend("enum" = ["spawned","all"]))]
    pub(crate) session_tools_visibility: Option<String>,
}

/// What every agent has unless it says otherwise.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AgentDefaults {
    /// Model used, as provider/model, with optional fallbacks.
    pub(crate) model: Option<ModelChoice>,
    /// Model for pictures when the main one cannot see.
    pub(crate) image_model: Option<ModelChoice>,
    /// Known models with their aliases; also the list `/model` may choose from.
    pub(crate) models: Option<BTreeMap<String, CatalogEntry>>,
    /// Newer spelling of that list.
    pub(crate) model_policy: Option<ModelPolicy>,
    /// Directory the agent works in.
    pub(crate) workspace: Option<String>,
    /// Do not create the starting files of a workspace.
    ///
    /// Default: `false`.
    pub(crate) skip_bootstrap: Option<bool>,
    /// Longest part of one workspace file in the prompt, in characters.
    ///
    /// Default: `20000`.
    #[schemars(range(min = 1))]
    pub(crate) bootstrap_max_chars: Option<u64>,
    /// Longest total of workspace files in the prompt, in characters.
    ///
    /// Default: `150000`.
    #[schemars(range(min = 1))]
    pub(crate) bootstrap_total_max_chars: Option<u64>,
    /// The owner's time zone, as an IANA name.
    pub(crate) user_timezone: Option<String>,
    /// Whether messages carry the time they were sent.
    ///
    /// Default: `on`.
    #[schemars(extend("enum" = ["on","off"]))]
    pub(crate) envelope_timestamp: Option<String>,
    /// Time zone of those times: `local` (the machine's), `user` (the owner's), `utc` or an IANA name.
    ///
    /// Default: `local`.
    pub(crate) envelope_timezone: Option<String>,
    /// Whether messages carry the time since the last one.
    ///
    /// Default: `on`.
    #[schemars(extend("enum" = ["on","off"]))]
    pub(crate) envelope_elapsed: Option<String>,
    /// What chat platforms are shown of tools: nothing, that they are used, or what they answered as well.
    ///
    /// Default: `off`.
    #[schemars(extend("enum" = ["off","on","full"]))]
    pub(crate) verbose_default: Option<String>,
    /// Upper bound for the context, in tokens.
    #[schemars(range(min = 1))]
    pub(crate) context_tokens: Option<u64>,
    /// Command-line programs used as models.
    pub(crate) cli_backends: Option<BTreeMap<String, super::turns::CliBackend>>,
    /// Forgetting old tool results.
    pub(crate) context_pruning: Option<super::turns::ContextPruning>,
    /// Summarising long conversations.
    pub(crate) compaction: Option<super::turns::Compaction>,
    /// Searching notes.
    pub(crate) memory_search: Option<MemorySearch>,
    /// How hard models think unless told otherwise.
    pub(crate) thinking_default: Option<ThinkingLevel>,
    /// Whether answers are sent piece by piece.
    ///
    /// Default: `off`.
    #[schemars(extend("enum" = ["off","on"]))]
    pub(crate) block_streaming_default: Option<String>,
    /// When a piece is sent.
    ///
    /// Default: `text_end`.
    #[schemars(extend("enum" = ["text_end","message_end"]))]
    pub(crate) block_streaming_break: Option<String>,
    /// Where pieces are cut.
    pub(crate) block_streaming_chunk: Option<super::turns::BlockChunk>,
    /// Joining short pieces.
    pub(crate) block_streaming_coalesce: Option<super::turns::BlockCoalesce>,
    /// Waiting between pieces.
    pub(crate) human_delay: Option<super::turns::HumanDelay>,
    /// Longest run of an agent, in seconds; 0 means no limit.
    ///
    /// Default: `600`.
    pub(crate) timeout_seconds: Option<u64>,
    /// Time between typing signs, in seconds.
    ///
    /// Default: `6`.
    pub(crate) typing_interval_seconds: Option<u64>,
    /// When typing is shown.
    #[schemars(extend("enum" = ["never","instant","thinking","message"]))]
    pub(crate) typing_mode: Option<String>,
    /// How many runs may happen at once.
    ///
    /// Default: `4`.
    #[schemars(range(min = 1))]
    pub(crate) max_concurrent: Option<u64>,
    /// Agents started by agents.
    pub(crate) subagents: Option<super::turns::SubagentDefaults>,
    /// Where commands run.
    pub(crate) sandbox: Option<Sandbox>,
    /// Looking around by itself.
    pub(crate) heartbeat: Option<super::heartbeat::Heartbeat>,
}

/// Who an agent is to the people it talks with.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Identity {
    /// Its name.
    pub(crate) name: Option<String>,
    /// Its manner.
    pub(crate) theme: Option<String>,
    /// Its sign.
    pub(crate) emoji: Option<String>,
    /// Its picture.
    pub(crate) avatar: Option<String>,
}

/// Behaviour in groups.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct GroupChat {
    /// Patterns that count as a mention.
    pub(crate) mention_patterns: Option<Vec<String>>,
    /// Messages of context kept.
    pub(crate) history_limit: Option<u64>,
}

/// Agents one agent may start.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AgentSubagents {
    /// Agents it may start; `*` means any.
    pub(crate) allow_agents: Option<Vec<String>>,
    /// Model they use.
    pub(crate) model: Option<ModelChoice>,
    /// How hard they think.
    pub(crate) thinking: Option<String>,
}

/// One agent.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AgentEntry {
    /// Its id: lower-case letters, digits, `_` and `-`.
    pub(crate) id: Option<String>,
    /// Whether it answers when nothing else is said.
    pub(crate) default: Option<bool>,
    /// Its name in lists.
    pub(crate) name: Option<String>,
    /// Directory it works in.
    pub(crate) workspace: Option<String>,
    /// Directory of its own state.
    pub(crate) agent_dir: Option<String>,
    /// Its model; `fallbacks: []` turns fallbacks off.
    pub(crate) model: Option<ModelChoice>,
    /// Skills it may use; all when unset.
    pub(crate) skills: Option<Vec<String>>,
    /// Who it is.
    pub(crate) identity: Option<Identity>,
    /// Behaviour in groups.
    pub(crate) group_chat: Option<GroupChat>,
    /// Agents it may start.
    pub(crate) subagents: Option<AgentSubagents>,
    /// Where its commands run.
    pub(crate) sandbox: Option<Sandbox>,
    /// Tools it may use.
    pub(crate) tools: Option<super::tools::AgentTools>,
    /// How hard it thinks unless told otherwise.
    pub(crate) thinking_default: Option<ThinkingLevel>,
    /// Looking around by itself. Where any agent has its own, only those with their own do.
    pub(crate) heartbeat: Option<super::heartbeat::Heartbeat>,
    /// Searching its notes.
    pub(crate) memory_search: Option<MemorySearch>,
    /// The same, in newer words.
    pub(crate) memory: Option<AgentMemory>,
}

/// Who answers.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Agents {
    /// What every agent has unless it says otherwise.
    pub(crate) defaults: Option<AgentDefaults>,
    /// The agents.
    pub(crate) list: Option<Vec<AgentEntry>>,
    /// Newer spelling of `list`, keyed by id.
    pub(crate) entries: Option<BTreeMap<String, AgentEntry>>,
}

/// A conversation.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct BindingPeer {
    /// Its kind.
    #[schemars(extend("enum" = ["direct","dm","group","channel"]))]
    pub(crate) kind: Option<String>,
    /// Its id on the platform.
    pub(crate) id: Option<String>,
}

/// Which messages a binding takes.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct BindingMatch {
    /// Platform.
    pub(crate) channel: Option<String>,
    /// Our account there; `*` means any.
    pub(crate) account_id: Option<String>,
    /// Conversation.
    pub(crate) peer: Option<BindingPeer>,
    /// Server.
    pub(crate) guild_id: Option<String>,
    /// Team.
    pub(crate) team_id: Option<String>,
    /// Roles of the sender.
    pub(crate) roles: Option<Vec<String>>,
}

/// Sends matching messages to an agent.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Binding {
    /// The agent.
    pub(crate) agent_id: Option<String>,
    /// Which messages.
    #[serde(rename = "match")]
    pub(crate) matching: Option<BindingMatch>,
    /// Kind of binding.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["route","acp"]))]
    pub(crate) kind: Option<String>,
    /// A note for people.
    #[expect(dead_code, reason = "a note for people")]
    pub(crate) comment: Option<String>,
    /// Session settings for matching messages.
    pub(crate) session: Option<Value>,
}
