//! What is missed is told, with the place.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::{keys, rows, unread, untold};
use crate::tidy::clone::SourceFile;

fn file(path: &str, text: &str) -> SourceFile {
    SourceFile { path: path.to_owned(), text: text.to_owned() }
}

#[test]
fn a_decided_value_nobody_reads_is_told_with_its_place() {
    let decided =
        "pub struct Cron {\n    pub enabled: bool,\n    pub forgotten: bool,\n    pub(crate) own: bool,\n}\n";
    let files = [
        file("crates/homard-config/src/config/cron.rs", decided),
        file("crates/homard-config/src/load.rs", "fn f(c: Cron) { c.forgotten; }\n"),
        file("crates/homard-automation/src/timer.rs", "fn f(c: &Cron) -> bool { c.enabled }\n"),
        file("crates/homard-automation/src/timer/tests.rs", "fn f(c: &Cron) -> bool { c.forgotten }\n"),
    ];
    let told: Vec<String> = unread(&files).iter().map(|finding| finding.place.clone()).collect();
    assert_eq!(told, ["crates/homard-config/src/config/cron.rs:3"]);
}

#[test]
fn keys_in_effect_are_those_that_hold_something() {
    let schema = json!({
        "properties": {
            "cron": {"anyOf": [{"$ref": "#/$defs/Cron"}, {"type": "null"}]},
            "agents": {"type": "array", "items": {"$ref": "#/$defs/Agent"}},
            "ui": {"x-inert": true, "anyOf": [{"$ref": "#/$defs/Ui"}]},
        },
        "$defs": {
            "Cron": {"properties": {"enabled": {"type": "boolean"}, "old": {"x-inert": true}}},
            "Agent": {"properties": {"model": {"anyOf": [{"$ref": "#/$defs/Choice"}]}, "level": {"$ref": "#/$defs/Level"}}},
            "Choice": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/Chain"}]},
            "Chain": {"properties": {"primary": {}}},
            "Level": {"enum": ["low"]},
            "Ui": {"properties": {"colour": {}}},
        },
    });
    let found: Vec<String> = keys(&schema).into_iter().collect();
    assert_eq!(found, ["Agent.level", "Agent.model", "Chain.primary", "Cron.enabled"]);
}

#[test]
fn a_key_without_a_test_a_row_without_a_key_and_a_test_that_is_gone_are_told() {
    let keys = BTreeSet::from(["A.one", "A.two", "A.three"].map(str::to_owned));
    let tests = BTreeSet::from(["it_works"]);
    let told = |table: &str, most: usize| -> Vec<String> {
        let rows: BTreeMap<&str, &str> = rows(table);
        let findings = untold(&keys, &rows, &tests, most);
        findings
            .into_iter()
            .map(|finding| finding.what.split(':').next().unwrap_or_default().to_owned())
            .collect()
    };
    assert_eq!(told("# words\nA.one it_works\nA.two it_works\nA.three -\n", 1), [""; 0]);
    let expected =
        ["`A.two` is missing", "`A.four` is no key in effect", "`A.one` names `gone`, which is no test"];
    assert_eq!(told("A.one gone\nA.three -\nA.four it_works\n", 1), expected);
    assert_eq!(
        told("A.one it_works\nA.two it_works\nA.three it_works\n", 1).len(),
        1,
        "the number goes down"
    );
}
