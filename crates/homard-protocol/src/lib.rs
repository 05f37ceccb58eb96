//! The words every other room uses: ids, messages, transcript lines, gateway frames, methods and events.
//!
//! This crate owns how things are *spelled* on the wire and on disk and nothing else: it does no input or
//! output, knows no defaults and holds no policy. Wire spelling is fixed by the clients people already own,
//! so every serde rename lives here and nowhere else.
//!
//! Reading order: [`id`] and [`session_key`] name things, [`message`] and [`transcript`] say what was said,
//! [`frame`], [`connect`], [`method`](mod@method) and [`event`](mod@event) say how programs talk about it.

pub mod connect;
pub mod device;
pub mod event;
pub mod events;
mod every;
pub mod frame;
pub mod id;
pub mod limits;
pub mod message;
pub mod method;
pub mod methods;
pub mod presence;
pub mod prompt_report;
pub mod scope;
pub mod session_key;
pub mod session_ref;
pub mod session_row;
pub mod session_words;
pub mod transcript;
pub mod word;

pub use event::Event;
pub use frame::{ErrorCode, ErrorShape, EventFrame, RequestFrame, ResponseFrame, StateVersion};
pub use id::{
    AccountId, AgentId, ApprovalId, ChannelId, ConnId, DeviceId, EntryId, IdError, JobId, ModelId, ModelRef,
    PeerId, ProviderId, RunId, SessionId, ThreadId, ToolCallId,
};
pub use message::{
    AssistantBlock, AssistantMessage, Cost, INJECTED_MODEL, INJECTED_PROVIDER, Message, StopReason, ToolCall,
    ToolResultMessage, Usage, UserBlock, UserContent, UserMessage,
};
pub use method::Method;
pub use scope::{Role, Scope, ScopeSet};
pub use session_key::{SessionKey, SessionKeyError, SessionScope};
pub use session_ref::SessionRef;
pub use session_words::run_source::{StopCause, TurnSource, WakeMode};
pub use session_words::run_status::{CallOutcome, CallState, FailReason, RunAnswer, RunStatus};
pub use session_words::{ChatKind, ChoiceSource, QueueMode, ThinkingLevel};
pub use transcript::{Entry, EntryKind, SessionHeader};
pub use word::Word;
