//! How fast marks are taken out of what a model says, for `cargo xtask bench`: one JSON document on standard
//! output.

use std::hint::black_box;
use std::io::Write as _;
use std::time::Instant;

use homard_agent::{Piece, TagFilter};
use serde_json::json;

/// Text that is filtered, in bytes.
const BYTES: usize = 16_000_000;
/// How often it is measured; the best counts, because the machine is shared.
const ROUNDS: usize = 5;
/// Most time a megabyte may take, in milliseconds: 200 MB/s.
const LIMIT: f64 = 5.0;
/// A paragraph like those models write, with code, a link and a list.
const PARAGRAPH: &str = "The gateway keeps every message before it answers, so nothing is lost when the power \
goes. Run `homard status` to see it, or read [the manual](https://example.org/manual).\n\n- first, it writes\n\
- then it answers\n\n```rust\nlet answer: Vec<u8> = keep(message)?;\n```\n\n";

fn main() -> std::io::Result<()> {
    let text = PARAGRAPH.repeat(BYTES / PARAGRAPH.len());
    let thinking = format!("<think>{text}</think>{text}");
    let cases = [
        ("text in pieces of 4 kB", measure(&text, 4_096)),
        ("text in pieces of 64 B", measure(&text, 64)),
        ("reasoning and text in pieces of 4 kB", measure(&thinking, 4_096)),
    ];
    let rows: Vec<_> = cases.iter().map(|(what, ms)| json!([what, [1_000.0 / ms, ms]])).collect();
    let tables = [json!({
        "title": "Taking marks out of what the model says",
        "note": "Reasoning tags, leaked tool calls and wishes, code left alone. The best of five rounds.",
        "columns": ["MB/s", "ms per MB"],
        "rows": rows,
    })];
    let slowest = cases.iter().map(|(_, ms)| *ms).fold(0.0, f64::max);
    let promises =
        [json!({"what": "taking marks out of a megabyte, slowest case", "value": slowest, "unit": "ms",
        "atMost": LIMIT})];
    writeln!(std::io::stdout(), "{}", json!({"tables": tables, "promises": promises}))
}

/// Milliseconds per megabyte.
fn measure(text: &str, piece: usize) -> f64 {
    let mut best = f64::INFINITY;
    for _round in 0..ROUNDS {
        let begun = Instant::now();
        let mut filter = TagFilter::default();
        let mut shown = 0;
        let mut sink = |piece: Piece<'_>| {
            if let Piece::Text(text) = black_box(piece) {
                shown += text.len();
            }
        };
        let mut rest = text;
        while !rest.is_empty() {
            let (now, later) = rest.split_at_checked(piece.min(rest.len())).unwrap_or((rest, ""));
            filter.push(now, &mut sink);
            rest = later;
        }
        filter.finish(&mut sink);
        black_box(shown);
        best = best.min(begun.elapsed().as_secs_f64() * 1e3 / (text.len() as f64 / 1e6));
    }
    best
}
