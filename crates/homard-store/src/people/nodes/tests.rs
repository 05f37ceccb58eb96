//! Nodes: asking, approving, being forgotten, and what waits for them.

use std::collections::BTreeMap;
use std::time::Duration;

use homard_protocol::{DeviceId, Role, Word};
use serde_json::json;

use super::{NewNodeRequest, NewNodeWork, NodeSurface};
use crate::PairedDevice;
use crate::engine::fixture::{Home, NOW};

fn id(name: &str) -> DeviceId {
    DeviceId::parse(name).unwrap()
}

fn surface(commands: &[&str]) -> NodeSurface {
    let commands = commands.iter().map(|&command| command.to_owned()).collect();
    NodeSurface::new(vec!["system".to_owned()], commands, BTreeMap::new())
}

fn asks(commands: &[&str]) -> NewNodeRequest {
    NewNodeRequest {
        device_id: id("d1"),
        surface: surface(commands),
        display_name: Some("shed".to_owned()),
        platform: Some("linux".to_owned()),
        version: Some("1".to_owned()),
        device_family: None,
        remote_ip: Some("192.0.2.1".to_owned()),
        silent: true,
    }
}

async fn home_with(roles: &[&str]) -> Home {
    let home = Home::new();
    let device = PairedDevice {
        device_id: id("d1"),
        public_key: "k".to_owned(),
        display_name: None,
        operator_label: None,
        platform: None,
        device_family: None,
        client_id: None,
        client_mode: None,
        roles: roles.iter().copied().map(Word::of).collect(),
        scopes: Vec::new(),
        remote_ip: None,
        approved_via: None,
        created_at: NOW,
        approved_at: NOW,
        last_seen_at: None,
    };
    home.store.devices().pair(device).await.unwrap();
    home
}

#[test]
fn a_surface_covers_what_is_not_more_than_it() {
    let permissions = |granted: bool| BTreeMap::from([("camera".to_owned(), granted)]);
    let with = |commands: &[&str], granted: bool| NodeSurface {
        permissions: permissions(granted),
        ..surface(commands)
    };
    let had = with(&["a", "b"], true);
    for (now, covered) in [
        (with(&["a", "b"], true), true),
        (with(&["b"], false), true),
        (NodeSurface::default(), true),
        (with(&["a", "c"], true), false),
        (NodeSurface { caps: vec!["camera".to_owned()], ..NodeSurface::default() }, false),
        (
            NodeSurface {
                permissions: BTreeMap::from([("screen".to_owned(), true)]),
                ..NodeSurface::default()
            },
            false,
        ),
    ] {
        assert_eq!(had.covers(&now), covered, "{now:?}");
    }
    assert!(!with(&["a"], false).covers(&with(&["a"], true)), "a permission that was refused then");
    assert_eq!(surface(&["b", "a", "b"]), surface(&["a", "b"]));
}

#[tokio::test]
async fn a_question_waits_across_restarts_until_it_is_answered() {
    let home = home_with(&["node"]).await;
    let first = home.store.nodes().ask(asks(&["a"])).await.unwrap();
    assert!(first.created && first.superseded.is_none());
    home.clock.advance(Duration::from_secs(3600));
    let home = home.reopen().await;
    let again = home.store.nodes().ask(asks(&["a"])).await.unwrap();
    assert_eq!((again.created, &again.request), (false, &first.request));
    let other = home.store.nodes().ask(asks(&["a", "b"])).await.unwrap();
    assert!(other.created);
    assert_eq!(other.superseded, Some(first.request.request_id));

    assert_eq!(home.store.nodes().approve("gone").await.unwrap(), None);
    let (approved, at) = home.store.nodes().approve(&other.request.request_id).await.unwrap().unwrap();
    assert_eq!(approved, other.request);
    let home = home.reopen().await;
    let node = home.store.nodes().get(&id("d1")).await.unwrap().unwrap();
    assert_eq!(node.approved, Some((surface(&["a", "b"]), at)));
    assert_eq!(home.store.nodes().requests().await.unwrap(), []);
}

#[tokio::test]
async fn what_is_rejected_or_withdrawn_waits_no_more() {
    let home = home_with(&["node"]).await;
    let asked = home.store.nodes().ask(asks(&["a"])).await.unwrap().request;
    assert_eq!(home.store.nodes().reject(&asked.request_id).await.unwrap(), Some(asked.clone()));
    assert_eq!(home.store.nodes().reject(&asked.request_id).await.unwrap(), None);
    let asked = home.store.nodes().ask(asks(&["a"])).await.unwrap().request;
    assert_eq!(home.store.nodes().withdraw_request(&id("d1")).await.unwrap(), Some(asked));
    assert_eq!(home.store.nodes().withdraw_request(&id("d1")).await.unwrap(), None);
}

#[tokio::test]
async fn what_a_node_said_of_itself_is_kept() {
    let home = home_with(&["node"]).await;
    assert!(!home.store.nodes().mark_seen(&id("d1"), "background").await.unwrap(), "never connected");
    home.store.nodes().mark_connected(&id("d1")).await.unwrap();
    home.store.nodes().keep_host_stats(&id("d1"), &json!({"cpuCount": 2})).await.unwrap();
    assert!(home.store.nodes().mark_seen(&id("d1"), "background").await.unwrap());
    let nodes = home.store.nodes().list().await.unwrap();
    assert_eq!(nodes[0].host_stats, Some(json!({"cpuCount": 2})));
    assert_eq!(nodes[0].last_seen_reason.as_deref(), Some("background"));
    assert_eq!((nodes[0].last_connected_at, nodes[0].approved.clone()), (Some(NOW), None));
}

#[tokio::test]
async fn removing_a_node_forgets_all_of_it_and_leaves_the_operator() {
    for (roles, stays) in [(&["node"][..], false), (&["node", "operator"][..], true)] {
        let home = home_with(roles).await;
        let asked = home.store.nodes().ask(asks(&["a"])).await.unwrap().request;
        home.store.nodes().approve(&asked.request_id).await.unwrap();
        home.store.nodes().ask(asks(&["a", "b"])).await.unwrap();
        home.store.nodes().queue_action(&id("d1"), "camera.snap", None).await.unwrap();
        assert!(home.store.nodes().remove(&id("d1")).await.unwrap());
        assert!(!home.store.nodes().remove(&id("d1")).await.unwrap());
        let device = home.store.devices().get(&id("d1")).await.unwrap();
        assert_eq!(device.map(|device| device.roles), stays.then(|| vec![Role::Operator.into()]));
        assert_eq!(home.store.nodes().list().await.unwrap(), []);
        assert_eq!(home.store.nodes().requests().await.unwrap(), []);
        assert_eq!(home.store.nodes().actions(&id("d1")).await.unwrap(), []);
    }
}

#[tokio::test]
async fn commands_for_the_foreground_wait_until_they_are_acknowledged_or_too_old() {
    let home = home_with(&["node"]).await;
    let node = id("d1");
    let first = home.store.nodes().queue_action(&node, "camera.snap", Some("{}".to_owned())).await.unwrap();
    home.clock.advance(Duration::from_secs(1));
    let second = home.store.nodes().queue_action(&node, "screen.record", None).await.unwrap();
    let waiting: Vec<String> =
        home.store.nodes().actions(&node).await.unwrap().into_iter().map(|action| action.id).collect();
    assert_eq!(waiting, [first.clone(), second]);
    let acked = home.store.nodes().ack_actions(&node, vec![first.clone(), "no".to_owned()]).await.unwrap();
    assert_eq!(acked, (vec![first], 1));
    home.clock.advance(Duration::from_secs(601));
    assert_eq!(home.store.nodes().actions(&node).await.unwrap(), []);
    for _ in 0..70 {
        home.store.nodes().queue_action(&node, "camera.snap", None).await.unwrap();
    }
    assert_eq!(home.store.nodes().actions(&node).await.unwrap().len(), 64);
    assert!(home.store.nodes().queue_action(&id("stranger"), "camera.snap", None).await.is_err());
}

#[tokio::test]
async fn questions_for_a_sleeping_node_are_taken_once_urgent_ones_first() {
    let home = home_with(&["node"]).await;
    let new = |kind: &str, priority, expires_in_ms| NewNodeWork {
        device_id: id("d1"),
        kind: kind.to_owned(),
        priority,
        expires_in_ms,
    };
    home.store.nodes().queue_work(new("status.request", 0, None)).await.unwrap();
    home.store.nodes().queue_work(new("status.request", 0, None)).await.unwrap();
    home.store.nodes().queue_work(new("location.request", 1, Some(1_000))).await.unwrap();
    let (taken, more) = home.store.nodes().drain_work(&id("d1"), 1).await.unwrap();
    assert_eq!((taken[0].kind.as_str(), more), ("location.request", true));
    let (taken, more) = home.store.nodes().drain_work(&id("d1"), 5).await.unwrap();
    assert_eq!((taken.len(), more), (1, false), "asked twice, done once");
    home.store.nodes().queue_work(new("location.request", 1, Some(1_000))).await.unwrap();
    home.clock.advance(Duration::from_secs(2));
    assert_eq!(home.store.nodes().drain_work(&id("d1"), 5).await.unwrap(), (vec![], false));
}
