//! What reading and writing model calls costs, for `cargo xtask bench`: one JSON document on standard output,
//! in the shape the benchmark's report takes tables in. Nothing here touches the network.

use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use homard_llm::wire::{TABLE, Wire};
use homard_llm::{ModelSpec, Request, StreamEvent, ThinkingLevel, ToolSpec};
use homard_protocol::{Message, ModelId, ProviderId};
use serde_json::{Value, json};

#[expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "written for tests; what it cannot write is a mistake in this file"
)]
#[path = "../tests/recorded/chunks.rs"]
mod chunks;

use chunks::{Part, bytes};

type Failure = Box<dyn std::error::Error>;

/// Words in the long stream.
const CHUNKS: usize = 100_000;
/// Bytes of a word as models send them.
const WORD: usize = 8;
/// So many different ones follow each other before they begin again: who says less over and over is stopped.
const WORDS: usize = 1_021;
/// How often each figure is taken; the best counts, because everything else is noise.
const ROUNDS: usize = 5;
/// Messages in the long conversation.
const MESSAGES: usize = 200;
/// Most time one piece of a stream may take, in microseconds.
const CHUNK_LIMIT: f64 = 2.0;
/// Most time the long conversation may take to write, in milliseconds.
const BODY_LIMIT: f64 = 3.0;

fn main() -> Result<(), Failure> {
    let mut tables = Vec::new();
    let mut promises = Vec::new();
    let (mut reading, mut writing) = (Vec::new(), Vec::new());
    let before = most_resident()?;
    let (mut slowest_chunk, mut slowest_body) = (0.0_f64, 0.0_f64);
    for wire in TABLE {
        let micros = read_long_stream(wire)?;
        slowest_chunk = slowest_chunk.max(micros);
        reading.push(json!([wire.api, [micros]]));
    }
    // One process reads all streams, one after the other, so this is the dearest of them.
    let beyond_text = most_resident()? - before - (CHUNKS * WORD) as f64 / 1e3;
    for wire in TABLE {
        let (millis, size) = write_long_conversation(wire)?;
        slowest_body = slowest_body.max(millis);
        writing.push(json!([wire.api, [millis, size]]));
    }
    tables.push(json!({
        "title": "Reading a stream of 100,000 pieces",
        "note": "From bytes to events, one piece at a time, the best of five.",
        "columns": ["µs per piece"],
        "rows": reading,
    }));
    tables.push(json!({
        "title": "Memory to read a stream of 100,000 pieces",
        "note": "What the process grew by at its peak, over all APIs, beyond the text of one answer.",
        "columns": ["KB"],
        "rows": [["the dearest API", [beyond_text.max(0.0)]]],
    }));
    tables.push(json!({
        "title": "Writing a conversation of 200 messages",
        "note": "From messages, tools and system prompt to the body of a request, the best of five.",
        "columns": ["ms", "body KB"],
        "rows": writing,
    }));
    promises.push(promise("reading a piece of a stream, slowest API", slowest_chunk, "µs", CHUNK_LIMIT));
    promises.push(promise("writing 200 messages, slowest API", slowest_body, "ms", BODY_LIMIT));
    writeln!(std::io::stdout(), "{}", json!({"tables": tables, "promises": promises}))?;
    Ok(())
}

fn promise(what: &str, value: f64, unit: &str, at_most: f64) -> Value {
    json!({"what": what, "value": value, "unit": unit, "atMost": at_most})
}

/// Microseconds a piece takes.
fn read_long_stream(wire: &Wire) -> Result<f64, Failure> {
    let request = request(wire.api, Vec::new())?;
    let opening = bytes(wire.api, Part::Open);
    let word = |n: usize| bytes(wire.api, Part::Text(&format!(" {:01$x}", n * 7_919, WORD - 1)));
    let words: Vec<_> = (0..WORDS).map(word).collect();
    let call = bytes(wire.api, Part::Call { n: 0, id: "call_1", name: "read", arguments: "{}" });
    let closing = bytes(wire.api, Part::Close { tokens: 1 });
    let odd = bytes(wire.api, Part::Raw("{}"));
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let text = words.iter().map(|word| &word[..]).cycle().take(CHUNKS);
        let pieces = [&opening[..], &odd].into_iter().chain(text).chain([&call[..], &closing]);
        let mut heard = 0;
        let began = Instant::now();
        let mut count = |event| heard += usize::from(matches!(event, StreamEvent::Text(_)));
        wire.replay_pieces(&request, pieces, &mut count)?;
        best = best.min(began.elapsed().as_secs_f64() * 1e6 / CHUNKS as f64);
        if heard != CHUNKS {
            return Err(format!("{} read {heard} words of {CHUNKS}", wire.api).into());
        }
    }
    Ok(best)
}

fn write_long_conversation(wire: &Wire) -> Result<(f64, f64), Failure> {
    let request = request(wire.api, conversation(wire.api))?;
    let mut best = Duration::MAX;
    let mut size = 0;
    for _ in 0..ROUNDS {
        let began = Instant::now();
        size = wire.body(&request)?.len();
        best = best.min(began.elapsed());
    }
    Ok((best.as_secs_f64() * 1e3, size as f64 / 1e3))
}

/// A tool loop: a question, then calls and results of a kilobyte each.
fn conversation(api: &str) -> Vec<Value> {
    let mut messages = vec![json!({"role": "user", "content": "look around", "timestamp": 1})];
    let words = "the tide comes in and the tide goes out \"again\"\n".repeat(20);
    for n in 0.. {
        if messages.len() >= MESSAGES {
            break;
        }
        let id = format!("call_{n}");
        messages.push(json!({"role": "assistant", "api": api, "provider": "p", "model": "m",
            "stopReason": "toolUse", "timestamp": 1, "content": [
                {"type": "text", "text": words},
                {"type": "toolCall", "id": id, "name": "read", "arguments": {"path": "notes/a.md", "limit": n}}]}));
        messages.push(json!({"role": "toolResult", "toolCallId": id, "toolName": "read", "timestamp": 1,
            "content": [{"type": "text", "text": words}]}));
    }
    messages.truncate(MESSAGES);
    messages
}

fn request(api: &str, messages: Vec<Value>) -> Result<Request, Failure> {
    let messages: Result<Vec<Arc<Message>>, _> =
        messages.into_iter().map(|message| serde_json::from_value(message).map(Arc::new)).collect();
    let tool = |n| ToolSpec {
        name: format!("tool_{n}"),
        description: "Does one thing, and does it well enough to be described in a sentence.".to_owned(),
        parameters: json!({"type": "object", "required": ["path"], "properties": {
            "path": {"type": "string", "description": "Which file."},
            "limit": {"type": "integer", "description": "How many lines."}}})
        .into(),
    };
    Ok(Request {
        model: Arc::new(ModelSpec::new(ProviderId::parse("p")?, ModelId::parse("m")?, api)),
        system: Arc::from("You are Homard. ".repeat(500)),
        messages: messages?,
        tools: (0..20).map(tool).collect(),
        max_tokens: None,
        sampling: homard_llm::Sampling::default(),
        thinking: ThinkingLevel::Off,
        credential: None,
        session: None,
        program_dir: None,
    })
}

/// The most memory this process has held so far, in kilobytes of 1,000 bytes.
fn most_resident() -> Result<f64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()).ok_or("no VmHWM")?;
    Ok(kibibytes.parse::<f64>()? * 1.024)
}
