//! Providers and models as plain data: what the configuration says, once the composition root has read it.

use std::fmt;
use std::sync::Arc;

use homard_protocol::{Cost, ModelId, ProviderId, Usage};

use crate::call::params::Params;
use crate::wire;

/// Context worked in when nobody knows the model's, in tokens.
const ASSUMED_WINDOW: u32 = 200_000;
/// The same for Ollama, which keeps this much unless told otherwise, and silently forgets the rest.
const OLLAMA_WINDOW: u32 = 4_096;
/// Answer limit assumed when nobody says otherwise, in tokens.
const DEFAULT_MAX_TOKENS: u32 = 8_192;
/// Prices are per this many tokens.
const PRICE_UNIT: f64 = 1_000_000.0;

/// A key or token. Cannot be printed by accident.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(Arc<str>);

impl ApiKey {
    /// Takes a key; surrounding white space, which pasting adds, is dropped.
    #[must_use]
    pub fn new(key: &str) -> Self {
        Self(Arc::from(key.trim()))
    }

    /// The key itself, for the request header only.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(••••)")
    }
}

/// Extra request headers. Values often are credentials, so printing shows the names only.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, String)>);

impl Headers {
    /// The headers in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl FromIterator<(String, String)> for Headers {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(headers: I) -> Self {
        Self(headers.into_iter().collect())
    }
}

impl fmt::Debug for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// What a call proves itself with, when it is not the provider's own configured key: one profile of several,
/// a token that was refreshed a moment ago, or keys that sign.
#[derive(Debug, Clone, Default)]
pub struct Credential {
    /// What kind of proof.
    pub kind: CredentialKind,
    /// The key or token; `None` for keys that sign and for servers that ask for nothing.
    pub secret: Option<ApiKey>,
    /// Sent beside the provider's own headers: an account, an organisation.
    pub headers: Headers,
    /// Where this credential is accepted, when that differs from the provider's address.
    pub base_url: Option<String>,
    /// Keys that sign each request.
    pub aws: Option<AwsKeys>,
    /// The project that pays, where the API has every call name it.
    pub project: Option<String>,
}

/// The kinds of proof, which providers tell apart by header.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CredentialKind {
    /// A key that does not expire.
    #[default]
    ApiKey,
    /// A bearer token somebody pasted; it may expire and cannot be refreshed.
    Token,
    /// A bearer token from a login, refreshed before it expires.
    OAuth,
    /// Keys that sign each request.
    Aws,
}

/// Keys that sign requests to a region.
#[derive(Debug, Clone)]
pub struct AwsKeys {
    pub access_key_id: String,
    pub secret_access_key: ApiKey,
    /// Proof that temporary keys belong together.
    pub session_token: Option<ApiKey>,
    /// Which region the request is for.
    pub region: String,
}

/// A provider: where it is, how it is spoken to, what it offers.
#[derive(Debug, Clone)]
pub struct ProviderSpec {
    /// Its name in model references.
    pub id: ProviderId,
    /// The wire API of models that do not name their own, for example `openai-completions`.
    pub api: String,
    /// Where the API lives; the path of the call is appended.
    pub base_url: String,
    /// The key, where one is needed; local servers need none.
    pub api_key: Option<ApiKey>,
    /// Sent with every request.
    pub headers: Headers,
    /// Send the key as `Authorization: Bearer` even where the API has a header of its own.
    pub auth_header: bool,
    /// The header that carries the key, where the server departs from its API.
    pub key_header: Option<String>,
    /// What it offers, the owner's favourite first.
    pub models: Vec<ModelSpec>,
}

impl ProviderSpec {
    /// A provider without key, headers or models.
    pub fn new(id: ProviderId, api: impl Into<String>, base_url: impl Into<String>) -> Self {
        Self {
            id,
            api: api.into(),
            base_url: base_url.into(),
            api_key: None,
            headers: Headers::default(),
            auth_header: false,
            key_header: None,
            models: Vec::new(),
        }
    }
}

/// What a model can be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    Text,
    Image,
    /// Documents such as PDFs.
    Document,
}

impl InputKind {
    /// The word configuration and clients use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Image => "image",
            Self::Document => "document",
        }
    }

    /// Reads the word configuration uses; what is neither is no ability we know.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "text" => Some(Self::Text),
            "image" => Some(Self::Image),
            "document" | "pdf" => Some(Self::Document),
            _ => None,
        }
    }
}

/// A model: its names, limits, abilities and prices.
#[derive(Debug, Clone)]
pub struct ModelSpec {
    pub provider: ProviderId,
    /// The provider's name for it.
    pub id: ModelId,
    /// A name for people.
    pub name: String,
    /// The wire API it is called by.
    pub api: String,
    /// Whether it can think before answering.
    pub reasoning: bool,
    /// What it can be shown.
    pub input: Vec<InputKind>,
    pub price: Price,
    /// Prompt and answer together, in tokens: what the owner says or the server has; `None` where nobody knows.
    pub context_window: Option<u32>,
    /// The longest answer, in tokens.
    pub max_tokens: u32,
    /// Sent with every request for this model, after the provider's own.
    pub headers: Headers,
    /// Where its server differs from the API's inventor.
    pub compat: Compat,
    /// What every call to it asks for.
    pub params: Params,
}

impl ModelSpec {
    /// A text model with default limits and no price.
    pub fn new(provider: ProviderId, id: ModelId, api: impl Into<String>) -> Self {
        Self {
            name: id.as_str().to_owned(),
            provider,
            id,
            api: api.into(),
            reasoning: false,
            input: vec![InputKind::Text],
            price: Price::default(),
            context_window: None,
            max_tokens: DEFAULT_MAX_TOKENS,
            headers: Headers::default(),
            compat: Compat::default(),
            params: Params::default(),
        }
    }

    /// The context to work in, in tokens: the known one, else what is usual behind its API. A guess, for us to keep
    /// to and not to be told as a fact.
    #[must_use]
    pub fn window(&self) -> u32 {
        let usual = if self.api == wire::OLLAMA { OLLAMA_WINDOW } else { ASSUMED_WINDOW };
        self.context_window.unwrap_or(usual)
    }

    /// Whether the model can be shown pictures.
    #[must_use]
    pub fn sees_images(&self) -> bool {
        self.input.contains(&InputKind::Image)
    }

    /// Whether the model can be given documents.
    #[must_use]
    pub fn reads_documents(&self) -> bool {
        self.input.contains(&InputKind::Document)
    }
}

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Price {
    pub input: f64,
    pub output: f64,
    /// Prompt tokens served from the cache.
    pub cache_read: f64,
    /// Prompt tokens written to the cache.
    pub cache_write: f64,
}

impl Price {
    /// What the tokens of `usage` cost.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> Cost {
        let part = |tokens: u64, price: f64| dollars(tokens) * price / PRICE_UNIT;
        let mut cost = Cost {
            input: part(usage.input, self.input),
            output: part(usage.output, self.output),
            cache_read: part(usage.cache_read, self.cache_read),
            cache_write: part(usage.cache_write, self.cache_write),
            total: 0.0,
        };
        cost.total = cost.input + cost.output + cost.cache_read + cost.cache_write;
        cost
    }
}

/// A token count as a factor; counts beyond 32 bits are no real usage and are capped.
fn dollars(tokens: u64) -> f64 {
    f64::from(u32::try_from(tokens).unwrap_or(u32::MAX))
}

/// Which field limits the answer's length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaxTokensField {
    /// `max_tokens`, which nearly everybody reads.
    MaxTokens,
    /// `max_completion_tokens`, which the inventor's newer models insist on.
    MaxCompletionTokens,
    /// None: the server sets the limit itself and refuses to be told.
    Neither,
}

/// How a server wants to be told to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThinkingFormat {
    OpenAi,
    Zai,
    Qwen,
}

/// Where a server that speaks `openai-completions` differs from the inventor's own. `None` means the owner
/// did not say; [`Models`](crate::Models) then decides by the address.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Compat {
    pub supports_store: Option<bool>,
    /// Wants the system prompt as role `developer` from reasoning models.
    pub supports_developer_role: Option<bool>,
    pub supports_reasoning_effort: Option<bool>,
    pub supports_usage_in_streaming: Option<bool>,
    /// Which field limits the answer.
    pub max_tokens_field: Option<MaxTokensField>,
    /// How thinking is asked for.
    pub thinking_format: Option<ThinkingFormat>,
    /// Wants the tool's name on its result.
    pub requires_tool_result_name: Option<bool>,
    /// Wants earlier thinking as ordinary text.
    pub requires_thinking_as_text: Option<bool>,
    /// Wants tool-call ids of exactly nine letters and digits.
    pub requires_mistral_tool_ids: Option<bool>,
    /// Refuses tool schemas that limit lengths.
    pub refuses_length_keywords: Option<bool>,
}

impl Compat {
    /// Fills what the owner left open by looking at who is being called.
    #[must_use]
    pub(crate) fn resolved(self, base_url: &str) -> Self {
        let host = host_of(base_url);
        let inventor = host.ends_with("openai.com") || host.ends_with("openai.azure.com");
        let mistral = host.ends_with("mistral.ai");
        let field = match inventor {
            _ if host.ends_with("chatgpt.com") => MaxTokensField::Neither,
            true => MaxTokensField::MaxCompletionTokens,
            false => MaxTokensField::MaxTokens,
        };
        let format = if host.ends_with("z.ai") { ThinkingFormat::Zai } else { ThinkingFormat::OpenAi };
        Self {
            supports_store: self.supports_store.or(Some(inventor)),
            supports_developer_role: self.supports_developer_role.or(Some(inventor)),
            supports_reasoning_effort: self.supports_reasoning_effort.or(Some(!mistral)),
            supports_usage_in_streaming: self.supports_usage_in_streaming.or(Some(true)),
            max_tokens_field: self.max_tokens_field.or(Some(field)),
            thinking_format: self.thinking_format.or(Some(format)),
            requires_tool_result_name: self.requires_tool_result_name.or(Some(mistral)),
            requires_thinking_as_text: self.requires_thinking_as_text.or(Some(mistral)),
            requires_mistral_tool_ids: self.requires_mistral_tool_ids.or(Some(mistral)),
            refuses_length_keywords: self.refuses_length_keywords.or(Some(is_at(host, "x.ai"))),
        }
    }
}

/// Whether a host is a domain or below it.
fn is_at(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// The host of an address, without scheme, port and path; good enough to recognise a vendor.
fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    host.split(':').next().unwrap_or(host)
}

#[cfg(test)]
mod tests;
