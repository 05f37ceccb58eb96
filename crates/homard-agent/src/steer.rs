//! Messages that reach a turn while it is under way.
//!
//! The loop asks for them before every call of the model, so they stand after the results of the round before and
//! never between a call and its result. Whoever hands one over has recorded it already: a message is either in
//! the transcript of this run or still waiting for a turn of its own, never both and never neither.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use homard_protocol::{RunId, UserMessage};
use homard_store::StoreError;

use crate::history::History;
use crate::turn::{Agent, Step, Turn};
use homard_protocol::Message;

/// Most messages one round takes; the rest waits for the next.
const MAX_PER_ROUND: usize = 32;

/// A message that was handed to a running turn and recorded in its transcript.
#[derive(Debug, Clone)]
pub struct Taken {
    /// The run it would have been.
    pub run_id: RunId,
    pub message: UserMessage,
    /// Its place in the transcript.
    pub seq: i64,
}

/// Where messages for a running turn come from. An implementor records what it hands over before it does.
pub trait Steer: Send + Sync {
    /// The next message, if one waits.
    fn next(&self) -> BoxFuture<'_, Result<Option<Taken>, StoreError>>;
}

/// A turn's source of messages; the default has none. Clone-cheap.
#[derive(Clone, Default)]
pub struct Steering(Option<Arc<dyn Steer>>);

impl Steering {
    /// Takes messages from there.
    #[must_use]
    pub fn from_source(source: Arc<dyn Steer>) -> Self {
        Self(Some(source))
    }
}

impl fmt::Debug for Steering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Steering").field(&self.0.is_some()).finish()
    }
}

impl Agent {
    /// Adds what came in meanwhile to the conversation.
    pub(crate) async fn take_steered(
        &self,
        turn: &Turn,
        history: &mut History,
        on_step: &mut (dyn FnMut(Step<'_>) + Send),
    ) -> Result<(), StoreError> {
        let Some(source) = &turn.steer.0 else { return Ok(()) };
        for _message in 0..MAX_PER_ROUND {
            let Some(taken) = source.next().await? else { break };
            on_step(Step::Steered(&taken));
            history.record(Message::User(taken.message), taken.seq);
        }
        Ok(())
    }
}
