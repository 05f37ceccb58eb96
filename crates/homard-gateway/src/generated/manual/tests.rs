//! The manual is what the code says.

use std::collections::BTreeSet;

use homard_protocol::events::ALL_EVENTS;

use super::{BEGIN, END, notes, renewed, spec};

const MANUAL: &str = include_str!("../../../../../docs/protocol.md");

#[test]
fn the_manual_lists_every_method_as_it_is() {
    assert!(MANUAL.contains(BEGIN) && MANUAL.contains(END), "the manual has a place for the table");
    let current = renewed(MANUAL);
    let differs = current.lines().zip(MANUAL.lines()).find(|(now, then)| now != then);
    assert!(current == MANUAL, "run `cargo xtask protocol --write`; first difference: {differs:?}");
}

#[test]
fn the_manual_lists_every_event_and_no_other() {
    let events = MANUAL.split("## Events").nth(1).unwrap().split("\n## ").next().unwrap();
    let listed: Vec<&str> =
        events.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    assert_eq!(listed, ALL_EVENTS);
}

#[test]
fn the_protocol_has_its_methods_once_each() {
    let all: Vec<_> = spec().collect();
    let names: BTreeSet<&str> = all.iter().map(|row| row.name).collect();
    assert_eq!(names.len(), all.len());
    let tier = |tier| all.iter().filter(|row| row.tier == tier).count();
    assert_eq!((tier("A"), tier("B"), tier("C")), (68, 69, 346));
}

#[test]
fn what_people_wrote_is_kept_also_from_two_tables() {
    let old =
        "| `a` | operator.read | first |\n| `b` | x | |\n| `a` | A | operator.read | answered | later |\n";
    let kept = notes(old);
    assert_eq!(kept.get("a").map(String::as_str), Some("later"));
    assert_eq!(kept.get("b"), None);
    let manual = format!("x\n{BEGIN}\n| `agent` | any | words to keep |\n{END}\ny\n");
    let made = renewed(&manual);
    assert!(made.starts_with("x\n") && made.ends_with("\ny\n"), "{made}");
    assert!(
        made.lines().any(|line| line.starts_with("| `agent` | A |") && line.ends_with("| words to keep |"))
    );
    assert_eq!(renewed(&made), made);
    assert_eq!(renewed("no table"), "no table");
}
