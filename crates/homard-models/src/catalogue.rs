//! The providers of the world, as rows of data.
//!
//! A provider is one row: what it is called, which wire API it speaks, where it lives, which variables hold its
//! keys, how one logs in, how its models are listed, and the models known without asking. Adding a provider is
//! adding a row to a file in `catalogue/` and its name to [`ROWS`]; nothing else looks at provider names. The
//! rows are grouped by who runs the servers. What this house does with them is decided in
//! [`providers`](crate::providers).

use homard_llm::{Compat, CredentialKind};

use crate::auth::{Exchange, OAuthRow};

mod asia;
mod clouds;
mod forward;
mod gateways;
mod hosts;
mod local;
mod makers;
mod manual;
mod model_row;

pub use forward::{dated_root, folded};
pub use manual::docs_table;
pub use model_row::ModelRow;

/// Every provider, in alphabetical order of its id.
pub const ROWS: &[Row] = &[
    clouds::AMAZON_BEDROCK,
    makers::ANTHROPIC,
    clouds::AZURE_OPENAI,
    hosts::CEREBRAS,
    gateways::CLOUDFLARE,
    asia::DEEPSEEK,
    clouds::GITHUB_COPILOT,
    makers::GOOGLE,
    makers::GOOGLE_GEMINI_CLI,
    hosts::GROQ,
    hosts::HUGGINGFACE,
    asia::KIMI_CODING,
    gateways::LITELLM,
    local::LLAMA_CPP,
    local::LM_STUDIO,
    asia::MINIMAX,
    asia::MINIMAX_PORTAL,
    makers::MISTRAL,
    asia::MOONSHOT,
    hosts::NVIDIA,
    local::OLLAMA,
    makers::OPENAI,
    makers::OPENAI_CODEX,
    gateways::OPENCODE,
    gateways::OPENROUTER,
    asia::QIANFAN,
    asia::QWEN_PORTAL,
    hosts::SYNTHETIC,
    hosts::TOGETHER,
    hosts::VENICE,
    gateways::VERCEL,
    local::VLLM,
    makers::XAI,
    asia::XIAOMI,
    asia::ZAI,
];

/// A provider as the world knows it.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Its name in model references.
    pub id: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// Other spellings people use in model references.
    pub aliases: &'static [&'static str],
    /// The wire API of models that do not name their own.
    pub api: &'static str,
    /// Where it lives. `{name}` places are filled from [`places`](Row::places) or a profile's metadata.
    pub base_url: &'static str,
    /// The places of the address: their names and the variables that may hold them.
    pub places: &'static [Place],
    /// The variables its keys are found in, best first.
    pub env: &'static [EnvKey],
    /// How one can prove oneself.
    pub auth: &'static [AuthKind],
    /// The header that carries a key, where the provider departs from its API.
    pub key_header: Option<&'static str>,
    /// Sent with every request.
    pub headers: &'static [(&'static str, &'static str)],
    /// How its models are listed.
    pub discovery: DiscoveryKind,
    /// Models known without asking, the usual choice first.
    pub models: &'static [ModelRow],
    /// Names people use for its models, with the provider's own.
    pub model_aliases: &'static [(&'static str, &'static str)],
    /// Models newer than this list, each with the known one it is taken to resemble.
    pub templates: &'static [(&'static str, &'static str)],
    /// Where its servers differ from the API they imitate.
    pub compat: Compat,
    /// How to log in.
    pub oauth: Option<OAuthRow>,
    /// What a stored token is exchanged for before it is accepted.
    pub exchange: Option<Exchange>,
}

/// A place in an address that differs per account or region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Its name between braces.
    pub name: &'static str,
    /// Variables that may hold it, best first.
    pub env: &'static [&'static str],
}

/// A variable that holds a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnvKey {
    pub name: &'static str,
    /// What kind of proof it holds.
    pub kind: CredentialKind,
}

/// How one can prove oneself to a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthKind {
    /// With a key that does not expire.
    ApiKey,
    /// With a pasted token.
    Token,
    OAuth,
    /// By signing requests with AWS keys.
    Aws,
    /// Not at all: the server is one's own.
    Keyless,
}

/// How a provider's models are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscoveryKind {
    /// They are not: the rows are all there is.
    Fixed,
    /// `GET {base}/models`, with prices per million tokens where there are any.
    OpenAi,
    /// The same, with prices per token.
    OpenAiPerToken,
    /// `GET /api/tags`, and `/api/show` for each.
    Ollama,
    Bedrock,
}

impl Row {
    /// What most rows share; a row says how it differs.
    const BLANK: Self = Self {
        id: "",
        name: "",
        aliases: &[],
        api: "openai-completions",
        base_url: "",
        places: &[],
        env: &[],
        auth: &[AuthKind::ApiKey],
        key_header: None,
        headers: &[],
        discovery: DiscoveryKind::Fixed,
        models: &[],
        model_aliases: &[],
        templates: &[],
        compat: AS_THE_API_SAYS,
        oauth: None,
        exchange: None,
    };

    /// Whether its servers ask for nothing.
    #[must_use]
    pub fn is_keyless(&self) -> bool {
        self.auth.contains(&AuthKind::Keyless)
    }

    /// Whether its requests may be signed with AWS keys.
    #[must_use]
    pub fn is_signed(&self) -> bool {
        self.auth.contains(&AuthKind::Aws)
    }

    /// A model of this list by the provider's own name, also one that only resembles a known one or has a date
    /// behind its name.
    #[must_use]
    pub fn model(&self, id: &str) -> Option<&'static ModelRow> {
        let by_id = |id: &str| self.models.iter().find(|model| model.id == id);
        let old = || self.templates.iter().find(|(new, _)| *new == id).map(|(_, old)| *old);
        by_id(id).or_else(|| old().and_then(by_id)).or_else(|| dated_root(id).and_then(by_id))
    }

    /// The provider's own name for what somebody called `text`: an alias, or the same name with other dots,
    /// dashes or capitals. What is not known is taken as written.
    #[must_use]
    pub fn model_id<'a>(&self, text: &'a str) -> std::borrow::Cow<'a, str> {
        let known =
            self.models.iter().map(|model| model.id).chain(self.templates.iter().map(|(new, _)| *new));
        let mut known = known.collect::<Vec<_>>();
        if known.contains(&text) {
            return text.into();
        }
        let wanted = folded(text);
        let alias = self.model_aliases.iter().find(|(alias, _)| folded(alias) == wanted);
        if let Some((_, id)) = alias {
            return (*id).into();
        }
        known.retain(|id| folded(id) == wanted);
        match known.as_slice() {
            [only] => (*only).into(),
            _ => text.into(),
        }
    }

    /// The address with every place filled, or the name of the first place nobody fills.
    ///
    /// # Errors
    /// The place that is missing.
    pub fn address<'a>(&self, lookup: impl Fn(&str) -> Option<&'a str>) -> Result<String, &'static Place> {
        let mut address = self.base_url.to_owned();
        for place in self.places {
            let found = place.env.iter().find_map(|name| lookup(name));
            let value = found.filter(|value| is_plain(value)).ok_or(place)?;
            address = address.replace(&format!("{{{}}}", place.name), value);
        }
        Ok(address)
    }
}

/// Whether a text can stand inside an address without changing what the address means.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// Finds a provider by its id or one of its other spellings, whatever the case.
#[must_use]
pub fn find(id: &str) -> Option<&'static Row> {
    let id = id.trim();
    let same = |other: &str| other.eq_ignore_ascii_case(id);
    ROWS.iter()
        .find(|row| same(row.id))
        .or_else(|| ROWS.iter().find(|row| row.aliases.iter().any(|a| same(a))))
}

/// A key in a variable.
const fn key(name: &'static str) -> EnvKey {
    EnvKey { name, kind: CredentialKind::ApiKey }
}

/// A token in a variable.
const fn token(name: &'static str) -> EnvKey {
    EnvKey { name, kind: CredentialKind::Token }
}

/// No opinion: the address decides.
const AS_THE_API_SAYS: Compat = Compat {
    supports_store: None,
    supports_developer_role: None,
    supports_reasoning_effort: None,
    supports_usage_in_streaming: None,
    max_tokens_field: None,
    thinking_format: None,
    requires_tool_result_name: None,
    requires_thinking_as_text: None,
    requires_mistral_tool_ids: None,
    refuses_length_keywords: None,
};

#[cfg(test)]
mod tests;
