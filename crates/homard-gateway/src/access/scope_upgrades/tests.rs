//! Only who asked hears, also late, but not forever.

use std::time::{Duration, Instant};

use homard_protocol::DeviceId;
use homard_protocol::events::PairDecision;

use super::{MAX_REMEMBERED, ScopeUpgrades};

fn device(name: &str) -> DeviceId {
    DeviceId::parse(name).unwrap()
}

#[test]
fn only_the_device_that_asked_hears_the_decision_even_late() {
    let (upgrades, now) = (ScopeUpgrades::default(), Instant::now());
    upgrades.asked("r", &device("d1"), now);
    upgrades.decided("other", PairDecision::Rejected);
    assert!(upgrades.decision("r", &device("d2")).is_none());
    assert!(upgrades.decision("other", &device("d1")).is_none());
    assert_eq!(*upgrades.decision("r", &device("d1")).unwrap().borrow(), None);
    upgrades.decided("r", PairDecision::Approved);
    assert_eq!(*upgrades.decision("r", &device("d1")).unwrap().borrow(), Some(PairDecision::Approved));
}

#[test]
fn what_is_old_or_too_much_is_forgotten() {
    let (upgrades, now) = (ScopeUpgrades::default(), Instant::now());
    upgrades.asked("old", &device("d1"), now);
    let later = now + Duration::from_secs(16 * 60);
    for number in 0..=MAX_REMEMBERED {
        let at = later + Duration::from_millis(u64::try_from(number).unwrap());
        upgrades.asked(&format!("r{number}"), &device("d1"), at);
    }
    assert!(upgrades.decision("old", &device("d1")).is_none());
    assert!(upgrades.decision("r0", &device("d1")).is_none());
    assert!(upgrades.decision("r1", &device("d1")).is_some());
}
