//! Any bytes are a stream of a model API, or fail as one, and where they are cut does not matter.

use std::sync::Arc;

use homard_llm::wire::{self, Wire};
use homard_llm::{LlmError, ModelSpec, Request, Sampling, StreamEvent, ThinkingLevel};
use homard_protocol::{ModelId, ProviderId};

/// Longest message an error may carry, in characters, with the sign that it was cut.
const MAX_MESSAGE: usize = 401;
const BEDROCK: &str = "bedrock-converse-stream";

/// What a stream gave and how it ended.
type Read = (Vec<StreamEvent>, Option<LlmError>);

/// Reads `data` as a stream of `api`, whole and in pieces as large as its first byte says: both must give the
/// same, and what they give must keep the promises of the seam.
pub(super) fn run(api: &str, data: &[u8]) {
    let Some((&cut, bytes)) = data.split_first() else { return };
    let wire = wire::find(api).expect("the API exists");
    let whole = read(wire, [bytes]);
    let pieces = read(wire, bytes.chunks(usize::from(cut % 32) + 1));
    assert_eq!(whole, pieces, "where a stream is cut does not matter");
    check(&whole);
}

/// A stream of binary frames. Chance makes no checksum, so bytes that begin with a letter are taken as lines of an
/// event's kind, a tab and its payload, and put into frames; other bytes are the stream itself.
pub(super) fn bedrock(data: &[u8]) {
    let Some((&cut, rest)) = data.split_first() else { return };
    if !rest.first().is_some_and(u8::is_ascii_alphabetic) {
        return run(BEDROCK, data);
    }
    let mut framed = vec![cut];
    for line in rest.split(|&byte| byte == b'\n') {
        let mut parts = line.splitn(2, |&byte| byte == b'\t');
        framed.extend(frame(parts.next().unwrap_or_default(), parts.next().unwrap_or_default()));
    }
    run(BEDROCK, &framed);
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
        program_dir: None,
        sampling: Sampling::default(),
    }
}

/// A frame; a kind that ends like an exception is one.
fn frame(kind: &[u8], payload: &[u8]) -> Vec<u8> {
    let kind = kind.get(..1_000).unwrap_or(kind);
    let (message, name): (&[u8], &[u8]) = match kind.ends_with(b"Exception") {
        true => (b"exception", b":exception-type"),
        false => (b"event", b":event-type"),
    };
    let mut headers = Vec::new();
    for (name, value) in [(&b":message-type"[..], message), (name, kind)] {
        headers.push(name.len() as u8);
        headers.extend_from_slice(name);
        headers.push(7);
        headers.extend_from_slice(&(value.len() as u16).to_be_bytes());
        headers.extend_from_slice(value);
    }
    let mut out = ((headers.len() + payload.len() + 16) as u32).to_be_bytes().to_vec();
    out.extend_from_slice(&(headers.len() as u32).to_be_bytes());
    out.extend_from_slice(&crc32fast::hash(&out).to_be_bytes());
    out.extend_from_slice(&headers);
    out.extend_from_slice(payload);
    out.extend_from_slice(&crc32fast::hash(&out).to_be_bytes());
    out
}
