//! How an `ollama` stream is read: one document per line, calls whole, counts on the last.

use std::collections::VecDeque;

use homard_protocol::{StopReason, Usage};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::THINKING;
use crate::call::answer::{Count, Draft};
use crate::classify::classify;
use crate::error::LlmError;
use crate::provider::StreamEvent;
use crate::transport::sse::SseEvent;
use crate::wire::{Decode, unreadable};

/// One stream being read.
#[derive(Debug)]
pub(super) struct OllamaDecoder {
    draft: Draft,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    message: Option<WireMessage<'a>>,
    #[serde(default)]
    done: bool,
    done_reason: Option<String>,
    prompt_eval_count: Option<Count>,
    prompt_eval_cached_count: Option<Count>,
    eval_count: Option<Count>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct WireMessage<'a> {
    content: Option<String>,
    thinking: Option<String>,
    #[serde(borrow)]
    tool_calls: Option<Vec<Call<'a>>>,
}

#[derive(Deserialize)]
struct Call<'a> {
    /// Newer servers name their calls.
    id: Option<String>,
    #[serde(borrow)]
    function: Option<CalledFunction<'a>>,
}

#[derive(Deserialize)]
struct CalledFunction<'a> {
    name: Option<String>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

impl OllamaDecoder {
    pub(super) fn new(draft: Draft) -> Self {
        Self { draft }
    }

    fn said(&mut self, said: WireMessage<'_>, out: &mut VecDeque<StreamEvent>) -> Result<(), LlmError> {
        if let Some(thought) = said.thinking.filter(|thought| !thought.is_empty()) {
            let at = self.draft.thinking_block()?;
            if !self.draft.is_signed(at) {
                self.draft.sign(at, THINKING)?;
            }
            self.draft.append(at, thought, out)?;
        }
        if let Some(text) = said.content.filter(|text| !text.is_empty()) {
            let at = self.draft.text_block()?;
            self.draft.append(at, text, out)?;
        }
        for call in said.tool_calls.into_iter().flatten() {
            self.call(call, out)?;
        }
        Ok(())
    }

    fn call(&mut self, call: Call<'_>, out: &mut VecDeque<StreamEvent>) -> Result<(), LlmError> {
        let Some(function) = call.function else { return Ok(()) };
        let name = function.name.filter(|name| !name.is_empty());
        let Some(name) = name else { return Ok(()) };
        let at = self.draft.open_call(&call.id.unwrap_or_default(), &name, out)?;
        let arguments = function.arguments.map(RawValue::get).unwrap_or_default();
        self.draft.append(at, arguments.to_owned(), out)?;
        self.draft.close_call(at, out);
        Ok(())
    }

    fn line(&mut self, line: Line<'_>, out: &mut VecDeque<StreamEvent>) -> Result<(), LlmError> {
        if let Some(usage) = line.usage() {
            self.draft.count(usage, out);
        }
        if let Some(said) = line.message {
            self.said(said, out)?;
        }
        if line.done {
            self.draft.finished = true;
            self.draft.stop = Some(match line.done_reason.as_deref() {
                Some("length") => StopReason::Length,
                _ => StopReason::Stop,
            });
        }
        Ok(())
    }
}

impl Line<'_> {
    /// The server counts cached tokens inside the prompt; we count them beside it.
    fn usage(&self) -> Option<Usage> {
        if self.prompt_eval_count.is_none() && self.eval_count.is_none() {
            return None;
        }
        let count = |count: Option<Count>| count.map_or(0, |count| count.0);
        let prompt = count(self.prompt_eval_count);
        let cached = count(self.prompt_eval_cached_count).min(prompt);
        let output = count(self.eval_count);
        Some(Usage { input: prompt - cached, output, cache_read: cached, ..Usage::default() })
    }
}

impl Decode for OllamaDecoder {
    fn event(&mut self, event: SseEvent<'_>, out: &mut VecDeque<StreamEvent>) -> Result<(), LlmError> {
        // Proxies that call the stream one JSON document hand all lines over at once.
        for line in serde_json::Deserializer::from_slice(event.data).into_iter::<Line<'_>>() {
            let line = line.map_err(|error| unreadable(&error))?;
            if let Some(error) = line.error {
                return Err(classify(None, format!("{{\"error\":{}}}", error.get()).as_bytes(), &[]));
            }
            self.line(line, out)?;
            if self.draft.finished {
                break;
            }
        }
        Ok(())
    }

    fn draft(&mut self) -> &mut Draft {
        &mut self.draft
    }
}
