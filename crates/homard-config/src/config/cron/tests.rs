//! What is decided about jobs.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Cron, FailureAlert, Resolve};
use crate::env::Environment;
use crate::paths::Paths;

fn decided(written: Value, env: &Environment) -> (Cron, usize) {
    let paths = Paths::under(std::path::Path::new("home"));
    let mut cx = Resolve::new(&paths, env);
    let cron = Cron::resolve(serde_json::from_value(written).unwrap(), &mut cx);
    (cron, cx.issues.len())
}

#[test]
fn jobs_run_one_at_a_time_unless_somebody_says_otherwise() {
    let none = Environment::default();
    let (cron, issues) = decided(json!({}), &none);
    assert!(cron.enabled && !cron.skip_missed && cron.failure_alert.is_none() && issues == 0);
    assert_eq!((cron.max_concurrent, cron.session_retention), (1, Some(Duration::from_secs(86_400))));
    let (cron, _) = decided(json!({"maxConcurrentRuns": 3, "sessionRetention": false}), &none);
    assert_eq!((cron.max_concurrent, cron.session_retention), (3, None));
    let skip = Environment::from_pairs([("HOMARD_SKIP_CRON".to_owned(), "1".to_owned())]);
    assert!(!decided(json!({"enabled": true}), &skip).0.enabled);
}

#[test]
fn retention_is_a_time_or_false() {
    let none = Environment::default();
    for (written, seconds, wrong) in
        [(json!("2h"), 7_200, 0), (json!("soon"), 86_400, 1), (json!(5), 86_400, 1)]
    {
        let (cron, issues) = decided(json!({"sessionRetention": written}), &none);
        assert_eq!((cron.session_retention, issues), (Some(Duration::from_secs(seconds)), wrong));
    }
}

#[test]
fn alerts_are_asked_for() {
    let none = Environment::default();
    let alert = |written: Value| decided(json!({ "failureAlert": written }), &none).0.failure_alert;
    assert_eq!(alert(json!({"after": 2})), None);
    assert_eq!(alert(json!({"enabled": true})), Some(FailureAlert::default()));
    let rare = FailureAlert { after: 2, cooldown: Duration::from_millis(5) };
    assert_eq!(alert(json!({"enabled": true, "after": 2, "cooldownMs": 5})), Some(rare));
}
