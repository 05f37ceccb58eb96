//! The OpenAI-compatible API: programs written for OpenAI talk to agents as if they were models.
//!
//! A request becomes an ordinary run. Reading order: `wanted` finds agent and session, `talk` is a request's
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

use futures_util::FutureExt;
use homard_config::config::http_endpoints::HttpEndpoints;
use homard_protocol::Scope;
use http::{Method, StatusCode};
use hyper::body::Incoming;
use serde::de::DeserializeOwned;

use super::auth;
use super::routes::{RouteCx, RouteEntry, RouteGuard, RouteMethods};
use crate::gateway::Gateway;
use homard_http::answers::{Answer, method_not_allowed, text};
use homard_http::body;
use refusal::ApiError;
use wanted::Asker;

const CHAT: &str = "/v1/chat/completions";
const EMBEDDINGS: &str = "/v1/embeddings";
const MODELS: &str = "/v1/models";
const RESPONSES: &str = "/v1/responses";

/// One of the routes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Route {
    Chat,
    Embeddings,
    Models,
    Responses,
}

impl Route {
    fn at(path: &str) -> Option<Self> {
        match path {
            CHAT => Some(Self::Chat),
            EMBEDDINGS => Some(Self::Embeddings),
            MODELS => Some(Self::Models),
            RESPONSES => Some(Self::Responses),
            other => other.strip_prefix(MODELS)?.starts_with('/').then_some(Self::Models),
        }
    }

    fn is_served(self, endpoints: &HttpEndpoints) -> bool {
        match self {
            Self::Chat => endpoints.chat.enabled,
            Self::Responses => endpoints.responses.enabled,
            Self::Embeddings | Self::Models => endpoints.any(),
        }
    }

    /// The only method, and what it is called when another was tried.
    fn method(self) -> (Method, &'static str) {
        match self {
            Self::Models => (Method::GET, "GET"),
            Self::Chat | Self::Embeddings | Self::Responses => (Method::POST, "POST"),
        }
    }

    fn scope(self) -> Scope {
        match self {
            Self::Models => Scope::Read,
            Self::Chat | Self::Embeddings | Self::Responses => Scope::Write,
        }
    }
}

/// The API.
pub(super) const ENTRY: RouteEntry = RouteEntry {
    reserved: &["/v1/"],
    methods: RouteMethods::Own,
    guard: RouteGuard::Guarded,
    owns: |_config, path| Route::at(path).is_some(),
    answer: |cx| answer(cx).boxed(),
};

/// Answers a request to the API; routes the owner has not opened do not exist.
async fn answer(RouteCx { gateway, request, peer }: RouteCx<'_>) -> Answer {
    let endpoints = gateway.config().current().gateway.http_endpoints.clone();
    let route = Route::at(request.uri().path()).filter(|route| route.is_served(&endpoints));
    let Some(route) = route else { return text(StatusCode::NOT_FOUND, "Not Found") };
    let (method, allow) = route.method();
    if *request.method() != method {
        return method_not_allowed(allow);
    }
    let sender = match auth::check(gateway, request.headers(), peer, route.scope()) {
        Ok(sender) => sender,
        Err(refused) => return *refused,
    };
    let (head, body) = request.into_parts();
    let asker = Asker { gateway, headers: &head.headers, scopes: sender.scopes };
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
    serde_json::from_value(value).map_err(|error| ApiError::invalid(error.to_string()))
}

/// Milliseconds of our clock as the API's seconds.
fn seconds(gateway: &Gateway) -> i64 {
    gateway.clock().now_ms() / 1_000
}
