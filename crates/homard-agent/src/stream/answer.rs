//! A finished answer without its marks: what history says is what the person saw.

use homard_protocol::{AssistantBlock, AssistantMessage};

use super::tags::{Piece, TagFilter};

/// Takes the marks out of an answer: reasoning becomes reasoning, wishes were heard while it was said.
pub(crate) fn clean(answer: &mut AssistantMessage, mut filter: TagFilter) {
    let may_have = |block: &AssistantBlock| block.as_text().is_some_and(|text| text.contains(['<', '[']));
    if !answer.content.iter().any(may_have) {
        return;
    }
    let mut out: Vec<AssistantBlock> = Vec::with_capacity(answer.content.len());
    for block in std::mem::take(&mut answer.content) {
        match block {
            AssistantBlock::Text { text, text_signature } => {
                let mut begun = out.len();
                filter.push(&text, &mut |piece| {
                    put(&mut out, &mut begun, piece, text_signature.as_ref());
                });
            }
            AssistantBlock::Thinking { .. } | AssistantBlock::ToolCall(_) => {
                let mut begun = out.len();
                filter.finish(&mut |piece| put(&mut out, &mut begun, piece, None));
                out.push(block);
            }
        }
    }
    let mut begun = out.len();
    filter.finish(&mut |piece| put(&mut out, &mut begun, piece, None));
    answer.content = out;
}

/// Adds a piece to the block it continues, or begins one. Blocks before `begun` belong to others, except that
/// text held back at the end of a block goes on where that block ended.
fn put(out: &mut Vec<AssistantBlock>, begun: &mut usize, piece: Piece<'_>, signature: Option<&String>) {
    let own = signature.is_none() || out.len() > *begun;
    match (piece, out.last_mut().filter(|_| own)) {
        (Piece::Wish(_), _) => {}
        (Piece::Text(more), Some(AssistantBlock::Text { text, .. })) => text.push_str(more),
        (Piece::Text(text), _) => {
            out.push(AssistantBlock::Text { text: text.to_owned(), text_signature: signature.cloned() });
        }
        (Piece::Thinking(more), Some(AssistantBlock::Thinking { thinking, thinking_signature: None })) => {
            thinking.push_str(more);
        }
        (Piece::Thinking(thinking), _) => {
            out.push(AssistantBlock::Thinking { thinking: thinking.to_owned(), thinking_signature: None });
        }
    }
}

#[cfg(test)]
mod tests {
    use homard_protocol::{AssistantBlock, AssistantMessage, StopReason};

    use super::clean;
    use crate::stream::TagFilter;

    fn answer(content: Vec<AssistantBlock>) -> AssistantMessage {
        AssistantMessage { content, ..AssistantMessage::injected(String::new(), StopReason::Stop, 0) }
    }

    fn signed(text: &str) -> AssistantBlock {
        AssistantBlock::Text { text: text.to_owned(), text_signature: Some("sig".to_owned()) }
    }

    fn thinking(text: &str) -> AssistantBlock {
        AssistantBlock::Thinking { thinking: text.to_owned(), thinking_signature: None }
    }

    #[test]
    fn reasoning_in_the_text_becomes_reasoning() {
        let mut said = answer(vec![signed("<think>hm</think>\n[[reply_to_current]]hello <b>you</b> <")]);
        clean(&mut said, TagFilter::default());
        assert_eq!(said.content, [thinking("hm"), signed("hello <b>you</b> <")]);
    }

    #[test]
    fn an_answer_without_marks_is_left_alone() {
        for content in [vec![signed("hello")], vec![signed("a < b"), signed("c [d]")], Vec::new()] {
            let mut said = answer(content.clone());
            clean(&mut said, TagFilter::default());
            assert_eq!(said.content, content);
        }
    }
}
