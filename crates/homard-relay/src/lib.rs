//! The walk of a message: route → admit → lane → turn → deliver.
//!
//! ```text
//! Inbound ─► Route ─► Admitted ─► TurnRequest ─lane─► Turn ─agent─► TurnOutcome ─► RunEnd, NewOutbound
//!              └► Unroutable └► Refused
//! ```
//!
//! What a stage established is in its type and cannot be made any other way, so "may this sender speak?" is asked
//! once. Everything comes in by [`Relay::accept`]; what is heard on chat platforms goes through `intake` first, which
//! routes, judges and gathers it. Sockets are not known here.

mod approvals;
mod bus;
pub mod commands;
mod delivery;
mod events;
#[cfg(test)]
mod fixture;
mod hook_points;
mod intake;
mod message_actions;
mod parts;
mod platforms;
mod ports;
mod recall;
mod relay;
mod sessions;
mod trail;
mod turn_setup;
mod turns;

pub use bus::{Audience, Bus, BusListener, EventHeading, Published};
pub use delivery::look::{LOOK_PREFIX, LookVerdict};
pub use delivery::outbox::{OutgoingText, SendError};
pub use delivery::run_delivery::ReplyRoute;
pub use events::{DomainEvent, DomainEvents};
pub use intake::admit::{Admitted, Refused, admit};
pub use intake::origin::Origin;
pub use intake::route::{Route, Unroutable};
pub use message_actions::{
    ActError, ActingFor, Action, ActionOutcome, ChannelName, FileError, FileForm, FileWanted, MessageAction,
    Place, PollDraft, Post, Writing,
};
pub use parts::{MessageActions, Platforms, Recall, Sessions, TurnSetup, Turns};
pub use platforms::channels::AccountStatus;
pub use platforms::pairing_row::{pairing_account, pairing_row};
pub use recall::{Indexed, MemoryStanding, NotRecalled, Recalled, RecalledPassage};
pub use relay::{Relay, RelayParts};
pub use sessions::undo::{UndoRefused, UndoRequest};
pub use turn_setup::invoke::{Invocation, Invoked, WhenAsked};
pub use turn_setup::policy_layers::{ModelName, PolicySubject, policy_for};
pub use turn_setup::policy_view::{PolicyQuestion, PolicyView};
pub use turn_setup::program::{Program, ProgramTool};
pub use turn_setup::settings::{TurnSettings, Unusable, settings_for, time_zone};
pub use turn_setup::turn_prompt::{ContextError, ContextReport};
pub use turns::accept::{AcceptError, Accepted};
pub use turns::compact::{CompactOptions, CompactReport};
pub use turns::control::Aborted;
pub use turns::inline::InlineSettings;
pub use turns::listen::{Listener, RunNews};
pub use turns::outcome::{ModelUsed, RunEnd, TurnOutcome};
pub use turns::queue::Queue;
pub use turns::request::TurnOptions;
pub use turns::runs::RunView;
pub use turns::wake::{Wake, WakeOutcome, tell_heartbeat};
