//! The port every chat platform plugs into: what comes in, what goes out, and the seam between.
//!
//! An adapter translates between its platform and [`Inbound`]/[`Outbound`]; it decides nothing. Whether a
//! sender may speak, which agent answers and how an answer is cut to size is the relay's business. No
//! platform's name appears in this crate.

mod abilities;
mod channel;
mod inbound;
mod outbound;

pub use abilities::{Abilities, Ability};
pub use channel::{Channel, ChannelError, DynChannel, Inbox, InboxClosed};
pub use inbound::{Conversation, Inbound, Sender};
pub use outbound::{Content, Outbound, Receipt};
