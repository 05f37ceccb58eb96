//! Who sees whom.

use homard_config::config::agents::delegation::{AgentToAgent, Visibility};
use homard_protocol::{AgentId, SessionKey};

use serde_json::json;

use super::{has_strangers, judge};
use crate::fixture::World;

#[tokio::test]
async fn visibility_and_the_policy_between_agents_decide_together() {
    let closed = AgentToAgent::default();
    let world = World::new(json!({"tools": {"agentToAgent": {"enabled": true}}}));
    let open = world.relay.inner().config().tools.agent_to_agent.clone();
    let narrow = World::new(json!({"tools": {"agentToAgent": {"enabled": true, "allow": ["main", "home"]}}}));
    let narrow = narrow.relay.inner().config().tools.agent_to_agent.clone();
    let (main, work) = (AgentId::main(), AgentId::parse("work").unwrap());
    let (same, other) = ((&main, &main), (&main, &work));
    let rows = [
        (Visibility::OnlySelf, &closed, same, true, true),
        (Visibility::OnlySelf, &open, same, false, false),
        (Visibility::Tree, &closed, same, true, true),
        (Visibility::Tree, &closed, other, true, true),
        (Visibility::Tree, &open, same, false, false),
        (Visibility::Agent, &closed, same, false, true),
        (Visibility::Agent, &open, other, false, false),
        (Visibility::All, &closed, same, false, true),
        (Visibility::All, &closed, other, false, false),
        (Visibility::All, &open, other, false, true),
        (Visibility::All, &narrow, other, false, false),
    ];
    for (visibility, between, agents, is_own, expected) in rows {
        let judged = judge(visibility, between, agents.0, agents.1, is_own);
        assert_eq!(judged.is_ok(), expected, "{visibility:?} {between:?} {agents:?} {is_own}");
    }
}

#[test]
fn strangers_write_where_platforms_and_hooks_do() {
    let rows = [
        ("agent:main:main", false),
        ("agent:main:shopping", false),
        ("agent:main:subagent:x", false),
        ("agent:main:cron:job", false),
        ("agent:main:direct:somebody", true),
        ("agent:main:hook:mail", true),
        ("unknown", true),
    ];
    for (key, expected) in rows {
        assert_eq!(has_strangers(&SessionKey::parse(key).unwrap()), expected, "{key}");
    }
}
