//! Which commands of nodes need an admin.

use serde_json::json;

use super::{NodeInvoke, NodeInvokeParams, NodeInvokeResultParams};
use crate::method::{Access, Method};
use crate::scope::Scope;

#[test]
fn commands_that_reach_far_need_an_admin() {
    for (command, scope) in [
        ("system.notify", Scope::Write),
        ("system.run", Scope::Write),
        ("browser.proxy", Scope::Admin),
        (" browser.proxy ", Scope::Admin),
        ("browser.proxy.upload.v1", Scope::Admin),
        ("browser.proxy.v9", Scope::Admin),
        ("fs.listDir", Scope::Admin),
        ("terminal.upload", Scope::Admin),
    ] {
        let params = json!({"nodeId": "n", "command": command, "idempotencyKey": "k"});
        let params: NodeInvokeParams = serde_json::from_value(params).unwrap();
        assert_eq!(NodeInvoke::access_for(&params), Access::Operator(scope), "{command}");
    }
}

#[test]
fn a_result_is_read_in_both_spellings_and_nothing_unknown_is() {
    let read = |value| serde_json::from_value::<NodeInvokeResultParams>(value);
    let result = read(json!({"id": "1", "nodeId": "n", "ok": true, "payloadJSON": "{}"})).unwrap();
    assert_eq!(result.payload_json.as_deref(), Some("{}"));
    assert!(read(json!({"id": "1", "nodeId": "n", "ok": true, "payload": null})).is_ok());
    assert!(read(json!({"id": "1", "nodeId": "n"})).is_err());
    assert!(read(json!({"id": "1", "nodeId": "n", "ok": true, "more": 1})).is_err());
    assert!(read(json!({"id": "1", "nodeId": "n", "ok": false, "error": {"code": 7}})).is_err());
}
