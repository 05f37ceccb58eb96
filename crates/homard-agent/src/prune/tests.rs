//! When old tool results are shortened, and that reading again shortens them the same way.

use homard_config::config::agents::pruning::{ContextPruning, ResultPruning};
use homard_protocol::{
    AssistantBlock, AssistantMessage, Entry, EntryId, EntryKind, Message, SessionId, StopReason, ToolCall,
    ToolCallId, ToolResultMessage, UserBlock, UserContent, UserMessage,
};
use homard_store::Context;
use jiff::tz::TimeZone;
use serde_json::json;

use super::PruneRules;
use crate::history::History;

const MINUTE: i64 = 60_000;
const START: i64 = 1_700_000_000_000;
const WINDOW: u32 = 20_000;

/// A turn with one tool call whose result has so many bytes.
fn turn(n: usize, at: i64, bytes: usize) -> Vec<Message> {
    let id = ToolCallId::parse(&format!("call_{n}")).unwrap();
    let mut calls = AssistantMessage::injected(String::new(), StopReason::ToolUse, at);
    calls.content = vec![AssistantBlock::ToolCall(ToolCall {
        id: id.clone(),
        name: "read".to_owned(),
        arguments: json!({}),
        thought_signature: None,
    })];
    vec![
        Message::User(UserMessage {
            content: UserContent::Text(format!("ask {n}")),
            timestamp: at,
            idempotency_key: None,
        }),
        Message::Assistant(calls),
        Message::ToolResult(ToolResultMessage {
            tool_call_id: id,
            tool_name: "read".to_owned(),
            content: vec![UserBlock::text("x".repeat(bytes))],
            details: None,
            is_error: false,
            timestamp: at,
        }),
        Message::Assistant(AssistantMessage::injected(format!("answer {n}"), StopReason::Stop, at)),
    ]
}

fn history(messages: &[Message]) -> History {
    let entries = messages.iter().enumerate().map(|(n, message)| Entry {
        id: EntryId::parse(&format!("e{n}")).unwrap(),
        parent_id: None,
        timestamp: String::new(),
        kind: EntryKind::Message { message: message.clone() },
    });
    let context = Context { entries: entries.collect(), last_seq: 0, ..Context::default() };
    History::new(SessionId::parse("s").unwrap(), context, TimeZone::UTC)
}

fn result_sizes(history: &History) -> Vec<usize> {
    let sizes = history.messages().into_iter().filter_map(|message| match &*message {
        Message::ToolResult(_) => Some(message.text().len()),
        _ => None,
    });
    sizes.collect()
}

/// Rules for a provider that remembers a conversation for five minutes.
fn under(results: ResultPruning) -> PruneRules {
    PruneRules { ttl: ContextPruning::DEFAULT_TTL, results }
}

/// Five turns with these pauses between them, the last one only asked.
fn pruned(pause: i64, bytes: usize, rules: &PruneRules) -> Vec<usize> {
    let messages: Vec<Message> =
        (0..5).flat_map(|n| turn(n, START + i64::try_from(n).unwrap() * pause, bytes)).collect();
    let mut history = history(&messages[..messages.len() - 3]);
    history.prune(rules, WINDOW);
    result_sizes(&history)
}

#[test]
fn results_are_shortened_only_after_a_pause_and_only_in_a_full_context() {
    let rules = under(ResultPruning::default());
    assert_eq!(pruned(MINUTE, 8_000, &rules), [8_000; 4], "the provider still remembers it");
    assert_eq!(pruned(10 * MINUTE, 4_500, &rules), [4_500; 4], "there is room enough");
    let sizes = pruned(10 * MINUTE, 8_000, &rules);
    assert!(sizes[0] < 4_000 && sizes[1] < 4_000, "{sizes:?}");
    assert_eq!(sizes[3], 8_000, "the newest answers keep theirs");
    let denied = under(ResultPruning { deny: vec!["re*".to_owned()], ..ResultPruning::default() });
    assert_eq!(pruned(10 * MINUTE, 8_000, &denied), [8_000; 4]);
}

#[test]
fn results_go_altogether_where_shortening_is_not_enough() {
    let rules = ResultPruning { min_prunable: 5_000, hard_percent: 10, ..ResultPruning::default() };
    let sizes = pruned(10 * MINUTE, 12_000, &under(rules));
    assert_eq!(sizes[0], "[Old tool result content cleared]".len(), "{sizes:?}");
    assert_eq!(sizes[3], 12_000, "{sizes:?}");
}

#[test]
fn a_conversation_read_anew_is_pruned_as_the_one_that_was_carried_along() {
    let rules = under(ResultPruning::default());
    let pauses = [0, 1, 10, 11, 30, 31, 32, 60];
    let messages: Vec<Message> =
        pauses.iter().enumerate().flat_map(|(n, minutes)| turn(n, START + minutes * MINUTE, 6_000)).collect();
    let mut carried = history(&[]);
    for (n, message) in messages.iter().enumerate() {
        carried.record(message.clone(), i64::try_from(n).unwrap() + 1);
        if matches!(message, Message::User(_)) {
            carried.prune(&rules, WINDOW);
        }
        let mut anew = history(&messages[..=n]);
        anew.prune(&rules, WINDOW);
        assert_eq!(result_sizes(&carried), result_sizes(&anew), "after {n}");
    }
}

#[test]
fn forgetting_old_turns_does_not_hide_a_moment_from_pruning() {
    let messages: Vec<Message> = (0..6).flat_map(|n| turn(n, START, 8_000)).collect();
    let mut told = history(&messages);
    told.limit_turns(Some(5));
    let rules = under(ResultPruning::default());
    told.prune(&rules, WINDOW);
    assert_eq!(result_sizes(&told), [8_000; 5], "nobody was late");
    // The oldest turn is forgotten with the next thing that is said, which comes late.
    for message in turn(6, START + 10 * MINUTE, 8_000).into_iter().take(1) {
        told.record(message, 1);
    }
    told.prune(&rules, WINDOW);
    assert!(result_sizes(&told)[0] < 4_000, "{:?}", result_sizes(&told));
}

/// The usual rules with one of them changed.
fn with(change: impl FnOnce(&mut ResultPruning)) -> PruneRules {
    let mut results = ResultPruning::default();
    change(&mut results);
    under(results)
}

#[test]
fn every_rule_of_pruning_does_what_it_says() {
    let late = |rules: &PruneRules| pruned(10 * MINUTE, 8_000, rules);
    let usual = late(&under(ResultPruning::default()));
    let untouched = [
        ("ttl", PruneRules { ttl: std::time::Duration::from_secs(20 * 60), ..with(|_| {}) }),
        ("soft_percent", with(|rules| rules.soft_percent = 90)),
        ("soft_max", with(|rules| rules.soft_max = 10_000)),
        ("keep_last_assistants", with(|rules| rules.keep_last_assistants = 100)),
        ("allow", with(|rules| rules.allow = vec!["write".to_owned()])),
    ];
    for (rule, rules) in untouched {
        assert_eq!(late(&rules), [8_000; 4], "{rule}");
    }
    let kept = late(&with(|rules| rules.keep_last_assistants = 1));
    assert_eq!((usual[2], kept[2] < 8_000), (8_000, true), "one turn less is kept: {usual:?} {kept:?}");
    for shorter in [with(|rules| rules.soft_head = 100), with(|rules| rules.soft_tail = 100)] {
        assert_eq!(usual[0] - late(&shorter)[0], 1_400, "{shorter:?}");
    }
    let cleared = |placeholder: Option<&str>| {
        let rules = ResultPruning { min_prunable: 5_000, hard_percent: 10, ..ResultPruning::default() };
        pruned(
            10 * MINUTE,
            12_000,
            &under(ResultPruning { placeholder: placeholder.map(str::to_owned), ..rules }),
        )[0]
    };
    assert_eq!(cleared(Some("gone")), 4);
    assert_eq!(cleared(None), usual[0] + 1, "shortened only, of a text of one digit more");
}
