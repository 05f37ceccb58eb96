//! What is said about keys that do nothing yet, and where it comes from.

use serde_json::{Map, Value, json};

use super::laid_over::{KNOWN_KEYS, lay_over};
use super::{places, without};
use crate::validation::schema::{alternatives, schema};

fn told(config: &Value) -> Vec<String> {
    places(config).iter().map(ToString::to_string).collect()
}

#[test]
fn keys_that_do_nothing_yet_are_told_as_shortly_as_possible() {
    let value = json!({
        "gateway": { "port": 1 },
        "agents": { "list": [{ "id": "a", "humanDelay": { "mode": "off" } }],
            "defaults": { "model": { "primary": "a/b" }, "memorySearch": { "model": "m", "cache": {} } } },
        "cron": { "enabled": true, "runLog": { "maxBytes": 1 } },
        "ui": {},
    });
    let expected = ["agents.list[0].humanDelay", "agents.defaults.memorySearch.cache", "cron.runLog", "ui"];
    assert_eq!(told(&value), expected);
    assert_eq!(told(&json!({})), [""; 0]);
}

#[test]
fn a_type_may_be_read_at_one_place_and_not_at_another() {
    let exec = json!({ "security": "full", "backgroundMs": 1 });
    let value = json!({
        "tools": { "exec": exec, "web": { "search": {
            "brave": { "apiKey": "k", "model": "m" }, "perplexity": { "model": "m" } } } },
        "agents": { "list": [{ "id": "a", "tools": { "exec": exec } }], "entries": { "b.c": { "tools": { "exec": exec } } } },
        "memory": { "search": { "model": "m", "remote": { "batch": {} } }, "backend": "builtin" },
    });
    let expected = [
        "tools.web.search.brave.model",
        "agents.list[0].tools.exec.backgroundMs",
        "agents.entries[\"b.c\"].tools.exec.backgroundMs",
        "memory.search.remote.batch",
        "memory.backend",
    ];
    assert_eq!(told(&value), expected);
}

#[test]
fn what_does_nothing_is_taken_out_and_the_rest_stays() {
    let value = json!({
        "ui": null, "gateway": { "port": 1 },
        "agents": { "list": [{ "id": "a", "sandbox": { "mode": "all", "docker": {} } }] },
    });
    let rest = json!({ "gateway": { "port": 1 }, "agents": { "list": [{ "id": "a", "sandbox": { "mode": "all" } }] } });
    assert_eq!(without(&value, &places(&value)), rest);
}

/// In both directions: what a list kept by hand once called wrongly.
#[test]
fn what_works_is_not_told_and_what_does_not_is() {
    let works = json!({
        "commands": { "bash": true, "bashForegroundMs": 1, "config": true, "debug": true, "restart": true,
            "native": true, "nativeSkills": "auto" },
        "agents": {
            "defaults": { "skipBootstrap": true, "envelopeElapsed": "off", "envelopeTimestamp": "on",
                "envelopeTimezone": "utc", "verboseDefault": "on", "sandbox": { "mode": "all", "workspaceAccess": "ro" } },
            "list": [{ "id": "a", "agentDir": "/a", "sandbox": { "mode": "off" } }],
        },
        "bindings": [{ "comment": "mine" }], "broadcast": { "strategy": "parallel", "#ops": ["main"] }, "env": { "NAME": "x" }, "talk": { "voiceId": "v" },
    });
    assert_eq!(told(&works), [""; 0]);
    let does_not = [
        ("agents", json!({ "defaults": { "timeFormat": "24", "elevatedDefault": "on" } }), 2),
        ("agents", json!({ "ownership": "x" }), 1),
        ("web", json!({ "reconnect": { "maxMs": 1 } }), 1),
    ];
    for (section, value, count) in does_not {
        assert_eq!(told(&json!({ section: value })).len(), count, "{section}: {value}");
    }
}

#[test]
fn a_known_key_that_gets_a_field_is_in_effect_at_once() {
    let known: Map<String, Value> = serde_json::from_value(json!({
        "properties": { "old": {}, "new": { "type": "string" } }, "$defs": { "B": { "type": "object" } },
    }))
    .unwrap();
    let own = json!({ "properties": { "old": { "type": "integer" } }, "$defs": { "A": {} } });
    let expected = json!({
        "properties": { "old": { "type": "integer" }, "new": { "type": "string", "x-inert": true } },
        "$defs": { "A": {}, "B": { "type": "object" } },
    });
    assert_eq!(lay_over(own, known), expected);
}

#[test]
fn the_data_file_names_only_keys_without_a_field() {
    let known: Value = serde_json::from_str(KNOWN_KEYS).unwrap();
    let own = schemars::schema_for!(crate::raw::Raw).to_value();
    let clashes = |known: &Value, own: &Value| -> Vec<String> {
        let keys = known["properties"].as_object().into_iter().flatten();
        let plain = keys.filter(|(_, known)| known.get("description").is_some());
        plain.filter(|(key, _)| own["properties"].get(key).is_some()).map(|(key, _)| key.clone()).collect()
    };
    assert_eq!(clashes(&known, &own), [""; 0], "take them out of known_keys.json: they have a field");
    for (name, definition) in known["$defs"].as_object().unwrap() {
        assert_eq!(clashes(definition, &own["$defs"][name]), [""; 0], "{name}: they have a field");
    }
    let mut counted = (0, 0);
    count(schema(), false, &mut counted);
    assert_eq!(counted, (1184, 531), "keys in effect and keys that are only known, by place");
}

fn count(at: &'static Value, is_inert: bool, counted: &mut (usize, usize)) {
    for option in alternatives(at) {
        let named = option.get("properties").and_then(Value::as_object).into_iter().flatten();
        for (key, schema) in named {
            let here = at.get("properties").and_then(|marks| marks.get(key)).unwrap_or(schema);
            let is_inert = is_inert || super::is_marked(schema) || super::is_marked(here);
            *(if is_inert { &mut counted.1 } else { &mut counted.0 }) += 1;
            count(schema, is_inert, counted);
        }
        let unnamed = [option.get("additionalProperties"), option.get("items")];
        unnamed.into_iter().flatten().filter(|s| s.is_object()).for_each(|s| count(s, is_inert, counted));
    }
}
