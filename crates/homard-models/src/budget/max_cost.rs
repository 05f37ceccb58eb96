//! What a call may cost at most, told before it is made.
//!
//! The bound must hold without the provider's tokeniser. A byte-level tokeniser never makes more tokens than
//! there are bytes, so bytes bound text; what is not text has a fixed bound each. The likely size beside it is
//! a guess, used only where a guess is enough: to decide how long an answer is still affordable, and to count
//! calls whose provider reports nothing.

use std::io;

use homard_llm::{ModelSpec, Price, Request};
use homard_protocol::{AssistantBlock, Message, Usage, UserBlock, UserContent};
use serde::Serialize;

use super::amount::Amount;

/// Tokens an API may add around a message: roles, separators, ids.
const PER_MESSAGE: u64 = 32;
/// Tokens an API may add around a tool, and once for having tools at all.
const PER_TOOL: u64 = 64;
/// Tokens of the hidden prompt some APIs add when there are tools.
const FOR_TOOLS: u64 = 1_024;
/// Most tokens a picture becomes; the dearest tiling in use stays below.
const MAX_IMAGE: u64 = 50_000;
/// What a picture usually becomes.
const LIKELY_IMAGE: u64 = 1_600;
/// Bytes of text in a usual token.
const BYTES_PER_TOKEN: u64 = 4;
/// Bytes of an encoded document for one token of it, usually: most of a file is not text.
const DOCUMENT_BYTES_PER_TOKEN: u64 = 24;
/// Thousandths of a millionth: prices are kept in them per token, so that cheap models do not round to free.
const NANO_PER_MICRO: u64 = 1_000;
/// Most of either unit one call is taken to use: far above any real call, and low enough that a million of
/// them still add up.
const MOST: u64 = u64::MAX >> 20;

/// The upper bound of one call, and what is likely.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MaxCost {
    /// Prompt tokens, at most.
    pub prompt: u64,
    pub likely_prompt: u64,
    /// Tokens the answer may have.
    pub answer: u32,
    /// Billionths of a dollar per prompt token, at the dearest rate.
    pub prompt_price: u64,
    /// Billionths of a dollar per prompt token, at the usual rate.
    pub likely_price: u64,
    /// Billionths of a dollar per token of the answer.
    pub answer_price: u64,
}

impl MaxCost {
    /// Bounds a request to its model.
    #[must_use]
    pub fn of(request: &Request) -> Self {
        let Price { input, output, cache_read, cache_write } = request.model.price;
        let size = Size::of(request);
        Self {
            prompt: size.most,
            likely_prompt: size.likely,
            answer: request.max_tokens.unwrap_or(request.model.max_tokens).max(1),
            prompt_price: nano(input.max(cache_write).max(cache_read)),
            likely_price: nano(input),
            answer_price: nano(output),
        }
    }

    /// Bounds a call that sends texts of so many bytes and gets no words back.
    #[must_use]
    pub fn of_texts(model: &ModelSpec, bytes: u64) -> Self {
        Self {
            prompt: bytes.min(MOST),
            likely_prompt: bytes.div_ceil(BYTES_PER_TOKEN).min(MOST),
            answer: 1,
            prompt_price: nano(model.price.input),
            likely_price: nano(model.price.input),
            answer_price: 0,
        }
    }

    /// Everything at its dearest.
    #[must_use]
    pub fn amount(&self) -> Amount {
        self.with_answer(self.answer)
    }

    /// Everything at its dearest, with an answer of `tokens`.
    pub(super) fn with_answer(&self, tokens: u32) -> Amount {
        let tokens = u64::from(tokens);
        let money = cost(self.prompt, self.prompt_price).saturating_add(cost(tokens, self.answer_price));
        Amount { tokens: self.prompt.saturating_add(tokens).min(MOST), micro_usd: money.min(MOST) }
    }

    /// What the prompt probably costs.
    pub(super) fn likely_prompt_amount(&self) -> Amount {
        Amount { tokens: self.likely_prompt, micro_usd: cost(self.likely_prompt, self.likely_price) }
    }

    /// How many tokens of answer `rest` buys after the likely prompt; `None` in units that do not price it.
    pub(super) fn affordable(&self, rest: Amount) -> (u64, Option<u64>) {
        let rest = rest.minus(self.likely_prompt_amount());
        let money = rest.micro_usd.saturating_mul(NANO_PER_MICRO).checked_div(self.answer_price);
        (rest.tokens, money)
    }
}

/// What a call used whose provider did not say: the likely prompt and the bytes that arrived.
#[must_use]
pub fn estimate(request: &Request, answer_bytes: u64) -> Usage {
    let input = Size::of(request).likely;
    let output = answer_bytes.div_ceil(BYTES_PER_TOKEN);
    let mut usage = Usage { input, output, total_tokens: input.saturating_add(output), ..Usage::default() };
    usage.cost = request.model.price.cost(&usage);
    usage
}

/// Dollars per million tokens are millionths per token; kept in billionths and rounded up.
fn nano(per_million: f64) -> u64 {
    (per_million * 1_000.0).ceil() as u64
}

fn cost(tokens: u64, price: u64) -> u64 {
    tokens.saturating_mul(price).div_ceil(NANO_PER_MICRO)
}

#[derive(Debug, Clone, Copy, Default)]
struct Size {
    most: u64,
    likely: u64,
}

impl Size {
    fn of(request: &Request) -> Self {
        let mut size = Self::default();
        size.text(request.system.len());
        size.fixed(PER_MESSAGE, PER_MESSAGE / 4);
        for message in &request.messages {
            size.fixed(PER_MESSAGE, PER_MESSAGE / 8);
            size.message(message);
        }
        if !request.tools.is_empty() {
            size.fixed(FOR_TOOLS, FOR_TOOLS / 4);
        }
        for tool in request.tools.iter() {
            size.fixed(PER_TOOL, PER_TOOL / 4);
            size.text(tool.name.len() + tool.description.len() + tool.parameters.bytes());
        }
        size
    }

    fn message(&mut self, message: &Message) {
        match message {
            Message::User(user) => match &user.content {
                UserContent::Text(text) => self.text(text.len()),
                UserContent::Blocks(blocks) => blocks.iter().for_each(|block| self.block(block)),
            },
            Message::ToolResult(result) => {
                self.text(result.tool_call_id.as_str().len() + result.tool_name.len());
                result.content.iter().for_each(|block| self.block(block));
            }
            Message::Assistant(answer) => answer.content.iter().for_each(|block| self.answer(block)),
            // Never reaches a model.
            Message::Other(_) => {}
        }
    }

    fn block(&mut self, block: &UserBlock) {
        match block {
            UserBlock::Text { text } => self.text(text.len()),
            UserBlock::Image { .. } => self.fixed(MAX_IMAGE, LIKELY_IMAGE),
            UserBlock::Document { data, .. } => {
                let bytes = whole(data.len());
                self.fixed(bytes.max(MAX_IMAGE), bytes / DOCUMENT_BYTES_PER_TOKEN + LIKELY_IMAGE);
            }
        }
    }

    fn answer(&mut self, block: &AssistantBlock) {
        let proof = |proof: &Option<String>| proof.as_ref().map_or(0, String::len);
        match block {
            AssistantBlock::Text { text, text_signature } => self.text(text.len() + proof(text_signature)),
            AssistantBlock::Thinking { thinking, thinking_signature } => {
                self.text(thinking.len() + proof(thinking_signature));
            }
            AssistantBlock::ToolCall(call) => self.text(
                call.id.as_str().len()
                    + call.name.len()
                    + json_len(&call.arguments)
                    + proof(&call.thought_signature),
            ),
        }
    }

    fn text(&mut self, bytes: usize) {
        let bytes = whole(bytes);
        self.fixed(bytes, bytes.div_ceil(BYTES_PER_TOKEN));
    }

    fn fixed(&mut self, most: u64, likely: u64) {
        self.most = self.most.saturating_add(most);
        self.likely = self.likely.saturating_add(likely);
    }
}

fn whole(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// The length of a value as JSON, without writing it anywhere.
fn json_len(value: &impl Serialize) -> usize {
    struct Counter(usize);
    impl io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    match serde_json::to_writer(&mut counter, value) {
        Ok(()) => counter.0,
        // A value that cannot be written is not sent either.
        Err(_) => 0,
    }
}

#[cfg(test)]
mod tests;
