//! A request to any API, and its stream read back.

use std::sync::Arc;

use homard_llm::wire::Wire;
use homard_llm::{LlmError, ModelSpec, Request, StreamEvent, ThinkingLevel};
use homard_protocol::{ModelId, ProviderId};

use crate::recorded::chunks::{Part, bytes};

pub(crate) fn request(api: &str) -> Request {
    Request {
        model: Arc::new(ModelSpec::new(ProviderId::parse("p").unwrap(), ModelId::parse("m").unwrap(), api)),
        system: Arc::from(""),
        messages: Vec::new(),
        tools: Arc::from([]),
        max_tokens: None,
        sampling: homard_llm::Sampling::default(),
        thinking: ThinkingLevel::Off,
        credential: None,
        session: None,
        program_dir: None,
    }
}

/// The stream of these parts, between an opening and nothing.
pub(crate) fn stream(wire: &Wire, parts: &[Part<'_>]) -> Vec<u8> {
    [Part::Open].iter().chain(parts).flat_map(|part| bytes(wire.api, *part)).collect()
}

pub(crate) fn replay(wire: &Wire, parts: &[Part<'_>]) -> Result<Vec<StreamEvent>, LlmError> {
    wire.replay(&request(wire.api), &stream(wire, parts))
}

pub(crate) fn text(events: &[StreamEvent]) -> String {
    let text = |event: &StreamEvent| match event {
        StreamEvent::Text(text) => Some(text.clone()),
        _ => None,
    };
    events.iter().filter_map(text).collect()
}
