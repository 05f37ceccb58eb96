//! Facts about the order profiles are tried in.

use homard_config::config::auth::AuthProfile;
use homard_protocol::ProviderId;
use serde_json::{Value, json};

use super::line_up;
use crate::auth::document::Document;
use crate::auth::policy::ProfilePolicy;

const NOW: i64 = 1_000_000;

fn provider() -> ProviderId {
    ProviderId::parse("a").unwrap()
}

fn store(more: &Value) -> Document {
    let mut root = json!({"profiles": {
        "a:key": {"type": "api_key", "provider": "a", "key": "k"},
        "a:old": {"type": "api_key", "provider": "a", "key": "k"},
        "a:token": {"type": "token", "provider": "a", "token": "t"},
        "a:login": {"type": "oauth", "provider": "a", "access": "x", "refresh": "y", "expires": 1},
        "b:key": {"type": "api_key", "provider": "b", "key": "k"},
        "a:gone": {"type": "token", "provider": "a", "token": "t", "expires": 5},
        "a:dead": {"type": "oauth", "provider": "a", "access": "x", "expires": 5},
    }});
    root.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Document::parse(root.to_string().as_bytes()).unwrap()
}

fn order(more: &Value, own: Option<&[&str]>, policy: &ProfilePolicy) -> Vec<String> {
    let own = own.map(|ids| ids.iter().map(|id| (*id).to_owned()).collect());
    let lineup = line_up(&store(more), own, &provider(), policy, NOW);
    lineup.usable.into_iter().map(|entry| entry.id).collect()
}

fn policy(order: &[&str], profiles: &[&str]) -> ProfilePolicy {
    let mut policy = ProfilePolicy::default();
    if !order.is_empty() {
        policy.order.insert(provider(), order.iter().map(|id| (*id).to_owned()).collect());
    }
    for id in profiles {
        let profile = AuthProfile { provider: provider() };
        policy.profiles.insert((*id).to_owned(), profile);
    }
    policy
}

#[test]
fn without_an_order_logins_come_first_and_the_longest_unused_before_others() {
    let stats = json!({"usageStats": {"a:key": {"lastUsed": 9}, "a:old": {"lastUsed": 3}}});
    let none = ProfilePolicy::default();
    assert_eq!(order(&stats, None, &none), ["a:login", "a:token", "a:old", "a:key"]);
}

#[test]
fn what_cools_comes_last_the_soonest_ready_first() {
    let stats = json!({"usageStats": {
        "a:login": {"cooldownUntil": NOW + 50}, "a:token": {"disabledUntil": NOW + 10}, "a:key": {"cooldownUntil": NOW},
    }});
    let none = ProfilePolicy::default();
    assert_eq!(order(&stats, None, &none), ["a:key", "a:old", "a:token", "a:login"]);
    let explicit = policy(&["a:login", "a:old", "a:token"], &[]);
    assert_eq!(order(&stats, None, &explicit), ["a:old", "a:token", "a:login"]);
}

#[test]
fn the_first_order_that_names_something_real_counts() {
    let stored = json!({"order": {"A": ["a:token", "a:key", "a:token", "b:key"]}});
    let empty = json!({});
    let configured = policy(&["a:old", "a:login"], &["a:key"]);
    type Ids = &'static [&'static str];
    let table: [(&Value, Option<Ids>, &ProfilePolicy, Ids); 6] = [
        (&stored, Some(&["a:old"]), &configured, &["a:old"]),
        (&stored, Some(&["a:vanished"]), &configured, &["a:token", "a:key"]),
        (&stored, None, &configured, &["a:token", "a:key"]),
        (&empty, None, &configured, &["a:old", "a:login"]),
        (&empty, None, &policy(&["a:vanished"], &["a:key"]), &["a:key"]),
        (&empty, None, &policy(&[], &["a:key", "a:login"]), &["a:login", "a:key"]),
    ];
    for (more, own, policy, expected) in table {
        assert_eq!(order(more, own, policy), expected);
    }
}

#[test]
fn what_cannot_be_used_is_skipped_with_a_reason() {
    let lineup = line_up(&store(&json!({})), None, &provider(), &ProfilePolicy::default(), NOW);
    let skipped: Vec<_> = lineup.skipped.iter().map(|(id, why)| (id.as_str(), *why)).collect();
    assert_eq!(
        skipped,
        [("a:gone", "its token has expired"), ("a:dead", "its login has expired and cannot be renewed")]
    );
}
