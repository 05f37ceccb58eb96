//! The port every chat platform plugs into: what comes in, what goes out, and the seam between.
//!
//! An adapter translates between its platform and [`InboundEvent`]/[`Outbound`]; it decides nothing. Whether a
//! sender may speak, which agent answers and how an answer is cut to size is the relay's business. No
//! platform's name appears in this crate.

mod abilities;
mod channel;
mod form;
mod inbound;
mod ingress;
mod outbound;
mod registry;
mod section;
mod text;

pub use abilities::{Abilities, Ability, Act, Dialect, MediaKind, PollLimits, TableMode, TextUnit, Threads};
pub use channel::{
    BoxFuture, Channel, ChannelError, DynChannel, Inbox, InboxClosed, InboxItem, Probe, SharedChannel,
};
pub use form::{FieldKind, Form, FormField, NEEDED};
pub use homard_protocol::ChatKind;
pub use inbound::{
    Attachment, Conversation, Details, Fetched, Inbound, InboundEvent, Notice, Press, Quoted, Sender,
};
pub use ingress::{Ingress, IngressHandler, IngressLimits, IngressMount, Mounted, PathTaken};
pub use outbound::{Address, Button, Content, File, KnownNearby, Outbound, Receipt, RichText};
pub use registry::{AccountParts, BuildError, ChannelEntry, ChannelRegistry};
pub use section::{Key, SHARED_KEYS, SectionKeys, Takes, defaults_schema};
pub use text::{ChunkMode, Shape, shape_text};
