//! How fast long answers are written and cut, for `cargo xtask bench`: one JSON document on standard output.

use std::hint::black_box;
use std::io::Write as _;
use std::time::Instant;

use homard_channel::{ChunkMode, Dialect, Shape, TableMode, TextUnit, shape_text};
use serde_json::json;

/// The length of an answer, in bytes.
const BYTES: usize = 100_000;
/// How often it is measured; the best counts, because the machine is shared.
const ROUNDS: usize = 20;
/// Most time an answer may take, in milliseconds.
const LIMIT: f64 = 5.0;
/// A piece like those models write, with code, a link, a list, a quote and a table.
const PIECE: &str = "## What happens\n\nThe gateway keeps **every message** before it answers, so _nothing_ is lost \
when the power goes (see `homard status`, or read [the manual](https://example.org/manual)).\n\n- first, it \
writes\n- then it answers\n  1. once\n  2. and never twice\n\n> Nothing is *ever* lost.\n\n```rust\nlet answer: \
Vec<u8> = keep(message)?;\nsend(answer).await?;\n```\n\n| step | time |\n|---|---|\n| keep | 1 ms |\n| send | 2 ms \
|\n\n";

fn main() -> std::io::Result<()> {
    let answer = PIECE.repeat(BYTES / PIECE.len());
    let words = "word ".repeat(BYTES / 5);
    let texts = [
        ("an answer", answer.as_str()),
        ("words", words.as_str()),
        ("one word", &"a".repeat(BYTES)),
        ("deep quotes", &">".repeat(BYTES)),
        ("brackets", &"[".repeat(BYTES)),
        ("stars", &"*a ".repeat(BYTES / 3)),
        ("emoji", &"👩‍👩‍👧 ".repeat(BYTES / 19)),
    ];
    let dialects = [
        ("HTML, 4,000", Dialect::Html, 4_000),
        ("IRC, 350", Dialect::IrcCodes, 350),
        ("Markdown, 2,000", Dialect::Markdown, 2_000),
    ];
    let mut rows = Vec::new();
    let mut slowest = 0.0_f64;
    for (text_name, text) in texts {
        let times = dialects.map(|(_, dialect, limit)| measure(text, dialect, limit));
        slowest = times.into_iter().fold(slowest, f64::max);
        rows.push(json!([text_name, times]));
    }
    let tables = [json!({
        "title": "Writing and cutting an answer of 100 kB",
        "note": "Milliseconds, for both forms of every message. The best of twenty rounds.",
        "columns": dialects.map(|(name, ..)| name),
        "rows": rows,
    })];
    let promises = [
        json!({"what": "writing and cutting 100 kB, slowest case", "value": slowest, "unit": "ms", "atMost": LIMIT}),
    ];
    writeln!(std::io::stdout(), "{}", json!({"tables": tables, "promises": promises}))
}

/// Milliseconds for one text.
fn measure(text: &str, dialect: Dialect, limit: usize) -> f64 {
    let unit = if dialect == Dialect::IrcCodes { TextUnit::Bytes } else { TextUnit::Utf16 };
    let shape = Shape { dialect, tables: TableMode::Code, limit, unit, mode: ChunkMode::Length };
    let mut best = f64::INFINITY;
    for _round in 0..ROUNDS {
        let begun = Instant::now();
        black_box(shape_text(black_box(text), shape));
        best = best.min(begun.elapsed().as_secs_f64() * 1_000.0);
    }
    best
}
