//! What subagents may use, and what is told about them.

use std::path::Path;

use homard_config::{Config, Environment, Paths};
use homard_protocol::{RunId, SessionKey, Usage};
use homard_store::{NewSubagent, RunStatus};
use homard_tools::ToolPolicy;

use super::announce::{Fared, announcement};
use super::denials;

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
    }
}

#[test]
fn subagents_are_offered_less_and_leaves_least() {
    let mut config = Config::empty(&Paths::under(Path::new("home")), &Environment::default());
    config.agents.defaults.subagents.max_depth = 2;
    config.tools.subagents.deny = vec!["exec".to_owned()];
    let rows = [
        ("read", true, true),
        ("exec", false, false),
        ("gateway", false, false),
        ("agents_list", false, false),
        ("session_status", false, false),
        ("cron", false, false),
        ("memory_search", false, false),
        ("memory_get", false, false),
        ("sessions_send", false, false),
        ("sessions_list", true, false),
        ("sessions_history", true, false),
        ("sessions_spawn", true, false),
        ("subagents", true, false),
    ];
    for (tool, in_the_middle, as_leaf) in rows {
        let allowed = |depth| ToolPolicy::new(vec![denials(&config, depth)]).decide(tool).allowed;
        assert_eq!((allowed(1), allowed(2)), (in_the_middle, as_leaf), "{tool}");
    }
}

#[test]
fn a_report_says_who_how_what_and_at_what_price() {
    let mut usage = Usage { input: 100, output: 20, total_tokens: 120, ..Usage::default() };
    usage.cost.total = 0.5;
    let done = Fared {
        status: Some(RunStatus::Ok),
        reply: Some("42".to_owned()),
        millis: 1_500,
        usage,
        ..Fared::default()
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
        let fared = Fared { status: Some(status), error: Some("no key".to_owned()), ..Fared::default() };
        let text = announcement(&child(), &fared, false);
        assert!(text.contains(words) && text.contains("(no text)"), "{text}");
    }
}

#[test]
fn only_the_exact_word_silences_a_report() {
    let said = |reply: &str, status| Fared {
        status: Some(status),
        reply: Some(reply.to_owned()),
        ..Fared::default()
    };
    assert!(said(" ANNOUNCE_SKIP\n", RunStatus::Ok).is_silent());
    assert!(!said("ANNOUNCE_SKIP.", RunStatus::Ok).is_silent());
    assert!(!said("ANNOUNCE_SKIP", RunStatus::Error).is_silent());
}
