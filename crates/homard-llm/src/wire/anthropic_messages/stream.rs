//! How an `anthropic-messages` stream is read.

use std::borrow::Cow;
use std::collections::VecDeque;

use homard_protocol::{StopReason, Usage};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::REDACTED;
use crate::call::answer::{Count, Draft};
use crate::classify::classify;
use crate::error::{FailReason, LlmError};
use crate::provider::StreamEvent;
use crate::transport::sse::SseEvent;
use crate::wire::{Decode, unreadable};

/// One stream being read.
#[derive(Debug)]
pub(super) struct AnthropicDecoder {
    draft: Draft,
    /// The API's number of each block and the block it became.
    blocks: Vec<(u64, usize)>,
}

/// Every event in one flat shape: a tagged enum would copy each event before reading it.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow, default)]
    r#type: Cow<'a, str>,
    index: Option<u64>,
    message: Option<Opening>,
    #[serde(borrow)]
    content_block: Option<ContentBlock<'a>>,
    #[serde(borrow)]
    delta: Option<Delta<'a>>,
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Opening {
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct ContentBlock<'a> {
    #[serde(borrow)]
    r#type: Cow<'a, str>,
    text: Option<String>,
    thinking: Option<String>,
    signature: Option<String>,
    data: Option<String>,
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow, default)]
    r#type: Cow<'a, str>,
    text: Option<String>,
    thinking: Option<String>,
    signature: Option<String>,
    partial_json: Option<String>,
    stop_reason: Option<String>,
}

#[derive(Deserialize, Clone, Copy)]
struct Tokens {
    input_tokens: Option<Count>,
    output_tokens: Option<Count>,
    cache_read_input_tokens: Option<Count>,
    cache_creation_input_tokens: Option<Count>,
}

impl AnthropicDecoder {
    pub(super) fn new(draft: Draft) -> Self {
        Self { draft, blocks: Vec::new() }
    }

    fn open(
        &mut self,
        index: u64,
        block: ContentBlock<'_>,
        out: &mut VecDeque<StreamEvent>,
    ) -> Result<(), LlmError> {
        let at = match &*block.r#type {
            "text" => {
                let at = self.draft.open_text()?;
                self.draft.append(at, block.text.unwrap_or_default(), out)?;
                at
            }
            "thinking" => {
                let at = self.draft.open_thinking()?;
                self.draft.append(at, block.thinking.unwrap_or_default(), out)?;
                self.draft.sign(at, &block.signature.unwrap_or_default())?;
                at
            }
            "redacted_thinking" => {
                let at = self.draft.open_thinking()?;
                self.draft.sign(at, &format!("{REDACTED}{}", block.data.unwrap_or_default()))?;
                at
            }
            "tool_use" => {
                let name = block.name.unwrap_or_default();
                let at = self.draft.open_call(&block.id.unwrap_or_default(), &name, out)?;
                // Usually `{}`, to be followed by pieces; some servers send everything here.
                if let Some(input) =
                    block.input.map(RawValue::get).filter(|input| !matches!(*input, "{}" | "null"))
                {
                    self.draft.append(at, input.to_owned(), out)?;
                }
                at
            }
            _ => return Ok(()),
        };
        self.blocks.retain(|&(number, _)| number != index);
        self.blocks.push((index, at));
        Ok(())
    }

    fn delta(
        &mut self,
        index: u64,
        delta: Delta<'_>,
        out: &mut VecDeque<StreamEvent>,
    ) -> Result<(), LlmError> {
        let Some(at) = self.block(index) else { return Ok(()) };
        let piece = match &*delta.r#type {
            "text_delta" => delta.text,
            "thinking_delta" => delta.thinking,
            "input_json_delta" => delta.partial_json,
            "signature_delta" => return self.draft.sign(at, &delta.signature.unwrap_or_default()),
            _ => None,
        };
        self.draft.append(at, piece.unwrap_or_default(), out)
    }

    fn block(&self, index: u64) -> Option<usize> {
        self.blocks.iter().find(|&&(number, _)| number == index).map(|&(_, at)| at)
    }

    fn stopped(&mut self, reason: &str) -> Result<(), LlmError> {
        self.draft.stop = Some(match reason {
            "max_tokens" | "model_context_window_exceeded" => StopReason::Length,
            "tool_use" => StopReason::ToolUse,
            "refusal" => return Err(LlmError::new(FailReason::Refusal, "the model declined to answer")),
            _ => StopReason::Stop,
        });
        Ok(())
    }

    /// Counts are running totals; an event names only those that changed.
    fn count(&mut self, tokens: Tokens, out: &mut VecDeque<StreamEvent>) {
        let mut usage = Usage { total_tokens: 0, ..self.draft.usage() };
        let set = |field: &mut u64, count: Option<Count>| *field = count.map_or(*field, |count| count.0);
        set(&mut usage.input, tokens.input_tokens);
        set(&mut usage.output, tokens.output_tokens);
        set(&mut usage.cache_read, tokens.cache_read_input_tokens);
        set(&mut usage.cache_write, tokens.cache_creation_input_tokens);
        self.draft.count(usage, out);
    }
}

impl Decode for AnthropicDecoder {
    fn event(&mut self, event: SseEvent<'_>, out: &mut VecDeque<StreamEvent>) -> Result<(), LlmError> {
        let data = event.data.trim_ascii();
        if data.is_empty() {
            return Ok(());
        }
        if event.name == b"error" {
            return Err(classify(None, data, &[]));
        }
        let event: Event<'_> = serde_json::from_slice(data).map_err(|error| unreadable(&error))?;
        let index = event.index.unwrap_or_default();
        match &*event.r#type {
            "message_start" => {
                if let Some(tokens) = event.message.and_then(|message| message.usage) {
                    self.count(tokens, out);
                }
            }
            "content_block_start" => {
                if let Some(block) = event.content_block {
                    self.open(index, block, out)?;
                }
            }
            "content_block_delta" => {
                if let Some(delta) = event.delta {
                    self.delta(index, delta, out)?;
                }
            }
            "content_block_stop" => {
                if let Some(at) = self.block(index) {
                    self.draft.close_call(at, out);
                }
            }
            "message_delta" => {
                if let Some(tokens) = event.usage {
                    self.count(tokens, out);
                }
                if let Some(reason) = event.delta.and_then(|delta| delta.stop_reason) {
                    self.stopped(&reason)?;
                }
            }
            "message_stop" => {
                self.draft.finished = true;
                self.draft.stop = self.draft.stop.or(Some(StopReason::Stop));
            }
            "error" => return Err(classify(None, data, &[])),
            _ => {}
        }
        Ok(())
    }

    fn draft(&mut self) -> &mut Draft {
        &mut self.draft
    }
}
