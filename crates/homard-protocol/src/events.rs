//! The events of this gateway and their payloads.

mod agent;
mod approvals;
mod chat;
mod devices;
mod suspension;
mod system;

pub use agent::{AgentEvent, AgentStream};
pub use approvals::{
    ApprovalEnd, ExecApprovalRequestedEvent, ExecApprovalResolvedEvent, PluginApprovalRequestedEvent,
    PluginApprovalResolvedEvent,
};
pub use chat::{ChatEvent, ChatMessage, ChatState, ErrorKind, FinalMessage, InjectedMessage, TextBlock};
pub use devices::{DevicePairRequestedEvent, DevicePairResolvedEvent, PairDecision};
pub use suspension::{SuspensionEvent, SuspensionPhase};
pub use system::{
    ALL_EVENTS, CONNECT_CHALLENGE, HealthEvent, PresenceEvent, SessionsChangedEvent, ShutdownEvent, TickEvent,
};
