//! How a `bedrock-converse-stream` stream is read. The kind of an event is its frame's name, not in its data.

use std::collections::VecDeque;

use homard_protocol::{StopReason, Usage};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::REDACTED;
use crate::call::answer::{Count, Draft};
use crate::classify::classify_named;
use crate::error::{FailReason, LlmError};
use crate::provider::StreamEvent;
use crate::transport::event_stream::EXCEPTION;
use crate::transport::sse::SseEvent;
use crate::wire::{Decode, unreadable};

/// What each exception means when its sentence does not say more, with the status it would have had on its
/// own.
const EXCEPTIONS: &[(&str, u16, FailReason)] = &[
    ("accessDeniedException", 403, FailReason::Auth),
    ("expiredTokenException", 403, FailReason::Auth),
    ("internalServerException", 500, FailReason::Overloaded),
    ("modelErrorException", 424, FailReason::Overloaded),
    ("modelNotReadyException", 429, FailReason::Overloaded),
    ("modelStreamErrorException", 424, FailReason::Overloaded),
    ("modelTimeoutException", 408, FailReason::Timeout),
    ("resourceNotFoundException", 404, FailReason::ModelNotFound),
    ("serviceQuotaExceededException", 400, FailReason::RateLimit),
    ("serviceUnavailableException", 503, FailReason::Overloaded),
    ("throttlingException", 429, FailReason::RateLimit),
    ("unrecognizedClientException", 403, FailReason::Auth),
    ("validationException", 400, FailReason::Format),
];

/// One stream being read.
#[derive(Debug)]
pub(super) struct BedrockDecoder {
    draft: Draft,
    /// The API's number of each block, what it is and the block it became.
    blocks: Vec<(u64, Sort, usize)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Text,
    Thinking,
    Redacted,
    Call,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BlockStart {
    #[serde(default)]
    content_block_index: u64,
    start: Option<Start>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Start {
    tool_use: Option<ToolUseStart>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolUseStart {
    #[serde(default)]
    tool_use_id: String,
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BlockDelta {
    #[serde(default)]
    content_block_index: u64,
    delta: Option<Delta>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Delta {
    text: Option<String>,
    tool_use: Option<ToolUseDelta>,
    reasoning_content: Option<ReasoningDelta>,
}

#[derive(Deserialize)]
struct ToolUseDelta {
    input: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReasoningDelta {
    text: Option<String>,
    signature: Option<String>,
    redacted_content: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BlockStop {
    #[serde(default)]
    content_block_index: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MessageStop {
    #[serde(default)]
    stop_reason: String,
}

#[derive(Deserialize)]
struct Metadata {
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tokens {
    input_tokens: Option<Count>,
    output_tokens: Option<Count>,
    cache_read_input_tokens: Option<Count>,
    cache_write_input_tokens: Option<Count>,
    total_tokens: Option<Count>,
}

fn read<T: DeserializeOwned>(data: &[u8]) -> Result<T, LlmError> {
    serde_json::from_slice(data).map_err(|error| unreadable(&error))
}

impl BedrockDecoder {
    pub(super) fn new(draft: Draft) -> Self {
        Self { draft, blocks: Vec::new() }
    }

    fn start(&mut self, event: BlockStart, out: &mut VecDeque<StreamEvent>) -> Result<(), LlmError> {
        let Some(call) = event.start.and_then(|start| start.tool_use) else { return Ok(()) };
        let at = self.draft.open_call(&call.tool_use_id, &call.name, out)?;
        self.keep(event.content_block_index, Sort::Call, at);
        Ok(())
    }

    fn keep(&mut self, index: u64, sort: Sort, at: usize) {
        self.blocks.retain(|&(number, _, _)| number != index);
        self.blocks.push((index, sort, at));
    }

    /// The block of an event; text and thinking begin with their first piece.
    fn block(&mut self, index: u64, sort: Sort) -> Result<usize, LlmError> {
        let known = self.blocks.iter().find(|&&(number, known, _)| number == index && known == sort);
        if let Some(&(_, _, at)) = known {
            return Ok(at);
        }
        let at = match sort {
            Sort::Text => self.draft.open_text()?,
            Sort::Thinking | Sort::Redacted | Sort::Call => self.draft.open_thinking()?,
        };
        if sort == Sort::Redacted {
            self.draft.sign(at, REDACTED)?;
        }
        self.keep(index, sort, at);
        Ok(at)
    }

    fn delta(&mut self, event: BlockDelta, out: &mut VecDeque<StreamEvent>) -> Result<(), LlmError> {
        let (index, Some(delta)) = (event.content_block_index, event.delta) else { return Ok(()) };
        if let Some(text) = delta.text.filter(|text| !text.is_empty()) {
            let at = self.block(index, Sort::Text)?;
            self.draft.append(at, text, out)?;
        }
        if let Some(input) = delta.tool_use.and_then(|call| call.input) {
            let call = self.blocks.iter().find(|&&(number, sort, _)| number == index && sort == Sort::Call);
            // Arguments of a call that never began belong to nothing.
            if let Some(&(_, _, at)) = call {
                self.draft.append(at, input, out)?;
            }
        }
        if let Some(reasoning) = delta.reasoning_content {
            self.reasoning(index, reasoning, out)?;
        }
        Ok(())
    }

    fn reasoning(
        &mut self,
        index: u64,
        piece: ReasoningDelta,
        out: &mut VecDeque<StreamEvent>,
    ) -> Result<(), LlmError> {
        if let Some(data) = piece.redacted_content.filter(|data| !data.is_empty()) {
            let at = self.block(index, Sort::Redacted)?;
            return self.draft.sign(at, &data);
        }
        if piece.text.is_none() && piece.signature.is_none() {
            return Ok(());
        }
        let at = self.block(index, Sort::Thinking)?;
        self.draft.append(at, piece.text.unwrap_or_default(), out)?;
        self.draft.sign(at, &piece.signature.unwrap_or_default())
    }

    fn stopped(&mut self, reason: &str) -> Result<(), LlmError> {
        self.draft.stop = Some(match reason {
            "tool_use" => StopReason::ToolUse,
            "max_tokens" | "model_context_window_exceeded" => StopReason::Length,
            "guardrail_intervened" | "content_filtered" => {
                let what = reason.replace('_', " ");
                let message = format!("the provider's filter stopped the answer ({what})");
                return Err(LlmError::new(FailReason::ContentFilter, message));
            }
            "refusal" => return Err(LlmError::new(FailReason::Refusal, "the model declined to answer")),
            "malformed_model_output" | "malformed_tool_use" => {
                let what = reason.replace('_', " ");
                let message = format!("the provider stopped the answer ({what})");
                return Err(LlmError::new(FailReason::Format, message));
            }
            _ => StopReason::Stop,
        });
        Ok(())
    }

    fn count(&mut self, tokens: &Tokens, out: &mut VecDeque<StreamEvent>) {
        let of = |count: Option<Count>| count.unwrap_or_default().0;
        let usage = Usage {
            input: of(tokens.input_tokens),
            output: of(tokens.output_tokens),
            cache_read: of(tokens.cache_read_input_tokens),
            cache_write: of(tokens.cache_write_input_tokens),
            total_tokens: of(tokens.total_tokens),
            ..Usage::default()
        };
        self.draft.count(usage, out);
    }
}

/// The exception's name is more exact than anything but its sentence.
fn exception(kind: &str, data: &[u8]) -> LlmError {
    let row = EXCEPTIONS.iter().find(|(name, _, _)| name.eq_ignore_ascii_case(kind));
    let mut error = classify_named(None, kind, data, &[]);
    if let Some(&(_, status, reason)) = row {
        error.status = Some(status);
        // A rejected request has many reasons; a sentence that names one is worth more than the row.
        if error.reason == FailReason::Unknown || reason != FailReason::Format {
            error.reason = reason;
        }
    }
    error
}

impl Decode for BedrockDecoder {
    fn event(&mut self, event: SseEvent<'_>, out: &mut VecDeque<StreamEvent>) -> Result<(), LlmError> {
        if let Some(kind) = event.name.strip_prefix(EXCEPTION.as_bytes()) {
            return Err(exception(&String::from_utf8_lossy(kind), event.data));
        }
        match event.name {
            b"contentBlockStart" => self.start(read(event.data)?, out),
            b"contentBlockDelta" => self.delta(read(event.data)?, out),
            b"contentBlockStop" => {
                let index = read::<BlockStop>(event.data)?.content_block_index;
                let call =
                    self.blocks.iter().find(|&&(number, sort, _)| number == index && sort == Sort::Call);
                if let Some(&(_, _, at)) = call {
                    self.draft.close_call(at, out);
                }
                Ok(())
            }
            b"messageStop" => self.stopped(&read::<MessageStop>(event.data)?.stop_reason),
            b"metadata" => {
                if let Some(tokens) = read::<Metadata>(event.data)?.usage {
                    self.count(&tokens, out);
                }
                // What it cost is the last thing said.
                self.draft.finished = self.draft.stop.is_some();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn draft(&mut self) -> &mut Draft {
        &mut self.draft
    }
}
