//! A code is worth one device, each role once, for its time.

use std::time::Duration;

use homard_protocol::{DeviceId, Role};

use super::{NewSetupCode, SetupUse};
use crate::engine::fixture::{Home, NOW};

fn code(name: &str) -> NewSetupCode {
    NewSetupCode {
        setup_id: name.to_owned(),
        token: format!("token-{name}"),
        join_code: Some(format!("join-{name}")),
        profile: Some("node".to_owned()),
        url: "ws://homard.test".to_owned(),
        expires_at: NOW + 1_000,
    }
}

fn by(device: &str, role: &str) -> SetupUse {
    SetupUse {
        device_id: DeviceId::parse(device).unwrap(),
        device_name: Some("phone".to_owned()),
        role: role.parse().unwrap(),
    }
}

#[tokio::test]
async fn the_first_device_owns_a_code_and_uses_it_once_per_role() {
    let home = Home::new();
    home.store.setup_codes().add(code("a")).await.unwrap();
    let cases = [
        ("no-such-token", "d1", "node", false),
        ("token-a", "d1", "node", true),
        ("token-a", "d1", "node", false),
        ("token-a", "d2", "operator", false),
        ("token-a", "d1", "operator", true),
    ];
    for (token, device, role, works) in cases {
        let used = home.store.setup_codes().redeem(token, by(device, role)).await.unwrap();
        assert_eq!(used.is_some(), works, "{token} {device} {role}");
    }
    let home = home.reopen().await;
    let kept = home.store.setup_codes().get("a").await.unwrap().unwrap();
    assert_eq!((kept.device_name.as_deref(), kept.completed_at), (Some("phone"), Some(NOW)));
    assert_eq!(kept.roles, [Role::Node.into(), Role::Operator.into()]);
    assert_eq!(home.store.setup_codes().by_token("token-a").await.unwrap(), Some(kept));
}

#[tokio::test]
async fn a_code_ends_with_its_time_and_is_forgotten_a_day_later() {
    let home = Home::new();
    home.store.setup_codes().add(code("a")).await.unwrap();
    home.clock.advance(Duration::from_secs(1));
    assert_eq!(home.store.setup_codes().redeem("token-a", by("d1", "node")).await.unwrap(), None);
    assert_eq!(home.store.setup_codes().take_join("join-a").await.unwrap(), None);
    home.clock.advance(Duration::from_hours(25));
    home.store.setup_codes().add(code("b")).await.unwrap();
    assert_eq!(home.store.setup_codes().get("a").await.unwrap(), None);
}

#[tokio::test]
async fn a_joining_address_works_once_and_not_after_the_code_was_used() {
    let home = Home::new();
    home.store.setup_codes().add(code("a")).await.unwrap();
    home.store.setup_codes().add(code("b")).await.unwrap();
    assert_eq!(home.store.setup_codes().take_join("join-a").await.unwrap().unwrap().token, "token-a");
    assert_eq!(home.store.setup_codes().take_join("join-a").await.unwrap(), None);
    home.store.setup_codes().redeem("token-b", by("d1", "node")).await.unwrap().unwrap();
    assert_eq!(home.store.setup_codes().take_join("join-b").await.unwrap(), None);
}
