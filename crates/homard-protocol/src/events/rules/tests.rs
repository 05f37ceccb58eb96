//! The table is in order, and the events of this gateway agree with it.

use super::{Drop, RULES, rule};
use crate::event::{Event, Guard};
use crate::events::{
    ALL_EVENTS, AgentEvent, ChannelsPairingRequestedEvent, ChannelsPairingResolvedEvent, ChatEvent,
    ConfigChangedEvent, DevicePairRequestedEvent, DevicePairResolvedEvent, DevicePairSetupCompletedEvent,
    ExecApprovalRequestedEvent, ExecApprovalResolvedEvent, HealthEvent, HeartbeatEvent,
    PluginApprovalRequestedEvent, PluginApprovalResolvedEvent, PresenceEvent, SessionOperationEvent,
    SessionsChangedEvent, ShutdownEvent, SkillsChangedEvent, TalkModeEvent, TickEvent,
};
use crate::scope::Scope;

#[test]
fn the_table_is_in_order_without_repetition() {
    assert!(RULES.windows(2).all(|pair| pair[0].name < pair[1].name));
    assert!(RULES.iter().all(|known| rule(known.name) == Some(known)));
    assert_eq!(rule("no.such.event"), None);
}

#[test]
fn every_event_this_gateway_lists_has_a_rule() {
    for name in ALL_EVENTS {
        assert!(rule(name).is_some(), "{name}");
    }
}

#[test]
fn what_the_payloads_say_about_their_guard_is_what_the_table_says() {
    fn one<E: Event>() -> (&'static str, Guard) {
        (E::NAME, E::GUARD)
    }
    let known = [
        one::<AgentEvent>(),
        one::<ChannelsPairingRequestedEvent>(),
        one::<ChannelsPairingResolvedEvent>(),
        one::<ChatEvent>(),
        one::<DevicePairRequestedEvent>(),
        one::<DevicePairResolvedEvent>(),
        one::<DevicePairSetupCompletedEvent>(),
        one::<ExecApprovalRequestedEvent>(),
        one::<ExecApprovalResolvedEvent>(),
        one::<HealthEvent>(),
        one::<HeartbeatEvent>(),
        one::<ConfigChangedEvent>(),
        one::<SessionOperationEvent>(),
        one::<SkillsChangedEvent>(),
        one::<PluginApprovalRequestedEvent>(),
        one::<PluginApprovalResolvedEvent>(),
        one::<PresenceEvent>(),
        one::<SessionsChangedEvent>(),
        one::<ShutdownEvent>(),
        one::<TalkModeEvent>(),
        one::<TickEvent>(),
    ];
    for (name, guard) in known {
        assert_eq!(rule(name).map(|rule| rule.guard), Some(guard), "{name}");
    }
}

#[test]
fn nothing_that_asks_a_person_may_be_lost() {
    for known in RULES {
        let asks = matches!(known.guard, Guard::Operator(Scope::Approvals | Scope::Questions));
        assert!(!asks || known.drop == Drop::Never, "{}", known.name);
    }
}
