//! The walk of a message: admit → route → lane → turn → shape → deliver.
//!
//! ```text
//! Inbound ─admit─► Admitted ─route─► Routed ─lane─► Turn ─agent─► Reply ─shape─► Shaped ─deliver─► everyone
//!            └► Refused                └► Unroutable
//! ```
//!
//! One file per arrow. What a stage established is in its type and cannot be made any other way, so "may this
//! sender speak?" is asked once. The [`Relay`] handle is what the gateway and, later, the clock and the chat
//! platforms hold. Sockets are not known here.

mod access;
mod admit;
mod answer;
mod background;
mod bus;
mod call_quota;
mod channels;
pub mod commands;
mod compact;
mod deliver;
mod delivery;
mod drain;
mod exec_rules;
#[cfg(test)]
mod fixture;
mod history_limit;
mod intake;
mod invoke;
mod jitter;
mod lane;
mod listen;
mod live;
mod media;
mod message_actions;
mod meter;
mod narrate;
mod offer;
mod origin;
mod outbox;
mod pairing;
mod pairing_row;
mod policy_layers;
mod policy_view;
mod ports;
mod program;
mod queue;
mod recover;
mod relay;
mod reply_route;
mod reply_rows;
mod reply_style;
mod retry_interrupted;
mod route;
mod rules;
mod runs;
mod session_send;
mod sessions_view;
mod settings;
mod shape;
mod skill_calls;
mod steering;
mod subagents;
mod submit;
mod taint;
mod turn;
mod turn_prompt;
mod undo;
mod vision;
mod wake;

pub use admit::{Admitted, Refused, admit};
pub use bus::{Audience, Bus, Published};
pub use channels::AccountStatus;
pub use compact::{CompactOptions, CompactReport};
pub use invoke::{Invocation, Invoked, WhenAsked};
pub use listen::{Heard, Listener};
pub use message_actions::{
    ActError, ActingFor, Action, ActionOutcome, ChannelName, FileError, FileForm, FileWanted, MessageAction,
    Place, PollDraft, Post, Writing,
};
pub use outbox::{OutgoingText, SendError};
pub use pairing_row::{pairing_account, pairing_row};
pub use policy_layers::{Circumstances, policy_for};
pub use policy_view::{PolicyView, Supposing};
pub use program::{Program, ProgramTool};
pub use queue::Steered;
pub use relay::{Aborted, Relay, RelayParts};
pub use route::{RoutePolicy, Routed, Unroutable, route};
pub use runs::{RunEnd, RunView};
pub use settings::{TurnSettings, Unusable, settings_for, time_zone};
pub use submit::{Submission, SubmitError, Submitted};
pub use turn_prompt::{ContextError, ContextReport};
pub use undo::{UndoRefused, UndoRequest};
pub use wake::{Wake, WakeMode, Woken};
