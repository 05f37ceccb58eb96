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
pub struct MemoryRemote {
    /// Address.
    pub base_url: Option<String>,
    /// Key.
    pub api_key: Option<SecretText>,
    /// Headers sent with every request.
    pub headers: Option<BTreeMap<String, SecretText>>,
    /// Doing many at once.
    pub batch: Option<Value>,
}

/// Making vectors here.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemoryLocal {
    /// Model file.
    pub model_path: Option<String>,
    /// Where models are kept.
    pub model_cache_dir: Option<String>,
}

/// Where the index is kept.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemoryStore {
    /// How.
    ///
    /// Default: `sqlite`.
    #[schemars(extend("enum" = ["sqlite"]))]
    pub driver: Option<String>,
    /// File.
    pub path: Option<String>,
    /// Vector settings.
    pub vector: Option<Value>,
    /// Full-text settings.
    pub fts: Option<Value>,
}

/// How notes are cut.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemoryChunking {
    /// Piece size, in tokens.
    ///
    /// Default: `400`.
    #[schemars(range(min = 1))]
    pub tokens: Option<u64>,
    /// Overlap, in tokens.
    ///
    /// Default: `80`.
    pub overlap: Option<u64>,
}

/// When the index is brought up to date.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemorySync {
    /// When a conversation starts.
    ///
    /// Default: `true`.
    pub on_session_start: Option<bool>,
    /// When something is searched.
    ///
    /// Default: `true`.
    pub on_search: Option<bool>,
    /// When files change.
    ///
    /// Default: `true`.
    pub watch: Option<bool>,
    /// Quiet time before a change counts, in milliseconds.
    ///
    /// Default: `1500`.
    pub watch_debounce_ms: Option<u64>,
    /// Every so many minutes; 0 never.
    ///
    /// Default: `0`.
    pub interval_minutes: Option<u64>,
    /// Thresholds for transcripts.
    pub sessions: Option<Value>,
}

/// How results are picked.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemoryQuery {
    /// Most results.
    ///
    /// Default: `6`.
    #[schemars(range(min = 1))]
    pub max_results: Option<u64>,
    /// Least score.
    ///
    /// Default: `0.35`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_score: Option<f64>,
    /// Mixing words and meaning.
    pub hybrid: Option<Value>,
}

/// Reusing vectors.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemoryCache {
    /// Turn it on.
    ///
    /// Default: `true`.
    pub enabled: Option<bool>,
    /// Most kept.
    pub max_entries: Option<u64>,
}

/// Searching notes and past conversations.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemorySearch {
    /// Turn it on.
    ///
    /// Default: `true`.
    pub enabled: Option<bool>,
    /// What is searched: `memory`, `sessions`.
    ///
    /// Default: `["memory"]`.
    pub sources: Option<Vec<String>>,
    /// Further files.
    pub extra_paths: Option<Vec<String>>,
    /// Trials.
    pub experimental: Option<Value>,
    /// Who makes the vectors.
    pub provider: Option<String>,
    /// Who makes them otherwise.
    pub fallback: Option<String>,
    /// With which model.
    pub model: Option<String>,
    /// Service.
    pub remote: Option<MemoryRemote>,
    /// Here.
    pub local: Option<MemoryLocal>,
    /// Index.
    pub store: Option<MemoryStore>,
    /// Cutting.
    pub chunking: Option<MemoryChunking>,
    /// Updating.
    pub sync: Option<MemorySync>,
    /// Picking.
    pub query: Option<MemoryQuery>,
    /// Reusing.
    pub cache: Option<MemoryCache>,
}

/// Using an outside search program.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Qmd {
    /// Program.
    ///
    /// Default: `qmd`.
    pub command: Option<String>,
    /// How it searches.
    pub search_mode: Option<String>,
    /// Include the agent's own notes.
    ///
    /// Default: `true`.
    pub include_default_memory: Option<bool>,
    /// Further notes.
    pub paths: Option<Vec<Value>>,
    /// Searching conversations.
    pub sessions: Option<Value>,
    /// When it updates.
    pub update: Option<Value>,
    /// How much it returns.
    pub limits: Option<Value>,
    /// Where it is used.
    pub scope: Option<Value>,
}

/// What is remembered.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Memory {
    /// Who searches.
    ///
    /// Default: `builtin`.
    #[schemars(extend("enum" = ["builtin","qmd"]))]
    pub backend: Option<String>,
    /// Whether sources are named.
    ///
    /// Default: `auto`.
    #[schemars(extend("enum" = ["auto","on","off"]))]
    pub citations: Option<String>,
    /// Settings of the outside program.
    pub qmd: Option<Qmd>,
    /// Newer place of the search settings.
    pub search: Option<MemorySearch>,
}
