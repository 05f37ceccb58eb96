//! Where an account is written.

use homard_protocol::AccountId;
use serde_json::json;

use super::super::accounts::tests::harbour;
use super::patch;

#[test]
fn an_account_is_written_where_it_takes_nothing_from_the_others() {
    let section = json!({"host": "h"}).as_object().cloned().unwrap();
    let written = json!({"enabled": true, "host": "h"});
    let rows = [
        (json!({}), "default", json!({"harbour": written})),
        (json!({"harbour": {"host": "old"}}), "default", json!({"harbour": written})),
        (
            json!({"harbour": {"accounts": {"default": {"host": "old"}}}}),
            "default",
            json!({"harbour": {"accounts": {"default": written}}}),
        ),
        (
            json!({"harbour": {"accounts": {"first": {"host": "old"}}}}),
            "default",
            json!({"harbour": {"accounts": {"default": written}}}),
        ),
        (
            json!({"harbour": {"enabled": false, "accounts": {"first": {}, "third": {"enabled": true}}}}),
            "second",
            json!({"harbour": {"enabled": true, "accounts": {"first": {"enabled": false}, "second": written}}}),
        ),
        (
            json!({"harbour": {"host": "old", "password": "theirs", "login": {"password": "theirs"}}}),
            "second",
            json!({"harbour": {"accounts": {"default": {}, "second":
                {"host": "h", "enabled": true, "password": "", "login": {"enabled": false}}}}}),
        ),
        (
            json!({"harbour": {"password": "theirs", "accounts": {"second": {"host": "old"}}}}),
            "second",
            json!({"harbour": {"accounts": {"second": written}}}),
        ),
    ];
    for (channels, account, expected) in rows {
        let config = json!({"channels": channels});
        let change = patch(&config, &harbour(&[]), &AccountId::parse(account).unwrap(), section.clone());
        assert_eq!(change, json!({"channels": expected}), "{channels} {account}");
    }
}
