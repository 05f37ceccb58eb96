//! Shape of the `session`, `messages` and `commands` sections.
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
pub(crate) struct Reset {
    /// What starts it afresh.
    ///
    /// Default: `daily`.
    pub(crate) mode: Option<ResetMode>,
    /// Hour of the daily reset.
    ///
    /// Default: `4`.
    #[schemars(range(min = 0, max = 23))]
    pub(crate) at_hour: Option<u64>,
    /// Quiet minutes before a reset.
    #[schemars(range(min = 1))]
    pub(crate) idle_minutes: Option<u64>,
}

/// Resets per kind of conversation.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ResetByType {
    /// Direct messages.
    pub(crate) direct: Option<Reset>,
    /// Older spelling of `direct`.
    pub(crate) dm: Option<Reset>,
    /// Groups.
    pub(crate) group: Option<Reset>,
    /// Threads.
    pub(crate) thread: Option<Reset>,
}

/// Which conversations a rule takes.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SendMatch {
    /// Platform.
    pub(crate) channel: Option<String>,
    /// Kind of conversation.
    pub(crate) chat_type: Option<String>,
    /// Start of the conversation's key.
    pub(crate) key_prefix: Option<String>,
    /// Start of the whole session key.
    pub(crate) raw_key_prefix: Option<String>,
}

/// One rule about sending.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SendRule {
    /// What to do.
    #[schemars(extend("enum" = ["allow","deny"]))]
    pub(crate) action: Option<String>,
    /// Where.
    #[serde(rename = "match")]
    pub(crate) matching: Option<SendMatch>,
}

/// Where answers may be sent.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SendPolicy {
    /// When no rule matches.
    ///
    /// Default: `allow`.
    #[schemars(extend("enum" = ["allow","deny"]))]
    pub(crate) default: Option<String>,
    /// Rules, first refusal wins.
    pub(crate) rules: Option<Vec<SendRule>>,
}

/// Keeping the list of sessions short.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Maintenance {
    /// Only warn, or act.
    ///
    /// Default: `warn`.
    #[schemars(extend("enum" = ["warn","enforce"]))]
    pub(crate) mode: Option<String>,
    /// Age after which sessions go.
    ///
    /// Default: `30d`.
    pub(crate) prune_after: Option<Value>,
    /// Older spelling of `pruneAfter`.
    pub(crate) prune_days: Option<u64>,
    /// Most sessions kept.
    ///
    /// Default: `500`.
    pub(crate) max_entries: Option<u64>,
}

/// Which messages belong to one conversation, and when it starts afresh.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Session {
    /// One conversation per sender, or one for everybody.
    ///
    /// Default: `per-sender`.
    pub(crate) scope: Option<SessionScopeMode>,
    /// How direct messages are told apart.
    ///
    /// Default: `main`.
    pub(crate) dm_scope: Option<DmScope>,
    /// The same for people who are not the owner, where the owner's messages share `main`. `main` lets everybody who
    /// may write read along in the owner's own conversation.
    ///
    /// Default: `per-channel-peer`.
    pub(crate) guest_dm_scope: Option<DmScope>,
    /// How many calls to models each person who is not the owner may cause in an hour; a group five times as many. 0
    /// is no limit.
    ///
    /// Default: `120`.
    pub(crate) guest_calls_per_hour: Option<u64>,
    /// How groups are told apart.
    ///
    /// Default: `per-group`.
    #[schemars(extend("enum" = ["per-group","main"]))]
    pub(crate) group_scope: Option<String>,
    /// People known under several names: name to list of `channel:id`.
    pub(crate) identity_links: Option<BTreeMap<String, Vec<String>>>,
    /// Messages that start afresh.
    pub(crate) reset_triggers: Option<Vec<String>>,
    /// Older spelling of `reset.idleMinutes`.
    #[schemars(range(min = 1))]
    pub(crate) idle_minutes: Option<u64>,
    /// When a conversation starts afresh.
    pub(crate) reset: Option<Reset>,
    /// The same, per kind of conversation.
    pub(crate) reset_by_type: Option<ResetByType>,
    /// The same, per platform; wins outright.
    pub(crate) reset_by_channel: Option<BTreeMap<String, Reset>>,
    /// When typing is shown.
    #[schemars(extend("enum" = ["never","instant","thinking","message"]))]
    pub(crate) typing_mode: Option<String>,
    /// Time between typing signs, in seconds.
    pub(crate) typing_interval_seconds: Option<u64>,
    /// Where answers may be sent.
    pub(crate) send_policy: Option<SendPolicy>,
    /// Keeping the list short.
    pub(crate) maintenance: Option<Maintenance>,
}

/// What happens to messages that arrive while an agent is busy.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Queue {
    /// What to do with them.
    ///
    /// Default: `collect`.
    #[schemars(extend("enum" = ["steer","followup","collect","steer-backlog","steer+backlog","interrupt","queue"]))]
    pub(crate) mode: Option<String>,
    /// The same, per platform.
    pub(crate) by_channel: Option<BTreeMap<String, String>>,
    /// Quiet time before they are taken, in milliseconds.
    ///
    /// Default: `1000`.
    pub(crate) debounce_ms: Option<u64>,
    /// The same, per platform.
    pub(crate) debounce_ms_by_channel: Option<BTreeMap<String, u64>>,
    /// Most messages kept.
    ///
    /// Default: `20`.
    pub(crate) cap: Option<u64>,
    /// What happens to the rest.
    ///
    /// Default: `summarize`.
    #[schemars(extend("enum" = ["old","new","summarize"]))]
    pub(crate) drop: Option<String>,
}

/// Joining messages sent in quick succession.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Inbound {
    /// Quiet time before they are taken, in milliseconds.
    ///
    /// Default: `0`.
    pub(crate) debounce_ms: Option<u64>,
    /// The same, per platform.
    pub(crate) by_channel: Option<BTreeMap<String, u64>>,
}

/// How messages look and wait.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Messages {
    /// Prefix of answers; `auto` uses the agent's name.
    pub(crate) response_prefix: Option<String>,
    /// Sign put on a message that was seen; empty turns it off.
    pub(crate) ack_reaction: Option<String>,
    /// Where it is put.
    ///
    /// Default: `group-mentions`.
    #[schemars(extend("enum" = ["group-mentions","group-all","direct","all","off","none"]))]
    pub(crate) ack_reaction_scope: Option<String>,
    /// Take it away after answering.
    ///
    /// Default: `false`.
    pub(crate) remove_ack_after_reply: Option<bool>,
    /// Behaviour in groups.
    pub(crate) group_chat: Option<super::agents::GroupChat>,
    /// Messages while busy.
    pub(crate) queue: Option<Queue>,
    /// Messages in quick succession.
    pub(crate) inbound: Option<Inbound>,
}

/// Slash commands in chats.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Commands {
    /// Read commands from plain text.
    ///
    /// Default: `true`.
    pub(crate) text: Option<bool>,
    /// Offer commands in the platform's own menu: true, false or `auto` (where it has one).
    ///
    /// Default: `auto`.
    pub(crate) native: Option<Value>,
    /// Offer skills there, too: true, false or `auto` (where commands are).
    ///
    /// Default: `auto`.
    pub(crate) native_skills: Option<Value>,
    /// Allow `!` shell commands.
    ///
    /// Default: `false`.
    pub(crate) bash: Option<bool>,
    /// How long they may run in the foreground, in milliseconds.
    ///
    /// Default: `2000`.
    #[schemars(range(min = 0, max = 30000))]
    pub(crate) bash_foreground_ms: Option<u64>,
    /// Allow `/config`.
    ///
    /// Default: `false`.
    pub(crate) config: Option<bool>,
    /// Allow `/debug`.
    ///
    /// Default: `false`.
    pub(crate) debug: Option<bool>,
    /// Allow `/restart`.
    ///
    /// Default: `false`.
    pub(crate) restart: Option<bool>,
    /// Respect access lists for commands.
    ///
    /// Default: `true`.
    pub(crate) use_access_groups: Option<bool>,
    /// Who the owner is, as `channel:id` or bare id.
    pub(crate) owner_allow_from: Option<Vec<Value>>,
    /// Who may use commands, per platform.
    pub(crate) allow_from: Option<BTreeMap<String, Vec<Value>>>,
}
