//! How an `openai-completions` stream is read.

use std::collections::VecDeque;
use std::fmt;

use homard_protocol::{StopReason, Usage};
use serde::de::{self, IgnoredAny};
use serde::{Deserialize, Deserializer};

use crate::call::answer::{Count, Draft};
use crate::classify::classify;
use crate::error::{FailReason, LlmError};
use crate::provider::StreamEvent;
use crate::transport::sse::SseEvent;
use crate::wire::{Decode, unreadable};

/// The two names servers give to thinking; kept as the block's signature, so that it goes back by the same.
pub(super) const REASONING_CONTENT: &str = "reasoning_content";
/// See [`REASONING_CONTENT`].
pub(super) const REASONING: &str = "reasoning";
/// The data of the last event.
const DONE: &[u8] = b"[DONE]";

/// One stream being read.
#[derive(Debug)]
pub(super) struct CompletionsDecoder {
    draft: Draft,
    calls: Vec<Numbered>,
}

/// A call as the server knows it.
#[derive(Debug)]
struct Numbered {
    number: u64,
    id: String,
    /// The block it became.
    at: usize,
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default, deserialize_with = "nullable")]
    choices: Vec<Choice>,
    usage: Option<Tokens>,
    error: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<Delta>,
    /// Servers that do not stream say this instead, in the same shape; one that streams repeats here
    /// everything it has said so far.
    message: Option<Delta>,
    finish_reason: Option<String>,
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Delta {
    #[serde(default)]
    content: Text,
    #[serde(default)]
    reasoning_content: Text,
    #[serde(default)]
    reasoning: Text,
    #[serde(default)]
    refusal: Text,
    #[serde(default, deserialize_with = "nullable")]
    tool_calls: Vec<CallDelta>,
}

#[derive(Deserialize)]
struct CallDelta {
    index: Option<u64>,
    id: Option<String>,
    function: Option<FunctionDelta>,
}

#[derive(Deserialize)]
struct FunctionDelta {
    name: Option<String>,
    #[serde(default)]
    arguments: Text,
}

#[derive(Deserialize, Clone, Copy)]
struct Tokens {
    #[serde(default)]
    prompt_tokens: Count,
    #[serde(default)]
    completion_tokens: Count,
    #[serde(default)]
    total_tokens: Count,
    #[serde(default)]
    prompt_cache_hit_tokens: Count,
    prompt_tokens_details: Option<PromptDetails>,
    completion_tokens_details: Option<CompletionDetails>,
}

#[derive(Deserialize, Clone, Copy)]
struct CompletionDetails {
    #[serde(default)]
    reasoning_tokens: Count,
}

#[derive(Deserialize, Clone, Copy)]
struct PromptDetails {
    #[serde(default)]
    cached_tokens: Count,
    #[serde(default)]
    cache_write_tokens: Count,
}

impl CompletionsDecoder {
    pub(super) fn new(draft: Draft) -> Self {
        Self { draft, calls: Vec::new() }
    }

    fn choice(&mut self, choice: Choice, out: &mut VecDeque<StreamEvent>) -> Result<(), LlmError> {
        if let Some(delta) = choice.delta.or(choice.message) {
            self.delta(delta, out)?;
        }
        if let Some(usage) = choice.usage {
            self.draft.count(usage.normalised(), out);
        }
        match choice.finish_reason.as_deref() {
            None | Some("") => {}
            Some("length" | "max_tokens") => self.draft.stop = Some(StopReason::Length),
            Some("tool_calls" | "function_call") => self.draft.stop = Some(StopReason::ToolUse),
            Some("content_filter") => {
                return Err(LlmError::new(
                    FailReason::ContentFilter,
                    "the provider's content filter stopped the answer",
                ));
            }
            Some("error") => {
                return Err(LlmError::new(FailReason::Unknown, "the provider failed during the answer"));
            }
            Some(_) => self.draft.stop = Some(StopReason::Stop),
        }
        // Of an answer that was too long the last call may be cut.
        if self.draft.stop.is_some_and(|stop| stop != StopReason::Length) {
            self.draft.close_calls(out);
        }
        Ok(())
    }

    fn delta(&mut self, delta: Delta, out: &mut VecDeque<StreamEvent>) -> Result<(), LlmError> {
        for (thought, field) in [(delta.reasoning_content, REASONING_CONTENT), (delta.reasoning, REASONING)] {
            if thought.0.is_empty() {
                continue;
            }
            let at = self.draft.thinking_block()?;
            if !self.draft.is_signed(at) {
                self.draft.sign(at, field)?;
            }
            self.draft.append(at, thought.0, out)?;
            // Some servers send the same thought under both names.
            break;
        }
        for text in [delta.content, delta.refusal] {
            if !text.0.is_empty() {
                let at = self.draft.text_block()?;
                self.draft.append(at, text.0, out)?;
            }
        }
        for (position, call) in delta.tool_calls.into_iter().enumerate() {
            self.call(position, call, out)?;
        }
        Ok(())
    }

    fn call(
        &mut self,
        position: usize,
        call: CallDelta,
        out: &mut VecDeque<StreamEvent>,
    ) -> Result<(), LlmError> {
        let id = call.id.unwrap_or_default();
        let (name, arguments) = match call.function {
            Some(function) => (function.name.unwrap_or_default(), function.arguments.0),
            None => (String::new(), String::new()),
        };
        // Without a number, a name begins the next call and anything else continues the last one.
        let number = match (call.index, name.is_empty()) {
            (Some(index), _) => index,
            (None, false) => self.calls.len() as u64,
            (None, true) => self.calls.last().map_or(position as u64, |call| call.number),
        };
        // Some servers give every call the same number; a name with another id begins another call.
        let same = |call: &&Numbered| {
            call.number == number && (name.is_empty() || id.is_empty() || call.id.is_empty() || call.id == id)
        };
        let known = self.calls.iter().rev().find(same).map(|call| call.at);
        let at = match known {
            Some(at) => at,
            None if name.is_empty() => return Ok(()),
            None => {
                let at = self.draft.open_call(&id, &name, out)?;
                self.calls.push(Numbered { number, id, at });
                at
            }
        };
        self.draft.append(at, arguments, out)
    }
}

impl Decode for CompletionsDecoder {
    fn event(&mut self, event: SseEvent<'_>, out: &mut VecDeque<StreamEvent>) -> Result<(), LlmError> {
        let data = event.data.trim_ascii();
        if data == DONE {
            self.draft.finished = true;
            if self.draft.stop.is_none() && !self.draft.is_empty() {
                self.draft.stop = Some(StopReason::Stop);
            }
            return Ok(());
        }
        if data.is_empty() {
            return Ok(());
        }
        if event.name == b"error" {
            return Err(classify(None, data, &[]));
        }
        let chunk: Chunk = serde_json::from_slice(data).map_err(|error| unreadable(&error))?;
        if chunk.error.is_some() {
            return Err(classify(None, data, &[]));
        }
        // Only one answer was asked for; further choices would mix two texts.
        if let Some(choice) = chunk.choices.into_iter().next() {
            self.choice(choice, out)?;
        }
        if let Some(usage) = chunk.usage {
            self.draft.count(usage.normalised(), out);
        }
        Ok(())
    }

    fn draft(&mut self) -> &mut Draft {
        &mut self.draft
    }
}

impl Tokens {
    /// Thinking is paid for as answer. Most servers count it there; of those that count it beside, the total
    /// tells.
    fn output(self) -> u64 {
        let thought = self.completion_tokens_details.map_or(0, |details| details.reasoning_tokens.0);
        let counted = self.prompt_tokens.0.saturating_add(self.completion_tokens.0);
        let beside = self.total_tokens.0 == counted.saturating_add(thought);
        self.completion_tokens.0.saturating_add(if beside { thought } else { 0 })
    }

    /// The API counts cached tokens inside the prompt; we count them beside it.
    fn normalised(self) -> Usage {
        let details = self.prompt_tokens_details;
        let cached = details.map_or(0, |d| d.cached_tokens.0).max(self.prompt_cache_hit_tokens.0);
        let written = details.map_or(0, |d| d.cache_write_tokens.0);
        Usage {
            input: self.prompt_tokens.0.saturating_sub(cached).saturating_sub(written),
            output: self.output(),
            cache_read: cached.min(self.prompt_tokens.0),
            cache_write: written,
            total_tokens: self.total_tokens.0,
            ..Usage::default()
        }
    }
}

fn nullable<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Text as servers send it: a string, nothing, or a list of parts. Anything else is no text.
#[derive(Debug, Default)]
struct Text(String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

#[derive(Deserialize)]
struct TextPart {
    text: Option<String>,
}

struct TextVisitor;

impl<'de> de::Visitor<'de> for TextVisitor {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Text, E> {
        Ok(Text(text.to_owned()))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Text, E> {
        Ok(Text(text))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Text, E> {
        Ok(Text::default())
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Text, A::Error> {
        let mut text = String::new();
        while let Some(part) = seq.next_element::<TextPart>()? {
            text.push_str(&part.text.unwrap_or_default());
        }
        Ok(Text(text))
    }

    /// Arguments some servers send as an object instead of a string.
    fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Text, A::Error> {
        let value = serde_json::Value::deserialize(de::value::MapAccessDeserializer::new(map))?;
        Ok(Text(value.to_string()))
    }
}
