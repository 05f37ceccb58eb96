//! How large a conversation is, in tokens: guessed from its bytes, because counting would need every model's
//! own table. Where a provider has counted, its number is used instead (see `History::estimate`).

use homard_llm::ToolSpec;
use homard_protocol::{AssistantBlock, Message, UserBlock, UserContent};

/// Bytes a token has, roughly, in the languages and formats models see most.
pub(crate) const BYTES_PER_TOKEN: u64 = 4;
/// What a picture costs, whatever its size in bytes: providers scale it down to about this.
const IMAGE_TOKENS: u64 = 1_600;
/// Bytes of an encoded document per token: most of a document is not text.
const DOCUMENT_BYTES_PER_TOKEN: u64 = 8;
/// What any message costs beside its words.
const MESSAGE_TOKENS: u64 = 4;

/// Tokens of so many bytes of text.
pub(crate) fn of_bytes(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX).div_ceil(BYTES_PER_TOKEN)
}

/// Bytes of text in so many tokens.
pub(crate) fn bytes_of(tokens: u64) -> usize {
    usize::try_from(tokens.saturating_mul(BYTES_PER_TOKEN)).unwrap_or(usize::MAX)
}

/// Tokens of one message.
pub(crate) fn of_message(message: &Message) -> u64 {
    let content = match message {
        Message::User(user) => of_content(&user.content),
        Message::Assistant(answer) => answer.content.iter().map(of_said).sum(),
        Message::ToolResult(result) => result.content.iter().map(of_block).sum(),
        Message::Other(_) => return 0,
    };
    content + MESSAGE_TOKENS
}

/// Tokens of what a person or a program said.
pub(crate) fn of_content(content: &UserContent) -> u64 {
    match content {
        UserContent::Text(text) => of_bytes(text.len()),
        UserContent::Blocks(blocks) => blocks.iter().map(of_block).sum(),
    }
}

/// Tokens of what every request carries beside the conversation.
#[must_use]
pub fn of_overhead(system: &str, tools: &[ToolSpec]) -> u64 {
    of_bytes(system.len()) + tools.iter().map(of_tool).sum::<u64>()
}

/// Tokens of what a model is told about a tool.
#[must_use]
pub fn of_tool(tool: &ToolSpec) -> u64 {
    of_bytes(tool.name.len() + tool.description.len() + tool.parameters.bytes())
}

fn of_block(block: &UserBlock) -> u64 {
    match block {
        UserBlock::Text { text } => of_bytes(text.len()),
        UserBlock::Image { .. } => IMAGE_TOKENS,
        UserBlock::Document { data, .. } => {
            u64::try_from(data.len()).unwrap_or(u64::MAX).div_ceil(DOCUMENT_BYTES_PER_TOKEN)
        }
    }
}

fn of_said(block: &AssistantBlock) -> u64 {
    match block {
        AssistantBlock::Text { text, .. } => of_bytes(text.len()),
        AssistantBlock::Thinking { thinking, thinking_signature } => {
            of_bytes(thinking.len() + thinking_signature.as_ref().map_or(0, String::len))
        }
        AssistantBlock::ToolCall(call) => of_bytes(call.name.len() + call.arguments.to_string().len()),
    }
}
