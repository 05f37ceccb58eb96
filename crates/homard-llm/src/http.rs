//! The one place that speaks HTTP to providers: clients, time limits, and what a bad response means.
//!
//! Nothing here exists before the first call: a gateway starts without loading certificates. There is no
//! limit on a whole call (the run has one), and nothing here waits or retries; a provider's wish to be left
//! alone is passed on in the error.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use homard_runtime::Clock;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Client, Response, Url, redirect};
use tokio::time::timeout;

use crate::classify::{classify, looks_like_html, web_page};
use crate::error::{FailReason, LlmError};

/// How long a connection may take to stand.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the first piece of an answer may take: long prompts are slow to read.
pub const FIRST_BYTE_TIMEOUT: Duration = Duration::from_secs(120);
/// How long a stream that has begun to speak may be silent.
pub const STALL_TIMEOUT: Duration = Duration::from_secs(60);
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
/// Longest pause a provider may ask for.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 3_600);

/// The time limits of a call; tests make them small.
#[derive(Debug, Clone, Copy)]
pub struct HttpOptions {
    /// See [`CONNECT_TIMEOUT`].
    pub connect_timeout: Duration,
    /// See [`FIRST_BYTE_TIMEOUT`].
    pub first_byte_timeout: Duration,
    /// See [`STALL_TIMEOUT`].
    pub stall_timeout: Duration,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            connect_timeout: CONNECT_TIMEOUT,
            first_byte_timeout: FIRST_BYTE_TIMEOUT,
            stall_timeout: STALL_TIMEOUT,
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
        let client = self.client(&outgoing.url)?;
        let request = client.post(outgoing.url).headers(outgoing.headers).body(outgoing.body);
        let response = match timeout(options.first_byte_timeout, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(transport(error)),
            Err(_) => return Err(silent(options.first_byte_timeout)),
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
        Ok(Incoming { response, options, is_whole: kind.starts_with("application/json") })
    }

    fn client(&self, url: &Url) -> Result<Client, LlmError> {
        let local = url.scheme() == "http" && is_loopback(url);
        let cell = if local { &self.inner.local } else { &self.inner.outside };
        if let Some(client) = cell.get() {
            return Ok(client.clone());
        }
        let builder = Client::builder()
            .user_agent(concat!("homard/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(self.inner.options.connect_timeout)
            .tcp_nodelay(true)
            .tcp_keepalive(Duration::from_secs(30))
            .pool_idle_timeout(POOL_IDLE)
            // Following one would hand the key to whoever it points to.
            .redirect(redirect::Policy::none());
        let builder = if local { builder.no_proxy().tls_certs_only([]) } else { builder };
        let client = builder.build().map_err(transport)?;
        Ok(cell.get_or_init(|| client).clone())
    }

    async fn refusal(&self, response: Response, status: u16, secrets: &[&str]) -> LlmError {
        let retry_after = retry_after(response.headers(), &self.inner.clock);
        let location = response.headers().get(LOCATION).is_some();
        let body = read_up_to(response, MAX_ERROR_BODY).await;
        let mut error = match status {
            300..=399 if location => LlmError::new(
                FailReason::Format,
                format!("the provider answered {status}: it has moved; put its new address into baseUrl"),
            )
            .with_status(status),
            _ if looks_like_html(&body) => web_page(status, &body),
            _ => classify(Some(status), &body, secrets),
        };
        error.retry_after = retry_after;
        error
    }
}

impl Incoming {
    /// The next piece of a stream; `None` at its end. `speaking` tells that the model has begun, after which
    /// silence is suspicious sooner.
    pub(crate) async fn next(&mut self, speaking: bool) -> Result<Option<Bytes>, LlmError> {
        let limit = if speaking { self.options.stall_timeout } else { self.options.first_byte_timeout };
        match timeout(limit, self.response.chunk()).await {
            Ok(Ok(piece)) => Ok(piece),
            Ok(Err(error)) => Err(transport(error)),
            Err(_) => Err(silent(limit)),
        }
    }

    /// The whole body of a server that does not stream.
    pub(crate) async fn whole(mut self) -> Result<Vec<u8>, LlmError> {
        let mut body = Vec::new();
        while let Some(piece) = self.next(false).await? {
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
        while let Ok(Ok(Some(_))) = timeout(DRAIN_TIMEOUT, self.response.chunk()).await {}
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

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
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

/// How long the provider asks to be left alone: milliseconds, seconds or a date.
fn retry_after(headers: &HeaderMap, clock: &Clock) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let number = |text: &str| text.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
    let wait = if let Some(ms) = text("retry-after-ms").and_then(number) {
        Duration::try_from_secs_f64(ms / 1_000.0).ok()?
    } else {
        let value = text("retry-after")?;
        match number(value) {
            Some(seconds) => Duration::try_from_secs_f64(seconds).unwrap_or(MAX_RETRY_AFTER),
            None => {
                let date = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(value).ok()?;
                let ms = date.as_millisecond().saturating_sub(clock.now_ms());
                Duration::from_millis(u64::try_from(ms).unwrap_or(0))
            }
        }
    };
    Some(wait.min(MAX_RETRY_AFTER))
}

fn silent(limit: Duration) -> LlmError {
    LlmError::new(FailReason::Timeout, format!("the provider was silent for {limit:?}"))
}

/// A failure below HTTP. The address is left out: it may carry a key.
fn transport(error: reqwest::Error) -> LlmError {
    let error = error.without_url();
    if error.is_builder() {
        return LlmError::new(
            FailReason::Format,
            format!("the request could not be made: {}", chain(&error)),
        );
    }
    let what = if error.is_connect() {
        "could not connect to the provider"
    } else {
        "the connection to the provider broke"
    };
    LlmError::new(FailReason::Timeout, format!("{what}: {}", chain(&error)))
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
