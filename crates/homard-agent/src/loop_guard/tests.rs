//! What is taken for a loop, and what is not.

use homard_config::config::tools::loops::{LoopDetection, LoopDetectors};
use homard_protocol::{ToolCall, ToolCallId};
use homard_tools::ToolOutcome;
use serde_json::{Value, json};

use super::LoopGuard;

const ALL: LoopDetectors =
    LoopDetectors { generic_repeat: true, known_poll_no_progress: true, ping_pong: true };

fn call(name: &str, arguments: Value) -> ToolCall {
    let id = ToolCallId::parse("call").unwrap();
    ToolCall { id, name: name.to_owned(), arguments, thought_signature: None }
}

/// What became of calls made one after the other: `.` for a plain result, `w` for one with a remark, `b` for a
/// refused call, and `!` where the run ended.
fn story(detectors: LoopDetectors, calls: impl IntoIterator<Item = (ToolCall, String)>) -> String {
    story_under(LoopDetection { detectors, ..LoopDetection::default() }, calls)
}

fn story_under(rules: LoopDetection, calls: impl IntoIterator<Item = (ToolCall, String)>) -> String {
    let mut guard = LoopGuard::new(rules);
    let mut story = String::new();
    for (call, result) in calls {
        if guard.refuse(&call).is_some() {
            story.push('b');
            if guard.ended().is_some() {
                story.push('!');
                break;
            }
            continue;
        }
        let mut outcome = ToolOutcome::text(result);
        guard.note(&call, &mut outcome);
        story.push(if outcome.content.len() > 1 { 'w' } else { '.' });
    }
    story
}

fn same(times: usize) -> impl Iterator<Item = (ToolCall, String)> {
    (0..times).map(|_| (call("read", json!({"path": "a"})), "nothing".to_owned()))
}

#[test]
fn the_same_call_with_the_same_result_is_remarked_on_refused_and_ends_the_run() {
    assert_eq!(story(LoopDetectors::default(), same(100)), ".........w.........wbbbbbbbbbb!");
}

#[test]
fn calls_that_get_somewhere_are_left_alone() {
    let getting_on = (0..100).map(|n| (call("read", json!({"path": "a"})), format!("line {n}")));
    assert_eq!(story(LoopDetectors::default(), getting_on), ".".repeat(100));
    let many = (0..100).map(|n| (call("read", json!({"path": n})), "nothing".to_owned()));
    assert_eq!(story(ALL, many), ".".repeat(100));
}

#[test]
fn the_same_call_is_remarked_on_where_the_owner_wants_it_whatever_comes_back() {
    let getting_on = (0..20).map(|n| (call("read", json!({"path": "a"})), format!("line {n}")));
    assert_eq!(story(ALL, getting_on), ".........w.........w");
}

#[test]
fn waiting_for_a_process_is_no_loop_unless_the_owner_says_so() {
    let polls = || (0..40).map(|_| (call("process", json!({"action": "poll"})), "still running".to_owned()));
    assert_eq!(story(LoopDetectors::default(), polls()), ".".repeat(40));
    assert_eq!(story(ALL, polls()), ".........w.........wbbbbbbbbbb!");
}

#[test]
fn two_calls_in_turn_without_new_fruit_are_a_loop_where_the_owner_looks_for_it() {
    let turns = || (0..60).map(|n| (call("read", json!({"path": n % 2})), format!("the same {}", n % 2)));
    assert!(!story(LoopDetectors::default(), turns()).contains('b'));
    let story = story(LoopDetectors { ping_pong: true, ..LoopDetectors::default() }, turns());
    assert!(story.contains('w') && story.ends_with("b!"), "{story}");
}

#[test]
fn how_far_back_is_looked_is_the_owners_choice() {
    // Nine other calls between two of the same kind.
    let calls = || (0..300).map(|n| (call("read", json!({"path": n % 10})), format!("the same {}", n % 10)));
    assert!(story_under(LoopDetection { history: 300, ..LoopDetection::default() }, calls()).contains('w'));
    let story = story_under(LoopDetection { history: 20, ..LoopDetection::default() }, calls());
    assert!(!story.contains('w'), "{story}");
}
