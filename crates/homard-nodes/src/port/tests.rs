//! Who is connected, and what becomes of it when it leaves.

use homard_protocol::methods::nodes::Node;
use serde_json::json;

use super::{meant, only};

fn node(id: &str, name: &str, connected: bool, commands: &[&str]) -> Node {
    serde_json::from_value(json!({
        "nodeId": id, "displayName": name, "remoteIp": format!("192.0.2.{}", id.len()), "caps": [],
        "commands": commands, "paired": true, "connected": connected, "approvalState": "approved",
    }))
    .unwrap()
}

#[test]
fn a_node_is_found_by_what_people_call_it() {
    let nodes = [
        node("aaaaaa111", "Shed", true, &["a.b"]),
        node("aaaaaa2222", "Phone", false, &[]),
        node("bbbbbb33333", "phone", true, &["a.b"]),
    ];
    for (name, found) in [
        ("shed", Some("aaaaaa111")),
        (" aaaaaa2222 ", Some("aaaaaa2222")),
        ("192.0.2.11", Some("bbbbbb33333")),
        ("bbbbbb", Some("bbbbbb33333")),
        ("bbbbb", None),
        ("aaaaaa", Some("aaaaaa111")),
        ("PHONE", Some("bbbbbb33333")),
        ("toaster", None),
        ("", None),
    ] {
        assert_eq!(meant(&nodes, name).ok().map(|node| node.node_id.as_str()), found, "{name}");
    }
}

#[test]
fn a_node_need_not_be_named_where_only_one_can() {
    let one = node("a", "Shed", true, &["a.b"]);
    let gone = node("b", "Phone", false, &["a.b"]);
    assert_eq!(only(&[one.clone(), gone.clone()], "a.b").unwrap().node_id.as_str(), "a");
    assert!(only(&[one.clone(), one.clone()], "a.b").unwrap_err().to_string().contains("Shed, Shed"));
    assert!(only(&[gone], "a.b").unwrap_err().to_string().contains("no connected node"));
    assert!(only(&[one], "c.d").is_err());
}
