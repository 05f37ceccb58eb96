//! People name devices by what they remember of them.

use homard_protocol::methods::devices::{PairedDeviceRow, PendingDeviceRow};
use serde_json::json;

use super::{device, latest, place, request, wants, who};

fn asks(id: &str, ts: i64) -> PendingDeviceRow {
    serde_json::from_value(json!({"requestId": id, "deviceId": "d", "publicKey": "k", "role": "operator",
        "displayName": "Phone", "platform": "ios", "clientId": "openclaw-ios", "roles": ["operator"],
        "scopes": ["operator.read", "operator.write"], "remoteIp": "192.0.2.7",
        "silent": false, "isRepair": false, "ts": ts}))
    .unwrap()
}

fn paired(id: &str, label: &str) -> PairedDeviceRow {
    serde_json::from_value(json!({"deviceId": id, "publicKey": "k", "operatorLabel": label, "roles": [],
        "scopes": [], "createdAtMs": 1, "approvedAtMs": 1, "connected": false, "tokens": []}))
    .unwrap()
}

#[test]
fn a_request_is_named_by_its_beginning_unless_two_begin_so() {
    let waiting = [asks("abc1", 1), asks("abd2", 2)];
    assert_eq!(request(&waiting, "abc").unwrap().request_id, "abc1");
    for (id, said) in [("ab", "more than one"), ("x", "no device waits"), ("", "no device waits")] {
        assert!(request(&waiting, id).unwrap_err().to_string().contains(said), "{id}");
    }
}

#[test]
fn a_device_is_named_by_id_beginning_or_name() {
    let known = [paired("aa11", "Kitchen"), paired("aa22", "aa1")];
    for (id, meant) in [("aa11", "aa11"), ("kitchen", "aa11"), ("aa2", "aa22"), ("aa1", "aa22")] {
        assert_eq!(device(&known, id).unwrap().device_id.as_str(), meant, "{id}");
    }
    for id in ["aa", "bb", ""] {
        assert!(device(&known, id).is_err(), "{id}");
    }
}

#[test]
fn who_just_says_approve_is_told_who_asks_and_nothing_is_approved() {
    assert!(latest(&[], true).unwrap_err().to_string().contains("no device waits"));
    let waiting = [asks("abc1", 1), asks("abd2", 2)];
    assert_eq!(latest(&waiting, true).unwrap().request_id, "abd2");
    let told = latest(&waiting, false).unwrap_err().to_string();
    assert!(told.contains("Phone (openclaw-ios on ios) from 192.0.2.7, which wants read, write"), "{told}");
}

#[test]
fn what_is_wanted_is_said_plainly() {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    assert_eq!(wants("operator", &names(&["operator.read", "operator.admin"])), "everything (admin)");
    assert_eq!(wants("operator", &[]), "nothing");
    assert_eq!(wants("node", &[]), "to be a node");
    let mut page = asks("a", 1);
    page.browser_origin = Some("http://homard.test".to_owned());
    page.display_name = None;
    assert_eq!(
        (who(&page), place(&page)),
        ("openclaw-ios on ios".into(), "192.0.2.7 (http://homard.test)".into())
    );
}
