//! `web_fetch`: what a public page says.
//!
//! The page is asked for here, checked by the guard at every step, and handed over marked as a stranger's words.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use homard_config::config::tools::web as config;
use homard_runtime::{Clip, OrCancel, off_thread};
use reqwest::header::{ACCEPT, CONTENT_ENCODING, LOCATION};
use reqwest::{Client, Response};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::time::timeout;
use url::Url;

use crate::cx::ToolCx;
use crate::gate::{Effect, Subject};
use crate::outcome::ToolOutcome;
use crate::registry::{ToolEntry, WebOptions};
use crate::tool::Tool;
use crate::tools::web::address::{Guard, Refused};
use crate::tools::web::body;
use crate::tools::web::cache::Cache;
use crate::tools::web::markdown::{self, Style};
use crate::words_of_others::taint::{Label, Source};
use crate::words_of_others::untrusted;

/// Fewest characters a model may ask for; less than that says nothing.
const MIN_CHARS: usize = 100;
/// What we like to read.
const ACCEPTED: &str = "text/html, application/xhtml+xml, application/json, text/*;q=0.9";

pub(crate) const ENTRY: ToolEntry = ToolEntry {
    build: |options| {
        let WebOptions { tools, reachable } = &options.web;
        if !tools.fetch.enabled {
            return None;
        }
        Some(Arc::new(WebFetch::new(&tools.fetch, reachable)))
    },
};

pub(crate) struct WebFetch {
    options: config::WebFetch,
    guard: Guard,
    cache: Cache<Arc<Page>>,
    sealed: OnceLock<Client>,
    open: OnceLock<Client>,
}

/// Read a public web page (GET) as Markdown or text. Pages of private networks are refused.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebFetchInput {
    /// http or https address.
    url: String,
    /// Default markdown.
    #[serde(default, alias = "extract_mode")]
    extract_mode: ExtractMode,
    /// Most characters to return.
    #[serde(default, alias = "max_chars")]
    max_chars: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ExtractMode {
    #[default]
    Markdown,
    Text,
}

/// Why a page was not read.
#[derive(Debug, thiserror::Error)]
enum FetchError {
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error("the page leads on and on: more than {limit} redirects")]
    Redirects { limit: usize },
    #[error("the server answered {status}{hint}")]
    Status { status: u16, hint: &'static str },
    #[error("the page is {kind}, which is not text; only HTML, text and JSON can be read")]
    Kind { kind: String },
    #[error("the server packed the page although it was not asked to; it cannot be read")]
    Packed,
    #[error("the page was not complete after {} seconds; try again later or another source", limit.as_secs())]
    TimedOut { limit: Duration },
    #[error("could not read the page")]
    Transport {
        #[source]
        source: reqwest::Error,
    },
    #[error("reading was stopped")]
    Stopped,
}

/// A page as it is kept.
#[derive(Debug)]
struct Page {
    /// Where it was in the end.
    url: Url,
    kind: String,
    title: String,
    /// As much as anybody may ask for.
    text: String,
    /// Whether the page has more than `text`.
    is_cut: bool,
}

impl Tool for WebFetch {
    type Input = WebFetchInput;
    const NAME: &'static str = "web_fetch";
    const PARALLEL: bool = true;
    const EFFECT: Effect = Effect::Web;

    fn subject(input: &WebFetchInput) -> Subject {
        Subject { addresses: vec![input.url.clone()], ..Subject::default() }
    }

    async fn run(&self, input: WebFetchInput, cx: &ToolCx) -> ToolOutcome {
        let fetching = self.fetch(&input, cx).or_cancel(&cx.cancel);
        fetching.await.unwrap_or_else(|_| Err(FetchError::Stopped)).into()
    }
}

impl WebFetch {
    fn new(options: &config::WebFetch, reachable: &[SocketAddr]) -> Self {
        Self {
            options: options.clone(),
            guard: Guard::new(reachable),
            cache: Cache::new(options.cache_ttl),
            sealed: OnceLock::new(),
            open: OnceLock::new(),
        }
    }

    async fn fetch(&self, input: &WebFetchInput, cx: &ToolCx) -> Result<ToolOutcome, FetchError> {
        let mut url = self.guard.parse(&input.url)?;
        url.set_fragment(None);
        let style = match input.extract_mode {
            ExtractMode::Markdown => Style::Markdown,
            ExtractMode::Text => Style::Plain,
        };
        let question = format!("{style:?} {url}");
        let (page, is_cached) = match self.cache.get(&question, &cx.clock) {
            Some(page) => (page, true),
            None => {
                let limit = self.options.timeout;
                let page = timeout(limit, self.get(url, style)).await;
                let page = Arc::new(page.map_err(|_elapsed| FetchError::TimedOut { limit })??);
                self.cache.put(question, Arc::clone(&page), &cx.clock);
                (page, false)
            }
        };
        let wanted = input.max_chars.map_or(self.options.max_chars, |wanted| {
            usize::try_from(wanted).unwrap_or(usize::MAX).max(MIN_CHARS)
        });
        Ok(page.tell(wanted.min(self.options.max_chars_cap), is_cached))
    }

    /// Asks for a page and for what it redirects to.
    async fn get(&self, first: Url, style: Style) -> Result<Page, FetchError> {
        let mut url = first;
        for _ in 0..=self.options.max_redirects {
            self.guard.check(&url)?;
            let request = self.client(&url)?.get(url.clone()).header(ACCEPT, ACCEPTED);
            let response = request.send().await.map_err(failed)?;
            match leads_to(&response, &url) {
                Some(next) => url = next,
                None => return self.page(url, response, style).await,
            }
        }
        Err(FetchError::Redirects { limit: self.options.max_redirects })
    }

    /// The client looks names up through the guard, and no proxy does it instead.
    fn client(&self, url: &Url) -> Result<Client, FetchError> {
        let is_plain = url.scheme() == "http";
        let cell = if is_plain { &self.open } else { &self.sealed };
        if let Some(client) = cell.get() {
            return Ok(client.clone());
        }
        let mut builder = body::client(is_plain)
            .no_proxy()
            .dns_resolver(Arc::new(self.guard.clone()))
            // A connection that is kept was checked when it was made, and names move.
            .pool_max_idle_per_host(0);
        if let Some(name) = &self.options.user_agent {
            builder = builder.user_agent(name);
        }
        let client = builder.build().map_err(failed)?;
        Ok(cell.get_or_init(|| client).clone())
    }

    async fn page(&self, url: Url, mut response: Response, style: Style) -> Result<Page, FetchError> {
        let status = response.status().as_u16();
        if !(200..300).contains(&status) {
            return Err(FetchError::Status { status, hint: hint(status) });
        }
        let packed = response.headers().get(CONTENT_ENCODING);
        if packed.is_some_and(|packed| packed != "identity") {
            return Err(FetchError::Packed);
        }
        let (mut kind, charset) = body::kind(&response);
        if !kind.is_empty() && !is_text(&kind) {
            return Err(FetchError::Kind { kind: shown(&kind) });
        }
        let (bytes, is_cut) =
            body::read_up_to(&mut response, self.options.max_bytes).await.map_err(failed)?;
        if bytes.contains(&0) {
            return Err(FetchError::Kind { kind: "binary".to_owned() });
        }
        if kind.is_empty() {
            let is_html = bytes.trim_ascii_start().starts_with(b"<");
            kind = if is_html { "text/html" } else { "text/plain" }.to_owned();
        }
        let (main_only, most) = (self.options.readability, self.options.max_chars_cap);
        let reading = off_thread(move || {
            let text = body::text(&bytes, charset.as_deref());
            Page::read(url, &kind, &text, style, main_only).cut_to(most, is_cut)
        });
        reading.await.map_err(|_gone| FetchError::Stopped)
    }
}

impl Page {
    fn read(url: Url, kind: &str, text: &str, style: Style, main_only: bool) -> Self {
        let is_html = matches!(kind, "text/html" | "application/xhtml+xml");
        let (title, text) = if is_html {
            let read = markdown::read(text, &url, style, main_only);
            (read.title, read.text)
        } else {
            (String::new(), text.trim().to_owned())
        };
        Self { url, kind: shown(kind), title, text, is_cut: false }
    }

    fn cut_to(mut self, most: usize, was_cut: bool) -> Self {
        let end = self.text.clip_chars(most).len();
        self.is_cut = was_cut || end < self.text.len();
        self.text.truncate(end);
        self.text.shrink_to_fit();
        self
    }

    fn tell(&self, most: usize, is_cached: bool) -> ToolOutcome {
        let shown = self.text.clip_chars(most);
        let is_cut = self.is_cut || shown.len() < self.text.len();
        let title = if self.title.is_empty() { String::new() } else { format!("Title: {}\n\n", self.title) };
        let body = if shown.is_empty() { "(no text)" } else { shown };
        let mut text = untrusted::wrap(self.url.as_str(), &format!("{title}{body}"));
        let chars = shown.chars().count();
        if is_cut {
            text.push_str(&format!("\n[the page is longer; these are its first {chars} characters]"));
        }
        ToolOutcome::text(text).from_others(Label::new(Source::Web, self.url.as_str())).with_details(json!({
            "url": self.url.as_str(),
            "contentType": self.kind,
            "title": self.title,
            "chars": chars,
            "truncated": is_cut,
            "cached": is_cached,
            "untrusted": true,
        }))
    }
}

/// Where a response sends us, if it does.
pub(super) fn leads_to(response: &Response, from: &Url) -> Option<Url> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let place = response.headers().get(LOCATION)?.to_str().ok()?;
    let mut next = from.join(place).ok()?;
    next.set_fragment(None);
    Some(next)
}

fn is_text(kind: &str) -> bool {
    const TEXTS: [&str; 7] = [
        "application/javascript",
        "application/json",
        "application/toml",
        "application/x-ndjson",
        "application/xhtml+xml",
        "application/xml",
        "application/yaml",
    ];
    kind.starts_with("text/") || kind.ends_with("+json") || kind.ends_with("+xml") || TEXTS.contains(&kind)
}

/// A kind of content as it may be repeated: a stranger wrote it.
fn shown(kind: &str) -> String {
    kind.chars().filter(|c| c.is_ascii_alphanumeric() || "/+.-".contains(*c)).take(60).collect()
}

fn hint(status: u16) -> &'static str {
    match status {
        401 | 403 | 407 => ": it does not show this page to us; use another source",
        404 | 410 => ": there is no such page; check the address",
        429 => ": too many questions; wait before asking this server again",
        500.. => ": it has a problem of its own; try later",
        _ => "",
    }
}

/// What the guard said is somewhere inside what the client says.
fn failed(error: reqwest::Error) -> FetchError {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(inner) = cause {
        if let Some(refused) = inner.downcast_ref::<Refused>() {
            return FetchError::Refused(refused.clone());
        }
        cause = inner.source();
    }
    FetchError::Transport { source: error.without_url() }
}

#[cfg(test)]
mod tests;
