//! Shape of the `session`, `messages`, `commands` and speech sections.
//!
//! Doc comments are the help people read; what the values mean is decided in [`crate::config`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::config::session::{DmScope, ResetMode, SessionScopeMode};

/// When a conversation starts afresh.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Reset {
    /// What starts it afresh.
    ///
    /// Default: `daily`.
    pub mode: Option<ResetMode>,
    /// Hour of the daily reset.
    ///
    /// Default: `4`.
    #[schemars(range(min = 0, max = 23))]
    pub at_hour: Option<u64>,
    /// Quiet minutes before a reset.
    #[schemars(range(min = 1))]
    pub idle_minutes: Option<u64>,
}

/// Resets per kind of conversation.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResetByType {
    /// Direct messages.
    pub direct: Option<Reset>,
    /// Older spelling of `direct`.
    pub dm: Option<Reset>,
    /// Groups.
    pub group: Option<Reset>,
    /// Threads.
    pub thread: Option<Reset>,
}

/// Which conversations a rule takes.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SendMatch {
    /// Platform.
    pub channel: Option<String>,
    /// Kind of conversation.
    pub chat_type: Option<String>,
    /// Start of the conversation's key.
    pub key_prefix: Option<String>,
    /// Start of the whole session key.
    pub raw_key_prefix: Option<String>,
}

/// One rule about sending.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SendRule {
    /// What to do.
    #[schemars(extend("enum" = ["allow","deny"]))]
    pub action: Option<String>,
    /// Where.
    #[serde(rename = "match")]
    pub matching: Option<SendMatch>,
}

/// Where answers may be sent.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SendPolicy {
    /// When no rule matches.
    ///
    /// Default: `allow`.
    #[schemars(extend("enum" = ["allow","deny"]))]
    pub default: Option<String>,
    /// Rules, first refusal wins.
    pub rules: Option<Vec<SendRule>>,
}

/// Agents talking to each other.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentToAgentTurns {
    /// Most turns back and forth.
    ///
    /// Default: `5`.
    #[schemars(range(min = 0, max = 5))]
    pub max_ping_pong_turns: Option<u64>,
}

/// Keeping the list of sessions short.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Maintenance {
    /// Only warn, or act.
    ///
    /// Default: `warn`.
    #[schemars(extend("enum" = ["warn","enforce"]))]
    pub mode: Option<String>,
    /// Age after which sessions go.
    ///
    /// Default: `30d`.
    pub prune_after: Option<Value>,
    /// Older spelling of `pruneAfter`.
    pub prune_days: Option<u64>,
    /// Most sessions kept.
    ///
    /// Default: `500`.
    pub max_entries: Option<u64>,
    /// Size at which the file is rotated.
    ///
    /// Default: `10mb`.
    pub rotate_bytes: Option<Value>,
    /// Most disk space used.
    pub max_disk_bytes: Option<Value>,
    /// Size cleaned down to.
    pub high_water_bytes: Option<Value>,
    /// Age after which page conversations are put away.
    pub archive_dashboard_after: Option<Value>,
    /// How long old conversations are kept.
    pub reset_archive_retention: Option<Value>,
    /// Latest sessions never removed.
    pub preserve_recent: Option<Value>,
    /// Where old sessions go.
    pub cold_storage: Option<Value>,
}

/// Which messages belong to one conversation, and when it starts afresh.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Session {
    /// One conversation per sender, or one for everybody.
    ///
    /// Default: `per-sender`.
    pub scope: Option<SessionScopeMode>,
    /// How direct messages are told apart.
    ///
    /// Default: `main`.
    pub dm_scope: Option<DmScope>,
    /// The same for people who are not the owner, where the owner's messages share `main`. `main` lets everybody who
    /// may write read along in the owner's own conversation.
    ///
    /// Default: `per-channel-peer`.
    pub guest_dm_scope: Option<DmScope>,
    /// How many calls to models each person who is not the owner may cause in an hour; a group five times as many. 0
    /// is no limit.
    ///
    /// Default: `120`.
    pub guest_calls_per_hour: Option<u64>,
    /// How groups are told apart.
    ///
    /// Default: `per-group`.
    #[schemars(extend("enum" = ["per-group","main"]))]
    pub group_scope: Option<String>,
    /// People known under several names: name to list of `channel:id`.
    pub identity_links: Option<BTreeMap<String, Vec<String>>>,
    /// Messages that start afresh.
    pub reset_triggers: Option<Vec<String>>,
    /// Older spelling of `reset.idleMinutes`.
    #[schemars(range(min = 1))]
    pub idle_minutes: Option<u64>,
    /// When a conversation starts afresh.
    pub reset: Option<Reset>,
    /// The same, per kind of conversation.
    pub reset_by_type: Option<ResetByType>,
    /// The same, per platform; wins outright.
    pub reset_by_channel: Option<BTreeMap<String, Reset>>,
    /// Where the list of sessions is kept.
    pub store: Option<String>,
    /// Ignored; always `main`.
    pub main_key: Option<String>,
    /// When typing is shown.
    #[schemars(extend("enum" = ["never","instant","thinking","message"]))]
    pub typing_mode: Option<String>,
    /// Time between typing signs, in seconds.
    pub typing_interval_seconds: Option<u64>,
    /// Where answers may be sent.
    pub send_policy: Option<SendPolicy>,
    /// Agents talking to each other.
    pub agent_to_agent: Option<AgentToAgentTurns>,
    /// Keeping the list short.
    pub maintenance: Option<Maintenance>,
    /// Threads bound to sessions.
    pub thread_bindings: Option<Value>,
}

/// What happens to messages that arrive while an agent is busy.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Queue {
    /// What to do with them.
    ///
    /// Default: `collect`.
    #[schemars(extend("enum" = ["steer","followup","collect","steer-backlog","steer+backlog","interrupt","queue"]))]
    pub mode: Option<String>,
    /// The same, per platform.
    pub by_channel: Option<BTreeMap<String, String>>,
    /// Quiet time before they are taken, in milliseconds.
    ///
    /// Default: `1000`.
    pub debounce_ms: Option<u64>,
    /// The same, per platform.
    pub debounce_ms_by_channel: Option<BTreeMap<String, u64>>,
    /// Most messages kept.
    ///
    /// Default: `20`.
    pub cap: Option<u64>,
    /// What happens to the rest.
    ///
    /// Default: `summarize`.
    #[schemars(extend("enum" = ["old","new","summarize"]))]
    pub drop: Option<String>,
}

/// Joining messages sent in quick succession.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Inbound {
    /// Quiet time before they are taken, in milliseconds.
    ///
    /// Default: `0`.
    pub debounce_ms: Option<u64>,
    /// The same, per platform.
    pub by_channel: Option<BTreeMap<String, u64>>,
}

/// How messages look and wait.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Messages {
    /// Older prefix for incoming messages.
    pub message_prefix: Option<String>,
    /// Prefix of answers; `auto` uses the agent's name.
    pub response_prefix: Option<String>,
    /// Sign put on a message that was seen; empty turns it off.
    pub ack_reaction: Option<String>,
    /// Where it is put.
    ///
    /// Default: `group-mentions`.
    #[schemars(extend("enum" = ["group-mentions","group-all","direct","all","off","none"]))]
    pub ack_reaction_scope: Option<String>,
    /// Take it away after answering.
    ///
    /// Default: `false`.
    pub remove_ack_after_reply: Option<bool>,
    /// Signs for the state of a run.
    pub status_reactions: Option<Value>,
    /// Keep quiet about failing tools.
    ///
    /// Default: `false`.
    pub suppress_tool_errors: Option<bool>,
    /// Behaviour in groups.
    pub group_chat: Option<super::agents::GroupChat>,
    /// Messages while busy.
    pub queue: Option<Queue>,
    /// Messages in quick succession.
    pub inbound: Option<Inbound>,
    /// Speaking answers aloud.
    pub tts: Option<Tts>,
}

/// What the model may change about its voice.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TtsOverrides {
    /// Whether it may change anything.
    ///
    /// Default: `true`.
    pub enabled: Option<bool>,
    /// The spoken text.
    ///
    /// Default: `true`.
    pub allow_text: Option<bool>,
    /// The provider.
    ///
    /// Default: `false`.
    pub allow_provider: Option<bool>,
    /// The voice.
    ///
    /// Default: `true`.
    pub allow_voice: Option<bool>,
    /// The model.
    ///
    /// Default: `true`.
    pub allow_model_id: Option<bool>,
    /// Voice settings.
    ///
    /// Default: `true`.
    pub allow_voice_settings: Option<bool>,
    /// Normalisation.
    ///
    /// Default: `true`.
    pub allow_normalization: Option<bool>,
    /// The seed.
    ///
    /// Default: `true`.
    pub allow_seed: Option<bool>,
}

/// Speaking answers aloud.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Tts {
    /// When to speak.
    ///
    /// Default: `off`.
    #[schemars(extend("enum" = ["off","always","inbound","tagged"]))]
    pub auto: Option<String>,
    /// Older spelling: true means `always`.
    pub enabled: Option<bool>,
    /// Which texts are spoken.
    ///
    /// Default: `final`.
    #[schemars(extend("enum" = ["final","all"]))]
    pub mode: Option<String>,
    /// Who speaks.
    pub provider: Option<String>,
    /// Model that shortens long answers.
    pub summary_model: Option<String>,
    /// What the model may change.
    pub model_overrides: Option<TtsOverrides>,
    /// Longest text, in characters.
    ///
    /// Default: `4096`.
    pub max_text_length: Option<u64>,
    /// Longest wait, in milliseconds.
    ///
    /// Default: `30000`.
    pub timeout_ms: Option<u64>,
    /// Settings of that provider.
    pub elevenlabs: Option<Value>,
    /// Settings of that provider.
    pub openai: Option<Value>,
    /// Settings of that provider.
    pub edge: Option<Value>,
    /// Settings of that provider.
    pub microsoft: Option<Value>,
    /// Settings per provider, newer spelling.
    pub providers: Option<Value>,
    /// File with people's own preferences.
    pub prefs_path: Option<String>,
}

/// Slash commands in chats.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Commands {
    /// Register commands with the platform: true, false or `auto`.
    ///
    /// Default: `auto`.
    pub native: Option<Value>,
    /// Register skills as commands: true, false or `auto`.
    ///
    /// Default: `auto`.
    pub native_skills: Option<Value>,
    /// Read commands from plain text.
    ///
    /// Default: `true`.
    pub text: Option<bool>,
    /// Allow `!` shell commands.
    ///
    /// Default: `false`.
    pub bash: Option<bool>,
    /// How long they may run in the foreground, in milliseconds.
    ///
    /// Default: `2000`.
    #[schemars(range(min = 0, max = 30000))]
    pub bash_foreground_ms: Option<u64>,
    /// Allow `/config`.
    ///
    /// Default: `false`.
    pub config: Option<bool>,
    /// Allow `/debug`.
    ///
    /// Default: `false`.
    pub debug: Option<bool>,
    /// Allow `/restart`.
    ///
    /// Default: `false`.
    pub restart: Option<bool>,
    /// Respect access lists for commands.
    ///
    /// Default: `true`.
    pub use_access_groups: Option<bool>,
    /// Who the owner is, as `channel:id` or bare id.
    pub owner_allow_from: Option<Vec<Value>>,
    /// Who may use commands, per platform.
    pub allow_from: Option<BTreeMap<String, Vec<Value>>>,
}
