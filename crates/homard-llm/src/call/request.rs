//! What goes into a model call, in no provider's spelling.

use std::path::Path;
use std::sync::Arc;

use homard_protocol::Message;

use crate::call::sampling::Sampling;
use crate::call::schema::ToolSchema;
use crate::spec::{Credential, ModelSpec};

pub use homard_protocol::ThinkingLevel;

/// One model call. Everything large is shared, so a retry or another provider costs no copy.
#[derive(Debug, Clone)]
pub struct Request {
    /// Which model, with the limits and prices that apply.
    pub model: Arc<ModelSpec>,
    /// The system prompt; empty for none.
    pub system: Arc<str>,
    /// The conversation, oldest first. Broken tool pairs are repaired on the way out.
    pub messages: Vec<Arc<Message>>,
    /// What the model may call.
    pub tools: Arc<[ToolSpec]>,
    /// The longest answer wanted; what the model's parameters say when absent.
    pub max_tokens: Option<u32>,
    /// How words are chosen.
    pub sampling: Sampling,
    /// How hard to think; ignored for models that cannot.
    pub thinking: ThinkingLevel,
    /// What to call with; the provider's configured key when absent.
    pub credential: Option<Arc<Credential>>,
    /// Names the conversation to providers that route by it, so that their caches are met again.
    pub session: Option<Arc<str>>,
    /// The folder in which a program on this machine may be asked. `None` where none may be started: such programs
    /// have tools of their own that nobody is asked about, so only the owner's own words go to them.
    pub program_dir: Option<Arc<Path>>,
}

impl Request {
    /// The request with what its model's owner wants of every call, where the caller left it open.
    #[must_use]
    pub(crate) fn settled(&self) -> Self {
        let params = &self.model.params;
        let mut request = self.clone();
        request.max_tokens = self.max_tokens.or(params.max_tokens);
        request.sampling = self.sampling.clone().or(&params.sampling);
        request
    }
}

/// A tool as the model reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// What the model calls it.
    pub name: String,
    /// When and how to use it.
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: ToolSchema,
}
