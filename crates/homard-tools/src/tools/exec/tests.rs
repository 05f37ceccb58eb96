//! What the model may ask of a command and how the result is worded.

use std::time::Duration;

use homard_protocol::Word;

use super::permission::check_place;
use super::plain_text::plain_text;
use super::{ExecInput, check, timeout};

#[test]
fn wishes_that_cannot_be_met_are_answered_not_ignored() {
    let rows = [
        (r#"{"command":"ls"}"#, None),
        (r#"{"command":"ls","background":false,"host":"gateway","ask":"off","yieldMs":5}"#, None),
        (r#"{"command":"ls","background":true}"#, None),
        (r#"{"command":"ls","pty":true,"elevated":true,"ask":"always"}"#, None),
        (r#"{"command":"ls","host":"node"}"#, None),
        (r#"{"command":"ls","host":"sandbox"}"#, Some("sandbox")),
        (r#"{"command":"ls","host":"moon"}"#, Some("host")),
        (r#"{"command":"ls","node":"phone"}"#, None),
        (r#"{"command":"  "}"#, Some("empty")),
    ];
    for (json, expected) in rows {
        let input: ExecInput = serde_json::from_str(json).unwrap();
        let placed = check_place(&input, &homard_exec::approvals::ExecRules::default());
        let complaint = placed.err().map(|error| error.to_string());
        let complaint = complaint.or_else(|| check(&input).err().map(|error| error.to_string()));
        match (complaint, expected) {
            (None, None) => {}
            (Some(complaint), Some(word)) => assert!(complaint.contains(word), "{json}: {complaint}"),
            (complaint, expected) => panic!("{json}: {complaint:?}, expected {expected:?}"),
        }
    }
}

#[test]
fn what_the_owner_chose_is_where_commands_run() {
    use super::permission::ExecPlace::{Here, Node};
    for (chosen, wish, expected) in [
        (None, r#"{"command":"ls"}"#, Some(Here)),
        (Some("auto"), r#"{"command":"ls","host":"node"}"#, Some(Node)),
        (None, r#"{"command":"ls","node":"shed"}"#, Some(Node)),
        (Some("node"), r#"{"command":"ls"}"#, Some(Node)),
        (Some("node"), r#"{"command":"ls","host":"gateway"}"#, None),
        (Some("gateway"), r#"{"command":"ls","host":"node"}"#, None),
        (Some("gateway"), r#"{"command":"ls","node":"shed"}"#, None),
        (Some("sandbox"), r#"{"command":"ls"}"#, None),
    ] {
        let input: ExecInput = serde_json::from_str(wish).unwrap();
        let rules = homard_exec::approvals::ExecRules {
            host: chosen.map(Word::of),
            ..homard_exec::approvals::ExecRules::default()
        };
        assert_eq!(check_place(&input, &rules).ok(), expected, "{chosen:?} {wish}");
    }
}

#[test]
fn only_sensible_times_are_taken() {
    let default = Duration::from_secs(1800);
    let rows = [
        (None, Some(default)),
        (Some(1.5), Some(Duration::from_millis(1500))),
        (Some(0.0), None),
        (Some(-1.0), None),
        (Some(f64::NAN), None),
        (Some(f64::INFINITY), None),
        (Some(1e12), None),
    ];
    for (asked, expected) in rows {
        assert_eq!(timeout(asked, default).ok(), expected, "{asked:?}");
    }
}

#[test]
fn terminal_sequences_do_not_reach_the_model() {
    let rows = [
        ("plain\n\ttext", "plain\n\ttext"),
        ("\u{1b}[31mred\u{1b}[0m", "red"),
        ("\u{1b}]0;title\u{7}after", "after"),
        ("\u{1b}]8;;http://x\u{1b}\\link", "link"),
        ("10%\r20%\r\ndone", "10%\n20%\ndone"),
        ("a\u{0}b\u{8}c", "abc"),
        ("cut \u{1b}[", "cut "),
        ("broken \u{1b}[12\nnext", "broken \nnext"),
    ];
    for (raw, expected) in rows {
        assert_eq!(plain_text(raw), expected, "{raw:?}");
    }
}
