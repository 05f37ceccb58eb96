//! Perplexity's models that search, directly or through OpenRouter. They answer in words and name their sources.

use homard_config::config::tools::web as config;
use serde_json::{Value, json};

use super::query::{Freshness, Query};
use super::{Asking, Found, Hit, SearchEngine, SearchError, address, header, text_at};

const BASE: &str = "https://api.perplexity.ai";
const OPENROUTER: &str = "https://openrouter.ai/api/v1";
/// How OpenRouter's keys begin.
const OPENROUTER_KEY: &str = "sk-or-";
const MODEL: &str = "perplexity/sonar-pro";
/// What OpenRouter writes in front of a model's name.
const VENDOR: &str = "perplexity/";
const NAME: &str = "perplexity";

pub(super) struct Perplexity {
    base: String,
    key: String,
    model: String,
    /// Whether Perplexity itself is asked; others do not know its own fields.
    is_direct: bool,
}

impl Perplexity {
    pub(super) fn new(chosen: &config::SearchEngine) -> Self {
        let key = chosen.api_key.as_ref().map(|key| key.expose().trim().to_owned()).unwrap_or_default();
        let usual = if key.starts_with(OPENROUTER_KEY) { OPENROUTER } else { BASE };
        let base = chosen.base_url.clone().unwrap_or_else(|| usual.to_owned());
        let is_direct = !key.starts_with(OPENROUTER_KEY) && !base.contains("openrouter.ai");
        let model = chosen.model.as_deref().unwrap_or(MODEL);
        let model = if is_direct { model.strip_prefix(VENDOR).unwrap_or(model) } else { model };
        Self { base, key, model: model.to_owned(), is_direct }
    }
}

impl SearchEngine for Perplexity {
    fn name(&self) -> &'static str {
        NAME
    }

    fn ask(&self, query: &Query) -> Result<Asking, SearchError> {
        let url = address(NAME, &self.base, "/chat/completions")?;
        let mut body = json!({
            "model": self.model,
            "messages": [{ "role": "user", "content": query.text }],
        });
        if self.is_direct {
            narrow(&mut body, query);
        }
        let key = Some(("authorization", header(NAME, &format!("Bearer {}", self.key))?));
        Ok(Asking { url, key, accept: "application/json", body: Some(body) })
    }

    fn read(&self, answer: &[u8]) -> Option<Found> {
        let answer: Value = serde_json::from_slice(answer).ok()?;
        let written = answer.pointer("/choices/0/message/content")?.as_str()?.to_owned();
        let results = answer.get("search_results").and_then(Value::as_array);
        let hits = match results {
            Some(results) => results.iter().map(hit).collect(),
            None => citations(&answer),
        };
        Some(Found { written: Some(written).filter(|text| !text.trim().is_empty()), hits })
    }
}

/// Adds what narrows a search.
fn narrow(body: &mut Value, query: &Query) {
    let recency = match &query.freshness {
        Some(Freshness::Day) => Some("day"),
        Some(Freshness::Week) => Some("week"),
        Some(Freshness::Month) => Some("month"),
        Some(Freshness::Year) => Some("year"),
        Some(Freshness::Between(from, to)) => {
            body["search_after_date_filter"] = json!(american(from));
            body["search_before_date_filter"] = json!(american(to));
            None
        }
        None => None,
    };
    if let Some(recency) = recency {
        body["search_recency_filter"] = json!(recency);
    }
    if let Some(country) = &query.country {
        body["web_search_options"] = json!({ "user_location": { "country": country } });
    }
}

/// `YYYY-MM-DD` as `M/D/YYYY`.
fn american(day: &str) -> String {
    let mut parts = day.split('-').map(|part| part.trim_start_matches('0'));
    let (year, month, day) = (parts.next(), parts.next(), parts.next());
    [month, day, year].map(Option::unwrap_or_default).join("/")
}

fn hit(result: &Value) -> Hit {
    Hit {
        title: text_at(result, "title"),
        url: text_at(result, "url"),
        snippet: String::new(),
        age: text_at(result, "date"),
    }
}

/// Sources as plain addresses, or as OpenRouter's annotations.
fn citations(answer: &Value) -> Vec<Hit> {
    let plain = answer.get("citations").and_then(Value::as_array).into_iter().flatten();
    let plain = plain.filter_map(Value::as_str).map(|url| Hit { url: url.to_owned(), ..Hit::default() });
    let noted = answer.pointer("/choices/0/message/annotations").and_then(Value::as_array);
    let noted = noted.into_iter().flatten().filter_map(|note| note.get("url_citation")).map(hit);
    plain.chain(noted).collect()
}
