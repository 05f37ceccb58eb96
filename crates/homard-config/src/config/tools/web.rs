//! `tools.web`: reading pages and searching.
//!
//! Who searches is decided here, once: a provider without what it needs is no provider, and the tool is then
//! not offered. What the providers' interfaces look like is the tool's business.

use std::time::Duration;

use crate::config::Resolve;
use crate::raw::tools as raw;
use crate::raw::value::SecretText;
use crate::secret::Secret;

const DEFAULT_MAX_CHARS: u64 = 50_000;
const DEFAULT_MAX_BYTES: u64 = 2_000_000;
/// Smallest and largest page a person may ask for, in bytes.
const BYTES: (u64, u64) = (32_000, 10_000_000);
const DEFAULT_REDIRECTS: u64 = 3;
/// Nobody needs more, and a circle must end.
const MAX_REDIRECTS: u64 = 20;
const DEFAULT_TIMEOUT_SECONDS: u64 = 30;
/// Longest time limit, in seconds.
const MAX_TIMEOUT_SECONDS: u64 = 600;
const DEFAULT_CACHE_MINUTES: f64 = 15.0;
/// Longest time an answer is reused, in minutes.
const MAX_CACHE_MINUTES: f64 = 1_440.0;
const DEFAULT_RESULTS: u64 = 5;
/// Most results of one search.
const MAX_RESULTS: u64 = 10;

/// Decided `tools.web`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebTools {
    pub fetch: WebFetch,
    pub search: WebSearch,
}

/// Reading pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebFetch {
    pub enabled: bool,
    /// Characters returned when the model names no number.
    pub max_chars: usize,
    /// Most characters the model may ask for.
    pub max_chars_cap: usize,
    /// Most of a page that is read, in bytes.
    pub max_bytes: usize,
    /// Longest fetch, redirects included.
    pub timeout: Duration,
    /// How long a page is reused.
    pub cache_ttl: Duration,
    pub max_redirects: usize,
    /// What it calls itself; `None` means by our name.
    pub user_agent: Option<String>,
    /// Keep only the main text.
    pub readability: bool,
}

/// Searching.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebSearch {
    /// Who searches; `None` means that nobody can, and the tool is not offered.
    pub engine: Option<SearchEngine>,
    /// Results when the model names no number.
    pub max_results: usize,
    pub timeout: Duration,
    /// How long results are reused.
    pub cache_ttl: Duration,
}

/// One who searches, with what it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchEngine {
    /// Whose interface is spoken.
    pub provider: SearchProvider,
    /// The key, for those that want one.
    pub api_key: Option<Secret>,
    /// The address; `None` means the usual one.
    pub base_url: Option<String>,
    /// The model that searches, for those that are models.
    pub model: Option<String>,
}

/// Whose interface is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchProvider {
    /// Brave Search; wants a key.
    Brave,
    /// DuckDuckGo's page without scripts; wants no key.
    DuckDuckGo,
    /// Perplexity, directly or through OpenRouter; wants a key.
    Perplexity,
    /// The owner's own `SearXNG`; wants its address.
    Searxng,
}

impl WebTools {
    pub(in crate::config) fn resolve(raw: raw::Web, cx: &mut Resolve<'_>) -> Self {
        Self {
            fetch: WebFetch::resolve(raw.fetch.unwrap_or_default()),
            search: WebSearch::resolve(raw.search.unwrap_or_default(), cx),
        }
    }
}

impl Default for WebFetch {
    fn default() -> Self {
        Self::resolve(raw::WebFetch::default())
    }
}

impl WebFetch {
    fn resolve(raw: raw::WebFetch) -> Self {
        let cap = size(raw.max_chars_cap.unwrap_or(DEFAULT_MAX_CHARS));
        Self {
            enabled: raw.enabled.unwrap_or(true),
            max_chars: size(raw.max_chars.unwrap_or(DEFAULT_MAX_CHARS)).min(cap),
            max_chars_cap: cap,
            max_bytes: size(raw.max_response_bytes.unwrap_or(DEFAULT_MAX_BYTES).clamp(BYTES.0, BYTES.1)),
            timeout: seconds(raw.timeout_seconds),
            cache_ttl: minutes(raw.cache_ttl_minutes),
            max_redirects: size(raw.max_redirects.unwrap_or(DEFAULT_REDIRECTS).min(MAX_REDIRECTS)),
            user_agent: raw.user_agent.filter(|name| !name.trim().is_empty()),
            readability: raw.readability.unwrap_or(true),
        }
    }
}

impl Default for WebSearch {
    fn default() -> Self {
        Self {
            engine: None,
            max_results: size(DEFAULT_RESULTS),
            timeout: seconds(None),
            cache_ttl: minutes(None),
        }
    }
}

impl WebSearch {
    fn resolve(raw: raw::WebSearch, cx: &mut Resolve<'_>) -> Self {
        let max_results = size(raw.max_results.unwrap_or(DEFAULT_RESULTS).clamp(1, MAX_RESULTS));
        let (timeout, cache_ttl) = (seconds(raw.timeout_seconds), minutes(raw.cache_ttl_minutes));
        let engine = if raw.enabled == Some(false) { None } else { choose(raw, cx) };
        Self { engine, max_results, timeout, cache_ttl }
    }
}

/// The provider the owner named, or the first that has what it needs.
fn choose(raw: raw::WebSearch, cx: &mut Resolve<'_>) -> Option<SearchEngine> {
    let wanted = raw.enabled == Some(true);
    let Some(named) = raw.provider.as_deref().map(|name| name.trim().to_lowercase()) else {
        let mut unnamed = raw;
        let key = unnamed.api_key.take();
        let found = brave(unnamed.brave.take(), key, cx)
            .or_else(|| perplexity(unnamed.perplexity.take(), None, cx))
            .or_else(|| searxng(unnamed.searxng.take(), cx));
        if found.is_none() && wanted {
            cx.warn("tools.web.search", "nobody can search: set `provider` and what it needs");
        }
        return found;
    };
    let (found, missing) = match named.as_str() {
        "brave" => (brave(raw.brave, raw.api_key, cx), "an apiKey (or BRAVE_API_KEY)"),
        "duckduckgo" => (duckduckgo(raw.duckduckgo, cx), "nothing"),
        "perplexity" => (perplexity(raw.perplexity, raw.api_key, cx), "an apiKey (or PERPLEXITY_API_KEY)"),
        "searxng" => (searxng(raw.searxng, cx), "searxng.baseUrl"),
        _ => {
            let known = "brave, duckduckgo, perplexity, searxng";
            cx.warn("tools.web.search.provider", format!("`{named}` cannot search here; known: {known}"));
            return None;
        }
    };
    if found.is_none() {
        cx.warn("tools.web.search", format!("`{named}` cannot search without {missing}"));
    }
    found
}

fn brave(
    raw: Option<raw::WebSearchEngine>,
    shared_key: Option<SecretText>,
    cx: &mut Resolve<'_>,
) -> Option<SearchEngine> {
    let raw = raw.unwrap_or_default();
    let key = key("brave", raw.api_key, shared_key, cx);
    let api_key = key.or_else(|| cx.env.get("BRAVE_API_KEY").map(Secret::new))?;
    let base_url = base_url("brave", raw.base_url, cx);
    Some(SearchEngine { provider: SearchProvider::Brave, api_key: Some(api_key), base_url, model: None })
}

fn perplexity(
    raw: Option<raw::WebSearchEngine>,
    shared_key: Option<SecretText>,
    cx: &mut Resolve<'_>,
) -> Option<SearchEngine> {
    let raw = raw.unwrap_or_default();
    let key = key("perplexity", raw.api_key, shared_key, cx);
    let api_key = key.or_else(|| cx.env.get("PERPLEXITY_API_KEY").map(Secret::new))?;
    let base_url = base_url("perplexity", raw.base_url, cx);
    let model = raw.model.filter(|model| !model.trim().is_empty());
    Some(SearchEngine { provider: SearchProvider::Perplexity, api_key: Some(api_key), base_url, model })
}

fn searxng(raw: Option<raw::WebSearchEngine>, cx: &mut Resolve<'_>) -> Option<SearchEngine> {
    let base_url = Some(base_url("searxng", raw?.base_url, cx)?);
    Some(SearchEngine { provider: SearchProvider::Searxng, api_key: None, base_url, model: None })
}

fn duckduckgo(raw: Option<raw::WebSearchEngine>, cx: &mut Resolve<'_>) -> Option<SearchEngine> {
    let base_url = base_url("duckduckgo", raw.and_then(|raw| raw.base_url), cx);
    Some(SearchEngine { provider: SearchProvider::DuckDuckGo, api_key: None, base_url, model: None })
}

/// The engine's own key, or the one written beside `provider`.
fn key(
    name: &str,
    own: Option<SecretText>,
    shared: Option<SecretText>,
    cx: &mut Resolve<'_>,
) -> Option<Secret> {
    cx.secret(&format!("tools.web.search.{name}.apiKey"), own)
        .or_else(|| cx.secret("tools.web.search.apiKey", shared))
}

fn base_url(name: &str, written: Option<String>, cx: &mut Resolve<'_>) -> Option<String> {
    let url = written.map(|url| url.trim().to_owned()).filter(|url| !url.is_empty())?;
    if !url.starts_with("https://") && !url.starts_with("http://") {
        cx.issue(format!("tools.web.search.{name}.baseUrl"), "must be an http or https address");
    }
    Some(url)
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn seconds(written: Option<u64>) -> Duration {
    Duration::from_secs(written.unwrap_or(DEFAULT_TIMEOUT_SECONDS).clamp(1, MAX_TIMEOUT_SECONDS))
}

fn minutes(written: Option<f64>) -> Duration {
    let minutes = written.filter(|minutes| minutes.is_finite()).unwrap_or(DEFAULT_CACHE_MINUTES);
    Duration::from_secs_f64(minutes.clamp(0.0, MAX_CACHE_MINUTES) * 60.0)
}

#[cfg(test)]
mod tests;
