//! What the targets that read model streams share: one way to read a stream twice and compare.

use std::sync::Arc;

use homard_llm::wire::{self, Wire};
use homard_llm::{LlmError, ModelSpec, Request, Sampling, StreamEvent, ThinkingLevel};
use homard_protocol::{ModelId, ProviderId};

/// Longest message an error may carry, in characters, with the sign that it was cut.
const MAX_MESSAGE: usize = 401;

/// What a stream gave and how it ended.
type Read = (Vec<StreamEvent>, Option<LlmError>);

/// Reads `data` as a stream of `api`, whole and in pieces as large as its first byte says: both must give the
/// same, and what they give must keep the promises of the seam.
pub fn stream(api: &str, data: &[u8]) {
    let Some((&cut, bytes)) = data.split_first() else { return };
    let wire = wire::find(api).expect("the API exists");
    let whole = read(wire, [bytes]);
    let pieces = read(wire, bytes.chunks(usize::from(cut % 32) + 1));
    assert_eq!(whole, pieces, "where a stream is cut does not matter");
    check(&whole);
}

fn read<'a>(wire: &Wire, pieces: impl IntoIterator<Item = &'a [u8]>) -> Read {
    let mut events = Vec::new();
    let end = wire.replay_pieces(&request(wire.api), pieces, &mut |event| events.push(event));
    (events, end.err())
}

fn check((events, end): &Read) {
    let mut ids = Vec::new();
    for event in events {
        match event {
            StreamEvent::ToolCall(call) => {
                assert!(call.arguments.is_object(), "arguments are an object: {}", call.arguments);
                assert!(!ids.contains(&call.id), "ids are unique: {}", call.id);
                ids.push(call.id.clone());
            }
            StreamEvent::Text(text) | StreamEvent::Thinking(text) => assert!(!text.is_empty()),
            StreamEvent::Start | StreamEvent::Done(_) | StreamEvent::Failed(_) | StreamEvent::Attempt(_) => {
                panic!("a decoder does not say {event:?}")
            }
            StreamEvent::ToolCallStart { .. } | StreamEvent::ToolCallDelta { .. } | StreamEvent::Usage(_) => {
            }
        }
    }
    if let Some(error) = end {
        assert!(error.message.chars().count() <= MAX_MESSAGE, "{}", error.message);
    }
}

fn request(api: &str) -> Request {
    let (provider, id) = (ProviderId::parse("p").expect("a name"), ModelId::parse("m").expect("a name"));
    Request {
        model: Arc::new(ModelSpec::new(provider, id, api)),
        system: Arc::from(""),
        messages: Vec::new(),
        tools: Arc::from([]),
        max_tokens: None,
        thinking: ThinkingLevel::Off,
        credential: None,
        session: None,
        sampling: Sampling::default(),
    }
}
