//! What can be asked for, and what is said about the rest.

use homard_config::{Config, Environment, Paths};
use homard_protocol::methods::cron::CronAddParams;
use serde_json::{Value, json};

use super::{Job, Target, check, complete, patched, revision};

const NOW: i64 = 1_800_000_000_000;

fn config() -> Config {
    Config::empty(&Paths::under(std::path::Path::new("home")), &Environment::default())
}

fn base() -> Value {
    json!({
        "name": "digest", "schedule": {"kind": "every", "everyMs": 3_600_000}, "sessionTarget": "isolated",
        "wakeMode": "now", "payload": {"kind": "agentTurn", "message": "sum up"},
    })
}

fn with(changes: &Value) -> Value {
    let mut job = base();
    for (name, value) in changes.as_object().unwrap() {
        job[name] = value.clone();
    }
    job
}

fn checked(job: Value) -> Result<CronAddParams, String> {
    let mut spec: CronAddParams = serde_json::from_value(job).map_err(|error| error.to_string())?;
    complete(&mut spec, NOW);
    check(&spec, &config(), NOW, true).map_err(|error| error.to_string())?;
    Ok(spec)
}

#[test]
fn what_is_left_out_is_filled_in() {
    let spec = checked(base()).unwrap();
    let wire = serde_json::to_value(&spec).unwrap();
    assert_eq!(wire["schedule"]["anchorMs"], NOW);
    assert_eq!((&wire["enabled"], &wire["delivery"]), (&json!(true), &json!({"mode": "announce"})));
    let once = with(&json!({"schedule": {"kind": "at", "at": "2027-02-01T00:00:00Z"}}));
    assert_eq!(checked(once).unwrap().delete_after_run, Some(true));
    let mut job = Job::new(spec, Vec::new(), NOW);
    job.arm(NOW, &jiff::tz::TimeZone::UTC).unwrap();
    let read = Job::read(job.to_row()).unwrap();
    assert_eq!((read.spec, read.state.next_run_at_ms), (job.spec, Some(NOW + 3_600_000)));
}

#[test]
fn what_cannot_be_done_is_refused_in_words() {
    let rows = [
        (json!({"name": "  "}), "name must have"),
        (json!({"name": "x".repeat(201)}), "name must have"),
        (json!({"payload": {"kind": "systemEvent", "text": "x"}}), "set sessionTarget to main"),
        (json!({"sessionTarget": "main"}), "set sessionTarget to isolated"),
        (json!({"sessionTarget": "elsewhere"}), "none of main"),
        (json!({"sessionTarget": "session:"}), "none of main"),
        (json!({"sessionTarget": "current"}), "needs the session"),
        (json!({"sessionTarget": "session:agent:nobody:x"}), "unknown agent id `nobody`"),
        (json!({"agentId": "nobody"}), "unknown agent id `nobody`"),
        (json!({"payload": {"kind": "agentTurn", "message": ""}}), "payload.message must have"),
        (json!({"payload": {"kind": "agentTurn", "message": "x", "timeoutSeconds": -1}}), "timeoutSeconds"),
        (json!({"payload": {"kind": "agentTurn", "message": "x", "thinking": "hard"}}), "thinking level"),
        (json!({"payload": {"kind": "agentTurn", "message": "x", "toolsAllow": ["read"]}}), "toolsAllow"),
        (json!({"payload": {"kind": "command", "argv": ["true"]}}), "not yet in effect"),
        (json!({"payload": {"kind": "script", "script": "1"}}), "not yet in effect"),
        (json!({"payload": {"kind": "heartbeat"}}), "unknown variant"),
        (json!({"schedule": {"kind": "on-exit", "command": "make"}}), "not yet in effect"),
        (json!({"schedule": {"kind": "stream", "command": ["tail"]}}), "not yet in effect"),
        (json!({"trigger": {"script": "1"}}), "trigger is known"),
        (json!({"pacing": {"min": "1h"}}), "pacing is known"),
        (json!({"delivery": {"mode": "webhook"}}), "delivery.to must be"),
        (json!({"delivery": {"mode": "webhook", "to": "ftp://x"}}), "delivery.to must be"),
        (json!({"delivery": {"mode": "announce", "failureDestination": {"to": "x"}}}), "failureDestination"),
        (json!({"failureAlert": true}), "failureAlert must be"),
        (json!({"failureAlert": {"after": 0}}), "at least 1"),
        (json!({"failureAlert": {"mode": "webhook"}}), "not yet in effect"),
        (json!({"wakeMode": "later"}), "unknown variant"),
        (json!({"surprise": 1}), "unknown field `surprise`"),
        (json!({"schedule": {"kind": "every", "everyMs": 5, "surprise": 1}}), "unknown field `surprise`"),
    ];
    for (changes, words) in rows {
        let said = checked(with(&changes)).unwrap_err();
        assert!(said.contains(words), "{changes}: {said}");
    }
}

#[test]
fn jobs_find_their_conversation() {
    let rows = [
        (json!({"sessionTarget": "isolated"}), Target::Isolated),
        (json!({"sessionTarget": "main", "payload": {"kind": "systemEvent", "text": "x"}}), Target::Main),
        (
            json!({"sessionTarget": "session:shopping"}),
            Target::Session("agent:main:shopping".parse().unwrap()),
        ),
        (
            json!({"sessionTarget": "current", "sessionKey": "agent:main:story"}),
            Target::Session("agent:main:story".parse().unwrap()),
        ),
    ];
    for (changes, expected) in rows {
        let spec = checked(with(&changes)).unwrap();
        assert_eq!(Job::new(spec, Vec::new(), NOW).target(&config()).unwrap(), expected, "{changes}");
    }
}

#[test]
fn a_patch_changes_what_it_names_and_null_clears() {
    let spec = checked(with(&json!({
        "description": "old", "payload": {"kind": "agentTurn", "message": "m", "model": "a/b"},
        "delivery": {"mode": "announce", "to": "x"},
    })))
    .unwrap();
    let change = |patch: Value| patched(&spec, patch.as_object().unwrap());
    let same = change(json!({})).unwrap();
    assert_eq!(revision(&same), revision(&spec));
    let named = serde_json::to_value(
        change(json!({
            "name": "new", "description": null, "payload": {"kind": "agentTurn", "model": null},
            "delivery": {"mode": "none"},
        }))
        .unwrap(),
    )
    .unwrap();
    assert_eq!((&named["name"], &named["description"]), (&json!("new"), &Value::Null));
    assert_eq!(named["payload"], json!({"kind": "agentTurn", "message": "m"}));
    assert_eq!(named["delivery"], json!({"mode": "none", "to": "x"}));
    let other = change(json!({"payload": {"kind": "systemEvent", "text": "t"}, "sessionTarget": "main"}));
    assert_eq!(
        serde_json::to_value(other.unwrap()).unwrap()["payload"],
        json!({"kind": "systemEvent", "text": "t"})
    );
    for (patch, words) in [
        (json!({"state": {"nextRunAtMs": 1}}), "kept by the gateway"),
        (json!({"id": "x"}), "unexpected property 'id'"),
        (json!({"schedule": {"kind": "every"}}), "everyMs"),
        (json!({"payload": {"kind": "systemEvent"}}), "text"),
        (json!({"name": null}), "name"),
    ] {
        let said = change(patch.clone()).unwrap_err().to_string();
        assert!(said.contains(words), "{patch}: {said}");
    }
}
