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
/// The same for a text nobody writes but to do harm.
const HOSTILE_LIMIT: f64 = 50.0;
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
        ("an answer", answer.as_str(), false),
        ("words", &words, false),
        ("emoji", &"👩‍👩‍👧 ".repeat(BYTES / 19), false),
        ("one word", &"a".repeat(BYTES), true),
        ("stars", &"*a ".repeat(BYTES / 3), true),
        ("brackets", &"[".repeat(BYTES), true),
        ("deep quotes", &">".repeat(BYTES), true),
    ];
    let dialects = [
        ("HTML, 4,000", Dialect::Html, 4_000),
        ("Markdown, 2,000", Dialect::Markdown, 2_000),
        ("IRC, 350", Dialect::IrcCodes, 350),
    ];
    let mut rows = Vec::new();
    let (mut slowest, mut slowest_hostile) = (0.0_f64, 0.0_f64);
    for (name, text, is_hostile) in texts {
        let times = dialects.map(|(_, dialect, limit)| measure(text, dialect, limit));
        let worst = if is_hostile { &mut slowest_hostile } else { &mut slowest };
        *worst = times.into_iter().fold(*worst, f64::max);
        rows.push(json!([name, times]));
    }
    let tables = [json!({
        "title": "Writing and cutting an answer of 100 kB",
        "note": "Milliseconds, for both forms of every message. The best of twenty rounds.",
        "columns": dialects.map(|(name, ..)| name),
        "rows": rows,
    })];
    let promises = [
        json!({"what": "writing and cutting an answer of 100 kB, slowest case", "value": slowest, "unit": "ms",
            "atMost": LIMIT}),
        json!({"what": "writing and cutting 100 kB meant to do harm, slowest case", "value": slowest_hostile,
            "unit": "ms", "atMost": HOSTILE_LIMIT}),
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
