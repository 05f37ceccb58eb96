//! The owner's own `SearXNG`, asked for JSON.

use homard_config::config::tools::web as config;
use serde_json::Value;

use super::query::{Freshness, Query};
use super::{Asking, Found, Hit, SearchEngine, SearchError, address, text_at};

const NAME: &str = "searxng";

pub(super) struct Searxng {
    base: String,
}

impl Searxng {
    pub(super) fn new(chosen: &config::SearchEngine) -> Self {
        Self { base: chosen.base_url.clone().unwrap_or_default() }
    }
}

impl SearchEngine for Searxng {
    fn name(&self) -> &'static str {
        NAME
    }

    fn ask(&self, query: &Query) -> Result<Asking, SearchError> {
        let mut url = address(NAME, &self.base, "/search")?;
        let language = match (&query.lang, &query.country) {
            (Some(lang), Some(country)) if !lang.contains('-') => Some(format!("{lang}-{country}")),
            (Some(lang), _) => Some(lang.clone()),
            (None, _) => None,
        };
        // It is documented to know no weeks and no ranges of days: the next larger is asked for.
        let range = match &query.freshness {
            Some(Freshness::Day) => Some("day"),
            Some(Freshness::Week | Freshness::Month) => Some("month"),
            Some(Freshness::Year) => Some("year"),
            Some(Freshness::Between(..)) | None => None,
        };
        let optional = [("language", language.as_deref()), ("time_range", range)];
        let written = optional.into_iter().filter_map(|(name, value)| Some((name, value?)));
        url.query_pairs_mut()
            .append_pair("q", &query.text)
            .append_pair("format", "json")
            .extend_pairs(written);
        Ok(Asking { url, key: None, accept: "application/json", body: None })
    }

    fn read(&self, answer: &[u8]) -> Option<Found> {
        let answer: Value = serde_json::from_slice(answer).ok()?;
        let hits = answer.get("results")?.as_array()?.iter().map(|result| Hit {
            title: text_at(result, "title"),
            url: text_at(result, "url"),
            snippet: text_at(result, "content"),
            age: text_at(result, "publishedDate"),
        });
        Some(Found { written: None, hits: hits.collect() })
    }

    fn hint(&self, status: u16) -> Option<&'static str> {
        (status == 403).then_some(
            "tell the owner to add json to search.formats in its settings.yml, or to lift its limiter",
        )
    }
}
