//! What a program that talks to the agent as if it were a model wants of one turn.

use std::collections::BTreeSet;

use homard_llm::{Sampling, ToolChoice, arguments_fault};
use homard_protocol::ToolCall;

/// What the caller wants. The default wants nothing, which is what people want.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallOptions {
    /// The longest answer, in tokens; the model's own limit when absent.
    pub max_tokens: Option<u32>,
    /// How words are chosen. A call that is ordered is ordered of the first answer only: of every answer, the
    /// turn would never end.
    pub sampling: Sampling,
    /// Tools that are the caller's. The model is offered them like others; a call of one ends the turn, and
    /// its result comes with the next.
    pub tools: BTreeSet<String>,
}

impl CallOptions {
    /// How words of the next answer are chosen.
    pub(crate) fn sampling(&self, is_first: bool) -> Sampling {
        let mut sampling = self.sampling.clone();
        if !is_first {
            sampling.tool_choice = ToolChoice::Auto;
        }
        sampling
    }

    /// Whether a call is the caller's to run. One that nobody could run is answered here, so that the model
    /// can correct itself.
    pub(crate) fn is_theirs(&self, call: &ToolCall) -> bool {
        self.tools.contains(&call.name) && arguments_fault(&call.arguments).is_none()
    }
}
