//! Which limit holds for whom.

use homard_protocol::SessionKey;
use serde_json::json;

use super::{direct, number};

#[test]
fn the_most_particular_limit_holds() {
    let section = json!({
        "dmHistoryLimit": 20,
        "dms": {"42": {"historyLimit": 5}, "43": {"historyLimit": 0}},
        "accounts": {"work": {"dmHistoryLimit": 7, "dms": {"44": {"historyLimit": 3}}}},
    });
    let rows = [
        (None, "1", Some(20)),
        (None, "42", Some(5)),
        (None, "43", Some(20)),
        (Some("work"), "1", Some(7)),
        (Some("work"), "44", Some(3)),
        (Some("other"), "42", Some(5)),
    ];
    for (account, peer, expected) in rows {
        let key = match account {
            Some(account) => format!("agent:main:telegram:{account}:direct:{peer}"),
            None => format!("agent:main:telegram:direct:{peer}"),
        };
        let key = SessionKey::parse(&key).unwrap();
        let SessionKey::Agent { scope: homard_protocol::SessionScope::Direct { account, peer, .. }, .. } =
            key
        else {
            panic!("not a direct conversation: {key:?}")
        };
        assert_eq!(direct(&section, account.as_ref(), &peer), expected, "{account:?} {peer:?}");
    }
    assert_eq!(direct(&json!({"dmHistoryLimit": "many"}), None, &"1".parse().unwrap()), None);
    assert_eq!(number(Some(&json!(-1))), None);
}
