//! The events of this gateway and their payloads.

mod agent;
mod approvals;
mod chat;
mod cron;
mod devices;
mod nodes;
pub mod rules;
mod sessions;
mod stranger_pairing;
mod suspension;
mod system;
mod voice;

pub use agent::{
    AgentData, AgentEvent, AgentStream, CommandOutput, CompactionPhase, RunPhase, TerminalReply, ToolItem,
    ToolPhase,
};
pub use approvals::{
    ApprovalEnd, ApprovalPhase, ApprovalStage, ApprovalStatus, ExecApprovalRequestedEvent,
    ExecApprovalResolvedEvent, PluginApprovalRequestedEvent, PluginApprovalResolvedEvent,
};
pub use chat::{ChatEvent, ChatMessage, ChatState, ErrorKind, FinalMessage, InjectedMessage, TextBlock};
pub use cron::{CronAction, CronEvent};
pub use devices::{
    DevicePairRequestedEvent, DevicePairResolvedEvent, DevicePairSetupCompletedEvent, PairDecision,
};
pub use nodes::{
    NODE_INVOKE_CANCEL, NODE_INVOKE_REQUEST, NodeDecision, NodeHostStatsEvent, NodePairRequestedEvent,
    NodePairResolvedEvent, NodePresenceEvent, VoicewakeChangedEvent,
};
pub use sessions::{OperationPhase, SessionMessageEvent, SessionOperation, SessionOperationEvent};
pub use stranger_pairing::{ChannelsPairingRequestedEvent, ChannelsPairingResolvedEvent};
pub use suspension::{SuspensionEvent, SuspensionPhase};
pub use system::{
    ALL_EVENTS, CONNECT_CHALLENGE, ConfigChangedEvent, HealthEvent, HeartbeatEvent, HeartbeatIndicator,
    HeartbeatStatus, PresenceEvent, SessionChange, SessionsChangedEvent, ShutdownEvent, SkillsChange,
    SkillsChangedEvent, TickEvent,
};
pub use voice::TalkModeEvent;
