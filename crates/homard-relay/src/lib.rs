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

mod admit;
mod bus;
mod commands;
mod compact;
mod deliver;
mod lane;
mod meter;
mod narrate;
mod offer;
mod queue;
mod recover;
mod relay;
mod route;
mod rules;
mod runs;
mod settings;
mod shape;
mod steering;
mod turn;

pub use admit::{Admitted, Refused, admit};
pub use bus::{Audience, Bus, Published};
pub use commands::{CommandCall, CommandHandler};
pub use compact::{CompactReport, CompactWish};
pub use queue::Steered;
pub use relay::{Aborted, Relay, RelayParts, Submission, SubmitError, Submitted};
pub use route::{RoutePolicy, Routed, Unroutable, route};
pub use runs::{RunEnd, RunView};
pub use settings::{TurnSettings, Unusable, settings_for, time_zone};
