//! What bindings people write mean.

use serde_json::{Value, json};

use super::{AccountMatch, Bindings, PeerKind, PeerMatch, Resolve};
use crate::env::Environment;
use crate::paths::Paths;

fn decided(bindings: Value, broadcast: Value) -> (Bindings, Vec<String>) {
    let env = Environment::default();
    let paths = Paths::under(std::path::Path::new("home"));
    let mut cx = Resolve::new(&paths, &env);
    let (bindings, broadcast) =
        (serde_json::from_value(bindings).unwrap(), serde_json::from_value(broadcast).unwrap());
    let decided = Bindings::resolve(bindings, broadcast, &mut cx);
    (decided, cx.issues.iter().map(|issue| issue.path.clone()).collect())
}

#[test]
fn a_binding_says_who_and_where_and_what_is_wrong_with_it_is_told_by_place() {
    let rows = [
        (json!({"agentId": "work", "match": {"channel": "telegram"}}), &[][..]),
        (json!({"match": {"channel": "telegram"}}), &["bindings[0].agentId"]),
        (json!({"agentId": " ", "match": {"channel": "telegram"}}), &["bindings[0].agentId"]),
        (json!({"agentId": "work"}), &["bindings[0].match.channel"]),
        (json!({"agentId": "work", "match": {"channel": "a b"}}), &["bindings[0].match.channel"]),
        (
            json!({"agentId": "work", "match": {"channel": "irc", "peer": {}}}),
            &["bindings[0].match.peer.kind", "bindings[0].match.peer.id"],
        ),
        (
            json!({"agentId": "work", "match": {"channel": "irc", "peer": {"kind": "crowd", "id": "#a"}}}),
            &["bindings[0].match.peer.kind"],
        ),
        (
            json!({"agentId": "work", "match": {"channel": "irc", "accountId": "///"}}),
            &["bindings[0].match.accountId"],
        ),
    ];
    for (written, expected) in rows {
        let (bindings, issues) = decided(json!([written]), json!({}));
        assert_eq!(issues, expected, "{written}");
        assert_eq!(bindings.list.len(), usize::from(expected.is_empty()), "{written}");
    }
}

#[test]
fn names_are_read_as_session_keys_spell_them() {
    let (bindings, issues) = decided(
        json!([{ "agentId": " Work ", "match": { "channel": "IRC", "accountId": "Libera",
            "peer": { "kind": "dm", "id": " Ada " }, "guildId": " G ", "roles": ["r", " "] },
            "session": { "dmScope": "per-peer", "groupScope": "main" } },
            { "agentId": "work", "match": { "channel": "irc", "accountId": "*" } }]),
        json!({}),
    );
    assert!(issues.is_empty());
    let first = &bindings.list[0];
    assert_eq!((first.agent.as_str(), first.channel.as_str()), ("work", "irc"));
    assert_eq!(first.account, AccountMatch::Named("libera".parse().unwrap()));
    assert_eq!(first.peer, Some(PeerMatch { kind: PeerKind::Direct, id: "ada".to_owned() }));
    assert_eq!((first.guild.as_deref(), first.roles.as_slice()), (Some("G"), &["r".to_owned()][..]));
    assert_eq!((first.dm_scope, first.own_groups), (Some(super::DmScope::PerPeer), Some(false)));
    assert_eq!(bindings.list[1].account, AccountMatch::Any);
    assert_eq!(bindings.list[1].index, 1);
}

#[test]
fn a_broadcast_names_agents_once_each() {
    let (bindings, issues) = decided(json!([]), json!({"#Ops": ["main", "Work", "main"]}));
    assert!(issues.is_empty());
    let agents: Vec<_> = bindings.broadcast.peers["#ops"].iter().map(ToString::to_string).collect();
    assert_eq!(agents, ["main", "work"]);
}
