//! Shape of the `memory` section and of searching notes.
//!
//! Doc comments are the help people read; what the values mean is decided in [`crate::config`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::raw::value::SecretText;

/// Making vectors at a service.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemoryRemote {
    /// Address.
    pub(crate) base_url: Option<String>,
    /// Key.
    pub(crate) api_key: Option<SecretText>,
    /// Headers sent with every request.
    pub(crate) headers: Option<BTreeMap<String, SecretText>>,
    /// Doing many at once.
    pub(crate) batch: Option<Value>,
}

/// Making vectors here.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemoryLocal {
    /// Model file.
    pub(crate) model_path: Option<String>,
    /// Where models are kept.
    pub(crate) model_cache_dir: Option<String>,
}

/// Where the index is kept.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemoryStore {
    /// How.
    ///
    /// Default: `sqlite`.
    #[schemars(extend("enum" = ["sqlite"]))]
    pub(crate) driver: Option<String>,
    /// File.
    pub(crate) path: Option<String>,
    /// Vector settings.
    pub(crate) vector: Option<Value>,
    /// Full-text settings.
    pub(crate) fts: Option<Value>,
}

/// How notes are cut.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemoryChunking {
    /// Piece size, in tokens.
    ///
    /// Default: `400`.
    #[schemars(range(min = 1))]
    pub(crate) tokens: Option<u64>,
    /// Overlap, in tokens.
    ///
    /// Default: `80`.
    pub(crate) overlap: Option<u64>,
}

/// When the index is brought up to date.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemorySync {
    /// When a conversation starts.
    ///
    /// Default: `true`.
    pub(crate) on_session_start: Option<bool>,
    /// When something is searched.
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
    /// Every so many minutes; 0 never.
    ///
    /// Default: `0`.
    pub(crate) interval_minutes: Option<u64>,
    /// Thresholds for transcripts.
    pub(crate) sessions: Option<Value>,
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
    pub(crate) hybrid: Option<Value>,
}

/// Reusing vectors.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemoryCache {
    /// Turn it on.
    ///
    /// Default: `true`.
    pub(crate) enabled: Option<bool>,
    /// Most kept.
    pub(crate) max_entries: Option<u64>,
}

/// Searching notes and past conversations.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemorySearch {
    /// Turn it on.
    ///
    /// Default: `true`.
    pub(crate) enabled: Option<bool>,
    /// What is searched: `memory`, `sessions`.
    ///
    /// Default: `["memory"]`.
    pub(crate) sources: Option<Vec<String>>,
    /// Further files.
    pub(crate) extra_paths: Option<Vec<String>>,
    /// Trials.
    pub(crate) experimental: Option<Value>,
    /// Who makes the vectors.
    pub(crate) provider: Option<String>,
    /// Who makes them otherwise.
    pub(crate) fallback: Option<String>,
    /// With which model.
    pub(crate) model: Option<String>,
    /// Service.
    pub(crate) remote: Option<MemoryRemote>,
    /// Here.
    pub(crate) local: Option<MemoryLocal>,
    /// Index.
    pub(crate) store: Option<MemoryStore>,
    /// Cutting.
    pub(crate) chunking: Option<MemoryChunking>,
    /// Updating.
    pub(crate) sync: Option<MemorySync>,
    /// Picking.
    pub(crate) query: Option<MemoryQuery>,
    /// Reusing.
    pub(crate) cache: Option<MemoryCache>,
}

/// Using an outside search program.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Qmd {
    /// Program.
    ///
    /// Default: `qmd`.
    pub(crate) command: Option<String>,
    /// How it searches.
    pub(crate) search_mode: Option<String>,
    /// Include the agent's own notes.
    ///
    /// Default: `true`.
    pub(crate) include_default_memory: Option<bool>,
    /// Further notes.
    pub(crate) paths: Option<Vec<Value>>,
    /// Searching conversations.
    pub(crate) sessions: Option<Value>,
    /// When it updates.
    pub(crate) update: Option<Value>,
    /// How much it returns.
    pub(crate) limits: Option<Value>,
    /// Where it is used.
    pub(crate) scope: Option<Value>,
}

/// What is remembered.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Memory {
    /// Who searches.
    ///
    /// Default: `builtin`.
    #[schemars(extend("enum" = ["builtin","qmd"]))]
    pub(crate) backend: Option<String>,
    /// Whether sources are named.
    ///
    /// Default: `auto`.
    #[schemars(extend("enum" = ["auto","on","off"]))]
    pub(crate) citations: Option<String>,
    /// Settings of the outside program.
    pub(crate) qmd: Option<Qmd>,
    /// Newer place of the search settings.
    pub(crate) search: Option<MemorySearch>,
}
