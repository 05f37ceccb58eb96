//! Which model somebody means, whether it may be used, and what is tried after it.
//!
//! Names are read here once and nowhere else: other spellings of providers and models, the owner's short names,
//! and the profile somebody pins with `model@profile`. What the named model can do is the registry's to say.

use std::collections::{BTreeMap, BTreeSet};

use homard_config::Config;
use homard_config::config::agents::{Agent, ModelSelection};
use homard_llm::ModelSpec;
use homard_protocol::{IdError, ModelId, ModelRef, ProviderId};
use homard_runtime::CollectOrdered as _;

use crate::catalogue;

mod thinking;

pub use thinking::{default_level, level_for, supported_levels};

/// Who is meant when nothing says otherwise.
const DEFAULT_PROVIDER: &str = "anthropic";
/// Stands for every model of a provider in the list of allowed ones.
const ANY: &str = "*";
/// Makers whose own models are meant by a bare name, before those who pass them on.
const MAKERS: [&str; 8] = ["anthropic", "openai", "google", "xai", "deepseek", "mistral", "moonshot", "zai"];
/// Short names that apply when the owner lists the model without a name of their own.
const USUAL_NAMES: [(&str, &str, &str); 6] = [
    ("opus", "anthropic", "claude-opus-4-6"),
    ("sonnet", "anthropic", "claude-sonnet-4-5"),
    ("gpt", "openai", "gpt-5.2"),
    ("gpt-mini", "openai", "gpt-5-mini"),
    ("gemini", "google", "gemini-3-pro-preview"),
    ("gemini-flash", "google", "gemini-3-flash-preview"),
];
/// Length of the date some model names carry behind an `@`.
const DATE_LEN: usize = 8;

/// Room a question and its answer need beside prompt and tools, in tokens.
pub const LEAST_ROOM: u32 = 1_024;
/// Below this context, in tokens, a model is told less and offered fewer tools.
pub const SMALL_WINDOW: u32 = 16_000;
/// How many times what is needed a context must hold to work well in.
const COMFORT: u32 = 2;

/// A model somebody asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedModel {
    pub model: ModelRef,
    /// The credential they want it called with, and no other.
    pub profile: Option<String>,
}

/// Why a text names no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    /// There is nothing to read.
    #[error("no model is named: write provider/model, a model or one of your short names")]
    Empty,
    /// The text cannot be a name.
    #[error("`{text}` cannot be the name of a model: write provider/model")]
    NotAName {
        text: String,
        /// What is wrong with it.
        #[source]
        source: IdError,
    },
}

/// Reads names of models as the owner's configuration means them. Built once per configuration.
#[derive(Debug, Clone)]
pub struct Selector {
    /// Short names in lower case.
    aliases: BTreeMap<String, ModelRef>,
    /// Models that may be used; `None` means any.
    allowed: Option<BTreeSet<ModelRef>>,
    /// Every model the configuration names, for reading bare names.
    named: Vec<ModelRef>,
    /// Providers the owner wrote, whose names are theirs to choose.
    own: BTreeSet<ProviderId>,
    default_provider: Option<ProviderId>,
    image: ModelSelection,
}

impl Selector {
    /// Reads the configuration.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        let defaults = &config.agents.defaults;
        let own = config.models.providers.keys().cloned().collect_set();
        let normal = |model: &ModelRef| normal(model, &own);
        let listed: Vec<(ModelRef, Option<&String>)> =
            defaults.models.iter().map(|(model, entry)| (normal(model), entry.alias.as_ref())).collect();
        let chains = config.agents.list.iter().map(|agent| &agent.model);
        let chosen = chains.chain([&defaults.model, &defaults.image_model]);
        let chosen: Vec<ModelRef> = chosen.flat_map(members).map(normal).collect();
        let served = config.models.providers.iter().flat_map(|(id, provider)| {
            let model = |model: &ModelId| ModelRef { provider: id.clone(), model: model.clone() };
            provider.models.iter().map(move |entry| model(&entry.id))
        });
        let primary = defaults.model.primary.as_ref().map(normal);
        let allowed = allowed(defaults.model_allow.iter().map(normal), &listed, &chosen);
        let named = listed.iter().map(|(model, _)| model.clone()).chain(chosen);
        Self {
            aliases: aliases(&listed),
            allowed,
            named: named.chain(served.map(|model| normal(&model))).collect(),
            default_provider: primary.map(|model| model.provider),
            image: ModelSelection {
                primary: defaults.image_model.primary.as_ref().map(normal),
                fallbacks: defaults.image_model.fallbacks.iter().map(normal).collect(),
            },
            own,
        }
    }

    /// Reads what somebody wrote: `provider/model`, a model, a short name; each with `@profile` behind it.
    ///
    /// # Errors
    /// When the text cannot be a name. Whether the model exists is not looked at.
    pub fn parse(&self, text: &str) -> Result<WantedModel, SelectError> {
        let text = text.trim();
        if let Some(model) = self.alias(text) {
            return Ok(WantedModel { model: model.clone(), profile: None });
        }
        let (name, profile) = split_profile(text);
        let profile = profile.map(str::to_owned);
        if name.is_empty() {
            return Err(SelectError::Empty);
        }
        let bad = |source| SelectError::NotAName { text: name.to_owned(), source };
        let model = match self.alias(name) {
            Some(model) => model.clone(),
            None if name.contains('/') => self.normal(&ModelRef::parse(name).map_err(bad)?),
            None => self.bare(name).map_err(bad)?,
        };
        Ok(WantedModel { model, profile })
    }

    /// The same model under the names the registry knows.
    #[must_use]
    pub fn normal(&self, model: &ModelRef) -> ModelRef {
        normal(model, &self.own)
    }

    /// Whether a model may be used.
    #[must_use]
    pub fn allows(&self, model: &ModelRef) -> bool {
        let Some(allowed) = &self.allowed else { return true };
        let model = self.normal(model);
        let is_any = |other: &ModelRef| other.provider == model.provider && other.model.as_str() == ANY;
        allowed.contains(&model) || allowed.iter().any(is_any)
    }

    /// The allowed models, in alphabetical order; `None` when any is.
    pub fn allowed(&self) -> Option<impl Iterator<Item = &ModelRef>> {
        self.allowed.as_ref().map(|allowed| allowed.iter())
    }

    /// Short names and what they stand for.
    pub fn aliases(&self) -> impl Iterator<Item = (&str, &ModelRef)> {
        self.aliases.iter().map(|(alias, model)| (alias.as_str(), model))
    }

    /// What is tried for a request: the model asked for, the agent's fallbacks, the agent's own model. Each
    /// once; what the owner does not allow is left out, except the one asked for, which the caller judged.
    #[must_use]
    pub fn chain(&self, agent: &Agent, requested: &ModelRef) -> Vec<ModelRef> {
        let after = agent.model.fallbacks.iter().chain(&agent.model.primary);
        self.in_order(requested, after)
    }

    /// What is tried when a picture has to be seen and the agent's model cannot see; empty when the owner named
    /// nobody for that.
    #[must_use]
    pub fn image_chain(&self) -> Vec<ModelRef> {
        match members(&self.image).next() {
            Some(first) => self.in_order(first, members(&self.image).skip(1)),
            None => Vec::new(),
        }
    }

    fn in_order<'a>(&self, first: &ModelRef, rest: impl Iterator<Item = &'a ModelRef>) -> Vec<ModelRef> {
        let mut chain = vec![self.normal(first)];
        for model in rest.map(|model| self.normal(model)) {
            if !chain.contains(&model) && self.allows(&model) {
                chain.push(model);
            }
        }
        chain
    }

    fn alias(&self, text: &str) -> Option<&ModelRef> {
        self.aliases.get(&text.to_lowercase())
    }

    /// A name without provider: one the configuration names, one of the default provider's, one of its maker's.
    fn bare(&self, name: &str) -> Result<ModelRef, IdError> {
        let same = |model: &&ModelRef| model.model.as_str().eq_ignore_ascii_case(name);
        if let Some(model) = self.named.iter().find(same) {
            return Ok(model.clone());
        }
        let known = |provider: &&str| {
            catalogue::find(provider).is_some_and(|row| row.model(&row.model_id(name)).is_some())
        };
        let here = self.default_provider.as_ref().map_or(DEFAULT_PROVIDER, ProviderId::as_str);
        let provider = std::iter::once(here).chain(MAKERS).find(known).unwrap_or(here);
        let model = ModelRef { provider: ProviderId::parse(provider)?, model: ModelId::parse(name)? };
        Ok(self.normal(&model))
    }
}

/// A selection's models in the order they are tried.
fn members(selection: &ModelSelection) -> impl Iterator<Item = &ModelRef> {
    selection.primary.iter().chain(&selection.fallbacks)
}

/// The names the registry knows: a provider the owner wrote keeps its name unless it is a known one's.
fn normal(model: &ModelRef, own: &BTreeSet<ProviderId>) -> ModelRef {
    let lower = model.provider.as_str().to_lowercase();
    let Some(row) = catalogue::find(&lower) else { return model.clone() };
    let provider = ProviderId::parse(row.id).unwrap_or_else(|_| model.provider.clone());
    // What the owner's own list calls a model is what the owner means.
    let is_own = own.contains(&provider) || own.contains(&model.provider);
    let id = row.model_id(model.model.as_str());
    let id = ModelId::parse(&id).ok().filter(|_| !is_own || row.model(&id).is_some());
    ModelRef { provider, model: id.unwrap_or_else(|| model.model.clone()) }
}

fn aliases(listed: &[(ModelRef, Option<&String>)]) -> BTreeMap<String, ModelRef> {
    let is_listed = |provider: &str, model: &str| {
        let same = |other: &ModelRef| other.provider.as_str() == provider && other.model.as_str() == model;
        listed.iter().find(|(other, alias)| same(other) && alias.is_none()).map(|(model, _)| model.clone())
    };
    let usual = USUAL_NAMES
        .iter()
        .filter_map(|(name, provider, model)| Some(((*name).to_owned(), is_listed(provider, model)?)));
    let own = listed.iter().filter_map(|(model, alias)| {
        let alias = alias.as_ref()?.trim().to_lowercase();
        (!alias.is_empty()).then(|| (alias, model.clone()))
    });
    usual.chain(own).collect_map()
}

/// The newer list where it is written, else the keys of the catalogue; with either, whatever the owner chose
/// as a model or fallback is allowed too.
fn allowed(
    newer: impl Iterator<Item = ModelRef>,
    listed: &[(ModelRef, Option<&String>)],
    chosen: &[ModelRef],
) -> Option<BTreeSet<ModelRef>> {
    let mut allowed: BTreeSet<ModelRef> = newer.collect_set();
    if allowed.is_empty() {
        allowed = listed.iter().map(|(model, _)| model.clone()).collect_set();
    }
    if allowed.is_empty() {
        return None;
    }
    allowed.extend(chosen.iter().cloned());
    Some(allowed)
}

/// Cuts `@profile` off. The first `@` of the last part counts, because profiles are named after mail addresses;
/// one that begins the part or leads a date belongs to the model.
fn split_profile(text: &str) -> (&str, Option<&str>) {
    let from = text.rfind('/').map_or(0, |slash| slash + 1);
    let mut start = from;
    while let Some(found) = text.get(start..).and_then(|rest| rest.find('@')) {
        let at = start + found;
        let after = text.get(at + 1..).unwrap_or_default();
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        let is_date = digits == DATE_LEN && after.as_bytes().get(digits).is_none_or(|next| *next == b'@');
        if at == from || is_date {
            start = at + 1;
            continue;
        }
        let profile = Some(after.trim()).filter(|profile| !profile.is_empty());
        return (text.get(..at).unwrap_or_default().trim(), profile);
    }
    (text, None)
}

/// Whether a model's context is large enough to work in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    Ok,
    /// It is small: work will be cut short.
    Warn,
    /// It is too small for the prompt alone.
    Block,
}

/// Judges a context window, in tokens, by what prompt and tools take of it.
#[must_use]
pub fn context_guard(window: u32, taken: u32) -> Guard {
    let needed = taken.saturating_add(LEAST_ROOM);
    if window < needed {
        Guard::Block
    } else if window < needed.saturating_mul(COMFORT) {
        Guard::Warn
    } else {
        Guard::Ok
    }
}

/// The context an agent may use of a model, in tokens.
#[must_use]
pub fn usable_context(model: &ModelSpec, config: &Config) -> u32 {
    let cap = config.agents.defaults.context_tokens.and_then(|cap| u32::try_from(cap).ok());
    cap.map_or(model.window(), |cap| cap.min(model.window()))
}

#[cfg(test)]
mod tests;
