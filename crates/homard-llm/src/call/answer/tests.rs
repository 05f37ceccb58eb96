//! Drafts survive what models and servers get wrong.

use std::collections::VecDeque;
use std::sync::Arc;

use homard_protocol::{ModelId, ProviderId, StopReason, Usage};

use super::{Count, Draft, MAX_ANSWER_BYTES};
use crate::call::arguments::{MAX_ARGUMENT_BYTES, arguments_fault};
use crate::spec::{ModelSpec, Price};

fn draft() -> Draft {
    let mut model = ModelSpec::new(ProviderId::parse("p").unwrap(), ModelId::parse("m").unwrap(), "api");
    model.price = Price { input: 1.0, output: 2.0, cache_read: 0.0, cache_write: 0.0 };
    Draft::new(Arc::new(model), 7)
}

#[test]
fn repeated_and_missing_call_ids_are_made_distinct() {
    let (mut draft, mut out) = (draft(), VecDeque::new());
    for id in ["a", "a", "", "bad\u{1}"] {
        draft.open_call(id, "read", &mut out).unwrap();
    }
    draft.close_calls(&mut out);
    let ids: Vec<_> = draft.take(StopReason::ToolUse, None).tool_calls().map(|c| c.id.to_string()).collect();
    assert_eq!(ids, ["a", "call_7_1", "call_7_2", "call_7_3"]);
}

#[test]
fn a_call_that_never_completed_is_not_in_the_message() {
    let (mut draft, mut out) = (draft(), VecDeque::new());
    let at = draft.text_block().unwrap();
    draft.append(at, "half".to_owned(), &mut out).unwrap();
    draft.open_call("a", "read", &mut out).unwrap();
    let message = draft.take(StopReason::Aborted, None);
    assert_eq!(message.text(), "half");
    assert_eq!(message.tool_calls().count(), 0);
}

#[test]
fn a_call_cut_before_its_first_argument_is_forgotten() {
    let (mut draft, mut out) = (draft(), VecDeque::new());
    for id in ["whole", "cut"] {
        let at = draft.open_call(id, "read", &mut out).unwrap();
        draft.close_call(at, &mut out);
    }
    draft.drop_cut_calls();
    let ids: Vec<_> = draft.take(StopReason::Length, None).tool_calls().map(|c| c.id.to_string()).collect();
    assert_eq!(ids, ["whole"], "an earlier call without arguments was meant so");
}

#[test]
fn an_endless_answer_is_refused() {
    let (mut draft, mut out) = (draft(), VecDeque::new());
    let at = draft.text_block().unwrap();
    // Lines that differ: one that came again and again would be stopped long before.
    let mut lines = (0_u32..).map(|n| format!("{n:016x}{:015x}\n", n.wrapping_mul(2_654_435_761)));
    let mut piece = || lines.by_ref().take(MAX_ANSWER_BYTES / 4 / 32).collect::<String>();
    for _quarter in 0..4 {
        draft.append(at, piece(), &mut out).unwrap();
    }
    let error = draft.append(at, "x".to_owned(), &mut out).unwrap_err();
    assert_eq!(error.reason.as_str(), "format");
}

#[test]
fn arguments_without_end_are_not_kept_and_the_call_says_so() {
    let (mut draft, mut out) = (draft(), VecDeque::new());
    let at = draft.open_call("a", "write", &mut out).unwrap();
    for _piece in 0..50 {
        draft.append(at, "x".repeat(MAX_ARGUMENT_BYTES), &mut out).unwrap();
    }
    draft.close_calls(&mut out);
    draft.drop_cut_calls();
    let message = draft.take(StopReason::ToolUse, None);
    let call = message.tool_calls().next().unwrap();
    assert!(arguments_fault(&call.arguments).is_some_and(|fault| fault.contains("too long")), "{call:?}");
    assert!(call.arguments.to_string().len() < 1_000);
}

#[test]
fn usage_is_priced_and_summed() {
    let (mut draft, mut out) = (draft(), VecDeque::new());
    draft.count(Usage { input: 1_000_000, output: 1_000_000, ..Usage::default() }, &mut out);
    assert_eq!(draft.usage().total_tokens, 2_000_000);
    assert!((draft.usage().cost.total - 3.0).abs() < 1e-9);
}

#[test]
fn odd_token_counts_count_as_none() {
    for (text, expected) in
        [("5", 5), ("-5", 0), ("1.5", 0), ("null", 0), ("\"7\"", 0), ("{}", 0), ("[1]", 0)]
    {
        assert_eq!(serde_json::from_str::<Count>(text).unwrap(), Count(expected), "{text}");
    }
}

#[test]
fn a_call_cut_off_by_the_length_limit_is_forgotten_whether_or_not_it_was_closed() {
    let (mut draft, mut out) = (draft(), VecDeque::new());
    for (id, json, closed) in [("a", "{\"x\":1}", true), ("b", "{\"x\":", true), ("c", "{\"x\":", false)] {
        let at = draft.open_call(id, "write", &mut out).unwrap();
        draft.append(at, json.to_owned(), &mut out).unwrap();
        if closed {
            draft.close_call(at, &mut out);
        }
    }
    draft.drop_cut_calls();
    draft.close_calls(&mut out);
    let ids: Vec<_> = draft.take(StopReason::Length, None).tool_calls().map(|c| c.id.to_string()).collect();
    assert_eq!(ids, ["a"]);
}

#[test]
fn an_answer_that_became_a_loop_is_stopped_in_words_and_kept_short() {
    for thinks in [false, true] {
        let (mut draft, mut out) = (draft(), VecDeque::new());
        let at = if thinks { draft.thinking_block() } else { draft.text_block() }.unwrap();
        draft.append(at, "Let me see. ".to_owned(), &mut out).unwrap();
        let error =
            (0..10_000).find_map(|_| draft.append(at, "I'm sorry, ".to_owned(), &mut out).err()).unwrap();
        assert_eq!(error.reason.as_str(), "repetition");
        assert!(
            error.message.contains("over and over (“") && error.message.contains("sorry"),
            "{}",
            error.message
        );
        let message = draft.take(StopReason::Error, None);
        let kept = serde_json::to_string(&message.content).unwrap();
        assert!(kept.contains("Let me see. ") && kept.matches("I'm sorry").count() <= 4, "{kept}");
    }
}
