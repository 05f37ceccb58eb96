//! Facts about what people do with stored credentials, and about files that others change or break.

use std::collections::BTreeMap;

use homard_llm::{ApiKey, FailReason};
use homard_models::auth::{NewProfile, NewSecret, StoreError};
use serde_json::json;

use super::world::{NOW, World, candidate, ids, provider};

fn key(name: &str, id: Option<&str>) -> NewProfile {
    NewProfile { id: id.map(str::to_owned), ..NewProfile::key(provider("acme"), ApiKey::new(name)) }
}

#[tokio::test]
async fn what_is_added_is_there_and_can_be_removed() {
    let world = World::new().await;
    let profiles = world.profiles();
    assert_eq!(profiles.add(key("sk-1234567890abcdef", None)).await.unwrap(), "acme:default");
    let mut second = key("short", None);
    second.email = Some("pat@example.test".to_owned());
    second.metadata = BTreeMap::from([("accountId".to_owned(), "a1".to_owned())]);
    assert_eq!(profiles.add(second).await.unwrap(), "acme:pat@example.test");
    let token = NewProfile {
        secret: NewSecret::Token { token: ApiKey::new("tok"), expires: Some(NOW - 1) },
        ..key("", Some("acme:token"))
    };
    profiles.add(token).await.unwrap();
    let shown = profiles.describe().await;
    let rows: Vec<_> =
        shown.profiles.iter().map(|p| (p.id.as_str(), p.kind, p.hint.as_deref(), p.problem)).collect();
    assert_eq!(
        rows,
        [
            ("acme:default", "api_key", Some("cdef"), None),
            ("acme:pat@example.test", "api_key", None, None),
            ("acme:token", "token", None, Some("its token has expired")),
        ]
    );
    assert_eq!(profiles.providers().await.into_iter().collect::<Vec<_>>(), [provider("acme")]);
    profiles.remove("acme:default").await.unwrap();
    assert!(matches!(profiles.remove("acme:default").await, Err(StoreError::NoSuchProfile { .. })));
    assert!(matches!(profiles.add(key(" ", None)).await, Err(StoreError::Incomplete(_))));
    assert!(matches!(profiles.add(key("k", Some("a\nb"))).await, Err(StoreError::Incomplete(_))));
}

#[tokio::test]
async fn a_second_key_is_stored_beside_the_first_and_a_name_may_be_short() {
    let world = World::new().await;
    let profiles = world.profiles();
    let rows = [
        (None, "acme:default", false),
        (None, "acme:default-2", false),
        (None, "acme:default-3", false),
        (Some("work"), "acme:work", false),
        (Some("acme:work"), "acme:work", true),
    ];
    for (name, id, replaced) in rows {
        let added = profiles.add_beside(key(&format!("key for {name:?} {id}"), name)).await.unwrap();
        assert_eq!((added.id.as_str(), added.replaced), (id, replaced));
    }
    assert_eq!(profiles.describe().await.profiles.len(), 4, "nothing was lost");
    let other = profiles.add_beside(key("k", Some("openai:work"))).await;
    assert!(matches!(other, Err(StoreError::WrongProvider { .. })));
}

#[tokio::test]
async fn an_order_is_kept_checked_and_cleared() {
    let world = World::new().await;
    let (profiles, auth) = (world.profiles(), world.auth("acme"));
    for id in ["acme:a", "acme:b"] {
        profiles.add(key("k", Some(id))).await.unwrap();
    }
    let acme = provider("acme");
    profiles.set_order(&acme, vec!["acme:b".to_owned(), "acme:a".to_owned()]).await.unwrap();
    assert_eq!(ids(&profiles, &auth, None).await, ["acme:b", "acme:a"]);
    assert_eq!(profiles.order(&acme).await.unwrap(), ["acme:b", "acme:a"]);
    let wrong = profiles.set_order(&acme, vec!["acme:c".to_owned()]).await;
    assert!(matches!(wrong, Err(StoreError::NoSuchProfile { .. })));
    let wrong = profiles.set_order(&provider("other"), vec!["acme:a".to_owned()]).await;
    assert!(matches!(wrong, Err(StoreError::WrongProvider { .. })));
    profiles.clear_order(&acme).await.unwrap();
    assert_eq!(profiles.order(&acme).await, None);
    assert_eq!(ids(&profiles, &auth, None).await, ["acme:a", "acme:b"]);
}

#[tokio::test]
async fn what_is_described_tells_how_credentials_fared() {
    let world = World::new().await;
    let (profiles, auth) = (world.profiles(), world.auth("acme"));
    profiles.add(key("k", None)).await.unwrap();
    let one = candidate(&profiles, &auth, "acme:default").await;
    profiles.mark_good(&one);
    profiles.mark_failed(&one, FailReason::Billing, None);
    let shown = profiles.describe().await.profiles.remove(0);
    assert_eq!(shown.cooling_until, Some(NOW + 5 * 3_600_000));
    assert_eq!(shown.disabled_reason.as_deref(), Some("billing"));
    assert_eq!((shown.last_used, shown.errors, shown.last_good), (Some(NOW), 1, true));
}

#[tokio::test]
async fn a_change_by_hand_is_noticed() {
    let world = World::new().await;
    let (profiles, auth) = (world.profiles(), world.auth("acme"));
    assert!(ids(&profiles, &auth, None).await.is_empty());
    world.write_profiles(&json!({"acme:a": {"type": "api_key", "key": "k"}}));
    assert_eq!(ids(&profiles, &auth, None).await, ["acme:a"]);
    world.write_profiles(
        &json!({"acme:b": {"type": "api_key", "key": "k"}, "acme:c": {"type": "api_key", "key": "k"}}),
    );
    assert_eq!(ids(&profiles, &auth, None).await, ["acme:b", "acme:c"]);
    std::fs::remove_file(world.path("main")).unwrap();
    assert!(ids(&profiles, &auth, None).await.is_empty());
}

#[tokio::test]
async fn a_file_broken_while_running_is_not_replaced_and_its_last_content_stays_in_use() {
    let world = World::new().await;
    world.write_profiles(&json!({"acme:a": {"type": "api_key", "key": "k"}}));
    let (profiles, auth) = (world.profiles(), world.auth("acme"));
    let one = candidate(&profiles, &auth, "acme:a").await;
    world.write("main", "{\"profiles\": {\"acme:a\": {\"key\": \"sk-half");
    assert_eq!(ids(&profiles, &auth, None).await, ["acme:a"]);
    profiles.mark_failed(&one, FailReason::Auth, None);
    profiles.flush().await;
    let refused = profiles.add(key("k", None)).await.unwrap_err();
    assert!(matches!(refused, StoreError::Broken { .. }));
    assert!(refused.to_string().contains("line 1"), "{refused}");
    let problem = profiles.describe().await.problem.unwrap();
    assert!(!problem.contains("sk-half"), "{problem}");
    assert!(std::fs::read_to_string(world.path("main")).unwrap().ends_with("sk-half"));
    let fresh = world.profiles();
    assert!(ids(&fresh, &auth, None).await.is_empty());
    assert!(fresh.nothing_usable(&auth).await.message.contains("cannot be read"));
    let aside = fresh.set_aside().await.unwrap();
    assert!(std::fs::read_to_string(aside).unwrap().ends_with("sk-half"));
    fresh.add(key("k", None)).await.unwrap();
    assert_eq!(ids(&fresh, &auth, None).await, ["acme:default"]);
}

#[tokio::test]
async fn a_broken_file_does_not_lend_an_agent_the_credentials_of_main() {
    let world = World::new().await;
    world.write_profiles(&json!({"acme:a": {"type": "api_key", "key": "k"}}));
    world.write("work", "{broken");
    let work = world.profiles_of("work", homard_models::auth::ProfilePolicy::default());
    assert!(ids(&work, &world.auth("acme"), None).await.is_empty());
}

#[tokio::test]
async fn two_programs_do_not_lose_each_others_changes() {
    let world = World::new().await;
    let auth = world.auth("acme");
    world.write_profiles(&json!({
        "acme:a": {"type": "api_key", "key": "k"}, "acme:b": {"type": "api_key", "key": "k"}}));
    let (first, second) = (world.profiles(), world.profiles());
    let a = candidate(&first, &auth, "acme:a").await;
    let b = candidate(&second, &auth, "acme:b").await;
    first.mark_failed(&a, FailReason::Auth, None);
    second.mark_good(&b);
    let adding = (0..8).map(|n| {
        let handle = if n % 2 == 0 { first.clone() } else { second.clone() };
        async move { handle.add(key("k", Some(&format!("acme:{n}")))).await }
    });
    for added in futures_util::future::join_all(adding).await {
        added.unwrap();
    }
    tokio::join!(first.flush(), second.flush());
    let file = world.read("main");
    assert_eq!(file["profiles"].as_object().unwrap().len(), 10);
    assert_eq!(file["usageStats"]["acme:a"]["errorCount"], 1);
    assert_eq!(file["lastGood"]["acme"], "acme:b");
}
