//! What people write about commands.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Auto, Commands};

fn decided(written: Value) -> Commands {
    Commands::resolve(serde_json::from_value(written).unwrap())
}

#[test]
fn dangerous_commands_are_off_unless_somebody_wants_them() {
    let usual = decided(json!({}));
    assert_eq!([usual.bash, usual.config, usual.debug, usual.restart], [false; 4]);
    assert_eq!([usual.text, usual.use_access_groups], [true; 2]);
    assert_eq!(usual.bash_foreground, Duration::from_secs(2));
    let wanted = decided(json!({"bash": true, "config": true, "debug": true, "restart": true}));
    assert_eq!([wanted.bash, wanted.config, wanted.debug, wanted.restart], [true; 4]);
    assert_eq!(decided(json!({"bashForegroundMs": 99_999})).bash_foreground, Duration::from_secs(30));
}

#[test]
fn a_list_for_a_platform_wins_over_the_one_for_all_and_a_missing_one_allows_nobody() {
    let rows: [(Value, &str, Option<&[&str]>); 6] = [
        (json!({}), "irc", None),
        (json!({"allowFrom": {}}), "irc", Some(&[])),
        (json!({"allowFrom": {"irc": ["ada", 7, " "]}}), "irc", Some(&["ada", "7"])),
        (json!({"allowFrom": {"irc": ["ada"]}}), "telegram", Some(&[])),
        (json!({"allowFrom": {"IRC": ["ada"], "*": ["bob"]}}), "irc", Some(&["ada"])),
        (json!({"allowFrom": {"irc": ["ada"], "*": ["bob"]}}), "telegram", Some(&["bob"])),
    ];
    for (written, channel, expected) in rows {
        let commands = decided(written.clone());
        let found: Option<Vec<&str>> =
            commands.allow_from(channel).map(|list| list.iter().map(String::as_str).collect());
        assert_eq!(found.as_deref(), expected, "{written} {channel}");
    }
}

#[test]
fn menus_are_on_off_or_as_the_platform_is_made() {
    for (value, usual, expected) in [
        (Some(json!(true)), false, true),
        (Some(json!(false)), true, false),
        (Some(json!("auto")), true, true),
        (None, false, false),
    ] {
        assert_eq!(Auto::read(value.as_ref()).or(usual), expected, "{value:?}");
    }
}
