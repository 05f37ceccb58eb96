//! One small request with a whole answer: token exchange and model lists, which do not stream.
//!
//! The same clients, proxies and rules as model calls, but bounded in time and size as a whole. What a status
//! means is the caller's to judge; [`Fetched::refusal`] judges it as for a model call.

use std::fmt;
use std::time::Duration;

use reqwest::header::HeaderMap;
use serde_json::Value;
use tokio::time::timeout;

use super::{Http, add_header, address, content_type, retry_after, silent, transport};
use crate::classify::{classify, looks_like_html, web_page};
use crate::error::{FailReason, LlmError};
use crate::spec::Headers;

/// How long a small request may take when its caller has no opinion.
pub const FETCH_TIMEOUT: Duration = Duration::from_secs(30);
/// Largest answer to a small request when its caller has no opinion, in bytes.
pub const FETCH_SIZE: usize = 4 * 1024 * 1024;

/// A small request.
#[derive(Clone)]
pub struct Fetch {
    pub url: String,
    /// Sent with it; treated as secrets.
    pub headers: Headers,
    /// A body makes it a POST; without one it is a GET.
    pub body: Option<Vec<u8>>,
    /// How long it may take from the first packet to the last.
    pub time_limit: Duration,
    /// The largest answer accepted, in bytes.
    pub size_limit: usize,
}

impl Fetch {
    /// A GET with the usual limits.
    pub fn get(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            headers: Headers::default(),
            body: None,
            time_limit: FETCH_TIMEOUT,
            size_limit: FETCH_SIZE,
        }
    }

    /// A POST with the usual limits; the caller names the body's kind among the headers.
    pub fn post(url: impl Into<String>, body: Vec<u8>) -> Self {
        Self { body: Some(body), ..Self::get(url) }
    }

    /// Adds headers.
    #[must_use]
    pub fn with_headers(mut self, headers: Headers) -> Self {
        self.headers = headers;
        self
    }
}

impl fmt::Debug for Fetch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address and the body may carry a credential.
        f.debug_struct("Fetch").field("headers", &self.headers).finish_non_exhaustive()
    }
}

/// The whole answer to a small request, whatever its status.
#[derive(Clone)]
pub struct Fetched {
    pub status: u16,
    /// The declared kind of the body, in lower case; may be empty.
    pub content_type: String,
    pub body: Vec<u8>,
    /// How long the server asked to be left alone.
    pub retry_after: Option<Duration>,
}

impl fmt::Debug for Fetched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The body of a token server is a credential.
        f.debug_struct("Fetched")
            .field("status", &self.status)
            .field("content_type", &self.content_type)
            .field("bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}

impl Fetched {
    /// Whether the status is one of success.
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The JSON of a successful answer.
    ///
    /// # Errors
    /// When the status is not one of success, the body is a web page, or it is not JSON.
    pub fn json(&self, secrets: &[&str]) -> Result<Value, LlmError> {
        if !self.is_success() {
            return Err(self.refusal(secrets));
        }
        if self.content_type.starts_with("text/html") || looks_like_html(&self.body) {
            return Err(web_page(self.status, &self.body));
        }
        serde_json::from_slice(&self.body).map_err(|_unreadable| {
            // The parser's message may quote the body, which may hold a token.
            LlmError::new(FailReason::Format, "the provider's answer is not JSON").with_status(self.status)
        })
    }

    /// What a refusal means, with `secrets` kept out of the message.
    #[must_use]
    pub fn refusal(&self, secrets: &[&str]) -> LlmError {
        let mut error = if (300..400).contains(&self.status) {
            let message = format!("the provider answered {}: it has moved elsewhere", self.status);
            LlmError::new(FailReason::Format, message).with_status(self.status)
        } else if looks_like_html(&self.body) {
            web_page(self.status, &self.body)
        } else {
            classify(Some(self.status), &self.body, secrets)
        };
        error.retry_after = self.retry_after;
        error
    }
}

impl Http {
    /// Sends a small request and reads the whole answer, whatever its status.
    ///
    /// # Errors
    /// When nothing readable came: a bad address, no connection, too slow, too large.
    pub async fn fetch(&self, request: Fetch) -> Result<Fetched, LlmError> {
        let limit = request.time_limit;
        match timeout(limit, self.fetch_unlimited(request)).await {
            Ok(fetched) => fetched,
            Err(_) => Err(silent(limit)),
        }
    }

    async fn fetch_unlimited(&self, request: Fetch) -> Result<Fetched, LlmError> {
        let url = address(&request.url)?;
        let mut headers = HeaderMap::new();
        for (name, value) in request.headers.iter() {
            add_header(&mut headers, name, value)?;
        }
        let client = self.client(&url)?;
        let builder = match request.body {
            Some(body) => client.post(url).body(body),
            None => client.get(url),
        };
        let mut response = builder.headers(headers).send().await.map_err(transport)?;
        let status = response.status().as_u16();
        let kind = content_type(&response);
        let pause = retry_after(response.headers(), &self.inner.clock);
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(transport)? {
            if body.len() + piece.len() > request.size_limit {
                let message = format!("the provider sent more than {} bytes", request.size_limit);
                return Err(LlmError::new(FailReason::Format, message).with_status(status));
            }
            body.extend_from_slice(&piece);
        }
        Ok(Fetched { status, content_type: kind, body, retry_after: pause })
    }
}
