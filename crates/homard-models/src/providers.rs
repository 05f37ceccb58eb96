//! From rows, configuration and environment to the providers of this house.
//!
//! A provider is configured when the owner wrote it into the configuration, when a credential for it lies in the
//! environment or in a profile, or when a server of one's own was found. What the owner wrote wins key by key
//! and model by model; the rows fill the gaps; what servers list comes last. Everything here is pure: the same
//! inputs give the same providers, and `models.json` is a value until [`write_models_json`] puts it on disk.

use std::collections::{BTreeMap, BTreeSet};

use homard_config::config::agents::MemoryServer;
use homard_config::config::models::{MergeMode, Provider, WireApi};
use homard_config::{Config, Environment, Secret};
use homard_llm::{ApiKey, CredentialKind, Headers, ProviderSpec};
use homard_protocol::{ModelId, ProviderId};
use homard_runtime::CollectOrdered as _;
use serde::Deserialize as _;
use serde::de::IntoDeserializer as _;
use serde::de::value::{Error as NotAWord, StrDeserializer};
use serde_json::Value;

use crate::auth::ProviderAuth;
use crate::catalogue::{self, ROWS, Row};
use crate::discovery::Discovered;

mod kept;
mod model_spec;
mod models_json;

pub use models_json::{read_models_json, write_models_json};

use kept::KeptModels;
use model_spec::ModelParams;

/// The wire API of a provider nobody knows and that names none.
const DEFAULT_API: &str = "openai-completions";

/// What decides which providers there are.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// What the owner wrote.
    pub config: &'a Config,
    /// Where keys may lie.
    pub env: &'a Environment,
    /// Providers with a stored profile.
    pub stored_profiles: &'a BTreeSet<ProviderId>,
    pub discovered: &'a Discovered,
    /// The `models.json` of before, which people edit.
    pub kept: Option<&'a Value>,
}

/// The providers of this house.
#[derive(Debug, Clone)]
pub struct ConfiguredProviders {
    /// Who can be called, in alphabetical order.
    pub providers: Vec<ProviderSpec>,
    /// What each can be called with.
    pub auth: BTreeMap<ProviderId, ProviderAuth>,
    /// What `models.json` is to say. Holds names of variables where a key comes from one, never the key.
    pub models_json: Value,
    /// What the owner may want to know: a provider that has a key but no address, for example.
    pub notes: Vec<String>,
}

/// Decides who can be called, and with what.
#[must_use]
pub fn configure_providers(inputs: &Inputs<'_>) -> ConfiguredProviders {
    let mut notes = Vec::new();
    let servers = memory_servers(inputs);
    let mut explicit = explicit(inputs.config, &mut notes);
    for (id, server) in &servers {
        explicit.entry(id.clone()).or_insert(server);
    }
    let replaces = inputs.config.models.mode == MergeMode::Replace;
    let kept = KeptModels::read(inputs.kept.filter(|_| !replaces));
    let mut ids: BTreeSet<ProviderId> = explicit.keys().cloned().collect_set();
    if !replaces {
        ids.extend(ROWS.iter().filter(|row| is_at_hand(row, inputs)).filter_map(|row| provider_id(row.id)));
        ids.extend(kept.callable(inputs.env));
    }
    let mut providers = Vec::new();
    let mut auth = BTreeMap::new();
    for id in ids {
        let desk = ProviderParts {
            id: &id,
            row: catalogue::find(id.as_str()),
            own: explicit.get(&id).copied(),
            inputs,
        };
        match desk.configure(&kept, &mut notes) {
            Ok((spec, proof)) => {
                providers.push(spec);
                auth.insert(id, proof);
            }
            Err(note) => notes.push(note),
        }
    }
    let models_json = models_json::compose(&providers, &auth, &kept, inputs);
    ConfiguredProviders { providers, auth, models_json, notes }
}

/// The owner's providers under the ids the rows know them by.
fn explicit<'a>(config: &'a Config, notes: &mut Vec<String>) -> BTreeMap<ProviderId, &'a Provider> {
    let mut out = BTreeMap::new();
    let written = &config.models.providers;
    for (id, provider) in written {
        let canonical = catalogue::find(id.as_str()).and_then(|row| provider_id(row.id));
        let canonical = canonical.unwrap_or_else(|| id.clone());
        if canonical != *id && written.contains_key(&canonical) {
            notes.push(format!(
                "models.providers.{id} is not used: it is another spelling of models.providers.{canonical}"
            ));
            continue;
        }
        out.insert(canonical, provider);
    }
    out
}

/// The servers that make vectors of notes and nothing else, as the owner names them beside the notes' settings.
fn memory_servers(inputs: &Inputs<'_>) -> BTreeMap<ProviderId, Provider> {
    let agents = &inputs.config.agents;
    let named = agents.list.iter().filter_map(|agent| agents.memory_server(agent));
    named.map(|server| (server.name.clone(), memory_server(&server, inputs))).collect_map()
}

/// What such a server does not say is as for the provider it speaks like, but for the key: that goes nowhere else.
fn memory_server(server: &MemoryServer<'_>, inputs: &Inputs<'_>) -> Provider {
    let row = catalogue::find(server.like);
    let is_it = |id: &ProviderId| match row {
        Some(row) => is_row(id, row),
        None => id.as_str() == server.like,
    };
    let own = inputs.config.models.providers.iter().find(|(id, _)| is_it(id)).map(|(_, own)| own);
    let remote = server.remote;
    let is_its_own = remote.base_url.is_none();
    let known_key = || {
        let by_variable = row.into_iter().flat_map(|row| row.env).find_map(|key| inputs.env.get(key.name));
        own.and_then(|own| own.api_key.clone()).or_else(|| by_variable.map(Secret::new))
    };
    let base_url = remote.base_url.clone().or_else(|| own?.base_url.clone());
    let mut headers = own.filter(|_| is_its_own).map(|own| own.headers.clone()).unwrap_or_default();
    headers.extend(remote.headers.clone());
    Provider {
        base_url: base_url.or_else(|| row.map(|row| row.base_url.to_owned())),
        api_key: remote.api_key.clone().or_else(|| known_key().filter(|_| is_its_own)),
        api: own.and_then(|own| own.api).or_else(|| wire_api(row?.api)),
        headers,
        ..Provider::default()
    }
}

fn wire_api(word: &str) -> Option<WireApi> {
    let word: StrDeserializer<'_, NotAWord> = word.into_deserializer();
    WireApi::deserialize(word).ok()
}

/// Whether a row can be called without the owner writing anything about it.
fn is_at_hand(row: &Row, inputs: &Inputs<'_>) -> bool {
    let has_key = row.env.iter().any(|key| inputs.env.get(key.name).is_some());
    let has_profile = inputs.stored_profiles.iter().any(|id| is_row(id, row));
    let signs = row.is_signed() && has_aws_keys(inputs.env);
    let was_found = row.is_keyless() && inputs.discovered.has(row.id);
    has_key || has_profile || signs || was_found
}

fn is_row(id: &ProviderId, row: &Row) -> bool {
    catalogue::find(id.as_str()).is_some_and(|found| found.id == row.id)
}

/// Whether the environment names AWS keys. Keys that only a machine's metadata service knows are not looked
/// for: asking it costs seconds on every machine that has none.
fn has_aws_keys(env: &Environment) -> bool {
    let has = |name: &str| env.get(name).is_some();
    (has("AWS_ACCESS_KEY_ID") && has("AWS_SECRET_ACCESS_KEY"))
        || has("AWS_PROFILE")
        || has("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")
        || has("AWS_CONTAINER_CREDENTIALS_FULL_URI")
}

fn provider_id(id: &str) -> Option<ProviderId> {
    ProviderId::parse(id).ok()
}

/// Everything known about one provider.
struct ProviderParts<'a> {
    id: &'a ProviderId,
    row: Option<&'static Row>,
    own: Option<&'a Provider>,
    inputs: &'a Inputs<'a>,
}

impl ProviderParts<'_> {
    /// The provider and its proofs, or why it cannot be called.
    fn configure(
        &self,
        kept: &KeptModels<'_>,
        notes: &mut Vec<String>,
    ) -> Result<(ProviderSpec, ProviderAuth), String> {
        let kept_row = kept.provider(self.id);
        let api = self.api(kept_row.as_ref().and_then(|row| row.api));
        let base_url = match kept_row.as_ref().and_then(|row| row.base_url) {
            Some(url) => url.to_owned(),
            None => self.base_url()?,
        };
        let mut spec = ProviderSpec::new(self.id.clone(), api, base_url);
        spec.headers = self.headers();
        spec.auth_header = self.own.is_some_and(|own| {
            own.auth_header.unwrap_or(false) || matches!(own.auth.as_deref(), Some("token" | "oauth"))
        });
        let same_api = self.row.filter(|row| row.api == spec.api);
        spec.key_header = same_api.and_then(|row| row.key_header).map(str::to_owned);
        let listed = kept_row.as_ref().map_or(&[][..], |row| row.models);
        spec.models = model_spec::models(self.id, self.row, self.own, &spec.api);
        model_spec::fill(&mut spec.models, kept::models(self.id, &spec.api, listed));
        let found = self.inputs.discovered.models(self.id);
        // Of a server nobody else knows, the owner's list is the list.
        let written = spec.models.len();
        let is_closed = self.row.is_none() && written > 0;
        model_spec::fill(
            &mut spec.models,
            found.iter().map(|found| found.spec(self.id, &spec.api, self.row)),
        );
        if is_closed {
            spec.models.truncate(written);
        }
        model_spec::fill_windows(&mut spec.models, found);
        model_spec::wish(&mut spec.models, &self.wishes(), notes);
        let auth = self.auth(kept_row.and_then(|row| row.key(self.inputs.env)));
        spec.api_key = auth.config_key.clone().or_else(|| {
            auth.env.first().filter(|_| auth.env_kind == CredentialKind::ApiKey).map(|(_, key)| key.clone())
        });
        Ok((spec, auth))
    }

    /// What the owner wants of every call to this provider's models.
    fn wishes(&self) -> Vec<ModelParams<'_>> {
        let own = self.own.into_iter().flat_map(|own| &own.models).map(|model| ModelParams {
            model: model.id.clone(),
            params: &model.params,
            place: format!("models.providers.{}.models[{}]", self.id, model.id),
        });
        let listed = self.inputs.config.agents.defaults.models.iter().filter_map(|(model, entry)| {
            let row = catalogue::find(model.provider.as_str());
            let is_ours = model.provider == *self.id || row.is_some_and(|row| row.id == self.id.as_str());
            let id = row.and_then(|row| ModelId::parse(&row.model_id(model.model.as_str())).ok());
            is_ours.then(|| ModelParams {
                model: id.unwrap_or_else(|| model.model.clone()),
                params: &entry.params,
                place: format!("agents.defaults.models[{model}]"),
            })
        });
        own.chain(listed).filter(|wish| !wish.params.is_empty()).collect()
    }

    fn api(&self, kept: Option<&str>) -> String {
        let own = self.own.and_then(|own| own.api).map(model_spec::api_name);
        let known = || self.row.map(|row| row.api);
        own.or(known()).or(kept).unwrap_or(DEFAULT_API).to_owned()
    }

    fn base_url(&self) -> Result<String, String> {
        if let Some(url) = self.own.and_then(|own| own.base_url.as_ref()) {
            return Ok(url.clone());
        }
        let id = self.id;
        let Some(row) = self.row else {
            return Err(format!("models.providers.{id} has no baseUrl and is not used: add one"));
        };
        let filled = row.address(|name| self.inputs.env.get(name));
        // A profile's metadata, or the region of its keys, may fill what the environment does not.
        let by_profile = self.inputs.stored_profiles.iter().any(|stored| is_row(stored, row));
        filled.or_else(|place| match by_profile || row.is_signed() {
            true => Ok(row.base_url.to_owned()),
            false => {
                let variable = place.env.first().copied().unwrap_or_default();
                Err(format!(
                    "{} is not used: its address has a part `{}` nobody gave; set {variable} or models.providers.{id}.baseUrl",
                    row.name, place.name
                ))
            }
        })
    }

    /// The row's headers with the owner's laid over them.
    fn headers(&self) -> Headers {
        let row = self.row.map_or(&[][..], |row| row.headers);
        let mut headers: BTreeMap<String, String> =
            row.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect_map();
        let own = self.own.into_iter().flat_map(|own| &own.headers);
        headers.extend(own.map(|(name, value)| (name.to_lowercase(), value.expose().to_owned())));
        headers.into_iter().collect()
    }

    fn auth(&self, kept_key: Option<ApiKey>) -> ProviderAuth {
        let row = self.row;
        let found = row
            .into_iter()
            .flat_map(|row| row.env)
            .filter_map(|key| Some((*key, ApiKey::new(self.inputs.env.get(key.name)?))));
        let found: Vec<_> = found.collect();
        // Kinds go into different headers; the best variable's kind decides.
        let env_kind = found.first().map_or(CredentialKind::ApiKey, |(key, _)| key.kind);
        let env = found.into_iter().filter(|(key, _)| key.kind == env_kind);
        let env: Vec<_> = env.map(|(key, value)| (key.name.to_owned(), value)).collect();
        let own_key = self.own.and_then(|own| own.api_key.as_ref()).map(|key| ApiKey::new(key.expose()));
        let config_key = kept_key.or(own_key).filter(|key| env.iter().all(|(_, other)| other != key));
        let says_aws = self.own.and_then(|own| own.auth.as_deref()) == Some("aws-sdk");
        let is_proxy = self.own.is_some_and(|own| own.base_url.is_some()) || row.is_none();
        let has_key = !env.is_empty() || config_key.is_some();
        ProviderAuth {
            provider: self.id.clone(),
            env,
            env_kind,
            aws: says_aws || row.is_some_and(Row::is_signed),
            keyless: !has_key && (row.is_some_and(Row::is_keyless) || is_proxy),
            config_key,
            oauth: row.and_then(|row| row.oauth.as_ref()),
            exchange: row.and_then(|row| row.exchange),
            base_url_template: row.filter(|row| has_places_per_account(row)).map(|row| row.base_url),
        }
    }
}

/// Whether a profile's metadata says where its account lives.
fn has_places_per_account(row: &Row) -> bool {
    !row.is_signed() && !row.places.is_empty()
}

#[cfg(test)]
mod tests;
