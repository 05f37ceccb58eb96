//! The road to the server. The token stands in every address, so addresses go into no error and no log.

use std::time::Duration;

use homard_channel::File;
use homard_config::Secret;
use reqwest::multipart::{Form, Part};
use reqwest::{Client, Proxy, RequestBuilder, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::errors::ApiError;
use super::settings::Settings;
use crate::registry::BuildError;

/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a call without a file may take; the owner may make it shorter.
const CALL_TIMEOUT: Duration = Duration::from_secs(60);
/// Idle connections are let go after this; the server does so a little later.
const POOL_IDLE: Duration = Duration::from_secs(50);
/// Largest answer that is read: a hundred updates of the largest kind are far smaller.
const MAX_ANSWER: usize = 16 * 1024 * 1024;
/// Largest file the public server takes from a bot.
const MAX_UPLOAD: u64 = 50 * 1024 * 1024;
/// What stands in place of the token in words of others.
const HIDDEN: &str = "<token>";

/// A bot's way to the server. Clone-cheap.
#[derive(Debug, Clone)]
pub(super) struct Api {
    client: Client,
    root: String,
    token: Secret,
    timeout: Duration,
}

/// Every answer of the server.
#[derive(Deserialize)]
struct Answer {
    ok: bool,
    #[serde(default)]
    result: Value,
    error_code: Option<u16>,
    description: Option<String>,
    parameters: Option<Parameters>,
}

#[derive(Deserialize)]
struct Parameters {
    retry_after: Option<u64>,
    migrate_to_chat_id: Option<i64>,
}

impl Api {
    pub(super) fn new(settings: &Settings) -> Result<Self, BuildError> {
        let bad =
            |key: &str, problem: String| BuildError::BadValue { path: format!("telegram.{key}"), problem };
        let is_local = settings.root.scheme() == "http";
        let mut builder = if is_local { homard_http::plain_client() } else { homard_http::client() }
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_nodelay(true)
            .tcp_keepalive(Duration::from_secs(30))
            .pool_idle_timeout(POOL_IDLE);
        builder = match &settings.proxy {
            Some(proxy) => {
                let proxy = Proxy::all(proxy.expose());
                let proxy = proxy.or(Err(bad("proxy", "not an address of a proxy".to_owned())))?;
                builder.proxy(proxy)
            }
            None => builder.no_proxy(),
        };
        let client = builder
            .build()
            .map_err(|error| bad("apiRoot", format!("no client can be made: {}", words(error))))?;
        Ok(Self {
            client,
            root: settings.root.as_str().trim_end_matches('/').to_owned(),
            token: settings.token.clone(),
            timeout: settings.call_timeout,
        })
    }

    /// Calls a method with parameters and returns its result.
    pub(super) async fn call<P: Serialize + Sync>(
        &self,
        method: &str,
        params: &P,
    ) -> Result<Value, ApiError> {
        self.call_within(method, params, self.timeout.min(CALL_TIMEOUT)).await
    }

    /// The same with a time of its own.
    pub(super) async fn call_within<P: Serialize + Sync>(
        &self,
        method: &str,
        params: &P,
        timeout: Duration,
    ) -> Result<Value, ApiError> {
        let body = serde_json::to_vec(params).map_err(|error| ApiError::NotSendable(error.to_string()))?;
        let request = self.post(method).header("content-type", "application/json").body(body);
        self.send(request.timeout(timeout)).await
    }

    /// Calls a method with parameters and a file among them.
    pub(super) async fn upload(
        &self,
        method: &str,
        params: &Map<String, Value>,
        field: &'static str,
        file: &File,
    ) -> Result<Value, ApiError> {
        let mut form = Form::new();
        for (name, value) in params {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            form = form.text(name.clone(), text);
        }
        form = form.part(field, part(file).await?);
        self.send(self.post(method).multipart(form).timeout(self.timeout)).await
    }

    /// A file by the path the server gave it.
    pub(super) async fn download(&self, path: &str) -> Result<Response, ApiError> {
        let url = format!("{}/file/bot{}/{path}", self.root, self.token.expose());
        let response = self.client.get(url).timeout(self.timeout).send().await.map_err(transport)?;
        match response.status().as_u16() {
            200 => Ok(response),
            status => Err(self.refusal(status, None)),
        }
    }

    fn post(&self, method: &str) -> RequestBuilder {
        self.client.post(format!("{}/bot{}/{method}", self.root, self.token.expose()))
    }

    async fn send(&self, request: RequestBuilder) -> Result<Value, ApiError> {
        let response = request.send().await.map_err(transport)?;
        let status = response.status().as_u16();
        let body = read(response, MAX_ANSWER).await?;
        match serde_json::from_slice::<Answer>(&body) {
            Ok(answer) if answer.ok && status < 300 => Ok(answer.result),
            Ok(answer) => Err(self.refusal(status, Some(answer))),
            // It did something, but nobody can read what.
            Err(_) if status < 300 => Err(ApiError::Lost("the server's answer is not readable".to_owned())),
            Err(_) => Err(self.refusal(status, None)),
        }
    }

    fn refusal(&self, status: u16, answer: Option<Answer>) -> ApiError {
        let code = answer.as_ref().and_then(|answer| answer.error_code).unwrap_or(status);
        let said = answer.as_ref().and_then(|answer| answer.description.as_deref());
        let description = said.map_or_else(
            || format!("the server answered {code}"),
            |said| said.replace(self.token.expose(), HIDDEN),
        );
        let parameters = answer.and_then(|answer| answer.parameters);
        match code {
            300..=399 => {
                ApiError::NotReached(format!("the API root answered {code}: it has moved; correct apiRoot"))
            }
            500.. => ApiError::Lost(format!("the server stumbled ({code})")),
            _ => ApiError::Refusal {
                code,
                description,
                retry_after: parameters.as_ref().and_then(|p| p.retry_after).map(Duration::from_secs),
                moved_to: parameters.and_then(|p| p.migrate_to_chat_id),
            },
        }
    }
}

/// A file from the disk, read while it is sent.
async fn part(file: &File) -> Result<Part, ApiError> {
    let gone = |error: std::io::Error| {
        ApiError::NotSendable(format!("the file `{}` cannot be read: {error}", file.name))
    };
    let opened = tokio::fs::File::open(&file.path).await.map_err(gone)?;
    let size = opened.metadata().await.map_err(gone)?.len();
    if size > MAX_UPLOAD {
        let megabytes = MAX_UPLOAD / 1024 / 1024;
        return Err(ApiError::NotSendable(format!(
            "the file `{}` has {size} bytes; Telegram takes at most {megabytes} MB from bots",
            file.name
        )));
    }
    let part = Part::stream_with_length(opened, size).file_name(file.name.clone());
    Ok(match file.mime.parse::<reqwest::header::HeaderValue>() {
        Ok(_) if file.mime.contains('/') => {
            part.mime_str(&file.mime).map_err(|error| ApiError::NotSendable(words(error)))?
        }
        _ => part,
    })
}

/// Reads an answer, but no more than `limit` bytes of it.
pub(super) async fn read(mut response: Response, limit: usize) -> Result<Vec<u8>, ApiError> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(transport)? {
        if body.len().saturating_add(piece.len()) > limit {
            return Err(ApiError::TooLong(limit));
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

/// A connection that could not be made took nothing with it; any other failure may have.
fn transport(error: reqwest::Error) -> ApiError {
    if error.is_connect() { ApiError::NotReached(words(error)) } else { ApiError::Lost(words(error)) }
}

/// What a failure says, with its causes and without the address, which holds the token.
fn words(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(next) = cause {
        text = format!("{text}: {next}");
        cause = next.source();
    }
    text
}
