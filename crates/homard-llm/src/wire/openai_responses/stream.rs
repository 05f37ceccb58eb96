//! How an `openai-responses` stream is read.
//!
//! An answer is a list of items: reasoning, a message, calls. Each is announced, grows and is then sent once
//! more whole; what had already grown is not added again.

use std::borrow::Cow;
use std::collections::VecDeque;

use homard_protocol::{StopReason, Usage};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::keepsake::{MessageMark, Reasoning, join_ids};
use crate::call::answer::{Count, Draft, MAX_ANSWER_BLOCKS};
use crate::classify::classify;
use crate::error::{FailReason, LlmError};
use crate::provider::StreamEvent;
use crate::transport::sse::SseEvent;
use crate::wire::{Decode, unreadable};

/// The data some servers that copied the API end with.
const DONE: &[u8] = b"[DONE]";
/// Between two summaries of one thought.
const PARAGRAPH: &str = "\n\n";

/// One stream being read.
#[derive(Debug)]
pub(super) struct ResponsesDecoder {
    draft: Draft,
    slots: Vec<Slot>,
}

/// An item of the answer.
#[derive(Debug)]
struct Slot {
    /// The API's number of it.
    number: u64,
    kind: Kind,
    /// The block it became. Words and thoughts become one with their first piece, so that a model that
    /// thinks in silence is not taken for one that fell silent while speaking.
    at: Option<usize>,
    /// Whether anything has grown here.
    grown: bool,
    /// The call's id without the item's.
    call_id: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Message,
    Reasoning,
    Call,
}

/// Every event in one flat shape. What only some events carry stays raw until it is known to be theirs:
/// events we do not know may use the same names for something else.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow, default)]
    r#type: Cow<'a, str>,
    output_index: Option<Count>,
    #[serde(borrow)]
    item: Option<&'a RawValue>,
    #[serde(borrow)]
    delta: Option<&'a RawValue>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    response: Option<&'a RawValue>,
    /// Only on an answer in one document.
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Whole<'a> {
    #[serde(borrow)]
    status: Option<Cow<'a, str>>,
    #[serde(borrow)]
    output: Option<Vec<&'a RawValue>>,
    usage: Option<Tokens>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    incomplete_details: Option<Incomplete<'a>>,
}

#[derive(Deserialize)]
struct Incomplete<'a> {
    #[serde(borrow)]
    reason: Option<Cow<'a, str>>,
}

#[derive(Deserialize, Clone, Copy)]
struct Tokens {
    #[serde(default)]
    input_tokens: Count,
    #[serde(default)]
    output_tokens: Count,
    #[serde(default)]
    total_tokens: Count,
    input_tokens_details: Option<InputDetails>,
}

#[derive(Deserialize, Clone, Copy)]
struct InputDetails {
    #[serde(default)]
    cached_tokens: Count,
    #[serde(default)]
    cache_write_tokens: Count,
}

#[derive(Deserialize)]
struct Typed<'a> {
    #[serde(borrow, default)]
    r#type: Cow<'a, str>,
}

#[derive(Deserialize)]
struct MessageItem<'a> {
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    phase: Option<Cow<'a, str>>,
    content: Option<Vec<Part>>,
}

#[derive(Deserialize)]
struct ReasoningItem {
    summary: Option<Vec<Part>>,
    content: Option<Vec<Part>>,
}

#[derive(Deserialize)]
struct Part {
    text: Option<String>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct CallItem<'a> {
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    call_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

impl ResponsesDecoder {
    pub(super) fn new(draft: Draft) -> Self {
        Self { draft, slots: Vec::new() }
    }

    /// The place of the item an event speaks of, made when the server forgot to announce it.
    fn slot(&mut self, kind: Kind, number: Option<Count>) -> Result<usize, LlmError> {
        let same = |slot: &Slot| slot.kind == kind && number.is_none_or(|number| slot.number == number.0);
        match self.slots.iter().rposition(same) {
            Some(place) => Ok(place),
            None => self.announce(kind, number),
        }
    }

    fn announce(&mut self, kind: Kind, number: Option<Count>) -> Result<usize, LlmError> {
        if self.slots.len() >= MAX_ANSWER_BLOCKS {
            return Err(LlmError::new(
                FailReason::Format,
                "the provider sent more parts than any answer has",
            ));
        }
        let number = number.map_or(self.slots.len() as u64, |number| number.0);
        self.slots.push(Slot { number, kind, at: None, grown: false, call_id: String::new() });
        Ok(self.slots.len() - 1)
    }

    /// The block of the item at `place`; calls have theirs from the start.
    fn block(&mut self, place: usize) -> Result<Option<usize>, LlmError> {
        let Some(slot) = self.slots.get_mut(place) else { return Ok(None) };
        if slot.at.is_none() {
            slot.at = match slot.kind {
                Kind::Message => Some(self.draft.open_text()?),
                Kind::Reasoning => Some(self.draft.open_thinking()?),
                Kind::Call => None,
            };
        }
        Ok(slot.at)
    }

    fn grow(&mut self, place: usize, piece: String, out: &mut VecDeque<StreamEvent>) -> Result<(), LlmError> {
        if piece.is_empty() {
            return Ok(());
        }
        let Some(at) = self.block(place)? else { return Ok(()) };
        if let Some(slot) = self.slots.get_mut(place) {
            slot.grown = true;
        }
        self.draft.append(at, piece, out)
    }

    fn has_grown(&self, place: usize) -> bool {
        self.slots.get(place).is_some_and(|slot| slot.grown)
    }

    fn delta(
        &mut self,
        kind: Kind,
        event: &Event<'_>,
        out: &mut VecDeque<StreamEvent>,
    ) -> Result<(), LlmError> {
        let piece = text(event.delta)?;
        let place = self.slot(kind, event.output_index)?;
        self.grow(place, piece, out)
    }

    /// The next summary of the same thought begins.
    fn paragraph(&mut self, event: &Event<'_>, out: &mut VecDeque<StreamEvent>) -> Result<(), LlmError> {
        let place = self.slot(Kind::Reasoning, event.output_index)?;
        if self.has_grown(place) { self.grow(place, PARAGRAPH.to_owned(), out) } else { Ok(()) }
    }

    fn arguments_done(&mut self, event: &Event<'_>, out: &mut VecDeque<StreamEvent>) -> Result<(), LlmError> {
        let place = self.slot(Kind::Call, event.output_index)?;
        if self.has_grown(place) {
            return Ok(());
        }
        self.grow(place, text(event.arguments)?, out)
    }

    fn item_added(&mut self, event: &Event<'_>, out: &mut VecDeque<StreamEvent>) -> Result<(), LlmError> {
        let Some(item) = event.item else { return Ok(()) };
        match kind_of(item)? {
            Some(Kind::Call) => self.open_call(&read(item)?, event.output_index, out).map(|_| ()),
            Some(kind) => self.announce(kind, event.output_index).map(|_| ()),
            None => Ok(()),
        }
    }

    fn item_done(
        &mut self,
        item: &RawValue,
        number: Option<Count>,
        out: &mut VecDeque<StreamEvent>,
    ) -> Result<(), LlmError> {
        match kind_of(item)? {
            Some(Kind::Message) => self.message_done(&read(item)?, number, out),
            Some(Kind::Reasoning) => self.reasoning_done(item, number, out),
            Some(Kind::Call) => self.call_done(&read(item)?, number, out),
            None => Ok(()),
        }
    }

    fn message_done(
        &mut self,
        item: &MessageItem<'_>,
        number: Option<Count>,
        out: &mut VecDeque<StreamEvent>,
    ) -> Result<(), LlmError> {
        let place = self.slot(Kind::Message, number)?;
        if !self.has_grown(place) {
            self.grow(place, join(item.content.as_deref(), ""), out)?;
        }
        let mark = MessageMark::new(item.id.as_deref().unwrap_or_default(), item.phase.as_deref());
        match (mark, self.slots.get(place).and_then(|slot| slot.at)) {
            (Some(mark), Some(at)) => self.draft.sign(at, &mark.keep()),
            _ => Ok(()),
        }
    }

    fn reasoning_done(
        &mut self,
        raw: &RawValue,
        number: Option<Count>,
        out: &mut VecDeque<StreamEvent>,
    ) -> Result<(), LlmError> {
        let place = self.slot(Kind::Reasoning, number)?;
        if !self.has_grown(place) {
            let item: ReasoningItem = read(raw)?;
            let summary = join(item.summary.as_deref(), PARAGRAPH);
            let thought = if summary.is_empty() { join(item.content.as_deref(), PARAGRAPH) } else { summary };
            self.grow(place, thought, out)?;
        }
        // Thinking nobody was shown is kept too: without it the calls it led to are refused.
        let Some(kept) = Reasoning::read(raw.get()) else { return Ok(()) };
        match self.block(place)? {
            Some(at) => self.draft.sign(at, &kept.keep()),
            None => Ok(()),
        }
    }

    fn call_done(
        &mut self,
        item: &CallItem<'_>,
        number: Option<Count>,
        out: &mut VecDeque<StreamEvent>,
    ) -> Result<(), LlmError> {
        let place = self.open_call(item, number, out)?;
        if !self.has_grown(place) {
            self.grow(place, text(item.arguments)?, out)?;
        }
        if let Some(at) = self.slots.get(place).and_then(|slot| slot.at) {
            self.draft.close_call(at, out);
        }
        Ok(())
    }

    /// The place of a call, opened when it was not before.
    fn open_call(
        &mut self,
        item: &CallItem<'_>,
        number: Option<Count>,
        out: &mut VecDeque<StreamEvent>,
    ) -> Result<usize, LlmError> {
        let call_id = item.call_id.as_deref().unwrap_or_default();
        let same = |slot: &Slot| {
            slot.kind == Kind::Call
                && number.map_or(slot.call_id == call_id, |number| slot.number == number.0)
        };
        let place = match self.slots.iter().rposition(same) {
            Some(place) => place,
            None => self.announce(Kind::Call, number)?,
        };
        let name = item.name.as_deref().unwrap_or_default();
        if name.is_empty() || self.slots.get(place).is_none_or(|slot| slot.at.is_some()) {
            return Ok(place);
        }
        // Results are matched by the first half alone, so that half must not repeat.
        let repeated = self.slots.iter().any(|slot| slot.at.is_some() && slot.call_id == call_id);
        let id =
            if repeated { String::new() } else { join_ids(call_id, item.id.as_deref().unwrap_or_default()) };
        let at = self.draft.open_call(&id, name, out)?;
        if let Some(slot) = self.slots.get_mut(place) {
            slot.at = Some(at);
            call_id.clone_into(&mut slot.call_id);
        }
        Ok(place)
    }

    /// The answer is over, one way or another.
    fn ended(&mut self, raw: &RawValue, out: &mut VecDeque<StreamEvent>) -> Result<(), LlmError> {
        let whole: Whole<'_> = read(raw)?;
        if let Some(tokens) = whole.usage {
            self.draft.count(tokens.normalised(), out);
        }
        // Servers that do not stream, or forget to, have everything here.
        if self.draft.is_empty() {
            for (number, item) in whole.output.into_iter().flatten().enumerate() {
                self.item_done(item, Some(Count(number as u64)), out)?;
            }
        }
        let reason = whole.incomplete_details.and_then(|details| details.reason).unwrap_or_default();
        let stop = match (whole.status.as_deref().unwrap_or("completed"), &*reason) {
            ("failed" | "cancelled", _) => {
                return Err(classify(None, whole.error.map_or("{}", RawValue::get).as_bytes(), &[]));
            }
            (_, "content_filter") => {
                return Err(LlmError::new(
                    FailReason::ContentFilter,
                    "the provider's content filter stopped the answer",
                ));
            }
            ("incomplete", _) => StopReason::Length,
            _ => StopReason::Stop,
        };
        // Of an answer that was too long the last call may be cut.
        if stop != StopReason::Length {
            self.draft.close_calls(out);
        }
        self.draft.stop = Some(stop);
        self.draft.finished = true;
        Ok(())
    }
}

impl Decode for ResponsesDecoder {
    fn event(&mut self, event: SseEvent<'_>, out: &mut VecDeque<StreamEvent>) -> Result<(), LlmError> {
        let data = event.data.trim_ascii();
        if data.is_empty() {
            return Ok(());
        }
        if data == DONE {
            self.draft.finished = true;
            self.draft.stop = self.draft.stop.or((!self.draft.is_empty()).then_some(StopReason::Stop));
            return Ok(());
        }
        let name = std::str::from_utf8(event.name).unwrap_or_default();
        let event: Event<'_> = serde_json::from_slice(data).map_err(|error| unreadable(&error))?;
        let kind = if event.r#type.is_empty() { name } else { &*event.r#type };
        match kind {
            "response.output_item.added" => self.item_added(&event, out),
            "response.output_item.done" => match event.item {
                Some(item) => self.item_done(item, event.output_index, out),
                None => Ok(()),
            },
            "response.output_text.delta" | "response.refusal.delta" => self.delta(Kind::Message, &event, out),
            "response.reasoning_summary_part.added" => self.paragraph(&event, out),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                self.delta(Kind::Reasoning, &event, out)
            }
            "response.function_call_arguments.delta" => self.delta(Kind::Call, &event, out),
            "response.function_call_arguments.done" => self.arguments_done(&event, out),
            "response.completed" | "response.incomplete" | "response.failed" | "response.done" => match event
                .response
            {
                Some(response) => self.ended(response, out),
                None => Err(LlmError::new(FailReason::Format, "the provider's stream ended without a word")),
            },
            "error" => Err(classify(None, data, &[])),
            "" if event.output.is_some() => self.ended(whole(data)?, out),
            "" if event.error.is_some() => Err(classify(None, data, &[])),
            _ => Ok(()),
        }
    }

    fn draft(&mut self) -> &mut Draft {
        &mut self.draft
    }
}

impl Tokens {
    /// The API counts cached tokens inside the prompt; we count them beside it.
    fn normalised(self) -> Usage {
        let details = self.input_tokens_details;
        let cached = details.map_or(0, |details| details.cached_tokens.0).min(self.input_tokens.0);
        let written = details.map_or(0, |details| details.cache_write_tokens.0);
        let written = written.min(self.input_tokens.0 - cached);
        Usage {
            input: self.input_tokens.0 - cached - written,
            output: self.output_tokens.0,
            cache_read: cached,
            cache_write: written,
            total_tokens: self.total_tokens.0,
            ..Usage::default()
        }
    }
}

fn read<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Result<T, LlmError> {
    serde_json::from_str(raw.get()).map_err(|error| unreadable(&error))
}

fn whole(data: &[u8]) -> Result<&RawValue, LlmError> {
    serde_json::from_slice(data).map_err(|error| unreadable(&error))
}

fn kind_of(item: &RawValue) -> Result<Option<Kind>, LlmError> {
    let typed: Typed<'_> = read(item)?;
    Ok(match &*typed.r#type {
        "message" => Some(Kind::Message),
        "reasoning" => Some(Kind::Reasoning),
        "function_call" => Some(Kind::Call),
        _ => None,
    })
}

/// A piece of text; arguments that came as an object are their own text.
fn text(raw: Option<&RawValue>) -> Result<String, LlmError> {
    match raw {
        None => Ok(String::new()),
        Some(raw) if raw.get().starts_with('"') => read(raw),
        Some(raw) if raw.get().starts_with('{') => Ok(raw.get().to_owned()),
        Some(_) => Ok(String::new()),
    }
}

fn join(parts: Option<&[Part]>, between: &str) -> String {
    let text =
        |part: &Part| part.text.clone().or_else(|| part.refusal.clone()).filter(|text| !text.is_empty());
    parts.unwrap_or_default().iter().filter_map(text).collect::<Vec<_>>().join(between)
}
