//! The OpenAI-compatible API: programs written for OpenAI talk to agents as if they were models.
//!
//! A request becomes an ordinary run. Who asks has been found out before: the gateway serves the routes, asks for proof
//! and hands requests over. Reading order: `wanted` finds agent and session, `talk` is a request's
//! conversation in our words, `parts` its pictures and files, `run` carries it to the relay and back; `chat`
//! and `responses` are the two spellings, `models` and `embeddings` the routes beside them.

mod chat;
mod embeddings;
mod models;
mod parts;
mod refusal;
mod responses;
mod run;
mod sampling;
mod talk;
mod tools;
mod wanted;

use homard_config::ConfigHandle;
use homard_config::config::gateway::http_endpoints::HttpEndpoints;
use homard_http::answers::Answer;
use homard_http::body;
use homard_protocol::{Scope, ScopeSet};
use homard_relay::Relay;
use homard_runtime::{Clock, Tasks};
use homard_store::Store;
use http::{Method, Request};
use hyper::body::Incoming;
use serde::de::DeserializeOwned;

use refusal::ApiError;
use wanted::Asker;

const CHAT: &str = "/v1/chat/completions";
const EMBEDDINGS: &str = "/v1/embeddings";
const MODELS: &str = "/v1/models";
const RESPONSES: &str = "/v1/responses";

/// One of the routes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    Chat,
    Embeddings,
    Models,
    Responses,
}

impl Route {
    /// The route at a path, if the API has one there.
    #[must_use]
    pub fn at(path: &str) -> Option<Self> {
        match path {
            CHAT => Some(Self::Chat),
            EMBEDDINGS => Some(Self::Embeddings),
            MODELS => Some(Self::Models),
            RESPONSES => Some(Self::Responses),
            other => other.strip_prefix(MODELS)?.starts_with('/').then_some(Self::Models),
        }
    }

    /// Whether the owner has opened it; otherwise it does not exist.
    #[must_use]
    pub fn is_served(self, endpoints: &HttpEndpoints) -> bool {
        match self {
            Self::Chat => endpoints.chat.enabled,
            Self::Responses => endpoints.responses.enabled,
            Self::Embeddings | Self::Models => endpoints.any(),
        }
    }

    /// The only method, and what it is called when another was tried.
    #[must_use]
    pub fn method(self) -> (Method, &'static str) {
        match self {
            Self::Models => (Method::GET, "GET"),
            Self::Chat | Self::Embeddings | Self::Responses => (Method::POST, "POST"),
        }
    }

    /// What whoever asks must be allowed.
    #[must_use]
    pub fn scope(self) -> Scope {
        match self {
            Self::Models => Scope::Read,
            Self::Chat | Self::Embeddings | Self::Responses => Scope::Write,
        }
    }
}

/// What is asked of the API, by somebody who has proven who they are.
pub struct ApiRequest {
    pub route: Route,
    pub request: Request<Incoming>,
    /// What whoever asks may do.
    pub scopes: ScopeSet,
}

/// The API, and what it needs to answer.
#[derive(Clone)]
pub struct OpenAiApi {
    pub config: ConfigHandle,
    pub store: Store,
    /// Where requests become runs.
    pub relay: Relay,
    /// Where the time comes from.
    pub clock: Clock,
    /// Where answers are told that outlive their request.
    pub tasks: Tasks,
}

impl OpenAiApi {
    /// Answers a request.
    pub async fn answer(&self, ApiRequest { route, request, scopes }: ApiRequest) -> Answer {
        let endpoints = self.config.current().gateway.http_endpoints.clone();
        let (head, body) = request.into_parts();
        let asker = Asker { api: self, headers: &head.headers, scopes };
        let answered = match route {
            Route::Models => models::answer(&asker, head.uri.path()),
            Route::Chat => match read(body, endpoints.chat.max_body).await {
                Ok(asked) => chat::answer(&asker, asked, &endpoints.chat).await,
                Err(error) => Err(error),
            },
            Route::Responses => match read(body, endpoints.responses.max_body).await {
                Ok(asked) => responses::answer(&asker, asked, &endpoints.responses).await,
                Err(error) => Err(error),
            },
            Route::Embeddings => match read(body, embeddings::MAX_BODY).await {
                Ok(asked) => embeddings::answer(&asker, asked).await,
                Err(error) => Err(error),
            },
        };
        answered.unwrap_or_else(ApiError::answer)
    }

    /// Our clock as the API's seconds.
    fn seconds(&self) -> i64 {
        self.clock.now_ms() / 1_000
    }
}

/// Reads a body of JSON.
async fn read<T: DeserializeOwned>(body: Incoming, limit: usize) -> Result<T, ApiError> {
    let bytes = body::read(body, limit).await.map_err(ApiError::Body)?;
    parse(&bytes)
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let value: serde_json::Value = serde_json::from_slice(bytes)
        .map_err(|error| ApiError::invalid(format!("the body is not JSON: {error}")))?;
    if !value.is_object() {
        return Err(ApiError::invalid("the body must be a JSON object"));
    }
    homard_runtime::json::from_value(value).map_err(|error| ApiError::invalid(error.to_string()))
}
