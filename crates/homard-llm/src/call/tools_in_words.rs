//! Tools for a model whose server takes none: told in words, called in words.
//!
//! The server refuses a request that offers tools, so they stand in the system prompt, and what was called and answered
//! stands in the conversation as text. Calls in the answer are found by [`written_calls`](super::written_calls).

use std::sync::Arc;

use homard_protocol::{AssistantBlock, Message, UserBlock, UserContent, UserMessage};
use serde_json::json;

use crate::call::request::Request;
use crate::call::schema::Dialect;
use crate::error::LlmError;

/// How a server says that its model knows no tools.
const REFUSAL: &str = "does not support tools";
/// How the model is told to call one.
const HOW: &str = "\n## Calling tools\nTo use a tool, write this with its name and arguments, and nothing behind it:\n\
    <tool_call>{\"name\": \"...\", \"arguments\": {}}</tool_call>\nIts result is the next message. These are the tools, with \
    the JSON Schema of their arguments:\n";

/// Whether a request was refused only because it offers tools.
pub(crate) fn refuses_tools(error: &LlmError) -> bool {
    error.status == Some(400) && error.message.to_lowercase().contains(REFUSAL)
}

impl Request {
    /// The same with its tools, and all that was called and answered, in words.
    pub(crate) fn with_tools_in_words(&self) -> Self {
        let mut system = self.system.to_string();
        if !self.tools.is_empty() {
            system.push_str(HOW);
        }
        for tool in self.tools.iter() {
            let told = json!({"name": tool.name, "description": tool.description, "parameters": tool.parameters.written(Dialect::Standard)});
            system.push_str(&format!("{told}\n"));
        }
        let messages = self.messages.iter().map(in_words).collect();
        Self { system: system.into(), messages, tools: Arc::default(), ..self.clone() }
    }
}

fn in_words(message: &Arc<Message>) -> Arc<Message> {
    match &**message {
        Message::Assistant(said) => {
            let mut said = said.clone();
            for block in &mut said.content {
                if let AssistantBlock::ToolCall(call) = block {
                    let call = json!({"name": call.name, "arguments": call.arguments});
                    *block = AssistantBlock::text(format!("<tool_call>{call}</tool_call>"));
                }
            }
            Arc::new(Message::Assistant(said))
        }
        Message::ToolResult(result) => {
            let (texts, others): (Vec<&UserBlock>, Vec<&UserBlock>) =
                result.content.iter().partition(|block| block.as_text().is_some());
            let text: Vec<&str> = texts.into_iter().filter_map(UserBlock::as_text).collect();
            let text = format!("<tool_response>\n{}\n</tool_response>", text.join("\n"));
            let blocks = std::iter::once(UserBlock::text(text)).chain(others.into_iter().cloned());
            let content = UserContent::Blocks(blocks.collect());
            Arc::new(Message::User(UserMessage {
                content,
                timestamp: result.timestamp,
                idempotency_key: None,
            }))
        }
        Message::User(_) | Message::Other(_) => Arc::clone(message),
    }
}
