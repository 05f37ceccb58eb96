//! What is told about keys that do nothing yet.

use serde_json::json;

use super::{IN_EFFECT, not_yet};

#[test]
fn keys_that_do_nothing_yet_are_told_as_shortly_as_possible() {
    let value = json!({
        "gateway": { "port": 1, "channelHealthCheckMinutes": 5 },
        "agents": { "list": [{ "id": "a", "sandbox": { "mode": "all" } }], "defaults": { "model": { "primary": "a/b" } } },
        "cron": { "enabled": true, "runLog": { "maxBytes": 1 } },
        "hooks": null,
    });
    assert_eq!(
        not_yet(&value),
        ["gateway.channelHealthCheckMinutes", "agents.list[0].sandbox", "cron.runLog"]
    );
    assert_eq!(not_yet(&json!({})), [""; 0]);
}

#[test]
fn the_table_is_alphabetical_and_names_only_known_keys() {
    assert!(IN_EFFECT.is_sorted());
    for pattern in IN_EFFECT {
        let mut schema = Some(crate::schema());
        for key in pattern.split('.') {
            schema = schema.and_then(|s| {
                if key == "*" {
                    crate::validation::schema::items(s)
                        .or_else(|| crate::validation::schema::property(s, "x"))
                } else {
                    crate::validation::schema::property(s, key)
                }
            });
        }
        assert!(schema.is_some(), "{pattern}");
    }
}
