//! Who is the owner.

use serde_json::json;

use super::Owners;
use crate::raw::session::Commands;

#[test]
fn the_owner_is_named_by_channel_and_id_or_by_id_alone_and_never_by_a_star() {
    let listed = Commands {
        owner_allow_from: Some(vec![
            json!("Telegram:42"),
            json!(" +4915 "),
            json!(77),
            json!("*"),
            json!(null),
        ]),
        ..Commands::default()
    };
    let owners = Owners::resolve(listed);
    let rows = [
        ("telegram", "42", true),
        ("signal", "42", false),
        ("signal", "+4915", true),
        ("discord", "77", true),
        ("telegram", "43", false),
        ("telegram", "*", false),
        ("telegram", "", false),
    ];
    for (channel, id, expected) in rows {
        assert_eq!(owners.includes(channel, id), expected, "{channel} {id}");
    }
    assert!(!Owners::default().includes("telegram", "42"));
}
