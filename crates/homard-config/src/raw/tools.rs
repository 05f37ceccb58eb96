//! Shape of the `tools` section.
//!
//! Doc comments are the help people read; what the values mean is decided in [`crate::config`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::config::tools::{ExecAsk, ExecSecurity, TaintMode, ToolProfile};
use crate::raw::value::SecretText;

/// Which tools are offered.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolRule {
    /// Named set of tools.
    pub profile: Option<ToolProfile>,
    /// Tools offered; `*` and `group:…` work.
    pub allow: Option<Vec<String>>,
    /// Tools added to the profile.
    pub also_allow: Option<Vec<String>>,
    /// Tools refused; wins.
    pub deny: Option<Vec<String>>,
}

/// The patch tool.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApplyPatch {
    /// Offer it.
    ///
    /// Default: `false`.
    pub enabled: Option<bool>,
    /// Keep it inside the workspace.
    ///
    /// Default: `true`.
    pub workspace_only: Option<bool>,
    /// Models it is offered to.
    pub allow_models: Option<Vec<String>>,
}

/// Running commands.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Exec {
    /// Where commands run.
    ///
    /// Default: `sandbox`.
    #[schemars(extend("enum" = ["sandbox","gateway","node","auto"]))]
    pub host: Option<String>,
    /// Which commands may run.
    pub security: Option<ExecSecurity>,
    /// When the owner is asked.
    ///
    /// Default: `on-miss`.
    pub ask: Option<ExecAsk>,
    /// Newer spelling of `security` and `ask` together.
    #[schemars(extend("enum" = ["deny","allowlist","ask","auto","full"]))]
    pub mode: Option<String>,
    /// Node commands run on.
    pub node: Option<String>,
    /// Directories put in front of PATH.
    pub path_prepend: Option<Vec<String>>,
    /// Hide the gateway's settings, logins and conversations from commands, by the kernel. Left out, where it costs
    /// nothing: the gateway runs as root. `true` does it everywhere on Linux, and what needs other users (`sudo`, some
    /// `ssh` settings) fails in commands.
    pub hide_records: Option<bool>,
    /// Programs that may filter text without being asked about.
    pub safe_bins: Option<Vec<String>>,
    /// How long a command may hold the turn before it goes to the background, in milliseconds.
    ///
    /// Default: `10000`.
    pub background_ms: Option<u64>,
    /// Longest run of a command, in seconds.
    ///
    /// Default: `1800`.
    #[schemars(range(min = 1))]
    pub timeout_sec: Option<u64>,
    /// Newer spelling of `timeoutSec`.
    #[schemars(range(min = 1))]
    pub timeout_seconds: Option<u64>,
    /// How long finished commands are remembered, in milliseconds.
    ///
    /// Default: `1800000`.
    pub cleanup_ms: Option<u64>,
    /// Tell the agent when a background command ends.
    ///
    /// Default: `true`.
    pub notify_on_exit: Option<bool>,
    /// Tell it even when there was no output.
    ///
    /// Default: `false`.
    pub notify_on_exit_empty_success: Option<bool>,
    /// When a running approved command is mentioned, in milliseconds.
    ///
    /// Default: `10000`.
    pub approval_running_notice_ms: Option<u64>,
    /// The patch tool.
    pub apply_patch: Option<ApplyPatch>,
}

/// Reading and writing files.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FileTools {
    /// Keep file tools inside the workspace.
    ///
    /// Default: `false`.
    pub workspace_only: Option<bool>,
}

/// What happens while content of others (pages, search results, strangers' messages) is in a conversation.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Taint {
    /// What happens to calls that act on the world: commands, messages, files outside the workspace.
    ///
    /// Default: `ask`.
    pub mode: Option<TaintMode>,
    /// Tools that run all the same; `*` and `group:…` work.
    pub allow: Option<Vec<String>>,
    /// Files and folders outside the workspace whose content is your own, such as `~/projects`.
    pub vouched: Option<Vec<String>>,
}

/// Searching the web.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WebSearch {
    /// Offer it.
    pub enabled: Option<bool>,
    /// Who searches.
    ///
    /// Default: `brave`.
    pub provider: Option<String>,
    /// Key for it.
    pub api_key: Option<SecretText>,
    /// Results per search.
    ///
    /// Default: `5`.
    #[schemars(range(min = 1))]
    pub max_results: Option<u64>,
    /// Longest search, in seconds.
    ///
    /// Default: `30`.
    #[schemars(range(min = 1))]
    pub timeout_seconds: Option<u64>,
    /// How long results are reused, in minutes.
    ///
    /// Default: `15`.
    pub cache_ttl_minutes: Option<f64>,
    /// Settings of that provider.
    pub brave: Option<WebSearchEngine>,
    /// Settings of that provider.
    pub duckduckgo: Option<WebSearchEngine>,
    /// Settings of that provider.
    pub perplexity: Option<WebSearchEngine>,
    /// Settings of that provider.
    pub searxng: Option<WebSearchEngine>,
    /// Settings of that provider.
    pub grok: Option<Value>,
}

/// Settings of one who searches. Keys of other versions are let through.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebSearchEngine {
    /// Key for it.
    pub api_key: Option<SecretText>,
    /// Its address, where it is not the usual one.
    pub base_url: Option<String>,
    /// The model that searches, for those that are models.
    pub model: Option<String>,
}

/// Reading web pages.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WebFetch {
    /// Offer it.
    ///
    /// Default: `true`.
    pub enabled: Option<bool>,
    /// Longest text, in characters.
    ///
    /// Default: `50000`.
    #[schemars(range(min = 1))]
    pub max_chars: Option<u64>,
    /// Most the model may ask for, in characters.
    ///
    /// Default: `50000`.
    #[schemars(range(min = 1))]
    pub max_chars_cap: Option<u64>,
    /// Largest page, in bytes.
    #[schemars(range(min = 32000, max = 10000000))]
    pub max_response_bytes: Option<u64>,
    /// Longest fetch, in seconds.
    ///
    /// Default: `30`.
    #[schemars(range(min = 1))]
    pub timeout_seconds: Option<u64>,
    /// How long pages are reused, in minutes.
    ///
    /// Default: `15`.
    pub cache_ttl_minutes: Option<f64>,
    /// Redirects followed.
    ///
    /// Default: `3`.
    pub max_redirects: Option<u64>,
    /// How it calls itself.
    pub user_agent: Option<String>,
    /// Keep only the main text.
    ///
    /// Default: `true`.
    pub readability: Option<bool>,
    /// Settings of that reader.
    pub firecrawl: Option<Value>,
    /// Which private addresses may be fetched.
    pub ssrf_policy: Option<Value>,
}

/// Tools for the web.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Web {
    /// Searching.
    pub search: Option<WebSearch>,
    /// Reading.
    pub fetch: Option<WebFetch>,
}

/// Understanding one kind of media.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MediaKind {
    /// Turn it on.
    pub enabled: Option<bool>,
    /// Where it happens.
    pub scope: Option<Value>,
    /// Largest file, in bytes.
    pub max_bytes: Option<u64>,
    /// Longest description, in characters.
    pub max_chars: Option<u64>,
    /// What is asked.
    pub prompt: Option<String>,
    /// Longest wait, in seconds.
    pub timeout_seconds: Option<u64>,
    /// Language expected.
    pub language: Option<String>,
    /// Settings per provider.
    pub provider_options: Option<Value>,
    /// Address of the service.
    pub base_url: Option<String>,
    /// Headers sent with every request.
    pub headers: Option<BTreeMap<String, SecretText>>,
    /// Which attachments are taken.
    pub attachments: Option<Value>,
    /// What does the understanding.
    pub models: Option<Vec<Value>>,
}

/// Understanding pictures, sound and film.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MediaTools {
    /// Shared list of what does the understanding.
    pub models: Option<Vec<Value>>,
    /// How many at once.
    ///
    /// Default: `2`.
    #[schemars(range(min = 1))]
    pub concurrency: Option<u64>,
    /// Pictures.
    pub image: Option<MediaKind>,
    /// Sound.
    pub audio: Option<MediaKind>,
    /// Film.
    pub video: Option<MediaKind>,
}

/// Looking at links in messages.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Links {
    /// Turn it on.
    pub enabled: Option<bool>,
    /// Where it happens.
    pub scope: Option<Value>,
    /// Links looked at per message.
    ///
    /// Default: `3`.
    pub max_links: Option<u64>,
    /// Longest look, in seconds.
    ///
    /// Default: `30`.
    pub timeout_seconds: Option<u64>,
    /// Programs that look.
    pub models: Option<Vec<Value>>,
}

/// Sending messages.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MessageTool {
    /// Older spelling of `crossContext`.
    pub allow_cross_context_send: Option<bool>,
    /// Sending to other conversations.
    pub cross_context: Option<Value>,
    /// Sending to several at once.
    pub broadcast: Option<Toggle>,
}

/// Something that is on or off.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Toggle {
    /// Turn it on or off.
    pub enabled: Option<bool>,
}

/// Agents sending each other messages.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentToAgent {
    /// Turn it on.
    ///
    /// Default: `false`.
    pub enabled: Option<bool>,
    /// Agents that may be written to.
    pub allow: Option<Vec<String>>,
}

/// Seeing other sessions.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionTools {
    /// Which ones.
    ///
    /// Default: `tree`.
    #[schemars(extend("enum" = ["self","tree","agent","all"]))]
    pub visibility: Option<String>,
}

/// Running commands outside the sandbox.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Elevated {
    /// Turn it on.
    ///
    /// Default: `true`.
    pub enabled: Option<bool>,
    /// Who may ask for it, per platform.
    pub allow_from: Option<BTreeMap<String, Vec<Value>>>,
}

/// Noticing an agent that goes in circles.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LoopDetection {
    /// Turn it on.
    ///
    /// Default: `false`.
    pub enabled: Option<bool>,
    /// Calls looked at.
    ///
    /// Default: `30`.
    pub history_size: Option<u64>,
    /// Repeats before a warning.
    ///
    /// Default: `10`.
    pub warning_threshold: Option<u64>,
    /// Repeats before a stop.
    ///
    /// Default: `20`.
    pub critical_threshold: Option<u64>,
    /// Fruitless calls before a stop.
    ///
    /// Default: `30`.
    pub global_circuit_breaker_threshold: Option<u64>,
    /// Which patterns are looked for.
    pub detectors: Option<Value>,
}

/// Tools of a smaller circle.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SubTools {
    /// Tools allowed and refused.
    pub tools: Option<super::turns::AllowDeny>,
}

/// Tools of one agent.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentTools {
    /// Named set of tools.
    pub profile: Option<ToolProfile>,
    /// Tools offered.
    pub allow: Option<Vec<String>>,
    /// Tools added to the profile.
    pub also_allow: Option<Vec<String>>,
    /// Tools refused; wins.
    pub deny: Option<Vec<String>>,
    /// The same, per provider or model.
    pub by_provider: Option<BTreeMap<String, ToolRule>>,
    /// Running outside the sandbox.
    pub elevated: Option<Elevated>,
    /// Running commands.
    pub exec: Option<Exec>,
    /// Reading and writing files.
    pub fs: Option<FileTools>,
    /// Going in circles.
    pub loop_detection: Option<LoopDetection>,
    /// Tools inside the sandbox.
    pub sandbox: Option<SubTools>,
}

/// What agents may do.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Tools {
    /// Named set of tools.
    ///
    /// Default: `full`.
    pub profile: Option<ToolProfile>,
    /// Tools offered; `*` and `group:…` work.
    pub allow: Option<Vec<String>>,
    /// Tools added to the profile.
    pub also_allow: Option<Vec<String>>,
    /// Tools refused; wins.
    pub deny: Option<Vec<String>>,
    /// The same, per provider or model.
    pub by_provider: Option<BTreeMap<String, ToolRule>>,
    /// The same, per sender.
    pub tools_by_sender: Option<BTreeMap<String, ToolRule>>,
    /// While content of others is in a conversation.
    pub taint: Option<Taint>,
    /// Running commands.
    pub exec: Option<Exec>,
    /// Reading and writing files.
    pub fs: Option<FileTools>,
    /// The web.
    pub web: Option<Web>,
    /// Pictures, sound and film.
    pub media: Option<MediaTools>,
    /// Links in messages.
    pub links: Option<Links>,
    /// Sending messages.
    pub message: Option<MessageTool>,
    /// Agents writing to each other.
    pub agent_to_agent: Option<AgentToAgent>,
    /// Seeing other sessions.
    pub sessions: Option<SessionTools>,
    /// Running outside the sandbox.
    pub elevated: Option<Elevated>,
    /// Going in circles.
    pub loop_detection: Option<LoopDetection>,
    /// Tools of agents started by agents.
    pub subagents: Option<SubTools>,
    /// Tools inside the sandbox.
    pub sandbox: Option<SubTools>,
}
