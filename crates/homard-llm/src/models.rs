//! Which models there are and who answers for them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use homard_protocol::{ModelId, ModelRef, ProviderId};
use homard_runtime::Clock;

use crate::demo::{self, Demo};
use crate::provider::Provider;
use crate::spec::{ModelSpec, ProviderSpec};
use crate::transport::http::Http;
use crate::transport::remote::Remote;
use crate::wire;

/// How many first letters two names of one family share at least.
const FAMILY: usize = 4;
/// How alike two names must be to be offered as a correction.
const NEAR: f64 = 0.7;

/// The `api` of models that are answered by a program on this machine instead of a wire API.
pub const CLI_API: &str = "cli";

/// A model that can be asked.
#[derive(Clone)]
pub struct Resolved {
    pub provider: Arc<dyn Provider>,
    /// What is asked for.
    pub model: Arc<ModelSpec>,
}

impl fmt::Debug for Resolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resolved")
            .field("provider", self.provider.id())
            .field("model", &self.model.id)
            .finish()
    }
}

/// Why a model cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// Nobody of that name is configured.
    #[error("there is no model provider `{provider}`{}; configured are: {}", did_you_mean(.nearest.as_ref()), .known.join(", "))]
    UnknownProvider {
        /// What was asked for.
        provider: String,
        /// The closest that exists.
        nearest: Option<String>,
        known: Vec<String>,
    },
    /// Everybody knows the provider, and nothing proves that its owner may ask it.
    #[error("`{0}` has no key and no login yet; `homard models auth add --provider {0}` takes a key")]
    NoKey(String),
    /// The provider offers nothing of that name and accepts no others.
    #[error("provider `{provider}` has no model `{model}`{}; it has: {}", did_you_mean(.nearest.as_ref()), .known.join(", "))]
    UnknownModel {
        provider: String,
        /// What was asked for.
        model: String,
        /// The closest that exists.
        nearest: Option<String>,
        known: Vec<String>,
    },
    /// The model is called by an API this version does not speak.
    #[error("model `{model}` wants the API `{api}`, which is not supported yet; supported are: {}", .known.join(", "))]
    UnsupportedApi {
        model: ModelRef,
        /// The API it wants.
        api: String,
        known: Vec<&'static str>,
    },
}

fn did_you_mean(nearest: Option<&String>) -> String {
    nearest.map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}

/// The registry: every configured provider and, always, the demo. Built once per configuration; building it
/// opens no connection and reads no file.
#[derive(Debug)]
pub struct Models {
    shelves: BTreeMap<ProviderId, ModelTable>,
    /// Providers that would be there if they had a key.
    locked: BTreeSet<&'static str>,
}

struct ModelTable {
    provider: Arc<dyn Provider>,
    models: Vec<Arc<ModelSpec>>,
    /// What a model nobody described is taken to be; `None` where there can be no others.
    template: Option<ModelSpec>,
}

impl fmt::Debug for ModelTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.models.iter().map(|model| &model.id)).finish()
    }
}

impl Models {
    /// Takes the configured providers. A provider named `demo` takes the demo's place.
    #[must_use]
    pub fn new(providers: Vec<ProviderSpec>, http: &Http, clock: &Clock) -> Self {
        let demo = Demo::new(clock.clone());
        let shelf = ModelTable { models: vec![demo.model()], provider: Arc::new(demo), template: None };
        let mut shelves = BTreeMap::from([(demo::provider_id(), shelf)]);
        for spec in providers {
            shelves.insert(spec.id.clone(), ModelTable::of(spec, http, clock));
        }
        Self { shelves, locked: BTreeSet::new() }
    }

    /// Names providers that lack only a key where they are not configured.
    #[must_use]
    pub fn with_locked(self, ids: impl IntoIterator<Item = &'static str>) -> Self {
        Self { locked: ids.into_iter().collect(), ..self }
    }

    /// Adds somebody who is not called by a wire API. Models its list does not have are taken to be siblings
    /// of the first; with an empty list everything is accepted.
    #[must_use]
    pub fn with_provider(mut self, provider: Arc<dyn Provider>, models: Vec<ModelSpec>) -> Self {
        let id = provider.id().clone();
        let first = models.first().cloned();
        let template = first.unwrap_or_else(|| ModelSpec::new(id.clone(), demo::model_id(), CLI_API));
        let models = models.into_iter().map(Arc::new).collect();
        self.shelves.insert(id, ModelTable { provider, models, template: Some(template) });
        self
    }

    /// Finds who answers for a model. An id the provider's list does not have is taken to be a newer sibling
    /// of the one named most like it, else of its first, so that tomorrow's models work today.
    ///
    /// # Errors
    /// When nobody can be asked; says what exists instead.
    pub fn resolve(&self, wanted: &ModelRef) -> Result<Resolved, ModelError> {
        let Some(shelf) = self.shelves.get(&wanted.provider) else {
            let known: Vec<String> = self.shelves.keys().map(ToString::to_string).collect();
            let provider = wanted.provider.to_string();
            if self.locked.contains(provider.as_str()) {
                return Err(ModelError::NoKey(provider));
            }
            return Err(ModelError::UnknownProvider { nearest: nearest(&provider, &known), provider, known });
        };
        let model = shelf.model(wanted)?;
        let api = model.api.as_str();
        if ![demo::API, CLI_API].contains(&api) && wire::find(api).is_none() {
            let known = wire::TABLE.iter().map(|wire| wire.api).collect();
            return Err(ModelError::UnsupportedApi { model: wanted.clone(), api: api.to_owned(), known });
        }
        Ok(Resolved { provider: Arc::clone(&shelf.provider), model })
    }

    /// Every described model, by provider, in the owner's order.
    pub fn list(&self) -> impl Iterator<Item = &Arc<ModelSpec>> {
        self.shelves.values().flat_map(|shelf| &shelf.models)
    }

    /// The demo, for owners without any provider.
    #[must_use]
    pub fn demo() -> ModelRef {
        ModelRef { provider: demo::provider_id(), model: demo::model_id() }
    }
}

impl ModelTable {
    fn of(spec: ProviderSpec, http: &Http, clock: &Clock) -> Self {
        let provider = Arc::new(Remote::new(&spec, http.clone(), clock.clone()));
        let resolved = |mut model: ModelSpec| {
            model.compat = model.compat.resolved(&spec.base_url);
            model
        };
        let models: Vec<_> = spec.models.into_iter().map(|model| Arc::new(resolved(model))).collect();
        let template = match models.first() {
            Some(first) => ModelSpec::clone(first),
            None => resolved(ModelSpec::new(spec.id.clone(), demo::model_id(), spec.api.clone())),
        };
        Self { provider, models, template: Some(template) }
    }

    fn model(&self, wanted: &ModelRef) -> Result<Arc<ModelSpec>, ModelError> {
        let by =
            |same: fn(&ModelId, &ModelId) -> bool| self.models.iter().find(|m| same(&m.id, &wanted.model));
        let exact = by(|a, b| a == b);
        if let Some(model) = exact.or_else(|| by(|a, b| a.as_str().eq_ignore_ascii_case(b.as_str()))) {
            return Ok(Arc::clone(model));
        }
        if let Some(template) = &self.template {
            let name = wanted.model.to_string();
            let template = self.sibling(&wanted.model).unwrap_or(template);
            return Ok(Arc::new(ModelSpec { id: wanted.model.clone(), name, ..template.clone() }));
        }
        let known: Vec<String> = self.models.iter().map(|model| model.id.to_string()).collect();
        let model = wanted.model.to_string();
        let nearest = nearest(&model, &known);
        Err(ModelError::UnknownModel { provider: wanted.provider.to_string(), model, nearest, known })
    }

    /// The model whose name begins most like the one asked for: a newer or dated version of it has its limits
    /// and prices rather than those of whatever is listed first.
    fn sibling(&self, wanted: &ModelId) -> Option<&ModelSpec> {
        let alike = |model: &ModelSpec| {
            let pairs = model.id.as_str().bytes().zip(wanted.as_str().bytes());
            pairs.take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count()
        };
        let scored = self.models.iter().map(|model| (alike(model), &**model));
        // The first of equals: the list is in the owner's order.
        let best = scored.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
        (best.0 >= FAMILY).then_some(best.1)
    }
}

/// The known name most like one that is not known, if any is alike.
#[must_use]
pub fn nearest(name: &str, known: &[String]) -> Option<String> {
    let scored = known.iter().map(|other| (strsim::jaro_winkler(name, other), other));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= NEAR).then(|| best.1.clone())
}

#[cfg(test)]
mod tests;
