//! Coming, going and listening.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use homard_protocol::event::Guard;
use homard_protocol::{ConnId, DeviceId, Scope};
use homard_relay::{Audience, BusListener as _, EventHeading, Published};
use homard_runtime::Mutex;
use homard_store::NodeSurface;
use serde_json::json;

use super::{NodeAbout, NodeRegistry, NodeSession, NodeSocket};
use crate::activity::{Activity, believable, most_recent};

#[derive(Debug)]
struct Socket {
    conn: ConnId,
    node: DeviceId,
    told: Mutex<Vec<(String, String)>>,
}

impl NodeSocket for Socket {
    fn conn(&self) -> &ConnId {
        &self.conn
    }

    fn node(&self) -> Option<&DeviceId> {
        Some(&self.node)
    }

    fn tell(&self, name: &str, payload: &str) {
        self.told.lock().push((name.to_owned(), payload.to_owned()));
    }
}

fn client(conn: &str) -> Arc<Socket> {
    Arc::new(Socket { conn: ConnId::parse(conn).unwrap(), node: id(), told: Mutex::default() })
}

fn session(client: &Arc<Socket>) -> NodeSession {
    NodeSession {
        socket: Arc::clone(client) as Arc<dyn NodeSocket>,
        about: NodeAbout {
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
    let heading = EventHeading {
        name: "chat",
        guard: Guard::Operator(Scope::Read),
        droppable: false,
        audience: Audience::All,
        session: Some(key.into()),
        state_version: None,
    };
    Published { heading, payload: json!({"sessionKey": key}).to_string().into() }
}

#[tokio::test]
async fn a_node_hears_the_conversations_it_listens_to_without_a_number() {
    let (nodes, client) = (NodeRegistry::default(), client("c1"));
    nodes.arrive(id(), session(&client));
    nodes.hear(&chat("agent:main:main"));
    assert_eq!(nodes.subscribe(client.as_ref(), "agent:main:main"), Some(true));
    nodes.hear(&chat("agent:main:main"));
    nodes.hear(&chat("agent:main:other"));
    let mut tool = chat("agent:main:main");
    tool.heading.audience =
        Audience::ToolWatchers { run: homard_protocol::RunId::parse("r").unwrap(), elsewhere: None };
    nodes.hear(&tool);
    nodes.unsubscribe(client.as_ref(), "agent:main:main");
    nodes.hear(&chat("agent:main:main"));
    assert_eq!(*client.told.lock(), [("chat".to_owned(), r#"{"sessionKey":"agent:main:main"}"#.to_owned())]);
    for n in 0..super::MAX_SUBSCRIPTIONS {
        assert_eq!(nodes.subscribe(client.as_ref(), &format!("k{n}")), Some(true));
    }
    assert_eq!(nodes.subscribe(client.as_ref(), "one more"), Some(false));
    assert_eq!(nodes.subscribe(client.as_ref(), "k0"), Some(true), "it listens already");
}

#[tokio::test]
async fn the_newest_connection_of_a_node_counts_and_the_older_one_leaving_changes_nothing() {
    let nodes = NodeRegistry::default();
    let (older, newer) = (client("c1"), client("c2"));
    nodes.arrive(id(), session(&older));
    nodes.arrive(id(), session(&newer));
    assert!(!nodes.is_current(older.as_ref()) && nodes.is_current(newer.as_ref()));
    assert_eq!(nodes.subscribe(older.as_ref(), "k"), None);
    nodes.leave(older.as_ref());
    assert!(nodes.any());
    nodes.leave(newer.as_ref());
    assert!(!nodes.any());
}

#[tokio::test(start_paused = true)]
async fn the_same_words_within_a_moment_are_a_repetition() {
    let (nodes, client, moment) = (NodeRegistry::default(), client("c1"), Duration::from_millis(1_500));
    nodes.arrive(id(), session(&client));
    assert!(!nodes.repeats(client.as_ref(), "hi", moment));
    assert!(nodes.repeats(client.as_ref(), "hi", moment));
    assert!(!nodes.repeats(client.as_ref(), "there", moment));
    tokio::time::advance(moment).await;
    assert!(!nodes.repeats(client.as_ref(), "there", moment));
}

#[tokio::test(start_paused = true)]
async fn a_node_that_says_the_same_all_the_time_is_told_on_now_and_then() {
    let (nodes, client) = (NodeRegistry::default(), client("c1"));
    assert_eq!(nodes.may_tell(client.as_ref(), "stats"), None);
    nodes.arrive(id(), session(&client));
    assert_eq!(nodes.may_tell(client.as_ref(), "stats"), Some(true));
    assert_eq!(nodes.may_tell(client.as_ref(), "stats"), Some(false));
    assert_eq!(nodes.may_tell(client.as_ref(), "alive"), Some(true));
    tokio::time::advance(super::TELL_INTERVAL).await;
    assert_eq!(nodes.may_tell(client.as_ref(), "stats"), Some(true));
}

#[test]
fn the_node_used_last_is_the_active_one() {
    let used = |at: Option<i64>, said: Option<i64>| NodeSession {
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
