//! Transcript lines as other software wrote them.

use proptest::prelude::{any, proptest};
use serde_json::{Value, json};

use super::{EntryKind, Line};

#[track_caller]
fn entry(value: &Value) -> EntryKind {
    let Some(Line::Entry(entry)) = Line::parse(&value.to_string()) else { panic!("not an entry: {value}") };
    assert_eq!(&serde_json::to_value(&entry).expect("writes"), value);
    entry.kind
}

#[test]
fn header_and_entries_round_trip() {
    let header =
        json!({"type":"session","version":3,"id":"s1","timestamp":"2026-02-17T00:00:00Z","cwd":"/w"});
    let Some(Line::Header(parsed)) = Line::parse(&header.to_string()) else { panic!() };
    assert_eq!(serde_json::to_value(parsed).unwrap(), header);

    let base = |kind: &str, rest: Value| {
        let mut line = json!({"id":"aaaaaaaa","parentId":null,"timestamp":"t","type":kind});
        line.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        line
    };
    assert!(matches!(
        entry(&base("message", json!({"message":{"role":"user","content":"hi","timestamp":1}}))),
        EntryKind::Message { .. }
    ));
    assert!(matches!(
        entry(&base("compaction", json!({"summary":"s","firstKeptEntryId":"b","tokensBefore":9}))),
        EntryKind::Compaction { .. }
    ));
    assert!(matches!(
        entry(&base("model_change", json!({"provider":"p","modelId":"m"}))),
        EntryKind::ModelChange { .. }
    ));
    assert!(matches!(
        entry(&base("custom", json!({"customType":"x","data":{"a":1}}))),
        EntryKind::Custom { .. }
    ));
}

#[test]
fn unknown_kinds_are_kept_and_named() {
    let kind = entry(&json!({"id":"a","parentId":"b","timestamp":"t","type":"leaf","x":1}));
    assert_eq!(kind.tag(), "leaf");
}

#[test]
fn what_is_no_line_is_none() {
    for text in ["", "{", "{}", "[]", "null", r#"{"type":"message"}"#, r#"{"type":"session","version":"x"}"#]
    {
        assert!(Line::parse(text).is_none(), "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in any::<String>()) {
        let _line = Line::parse(&text);
    }
}
