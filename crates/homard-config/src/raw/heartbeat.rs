//! Shape of `agents.defaults.heartbeat` and an agent's own.
//!
//! Doc comments are the help people read; what the values mean is decided in [`crate::config::agents::heartbeat`].

use schemars::JsonSchema;
use serde::Deserialize;

/// The part of the day heartbeats happen in.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ActiveHours {
    /// First moment, as HH:MM.
    pub(crate) start: Option<String>,
    /// The moment after the last, as HH:MM; 24:00 is the end of the day. Before the start it is the next morning.
    pub(crate) end: Option<String>,
    /// Time zone: `user` (the owner's), `local` (the machine's) or an IANA name.
    ///
    /// Default: `user`.
    pub(crate) timezone: Option<String>,
}

/// Letting an agent look around by itself now and then.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Heartbeat {
    /// Time between two, such as 30m or 2h; a bare number is minutes, `0m` turns them off.
    ///
    /// Default: `30m`, and `1h` where a stored credential of Anthropic is of mode `oauth` or `token`.
    pub(crate) every: Option<String>,
    /// Part of the day; all of it when unset.
    pub(crate) active_hours: Option<ActiveHours>,
    /// Model used; the agent's own when unset.
    pub(crate) model: Option<String>,
    /// Conversation used: `main`, or the key of another one of the agent.
    ///
    /// Default: `main`.
    pub(crate) session: Option<String>,
    /// Where an alert goes: `last` (where the conversation was last spoken to, unless that is a group), `none`
    /// (nowhere; it stays in the conversation) or a chat platform.
    ///
    /// Default: `last`.
    pub(crate) target: Option<String>,
    /// To whom it goes there.
    pub(crate) to: Option<String>,
    /// Account it goes through.
    pub(crate) account_id: Option<String>,
    /// What the agent is asked.
    pub(crate) prompt: Option<String>,
    /// Longest text beside `HEARTBEAT_OK` that still counts as "nothing to say", in characters.
    ///
    /// Default: `300`.
    pub(crate) ack_max_chars: Option<u64>,
    /// Longest run, in seconds; the agent's own limit when unset.
    pub(crate) timeout_seconds: Option<u64>,
    /// Whether alerts go to direct chats: `block` keeps them in the conversation.
    ///
    /// Default: `allow`.
    #[schemars(extend("enum" = ["allow", "block"]))]
    pub(crate) direct_policy: Option<String>,
    /// Tell the model less first: tools, safety, folder, time, skills and files.
    ///
    /// Default: `false`.
    pub(crate) light_context: Option<bool>,
    /// Use a fresh conversation each time, beside yours.
    ///
    /// Default: `false`.
    pub(crate) isolated_session: Option<bool>,
    /// Send the model's reasoning before an alert, as a message of its own.
    ///
    /// Default: `false`.
    pub(crate) include_reasoning: Option<bool>,
    /// In `agents.defaults`: which agent looks around where none has a heartbeat of its own; the default one when unset.
    pub(crate) agent_id: Option<String>,
}
