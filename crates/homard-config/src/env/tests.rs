//! Aliases, blank values and layers.

use super::{Environment, is_protected};

type Row<'a> = (&'a [(&'a str, &'a str)], Option<&'a str>);

#[test]
fn our_own_name_wins_over_aliases_and_blank_counts_as_unset() {
    let rows: &[Row<'_>] = &[
        (&[], None),
        (&[("HOMARD_X", "h")], Some("h")),
        (&[("OPENCLAW_X", "o")], Some("o")),
        (&[("CLAWDBOT_X", "c")], Some("c")),
        (&[("CLAWDBOT_X", "c"), ("OPENCLAW_X", "o")], Some("o")),
        (&[("HOMARD_X", "h"), ("OPENCLAW_X", "o")], Some("h")),
        (&[("HOMARD_X", " "), ("OPENCLAW_X", "o")], Some("o")),
        (&[("HOMARD_X", "undefined")], None),
        (&[("HOMARD_X", "null")], None),
    ];
    for (pairs, expected) in rows {
        assert_eq!(Environment::from_pairs(pairs.iter().copied()).get("HOMARD_X"), *expected, "{pairs:?}");
    }
}

#[test]
fn a_lower_layer_never_overrides_a_higher_one_under_any_prefix() {
    let process = Environment::from_pairs([("OPENCLAW_PORT", "1"), ("A", "1"), ("BLANK", "")]);
    let merged = process.beneath([("HOMARD_PORT", "2"), ("A", "2"), ("B", "2"), ("BLANK", "2")]);
    assert_eq!(merged.get("HOMARD_PORT"), Some("1"));
    assert_eq!(merged.get("A"), Some("1"));
    assert_eq!(merged.get("B"), Some("2"));
    assert_eq!(merged.get("BLANK"), Some("2"));
}

#[test]
fn dotenv_layers_stand_beneath_the_process_and_above_each_other() {
    let work = tempfile::tempdir().unwrap();
    let state = tempfile::tempdir().unwrap();
    std::fs::write(work.path().join(".env"), "A=work\nB=work\nHOMARD_INCLUDE_ROOTS=/\n").unwrap();
    std::fs::write(state.path().join(".env"), "A=state\nB=state\nC=state\n").unwrap();
    let env = Environment::from_pairs([("A", "process")]).with_dotenv(Some(work.path()), Some(state.path()));
    assert_eq!(["A", "B", "C"].map(|n| env.get(n)), [Some("process"), Some("work"), Some("state")]);
    assert_eq!(env.get("HOMARD_INCLUDE_ROOTS"), None);
}

#[test]
fn controls_of_where_things_are_cannot_come_from_the_working_directory() {
    assert!(is_protected("OPENCLAW_STATE_DIR"));
    assert!(is_protected("HOMARD_GATEWAY_PORT"));
    assert!(is_protected("CLAWDBOT_GATEWAY_TOKEN"));
    assert!(is_protected("Homard_Gateway_Token"));
    assert!(!is_protected("OPENAI_API_KEY"));
}

#[test]
fn debug_shows_no_value() {
    assert_eq!(format!("{:?}", Environment::from_pairs([("K", "hunter2")])), "Environment(1 variables)");
}
