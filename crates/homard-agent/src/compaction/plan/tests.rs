//! Where conversations are cut: a table, and what holds for any conversation.

use homard_protocol::{
    AssistantBlock, AssistantMessage, Entry, EntryId, EntryKind, Message, StopReason, ToolCall, ToolCallId,
    ToolResultMessage, UserBlock, UserContent, UserMessage,
};
use proptest::prelude::*;

use super::{Keep, LEAST_GAIN, Plan, plan};

/// What an entry of a test is: `u`ser, `a`nswer, `c`all, `r`esult of the oldest open call, `n`othing told.
type Word = (char, usize);
/// The first entry that stays, and the request when it does not.
type Expected = Option<(usize, Option<usize>)>;

fn entry(at: usize, kind: EntryKind) -> Entry {
    let id = EntryId::parse(&format!("{at:08x}")).unwrap();
    Entry { id, parent_id: None, timestamp: String::new(), kind }
}

fn conversation(words: &[Word]) -> Vec<Entry> {
    let mut open = std::collections::VecDeque::new();
    let mut entries = Vec::new();
    for (at, &(kind, bytes)) in words.iter().enumerate() {
        let text = "x".repeat(bytes);
        let message = match kind {
            'u' => Message::User(UserMessage {
                content: UserContent::Text(text),
                timestamp: 1,
                idempotency_key: None,
            }),
            'c' => {
                let id = ToolCallId::parse(&format!("call_{at}")).unwrap();
                open.push_back(id.clone());
                let mut answer = AssistantMessage::injected(text, StopReason::ToolUse, 1);
                answer.content.push(AssistantBlock::ToolCall(ToolCall {
                    id,
                    name: "look".to_owned(),
                    arguments: serde_json::json!({}),
                    thought_signature: None,
                }));
                Message::Assistant(answer)
            }
            'r' => Message::ToolResult(ToolResultMessage {
                tool_call_id: open.pop_front().unwrap_or_else(|| ToolCallId::parse("nobody").unwrap()),
                tool_name: "look".to_owned(),
                content: vec![UserBlock::text(text)],
                details: None,
                is_error: false,
                timestamp: 1,
            }),
            'n' => {
                entries.push(entry(at, EntryKind::SessionInfo { name: text }));
                continue;
            }
            _ => Message::Assistant(AssistantMessage::injected(text, StopReason::Stop, 1)),
        };
        entries.push(entry(at, EntryKind::Message { message }));
    }
    entries
}

/// A conversation of entries of 400 bytes, that is 104 tokens (105 for a call).
fn of(kinds: &str) -> Vec<Entry> {
    conversation(&kinds.chars().map(|kind| (kind, 400)).collect::<Vec<_>>())
}

#[test]
fn the_cut_is_where_the_table_says() {
    // Conversation, wanted, most, first kept, request before the cut.
    let rows: [(&str, u64, u64, Expected); 12] = [
        ("uauaua", 10_000, 10_000, None),
        ("uauaua", 300, 300, Some((4, None))),
        ("uauaua", 420, 420, Some((2, None))),
        // An answer may come first too.
        ("uauaua", 320, 320, Some((3, None))),
        // The newest turn stays whole while it is allowed to.
        ("uaucrcra", 100, 700, Some((2, None))),
        // Then it is cut between its steps.
        ("uaucrcra", 320, 320, Some((5, Some(2)))),
        ("uaucrcra", 110, 110, Some((7, Some(2)))),
        // Its newest step stays however small the room.
        ("uaucrcr", 1, 1, Some((5, Some(2)))),
        // A pair that a message runs through is not parted.
        ("uacura", 300, 300, Some((5, Some(3)))),
        // A summary before this part holds the request.
        ("crcrcr", 300, 300, Some((4, None))),
        ("u", 1, 1, None),
        ("", 1, 1, None),
    ];
    for (kinds, wanted, most, expected) in rows {
        let found = plan(&of(kinds), Keep { wanted, most });
        assert_eq!(found.map(|plan| (plan.first_kept, plan.request)), expected, "{kinds} {wanted}");
    }
}

#[test]
fn a_cut_that_saves_next_to_nothing_is_not_made() {
    let entries = conversation(&[('u', 40), ('a', 40), ('u', 40), ('c', 40), ('r', 400_000)]);
    assert_eq!(plan(&entries, Keep { wanted: 100, most: 200 }), None);
}

fn words() -> impl Strategy<Value = Vec<Word>> {
    let kind = prop::sample::select(vec!['u', 'u', 'a', 'c', 'c', 'r', 'r', 'n']);
    prop::collection::vec((kind, 0_usize..3_000), 0..60)
}

fn parted(entries: &[Entry], at: usize) -> bool {
    let (before, after) = entries.split_at(at);
    let called = before.iter().flat_map(|entry| match &entry.kind {
        EntryKind::Message { message: Message::Assistant(answer) } => {
            answer.tool_calls().map(|call| call.id.clone()).collect::<Vec<_>>()
        }
        _ => Vec::new(),
    });
    let called: Vec<ToolCallId> = called.collect();
    after.iter().any(|entry| match &entry.kind {
        EntryKind::Message { message: Message::ToolResult(result) } => called.contains(&result.tool_call_id),
        _ => false,
    })
}

proptest! {
    #[test]
    fn no_pair_is_parted_and_the_newest_request_is_never_lost(words in words(), wanted in 0_u64..8_000, more in 0_u64..4_000) {
        let entries = conversation(&words);
        let keep = Keep { wanted, most: wanted + more };
        let newest = words.iter().rposition(|(kind, _)| *kind == 'u');
        let total: u64 = entries.iter().map(super::tokens).sum();
        let Some(Plan { first_kept, request, dropped, kept }) = plan(&entries, keep) else {
            return Ok(());
        };
        prop_assert!(first_kept > 0 && first_kept < entries.len());
        prop_assert!(!parted(&entries, first_kept));
        prop_assert!(newest.is_none_or(|newest| newest >= first_kept || request == Some(newest)));
        prop_assert_eq!(dropped + kept, total);
        prop_assert!(dropped * LEAST_GAIN >= total);
        // It fits, or nothing shorter could be kept.
        let shorter = (first_kept + 1..entries.len())
            .any(|at| matches!(words[at].0, 'u' | 'a' | 'c') && !parted(&entries, at));
        prop_assert!(kept <= keep.most || !shorter, "{kept} of {keep:?} at {first_kept}");
    }
}
