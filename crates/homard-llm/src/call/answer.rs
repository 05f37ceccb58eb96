//! The answer while it is being written: blocks that grow, then one finished message.
//!
//! Decoders say what arrived; this file owns how an assistant message is put together, what it may weigh and
//! what it cost.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use homard_protocol::{AssistantBlock, AssistantMessage, StopReason, ToolCall, ToolCallId, Usage};
use homard_runtime::Clip;
use serde::{Deserialize, Deserializer, de};

use crate::call::arguments::{self, MAX_ARGUMENT_BYTES};
use crate::call::repetition::{Repeated, Repetition};
use crate::error::{FailReason, LlmError};
use crate::provider::StreamEvent;
use crate::spec::ModelSpec;

/// Most text, thinking and arguments one answer may hold, in bytes: far above any model's limit, so that
/// only a broken or hostile server meets it.
pub(crate) const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;
/// Most bytes of overlong arguments that are read and thrown away before the answer is given up.
const MAX_SKIPPED_BYTES: usize = 128 * 1024 * 1024;
/// Copies kept of what was said over and over: more would teach the model to go on.
const KEPT_COPIES: usize = 3;
/// How much of what was said over and over is quoted, in characters.
const MAX_QUOTE: usize = 40;
/// Most blocks one answer may hold.
pub(crate) const MAX_ANSWER_BLOCKS: usize = 1_024;

/// An answer in the making.
#[derive(Debug)]
pub(crate) struct Draft {
    model: Arc<ModelSpec>,
    timestamp: i64,
    blocks: Vec<Block>,
    calls: usize,
    weight: usize,
    /// Bytes of arguments that were not kept.
    skipped: usize,
    usage: Usage,
    /// Why the model stopped, once it said so; a stream that ends before was cut.
    pub(crate) stop: Option<StopReason>,
    /// Whether the API has said that nothing more comes.
    pub(crate) finished: bool,
    /// The block being watched for repetition, and the watch.
    watched: (usize, Repetition),
}

#[derive(Debug)]
enum Block {
    Text { text: String, signature: String },
    Thinking { text: String, signature: String },
    Call(Call),
}

#[derive(Debug)]
struct Call {
    index: usize,
    id: ToolCallId,
    name: String,
    json: String,
    /// Bytes of arguments that were longer than they may be and were not kept.
    skipped: usize,
    signature: String,
    /// Closed although its arguments were not readable.
    broken: bool,
    /// Closed before any argument came.
    bare: bool,
    /// Set once the call is complete; a call that never is does not reach the message.
    done: Option<ToolCall>,
}

impl Draft {
    /// An empty answer of `model`, begun at `timestamp`.
    #[must_use]
    pub(crate) fn new(model: Arc<ModelSpec>, timestamp: i64) -> Self {
        Self {
            model,
            timestamp,
            blocks: Vec::new(),
            calls: 0,
            weight: 0,
            skipped: 0,
            usage: Usage::default(),
            stop: None,
            finished: false,
            watched: (0, Repetition::default()),
        }
    }

    /// Whether nothing has arrived.
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Whether a tool was called.
    pub(crate) fn has_calls(&self) -> bool {
        self.calls > 0
    }

    /// Opens a block and returns its place.
    fn open(&mut self, block: Block) -> Result<usize, LlmError> {
        if self.blocks.len() >= MAX_ANSWER_BLOCKS {
            return Err(too_large());
        }
        self.blocks.push(block);
        Ok(self.blocks.len() - 1)
    }

    pub(crate) fn open_text(&mut self) -> Result<usize, LlmError> {
        self.open(Block::Text { text: String::new(), signature: String::new() })
    }

    pub(crate) fn open_thinking(&mut self) -> Result<usize, LlmError> {
        self.open(Block::Thinking { text: String::new(), signature: String::new() })
    }

    /// The last block when it is text, else a new one.
    pub(crate) fn text_block(&mut self) -> Result<usize, LlmError> {
        match self.blocks.last() {
            Some(Block::Text { .. }) => Ok(self.blocks.len() - 1),
            _ => self.open_text(),
        }
    }

    /// The last block when it is thinking, else a new one.
    pub(crate) fn thinking_block(&mut self) -> Result<usize, LlmError> {
        match self.blocks.last() {
            Some(Block::Thinking { .. }) => Ok(self.blocks.len() - 1),
            _ => self.open_thinking(),
        }
    }

    /// Opens a call. Missing, unusable or repeated ids get one of ours, so that results can find their call.
    pub(crate) fn open_call(
        &mut self,
        id: &str,
        name: &str,
        out: &mut VecDeque<StreamEvent>,
    ) -> Result<usize, LlmError> {
        let index = self.calls;
        let taken =
            |id: &str| self.blocks.iter().any(|b| matches!(b, Block::Call(call) if call.id.as_str() == id));
        let own = || format!("call_{}_{index}", self.timestamp);
        let text = if id.is_empty() || taken(id) { own() } else { id.to_owned() };
        let id = ToolCallId::parse(&text)
            .or_else(|_unusable| ToolCallId::parse(&own()))
            .map_err(|error| LlmError::new(FailReason::Format, error.to_string()))?;
        self.weigh(name.len())?;
        out.push_back(StreamEvent::ToolCallStart { index, id: id.to_string(), name: name.to_owned() });
        self.calls += 1;
        self.open(Block::Call(Call {
            index,
            id,
            name: name.to_owned(),
            json: String::new(),
            skipped: 0,
            signature: String::new(),
            broken: false,
            bare: false,
            done: None,
        }))
    }

    /// Adds to the block at `at` and tells the listener.
    pub(crate) fn append(
        &mut self,
        at: usize,
        delta: String,
        out: &mut VecDeque<StreamEvent>,
    ) -> Result<(), LlmError> {
        if delta.is_empty() {
            return Ok(());
        }
        if self.skip(at, delta.len())? {
            return Ok(());
        }
        self.weigh(delta.len())?;
        match self.blocks.get_mut(at) {
            Some(Block::Text { text, .. }) => {
                text.push_str(&delta);
                let told = watch(&mut self.watched, at, text, &delta);
                out.push_back(StreamEvent::Text(delta));
                return told;
            }
            Some(Block::Thinking { text, .. }) => {
                text.push_str(&delta);
                let told = watch(&mut self.watched, at, text, &delta);
                out.push_back(StreamEvent::Thinking(delta));
                return told;
            }
            Some(Block::Call(call)) if call.done.is_none() => {
                call.json.push_str(&delta);
                out.push_back(StreamEvent::ToolCallDelta { index: call.index, json: delta });
            }
            Some(Block::Call(_)) | None => {}
        }
        Ok(())
    }

    /// Adds to the opaque proof of the block at `at`, which the provider wants back.
    pub(crate) fn sign(&mut self, at: usize, piece: &str) -> Result<(), LlmError> {
        self.weigh(piece.len())?;
        match self.blocks.get_mut(at) {
            Some(Block::Thinking { signature, .. } | Block::Text { signature, .. }) => {
                signature.push_str(piece);
            }
            Some(Block::Call(call)) if call.done.is_none() => call.signature.push_str(piece),
            Some(Block::Call(_)) | None => {}
        }
        Ok(())
    }

    /// Whether the thinking block at `at` has been signed.
    pub(crate) fn is_signed(&self, at: usize) -> bool {
        matches!(self.blocks.get(at), Some(Block::Thinking { signature, .. }) if !signature.is_empty())
    }

    /// The call at `at` is complete.
    pub(crate) fn close_call(&mut self, at: usize, out: &mut VecDeque<StreamEvent>) {
        if let Some(Block::Call(call)) = self.blocks.get_mut(at) {
            call.close(out);
        }
    }

    /// Forgets calls whose arguments were cut off: a tool must not run with half of what was meant.
    pub(crate) fn drop_cut_calls(&mut self) {
        // Only the last block can be one whose arguments were still to come.
        if matches!(self.blocks.last(), Some(Block::Call(call)) if call.bare) {
            self.blocks.pop();
        }
        self.blocks.retain(|block| match block {
            Block::Call(call) => call.done.as_ref().map_or(is_json(&call.json), |_| !call.broken),
            Block::Text { .. } | Block::Thinking { .. } => true,
        });
        self.calls = self.blocks.iter().filter(|block| matches!(block, Block::Call(_))).count();
    }

    /// Whatever is still open is complete, because the model said it was done.
    pub(crate) fn close_calls(&mut self, out: &mut VecDeque<StreamEvent>) {
        for block in &mut self.blocks {
            if let Block::Call(call) = block {
                call.close(out);
            }
        }
    }

    /// Records and prices what the call has cost so far.
    pub(crate) fn count(&mut self, mut usage: Usage, out: &mut VecDeque<StreamEvent>) {
        let sum = usage.prompt_tokens().saturating_add(usage.output);
        usage.total_tokens = usage.total_tokens.max(sum);
        usage.cost = self.model.price.cost(&usage);
        self.usage = usage;
        out.push_back(StreamEvent::Usage(usage));
    }

    /// What has been counted so far.
    pub(crate) fn usage(&self) -> Usage {
        self.usage
    }

    /// The finished message; the draft is empty afterwards. Calls that never completed are left out.
    pub(crate) fn take(
        &mut self,
        stop_reason: StopReason,
        error_message: Option<String>,
    ) -> AssistantMessage {
        AssistantMessage {
            content: std::mem::take(&mut self.blocks).into_iter().filter_map(finished).collect(),
            api: self.model.api.clone(),
            provider: self.model.provider.to_string(),
            model: self.model.id.to_string(),
            usage: self.usage,
            stop_reason,
            error_message,
            timestamp: self.timestamp,
        }
    }

    /// Lets go of arguments that grow past what a call may have, and of all that follows; answers whether these
    /// bytes are to be skipped.
    fn skip(&mut self, at: usize, bytes: usize) -> Result<bool, LlmError> {
        let Some(Block::Call(call)) = self.blocks.get_mut(at) else { return Ok(false) };
        let grown = call.json.len().saturating_add(bytes);
        if call.done.is_some() || (call.skipped == 0 && grown <= MAX_ARGUMENT_BYTES) {
            return Ok(false);
        }
        call.skipped = call.skipped.saturating_add(grown);
        call.json = String::new();
        self.skipped = self.skipped.saturating_add(bytes);
        if self.skipped > MAX_SKIPPED_BYTES { Err(too_large()) } else { Ok(true) }
    }

    fn weigh(&mut self, bytes: usize) -> Result<(), LlmError> {
        self.weight = self.weight.saturating_add(bytes);
        if self.weight > MAX_ANSWER_BYTES { Err(too_large()) } else { Ok(()) }
    }
}

impl Call {
    fn close(&mut self, out: &mut VecDeque<StreamEvent>) {
        if self.done.is_some() {
            return;
        }
        let call = ToolCall {
            id: self.id.clone(),
            name: std::mem::take(&mut self.name),
            arguments: if self.skipped > 0 {
                arguments::too_long(self.skipped)
            } else {
                arguments::read(&self.json)
            },
            thought_signature: proof(std::mem::take(&mut self.signature)),
        };
        self.bare = self.json.trim().is_empty();
        self.bare &= self.skipped == 0;
        self.broken = !self.bare && self.skipped == 0 && !is_json(&self.json);
        self.json = String::new();
        out.push_back(StreamEvent::ToolCall(call.clone()));
        self.done = Some(call);
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<de::IgnoredAny>(text).is_ok()
}

fn finished(block: Block) -> Option<AssistantBlock> {
    match block {
        Block::Text { text, .. } if text.is_empty() => None,
        Block::Text { text, signature } => {
            Some(AssistantBlock::Text { text, text_signature: proof(signature) })
        }
        Block::Thinking { text, signature } if text.is_empty() && signature.is_empty() => None,
        Block::Thinking { text, signature } => {
            Some(AssistantBlock::Thinking { thinking: text, thinking_signature: proof(signature) })
        }
        Block::Call(call) => call.done.map(AssistantBlock::ToolCall),
    }
}

/// A proof, where there is one.
fn proof(signature: String) -> Option<String> {
    (!signature.is_empty()).then_some(signature)
}

/// Looks whether the text at `at`, which ends with `delta`, has become nothing but repetition, and shortens it then.
fn watch(
    (watched, watch): &mut (usize, Repetition),
    at: usize,
    text: &mut String,
    delta: &str,
) -> Result<(), LlmError> {
    if *watched != at {
        (*watched, *watch) = (at, Repetition::default());
    }
    let Some(repeated) = watch.push(delta) else { return Ok(()) };
    let Repeated { period, length, after } = repeated;
    let start = text.clip_bytes(text.len().saturating_sub(after + length)).len();
    let piece = text.get(start..).unwrap_or_default().clip_bytes(period);
    let quote = piece.trim().clip_chars(MAX_QUOTE).to_owned();
    text.truncate(text.clip_bytes(start + period * KEPT_COPIES).len());
    let said = if quote.is_empty() { String::new() } else { format!(" (“{quote}”)") };
    let message = format!("the model said the same over and over{said} and was stopped");
    Err(LlmError::new(FailReason::Repetition, message))
}

fn too_large() -> LlmError {
    LlmError::new(FailReason::Format, "the provider sent a larger answer than any model writes")
}

/// A token count from outside: anything that is not a whole number of tokens counts as none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count(pub(crate) u64);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CountVisitor)
    }
}

struct CountVisitor;

impl<'de> de::Visitor<'de> for CountVisitor {
    type Value = Count;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a token count")
    }

    fn visit_u64<E: de::Error>(self, count: u64) -> Result<Count, E> {
        Ok(Count(count))
    }

    fn visit_i64<E: de::Error>(self, count: i64) -> Result<Count, E> {
        Ok(Count(u64::try_from(count).unwrap_or(0)))
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Count, E> {
        Ok(Count(0))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Count, E> {
        Ok(Count(0))
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Count, E> {
        Ok(Count(0))
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<Count, E> {
        Ok(Count(0))
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Count, A::Error> {
        while map.next_entry::<de::IgnoredAny, de::IgnoredAny>()?.is_some() {}
        Ok(Count(0))
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Count, A::Error> {
        while seq.next_element::<de::IgnoredAny>()?.is_some() {}
        Ok(Count(0))
    }
}

#[cfg(test)]
mod tests;
