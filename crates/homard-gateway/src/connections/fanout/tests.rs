//! Every event of the table against every scope and role.

use std::sync::Arc;

use homard_protocol::event::Guard;
use homard_protocol::events::rules::RULES;
use homard_protocol::{ConnId, Role, RunId, Scope, ScopeSet};
use homard_relay::{Audience, BusListener, EventHeading, Published};

use super::{Batch, Client, ClientCaps, Clients};

/// The narrow scope that is enough for `scope` where sessions are concerned.
fn expected(guard: Guard, role: Role, held: ScopeSet) -> bool {
    let operator = role == Role::Operator;
    match guard {
        Guard::Everyone => true,
        Guard::Node => !operator,
        Guard::Operator(scope) => operator && held.grants(scope),
        Guard::OperatorOrNode(scope) => !operator || held.grants(scope),
        Guard::Sessions(scope) => {
            operator && (held.grants(scope) || scope.for_sessions().is_some_and(|narrow| held.grants(narrow)))
        }
    }
}

async fn heard(client: &Client) -> Vec<String> {
    // The close is queued behind everything that was published, so the batch is never awaited in vain.
    client.close(super::Close::new(1000, "enough"));
    match client.next_batch().await {
        Batch::Frames(frames) => frames,
        Batch::Close(_) => Vec::new(),
    }
}

#[tokio::test]
async fn every_event_is_heard_by_those_who_may_and_by_nobody_else() {
    for role in [Role::Operator, Role::Node] {
        for held in std::iter::once(None).chain(Scope::ALL.map(Some)) {
            let scopes: ScopeSet = held.into_iter().collect();
            let clients = Clients::default();
            let client =
                Arc::new(Client::new(ConnId::parse("c").unwrap(), role, scopes, None, ClientCaps::default()));
            clients.add(Arc::clone(&client));
            for rule in RULES {
                let heading = EventHeading {
                    name: rule.name,
                    guard: rule.guard,
                    droppable: false,
                    audience: Audience::All,
                    session: None,
                    state_version: None,
                };
                assert_eq!(clients.wants(&heading), expected(rule.guard, role, scopes), "{}", rule.name);
                clients.hear(&Published { heading, payload: "{}".into() });
            }
            let frames = heard(&client).await;
            let wanted: Vec<&str> = RULES
                .iter()
                .filter(|rule| expected(rule.guard, role, scopes))
                .map(|rule| rule.name)
                .collect();
            let names: Vec<String> = frames
                .iter()
                .map(|frame| {
                    let frame: serde_json::Value = serde_json::from_str(frame).unwrap();
                    frame["event"].as_str().unwrap().to_owned()
                })
                .collect();
            assert_eq!(names, wanted, "{role} with {scopes:?}");
        }
    }
}

#[tokio::test]
async fn who_wants_to_hear_of_some_conversations_only_is_told_of_no_other() {
    let clients = Clients::default();
    let add = |name: &str, caps| {
        let scopes = ScopeSet::from_iter([Scope::Read]);
        let client = Client::new(ConnId::parse(name).unwrap(), Role::Operator, scopes, None, caps);
        let client = Arc::new(client);
        client.sessions_subscribed.store(true, std::sync::atomic::Ordering::Relaxed);
        client.owns(RunId::parse("r").unwrap());
        clients.add(Arc::clone(&client));
        client
    };
    let caps = ["tool-events".to_owned(), "session-scoped-events".to_owned()];
    let scoped = add("scoped", ClientCaps::read(&caps));
    assert!(scoped.hear("agent:main:main".to_owned()));
    let tool = Audience::ToolWatchers { run: RunId::parse("r").unwrap(), elsewhere: Some("session.tool") };
    let publish = |name: &'static str, audience: &Audience, session: Option<&str>| {
        let heading = EventHeading {
            name,
            guard: Guard::Operator(Scope::Read),
            droppable: false,
            audience: audience.clone(),
            session: session.map(Arc::from),
            state_version: None,
        };
        let wanted = clients.wants(&heading);
        clients.hear(&Published { heading, payload: "{}".into() });
        wanted
    };
    let mine = Some("agent:main:main");
    assert!(publish("chat", &Audience::All, mine));
    assert!(publish("agent", &tool, mine));
    assert!(!publish("chat", &Audience::All, Some("agent:main:other")));
    assert!(!publish("agent", &tool, Some("agent:main:other")));
    // What is no session's story is not affected, nor is anybody who did not ask for this.
    assert!(publish("sessions.changed", &Audience::SessionSubscribers, None));
    let other = add("other", ClientCaps::default());
    assert!(publish("agent", &tool, Some("agent:main:other")));
    let names = |frames: Vec<String>| -> Vec<String> {
        let name =
            |frame: &String| serde_json::from_str::<serde_json::Value>(frame).unwrap()["event"].clone();
        frames.iter().map(|frame| name(frame).as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(heard(&scoped).await), ["chat", "agent", "sessions.changed"]);
    assert_eq!(names(heard(&other).await), ["session.tool"]);
    scoped.unhear("agent:main:main");
    clients.remove(&other.conn);
    assert!(!publish("chat", &Audience::All, mine));
}
