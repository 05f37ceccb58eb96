//! A model as the world knows it, written so that a list of them reads like a table.

use homard_llm::{InputKind, Price};

/// What text models take.
const TEXT: &[InputKind] = &[InputKind::Text];
/// What models with eyes take.
const SEES: &[InputKind] = &[InputKind::Text, InputKind::Image];
/// What models take that also read documents.
const READS: &[InputKind] = &[InputKind::Text, InputKind::Image, InputKind::Document];

/// A model: its names, limits, abilities and public list price.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelRow {
    /// The provider's name for it.
    pub id: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// The wire API, when different from its provider's.
    pub api: Option<&'static str>,
    /// Prompt and answer together, in tokens.
    pub context_window: u32,
    /// The longest answer, in tokens.
    pub max_tokens: u32,
    /// What it can be shown.
    pub input: &'static [InputKind],
    /// Whether it can think before answering.
    pub reasoning: bool,
    /// Whether it can think harder than hard.
    pub xhigh: bool,
    /// US dollars per million tokens; zero where there is no public price per token.
    pub price: Price,
}

/// A text model without a price.
pub(super) const fn model(id: &'static str, name: &'static str, window: u32, answer: u32) -> ModelRow {
    ModelRow {
        id,
        name,
        api: None,
        context_window: window,
        max_tokens: answer,
        input: TEXT,
        reasoning: false,
        xhigh: false,
        price: Price { input: 0.0, output: 0.0, cache_read: 0.0, cache_write: 0.0 },
    }
}

impl ModelRow {
    /// It can be shown pictures.
    pub(super) const fn sees(mut self) -> Self {
        self.input = SEES;
        self
    }

    /// It can be shown pictures and given documents.
    pub(super) const fn reads(mut self) -> Self {
        self.input = READS;
        self
    }

    /// It can think before answering.
    pub(super) const fn thinks(mut self) -> Self {
        self.reasoning = true;
        self
    }

    /// It can think harder than hard.
    pub(super) const fn thinks_harder(mut self) -> Self {
        self.reasoning = true;
        self.xhigh = true;
        self
    }

    /// It is called by another API than its siblings.
    pub(super) const fn by(mut self, api: &'static str) -> Self {
        self.api = Some(api);
        self
    }

    /// Its list price: prompt and answer.
    pub(super) const fn costs(mut self, input: f64, output: f64) -> Self {
        self.price.input = input;
        self.price.output = output;
        self
    }

    /// What its cache costs: reading and writing.
    pub(super) const fn cached(mut self, read: f64, write: f64) -> Self {
        self.price.cache_read = read;
        self.price.cache_write = write;
        self
    }
}
