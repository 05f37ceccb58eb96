//! Jobs as other versions kept them.

use serde_json::{Value, json};

use super::read_job;

#[test]
fn jobs_are_read_in_todays_words_and_in_earlier_ones() {
    let kept = json!({
        "id": "a", "name": "daily", "enabled": true, "createdAtMs": 1, "updatedAtMs": 2,
        "schedule": {"kind": "cron", "expr": "0 9 * * *", "tz": "Europe/Paris"}, "sessionTarget": "isolated",
        "wakeMode": "next-heartbeat", "payload": {"kind": "agentTurn", "message": "m"},
        "delivery": {"mode": "none"}, "state": {"nextRunAtMs": 3, "lastStatus": "ok"},
    });
    let spec = serde_json::to_value(read_job(kept).unwrap()).unwrap();
    assert_eq!((&spec["name"], &spec["delivery"]["mode"]), (&json!("daily"), &json!("none")));
    let earlier = json!({
        "name": "once", "schedule": {"kind": "at", "atMs": 1_794_816_000_000_i64}, "sessionTarget": "isolated",
        "payload": {"kind": "agentTurn", "message": "m", "deliver": true, "channel": "last", "to": "x",
            "bestEffortDeliver": true},
    });
    let spec = serde_json::to_value(read_job(earlier).unwrap()).unwrap();
    assert_eq!(spec["schedule"], json!({"kind": "at", "at": "2026-11-16T08:00:00Z"}));
    assert_eq!(spec["payload"], json!({"kind": "agentTurn", "message": "m"}));
    assert_eq!(spec["wakeMode"], "now");
    assert_eq!(
        spec["delivery"],
        json!({"mode": "announce", "channel": "last", "to": "x", "bestEffort": true})
    );
    for odd in [Value::Null, json!([]), json!({}), json!({"name": 3})] {
        assert!(read_job(odd).is_err());
    }
}
