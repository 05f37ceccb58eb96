//! What budgets people write mean.

use homard_protocol::AgentId;
use serde_json::{Value, json};

use super::{Budget, Budgets, Limit, Resolve};
use crate::env::Environment;
use crate::paths::Paths;

fn decided(written: Value) -> (Budgets, Vec<String>) {
    let env = Environment::default();
    let paths = Paths::under(std::path::Path::new("home"));
    let mut cx = Resolve::new(&paths, &env);
    let budgets = Budgets::resolve(serde_json::from_value(written).unwrap(), &mut cx);
    (budgets, cx.issues.iter().map(|issue| issue.path.clone()).collect())
}

#[test]
fn what_is_not_written_is_not_limited() {
    let (budgets, issues) = decided(json!({}));
    assert!(budgets.is_empty() && issues.is_empty());
    let (budgets, _) = decided(json!({"session": {"total": {"tokens": 1}}}));
    assert!(!budgets.is_empty());
}

#[test]
fn each_scope_keeps_its_periods() {
    let (budgets, issues) = decided(json!({
        "gateway": {"month": {"usd": 20}},
        "agents": {"main": {"day": {"tokens": 1000, "usd": 1.5}}},
        "jobs": {"digest": {"day": {"usd": 0}}},
    }));
    assert_eq!(issues, Vec::<String>::new());
    assert_eq!(budgets.gateway.month, Limit { tokens: None, usd: Some(20.0) });
    let main = Budget { day: Limit { tokens: Some(1000), usd: Some(1.5) }, ..Budget::default() };
    assert_eq!(budgets.agents[&AgentId::parse("main").unwrap()], main);
    assert_eq!(budgets.jobs["digest"].day.usd, Some(0.0));
}

#[test]
fn a_total_outside_sessions_and_a_negative_sum_are_refused() {
    let (_, issues) = decided(json!({
        "gateway": {"total": {"usd": 1}},
        "session": {"day": {"usd": -1}},
    }));
    assert_eq!(issues, ["budgets.gateway.total", "budgets.session.day.usd"]);
}
