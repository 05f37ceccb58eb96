//! What is told about every call, for the usage table. Keeping it is somebody else's.

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use homard_llm::ThinkingLevel;
use homard_protocol::{CallOutcome, ModelId, ProviderId, Usage};
use homard_runtime::Timestamp;
use homard_store::CallId;

/// Where calls are counted.
pub trait Meter: Send + Sync {
    /// A call is about to be made under a budget. Ready once it is kept where a crash does not lose it; what
    /// it is kept as comes back in [`CallRecord::open`]. Without budgets nobody asks.
    fn opening(&self, call: OpenedCall) -> BoxFuture<'_, Option<CallId>> {
        drop(call);
        ready(None).boxed()
    }

    /// A call is over. Must not wait: it is told in the middle of a conversation.
    fn call(&self, record: CallRecord);
}

/// A call that is about to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenedCall {
    /// When, in milliseconds since 1970.
    pub at: Timestamp,
    pub provider: ProviderId,
    pub model: ModelId,
    /// By which wire API.
    pub api: String,
    pub profile: Option<String>,
    /// How hard it shall think.
    pub thinking: ThinkingLevel,
    pub reservation: u64,
    /// What counts as spent if nobody ever says more.
    pub worst: Usage,
}

/// A call that is over: one attempt that reached a provider, answered or not.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRecord {
    /// When it began, in milliseconds since 1970.
    pub at: Timestamp,
    pub provider: ProviderId,
    pub model: ModelId,
    /// By which wire API.
    pub api: String,
    pub profile: Option<String>,
    /// How hard it should think.
    pub thinking: ThinkingLevel,
    pub open: Option<CallId>,
    pub usage: Usage,
    /// Whether the provider did not say and `usage` is guessed from bytes.
    pub estimated: bool,
    /// Until the first word, thought or tool call, in milliseconds.
    pub first_ms: Option<u64>,
    /// Until the end, in milliseconds.
    pub total_ms: u64,
    pub outcome: CallOutcome,
}
