//! Reading what the client printed and what the gateway logged.

use std::time::Duration;

use serde_json::json;

use super::flows::{FLOWS, json_of};
use super::stage::{reason, unknown_in};
use super::{FILE, Line, Options, REFUSED, between_markers, refused, table};
use crate::workspace::root;

fn args(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

#[test]
fn the_table_says_what_passed_and_what_was_missing() {
    let line = |name, failure: Option<&str>, unknown: &[&str]| Line {
        name,
        took: Duration::from_secs(1),
        failure: failure.map(str::to_owned),
        unknown: args(unknown),
    };
    let lines =
        [line("one", None, &[]), line("two", Some("a|b\nmore"), &["x.y", "z"]), line("three", None, &["w"])];
    let expected = "Client 1.2: 2 of 3 flows passed.\n\n| flow | result | what was missing |\n|---|---|---|\n\
        | one | passed |  |\n| two | failed | a\\|b; unknown methods: `x.y` `z` |\n\
        | three | passed | unknown methods: `w` |\n";
    assert_eq!(table(&lines, "1.2"), expected);
}

#[test]
fn options_that_make_no_sense_are_refused() {
    for wrong in [&["--only"][..], &["--only", "nobody"], &["--what"], &["--write", "--only", "health"]] {
        assert!(Options::read(&args(wrong)).is_err(), "{wrong:?}");
    }
    let options = Options::read(&args(&["--only", "health"])).unwrap();
    assert_eq!(
        FLOWS.iter().filter(|flow| options.wants(flow)).map(|flow| flow.name).collect::<Vec<_>>(),
        ["health"]
    );
}

#[test]
fn json_is_found_behind_whatever_a_command_says_first() {
    for (text, found) in [
        ("{\"a\":1}", json!({"a": 1})),
        ("warning {not json}\n{\"a\":1}\ntrailing", json!({"a": 1})),
        ("[x] done\n[1, 2]", json!([1, 2])),
    ] {
        assert_eq!(json_of(text).unwrap(), found, "{text}");
    }
    assert!(json_of("nothing").is_err());
}

#[test]
fn unknown_methods_are_read_from_the_log_once_each() {
    let log = "INFO unknown method method=b.c client=cli\nINFO other method=x\n\
        INFO unknown method method=a client=cli\nINFO unknown method method=b.c client=tui\n";
    assert_eq!(unknown_in(log), ["a", "b.c"]);
}

#[test]
fn what_is_between_the_markers_is_replaced() {
    let document = "# x\n<!-- compat:begin -->\nold\n<!-- compat:end -->\nrest\n";
    let expected = "# x\n<!-- compat:begin -->\nnew\n<!-- compat:end -->\nrest\n";
    assert_eq!(between_markers(document, "compat", "new\n").unwrap(), expected);
    assert_eq!(between_markers("no markers", "compat", "new"), None);
}

#[test]
fn the_reason_of_a_failure_is_found_in_what_the_client_prints() {
    for (text, found) in [
        ("[x] failed.\n[x] Reason: no such thing\n[x] Help: y\n", "no such thing"),
        ("{\n  \"ok\": false,\n  \"message\": \"unknown method: a\",\n}\n", "unknown method: a"),
        ("warning\nplain words\n\n", "plain words"),
        ("", ""),
    ] {
        assert_eq!(reason(text), found, "{text}");
    }
}

#[test]
fn what_is_refused_is_listed_once_with_who_asked_and_why() {
    let line = |name, unknown: &[&str]| Line {
        name,
        took: Duration::from_secs(1),
        failure: None,
        unknown: args(unknown),
    };
    let lines =
        [line("one", &["worktrees.gc", "moon.phase"]), line("two", &["worktrees.gc"]), line("three", &[])];
    let told = refused::table(&refused::record(&lines));
    let expected = "| method | asked for by | why it is not answered |\n|---|---|---|\n\
        | `moon.phase` | one | not judged yet |\n\
        | `worktrees.gc` | one, two | working copies are not looked after |\n";
    assert_eq!(told, expected);
}

#[test]
fn the_manual_lists_what_the_flows_asked_for_and_nobody_answers() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let (record, manual) = (read(refused::RECORD), read(FILE));
    assert_eq!(between_markers(&manual, REFUSED, &refused::table(&record)), Some(manual.clone()));
    let known = read("docs/protocol.md");
    let methods = record.lines().filter(|line| !line.starts_with('#')).flat_map(|line| line.split(' '));
    for method in methods.filter(|word| word.contains('.')) {
        assert!(!known.contains(&format!("| `{method}` |")), "{method} is answered by now");
    }
    assert!(!record.is_empty() && FLOWS.iter().any(|flow| record.contains(&format!("\n{}: ", flow.name))));
}
