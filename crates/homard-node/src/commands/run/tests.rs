//! Who may run what on a node, and what is told of it.

use proptest::prelude::*;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::super::CommandAnswer;
use super::super::tests::Lab;
use super::{line_of, quote};

async fn run(lab: &Lab, params: Value) -> Result<Value, String> {
    lab.ask("system.run", params).await.map_err(|failure| failure.message)
}

#[tokio::test]
async fn without_a_list_nothing_runs_that_nobody_approved() {
    let lab = Lab::new();
    let denied = run(&lab, json!({"command": ["touch", "x"]})).await.unwrap_err();
    assert!(denied.starts_with("SYSTEM_RUN_DENIED: approval required"), "{denied}");
    assert!(!lab.path().join("home/x").exists());
}

#[tokio::test]
async fn who_may_run_what() {
    let full = json!({"version": 1, "defaults": {"security": "full"}});
    let off = json!({"version": 1, "defaults": {"security": "deny"}});
    let list = |ask: &str| json!({"version": 1, "defaults": {"security": "allowlist", "ask": ask}, "agents": {"main": {"allowlist": [{"pattern": "/usr/bin/uname"}]}}});
    let uname = json!(["uname"]);
    let touch = json!(["touch", "x"]);
    let sh = json!(["/bin/sh", "-c", "touch x"]);
    let cases = [
        (&full, json!({"command": touch}), true),
        (&full, json!({"command": sh}), true),
        (&off, json!({"command": uname}), false),
        (&off, json!({"command": uname, "approved": true}), false),
        (&list("off"), json!({"command": uname}), true),
        (&list("off"), json!({"command": touch}), false),
        (&list("off"), json!({"command": touch, "approved": true}), false),
        (&list("off"), json!({"command": ["sh", "-c", "uname"]}), true),
        (&list("off"), json!({"command": ["sh", "-c", "uname; touch x"]}), false),
        (&list("on-miss"), json!({"command": touch}), false),
        (&list("on-miss"), json!({"command": touch, "approved": true}), true),
        (&list("on-miss"), json!({"command": touch, "approvalDecision": "allow-once"}), true),
        (&list("on-miss"), json!({"command": touch, "approvalDecision": "deny"}), false),
        (&list("always"), json!({"command": uname}), false),
        (&list("on-miss"), json!({"command": uname, "agentId": "other"}), false),
        (&full, json!({"command": ["env"], "env": {"LD_PRELOAD": "/x.so"}}), false),
    ];
    for (rules, params, runs) in cases {
        let lab = Lab::new();
        lab.rules(rules);
        let outcome = run(&lab, params.clone()).await;
        assert_eq!(outcome.is_ok(), runs, "{rules} {params} {outcome:?}");
    }
}

#[tokio::test]
async fn what_was_allowed_always_runs_again_without_a_question() {
    let lab = Lab::new();
    let touch = json!({"command": ["touch", "x"], "approved": true, "approvalDecision": "allow-always"});
    run(&lab, touch).await.unwrap();
    run(&lab, json!({"command": ["touch", "x"]})).await.unwrap();
    assert!(run(&lab, json!({"command": ["rm", "x"]})).await.is_err());
}

#[tokio::test]
async fn a_damaged_list_lets_nothing_run() {
    let lab = Lab::new();
    std::fs::write(lab.machine.policy.path(), "{ not json").unwrap();
    assert!(run(&lab, json!({"command": ["uname"], "approved": true})).await.is_err());
}

#[tokio::test]
async fn output_is_told_while_it_comes_and_kept_for_the_result() {
    let lab = Lab::new();
    lab.rules(&json!({"version": 1, "defaults": {"security": "full"}}));
    let params = json!({"command": ["sh", "-c", "echo out; echo err >&2; exit 3"], "runId": "r1"});
    let (reply, said) = lab.watch("system.run", params, CancellationToken::new()).await;
    let reply = reply.unwrap();
    assert_eq!(
        (&reply["exitCode"], &reply["success"], &reply["timedOut"]),
        (&json!(3), &json!(false), &json!(false))
    );
    assert!(
        reply["stdout"].as_str().unwrap().contains("out\n")
            && reply["stdout"].as_str().unwrap().contains("err\n")
    );
    let told: String = said
        .iter()
        .filter_map(|said| match said {
            CommandAnswer::Output(text) => Some(text.as_str()),
            CommandAnswer::Event(..) => None,
        })
        .collect();
    assert_eq!(told, reply["stdout"].as_str().unwrap());
    let events: Vec<&str> = said
        .iter()
        .filter_map(|said| match said {
            CommandAnswer::Event(name, facts) => {
                assert_eq!(
                    (&facts["runId"], &facts["sessionKey"]),
                    (&json!("r1"), &json!("agent:main:main"))
                );
                Some(*name)
            }
            CommandAnswer::Output(_) => None,
        })
        .collect();
    assert_eq!(events, ["exec.started", "exec.finished"]);
}

#[tokio::test]
async fn a_command_nobody_waits_for_is_ended() {
    let lab = Lab::new();
    lab.rules(&json!({"version": 1, "defaults": {"security": "full"}}));
    let cancel = CancellationToken::new();
    cancel.cancel();
    let (reply, _) = lab.watch("system.run", json!({"command": ["sleep", "600"]}), cancel).await;
    assert_eq!(reply.unwrap()["error"], "it was cancelled");
    let late = run(&lab, json!({"command": ["sleep", "600"], "timeoutMs": 1})).await.unwrap();
    assert_eq!((&late["timedOut"], &late["exitCode"]), (&json!(true), &Value::Null));
}

#[tokio::test]
async fn a_plan_says_what_would_run_and_runs_nothing() {
    let lab = Lab::new();
    let plan = json!({"command": ["touch", "a b"], "cwd": "/", "agentId": "main"});
    let plan = lab.ask("system.run.prepare", plan).await.unwrap();
    assert_eq!(plan["cmdText"], "touch 'a b'");
    assert_eq!(plan["plan"]["argv"], json!(["touch", "a b"]));
    assert_eq!(plan["plan"]["cwd"], "/");
}

#[test]
fn a_shells_own_line_is_what_is_looked_at() {
    let words = |words: &[&str]| line_of(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
    assert_eq!(words(&["sh", "-c", "a | b"]), "a | b");
    assert_eq!(words(&["bash", "-lc", "a"]), "a");
    assert_eq!(words(&["sh", "-c", "a", "b"]), "sh -c a b");
    assert_eq!(words(&["/tmp/sh", "-c", "a b"]), "/tmp/sh -c 'a b'");
    assert_eq!(words(&["echo", "it's"]), r"echo 'it'\''s'");
}

proptest! {
    #[test]
    fn a_quoted_word_is_read_back_as_itself(word in "[^\\x00]{0,40}") {
        let line = format!("program {}", quote(&word));
        if let Ok(segments) = homard_exec::approvals::read(&line) {
            let words = homard_exec::approvals::join(&segments);
            prop_assert!(words.starts_with("program"));
            prop_assert_eq!(segments.len(), 1);
        }
    }
}
