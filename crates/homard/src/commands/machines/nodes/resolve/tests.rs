//! Which node a person means.

use homard_protocol::methods::nodes::{Node, PendingNodeRow};
use serde_json::json;

use super::{facts, latest, node, request, wants};

fn known(id: &str, name: &str, connected: bool) -> Node {
    serde_json::from_value(json!({"nodeId": id, "displayName": name, "caps": [], "commands": ["a.b"],
        "paired": true, "connected": connected, "approvalState": "approved"}))
    .unwrap()
}

fn asks(id: &str, ts: i64) -> PendingNodeRow {
    let commands: Vec<String> = (0..ts).map(|n| format!("c{n}")).collect();
    serde_json::from_value(json!({"requestId": id, "nodeId": "n", "caps": [], "commands": commands,
        "requiredApproveScopes": [], "ts": ts}))
    .unwrap()
}

#[test]
fn a_node_is_named_by_id_beginning_or_name() {
    let nodes = [known("abc", "Shed", false), known("abd", "phone", true), known("xyz", "Phone", false)];
    for (id, found) in [
        ("abc", Some("abc")),
        ("SHED", Some("abc")),
        ("phone", Some("abd")),
        ("x", Some("xyz")),
        ("ab", Some("abd")),
    ] {
        assert_eq!(node(&nodes, id).ok().map(|node| node.node_id.as_str()), found, "{id}");
    }
    assert!(node(&nodes, "toaster").is_err() && node(&nodes, "").is_err());
}

#[test]
fn a_request_is_named_by_its_beginning_or_by_being_the_last() {
    let pending = [asks("aa1", 3), asks("aa2", 9)];
    assert_eq!(request(&pending, "aa1").unwrap().request_id, "aa1");
    assert!(request(&pending, "aa").is_err() && request(&pending, "b").is_err());
    assert_eq!(latest(&pending, true).unwrap().request_id, "aa2");
    assert!(latest(&pending, false).is_err() && latest(&[], true).is_err());
    assert_eq!(wants(&pending[0]), "c0, c1, c2");
    assert_eq!(wants(&pending[1]), "c0, c1, c2, c3, c4, c5 and 3 more");
    assert_eq!(wants(&asks("x", 0)), "no commands");
}

#[test]
fn what_is_not_known_is_not_listed() {
    let mut one = known("abc", "Shed", false);
    one.host_stats = Some(json!({"cpuCount": 4, "loadAverage": [0.5, 0.0, 0.0],
        "memoryTotalBytes": 8_589_934_592_u64, "memoryFreeBytes": 4_294_967_296_u64}));
    let facts = facts(&one, 0);
    let names: Vec<&str> = facts.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["node", "name", "connected", "approval", "commands", "machine"]);
    assert_eq!(facts[5].1, "load 0.5 of 4, memory 4.0 of 8.0 GiB used");
}
