//! Brave Search's web search API.

use homard_config::config::tools::web as config;
use serde_json::Value;

use super::query::{Freshness, Query};
use super::{Asking, Found, Hit, SearchEngine, SearchError, address, header, text_at};

const BASE: &str = "https://api.search.brave.com";
const NAME: &str = "brave";

pub(super) struct Brave {
    base: String,
    key: String,
}

impl Brave {
    pub(super) fn new(chosen: &config::SearchEngine) -> Self {
        let key = chosen.api_key.as_ref().map(|key| key.expose().trim().to_owned()).unwrap_or_default();
        Self { base: chosen.base_url.clone().unwrap_or_else(|| BASE.to_owned()), key }
    }
}

impl SearchEngine for Brave {
    fn name(&self) -> &'static str {
        NAME
    }

    fn ask(&self, query: &Query) -> Result<Asking, SearchError> {
        let mut url = address(NAME, &self.base, "/res/v1/web/search")?;
        let fresh = query.freshness.as_ref().map(|freshness| match freshness {
            Freshness::Day => "pd".to_owned(),
            Freshness::Week => "pw".to_owned(),
            Freshness::Month => "pm".to_owned(),
            Freshness::Year => "py".to_owned(),
            Freshness::Between(from, to) => format!("{from}to{to}"),
        });
        let optional = [
            ("country", query.country.as_deref()),
            ("search_lang", query.lang.as_deref()),
            ("ui_lang", query.ui_lang.as_deref()),
            ("freshness", fresh.as_deref()),
        ];
        let written = optional.into_iter().filter_map(|(name, value)| Some((name, value?)));
        url.query_pairs_mut()
            .append_pair("q", &query.text)
            .append_pair("count", &query.count.to_string())
            .append_pair("text_decorations", "false")
            .extend_pairs(written);
        let key = Some(("x-subscription-token", header(NAME, &self.key)?));
        Ok(Asking { url, key, accept: "application/json", body: None })
    }

    fn read(&self, answer: &[u8]) -> Option<Found> {
        let answer: Value = serde_json::from_slice(answer).ok()?;
        // A question without results is answered without this part.
        let results = match answer.get("web") {
            Some(web) => web.get("results")?.as_array()?.clone(),
            None if answer.is_object() => Vec::new(),
            None => return None,
        };
        let hits = results.iter().map(|result| Hit {
            title: text_at(result, "title"),
            url: text_at(result, "url"),
            snippet: text_at(result, "description"),
            age: text_at(result, "age"),
        });
        Some(Found { written: None, hits: hits.collect() })
    }
}
