//! Reads a recorded stream through a wire API and prints what the agent would hear, to look at what a server
//! really sent: `cargo run -p homard-llm --example replay -- anthropic-messages stream.txt …`.

use std::io::Write;
use std::sync::Arc;

use homard_llm::{ModelSpec, Request, ThinkingLevel, wire};
use homard_protocol::{ModelId, ProviderId};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let api = args.next().ok_or("name a wire API and one or more files")?;
    let wire = wire::find(&api).ok_or("there is no such wire API")?;
    let model = ModelSpec::new(ProviderId::parse("recorded")?, ModelId::parse("recorded")?, api);
    let request = Request {
        model: Arc::new(model),
        system: Arc::from(""),
        messages: Vec::new(),
        tools: Arc::from([]),
        max_tokens: None,
        sampling: homard_llm::Sampling::default(),
        thinking: ThinkingLevel::Off,
        credential: None,
        session: None,
        program_dir: None,
    };
    let mut out = std::io::stdout().lock();
    for file in args {
        writeln!(out, "== {file}")?;
        match wire.replay(&request, &std::fs::read(&file)?) {
            Ok(events) => {
                for event in events {
                    writeln!(out, "{event:?}")?;
                }
            }
            Err(error) => writeln!(out, "failed: {} ({})", error.message, error.reason.as_str())?,
        }
    }
    Ok(())
}
