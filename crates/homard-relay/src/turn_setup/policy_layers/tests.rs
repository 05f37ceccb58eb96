//! Every layer comes from where the owner wrote it, and in the documented order.

use homard_channel::{Details, Inbound, Sender};
use homard_config::Config;
use homard_config::config::tools::ApplyPatch;
use homard_policy::access::{AllowList, CommandRules, SenderIdentity, Standing, Verdict};
use homard_protocol::{AccountId, AgentId, ChannelId, PeerId, SessionKey};
use homard_store::SessionEntry;
use homard_tools::ToolPolicy;
use serde_json::{Value, json};

use super::{ModelName, PolicySubject, have_same_tools, may_patch, misspelled, policy_for};
use crate::fixture::config;
use crate::intake::admit::{Admitted, admit_judged};
use crate::intake::route::Route;

/// A conversation and who speaks in it.
struct Case<'a> {
    key: &'a str,
    sender: Option<&'a str>,
    model: ModelName<'a>,
    session: Option<SessionEntry>,
    works_for: Option<&'a str>,
    passed_on: bool,
}

const CASE: Case<'static> = Case {
    key: "agent:main:main",
    sender: None,
    model: ModelName { provider: "fake", model: "fake-1" },
    session: None,
    works_for: None,
    passed_on: false,
};

impl Case<'_> {
    /// As the rules of company judge, with nobody on the platform's own list.
    fn is_owner(&self, config: &Config, sender: &Sender, channel: &ChannelId) -> bool {
        let details = Details::default();
        let who = SenderIdentity::sent(channel.as_str(), sender, &details);
        who.is_none_or(|who| CommandRules::of(config).is_owner(&who, &AllowList::default()))
    }

    fn policy(&self, config: &Config) -> ToolPolicy {
        let key = SessionKey::parse(self.key).unwrap();
        let sender = match self.sender {
            Some(id) => Sender::Peer { id: PeerId::parse(id).unwrap(), name: Some("Owner".to_owned()) },
            None => Sender::Operator,
        };
        let operator = ChannelId::operator();
        let account = AccountId::parse("work").unwrap();
        let works_for = self.works_for.map(|key| SessionKey::parse(key).unwrap());
        let about = PolicySubject {
            key: &key,
            sender: &sender,
            channel: key.channel().unwrap_or(&operator),
            account: Some(&account),
            model: self.model,
            session: self.session.as_ref(),
            works_for: works_for.as_ref(),
            is_owner: self.is_owner(config, &sender, key.channel().unwrap_or(&operator)),
            passed_on: self.passed_on,
            without_admin: false,
        };
        let agent =
            key.agent_id().and_then(|id| config.agents.agent(id)).unwrap_or(config.agents.default_agent());
        policy_for(config, agent, &about)
    }

    /// Who decides about a tool: the layer and the place, `+` in front when it is allowed.
    fn decides(&self, config: &Config, tool: &str) -> String {
        let verdicts = self.policy(config).explain(tool);
        let refusal = verdicts.iter().find(|verdict| verdict.by.refuses());
        match refusal {
            Some(verdict) => format!("{} {}", verdict.layer.id(), verdict.place.as_deref().unwrap_or("-")),
            None => "+".to_owned(),
        }
    }
}

/// Configuration, circumstances, tool and who decides about it.
type Row = (Value, Case<'static>, &'static str, &'static str);

#[test]
fn every_layer_is_asked_in_order_and_names_its_place() {
    for (written, case, tool, expected) in layer_rows().into_iter().chain(sandbox_rows()) {
        assert_eq!(case.decides(&config(&written), tool), expected, "{tool} in {} under {written}", case.key);
    }
}

fn layer_rows() -> Vec<Row> {
    vec![
        (json!({}), CASE, "exec", "+"),
        (json!({}), CASE, "gateway", "+"),
        (json!({"tools": {"profile": "minimal"}}), CASE, "read", "profile tools.profile"),
        (json!({"tools": {"profile": "minimal", "alsoAllow": ["read"]}}), CASE, "read", "+"),
        (
            json!({"tools": {"profile": "minimal"}, "agents": {"list": [{"id": "main", "tools": {"alsoAllow": ["read"]}}]}}),
            CASE,
            "read",
            "+",
        ),
        (
            json!({"tools": {"profile": "minimal"}, "agents": {"list": [{"id": "main", "tools": {"profile": "coding"}}]}}),
            CASE,
            "message",
            "profile agents.list[main].tools.profile",
        ),
        (
            json!({"tools": {"byProvider": {"Fake": {"profile": "messaging"}}}}),
            CASE,
            "read",
            "providerProfile tools.byProvider[Fake].profile",
        ),
        (json!({"tools": {"deny": ["group:fs"]}}), CASE, "read", "global tools"),
        (json!({"tools": {"allow": ["exec"]}}), CASE, "read", "global tools"),
        (json!({"tools": {"exec": {"security": "deny"}}}), CASE, "exec", "global tools.exec"),
        (json!({}), CASE, "apply_patch", "global tools.exec.applyPatch"),
        (
            json!({"tools": {"byProvider": {"fake": {"deny": ["read"]}, "fake/fake-1": {"deny": ["write"]}}}}),
            CASE,
            "write",
            "globalProvider tools.byProvider[fake/fake-1]",
        ),
        (
            json!({"tools": {"byProvider": {"fake": {"deny": ["read"]}, "fake/fake-1": {"deny": ["write"]}}}}),
            CASE,
            "read",
            "+",
        ),
        (
            json!({"agents": {"list": [{"id": "main", "tools": {"deny": ["wri*"]}}]}}),
            CASE,
            "write",
            "agent agents.list[main].tools",
        ),
        (
            json!({"agents": {"list": [{"id": "main", "tools": {"byProvider": {"fake": {"allow": ["read"]}}}}]}}),
            CASE,
            "write",
            "agentProvider agents.list[main].tools.byProvider[fake]",
        ),
        (json!({}), Case { key: "agent:main:subagent:x", ..CASE }, "cron", "subagent built in"),
        (json!({}), Case { key: "agent:main:subagent:x", ..CASE }, "sessions_spawn", "subagent built in"),
        (json!({}), Case { key: "agent:main:subagent:x", ..CASE }, "read", "+"),
        (
            json!({"tools": {"subagents": {"tools": {"deny": ["exec"]}}}}),
            Case { key: "agent:main:subagent:x", ..CASE },
            "exec",
            "subagent tools.subagents.tools",
        ),
        (json!({}), Case { key: "agent:main:hook:mail", ..CASE }, "gateway", "owner built in"),
        (
            json!({"tools": {"deny": ["read"]}, "agents": {"list": [{"id": "main", "tools": {"deny": ["read"]}}]}}),
            CASE,
            "read",
            "global tools",
        ),
    ]
}

fn sandbox_rows() -> Vec<Row> {
    vec![
        (
            json!({"agents": {"defaults": {"sandbox": {"mode": "non-main"}}}}),
            Case { key: "agent:main:other", ..CASE },
            "web_fetch",
            "sandbox tools.sandbox.tools",
        ),
        (json!({"agents": {"defaults": {"sandbox": {"mode": "non-main"}}}}), CASE, "web_fetch", "+"),
        (json!({"agents": {"defaults": {"sandbox": {"mode": "non-main"}}}}), CASE, "exec", "+"),
        (
            json!({"agents": {"defaults": {"sandbox": {"mode": "non-main"}}}}),
            Case { key: "agent:main:other", ..CASE },
            "exec",
            "sandbox sandbox.mode",
        ),
        (
            json!({"agents": {"defaults": {"sandbox": {"mode": "all", "workspaceAccess": "ro"}}}}),
            CASE,
            "write",
            "sandbox sandbox.workspaceAccess",
        ),
        (
            json!({"agents": {"defaults": {"sandbox": {"mode": "all", "workspaceAccess": "rw"}}}}),
            CASE,
            "write",
            "+",
        ),
        (
            json!({"agents": {"defaults": {"sandbox": {"mode": "all"}}}, "tools": {"sandbox": {"tools": {"allow": ["web_*"]}}}}),
            CASE,
            "web_fetch",
            "+",
        ),
    ]
}

#[test]
fn groups_and_senders_have_their_own_tools() {
    let telegram = json!({"channels": {"telegram": {
        "groups": {
            "-100": {"tools": {"allow": ["read"]}, "toolsBySender": {"id:42": {"allow": ["exec"]}, "Owner": {}}},
            "-200": {"toolsBySender": {"*": {"deny": ["exec"]}, "telegram:42": {"deny": ["write"]}}},
            "*": {"tools": {"deny": ["web_*"]}},
        },
        "accounts": {"work": {"groups": {"-300": {"tools": {"deny": ["read"]}}}}},
    }}});
    let discord = json!({"channels": {"discord": {"guilds": {"1": {
        "tools": {"deny": ["exec"]},
        "channels": {"General": {"tools": {"deny": ["read"]}}, "quiet": {}},
    }}}}});
    let by_sender = json!({"tools": {"toolsBySender": {"42": {"deny": ["read"]}, "*": {"deny": ["write"]}}}});
    let rows = [
        (
            &telegram,
            "agent:main:telegram:group:-100",
            Some("7"),
            "exec",
            "group channels.telegram.groups[-100].tools",
        ),
        (&telegram, "agent:main:telegram:group:-100", Some("7"), "read", "+"),
        (&telegram, "agent:main:telegram:group:-100", Some("42"), "exec", "+"),
        (
            &telegram,
            "agent:main:telegram:group:-100",
            Some("42"),
            "read",
            "group channels.telegram.groups[-100].toolsBySender[id:42]",
        ),
        (
            &telegram,
            "agent:main:telegram:group:-100",
            Some("42"),
            "gateway",
            "group channels.telegram.groups[-100].toolsBySender[id:42]",
        ),
        (
            &telegram,
            "agent:main:telegram:group:-100:topic:5",
            Some("7"),
            "exec",
            "group channels.telegram.groups[-100].tools",
        ),
        (
            &telegram,
            "agent:main:telegram:group:-200",
            Some("7"),
            "exec",
            "group channels.telegram.groups[-200].toolsBySender[*]",
        ),
        (&telegram, "agent:main:telegram:group:-200", Some("42"), "exec", "+"),
        (
            &telegram,
            "agent:main:telegram:group:-200",
            None,
            "exec",
            "group channels.telegram.groups[-200].toolsBySender[*]",
        ),
        (
            &telegram,
            "agent:main:telegram:group:-999",
            Some("7"),
            "web_fetch",
            "group channels.telegram.groups[*].tools",
        ),
        (
            &telegram,
            "agent:main:telegram:group:-300",
            Some("7"),
            "read",
            "group channels.telegram.accounts.work.groups[-300].tools",
        ),
        (&telegram, "agent:main:telegram:direct:7", Some("7"), "web_fetch", "+"),
        (&telegram, "agent:main:main", None, "web_fetch", "+"),
        (&telegram, "agent:main:telegram:direct:7", Some("7"), "gateway", "owner built in"),
        (
            &discord,
            "agent:main:discord:channel:general",
            Some("7"),
            "read",
            "group channels.discord.guilds[1].channels[General].tools",
        ),
        (
            &discord,
            "agent:main:discord:channel:quiet",
            Some("7"),
            "exec",
            "group channels.discord.guilds[1].tools",
        ),
        (&by_sender, "agent:main:telegram:direct:42", Some("42"), "read", "group tools.toolsBySender[42]"),
        (&by_sender, "agent:main:telegram:direct:7", Some("7"), "write", "group tools.toolsBySender[*]"),
        (&by_sender, "agent:main:telegram:direct:7", Some("7"), "read", "+"),
    ];
    for (written, key, sender, tool, expected) in rows {
        let decides = Case { key, sender, ..CASE }.decides(&config(written), tool);
        assert_eq!(decides, expected, "{tool} in {key} for {sender:?}");
    }
}

#[test]
fn only_the_owner_gets_what_changes_the_assistant_itself() {
    let config = config(&json!({"commands": {"ownerAllowFrom": ["telegram:42"]}}));
    let spawned =
        |by: &str| Some(SessionEntry { spawned_by: Some(by.to_owned()), ..SessionEntry::default() });
    let rows = [
        ("agent:main:main", None, None, "+"),
        ("agent:main:telegram:direct:42", Some("42"), None, "+"),
        ("agent:main:telegram:group:-1", Some("42"), None, "+"),
        ("agent:main:telegram:group:-1", Some("43"), None, "owner built in"),
        ("agent:main:signal:direct:42", Some("42"), None, "owner built in"),
        ("agent:main:subagent:x", None, spawned("agent:main:main"), "+"),
        ("agent:main:subagent:x", None, spawned("agent:main:telegram:group:-1"), "owner built in"),
    ];
    for (key, sender, session, expected) in rows {
        let case = Case { key, sender, session, ..CASE };
        assert_eq!(case.decides(&config, "nodes"), expected, "{key} {sender:?}");
    }
}

#[test]
fn the_owner_can_give_somebody_else_some_of_it_and_never_the_settings() {
    let gives = json!({"alsoAllow": ["nodes", "gateway", "files:all"]});
    let written = json!({
        "tools": {"toolsBySender": {"telegram:43": gives}},
        "channels": {"telegram": {"groups": {"-1": {"tools": {"alsoAllow": ["cron"]}}}}},
    });
    let config = config(&written);
    let rows = [
        ("agent:main:telegram:direct:43", "43", "nodes", "+"),
        ("agent:main:telegram:direct:43", "43", "gateway", "owner built in"),
        ("agent:main:telegram:direct:43", "43", "cron", "owner built in"),
        ("agent:main:telegram:direct:44", "44", "nodes", "owner built in"),
        ("agent:main:telegram:group:-1", "44", "cron", "+"),
        ("agent:main:telegram:group:-2", "44", "cron", "owner built in"),
    ];
    for (key, sender, tool, expected) in rows {
        let decides = Case { key, sender: Some(sender), ..CASE }.decides(&config, tool);
        assert_eq!(decides, expected, "{tool} in {key} for {sender}");
    }
    assert_eq!(misspelled(&config, std::iter::empty()), Vec::new());
}

#[test]
fn a_subagent_of_a_group_keeps_to_the_groups_tools() {
    let config =
        config(&json!({"channels": {"telegram": {"groups": {"-1": {"tools": {"deny": ["exec"]}}}}}}));
    let session = SessionEntry {
        spawned_by: Some("agent:main:telegram:group:-1".to_owned()),
        ..SessionEntry::default()
    };
    let case = Case { key: "agent:main:subagent:x", session: Some(session), ..CASE };
    assert_eq!(case.decides(&config, "exec"), "group channels.telegram.groups[-1].tools");
}

#[test]
fn a_subagent_of_a_subagent_keeps_to_the_tools_of_the_group_it_all_began_in() {
    let config =
        config(&json!({"channels": {"telegram": {"groups": {"-1": {"tools": {"deny": ["exec"]}}}}}}));
    let session =
        SessionEntry { spawned_by: Some("agent:main:subagent:x".to_owned()), ..SessionEntry::default() };
    let works_for = Some("agent:main:telegram:group:-1");
    let case = Case { key: "agent:main:subagent:y", session: Some(session), works_for, ..CASE };
    assert_eq!(case.decides(&config, "exec"), "group channels.telegram.groups[-1].tools");
    assert_eq!(case.decides(&config, "nodes"), "owner built in");
}

#[test]
fn what_others_said_is_not_the_owners_wish_though_another_conversation_passes_it_on() {
    let config = config(&json!({}));
    assert_eq!(Case { passed_on: true, ..CASE }.decides(&config, "gateway"), "owner built in");
    assert_eq!(CASE.decides(&config, "gateway"), "+");
}

#[test]
fn the_patch_tool_is_for_models_that_know_its_format_and_owners_who_want_it() {
    let off = ApplyPatch { enabled: false, workspace_only: true, allow_models: Vec::new() };
    let on = ApplyPatch { enabled: true, ..off.clone() };
    let named = |name: &str| ApplyPatch { allow_models: vec![name.to_owned()], ..on.clone() };
    let gpt = ("openai", "gpt-5.2");
    let rows = [
        (off, gpt, false),
        (on.clone(), gpt, true),
        (on.clone(), ("openai-codex", "gpt-5.2"), true),
        (on.clone(), ("anthropic", "claude"), false),
        (on.clone(), ("openrouter", "openai/gpt-5.2"), false),
        (named("gpt-5.2"), gpt, true),
        (named("OpenAI/GPT-5.2 "), gpt, true),
        (named("gpt-5"), gpt, false),
    ];
    for (patch, model, expected) in rows {
        let model = ModelName { provider: model.0, model: model.1 };
        assert_eq!(may_patch(&patch, model), expected, "{patch:?} {model:?}");
    }
}

#[test]
fn misspelled_entries_are_found_wherever_they_are_written() {
    let config = config(&json!({
        "tools": {"deny": ["exce", "group:fs", "my_tool"], "byProvider": {"fake": {"allow": ["raed"]}}},
        "agents": {"list": [{"id": "main", "tools": {"profile": "coding", "alsoAllow": ["wirte", "cron"]}}]},
    }));
    let found = misspelled(&config, ["my_tool"].into_iter());
    let found: Vec<String> = found.iter().map(|entry| format!("{} {}", entry.place, entry.pattern)).collect();
    let expected =
        ["agents.list[main].tools.alsoAllow wirte", "tools.byProvider[fake].allow raed", "tools.deny exce"];
    assert_eq!(found, expected);
}

/// Something somebody said in a group.
fn said_by(config: &Config, id: &str) -> Admitted {
    let key = SessionKey::parse("agent:main:telegram:group:-100").unwrap();
    let mut message = Inbound::from_operator(key.clone(), "m".to_owned(), "hi".to_owned(), 1);
    message.channel = ChannelId::parse("telegram").unwrap();
    message.sender = Sender::Peer { id: PeerId::parse(id).unwrap(), name: None };
    let route = Route::decided(config, key, AgentId::main()).unwrap();
    admit_judged(message, "run".to_owned(), route, Verdict::Admitted(Standing::default())).unwrap()
}

#[test]
fn who_has_tools_of_their_own_has_others_than_the_rest_of_the_group() {
    let config = config(&json!({"channels": {"telegram": {"groups": {
        "-100": {"tools": {"allow": ["read"]}, "toolsBySender": {"id:42": {"allow": ["exec"]}}},
    }}}}));
    let [trusted, ann, bob] = ["42", "7", "8"].map(|id| said_by(&config, id));
    assert!(have_same_tools(&config, &ann, &bob));
    assert!(!have_same_tools(&config, &trusted, &bob) && !have_same_tools(&config, &ann, &trusted));
}
