//! The one place that speaks HTTP to providers: clients, time limits, and what a bad response means.
//!
//! Nothing here exists before the first call: a gateway starts without loading certificates. Nothing here
//! waits or retries; a provider's wish to be left alone is passed on in the error. No server can hold a call
//! open for ever: silence, bytes without events and the whole call each have a limit.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use homard_runtime::Clock;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Client, Response, Url};
use tokio::time::{Instant, timeout, timeout_at};

use crate::classify::{classify_named, looks_like_html, web_page};
use crate::error::{FailReason, LlmError, scrub};

mod fetch;
mod pause;

use pause::{resets, retry_after};

pub use fetch::{FETCH_SIZE, FETCH_TIMEOUT, Fetch, Fetched};

/// How long a connection may take to stand.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the first piece of an answer may take: long prompts are slow to read.
pub const FIRST_BYTE_TIMEOUT: Duration = Duration::from_secs(120);
/// How long a stream that has begun to speak may be silent.
pub const STALL_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a stream may send bytes that make no event: comments that only keep the connection open, or one
/// endless line. Slow models are waited for with such comments, so this is longer than mere silence.
pub const EVENT_TIMEOUT: Duration = Duration::from_secs(300);
/// How long a whole call may take, whatever it sends.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(600);
/// How long to wait for the formal end of a finished answer. Reaching it lets the connection be used again,
/// which saves the next call a handshake; it usually is in the same packet.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(20);
/// How long a refusal's body may take.
const ERROR_BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// Most of a refusal's body worth reading, in bytes.
const MAX_ERROR_BODY: usize = 64 * 1024;
/// Largest answer accepted in one piece from a server that does not stream, in bytes.
const MAX_WHOLE_BODY: usize = 16 * 1024 * 1024;
/// How long an unused connection is kept.
const POOL_IDLE: Duration = Duration::from_secs(90);

/// The time limits of a call; tests make them small.
#[derive(Debug, Clone, Copy)]
pub struct HttpOptions {
    pub connect_timeout: Duration,
    pub first_byte_timeout: Duration,
    pub stall_timeout: Duration,
    pub event_timeout: Duration,
    pub call_timeout: Duration,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            connect_timeout: CONNECT_TIMEOUT,
            first_byte_timeout: FIRST_BYTE_TIMEOUT,
            stall_timeout: STALL_TIMEOUT,
            event_timeout: EVENT_TIMEOUT,
            call_timeout: CALL_TIMEOUT,
        }
    }
}

/// A handle on the shared connections. Cheap to clone and to make; clients are built on first use.
#[derive(Debug, Clone, Default)]
pub struct Http {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    options: HttpOptions,
    clock: Clock,
    /// For everything outside this machine: system certificates, the owner's proxy.
    outside: OnceLock<Client>,
    /// For `http://` on this machine: no proxy may see it, and no certificates are loaded for it.
    local: OnceLock<Client>,
}

/// A request, complete.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// A response that was accepted.
#[derive(Debug)]
pub(crate) struct Incoming {
    response: Response,
    options: HttpOptions,
    /// When the call must be over.
    deadline: Instant,
    /// When the last event was complete, or the answer began.
    last_event: Instant,
    /// The server ignored our wish to stream and sends one JSON document.
    pub(crate) is_whole: bool,
}

impl Http {
    /// A handle with its own limits; `clock` reads dates in `Retry-After`.
    #[must_use]
    pub fn new(options: HttpOptions, clock: Clock) -> Self {
        Self { inner: Arc::new(Inner { options, clock, ..Inner::default() }) }
    }

    /// Sends a request and waits for a response worth reading. `secrets` are kept out of errors.
    pub(crate) async fn send(&self, outgoing: Outgoing, secrets: &[&str]) -> Result<Incoming, LlmError> {
        let options = self.inner.options;
        let deadline = Instant::now() + options.call_timeout;
        let client = self.client(&outgoing.url)?;
        let request = client.post(outgoing.url).headers(outgoing.headers).body(outgoing.body);
        let first = options.first_byte_timeout.min(options.call_timeout);
        let response = match timeout(first, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(transport(error)),
            Err(_) => return Err(silent(first)),
        };
        let status = response.status().as_u16();
        let kind = content_type(&response);
        if status >= 300 {
            return Err(self.refusal(response, status, secrets).await);
        }
        if kind.starts_with("text/html") {
            let body = read_up_to(response, MAX_ERROR_BODY).await;
            return Err(web_page(status, &body));
        }
        let is_whole = kind.starts_with("application/json");
        Ok(Incoming { response, options, deadline, last_event: Instant::now(), is_whole })
    }

    fn client(&self, url: &Url) -> Result<Client, LlmError> {
        let local = url.scheme() == "http" && url.host_str().is_some_and(homard_http::is_this_machine);
        let cell = if local { &self.inner.local } else { &self.inner.outside };
        if let Some(client) = cell.get() {
            return Ok(client.clone());
        }
        let builder = if local { homard_http::plain_client().no_proxy() } else { homard_http::client() };
        let client = builder
            .connect_timeout(self.inner.options.connect_timeout)
            .tcp_nodelay(true)
            .tcp_keepalive(Duration::from_secs(30))
            .pool_idle_timeout(POOL_IDLE)
            .build()
            .map_err(transport)?;
        Ok(cell.get_or_init(|| client).clone())
    }

    async fn refusal(&self, response: Response, status: u16, secrets: &[&str]) -> LlmError {
        let asked = retry_after(response.headers(), &self.inner.clock);
        let resets = resets(response.headers(), &self.inner.clock);
        let kind = error_type(response.headers());
        let location = response.headers().get(LOCATION).is_some();
        let body = read_up_to(response, MAX_ERROR_BODY).await;
        let mut error = match status {
            300..=399 if location => LlmError::new(
                FailReason::Format,
                format!("the provider answered {status}: it has moved; put its new address into baseUrl"),
            )
            .with_status(status),
            _ if looks_like_html(&body) => web_page(status, &body),
            _ => classify_named(Some(status), &kind, &body, secrets),
        };
        error.message = scrub(&error.message, secrets);
        // A header is meant for programs, so it is believed first; when the quota is full again is a guess.
        error.retry_after = asked.or(error.retry_after).or(match error.reason {
            FailReason::RateLimit => resets,
            _ => None,
        });
        error
    }
}

impl Incoming {
    /// The next piece of a stream; `None` at its end. `speaking` tells that the model has begun, after which
    /// silence is suspicious sooner.
    pub(crate) async fn next(&mut self, speaking: bool) -> Result<Option<Bytes>, LlmError> {
        let limit = if speaking { self.options.stall_timeout } else { self.options.first_byte_timeout };
        let patience = self.last_event + self.options.event_timeout;
        let until = (Instant::now() + limit).min(patience).min(self.deadline);
        match timeout_at(until, self.response.chunk()).await {
            Ok(Ok(piece)) => Ok(piece),
            Ok(Err(error)) => Err(transport(error)),
            Err(_) if until == self.deadline => Err(too_long(self.options.call_timeout)),
            Err(_) if until == patience => Err(no_event(self.options.event_timeout)),
            Err(_) => Err(silent(limit)),
        }
    }

    /// An event was complete: what came was more than noise.
    pub(crate) fn progressed(&mut self) {
        self.last_event = Instant::now();
    }

    /// The whole body of a server that does not stream.
    pub(crate) async fn whole(mut self) -> Result<Vec<u8>, LlmError> {
        let mut body = Vec::new();
        while let Some(piece) = self.next(false).await? {
            self.progressed();
            if body.len() + piece.len() > MAX_WHOLE_BODY {
                return Err(LlmError::new(
                    FailReason::Format,
                    "the provider sent a larger answer than any model writes",
                ));
            }
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }

    /// Reads a finished answer's formal end, so that the connection can serve the next call.
    pub(crate) async fn drain(mut self) {
        let reading = async { while let Ok(Some(_)) = self.response.chunk().await {} };
        if timeout(DRAIN_TIMEOUT, reading).await.is_err() {
            tracing::debug!("a finished answer did not end; its connection is not used again");
        }
    }
}

/// Reads an address; the error says which setting is wrong.
pub(crate) fn address(text: &str) -> Result<Url, LlmError> {
    match Url::parse(text) {
        Ok(url) if url.scheme() == "http" || url.scheme() == "https" => Ok(url),
        Ok(_) | Err(_) => {
            Err(LlmError::new(FailReason::Format, "the provider's baseUrl is not an http or https address"))
        }
    }
}

/// Adds a header marked as secret, so that no log of ours or of a library prints it.
pub(crate) fn add_header(headers: &mut HeaderMap, name: &str, value: &str) -> Result<(), LlmError> {
    let bad = |what: &str| {
        LlmError::new(FailReason::Auth, format!("the header `{name}` has {what} HTTP does not allow"))
    };
    let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_bad_name| bad("a name"))?;
    let mut value =
        HeaderValue::from_str(value).map_err(|_bad_value| bad("a value (or the apiKey has characters)"))?;
    value.set_sensitive(true);
    headers.insert(key, value);
    Ok(())
}

fn content_type(response: &Response) -> String {
    let value = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().trim().to_ascii_lowercase()
}

async fn read_up_to(mut response: Response, limit: usize) -> Vec<u8> {
    let mut body = Vec::new();
    let reading = async {
        while let Ok(Some(piece)) = response.chunk().await {
            let room = limit.saturating_sub(body.len());
            body.extend_from_slice(piece.get(..room.min(piece.len())).unwrap_or_default());
            if body.len() >= limit {
                break;
            }
        }
    };
    if timeout(ERROR_BODY_TIMEOUT, reading).await.is_err() {
        tracing::debug!("a provider's error body did not end; the part that came is used");
    }
    body
}

/// The kind of error, where a server names it in a header instead of the body.
fn error_type(headers: &HeaderMap) -> String {
    let value = headers.get("x-amzn-errortype").and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(':').next().unwrap_or_default().to_owned()
}

fn silent(limit: Duration) -> LlmError {
    LlmError::new(FailReason::Timeout, format!("the provider was silent for {limit:?}"))
}

fn no_event(limit: Duration) -> LlmError {
    let message = format!("the provider sent bytes for {limit:?} and said nothing with them");
    LlmError::new(FailReason::Timeout, message)
}

fn too_long(limit: Duration) -> LlmError {
    LlmError::new(FailReason::Timeout, format!("the call was not over after {limit:?}"))
}

/// A failure below HTTP. Of the address the host and the port are said: the rest may carry a key.
fn transport(error: reqwest::Error) -> LlmError {
    let place = error.url().and_then(host_and_port).map(|place| format!(" at {place}")).unwrap_or_default();
    let error = error.without_url();
    if error.is_builder() {
        return LlmError::new(
            FailReason::Format,
            format!("the request could not be made: {}", chain(&error)),
        );
    }
    let what = if error.is_connect() {
        format!("could not connect to the provider{place}")
    } else {
        "the connection to the provider broke".to_owned()
    };
    LlmError::new(FailReason::Timeout, format!("{what}: {}", chain(&error)))
}

fn host_and_port(url: &reqwest::Url) -> Option<String> {
    Some(format!("{}:{}", url.host_str()?, url.port_or_known_default()?))
}

/// The innermost causes, which say more than the outer ones.
fn chain(error: &dyn std::error::Error) -> String {
    let mut causes = vec![error.to_string()];
    let mut next = error.source();
    while let Some(cause) = next {
        causes.push(cause.to_string());
        next = cause.source();
    }
    let inner = causes.len().saturating_sub(2);
    causes.get(inner..).unwrap_or_default().join(": ")
}

#[cfg(test)]
mod tests;
