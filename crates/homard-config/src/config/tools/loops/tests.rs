//! What is on, and that the thresholds stay in order.

use serde_json::{Value, json};

use super::LoopDetection;

fn resolved(written: Value) -> LoopDetection {
    LoopDetection::resolve(&serde_json::from_value(written).unwrap())
}

#[test]
fn detectors_are_off_until_turned_on_and_then_all_but_the_refused() {
    let on = |written: Value| {
        let detectors = resolved(written).detectors;
        [detectors.generic_repeat, detectors.known_poll_no_progress, detectors.ping_pong]
    };
    assert_eq!(on(json!({})), [false; 3]);
    assert_eq!(on(json!({"detectors": {"pingPong": true}})), [false; 3]);
    assert_eq!(on(json!({"enabled": true})), [true; 3]);
    assert_eq!(on(json!({"enabled": true, "detectors": {"pingPong": false}})), [true, true, false]);
}

#[test]
fn thresholds_follow_each_other() {
    let plain = resolved(json!({}));
    assert_eq!((plain.warning, plain.critical, plain.breaker), (10, 20, 30));
    let odd =
        resolved(json!({"warningThreshold": 40, "criticalThreshold": 1, "globalCircuitBreakerThreshold": 0}));
    assert_eq!((odd.warning, odd.critical, odd.breaker), (40, 41, 42));
}
