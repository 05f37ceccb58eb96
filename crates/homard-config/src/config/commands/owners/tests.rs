//! Who is named as the owner.

use serde_json::{Value, json};

use super::Owners;
use crate::config::Resolve;
use crate::env::Environment;
use crate::paths::Paths;
use crate::raw::session::Commands;

fn owners(written: Vec<Value>) -> (Owners, Vec<String>) {
    let (paths, env) = (Paths::under(std::path::Path::new("/nowhere")), Environment::default());
    let mut cx = Resolve::new(&paths, &env);
    let commands = Commands { owner_allow_from: Some(written), ..Commands::default() };
    let owners = Owners::resolve(commands, &mut cx);
    (owners, cx.issues.iter().map(ToString::to_string).collect())
}

#[test]
fn the_owner_is_named_by_channel_and_id_or_by_id_alone() {
    let (owners, issues) = owners(vec![json!("Telegram:42"), json!(" +4915 "), json!(77), json!(null)]);
    assert_eq!(owners.ids(), ["telegram:42", "+4915", "77"]);
    assert_eq!(issues, Vec::<String>::new());
}

#[test]
fn a_name_that_anybody_can_take_is_not_the_owners() {
    for written in ["irc:alice", "IRC: alice!a@home", "internet-relay-chat:alice", "irc:alice!*@*"] {
        let (_, issues) = owners(vec![json!("telegram:42"), json!(written)]);
        let [issue] = issues.as_slice() else { panic!("{written}: {issues:?}") };
        assert!(issue.contains("commands.ownerAllowFrom[1]") && issue.contains("account:"), "{issue}");
    }
    assert_eq!(owners(vec![json!("irc:account:alice")]).1, Vec::<String>::new());
}
