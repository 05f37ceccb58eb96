//! Shape of the settings inside `agents` that say how a turn runs and how its answer is sent.
//!
//! Doc comments are the help people read; what the values mean is decided in [`crate::config`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::raw::value::{MaskedText, ModelChoice};

/// A command-line program used as a model.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CliBackend {
    /// Program to run.
    pub(crate) command: Option<String>,
    /// Its arguments.
    pub(crate) args: Option<Vec<String>>,
    /// What it prints.
    #[schemars(extend("enum" = ["json","text","jsonl"]))]
    pub(crate) output: Option<String>,
    /// What it prints when resuming.
    #[schemars(extend("enum" = ["json","text","jsonl"]))]
    pub(crate) resume_output: Option<String>,
    /// How it takes the prompt.
    #[schemars(extend("enum" = ["arg","stdin"]))]
    pub(crate) input: Option<String>,
    /// Longest prompt handed over as an argument.
    pub(crate) max_prompt_arg_chars: Option<u64>,
    /// Variables set for it.
    pub(crate) env: Option<BTreeMap<String, MaskedText>>,
    /// Variables removed for it.
    pub(crate) clear_env: Option<Vec<String>>,
    /// Option that names the model.
    pub(crate) model_arg: Option<String>,
    /// Its names for models.
    pub(crate) model_aliases: Option<BTreeMap<String, String>>,
    /// Option that names the session.
    pub(crate) session_arg: Option<String>,
    /// Arguments of a new session.
    pub(crate) session_args: Option<Vec<String>>,
    /// Arguments that resume a session.
    pub(crate) resume_args: Option<Vec<String>>,
    /// When a session is named.
    #[schemars(extend("enum" = ["always","existing","none"]))]
    pub(crate) session_mode: Option<String>,
    /// Output fields that carry the session.
    pub(crate) session_id_fields: Option<Vec<String>>,
    /// Option that carries the system prompt.
    pub(crate) system_prompt_arg: Option<String>,
    /// What the system prompt does.
    #[schemars(extend("enum" = ["append","replace"]))]
    pub(crate) system_prompt_mode: Option<String>,
    /// When it is sent.
    #[schemars(extend("enum" = ["first","always","never"]))]
    pub(crate) system_prompt_when: Option<String>,
    /// Option that carries pictures.
    pub(crate) image_arg: Option<String>,
    /// How several pictures are given.
    #[schemars(extend("enum" = ["repeat","list"]))]
    pub(crate) image_mode: Option<String>,
    /// Run one at a time.
    pub(crate) serialize: Option<bool>,
    /// Watchdog settings.
    pub(crate) reliability: Option<Value>,
}

/// A list of names let in and a list kept out.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AllowDeny {
    /// Names allowed.
    pub(crate) allow: Option<Vec<String>>,
    /// Names refused; wins over `allow`.
    pub(crate) deny: Option<Vec<String>>,
}

/// Shortening old tool results.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SoftTrim {
    /// Results longer than this are shortened.
    ///
    /// Default: `4000`.
    pub(crate) max_chars: Option<u64>,
    /// Characters kept at the start.
    ///
    /// Default: `1500`.
    pub(crate) head_chars: Option<u64>,
    /// Characters kept at the end.
    ///
    /// Default: `1500`.
    pub(crate) tail_chars: Option<u64>,
}

/// Removing old tool results.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct HardClear {
    /// Turn it on.
    ///
    /// Default: `true`.
    pub(crate) enabled: Option<bool>,
    /// Text left in their place.
    ///
    /// Default: `[Old tool result content cleared]`.
    pub(crate) placeholder: Option<String>,
}

/// Forgetting old tool results while a conversation goes on.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ContextPruning {
    /// When to prune.
    ///
    /// Default: `off`.
    #[schemars(extend("enum" = ["off","cache-ttl"]))]
    pub(crate) mode: Option<String>,
    /// Age after which results may go.
    ///
    /// Default: `5m`.
    pub(crate) ttl: Option<String>,
    /// Latest answers whose tool results stay.
    ///
    /// Default: `3`.
    pub(crate) keep_last_assistants: Option<u64>,
    /// Share of the context at which shortening begins.
    ///
    /// Default: `0.3`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub(crate) soft_trim_ratio: Option<f64>,
    /// Share of the context at which removing begins.
    ///
    /// Default: `0.5`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub(crate) hard_clear_ratio: Option<f64>,
    /// Below this total nothing is removed.
    ///
    /// Default: `50000`.
    pub(crate) min_prunable_tool_chars: Option<u64>,
    /// Shortening.
    pub(crate) soft_trim: Option<SoftTrim>,
    /// Removing.
    pub(crate) hard_clear: Option<HardClear>,
    /// Which tools' results may be pruned.
    pub(crate) tools: Option<AllowDeny>,
}

/// Writing notes down before a conversation is compacted.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemoryFlush {
    /// Turn it on.
    ///
    /// Default: `true`.
    pub(crate) enabled: Option<bool>,
    /// How close to the limit it happens, in tokens.
    ///
    /// Default: `4000`.
    pub(crate) soft_threshold_tokens: Option<u64>,
    /// What the agent is asked.
    pub(crate) prompt: Option<String>,
    /// Added to the system prompt for it.
    pub(crate) system_prompt: Option<String>,
}

/// Summarising a conversation that outgrows its context.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Compaction {
    /// Turn it off or on.
    pub(crate) enabled: Option<bool>,
    /// How it is done: `safeguard` summarises a long conversation piece by piece, `default` in one call, and lists
    /// what does not fit into it.
    ///
    /// Default: `safeguard`.
    #[schemars(extend("enum" = ["default","safeguard"]))]
    pub(crate) mode: Option<String>,
    /// Tokens kept free for the answer.
    pub(crate) reserve_tokens: Option<u64>,
    /// Latest tokens kept word for word.
    pub(crate) keep_recent_tokens: Option<u64>,
    /// Least number of tokens kept free.
    ///
    /// Default: `20000`.
    pub(crate) reserve_tokens_floor: Option<u64>,
    /// Largest share of the context for history.
    ///
    /// Default: `0.5`.
    #[schemars(range(min = 0.1, max = 0.9))]
    pub(crate) max_history_share: Option<f64>,
    /// Note-taking before it.
    pub(crate) memory_flush: Option<MemoryFlush>,
    /// Longest summarising, in seconds.
    pub(crate) timeout_seconds: Option<u64>,
}

/// Where streamed answers are cut.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct BlockChunk {
    /// Shortest piece, in characters.
    ///
    /// Default: `800`.
    pub(crate) min_chars: Option<u64>,
    /// Longest piece, in characters.
    ///
    /// Default: `1200`.
    pub(crate) max_chars: Option<u64>,
    /// Where to cut.
    ///
    /// Default: `paragraph`.
    #[schemars(extend("enum" = ["paragraph","newline","sentence"]))]
    pub(crate) break_preference: Option<String>,
}

/// Joining short pieces.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct BlockCoalesce {
    /// Shortest joined piece, in characters.
    pub(crate) min_chars: Option<u64>,
    /// Longest joined piece, in characters.
    pub(crate) max_chars: Option<u64>,
    /// Quiet time that ends a piece, in milliseconds.
    ///
    /// Default: `1000`.
    pub(crate) idle_ms: Option<u64>,
}

/// Waiting between pieces as a person would.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct HumanDelay {
    /// How to wait.
    ///
    /// Default: `off`.
    #[schemars(extend("enum" = ["off","natural","custom"]))]
    pub(crate) mode: Option<String>,
    /// Shortest wait, in milliseconds.
    ///
    /// Default: `800`.
    pub(crate) min_ms: Option<u64>,
    /// Longest wait, in milliseconds.
    ///
    /// Default: `2500`.
    pub(crate) max_ms: Option<u64>,
}

/// Agents started by agents.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SubagentDefaults {
    /// How many may run at once.
    ///
    /// Default: `8`.
    #[schemars(range(min = 1))]
    pub(crate) max_concurrent: Option<u64>,
    /// How deep they may nest.
    ///
    /// Default: `1`.
    #[schemars(range(min = 1, max = 5))]
    pub(crate) max_spawn_depth: Option<u64>,
    /// How many one agent may start.
    ///
    /// Default: `5`.
    #[schemars(range(min = 1))]
    pub(crate) max_children_per_agent: Option<u64>,
    /// When their conversations are put away, in minutes.
    ///
    /// Default: `60`.
    pub(crate) archive_after_minutes: Option<u64>,
    /// Model they use.
    pub(crate) model: Option<ModelChoice>,
    /// How hard they think.
    pub(crate) thinking: Option<String>,
    /// Longest run, in seconds.
    pub(crate) run_timeout_seconds: Option<u64>,
    /// Agents that may be started; `*` means any.
    pub(crate) allow_agents: Option<Vec<String>>,
}
