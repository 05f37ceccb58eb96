//! Every event of the table against every scope and role.

use std::sync::Arc;

use homard_protocol::event::Guard;
use homard_protocol::events::rules::RULES;
use homard_protocol::{ConnId, Role, Scope, ScopeSet};
use homard_relay::{Audience, Published};

use super::{Batch, Client, Clients};

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
            let client = Arc::new(Client::new(ConnId::parse("c").unwrap(), role, scopes, None, false));
            clients.add(Arc::clone(&client));
            for rule in RULES {
                clients.publish(&Published {
                    name: rule.name,
                    guard: rule.guard,
                    droppable: false,
                    payload: "{}".into(),
                    audience: Audience::All,
                    state_version: None,
                });
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
