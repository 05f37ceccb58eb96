//! Streams no honest server sends: each is read, or refused with a reason; none is believed, kept or waited for
//! without limit.

use homard_llm::wire::TABLE;
use homard_llm::{FailReason, StreamEvent};
use homard_protocol::ToolCall;

use crate::recorded::chunks::{Part, bytes};
use crate::recorded::wires::{replay, request, stream, text};

const MEBI: usize = 1024 * 1024;
/// More than any API may put into one line or frame.
const HUGE: usize = 9 * MEBI;
/// Far deeper than any document is nested, and than a stack of small frames is deep.
const DEEP: usize = 20_000;

fn calls(events: &[StreamEvent]) -> Vec<&ToolCall> {
    let mut calls = Vec::new();
    for event in events {
        if let StreamEvent::ToolCall(call) = event {
            calls.push(call);
        }
    }
    calls
}

#[test]
fn an_honest_stream_is_read_whole() {
    for wire in TABLE {
        let call = Part::Call { n: 0, id: "call_a", name: "read", arguments: r#"{"path":"a"}"# };
        let parts = [Part::Text("hello "), Part::Text("there"), call, Part::Close { tokens: 7 }];
        let events = replay(wire, &parts).unwrap();
        assert_eq!(text(&events), "hello there", "{}", wire.api);
        let [call] = calls(&events)[..] else { panic!("{}: {events:?}", wire.api) };
        assert_eq!((call.name.as_str(), call.arguments.to_string().as_str()), ("read", r#"{"path":"a"}"#));
        let usage = events.iter().rev().find_map(|event| match event {
            StreamEvent::Usage(usage) => Some((usage.input, usage.output)),
            _ => None,
        });
        assert_eq!(usage, Some((3, 7)), "{}", wire.api);
    }
}

#[test]
fn a_huge_event_is_refused() {
    for wire in TABLE {
        let end = replay(wire, &[Part::Text(&"x".repeat(HUGE))]).map(|events| events.len());
        let reason = end.map_err(|error| error.reason);
        assert_eq!(reason, Err(FailReason::Format), "{}", wire.api);
    }
}

#[test]
fn an_answer_without_end_is_refused() {
    for wire in TABLE {
        let opening = bytes(wire.api, Part::Open);
        // A mebibyte of lines that differ comes again and again: too long to be taken for a model's loop.
        let lines: String = (0..MEBI / 16).map(|n| format!("{n:015x}\n")).collect();
        let piece = bytes(wire.api, Part::Text(&lines));
        let pieces = std::iter::once(&opening[..]).chain(std::iter::repeat(&piece[..]));
        let error = wire.replay_pieces(&request(wire.api), pieces, &mut drop).unwrap_err();
        assert_eq!(error.reason, FailReason::Format, "{}: {error}", wire.api);
    }
}

#[test]
fn calls_without_end_are_refused() {
    for wire in TABLE {
        let call = |n| Part::Call { n, id: "same", name: "read", arguments: "{}" };
        let parts: Vec<Part<'_>> = (0..2_000).map(call).collect();
        let error = replay(wire, &parts).unwrap_err();
        assert_eq!(error.reason, FailReason::Format, "{}: {error}", wire.api);
    }
}

#[test]
fn characters_cut_in_the_middle_are_whole_again() {
    let said = "日本語 🦞 é";
    for wire in TABLE {
        let whole = stream(wire, &[Part::Text(said), Part::Close { tokens: 1 }]);
        let mut events = Vec::new();
        let pieces = whole.chunks(1);
        wire.replay_pieces(&request(wire.api), pieces, &mut |event| events.push(event)).unwrap();
        assert_eq!(text(&events), said, "{}", wire.api);
    }
}

#[test]
fn two_calls_never_share_an_id() {
    for wire in TABLE {
        let call = |n| Part::Call { n, id: "twin", name: "read", arguments: "{}" };
        let events = replay(wire, &[call(0), call(1), Part::Close { tokens: 1 }]).unwrap();
        let [one, two] = calls(&events)[..] else { panic!("{}: {events:?}", wire.api) };
        assert_ne!(one.id, two.id, "{}", wire.api);
    }
}

#[test]
fn arguments_that_are_no_object_become_one_that_says_so() {
    for wire in TABLE {
        for arguments in ["{\"path\": ", "[1]", "null", "\"text\"", "\u{0}", ""] {
            let call = Part::Call { n: 0, id: "a", name: "read", arguments };
            let Ok(events) = replay(wire, &[call, Part::Close { tokens: 1 }]) else { continue };
            for call in calls(&events) {
                let is_fault = homard_llm::arguments_fault(&call.arguments).is_some();
                let is_none = call.arguments.as_object().is_some_and(serde_json::Map::is_empty);
                assert!(is_fault || is_none, "{} {arguments}: {}", wire.api, call.arguments);
            }
        }
    }
}

#[test]
fn counts_that_are_no_counts_are_nothing() {
    for wire in TABLE {
        let events = replay(wire, &[Part::Text("a"), Part::Close { tokens: -5 }]).unwrap();
        let output = events.iter().rev().find_map(|event| match event {
            StreamEvent::Usage(usage) => Some(usage.output),
            _ => None,
        });
        assert_eq!(output.unwrap_or(0), 0, "{}", wire.api);
    }
}

#[test]
fn kinds_from_the_future_are_passed_over() {
    for wire in TABLE {
        for raw in
            [r#"{"type":"from.the.future","index":7,"delta":{"type":"x"}}"#, r#"{"object":"new"}"#, "{}"]
        {
            let events = replay(wire, &[Part::Raw(raw), Part::Text("a"), Part::Close { tokens: 1 }]).unwrap();
            assert_eq!(text(&events), "a", "{} {raw}", wire.api);
        }
    }
}

#[test]
fn nothing_is_said_after_the_end() {
    // One API names a reason to stop with its last words and has no end of its own.
    for wire in TABLE.iter().filter(|wire| !wire.api.starts_with("google-")) {
        let mut bytes = stream(wire, &[Part::Text("a"), Part::Close { tokens: 1 }]);
        bytes.extend(stream(wire, &[Part::Text("b"), Part::Close { tokens: 1 }]));
        let events = wire.replay(&request(wire.api), &bytes).unwrap();
        assert_eq!(text(&events), "a", "{}", wire.api);
    }
}

#[test]
fn a_hundred_thousand_events_are_as_many() {
    const EVENTS: usize = 100_000;
    for wire in TABLE {
        let opening = bytes(wire.api, Part::Open);
        // A thousand words that differ, so that they are no model's loop.
        let words = |from: usize| (from..from + 1_000).map(|n| format!("{n} "));
        let mut pieces: Vec<Vec<u8>> = vec![opening.to_vec()];
        let more = (0..EVENTS / 1_000).map(|thousand| {
            words(thousand * 1_000).flat_map(|word| bytes(wire.api, Part::Text(&word)).to_vec()).collect()
        });
        pieces.extend(more);
        let mut heard = 0;
        let pieces = pieces.iter().map(Vec::as_slice);
        let mut count = |event| heard += usize::from(matches!(event, StreamEvent::Text(_)));
        wire.replay_pieces(&request(wire.api), pieces, &mut count).unwrap();
        assert_eq!(heard, EVENTS, "{}", wire.api);
    }
}

#[test]
fn deep_documents_do_not_reach_the_bottom_of_the_stack() {
    let deep = [("[", "]"), ("{\"a\":", "}")].map(|(open, close)| {
        let middle = if open == "[" { "" } else { "1" };
        format!("{}{middle}{}", open.repeat(DEEP), close.repeat(DEEP))
    });
    for wire in TABLE {
        for deep in &deep {
            for field in ["x", "delta", "choices", "message", "item", "candidates", "error", "usage"] {
                drop(replay(wire, &[Part::Raw(&format!("{{\"type\":\"error\",\"{field}\":{deep}}}"))]));
            }
            drop(replay(wire, &[Part::Call { n: 0, id: "a", name: "read", arguments: deep }]));
        }
    }
}

#[test]
fn nothing_but_noughts_is_refused_or_passed_over() {
    for wire in TABLE {
        let events = replay(wire, &[Part::Text("a\u{0}b"), Part::Close { tokens: 1 }]).unwrap();
        assert_eq!(text(&events), "a\u{0}b", "{}", wire.api);
        drop(wire.replay(&request(wire.api), &[0; 4_096]));
        let mut bytes = stream(wire, &[Part::Text("a")]);
        bytes.extend([0; 64]);
        drop(wire.replay(&request(wire.api), &bytes));
    }
}
