//! The `models.json` of before.
//!
//! People and other programs edit it, and what they wrote there counts: an address or key that is not the one
//! we wrote ourselves wins, and providers we did not write stay. What we wrote ourselves is only a copy of other
//! settings and never wins over them; the `writtenBy` part of the file tells the two apart.

use homard_config::Environment;
use homard_llm::{ApiKey, InputKind, ModelSpec, Price};
use homard_protocol::{ModelId, ProviderId};
use serde_json::{Map, Value};

use crate::catalogue;

/// Where the file says what we wrote ourselves.
pub(super) const WRITTEN: &str = "writtenByHomard";
/// Most providers read from the file.
const MAX_PROVIDERS: usize = 200;
/// Most models read per provider.
const MAX_MODELS: usize = 2_000;

/// What the file said.
pub(super) struct KeptModels<'a> {
    providers: Vec<(ProviderId, &'a Map<String, Value>)>,
    written: Option<&'a Map<String, Value>>,
}

/// What the file says about one provider, without what we wrote ourselves.
pub(super) struct KeptProvider<'a> {
    pub(super) base_url: Option<&'a str>,
    pub(super) api: Option<&'a str>,
    pub(super) models: &'a [Value],
    pub(super) key: Option<&'a str>,
}

impl<'a> KeptModels<'a> {
    pub(super) fn read(file: Option<&'a Value>) -> Self {
        let written = file.and_then(|file| file.get(WRITTEN)).and_then(Value::as_object);
        let listed = file.and_then(|file| file.get("providers")).and_then(Value::as_object);
        let named = listed.into_iter().flatten().take(MAX_PROVIDERS).filter_map(|(id, provider)| {
            Some((ProviderId::parse(&id.trim().to_lowercase()).ok()?, provider.as_object()?))
        });
        let providers: Vec<_> = named.collect();
        Self { providers, written }
    }

    /// Providers that can be called with a key only the file has.
    pub(super) fn callable(&self, env: &Environment) -> impl Iterator<Item = ProviderId> {
        self.providers
            .iter()
            .map(|(id, _)| id)
            .filter(|id| {
                let Some(kept) = self.provider(id).filter(|kept| kept.key.is_some()) else { return false };
                match catalogue::find(id.as_str()) {
                    Some(row) => kept.key(env).is_some() || row.is_keyless(),
                    // Without an address there is nobody to call.
                    None => kept.base_url.is_some(),
                }
            })
            .cloned()
    }

    /// Whether the file's entry is somebody else's.
    pub(super) fn is_theirs(&self, id: &ProviderId) -> bool {
        let is_ours = self.written.is_some_and(|written| written.contains_key(id.as_str()));
        !is_ours && self.providers.iter().any(|(other, _)| other == id)
    }

    pub(super) fn provider(&self, id: &ProviderId) -> Option<KeptProvider<'a>> {
        let (_, provider) = self.providers.iter().find(|(other, _)| other == id)?;
        let written = self.written.and_then(|written| written.get(id.as_str())).and_then(Value::as_object);
        let own = |key: &str| {
            let value = text(provider, key)?;
            let ours = written.and_then(|written| text(written, key)) == Some(value);
            (!ours).then_some(value)
        };
        let is_address = |url: &&str| url.starts_with("http://") || url.starts_with("https://");
        let models = provider.get("models").and_then(Value::as_array);
        Some(KeptProvider {
            base_url: own("baseUrl").filter(is_address),
            api: text(provider, "api"),
            // Models we wrote are copies; those of others' providers are all there is.
            models: models.filter(|_| written.is_none()).map_or(&[], Vec::as_slice),
            key: own("apiKey"),
        })
    }

    /// What the file says about a provider, word for word.
    pub(super) fn word_for_word(&self, id: &ProviderId, key: &str) -> Option<&'a str> {
        let provider = self.provider(id)?;
        match key {
            "apiKey" => provider.key,
            _ => provider.base_url,
        }
    }
}

impl KeptProvider<'_> {
    /// The key: a variable's value when the file names one, else the text itself. A name that is not set, and
    /// the words other programs put in place of a key, are none.
    pub(super) fn key(&self, env: &Environment) -> Option<ApiKey> {
        let text = self.key?;
        let name = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')).unwrap_or(text);
        if is_variable_name(name) {
            return env.get(name).map(ApiKey::new);
        }
        (!is_placeholder(text)).then(|| ApiKey::new(text))
    }
}

/// Whether a text is a name such as `OPENAI_API_KEY`.
fn is_variable_name(text: &str) -> bool {
    text.contains('_') && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

/// Words that stand where a login or nothing at all is used.
fn is_placeholder(text: &str) -> bool {
    text.ends_with("-oauth") || text.ends_with("-local") || text == "aws-sdk"
}

fn text<'a>(map: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    map.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

/// The models of a provider only the file knows; what is not a model is passed over.
pub(super) fn models(provider: &ProviderId, api: &str, listed: &[Value]) -> Vec<ModelSpec> {
    let read = |value: &Value| {
        let map = value.as_object()?;
        let id = ModelId::parse(text(map, "id")?).ok()?;
        let mut spec = ModelSpec::new(provider.clone(), id, text(map, "api").unwrap_or(api));
        if let Some(name) = text(map, "name") {
            name.clone_into(&mut spec.name);
        }
        spec.reasoning = map.get("reasoning").and_then(Value::as_bool).unwrap_or(false);
        if let Some(kinds) = map.get("input").and_then(Value::as_array) {
            spec.input = kinds.iter().filter_map(Value::as_str).filter_map(InputKind::parse).collect();
        }
        let number = |key: &str| map.get(key).and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
        spec.context_window = number("contextWindow").filter(|n| *n > 0);
        spec.max_tokens = number("maxTokens").filter(|n| *n > 0).unwrap_or(spec.max_tokens);
        spec.price = map.get("cost").map(price).unwrap_or_default();
        Some(spec)
    };
    listed.iter().take(MAX_MODELS).filter_map(read).collect()
}

fn price(cost: &Value) -> Price {
    let part = |key: &str| {
        cost.get(key).and_then(Value::as_f64).filter(|n| n.is_finite() && *n >= 0.0).unwrap_or(0.0)
    };
    Price {
        input: part("input"),
        output: part("output"),
        cache_read: part("cacheRead"),
        cache_write: part("cacheWrite"),
    }
}
