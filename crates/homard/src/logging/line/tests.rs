//! Lines are read back as they were written.

use jiff::tz::TimeZone;
use serde_json::{Map, json};
use tracing::Level;

use super::{Line, LineStyle, subsystem};
use crate::logging::redact::Redactor;

fn sample() -> Line {
    let fields = json!({"port": 18789, "peer": "a b", "level": "mine"});
    let fields: Map<_, _> = fields.as_object().unwrap().clone();
    Line::new(&Level::WARN, "homard_gateway::socket::reader", "slow client".into(), fields)
        .stamped(1_700_000_000_123)
}

#[test]
fn the_file_holds_one_json_object_per_line() {
    assert_eq!(
        sample().to_json(),
        r#"{"time":"2023-11-14T22:13:20.123Z","level":"warn","subsystem":"gateway/socket","message":"slow client","port":18789,"peer":"a b","level_":"mine"}"#
    );
}

#[test]
fn a_written_line_is_read_back() {
    let mut line = sample();
    line.fields.shift_remove("level");
    assert_eq!(Line::read(&line.to_json()), line);
}

#[test]
fn a_foreign_line_is_shown_as_it_stands() {
    let utc = LineStyle::Words { zone: Some(TimeZone::UTC), color: false };
    for text in ["not json", "", "[1]", "{\"unfinished\":"] {
        assert_eq!(utc.show(&Line::read(text)), text);
    }
}

#[test]
fn looks_differ_but_say_the_same() {
    let pretty = LineStyle::Words { zone: Some(TimeZone::UTC), color: false };
    let compact = LineStyle::Words { zone: None, color: false };
    let line = sample();
    let rest = "warn  gateway/socket slow client port=18789 peer=\"a b\" level=mine";
    assert_eq!(pretty.show(&line), format!("22:13:20 {rest}"));
    assert_eq!(compact.show(&line), rest);
    assert!(LineStyle::Words { zone: None, color: true }.show(&line).contains("\x1b[33mwarn"));
}

/// A name on a chat platform, or what a server says, may be anything; and the gateway may run at a terminal.
#[test]
fn what_strangers_say_steers_no_terminal() {
    let said = "\x1b]52;c;ZXZpbA==\x07\u{9b}2J";
    let fields = json!({"nick": said, "words": format!("a {said}")});
    let line = Line::new(&Level::INFO, "x", said.into(), fields.as_object().unwrap().clone());
    let shown = LineStyle::Words { zone: None, color: false }.show(&line);
    assert!(!shown.contains(char::is_control) && shown.matches("]52;c;ZXZpbA==").count() == 3, "{shown}");
}

#[test]
fn subsystems_are_short() {
    for (target, short) in [
        ("homard_store", "store"),
        ("homard_relay::lane::run::x", "relay/lane"),
        ("homard::compose", "homard/compose"),
        ("hyper::proto::h1", "hyper/proto"),
        ("gateway", "gateway"),
    ] {
        assert_eq!(subsystem(target), short);
    }
}

#[test]
fn secrets_are_masked_in_message_and_fields() {
    let redactor = Redactor::default();
    redactor.keep_secret("hunter2hunter2");
    let fields = json!({"url": "ws://h/?x=hunter2hunter2", "token": "short"}).as_object().unwrap().clone();
    let line = Line::new(&Level::INFO, "x", "said hunter2hunter2".into(), fields).masked(&redactor);
    assert_eq!(
        line.to_json(),
        r#"{"time":null,"level":"info","subsystem":"x","message":"said ••••","url":"ws://h/?x=••••","token":"••••"}"#
    );
}
