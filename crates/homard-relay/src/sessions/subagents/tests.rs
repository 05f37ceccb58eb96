//! What is told about subagents.

use homard_protocol::{AgentId, RunId, SessionKey, Usage, Word};
use homard_store::{NewSubagent, RunStatus, SessionEntry};

use super::announce::{ChildOutcome, announcement};
use super::{Plan, settings};

fn child() -> NewSubagent {
    NewSubagent {
        run_id: RunId::parse("run").unwrap(),
        child_key: SessionKey::parse("agent:main:subagent:x").unwrap(),
        requester_key: SessionKey::parse("agent:main:main").unwrap(),
        requester_run: RunId::parse("parent").unwrap(),
        depth: 1,
        label: Some("counter".to_owned()),
        task: "count".to_owned(),
        delete_after: false,
        asks_at: None,
    }
}

#[test]
fn a_report_says_who_how_what_and_at_what_price() {
    let mut usage = Usage { input: 100, output: 20, total_tokens: 120, ..Usage::default() };
    usage.cost.total = 0.5;
    let done = ChildOutcome {
        status: Some(RunStatus::Ok),
        reply: Some("42".to_owned()),
        millis: 1_500,
        usage,
        ..ChildOutcome::default()
    };
    let text = announcement(&child(), &done, false);
    for part in [
        "\"counter\" completed",
        "Result:\n42",
        "1.5 s",
        "120 tokens (100 in, 20 out)",
        "$0.5000",
        "NO_REPLY",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!announcement(&child(), &done, true).contains("NO_REPLY"));
    let rows = [
        (RunStatus::Interrupted, "cut off by a restart"),
        (RunStatus::TimedOut, "ran out of time"),
        (RunStatus::Aborted, "was stopped"),
        (RunStatus::Error, "failed: no key"),
    ];
    for (status, words) in rows {
        let fared = ChildOutcome {
            status: Some(status),
            error: Some("no key".to_owned()),
            ..ChildOutcome::default()
        };
        let text = announcement(&child(), &fared, false);
        assert!(text.contains(words) && text.contains("(no text)"), "{text}");
    }
}

#[test]
fn only_the_exact_word_silences_a_report() {
    let said = |reply: &str, status| ChildOutcome {
        status: Some(status),
        reply: Some(reply.to_owned()),
        ..ChildOutcome::default()
    };
    assert!(said(" ANNOUNCE_SKIP\n", RunStatus::Ok).is_silent());
    assert!(!said("ANNOUNCE_SKIP.", RunStatus::Ok).is_silent());
    assert!(!said("ANNOUNCE_SKIP", RunStatus::Error).is_silent());
}

#[test]
fn a_child_may_run_no_more_commands_than_the_conversation_that_asks() {
    let asking = SessionEntry {
        exec_security: Some(Word::of("allowlist")),
        exec_ask: Some(Word::of("always")),
        ..SessionEntry::default()
    };
    let plan = Plan {
        agent: AgentId::main(),
        model: None,
        thinking: None,
        depth: 1,
        asking: Box::new(asking.clone()),
    };
    let mut child = SessionEntry::default();
    settings(&plan, None)(&mut child);
    assert_eq!((child.exec_security, child.exec_ask), (asking.exec_security, asking.exec_ask));
}
