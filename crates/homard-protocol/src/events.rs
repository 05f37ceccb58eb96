//! The events of this gateway and their payloads.

mod agent;
mod approvals;
mod chat;
mod devices;
mod nodes;
mod system;

pub use agent::{AgentEvent, AgentStream};
pub use approvals::{
    ApprovalEnd, ExecApprovalRequestedEvent, ExecApprovalResolvedEvent, PluginApprovalRequestedEvent,
    PluginApprovalResolvedEvent,
};
pub use chat::{ChatEvent, ChatMessage, ChatState, ErrorKind, FinalMessage, InjectedMessage, TextBlock};
pub use devices::{DevicePairRequestedEvent, DevicePairResolvedEvent, PairDecision};
pub use nodes::{
    NODE_INVOKE_CANCEL, NODE_INVOKE_REQUEST, NodeDecision, NodeHostStatsEvent, NodePairRequestedEvent,
    NodePairResolvedEvent, NodePresenceEvent, VoicewakeChangedEvent,
};
pub use system::{
    ALL_EVENTS, CONNECT_CHALLENGE, HealthEvent, PresenceEvent, SessionsChangedEvent, ShutdownEvent, TickEvent,
};
