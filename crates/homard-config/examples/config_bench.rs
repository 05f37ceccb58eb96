//! What taking over a long configuration costs, for `cargo xtask bench`: one JSON document on standard output.

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Instant;

use homard_config::{ConfigHandle, ConfigSource, Environment, Paths};
use homard_runtime::Clock;
use serde_json::json;

/// Lines of the file.
const LINES: usize = 2_000;
/// Lines of one model's entry.
const LINES_PER_MODEL: usize = 8;
/// How often it is changed.
const ROUNDS: usize = 20;
/// Most time it may take, in milliseconds.
const LIMIT: f64 = 20.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let paths = Paths::under(folder.path());
    std::fs::create_dir_all(&paths.state_dir)?;
    let text = long_file();
    std::fs::write(&paths.config_path, &text)?;
    let file = paths.config_path.clone();
    let handle = ConfigHandle::open(ConfigSource::isolated(paths, Environment::default(), Clock::system()))?;
    let mut best = f64::INFINITY;
    for round in 0..ROUNDS {
        std::fs::write(&file, text.replacen("8192", &(4_096 + round).to_string(), 1))?;
        let begun = Instant::now();
        let reload = handle.reload();
        best = best.min(begun.elapsed().as_secs_f64() * 1e3);
        if reload.changed.is_empty() || !reload.rejected.is_empty() {
            return Err(format!("the file was not taken over: {:?}", reload.rejected).into());
        }
    }
    let tables = [json!({
        "title": "Reloading a long configuration",
        "note": "From the file to settings in effect: includes, variables, schema, decisions, differences. The best of twenty.",
        "columns": ["ms", "lines", "KB"],
        "rows": [["JSON5 with comments", [best, text.lines().count(), text.len() / 1_000]]],
    })];
    let promises = [
        json!({"what": "reload of a configuration of 2,000 lines", "value": best, "unit": "ms", "atMost": LIMIT}),
    ];
    writeln!(std::io::stdout(), "{}", json!({"tables": tables, "promises": promises}))?;
    Ok(())
}

/// Many models, each with a comment.
fn long_file() -> String {
    let mut models = String::new();
    for number in 0..LINES / LINES_PER_MODEL {
        let written = write!(
            models,
            "        // model {number}\n        {{\n          id: 'model-{number}',\n          name: 'Model {number}',\n          contextWindow: 200000,\n          maxTokens: 8192,\n          input: ['text'],\n        }},\n"
        );
        debug_assert!(written.is_ok(), "text has room");
    }
    format!(
        "{{\n  gateway: {{ auth: {{ mode: 'token', token: 'a-token-of-the-owner' }} }},\n  models: {{\n    providers: {{\n      big: {{\n        baseUrl: 'http://127.0.0.1:1/v1',\n        api: 'openai-completions',\n        apiKey: 'key',\n        models: [\n{models}        ],\n      }},\n    }},\n  }},\n}}\n"
    )
}
