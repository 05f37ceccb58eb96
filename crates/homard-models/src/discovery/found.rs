//! What servers listed, and the file it is remembered in.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use homard_llm::{InputKind, ModelSpec, Price};
use homard_protocol::{ModelId, ProviderId};
use homard_runtime::replace_private;
use serde::{Deserialize, Serialize};

use crate::catalogue::Row;

/// Largest file worth reading, in bytes.
const MAX_FILE: u64 = 16 * 1024 * 1024;
/// How long a list is used after its server was last reached, in milliseconds: a week.
const KEEP_MS: i64 = 7 * 24 * 3_600 * 1_000;
const VERSION: u32 = 1;

/// Everything servers listed, by provider.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Discovered {
    #[serde(default)]
    version: u32,
    #[serde(default)]
    providers: BTreeMap<ProviderId, Found>,
    /// When a server was last asked in vain, so that it is not asked again at once.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    missed: BTreeMap<ProviderId, Missed>,
}

/// What one server listed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// When it answered, in milliseconds since 1970.
    pub at: i64,
    /// Which address answered: another one's list is another list.
    pub base_url: String,
    pub models: Vec<FoundModel>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Missed {
    at: i64,
    base_url: String,
}

/// A model as its server describes it; what the server does not say is open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundModel {
    /// The provider's name for it.
    pub id: ModelId,
    /// Its name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Prompt and answer together, in tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u32>,
    /// Whether its server answers to any name with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub any_name: bool,
    /// The longest answer, in tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Whether it can be shown pictures.
    #[serde(default)]
    pub sees: bool,
    /// Whether it can think before answering.
    #[serde(default)]
    pub reasoning: bool,
    /// US dollars per million tokens: prompt, answer, cache read, cache write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<[f64; 4]>,
}

impl FoundModel {
    /// A model nothing is known of but its name.
    #[must_use]
    pub fn named(id: ModelId) -> Self {
        Self {
            id,
            name: None,
            context_window: None,
            any_name: false,
            max_tokens: None,
            sees: false,
            reasoning: false,
            price: None,
        }
    }

    /// The model as the caller needs it.
    #[must_use]
    pub fn spec(&self, provider: &ProviderId, api: &str, row: Option<&Row>) -> ModelSpec {
        let mut spec = ModelSpec::new(provider.clone(), self.id.clone(), api);
        if let Some(name) = &self.name {
            spec.name.clone_from(name);
        }
        spec.reasoning = self.reasoning;
        if self.sees {
            spec.input.push(InputKind::Image);
        }
        spec.context_window = self.context_window;
        spec.max_tokens = self.max_tokens.unwrap_or(spec.max_tokens).min(spec.window());
        // Whoever names no limit may have none.
        spec.params.max_tokens = self.max_tokens.is_none().then_some(spec.max_tokens);
        if let Some([input, output, cache_read, cache_write]) = self.price {
            spec.price = Price { input, output, cache_read, cache_write };
        }
        if let Some(row) = row {
            spec.compat = row.compat;
        }
        spec
    }
}

impl Discovered {
    /// Reads what was found last time; a missing, huge, foreign or unreadable file is an empty one.
    #[must_use]
    pub fn load(path: &Path) -> Self {
        let fits = std::fs::metadata(path).is_ok_and(|meta| meta.len() <= MAX_FILE);
        let read = || serde_json::from_slice::<Self>(&std::fs::read(path).ok()?).ok();
        let known = if fits { read() } else { None };
        known.filter(|known| known.version == VERSION).unwrap_or_default()
    }

    /// Remembers it.
    pub(super) fn save(&self, path: &Path) -> io::Result<()> {
        let whole = Self { version: VERSION, ..self.clone() };
        replace_private(path, &serde_json::to_vec(&whole)?)
    }

    /// Whether a provider listed anything.
    #[must_use]
    pub fn has(&self, provider: &str) -> bool {
        self.providers.get(provider).is_some_and(|found| !found.models.is_empty())
    }

    /// What a provider listed.
    #[must_use]
    pub fn models(&self, provider: &ProviderId) -> &[FoundModel] {
        self.providers.get(provider).map_or(&[], |found| &found.models)
    }

    /// What each provider listed, and when.
    pub fn iter(&self) -> impl Iterator<Item = (&ProviderId, &Found)> {
        self.providers.iter()
    }

    /// When the server at this address was last asked, with or without success.
    pub(super) fn asked_at(&self, provider: &ProviderId, base_url: &str) -> Option<i64> {
        let found = self.providers.get(provider).filter(|found| found.base_url == base_url);
        let missed = self.missed.get(provider).filter(|missed| missed.base_url == base_url);
        found.map(|found| found.at).max(missed.map(|missed| missed.at))
    }

    /// A server answered.
    pub fn put(&mut self, provider: ProviderId, found: Found) {
        self.missed.remove(&provider);
        self.providers.insert(provider, found);
    }

    /// A server did not answer: what it said before holds for a while, if it is still the same server.
    pub(super) fn missed(&mut self, provider: &ProviderId, base_url: &str, now: i64) {
        let holds = |found: &Found| found.base_url == base_url && now.saturating_sub(found.at) < KEEP_MS;
        if !self.providers.get(provider).is_some_and(holds) {
            self.providers.remove(provider);
        }
        self.missed.insert(provider.clone(), Missed { at: now, base_url: base_url.to_owned() });
    }

    /// Whether both know the same models, whenever they were asked for.
    pub(super) fn same_models(&self, other: &Self) -> bool {
        let models = |all: &Self| -> Vec<(ProviderId, Vec<FoundModel>)> {
            all.providers.iter().map(|(id, found)| (id.clone(), found.models.clone())).collect()
        };
        models(self) == models(other)
    }
}
