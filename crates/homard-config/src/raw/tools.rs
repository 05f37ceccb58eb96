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
pub(crate) struct ToolRule {
    /// Named set of tools.
    pub(crate) profile: Option<ToolProfile>,
    /// Tools offered; `*` and `group:…` work.
    pub(crate) allow: Option<Vec<String>>,
    /// Tools added to the profile.
    pub(crate) also_allow: Option<Vec<String>>,
    /// Tools refused; wins.
    pub(crate) deny: Option<Vec<String>>,
}

/// The patch tool.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ApplyPatch {
    /// Offer it.
    ///
    /// Default: `false`.
    pub(crate) enabled: Option<bool>,
    /// Keep it inside the workspace.
    ///
    /// Default: `true`.
    pub(crate) workspace_only: Option<bool>,
    /// Models it is offered to.
    pub(crate) allow_models: Option<Vec<String>>,
}

/// Running commands.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Exec {
    /// Where commands run. `sandbox` refuses them all until there is one.
    ///
    /// Default: `gateway`.
    #[schemars(extend("enum" = ["sandbox","gateway","node","auto"]))]
    pub(crate) host: Option<String>,
    /// Which commands may run.
    pub(crate) security: Option<ExecSecurity>,
    /// When the owner is asked.
    ///
    /// Default: `on-miss`.
    pub(crate) ask: Option<ExecAsk>,
    /// Newer spelling of `security` and `ask` together.
    #[schemars(extend("enum" = ["deny","allowlist","ask","auto","full"]))]
    pub(crate) mode: Option<String>,
    /// Node commands run on.
    pub(crate) node: Option<String>,
    /// Directories put in front of PATH.
    pub(crate) path_prepend: Option<Vec<String>>,
    /// Hide the gateway's settings, logins and conversations from commands, by the kernel. Left out, where it costs
    /// nothing: the gateway runs as root. `true` does it everywhere on Linux, and what needs other users (`sudo`, some
    /// `ssh` settings) fails in commands.
    pub(crate) hide_records: Option<bool>,
    /// Programs that may filter text without being asked about.
    pub(crate) safe_bins: Option<Vec<String>>,
    /// How long a command may hold the turn before it goes to the background, in milliseconds.
    ///
    /// Default: `10000`.
    pub(crate) background_ms: Option<u64>,
    /// Longest run of a command, in seconds.
    ///
    /// Default: `1800`.
    #[schemars(range(min = 1))]
    pub(crate) timeout_sec: Option<u64>,
    /// Newer spelling of `timeoutSec`.
    #[schemars(range(min = 1))]
    pub(crate) timeout_seconds: Option<u64>,
    /// How long finished commands are remembered, in milliseconds.
    ///
    /// Default: `1800000`.
    pub(crate) cleanup_ms: Option<u64>,
    /// Tell the agent when a background command ends.
    ///
    /// Default: `true`.
    pub(crate) notify_on_exit: Option<bool>,
    /// Tell it even when there was no output.
    ///
    /// Default: `false`.
    pub(crate) notify_on_exit_empty_success: Option<bool>,
    /// The patch tool.
    pub(crate) apply_patch: Option<ApplyPatch>,
}

/// Reading and writing files.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct FileTools {
    /// Keep file tools inside the workspace.
    ///
    /// Default: `false`.
    pub(crate) workspace_only: Option<bool>,
}

/// What happens while content of others (pages, search results, strangers' messages) is in a conversation.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Taint {
    /// What happens to calls that act on the world: commands, messages, files outside the workspace.
    ///
    /// Default: `ask`.
    pub(crate) mode: Option<TaintMode>,
    /// Tools that run all the same; `*` and `group:…` work.
    pub(crate) allow: Option<Vec<String>>,
    /// Files and folders outside the workspace whose content is your own, such as `~/projects`.
    pub(crate) vouched: Option<Vec<String>>,
}

/// Searching the web.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct WebSearch {
    /// Offer it.
    pub(crate) enabled: Option<bool>,
    /// Who searches.
    ///
    /// Default: `brave`.
    pub(crate) provider: Option<String>,
    /// Key for it.
    pub(crate) api_key: Option<SecretText>,
    /// Results per search.
    ///
    /// Default: `5`.
    #[schemars(range(min = 1))]
    pub(crate) max_results: Option<u64>,
    /// Longest search, in seconds.
    ///
    /// Default: `30`.
    #[schemars(range(min = 1))]
    pub(crate) timeout_seconds: Option<u64>,
    /// How long results are reused, in minutes.
    ///
    /// Default: `15`.
    pub(crate) cache_ttl_minutes: Option<f64>,
    /// Settings of that provider.
    pub(crate) brave: Option<WebSearchEngine>,
    /// Settings of that provider.
    pub(crate) duckduckgo: Option<WebSearchEngine>,
    /// Settings of that provider.
    pub(crate) perplexity: Option<WebSearchEngine>,
    /// Settings of that provider.
    pub(crate) searxng: Option<WebSearchEngine>,
}

/// Settings of one who searches. Keys of other versions are let through.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebSearchEngine {
    /// Key for it.
    pub(crate) api_key: Option<SecretText>,
    /// Its address, where it is not the usual one.
    pub(crate) base_url: Option<String>,
    /// The model that searches, for those that are models.
    pub(crate) model: Option<String>,
}

/// Reading web pages.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct WebFetch {
    /// Offer it.
    ///
    /// Default: `true`.
    pub(crate) enabled: Option<bool>,
    /// Longest text, in characters.
    ///
    /// Default: `50000`.
    #[schemars(range(min = 1))]
    pub(crate) max_chars: Option<u64>,
    /// Most the model may ask for, in characters.
    ///
    /// Default: `50000`.
    #[schemars(range(min = 1))]
    pub(crate) max_chars_cap: Option<u64>,
    /// Largest page, in bytes.
    #[schemars(range(min = 32000, max = 10000000))]
    pub(crate) max_response_bytes: Option<u64>,
    /// Longest fetch, in seconds.
    ///
    /// Default: `30`.
    #[schemars(range(min = 1))]
    pub(crate) timeout_seconds: Option<u64>,
    /// How long pages are reused, in minutes.
    ///
    /// Default: `15`.
    pub(crate) cache_ttl_minutes: Option<f64>,
    /// Redirects followed.
    ///
    /// Default: `3`.
    pub(crate) max_redirects: Option<u64>,
    /// How it calls itself.
    pub(crate) user_agent: Option<String>,
    /// Keep only the main text.
    ///
    /// Default: `true`.
    pub(crate) readability: Option<bool>,
}

/// Tools for the web.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Web {
    /// Searching.
    pub(crate) search: Option<WebSearch>,
    /// Reading.
    pub(crate) fetch: Option<WebFetch>,
}

/// Sending messages.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MessageTool {
    /// Older spelling of `crossContext`.
    pub(crate) allow_cross_context_send: Option<bool>,
    /// Sending to other conversations.
    pub(crate) cross_context: Option<Value>,
    /// Sending to several at once.
    pub(crate) broadcast: Option<Toggle>,
}

/// Something that is on or off.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Toggle {
    /// Turn it on or off.
    pub(crate) enabled: Option<bool>,
}

/// Agents sending each other messages.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AgentToAgent {
    /// Turn it on.
    ///
    /// Default: `false`.
    pub(crate) enabled: Option<bool>,
    /// Agents that may be written to.
    pub(crate) allow: Option<Vec<String>>,
}

/// Seeing other sessions.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SessionTools {
    /// Which ones.
    ///
    /// Default: `tree`.
    #[schemars(extend("enum" = ["self","tree","agent","all"]))]
    pub(crate) visibility: Option<String>,
}

/// Noticing an agent that goes in circles.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct LoopDetection {
    /// Turn it on.
    ///
    /// Default: `false`.
    pub(crate) enabled: Option<bool>,
    /// Calls looked at.
    ///
    /// Default: `30`.
    pub(crate) history_size: Option<u64>,
    /// Repeats before a warning.
    ///
    /// Default: `10`.
    pub(crate) warning_threshold: Option<u64>,
    /// Repeats before a stop.
    ///
    /// Default: `20`.
    pub(crate) critical_threshold: Option<u64>,
    /// Fruitless calls before a stop.
    ///
    /// Default: `30`.
    pub(crate) global_circuit_breaker_threshold: Option<u64>,
    /// Which patterns are looked for.
    pub(crate) detectors: Option<Value>,
}

/// Tools of a smaller circle.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SubTools {
    /// Tools allowed and refused.
    pub(crate) tools: Option<super::turns::AllowDeny>,
}

/// Tools of one agent.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AgentTools {
    /// Named set of tools.
    pub(crate) profile: Option<ToolProfile>,
    /// Tools offered.
    pub(crate) allow: Option<Vec<String>>,
    /// Tools added to the profile.
    pub(crate) also_allow: Option<Vec<String>>,
    /// Tools refused; wins.
    pub(crate) deny: Option<Vec<String>>,
    /// The same, per provider or model.
    pub(crate) by_provider: Option<BTreeMap<String, ToolRule>>,
    /// Running commands.
    pub(crate) exec: Option<Exec>,
    /// Reading and writing files.
    pub(crate) fs: Option<FileTools>,
    /// Tools inside the sandbox.
    pub(crate) sandbox: Option<SubTools>,
}

/// What agents may do.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Tools {
    /// Named set of tools.
    ///
    /// Default: `full`.
    pub(crate) profile: Option<ToolProfile>,
    /// Tools offered; `*` and `group:…` work.
    pub(crate) allow: Option<Vec<String>>,
    /// Tools added to the profile.
    pub(crate) also_allow: Option<Vec<String>>,
    /// Tools refused; wins.
    pub(crate) deny: Option<Vec<String>>,
    /// The same, per provider or model.
    pub(crate) by_provider: Option<BTreeMap<String, ToolRule>>,
    /// The same, per sender.
    pub(crate) tools_by_sender: Option<BTreeMap<String, ToolRule>>,
    /// While content of others is in a conversation.
    pub(crate) taint: Option<Taint>,
    /// Running commands.
    pub(crate) exec: Option<Exec>,
    /// Reading and writing files.
    pub(crate) fs: Option<FileTools>,
    /// The web.
    pub(crate) web: Option<Web>,
    /// Sending messages.
    pub(crate) message: Option<MessageTool>,
    /// Agents writing to each other.
    pub(crate) agent_to_agent: Option<AgentToAgent>,
    /// Seeing other sessions.
    pub(crate) sessions: Option<SessionTools>,
    /// Going in circles.
    pub(crate) loop_detection: Option<LoopDetection>,
    /// Tools of agents started by agents.
    pub(crate) subagents: Option<SubTools>,
    /// Tools inside the sandbox.
    pub(crate) sandbox: Option<SubTools>,
}
