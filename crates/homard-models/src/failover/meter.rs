//! What is told about every call, for the usage table. Keeping it is somebody else's.

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use homard_llm::{ModelSpec, ThinkingLevel};
use homard_protocol::{CallOutcome, Usage, Word};
use homard_runtime::Timestamp;
use homard_store::{CallId, CallTarget};

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
    pub target: CallTarget,
    pub reservation: u64,
    /// What counts as spent if nobody ever says more.
    pub worst: Usage,
}

/// A call that is over: one attempt that reached a provider, answered or not.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRecord {
    /// When it began, in milliseconds since 1970.
    pub at: Timestamp,
    pub target: CallTarget,
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

/// Who is asked, and how, as the usage table has it; a model that is not to think has no level.
pub(crate) fn target(model: &ModelSpec, profile: Option<String>, thinking: ThinkingLevel) -> CallTarget {
    CallTarget {
        provider: model.provider.to_string(),
        model: model.id.to_string(),
        api: model.api.clone(),
        profile,
        thinking: (thinking != ThinkingLevel::Off).then_some(Word::Known(thinking)),
    }
}
