//! Which questions to the owner a rule of `approvals` is for.

use homard_config::config::approvals::ApprovalRouting;
use homard_protocol::SessionKey;
use regex_lite::Regex;

/// Whether a rule is for questions of this conversation: it is in effect, and neither of its lists leaves it out. A
/// question without a conversation is in no list.
#[must_use]
pub fn concerns(rule: &ApprovalRouting, session: Option<&SessionKey>) -> bool {
    let agent = session.and_then(SessionKey::agent_id).map(|id| id.as_str());
    let key = session.map(ToString::to_string);
    let has_agent = |listed: &String| agent.is_some_and(|agent| listed.eq_ignore_ascii_case(agent));
    let has_key = |listed: &String| key.as_ref().is_some_and(|key| is_in(listed, key));
    rule.enabled
        && (rule.agents.is_empty() || rule.agents.iter().any(has_agent))
        && (rule.sessions.is_empty() || rule.sessions.iter().any(has_key))
}

/// A part of the key, or what a regular expression finds in it.
fn is_in(listed: &str, key: &str) -> bool {
    key.contains(listed) || Regex::new(listed).is_ok_and(|listed| listed.is_match(key))
}

#[cfg(test)]
mod tests {
    use homard_config::config::approvals::ApprovalRouting;
    use homard_protocol::SessionKey;

    use super::concerns;

    #[test]
    fn a_rule_is_for_the_agents_and_conversations_it_lists() {
        let rule = |agents: &[&str], sessions: &[&str]| ApprovalRouting {
            enabled: true,
            agents: agents.iter().map(ToString::to_string).collect(),
            sessions: sessions.iter().map(ToString::to_string).collect(),
            ..ApprovalRouting::default()
        };
        let main = SessionKey::parse("agent:main:chatter:direct:7").unwrap();
        for (agents, sessions, is_for) in [
            (&[][..], &[][..], true),
            (&["work", "Main"], &[], true),
            (&["work"], &[], false),
            (&[], &["direct:7"], true),
            (&[], &["^agent:main:.*:7$"], true),
            (&[], &["group", "(not a pattern"], false),
            (&["main"], &["group"], false),
        ] {
            assert_eq!(concerns(&rule(agents, sessions), Some(&main)), is_for, "{agents:?} {sessions:?}");
        }
        assert!(concerns(&rule(&[], &[]), None));
        assert!(!concerns(&rule(&["main"], &[]), None) && !concerns(&rule(&[], &["main"]), None));
        let off = ApprovalRouting { enabled: false, ..rule(&[], &[]) };
        assert!(!concerns(&off, Some(&main)));
    }
}
