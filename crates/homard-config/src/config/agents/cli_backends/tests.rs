//! What owners write about programs, and how long those may be silent.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::{CliBackend, CliInput, CliOutput, CliSessionMode, CliSilence, resolve};
use crate::config::Resolve;
use crate::env::Environment;
use crate::paths::Paths;
use crate::raw::turns as raw;

/// The one backend as it was read, and what was said about it.
fn read(written: &Value) -> (CliBackend, Vec<String>) {
    let (paths, env) = (Paths::under(Path::new("/home/ada")), Environment::default());
    let mut cx = Resolve::new(&paths, &env);
    let raw: raw::CliBackend = serde_json::from_value(written.clone()).unwrap();
    let mut found = resolve(BTreeMap::from([("Mine".to_owned(), raw)]), &mut cx);
    let issues = cx.issues.iter().map(ToString::to_string).collect();
    (found.remove("mine").unwrap(), issues)
}

#[test]
fn words_are_read_and_secrets_hidden() {
    let (backend, issues) = read(&json!({
        "command": "~/bin/mine", "output": "jsonl", "input": "stdin", "sessionMode": "existing",
        "env": { "MY_KEY": "hunter2-hunter2" },
        "reliability": { "watchdog": { "fresh": { "minMs": 5 } } },
    }));
    assert_eq!(issues, Vec::<String>::new());
    assert_eq!(backend.command.as_deref(), Some("/home/ada/bin/mine"));
    let words = (backend.output, backend.input, backend.session_mode);
    assert_eq!(words, (Some(CliOutput::Jsonl), Some(CliInput::Stdin), Some(CliSessionMode::Existing)));
    assert_eq!(backend.watchdog.fresh.min_ms, Some(5));
    assert!(!format!("{backend:?}").contains("hunter2"));
}

#[test]
fn wrong_words_are_told_with_the_right_ones() {
    let rows = [
        (json!({ "output": "xml" }), "output", "text, json, jsonl"),
        (json!({ "sessionMode": "maybe" }), "sessionMode", "always, existing, none"),
        (json!({ "reliability": { "watchdog": { "fresh": { "max": 5 } } } }), "reliability", "maxMs"),
    ];
    for (written, place, part) in rows {
        let (_, issues) = read(&written);
        let [issue] = &issues[..] else { panic!("{issues:?}") };
        assert!(issue.contains(&format!("agents.defaults.cliBackends.Mine.{place}")), "{issue}");
        assert!(issue.contains(part), "{issue}");
    }
}

#[test]
fn silence_is_a_part_of_the_run_within_bounds() {
    let row = CliSilence {
        no_output_timeout_ms: None,
        no_output_timeout_ratio: Some(0.8),
        min_ms: Some(180_000),
        max_ms: Some(600_000),
    };
    let exactly = CliSilence { no_output_timeout_ms: Some(5_000), ..CliSilence::default() };
    let odd = CliSilence { no_output_timeout_ratio: Some(f64::NAN), min_ms: Some(9), max_ms: Some(1), ..row };
    let rows = [
        (row, 600, 480),
        (row, 200, 180),
        (row, 60, 60),
        (row, 86_400, 600),
        (exactly.over(row), 600, 5),
        (CliSilence::default().over(row), 600, 480),
        (CliSilence::default(), 600, 600),
    ];
    for (silence, run, expected) in rows {
        assert_eq!(
            silence.limit(Duration::from_secs(run)),
            Duration::from_secs(expected),
            "{silence:?} {run}"
        );
    }
    assert_eq!(odd.limit(Duration::from_secs(600)), Duration::from_millis(9));
    assert_eq!(row.limit(Duration::MAX), Duration::from_secs(600));
}
