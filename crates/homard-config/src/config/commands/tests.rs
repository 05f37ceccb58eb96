//! What people write about commands.

use std::time::Duration;

use serde_json::{Value, json};

use super::Commands;

fn decided(written: Value) -> Commands {
    Commands::resolve(&serde_json::from_value(written).unwrap())
}

#[test]
fn dangerous_commands_are_off_unless_somebody_wants_them() {
    let usual = decided(json!({}));
    assert_eq!([usual.bash, usual.config, usual.debug, usual.restart], [false; 4]);
    assert!(usual.text);
    assert_eq!(usual.bash_foreground, Duration::from_secs(2));
    let wanted = decided(json!({"bash": true, "config": true, "debug": true, "restart": true}));
    assert_eq!([wanted.bash, wanted.config, wanted.debug, wanted.restart], [true; 4]);
    assert_eq!(decided(json!({"bashForegroundMs": 99_999})).bash_foreground, Duration::from_secs(30));
}
