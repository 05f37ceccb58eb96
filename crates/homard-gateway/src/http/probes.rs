//! Probes and metrics: is it alive, is it ready, how is it doing.

use futures_util::FutureExt;
use homard_protocol::Scope;
use http::{Request, StatusCode};
use hyper::body::Incoming;
use serde_json::json;

use super::auth;
use super::routes::{RouteEntry, RouteGuard, RouteMethods};
use crate::access::origin::{Locality, Peer};
use crate::gateway::Gateway;
use homard_http::answers::{Answer, json_answer, unauthorized, with_type};

/// Probes and metrics.
pub(super) const ENTRY: RouteEntry = RouteEntry {
    reserved: &[],
    methods: RouteMethods::Look,
    guard: RouteGuard::Open,
    owns: |_known, path| owns(path),
    answer: |cx| std::future::ready(answer(cx.gateway, &cx.request, cx.peer)).boxed(),
};

fn owns(path: &str) -> bool {
    matches!(path, "/health" | "/healthz" | "/ready" | "/readyz" | "/startup" | "/startupz" | "/metrics")
}

/// Answers a probe; strangers learn no particulars.
fn answer(gateway: &Gateway, request: &Request<Incoming>, peer: &Peer) -> Answer {
    let detailed = peer.locality == Locality::Local
        || auth::check(gateway, request.headers(), peer, Scope::Read).is_ok();
    match request.uri().path() {
        "/ready" | "/readyz" => ready(gateway, detailed),
        "/startup" | "/startupz" => startup(gateway, detailed),
        "/metrics" => metrics(gateway, detailed),
        _health => json_answer(StatusCode::OK, &json!({"ok": true, "status": "live"})),
    }
}

fn ready(gateway: &Gateway, detailed: bool) -> Answer {
    // Another process is ready already when this one leaves.
    let ready = !gateway.lifecycle().stopping.is_cancelled() || gateway.lifecycle().leaving.is_cancelled();
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let body = if detailed {
        json!({"ready": ready, "failing": [], "uptimeMs": gateway.lifecycle().uptime_ms()})
    } else {
        json!({"ready": ready})
    };
    json_answer(status, &body)
}

fn startup(gateway: &Gateway, detailed: bool) -> Answer {
    let body = if detailed {
        json!({"ok": true, "status": "started", "version": gateway.diagnostics().host.version, "uptimeMs": gateway.lifecycle().uptime_ms()})
    } else {
        json!({"ok": true, "status": "started"})
    };
    json_answer(StatusCode::OK, &body)
}

fn metrics(gateway: &Gateway, detailed: bool) -> Answer {
    if !detailed {
        return unauthorized();
    }
    let body = gateway.diagnostics().metrics.render(gateway.lifecycle().uptime_ms() / 1_000);
    with_type(StatusCode::OK, "application/openmetrics-text; version=1.0.0; charset=utf-8", body.into())
}
