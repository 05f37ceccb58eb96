//! Devices: asking, approving, tokens.

use std::time::Duration;

use homard_protocol::DeviceId;

use super::NewDeviceRequest;
use crate::StoreError;
use crate::fixture::{Home, NOW};

fn request(role: &str, scopes: &[&str], public_key: &str) -> NewDeviceRequest {
    NewDeviceRequest {
        device_id: DeviceId::parse("d1").unwrap(),
        public_key: public_key.to_owned(),
        display_name: Some("phone".to_owned()),
        platform: Some("ios".to_owned()),
        device_family: None,
        client_id: None,
        client_mode: None,
        role: role.to_owned(),
        scopes: scopes.iter().map(|&scope| scope.to_owned()).collect(),
        remote_ip: None,
        browser_origin: Some("http://homard.test".to_owned()),
        silent: false,
    }
}

#[tokio::test]
async fn asking_again_refreshes_and_asking_for_more_supersedes() {
    let home = Home::new();
    let first = home.store.pending_device_request(request("operator", &["read"], "k")).await.unwrap();
    assert!(first.created && first.superseded.is_none() && !first.request.is_repair);
    home.clock.advance(Duration::from_secs(299));
    let again = home.store.pending_device_request(request("operator", &["read"], "k")).await.unwrap();
    assert_eq!((again.created, &again.request.request_id), (false, &first.request.request_id));
    let more = home.store.pending_device_request(request("operator", &["read", "write"], "k")).await.unwrap();
    assert!(more.created);
    assert_eq!(more.superseded, Some(first.request.request_id));
    assert_eq!(home.store.pending_devices().await.unwrap(), std::slice::from_ref(&more.request));
    home.clock.advance(Duration::from_secs(301));
    assert!(home.store.pending_devices().await.unwrap().is_empty());
    assert_eq!(home.store.approve_pending_device(&more.request.request_id, "owner").await.unwrap(), None);
}

#[tokio::test]
async fn approval_adds_to_what_the_same_key_was_granted() {
    let home = Home::new();
    for (role, scopes, public_key, roles, all) in [
        ("operator", &["read"][..], "k", vec!["operator"], vec!["read"]),
        ("node", &["read", "write"], "k", vec!["operator", "node"], vec!["read", "write"]),
        ("operator", &["read"], "another", vec!["operator"], vec!["read"]),
    ] {
        let asked = home.store.pending_device_request(request(role, scopes, public_key)).await.unwrap();
        let device =
            home.store.approve_pending_device(&asked.request.request_id, "owner").await.unwrap().unwrap();
        assert_eq!((device.roles.clone(), device.scopes.clone()), (own(&roles), own(&all)));
        assert_eq!(home.store.paired_device(&device.device_id).await.unwrap(), Some(device));
        assert!(home.store.pending_devices().await.unwrap().is_empty());
    }
    assert_eq!(home.store.paired_devices().await.unwrap().len(), 1);
}

fn own(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

#[tokio::test]
async fn only_the_current_token_of_a_role_opens_the_door() {
    let home = Home::new();
    let id = DeviceId::parse("d1").unwrap();
    let unpaired = home.store.issue_device_token(&id, "operator", &[], "g").await.unwrap_err();
    assert!(matches!(unpaired, StoreError::UnknownDevice(_)));
    let asked = home.store.pending_device_request(request("operator", &["read"], "k")).await.unwrap();
    home.store.approve_pending_device(&asked.request.request_id, "owner").await.unwrap();

    let first = home.store.issue_device_token(&id, "operator", &own(&["read"]), "g").await.unwrap();
    let second = home.store.issue_device_token(&id, "operator", &own(&["read"]), "g").await.unwrap();
    assert_eq!(first.len(), 43);
    let opens = async |role: &str, token: &str| {
        home.store.check_device_token(&id, role, token, "g").await.unwrap().is_some()
    };
    for (role, token, expected) in [
        ("operator", second.as_str(), true),
        ("operator", first.as_str(), false),
        ("operator", "", false),
        ("node", second.as_str(), false),
    ] {
        assert_eq!(opens(role, token).await, expected, "{role}");
    }
    let changed = home.store.check_device_token(&id, "operator", &second, "another secret").await.unwrap();
    assert_eq!(changed, None);
    let kept = home.store.device_token(&id, "operator").await.unwrap().unwrap();
    assert_eq!(kept.token, second);
    assert!(!format!("{kept:?}").contains(&second));
    home.store.touch_device(&id, "operator").await.unwrap();
    assert_eq!(home.store.device_tokens(&id).await.unwrap()[0].last_used_at, Some(NOW));
    assert_eq!(home.store.paired_device(&id).await.unwrap().unwrap().last_seen_at, Some(NOW));
    home.store.revoke_device_token(&id, "operator").await.unwrap().unwrap();
    assert!(!opens("operator", &second).await);
    assert!(home.store.remove_device(&id).await.unwrap());
    assert!(home.store.device_tokens(&id).await.unwrap().is_empty());
    assert!(!home.store.remove_device(&id).await.unwrap());
}

#[tokio::test]
async fn approval_widens_the_token_of_that_role_and_a_label_outlives_it() {
    let home = Home::new();
    let id = DeviceId::parse("d1").unwrap();
    assert!(!home.store.label_device(&id, "nobody").await.unwrap());
    let mut token = String::new();
    for scopes in [&["read"][..], &["read", "write"]] {
        let asked = home.store.pending_device_request(request("operator", scopes, "k")).await.unwrap();
        let waiting = home.store.waiting_device(&asked.request.request_id).await.unwrap().unwrap();
        assert_eq!(waiting.browser_origin.as_deref(), Some("http://homard.test"));
        home.store.approve_pending_device(&asked.request.request_id, "owner").await.unwrap().unwrap();
        if token.is_empty() {
            token = home.store.issue_device_token(&id, "operator", &own(scopes), "g").await.unwrap();
            assert!(home.store.label_device(&id, "my phone").await.unwrap());
        }
    }
    let kept = home.store.check_device_token(&id, "operator", &token, "g").await.unwrap().unwrap();
    assert_eq!(kept.scopes, own(&["read", "write"]));
    let device = home.store.paired_device(&id).await.unwrap().unwrap();
    assert_eq!(device.operator_label.as_deref(), Some("my phone"));
}
