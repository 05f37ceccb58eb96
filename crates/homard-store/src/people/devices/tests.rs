//! Devices: asking, approving, tokens.

use std::time::Duration;

use homard_protocol::methods::devices::ApprovedVia;
use homard_protocol::{DeviceId, Role, Word};

use super::NewDeviceRequest;
use crate::StoreError;
use crate::engine::fixture::{Home, NOW};

fn request(role: &str, scopes: &[&str], public_key: &str) -> NewDeviceRequest {
    NewDeviceRequest {
        device_id: DeviceId::parse("d1").unwrap(),
        public_key: public_key.to_owned(),
        display_name: Some("phone".to_owned()),
        platform: Some("ios".to_owned()),
        device_family: None,
        client_id: None,
        client_mode: None,
        role: Word::of(role),
        scopes: scopes.iter().map(|&scope| scope.to_owned()).collect(),
        remote_ip: None,
        browser_origin: Some("http://homard.test".to_owned()),
        silent: false,
    }
}

#[tokio::test]
async fn asking_again_refreshes_and_asking_for_more_supersedes() {
    let home = Home::new();
    let first = home.store.devices().request_pairing(request("operator", &["read"], "k")).await.unwrap();
    assert!(first.created && first.superseded.is_none() && !first.request.is_repair);
    home.clock.advance(Duration::from_secs(299));
    let again = home.store.devices().request_pairing(request("operator", &["read"], "k")).await.unwrap();
    assert_eq!((again.created, &again.request.request_id), (false, &first.request.request_id));
    let more =
        home.store.devices().request_pairing(request("operator", &["read", "write"], "k")).await.unwrap();
    assert!(more.created);
    assert_eq!(more.superseded, Some(first.request.request_id));
    assert_eq!(home.store.devices().pending().await.unwrap(), std::slice::from_ref(&more.request));
    home.clock.advance(Duration::from_secs(301));
    assert!(home.store.devices().pending().await.unwrap().is_empty());
    assert_eq!(
        home.store.devices().approve(&more.request.request_id, ApprovedVia::Owner).await.unwrap(),
        None
    );
}

#[tokio::test]
async fn approval_adds_to_what_the_same_key_was_granted() {
    let home = Home::new();
    for (role, scopes, public_key, roles, all) in [
        ("operator", &["read"][..], "k", vec!["operator"], vec!["read"]),
        ("node", &["read", "write"], "k", vec!["operator", "node"], vec!["read", "write"]),
        ("operator", &["read"], "another", vec!["operator"], vec!["read"]),
    ] {
        let asked = home.store.devices().request_pairing(request(role, scopes, public_key)).await.unwrap();
        let device = home
            .store
            .devices()
            .approve(&asked.request.request_id, ApprovedVia::Owner)
            .await
            .unwrap()
            .unwrap();
        let roles: Vec<Word<Role>> = roles.into_iter().map(Word::of).collect();
        assert_eq!((device.roles.clone(), device.scopes.clone()), (roles, own(&all)));
        assert_eq!(home.store.devices().get(&device.device_id).await.unwrap(), Some(device));
        assert!(home.store.devices().pending().await.unwrap().is_empty());
    }
    assert_eq!(home.store.devices().paired().await.unwrap().len(), 1);
}

fn own(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// A store that knows the device `d1`.
async fn with_device() -> (Home, DeviceId) {
    let home = Home::new();
    let asked = home.store.devices().request_pairing(request("operator", &["read"], "k")).await.unwrap();
    home.store.devices().approve(&asked.request.request_id, ApprovedVia::Owner).await.unwrap();
    (home, DeviceId::parse("d1").unwrap())
}

/// Whether a token opens the door of an operator.
async fn opens(home: &Home, id: &DeviceId, token: &str) -> bool {
    home.store.devices().check_token(id, Role::Operator, token, "g").await.unwrap().is_some()
}

#[tokio::test]
async fn every_token_of_a_role_opens_the_door_until_they_are_rotated_or_revoked() {
    let (home, id) = with_device().await;
    let (store, read) = (&home.store, own(&["read"]));
    let stranger = DeviceId::parse("d2").unwrap();
    let unpaired = store.devices().issue_token(&stranger, Role::Operator, &[], "g").await.unwrap_err();
    assert!(matches!(unpaired, StoreError::UnknownDevice(_)));

    let first = store.devices().issue_token(&id, Role::Operator, &read, "g").await.unwrap();
    let second = store.devices().issue_token(&id, Role::Operator, &own(&["write"]), "g").await.unwrap();
    assert_eq!(first.len(), 43);
    for (role, token, generation, expected) in [
        ("operator", second.as_str(), "g", Some(own(&["write"]))),
        ("operator", first.as_str(), "g", Some(read.clone())),
        ("operator", first.as_str(), "another secret", None),
        ("operator", "", "g", None),
        ("node", second.as_str(), "g", None),
    ] {
        let held = store.devices().check_token(&id, role.parse().unwrap(), token, generation).await.unwrap();
        assert_eq!(held.map(|held| held.scopes), expected, "{role} {generation}");
    }
    let known = store.devices().tokens(&id).await.unwrap();
    assert_eq!(
        (known.len(), &known[0].scopes),
        (1, &own(&["write", "read"])),
        "clients see one of each role"
    );
    store.devices().touch(&id, Role::Operator, Some(&first)).await.unwrap();
    assert_eq!(store.devices().tokens(&id).await.unwrap()[0].last_used_at, Some(NOW));
    assert_eq!(store.devices().get(&id).await.unwrap().unwrap().last_seen_at, Some(NOW));

    let third = store.devices().rotate_token(&id, Role::Operator, &read, "g").await.unwrap();
    assert_eq!(
        (opens(&home, &id, &first).await, opens(&home, &id, &second).await, opens(&home, &id, &third).await),
        (false, false, true)
    );
    let known = store.devices().token(&id, Role::Operator).await.unwrap().unwrap();
    assert_eq!((known.scopes, known.rotated_at, known.last_used_at), (read.clone(), Some(NOW), None));
    let fourth = store.devices().issue_token(&id, Role::Operator, &read, "g").await.unwrap();
    assert_eq!(store.devices().revoke_token(&id, Role::Operator).await.unwrap(), Some(NOW));
    assert!(!opens(&home, &id, &third).await && !opens(&home, &id, &fourth).await);
    assert_eq!(store.devices().token(&id, Role::Operator).await.unwrap().unwrap().revoked_at, Some(NOW));
    let fifth = store.devices().issue_token(&id, Role::Operator, &read, "g").await.unwrap();
    assert_eq!(store.devices().token(&id, Role::Operator).await.unwrap().unwrap().revoked_at, None);
    assert!(store.devices().remove(&id).await.unwrap());
    assert!(store.devices().tokens(&id).await.unwrap().is_empty() && !opens(&home, &id, &fifth).await);
    assert!(!store.devices().remove(&id).await.unwrap());
}

#[tokio::test]
async fn of_too_many_tokens_the_one_that_was_not_used_for_longest_is_forgotten() {
    let (home, id) = with_device().await;
    let mut tokens: Vec<String> = Vec::new();
    for n in 0..10 {
        home.clock.advance(Duration::from_secs(1));
        if n == 8 {
            home.store.devices().touch(&id, Role::Operator, Some(&tokens[0])).await.unwrap();
            home.clock.advance(Duration::from_secs(1));
        }
        tokens
            .push(home.store.devices().issue_token(&id, Role::Operator, &own(&["read"]), "g").await.unwrap());
    }
    let mut good = Vec::new();
    for (n, token) in tokens.iter().enumerate() {
        if opens(&home, &id, token).await {
            good.push(n);
        }
    }
    assert_eq!(good, [0, 3, 4, 5, 6, 7, 8, 9], "the first was used, the next two were not");
    let other =
        home.store.devices().issue_token(&id, Role::Operator, &own(&["read"]), "new secret").await.unwrap();
    assert!(!opens(&home, &id, &tokens[0]).await, "tokens of another secret make room");
    assert!(
        home.store.devices().check_token(&id, Role::Operator, &other, "new secret").await.unwrap().is_some()
    );
}

#[tokio::test]
async fn no_token_can_be_read_from_the_database() {
    let (home, id) = with_device().await;
    let token = home.store.devices().issue_token(&id, Role::Operator, &own(&["read"]), "g").await.unwrap();
    home.store.close().await;
    for entry in std::fs::read_dir(home.dir.path().join("state")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            assert!(!bytes.windows(token.len()).any(|part| part == token.as_bytes()), "{}", path.display());
        }
    }
}

#[tokio::test]
async fn approval_widens_the_token_of_that_role_and_a_label_outlives_it() {
    let home = Home::new();
    let id = DeviceId::parse("d1").unwrap();
    assert!(!home.store.devices().label(&id, "nobody").await.unwrap());
    let mut token = String::new();
    for scopes in [&["read"][..], &["read", "write"]] {
        let asked = home.store.devices().request_pairing(request("operator", scopes, "k")).await.unwrap();
        let waiting = home.store.devices().pending_request(&asked.request.request_id).await.unwrap().unwrap();
        assert_eq!(waiting.asked.browser_origin.as_deref(), Some("http://homard.test"));
        home.store.devices().approve(&asked.request.request_id, ApprovedVia::Owner).await.unwrap().unwrap();
        if token.is_empty() {
            token = home.store.devices().issue_token(&id, Role::Operator, &own(scopes), "g").await.unwrap();
            assert!(home.store.devices().label(&id, "my phone").await.unwrap());
        }
    }
    let kept = home.store.devices().check_token(&id, Role::Operator, &token, "g").await.unwrap().unwrap();
    assert_eq!(kept.scopes, own(&["read", "write"]));
    let device = home.store.devices().get(&id).await.unwrap().unwrap();
    assert_eq!(device.operator_label.as_deref(), Some("my phone"));
}

#[tokio::test]
async fn devices_of_an_existing_installation_are_taken_over_once_with_their_tokens() {
    let dir = tempfile::tempdir().unwrap();
    let paired = dir.path().join("devices/paired.json");
    std::fs::create_dir_all(paired.parent().unwrap()).unwrap();
    let text = r#"{
        "d1": {"deviceId": "d1", "publicKey": "k", "displayName": "phone", "role": "operator", "roles": ["operator"],
               "scopes": ["operator.read"], "approvedAtMs": 7, "tokens": {
                 "operator": {"token": "good", "role": "operator", "scopes": ["operator.read"], "createdAtMs": 5},
                 "node": {"token": "gone", "role": "node", "scopes": [], "createdAtMs": 5, "revokedAtMs": 6}}},
        "d2": {"no": "key"}, "d3": 4}"#;
    std::fs::write(&paired, text).unwrap();
    let clock = homard_runtime::Clock::fixed(NOW);
    let store = crate::engine::fixture::open(dir.path(), &clock).unwrap();
    let devices = store.devices().paired().await.unwrap();
    assert_eq!(devices.len(), 1);
    assert_eq!(
        (devices[0].display_name.as_deref(), &devices[0].roles[..], devices[0].approved_at),
        (Some("phone"), &[Word::Known(Role::Operator)][..], 7)
    );
    store.devices().bind_tokens("now").await.unwrap();
    let id = DeviceId::parse("d1").unwrap();
    let good = store.devices().check_token(&id, Role::Operator, "good", "now").await.unwrap();
    assert_eq!(good.map(|held| held.scopes), Some(vec!["operator.read".to_owned()]));
    assert!(store.devices().check_token(&id, Role::Node, "gone", "now").await.unwrap().is_none());
    // Who was put out afterwards stays out.
    assert!(store.devices().remove(&id).await.unwrap());
    store.close().await;
    let store = crate::engine::fixture::open(dir.path(), &clock).unwrap();
    assert!(store.devices().paired().await.unwrap().is_empty());
}
