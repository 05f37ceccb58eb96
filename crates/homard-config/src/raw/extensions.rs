//! Shape of the `skills`, `plugins`, `hooks`, `cron` and `approvals` sections.
//!
//! Doc comments are the help people read; what the values mean is decided in [`crate::config`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::raw::value::SecretText;

/// Where skills are found.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillsLoad {
    /// Further directories.
    pub extra_dirs: Option<Vec<String>>,
    /// Notice changes.
    ///
    /// Default: `true`.
    pub watch: Option<bool>,
    /// Quiet time before a change counts, in milliseconds.
    ///
    /// Default: `250`.
    pub watch_debounce_ms: Option<u64>,
}

/// How skills install what they need.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillsInstall {
    /// Prefer the system's package tool.
    ///
    /// Default: `true`.
    pub prefer_brew: Option<bool>,
    /// Package tool for scripts.
    ///
    /// Default: `npm`.
    #[schemars(extend("enum" = ["npm","pnpm","yarn","bun"]))]
    pub node_manager: Option<String>,
}

/// How much skills may take.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillsLimits {
    /// Folders looked at.
    ///
    /// Default: `300`.
    pub max_candidates_per_root: Option<u64>,
    /// Skills loaded per place.
    ///
    /// Default: `200`.
    pub max_skills_loaded_per_source: Option<u64>,
    /// Skills named in the prompt.
    ///
    /// Default: `150`.
    pub max_skills_in_prompt: Option<u64>,
    /// Longest list in the prompt, in characters.
    ///
    /// Default: `30000`.
    pub max_skills_prompt_chars: Option<u64>,
    /// Largest skill file, in bytes.
    ///
    /// Default: `256000`.
    pub max_skill_file_bytes: Option<u64>,
}

/// Settings of one skill.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillEntry {
    /// Use it.
    pub enabled: Option<bool>,
    /// Its key.
    pub api_key: Option<SecretText>,
    /// Variables set for it.
    pub env: Option<BTreeMap<String, SecretText>>,
    /// Its own settings.
    pub config: Option<Value>,
}

/// What agents have been taught.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Skills {
    /// Built-in skills offered; all when unset.
    pub allow_bundled: Option<Vec<String>>,
    /// Where they are found.
    pub load: Option<SkillsLoad>,
    /// What they install.
    pub install: Option<SkillsInstall>,
    /// How much they may take.
    pub limits: Option<SkillsLimits>,
    /// Settings per skill.
    pub entries: Option<BTreeMap<String, SkillEntry>>,
}

/// Where plugins are found.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PluginLoad {
    /// Further places.
    pub paths: Option<Vec<String>>,
}

/// Which plugin fills a role.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PluginSlots {
    /// Memory; `none` turns it off.
    ///
    /// Default: `memory-core`.
    pub memory: Option<String>,
}

/// Settings of one plugin.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PluginEntry {
    /// Use it.
    pub enabled: Option<bool>,
    /// Its own settings.
    pub config: Option<Value>,
}

/// Rooms furnished by others.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Plugins {
    /// Load plugins.
    ///
    /// Default: `true`.
    pub enabled: Option<bool>,
    /// Only these, when not empty.
    pub allow: Option<Vec<String>>,
    /// Never these.
    pub deny: Option<Vec<String>>,
    /// Where they are found.
    pub load: Option<PluginLoad>,
    /// Roles.
    pub slots: Option<PluginSlots>,
    /// Settings per plugin.
    pub entries: Option<BTreeMap<String, PluginEntry>>,
    /// What was installed from where.
    pub installs: Option<Value>,
}

/// Which calls a mapping takes.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HookMatch {
    /// Path of the call.
    pub path: Option<String>,
    /// Sender named in the call.
    pub source: Option<String>,
}

/// A script that rewrites a call.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HookTransform {
    /// File.
    pub module: Option<String>,
    /// Function in it.
    pub export: Option<String>,
}

/// What a call from outside does.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HookMapping {
    /// Its name.
    pub id: Option<String>,
    /// Which calls.
    #[serde(rename = "match")]
    pub matching: Option<HookMatch>,
    /// Wake the agent or run it.
    #[schemars(extend("enum" = ["wake","agent"]))]
    pub action: Option<String>,
    /// When.
    #[schemars(extend("enum" = ["now","next-heartbeat"]))]
    pub wake_mode: Option<String>,
    /// Name shown.
    pub name: Option<String>,
    /// Which agent.
    pub agent_id: Option<String>,
    /// Which conversation.
    pub session_key: Option<String>,
    /// A fresh conversation for every call, or one that goes on.
    #[schemars(extend("enum" = ["isolated","persistent"]))]
    pub session_mode: Option<String>,
    /// A list in the call; each of its items is a call of its own.
    pub for_each: Option<String>,
    /// What it is told.
    pub message_template: Option<String>,
    /// What it is told when woken.
    pub text_template: Option<String>,
    /// Send the answer.
    pub deliver: Option<bool>,
    /// Do not mark the content as foreign.
    pub allow_unsafe_external_content: Option<bool>,
    /// Where the answer goes.
    pub channel: Option<String>,
    /// To whom.
    pub to: Option<String>,
    /// Model used.
    pub model: Option<String>,
    /// How hard it thinks.
    pub thinking: Option<String>,
    /// Longest run, in seconds.
    pub timeout_seconds: Option<u64>,
    /// Rewriting.
    pub transform: Option<HookTransform>,
}

/// Where mail notices are received.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GmailServe {
    /// Address.
    ///
    /// Default: `127.0.0.1`.
    pub bind: Option<String>,
    /// Port.
    ///
    /// Default: `8788`.
    #[schemars(range(min = 1))]
    pub port: Option<u16>,
    /// Path.
    ///
    /// Default: `/gmail-pubsub`.
    pub path: Option<String>,
}

/// Being told about mail.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Gmail {
    /// Mail account.
    pub account: Option<String>,
    /// Label watched.
    ///
    /// Default: `INBOX`.
    pub label: Option<String>,
    /// Topic notices come through.
    ///
    /// Default: `gog-gmail-watch`.
    pub topic: Option<String>,
    /// Subscription to it.
    ///
    /// Default: `gog-gmail-watch-push`.
    pub subscription: Option<String>,
    /// Token notices carry.
    pub push_token: Option<SecretText>,
    /// Address notices are passed to.
    pub hook_url: Option<String>,
    /// Include the mail's text.
    ///
    /// Default: `true`.
    pub include_body: Option<bool>,
    /// Longest text, in bytes.
    ///
    /// Default: `20000`.
    pub max_bytes: Option<u64>,
    /// Minutes between renewals.
    ///
    /// Default: `720`.
    pub renew_every_minutes: Option<u64>,
    /// Receiver.
    pub serve: Option<GmailServe>,
    /// Exposing the receiver.
    pub tailscale: Option<Value>,
    /// Model used.
    pub model: Option<String>,
    /// How hard it thinks.
    pub thinking: Option<String>,
    /// Do not mark the content as foreign.
    pub allow_unsafe_external_content: Option<bool>,
}

/// Scripts run on the gateway's own events.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InternalHooks {
    /// Run them.
    pub enabled: Option<bool>,
    /// Settings per script.
    pub entries: Option<Value>,
    /// Where they are found.
    pub load: Option<Value>,
    /// Older list.
    pub handlers: Option<Vec<Value>>,
    /// What was installed from where.
    pub installs: Option<Value>,
}

/// Calls from outside that start something.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Hooks {
    /// Accept them.
    ///
    /// Default: `false`.
    pub enabled: Option<bool>,
    /// Path they arrive at.
    ///
    /// Default: `/hooks`.
    pub path: Option<String>,
    /// Token they must carry.
    pub token: Option<SecretText>,
    /// Largest call, in bytes.
    ///
    /// Default: `262144`.
    pub max_body_bytes: Option<u64>,
    /// Conversation used when none is named.
    pub default_session_key: Option<String>,
    /// Let callers name the conversation.
    ///
    /// Default: `false`.
    pub allow_request_session_key: Option<bool>,
    /// What named conversations must start with.
    pub allowed_session_key_prefixes: Option<Vec<String>>,
    /// Agents callers may name.
    pub allowed_agent_ids: Option<Vec<String>>,
    /// Ready-made mappings.
    pub presets: Option<Vec<String>>,
    /// Directory of rewriting scripts.
    pub transforms_dir: Option<String>,
    /// What calls do.
    pub mappings: Option<Vec<HookMapping>>,
    /// Mail notices.
    pub gmail: Option<Gmail>,
    /// Scripts on own events.
    pub internal: Option<InternalHooks>,
}

/// Turns nobody typed.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Cron {
    /// Run them.
    ///
    /// Default: `true`.
    pub enabled: Option<bool>,
    /// Where jobs are kept.
    pub store: Option<String>,
    /// How many at once.
    ///
    /// Default: `1`.
    #[schemars(range(min = 1))]
    pub max_concurrent_runs: Option<u64>,
    /// Older address told about runs.
    pub webhook: Option<String>,
    /// Token sent there.
    pub webhook_token: Option<SecretText>,
    /// How long their conversations are kept, or false.
    ///
    /// Default: `24h`.
    pub session_retention: Option<Value>,
    /// Do not catch up after downtime.
    pub skip_missed_jobs: Option<bool>,
    /// Further triggers.
    pub triggers: Option<Value>,
    /// Whom to tell about failures.
    pub failure_alert: Option<Value>,
    /// How run logs are kept.
    pub run_log: Option<Value>,
}

/// A place questions are sent to.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApprovalTarget {
    /// Platform.
    pub channel: Option<String>,
    /// Conversation.
    pub to: Option<String>,
    /// Our account.
    pub account_id: Option<String>,
    /// Thread.
    pub thread_id: Option<Value>,
}

/// Passing questions about commands to chats.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExecApprovals {
    /// Pass them on.
    ///
    /// Default: `false`.
    pub enabled: Option<bool>,
    /// Where to.
    ///
    /// Default: `session`.
    #[schemars(extend("enum" = ["session","targets","both"]))]
    pub mode: Option<String>,
    /// Only for these agents.
    pub agent_filter: Option<Vec<String>>,
    /// Only for these conversations.
    pub session_filter: Option<Vec<String>>,
    /// Further places.
    pub targets: Option<Vec<ApprovalTarget>>,
}

/// Asking the owner.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Approvals {
    /// About commands.
    pub exec: Option<ExecApprovals>,
    /// About plugins.
    pub plugin: Option<Value>,
}
