//! The table of targets; each has a folder of real inputs in `seeds/` under its name.

mod classify;
mod config_json5;
mod frame;
mod session_key;
mod sse;
mod transcript_line;
mod wire;

/// A promise about any input.
#[derive(Debug)]
pub struct Target {
    /// Also the name of its folder of seeds.
    pub name: &'static str,
    /// Panics where the promise does not hold.
    pub run: fn(&[u8]),
}

/// All of them, in alphabetical order.
pub const TARGETS: [Target; 12] = [
    Target { name: "classify", run: classify::run },
    Target { name: "config_json5", run: |data| config_json5::run(text(data)) },
    Target { name: "frame", run: |data| frame::run(text(data)) },
    Target { name: "session_key", run: |data| session_key::run(text(data)) },
    Target { name: "sse", run: sse::run },
    Target { name: "transcript_line", run: |data| transcript_line::run(text(data)) },
    Target { name: "wire_anthropic", run: |data| wire::run("anthropic-messages", data) },
    Target { name: "wire_bedrock", run: wire::bedrock },
    Target { name: "wire_completions", run: |data| wire::run("openai-completions", data) },
    Target { name: "wire_google", run: |data| wire::run("google-generative-ai", data) },
    Target { name: "wire_ollama", run: |data| wire::run("ollama", data) },
    Target { name: "wire_responses", run: |data| wire::run("openai-responses", data) },
];

/// As much of `data` as is text, from its beginning.
fn text(data: &[u8]) -> &str {
    match str::from_utf8(data) {
        Ok(text) => text,
        Err(error) => {
            data.get(..error.valid_up_to()).and_then(|valid| str::from_utf8(valid).ok()).unwrap_or_default()
        }
    }
}
