//! Coming, going and listening.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use homard_protocol::event::Guard;
use homard_protocol::{ConnId, DeviceId, Role, Scope, ScopeSet};
use homard_relay::{Audience, Published};
use homard_store::NodeSurface;
use serde_json::json;

use super::activity::{Activity, believable, most_recent};
use super::{About, Nodes, Session};
use crate::connections::fanout::{Batch, Client};

fn client(conn: &str) -> Arc<Client> {
    let device = DeviceId::parse("d1").unwrap();
    Arc::new(Client::new(ConnId::parse(conn).unwrap(), Role::Node, ScopeSet::EMPTY, Some(device), false))
}

fn session(client: &Arc<Client>) -> Session {
    Session {
        client: Arc::clone(client),
        about: About {
            display_name: None,
            platform: "linux".to_owned(),
            version: "1".to_owned(),
            client_id: "node-host".to_owned(),
            client_mode: "node".to_owned(),
            device_family: None,
            model_identifier: None,
            path_env: None,
            remote_ip: "127.0.0.1".to_owned(),
        },
        declared: NodeSurface::default(),
        connected_at: 0,
        activity: Activity::default(),
        subscriptions: BTreeSet::new(),
        last_words: None,
        told: std::collections::BTreeMap::new(),
    }
}

fn id() -> DeviceId {
    DeviceId::parse("d1").unwrap()
}

fn chat(key: &str) -> Published {
    Published {
        name: "chat",
        guard: Guard::Operator(Scope::Read),
        droppable: false,
        payload: json!({"sessionKey": key}).to_string().into(),
        audience: Audience::All,
        state_version: None,
    }
}

async fn frames(client: &Client) -> Vec<String> {
    match tokio::time::timeout(Duration::ZERO, client.next_batch()).await {
        Ok(Batch::Frames(frames)) => frames,
        Ok(Batch::Close(_)) | Err(_) => Vec::new(),
    }
}

#[tokio::test]
async fn a_node_hears_the_conversations_it_listens_to_without_a_number() {
    let (nodes, client) = (Nodes::default(), client("c1"));
    nodes.arrive(id(), session(&client));
    nodes.hear(&chat("agent:main:main"));
    assert_eq!(nodes.subscribe(&client, "agent:main:main"), Some(true));
    nodes.hear(&chat("agent:main:main"));
    nodes.hear(&chat("agent:main:other"));
    let tool = Published {
        audience: Audience::ToolWatchers {
            run: homard_protocol::RunId::parse("r").unwrap(),
            elsewhere: None,
        },
        ..chat("agent:main:main")
    };
    nodes.hear(&tool);
    nodes.unsubscribe(&client, "agent:main:main");
    nodes.hear(&chat("agent:main:main"));
    assert_eq!(
        frames(&client).await,
        [r#"{"type":"event","event":"chat","payload":{"sessionKey":"agent:main:main"}}"#]
    );
    for n in 0..super::MAX_SUBSCRIPTIONS {
        assert_eq!(nodes.subscribe(&client, &format!("k{n}")), Some(true));
    }
    assert_eq!(nodes.subscribe(&client, "one more"), Some(false));
    assert_eq!(nodes.subscribe(&client, "k0"), Some(true), "it listens already");
}

#[tokio::test]
async fn the_newest_connection_of_a_node_counts_and_the_older_one_leaving_changes_nothing() {
    let nodes = Nodes::default();
    let (older, newer) = (client("c1"), client("c2"));
    nodes.arrive(id(), session(&older));
    nodes.arrive(id(), session(&newer));
    assert!(!nodes.is_current(&older) && nodes.is_current(&newer));
    assert_eq!(nodes.subscribe(&older, "k"), None);
    nodes.leave(&older);
    assert!(nodes.any());
    nodes.leave(&newer);
    assert!(!nodes.any());
}

#[tokio::test(start_paused = true)]
async fn the_same_words_within_a_moment_are_a_repetition() {
    let (nodes, client, moment) = (Nodes::default(), client("c1"), Duration::from_millis(1_500));
    nodes.arrive(id(), session(&client));
    assert!(!nodes.repeats(&client, "hi", moment));
    assert!(nodes.repeats(&client, "hi", moment));
    assert!(!nodes.repeats(&client, "there", moment));
    tokio::time::advance(moment).await;
    assert!(!nodes.repeats(&client, "there", moment));
}

#[tokio::test(start_paused = true)]
async fn a_node_that_says_the_same_all_the_time_is_told_on_now_and_then() {
    let (nodes, client) = (Nodes::default(), client("c1"));
    assert_eq!(nodes.may_tell(&client, "stats"), None);
    nodes.arrive(id(), session(&client));
    assert_eq!(nodes.may_tell(&client, "stats"), Some(true));
    assert_eq!(nodes.may_tell(&client, "stats"), Some(false));
    assert_eq!(nodes.may_tell(&client, "alive"), Some(true));
    tokio::time::advance(super::TELL_INTERVAL).await;
    assert_eq!(nodes.may_tell(&client, "stats"), Some(true));
}

#[test]
fn the_node_used_last_is_the_active_one() {
    let used = |at: Option<i64>, said: Option<i64>| Session {
        activity: Activity { last_active_at: at, updated_at: said, host_stats: None },
        ..session(&client("c1"))
    };
    let named = |name: &str| DeviceId::parse(name).unwrap();
    let here = [
        (named("a"), used(Some(5), Some(9))),
        (named("b"), used(Some(7), Some(8))),
        (named("c"), used(None, None)),
        (named("d"), used(Some(7), Some(9))),
    ];
    assert_eq!(most_recent(&here.into_iter().collect()), Some(&named("d")));
    assert_eq!(most_recent(&[(named("c"), used(None, None))].into_iter().collect()), None);
}

#[test]
fn only_what_can_be_true_is_believed_about_a_machine() {
    let good = json!({"cpuCount": 8, "loadAverage": [1.0, 0.5, 0.0], "memoryTotalBytes": 10,
        "memoryFreeBytes": 4, "diskTotalBytes": 9, "diskAvailableBytes": 9, "secret": "x"});
    let kept = believable(&good, 77).unwrap();
    assert_eq!((&kept["updatedAtMs"], kept.get("secret")), (&json!(77), None));
    for (field, value) in [
        ("cpuCount", json!(0)),
        ("cpuCount", json!(5000)),
        ("cpuCount", json!("8")),
        ("loadAverage", json!([1.0])),
        ("loadAverage", json!([-1.0, 0.0, 0.0])),
        ("memoryFreeBytes", json!(11)),
        ("memoryTotalBytes", json!(-1)),
        ("diskAvailableBytes", json!(10)),
        ("diskAvailableBytes", json!(null)),
    ] {
        let mut bad = good.clone();
        bad[field] = value.clone();
        assert_eq!(believable(&bad, 0), None, "{field} {value}");
    }
    assert_eq!(believable(&json!(null), 0), None);
}
