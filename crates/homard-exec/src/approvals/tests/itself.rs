//! A command that speaks to this gateway, or runs what can change: what is asked, what is never remembered.

use serde_json::json;

use super::{Decision, ExecRules, Request, World};
use crate::env::BuiltEnv;

#[test]
fn a_command_of_this_program_is_always_asked_about_and_never_remembered() {
    let world = World::new();
    world.allow(json!({"pattern": "*"}));
    world.allow(json!({"pattern": "homard"}));
    world.allow(json!({"pattern": "sh", "argPattern": r"^-c\x00homard approvals allow x\x00$"}));
    for line in
        ["homard approvals allow x", "sh -c 'homard approvals allow x'", "echo a; homard config set x y"]
    {
        let question = world.asks(line);
        assert!(!question.can_always() && !question.runs_unanswered, "{line}");
    }
}

#[test]
fn where_every_command_runs_this_program_is_asked_about_all_the_same() {
    let env = BuiltEnv::from_base(&std::collections::BTreeMap::new());
    let dir = tempfile::tempdir().unwrap();
    let decide = |line: &str| {
        let request = Request { line, cwd: dir.path(), env: &env, variables: &[], security: None, ask: None };
        ExecRules::default().decide(&request, 0)
    };
    assert_eq!(decide("ls"), Decision::Run);
    assert!(matches!(decide("(sleep 9; homard approvals allow 1234) &"), Decision::Ask(_)));
}

#[test]
fn a_person_is_told_that_always_means_whatever_the_files_hold() {
    let world = World::new();
    let told = |line: &str| {
        world.asks(line).reasons.iter().any(|reason| reason.contains("whatever those files hold"))
    };
    assert!(told("make test"));
    assert!(told("./run.sh"));
}
