//! What chat platforms bring to paths of their own (`homard_channel::Ingress`). They prove themselves to their adapter,
//! not to the gateway.

use bytes::Bytes;
use futures_util::FutureExt;
use homard_channel::IngressMount;
use homard_http::answers::{Answer, empty, text};
use homard_http::body;
use http::StatusCode;
use http::header::{ALLOW, HeaderValue};

use super::routes::{RouteCx, RouteEntry, RouteGuard, RouteMethods};

/// Paths of chat platforms.
pub(super) const ENTRY: RouteEntry = RouteEntry {
    reserved: &[],
    methods: RouteMethods::Own,
    guard: RouteGuard::Open,
    owns: |known, path| known.ingress.at(path).is_some(),
    answer: |cx| answer(cx).boxed(),
};

async fn answer(cx: RouteCx<'_>) -> Answer {
    let Some(mount) = cx.gateway.http().ingress.at(cx.path()) else {
        return text(StatusCode::NOT_FOUND, "Not Found");
    };
    if *cx.request.method() != mount.limits.method {
        let mut refused = text(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed");
        if let Ok(allow) = HeaderValue::from_str(mount.limits.method.as_str()) {
            refused.headers_mut().insert(ALLOW, allow);
        }
        return refused;
    }
    if !mount.handler.admits(cx.request.headers()) {
        if cx.gateway.access().noise.allows("stranger at a path of a chat platform") {
            tracing::warn!(ip = %cx.peer.ip, path = cx.path(), "somebody who is not the platform was turned away");
        }
        return empty(StatusCode::UNAUTHORIZED);
    }
    let taken = tokio::time::timeout(mount.limits.time, take(&mount, cx.request.into_body())).await;
    empty(taken.unwrap_or(StatusCode::SERVICE_UNAVAILABLE))
}

async fn take(mount: &IngressMount, body: hyper::body::Incoming) -> StatusCode {
    let read: Result<Bytes, _> = body::read(body, mount.limits.max_body).await;
    match read {
        Ok(bytes) => mount.handler.answer(bytes).await,
        Err(error) => error.status(),
    }
}
