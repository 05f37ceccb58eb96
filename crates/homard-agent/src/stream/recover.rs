//! Calls a model wrote as text become calls: validated, gated and run like any other.

use homard_llm::{ToolSpec, Written, written_calls};
use homard_protocol::{AssistantBlock, AssistantMessage, StopReason, ToolCall, ToolCallId};

/// Turns calls in the text of an answer without any into calls.
pub(crate) fn recover_calls(answer: &mut AssistantMessage, offered: &[ToolSpec]) {
    if answer.stop_reason != StopReason::Stop || answer.tool_calls().next().is_some() {
        return;
    }
    let Some((calls, left)) = written_calls(&answer.text(), offered) else { return };
    answer.content.retain(|block| block.as_text().is_none());
    if !left.is_empty() {
        answer.content.push(AssistantBlock::Text { text: left, text_signature: None });
    }
    let numbered = calls.into_iter().enumerate();
    let made = numbered.filter_map(|(n, call)| made(call, &format!("call_{}_{n}", answer.timestamp)));
    let made: Vec<AssistantBlock> = made.collect();
    answer.content.extend(made);
    answer.stop_reason = StopReason::ToolUse;
}

fn made(call: Written, id: &str) -> Option<AssistantBlock> {
    let id = ToolCallId::parse(id).ok()?;
    let Written { name, arguments } = call;
    Some(AssistantBlock::ToolCall(ToolCall { id, name, arguments, thought_signature: None }))
}

#[cfg(test)]
mod tests {
    use homard_llm::ToolSpec;
    use homard_protocol::{AssistantMessage, StopReason};
    use serde_json::json;

    use super::recover_calls;

    fn answer(text: &str, stop: StopReason) -> AssistantMessage {
        let mut answer = AssistantMessage::injected(text.to_owned(), stop, 7);
        recover_calls(
            &mut answer,
            &[ToolSpec { name: "read".to_owned(), description: String::new(), parameters: json!({}).into() }],
        );
        answer
    }

    #[test]
    fn a_written_call_becomes_one_and_an_answer_that_was_cut_does_not() {
        let text = r#"Looking. <tool_call>{"name": "read", "arguments": {"path": "a"}}</tool_call>"#;
        let made = answer(text, StopReason::Stop);
        assert_eq!((made.text(), made.stop_reason), ("Looking.".to_owned(), StopReason::ToolUse));
        let calls: Vec<_> = made.tool_calls().map(|call| (call.name.as_str(), &call.arguments)).collect();
        assert_eq!(calls, [("read", &json!({"path": "a"}))]);
        let cut = answer(text, StopReason::Length);
        assert_eq!((cut.tool_calls().count(), cut.text().as_str()), (0, text));
    }
}
