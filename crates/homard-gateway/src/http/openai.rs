//! The OpenAI-compatible API (`homard-openai`): which requests reach it.

use futures_util::FutureExt;
use homard_http::answers::{Answer, method_not_allowed, text};
use homard_openai::{ApiRequest, Route};
use http::StatusCode;

use super::auth;
use super::routes::{RouteCx, RouteEntry, RouteGuard, RouteMethods};

/// The API.
pub(super) const ENTRY: RouteEntry = RouteEntry {
    reserved: &["/v1/"],
    methods: RouteMethods::Own,
    guard: RouteGuard::Guarded,
    owns: |_known, path| Route::at(path).is_some(),
    answer: |cx| answer(cx).boxed(),
};

/// Answers a request to the API; routes the owner has not opened do not exist.
async fn answer(RouteCx { gateway, request, peer }: RouteCx<'_>) -> Answer {
    let config = gateway.config().current();
    let route = Route::at(request.uri().path());
    let Some(route) = route.filter(|route| route.is_served(&config.gateway.http_endpoints)) else {
        return text(StatusCode::NOT_FOUND, "Not Found");
    };
    let (method, allow) = route.method();
    if *request.method() != method {
        return method_not_allowed(allow);
    }
    match auth::check(gateway, request.headers(), peer, route.scope()) {
        Ok(sender) => gateway.openai().answer(ApiRequest { route, request, scopes: sender.scopes }).await,
        Err(refused) => *refused,
    }
}
