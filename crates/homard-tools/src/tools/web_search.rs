//! `web_search`: what the web has on a question.
//!
//! Who searches is the owner's choice; each back end says how it is asked and how its answer is read, and this
//! file does the asking. The back end's address is the owner's too, so it may be a private one.

mod brave;
mod duckduckgo;
mod perplexity;
mod query;
mod searxng;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use homard_config::config::web_tools::{self as config, SearchProvider};
use homard_runtime::{Clip, OrCancel};
use reqwest::Client;
use reqwest::header::{ACCEPT, HeaderValue, RETRY_AFTER};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::timeout;
use url::Url;

use crate::cx::ToolCx;
use crate::gate::{Effect, Subject};
use crate::outcome::ToolOutcome;
use crate::registry::ToolEntry;
use crate::tool::Tool;
use crate::tools::web::body;
use crate::tools::web::cache::Cache;
use crate::words_of_others::taint::{Label, Source};
use crate::words_of_others::untrusted;
use query::{BadQuery, Query};

/// Largest answer of a back end, in bytes.
const MAX_ANSWER: usize = 2_000_000;
/// Longest title, in characters.
const MAX_TITLE: usize = 200;
/// Longest excerpt of one page, in characters.
const MAX_SNIPPET: usize = 500;
/// Longest address shown; a cut one would lead elsewhere, so longer ones are left out.
const MAX_URL: usize = 2_000;
/// Longest answer written by a model that searches, in characters.
const MAX_WRITTEN: usize = 20_000;

pub(crate) const ENTRY: ToolEntry = ToolEntry {
    build: |options| {
        let search = &options.web.tools.search;
        let chosen = search.engine.as_ref()?;
        Some(Arc::new(WebSearch::new(search, engine(chosen))))
    },
};

pub(crate) struct WebSearch {
    options: config::WebSearch,
    engine: Box<dyn SearchEngine>,
    cache: Cache<ToolOutcome>,
    client: OnceLock<Client>,
}

/// Search the web. Returns titles, addresses and excerpts; read pages with web_fetch.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct WebSearchInput {
    query: String,
    /// 1-10 results.
    #[serde(default)]
    count: Option<u64>,
    /// Two letters, like DE.
    #[serde(default)]
    country: Option<String>,
    /// Language of results, like de.
    #[serde(default)]
    search_lang: Option<String>,
    /// Language of the interface, like de-DE.
    #[serde(default)]
    ui_lang: Option<String>,
    /// pd, pw, pm, py (past day to year) or YYYY-MM-DDtoYYYY-MM-DD.
    #[serde(default)]
    freshness: Option<String>,
}

/// One who searches: how it is asked and how its answer is read. The asking itself is done for it.
trait SearchEngine: Send + Sync {
    /// The name the owner knows it by.
    fn name(&self) -> &'static str;

    /// How it is asked.
    fn ask(&self, query: &Query) -> Result<Asking, SearchError>;

    /// What it answered; `None` if it makes no sense.
    fn read(&self, answer: &[u8]) -> Option<Found>;

    /// What a status means that is not plain from its number.
    fn hint(&self, _status: u16) -> Option<&'static str> {
        None
    }
}

/// A question ready to be sent.
struct Asking {
    url: Url,
    /// Header name and value of the key.
    key: Option<(&'static str, HeaderValue)>,
    accept: &'static str,
    /// A body makes it a POST.
    body: Option<Value>,
}

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    /// An answer in words, by those that write one.
    written: Option<String>,
    hits: Vec<Hit>,
}

/// A page that was found.
#[derive(Debug, Default, PartialEq, Eq)]
struct Hit {
    title: String,
    url: String,
    snippet: String,
    age: String,
}

/// Why nothing was searched. No message repeats what a server said: strangers write it, and keys stand in it.
#[derive(Debug, thiserror::Error)]
enum SearchError {
    #[error(transparent)]
    Query(#[from] BadQuery),
    #[error("the owner's address for {engine} cannot be used; tell them to check tools.web.search")]
    Address { engine: &'static str },
    #[error("{engine} refused the key; tell the owner to check it in tools.web.search")]
    Key { engine: &'static str },
    #[error("{engine} has had too many questions; wait{} before searching again", wait(*.seconds))]
    TooMany { engine: &'static str, seconds: Option<u64> },
    #[error("{engine} answered {status}{hint}")]
    Status { engine: &'static str, status: u16, hint: String },
    #[error("{engine} answered something that cannot be read; try again later")]
    Unreadable { engine: &'static str },
    #[error("{engine} did not answer within {} seconds; try again later", limit.as_secs())]
    TimedOut { engine: &'static str, limit: Duration },
    #[error("could not reach {engine}")]
    Transport {
        engine: &'static str,
        #[source]
        source: reqwest::Error,
    },
    #[error("searching was stopped")]
    Stopped,
}

fn wait(seconds: Option<u64>) -> String {
    seconds.map(|seconds| format!(" {seconds} seconds")).unwrap_or_default()
}

impl Tool for WebSearch {
    type Input = WebSearchInput;
    const NAME: &'static str = "web_search";
    const PARALLEL: bool = true;
    const EFFECT: Effect = Effect::Web;

    fn subject(input: &WebSearchInput) -> Subject {
        Subject { query: Some(input.query.clone()), ..Subject::default() }
    }

    async fn run(&self, input: WebSearchInput, cx: &ToolCx) -> ToolOutcome {
        let searching = self.search(&input, cx).or_cancel(&cx.cancel);
        searching.await.unwrap_or_else(|_| Err(SearchError::Stopped)).into()
    }
}

impl WebSearch {
    fn new(options: &config::WebSearch, engine: Box<dyn SearchEngine>) -> Self {
        Self {
            engine,
            cache: Cache::new(options.cache_ttl),
            options: options.clone(),
            client: OnceLock::new(),
        }
    }

    async fn search(&self, input: &WebSearchInput, cx: &ToolCx) -> Result<ToolOutcome, SearchError> {
        let engine = self.engine.as_ref();
        let query = Query::new(input, self.options.max_results)?;
        let question = format!("{query:?}");
        if let Some(mut outcome) = self.cache.get(&question, &cx.clock) {
            if let Some(details) = &mut outcome.details {
                details["cached"] = json!(true);
            }
            return Ok(outcome);
        }
        let limit = self.options.timeout;
        let name = engine.name();
        let asking = timeout(limit, self.ask(engine, &query)).await;
        let found = asking.map_err(|_elapsed| SearchError::TimedOut { engine: name, limit })??;
        let outcome = tell(name, &query, found);
        self.cache.put(question, outcome.clone(), &cx.clock);
        Ok(outcome)
    }

    async fn ask(&self, engine: &dyn SearchEngine, query: &Query) -> Result<Found, SearchError> {
        let name = engine.name();
        let lost =
            |source: reqwest::Error| SearchError::Transport { engine: name, source: source.without_url() };
        let asking = engine.ask(query)?;
        let client = self.client(&asking.url).map_err(lost)?;
        let mut request = match &asking.body {
            Some(body) => {
                client.post(asking.url).header("content-type", "application/json").body(body.to_string())
            }
            None => client.get(asking.url),
        };
        request = request.header(ACCEPT, asking.accept);
        if let Some((header, key)) = asking.key {
            request = request.header(header, key);
        }
        let mut response = request.send().await.map_err(lost)?;
        let status = response.status().as_u16();
        if status != 200 {
            let seconds =
                response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
            return Err(refusal(engine, status, seconds));
        }
        let (answer, is_cut) = body::read_up_to(&mut response, MAX_ANSWER).await.map_err(lost)?;
        let found = if is_cut { None } else { engine.read(&answer) };
        found.ok_or(SearchError::Unreadable { engine: name })
    }

    fn client(&self, url: &Url) -> Result<Client, reqwest::Error> {
        if let Some(client) = self.client.get() {
            return Ok(client.clone());
        }
        // Plain http is the owner's own machine or network: no proxy has to see it.
        let is_plain = url.scheme() == "http";
        let builder = body::client(is_plain);
        let client = if is_plain { builder.no_proxy() } else { builder }.build()?;
        Ok(self.client.get_or_init(|| client).clone())
    }
}

/// The one line per back end.
fn engine(chosen: &config::SearchEngine) -> Box<dyn SearchEngine> {
    match chosen.provider {
        SearchProvider::Brave => Box::new(brave::Brave::new(chosen)),
        SearchProvider::DuckDuckGo => Box::new(duckduckgo::DuckDuckGo::new(chosen)),
        SearchProvider::Perplexity => Box::new(perplexity::Perplexity::new(chosen)),
        SearchProvider::Searxng => Box::new(searxng::Searxng::new(chosen)),
    }
}

fn refusal(engine: &dyn SearchEngine, status: u16, seconds: Option<u64>) -> SearchError {
    let name = engine.name();
    if let Some(hint) = engine.hint(status) {
        return SearchError::Status { engine: name, status, hint: format!(": {hint}") };
    }
    match status {
        401 | 403 => SearchError::Key { engine: name },
        429 => SearchError::TooMany { engine: name, seconds },
        400 | 422 => SearchError::Status {
            engine: name,
            status,
            hint: ": it does not understand the question; leave out country, languages and freshness"
                .to_owned(),
        },
        _ => SearchError::Status { engine: name, status, hint: "; try again later".to_owned() },
    }
}

/// An address below the owner's, or the usual one.
fn address(engine: &'static str, base: &str, path: &str) -> Result<Url, SearchError> {
    let whole = format!("{}{path}", base.trim_end_matches('/'));
    Url::parse(&whole).map_err(|_unreadable| SearchError::Address { engine })
}

/// A key as a header, hidden from logs.
fn header(engine: &'static str, value: &str) -> Result<HeaderValue, SearchError> {
    let mut value = HeaderValue::from_str(value).map_err(|_unusable| SearchError::Key { engine })?;
    value.set_sensitive(true);
    Ok(value)
}

/// A text of a JSON answer; empty if it is not there.
fn text_at(value: &Value, field: &str) -> String {
    value.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn tell(engine: &str, query: &Query, found: Found) -> ToolOutcome {
    let hits = found.hits.into_iter().filter(|hit| !hit.url.is_empty() && hit.url.len() <= MAX_URL);
    let hits: Vec<Hit> = hits.take(query.count).collect();
    let mut parts: Vec<String> =
        found.written.iter().map(|text| text.trim().ellipsis_after(MAX_WRITTEN)).collect();
    parts.extend(hits.iter().enumerate().map(|(n, hit)| line(n + 1, hit)));
    if parts.is_empty() {
        return ToolOutcome::text("nothing was found; try other words")
            .with_details(json!({ "provider": engine, "count": 0, "cached": false }));
    }
    let source = format!("web search with {engine} for: {}", query.text);
    let label = Label::new(Source::Search, format!("for {}", query.text));
    ToolOutcome::text(untrusted::wrap(&source, &parts.join("\n"))).from_others(label).with_details(json!({
        "provider": engine,
        "count": hits.len(),
        "urls": hits.iter().map(|hit| hit.url.as_str()).collect::<Vec<_>>(),
        "cached": false,
        "untrusted": true,
    }))
}

fn line(number: usize, hit: &Hit) -> String {
    let one_line =
        |text: &str, most| text.split_whitespace().collect::<Vec<_>>().join(" ").ellipsis_after(most);
    let mut text =
        format!("{number}. {}\n   {}", one_line(&hit.title, MAX_TITLE), one_line(&hit.url, MAX_URL));
    if !hit.age.is_empty() {
        text.push_str(&format!(" ({})", one_line(&hit.age, MAX_TITLE)));
    }
    if !hit.snippet.is_empty() {
        text.push_str(&format!("\n   {}", one_line(&hit.snippet, MAX_SNIPPET)));
    }
    text
}

#[cfg(test)]
mod tests;
