//! The port every chat platform plugs into: what comes in, what goes out, and the seam between.
//!
//! An adapter translates between its platform and [`Heard`]/[`Outbound`]; it decides nothing. Whether a
//! sender may speak, which agent answers and how an answer is cut to size is the relay's business. No
//! platform's name appears in this crate.

mod abilities;
mod channel;
mod inbound;
mod outbound;
mod text;

pub use abilities::{
    Abilities, Ability, Act, ChatKind, Dialect, MediaKind, PollLimits, TableMode, TextUnit, Threads,
};
pub use channel::{
    BoxFuture, Channel, ChannelError, DynChannel, Inbox, InboxClosed, Kept, Probe, SharedChannel,
};
pub use inbound::{Attachment, Conversation, Details, Fetched, Happening, Heard, Inbound, Quoted, Sender};
pub use outbound::{Address, Button, Content, File, Outbound, Receipt, Words};
pub use text::{ChunkMode, Shape, shape_text};
