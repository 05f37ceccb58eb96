//! How a `google-generative-ai` stream is read.

use std::borrow::Cow;
use std::collections::VecDeque;

use homard_protocol::{StopReason, Usage};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::call::answer::{Count, Draft};
use crate::classify::classify;
use crate::error::{FailReason, LlmError};
use crate::provider::StreamEvent;
use crate::transport::sse::SseEvent;
use crate::wire::{Decode, unreadable};

/// One stream being read.
#[derive(Debug)]
pub(in crate::wire) struct GoogleDecoder {
    draft: Draft,
    /// The block that grows at the moment.
    open: Option<Open>,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    at: usize,
    is_thought: bool,
    /// A signed block is complete: signatures must neither be lost nor run together.
    is_signed: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk<'a> {
    #[serde(borrow, default)]
    candidates: Option<Vec<Candidate<'a>>>,
    #[serde(borrow)]
    prompt_feedback: Option<Feedback<'a>>,
    usage_metadata: Option<Tokens>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    /// The whole of it, where the API puts it into an envelope.
    #[serde(borrow)]
    response: Option<Box<Self>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate<'a> {
    #[serde(borrow)]
    content: Option<Content<'a>>,
    #[serde(borrow)]
    finish_reason: Option<Cow<'a, str>>,
    finish_message: Option<String>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    parts: Option<Vec<Part<'a>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    text: Option<String>,
    thought: Option<bool>,
    thought_signature: Option<String>,
    #[serde(borrow)]
    function_call: Option<FunctionCall<'a>>,
}

#[derive(Deserialize)]
struct FunctionCall<'a> {
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback<'a> {
    #[serde(borrow)]
    block_reason: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tokens {
    prompt_token_count: Option<Count>,
    tool_use_prompt_token_count: Option<Count>,
    cached_content_token_count: Option<Count>,
    candidates_token_count: Option<Count>,
    thoughts_token_count: Option<Count>,
    total_token_count: Option<Count>,
}

impl GoogleDecoder {
    pub(in crate::wire) fn new(draft: Draft) -> Self {
        Self { draft, open: None }
    }

    fn chunk(&mut self, chunk: Chunk<'_>, out: &mut VecDeque<StreamEvent>) -> Result<(), LlmError> {
        if let Some(error) = chunk.error {
            return Err(classify(None, format!("{{\"error\":{}}}", error.get()).as_bytes(), &[]));
        }
        if let Some(inner) = chunk.response {
            return self.chunk(*inner, out);
        }
        // Counted before anything can fail: a filtered answer has been paid for.
        if let Some(tokens) = chunk.usage_metadata {
            self.draft.count(usage(&tokens), out);
        }
        if let Some(reason) = chunk.prompt_feedback.and_then(|feedback| feedback.block_reason) {
            return Err(filtered("the prompt", &reason));
        }
        // One answer was asked for.
        let Some(candidate) = chunk.candidates.and_then(|all| all.into_iter().next()) else { return Ok(()) };
        for part in candidate.content.and_then(|content| content.parts).unwrap_or_default() {
            self.part(part, out)?;
        }
        match candidate.finish_reason {
            Some(reason) => self.stopped(&reason, candidate.finish_message.as_deref(), out),
            None => Ok(()),
        }
    }

    fn part(&mut self, part: Part<'_>, out: &mut VecDeque<StreamEvent>) -> Result<(), LlmError> {
        let signature = part.thought_signature.unwrap_or_default();
        if let Some(call) = part.function_call {
            self.open = None;
            let name = call.name.unwrap_or_default();
            let at = self.draft.open_call(&call.id.unwrap_or_default(), &name, out)?;
            let args = call.args.map(RawValue::get).filter(|args| *args != "null");
            self.draft.append(at, args.unwrap_or_default().to_owned(), out)?;
            self.draft.sign(at, &signature)?;
            self.draft.close_call(at, out);
            return Ok(());
        }
        let Some(text) = part.text else { return Ok(()) };
        if text.is_empty() {
            return self.late_signature(&signature);
        }
        let is_thought = part.thought == Some(true);
        let at = match self.open {
            Some(open) if open.is_thought == is_thought && !open.is_signed => open.at,
            _ if is_thought => self.draft.open_thinking()?,
            _ => self.draft.open_text()?,
        };
        self.draft.append(at, text, out)?;
        self.draft.sign(at, &signature)?;
        self.open = Some(Open { at, is_thought, is_signed: !signature.is_empty() });
        Ok(())
    }

    /// The signature of what was said may come at the very end, on a part that says nothing.
    fn late_signature(&mut self, signature: &str) -> Result<(), LlmError> {
        if let Some(open) = self.open.as_mut().filter(|open| !open.is_signed && !signature.is_empty()) {
            open.is_signed = true;
            self.draft.sign(open.at, signature)?;
        }
        Ok(())
    }

    fn stopped(
        &mut self,
        reason: &str,
        message: Option<&str>,
        out: &mut VecDeque<StreamEvent>,
    ) -> Result<(), LlmError> {
        let detail = || message.map_or_else(String::new, |message| format!(": {message}"));
        self.draft.stop = Some(match reason {
            "" | "FINISH_REASON_UNSPECIFIED" => return Ok(()),
            "STOP" => StopReason::Stop,
            "MAX_TOKENS" => StopReason::Length,
            "SAFETY"
            | "RECITATION"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "LANGUAGE"
            | "IMAGE_SAFETY"
            | "IMAGE_PROHIBITED_CONTENT"
            | "IMAGE_RECITATION" => {
                return Err(filtered("the answer", reason));
            }
            "MALFORMED_FUNCTION_CALL"
            | "UNEXPECTED_TOOL_CALL"
            | "TOO_MANY_TOOL_CALLS"
            | "MISSING_THOUGHT_SIGNATURE"
            | "MALFORMED_RESPONSE" => {
                let what = reason.to_lowercase().replace('_', " ");
                let message = format!("the provider stopped the answer ({what}){}", detail());
                return Err(LlmError::new(FailReason::Format, message));
            }
            other if self.draft.is_empty() => {
                let message = format!("the provider ended the answer before it began ({other}){}", detail());
                return Err(LlmError::new(FailReason::Unknown, message));
            }
            _ => StopReason::Stop,
        });
        self.draft.close_calls(out);
        Ok(())
    }
}

/// Thinking is paid for as answer; what the cache served is part of the prompt's count.
fn usage(tokens: &Tokens) -> Usage {
    let of = |count: Option<Count>| count.unwrap_or_default().0;
    let cached = of(tokens.cached_content_token_count);
    let prompt = of(tokens.prompt_token_count).saturating_add(of(tokens.tool_use_prompt_token_count));
    Usage {
        input: prompt.saturating_sub(cached),
        output: of(tokens.candidates_token_count).saturating_add(of(tokens.thoughts_token_count)),
        cache_read: cached,
        total_tokens: of(tokens.total_token_count),
        ..Usage::default()
    }
}

fn filtered(what: &str, reason: &str) -> LlmError {
    let reason = reason.to_lowercase().replace('_', " ");
    LlmError::new(FailReason::ContentFilter, format!("the provider's filter stopped {what} ({reason})"))
}

impl Decode for GoogleDecoder {
    fn event(&mut self, event: SseEvent<'_>, out: &mut VecDeque<StreamEvent>) -> Result<(), LlmError> {
        let data = event.data.trim_ascii();
        if data.is_empty() || data == b"[DONE]" {
            return Ok(());
        }
        // A server that did not take the wish for events sends all of them as one list.
        if data.starts_with(b"[") {
            let chunks: Vec<Chunk<'_>> = serde_json::from_slice(data).map_err(|error| unreadable(&error))?;
            return chunks.into_iter().try_for_each(|chunk| self.chunk(chunk, out));
        }
        let chunk: Chunk<'_> = serde_json::from_slice(data).map_err(|error| unreadable(&error))?;
        self.chunk(chunk, out)
    }

    /// The API has no word for the end: it closes the stream.
    fn draft(&mut self) -> &mut Draft {
        &mut self.draft
    }
}
