//! Where messages belong.

use homard_channel::{Conversation, Sender};
use homard_protocol::{AgentId, SessionKey};

use super::{RoutePolicy, Unroutable, route};
use crate::intake::admit::{admit, tests::inbound};

fn routed(key: &str) -> Result<(String, String), Unroutable> {
    let policy = RoutePolicy {
        default_agent: AgentId::main(),
        agents: vec![AgentId::main(), AgentId::parse("ops").unwrap()],
    };
    let mut message = inbound(Sender::Operator);
    message.conversation = Conversation::Session(SessionKey::parse(key).unwrap());
    let routed = route(&policy, admit(message, false).unwrap())?;
    Ok((routed.session_key().to_string(), routed.agent().to_string()))
}

#[test]
fn the_session_key_decides() {
    let pair = |a: &str, b: &str| Ok((a.to_owned(), b.to_owned()));
    assert_eq!(routed("agent:main:main"), pair("agent:main:main", "main"));
    assert_eq!(routed("agent:ops:x"), pair("agent:ops:x", "ops"));
    assert_eq!(routed("global"), pair("global", "main"));
    assert_eq!(routed("agent:ghost:x"), Err(Unroutable::UnknownAgent(AgentId::parse("ghost").unwrap())));
}
