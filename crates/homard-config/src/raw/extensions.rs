//! Shape of the `skills`, `hooks` and `cron` sections.
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
pub(crate) struct SkillsLoad {
    /// Further directories.
    pub(crate) extra_dirs: Option<Vec<String>>,
    /// Notice changes.
    ///
    /// Default: `true`.
    pub(crate) watch: Option<bool>,
}

/// How skills install what they need.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SkillsInstall {
    /// Prefer the system's package tool.
    ///
    /// Default: `true`.
    pub(crate) prefer_brew: Option<bool>,
    /// Package tool for scripts.
    ///
    /// Default: `npm`.
    #[schemars(extend("enum" = ["npm","pnpm","yarn","bun"]))]
    pub(crate) node_manager: Option<String>,
}

/// How much skills may take.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SkillsLimits {
    /// Folders looked at.
    ///
    /// Default: `300`.
    pub(crate) max_candidates_per_root: Option<u64>,
    /// Skills loaded per place.
    ///
    /// Default: `200`.
    pub(crate) max_skills_loaded_per_source: Option<u64>,
    /// Skills named in the prompt.
    ///
    /// Default: `150`.
    pub(crate) max_skills_in_prompt: Option<u64>,
    /// Longest list in the prompt, in characters.
    ///
    /// Default: `30000`.
    pub(crate) max_skills_prompt_chars: Option<u64>,
    /// Largest skill file, in bytes.
    ///
    /// Default: `256000`.
    pub(crate) max_skill_file_bytes: Option<u64>,
}

/// Settings of one skill.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SkillEntry {
    /// Use it.
    pub(crate) enabled: Option<bool>,
    /// Its key.
    pub(crate) api_key: Option<SecretText>,
    /// Variables set for it.
    pub(crate) env: Option<BTreeMap<String, SecretText>>,
    /// Its own settings.
    #[expect(dead_code, reason = "skills ask for it by its path, in the value as written")]
    pub(crate) config: Option<Value>,
}

/// What agents have been taught.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Skills {
    /// Built-in skills offered; all when unset.
    pub(crate) allow_bundled: Option<Vec<String>>,
    /// Where they are found.
    pub(crate) load: Option<SkillsLoad>,
    /// What they install.
    pub(crate) install: Option<SkillsInstall>,
    /// How much they may take.
    pub(crate) limits: Option<SkillsLimits>,
    /// Settings per skill.
    pub(crate) entries: Option<BTreeMap<String, SkillEntry>>,
}

/// Which calls a mapping takes.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct HookMatch {
    /// Path of the call.
    pub(crate) path: Option<String>,
    /// Sender named in the call.
    pub(crate) source: Option<String>,
}

/// A program that rewrites a call.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct HookTransform {
    /// Program in `hooks.transformsDir`: reads the call as JSON, prints what is changed, or `null` to leave it out.
    pub(crate) module: Option<String>,
    /// Word it is called with.
    pub(crate) export: Option<String>,
}

/// What a call from outside does.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct HookMapping {
    /// Its name.
    pub(crate) id: Option<String>,
    /// Which calls.
    #[serde(rename = "match")]
    pub(crate) matching: Option<HookMatch>,
    /// Wake the agent or run it.
    #[schemars(extend("enum" = ["wake","agent"]))]
    pub(crate) action: Option<String>,
    /// When.
    #[schemars(extend("enum" = ["now","next-heartbeat"]))]
    pub(crate) wake_mode: Option<String>,
    /// Name shown.
    pub(crate) name: Option<String>,
    /// Which agent.
    pub(crate) agent_id: Option<String>,
    /// Which conversation.
    pub(crate) session_key: Option<String>,
    /// A fresh conversation for every call, or one that goes on.
    #[schemars(extend("enum" = ["isolated","persistent"]))]
    pub(crate) session_mode: Option<String>,
    /// A list in the call; each of its items is a call of its own.
    pub(crate) for_each: Option<String>,
    /// What it is told.
    pub(crate) message_template: Option<String>,
    /// What it is told when woken.
    pub(crate) text_template: Option<String>,
    /// Send the answer.
    pub(crate) deliver: Option<bool>,
    /// Do not mark the content as foreign.
    pub(crate) allow_unsafe_external_content: Option<bool>,
    /// Where the answer goes.
    pub(crate) channel: Option<String>,
    /// To whom.
    pub(crate) to: Option<String>,
    /// Model used.
    pub(crate) model: Option<String>,
    /// How hard it thinks.
    pub(crate) thinking: Option<String>,
    /// Longest run, in seconds.
    pub(crate) timeout_seconds: Option<u64>,
    /// Rewriting.
    pub(crate) transform: Option<HookTransform>,
}

/// Being told about mail.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Gmail {
    /// Model used.
    pub(crate) model: Option<String>,
    /// How hard it thinks.
    pub(crate) thinking: Option<String>,
    /// Do not mark the content as foreign.
    pub(crate) allow_unsafe_external_content: Option<bool>,
}

/// What the owner says about one hook on the gateway's own events.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct InternalHook {
    /// Run it. One found in a workspace runs only when this is `true`.
    pub(crate) enabled: Option<bool>,
    /// Variables set for it.
    pub(crate) env: Option<BTreeMap<String, SecretText>>,
    /// For `session-memory`: how many messages are kept.
    ///
    /// Default: `15`.
    pub(crate) messages: Option<u64>,
    /// For `bootstrap-extra-files`: files of the workspace that are told with every prompt.
    pub(crate) paths: Option<Vec<String>>,
}

/// Where hooks on the gateway's own events are found.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct InternalHookDirs {
    /// More folders of hooks, looked into last.
    pub(crate) extra_dirs: Option<Vec<String>>,
}

/// Programs run on the gateway's own events.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct InternalHooks {
    /// Run them.
    ///
    /// Default: `false`.
    pub(crate) enabled: Option<bool>,
    /// Settings per hook, by its name.
    pub(crate) entries: Option<BTreeMap<String, InternalHook>>,
    /// Where they are found.
    pub(crate) load: Option<InternalHookDirs>,
}

/// Calls from outside that start something.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Hooks {
    /// Accept them.
    ///
    /// Default: `false`.
    pub(crate) enabled: Option<bool>,
    /// Path they arrive at.
    ///
    /// Default: `/hooks`.
    pub(crate) path: Option<String>,
    /// Token they must carry.
    pub(crate) token: Option<SecretText>,
    /// Largest call, in bytes.
    ///
    /// Default: `262144`.
    pub(crate) max_body_bytes: Option<u64>,
    /// Conversation used when none is named.
    pub(crate) default_session_key: Option<String>,
    /// Let callers name the conversation.
    ///
    /// Default: `false`.
    pub(crate) allow_request_session_key: Option<bool>,
    /// What named conversations must start with.
    pub(crate) allowed_session_key_prefixes: Option<Vec<String>>,
    /// Agents callers may name.
    pub(crate) allowed_agent_ids: Option<Vec<String>>,
    /// Ready-made mappings.
    pub(crate) presets: Option<Vec<String>>,
    /// What calls do.
    pub(crate) mappings: Option<Vec<HookMapping>>,
    /// Folder of programs that rewrite calls, in the state directory.
    ///
    /// Default: `hooks/transforms` there.
    pub(crate) transforms_dir: Option<String>,
    /// Mail notices.
    pub(crate) gmail: Option<Gmail>,
    /// Programs on the gateway's own events.
    pub(crate) internal: Option<InternalHooks>,
}

/// Turns nobody typed.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Cron {
    /// Run them.
    ///
    /// Default: `true`.
    pub(crate) enabled: Option<bool>,
    /// Where jobs are kept.
    pub(crate) store: Option<String>,
    /// How many at once.
    ///
    /// Default: `1`.
    #[schemars(range(min = 1))]
    pub(crate) max_concurrent_runs: Option<u64>,
    /// Token sent there.
    pub(crate) webhook_token: Option<SecretText>,
    /// How long their conversations are kept, or false.
    ///
    /// Default: `24h`.
    pub(crate) session_retention: Option<Value>,
    /// Do not catch up after downtime.
    pub(crate) skip_missed_jobs: Option<bool>,
    /// Whom to tell about failures.
    pub(crate) failure_alert: Option<Value>,
}

/// Where questions to the owner are shown on chat platforms.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Approvals {
    /// About commands.
    pub(crate) exec: Option<ApprovalRouting>,
    /// About all other tools.
    pub(crate) plugin: Option<ApprovalRouting>,
}

/// Where questions of one kind are shown.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ApprovalRouting {
    /// Show them as written here; otherwise only in the chat of an owner whose words led to them.
    ///
    /// Default: `false`.
    pub(crate) enabled: Option<bool>,
    /// Where the conversation is, in the places below, or both.
    ///
    /// Default: `session`.
    #[schemars(extend("enum" = ["session","targets","both"]))]
    pub(crate) mode: Option<String>,
    /// Only for these agents.
    pub(crate) agent_filter: Option<Vec<String>>,
    /// Only for conversations whose key has one of these in it; regular expressions are understood.
    pub(crate) session_filter: Option<Vec<String>>,
    /// Places they are sent to. Whoever is written to in a direct chat may answer.
    pub(crate) targets: Option<Vec<ApprovalTarget>>,
}

/// A place questions are sent to.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ApprovalTarget {
    /// Platform.
    pub(crate) channel: Option<String>,
    /// Conversation.
    pub(crate) to: Option<String>,
    /// Our account there.
    pub(crate) account_id: Option<String>,
    /// Thread, by its number or name.
    pub(crate) thread_id: Option<Value>,
}
