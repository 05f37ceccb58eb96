//! `/j/<code>`: hands a setup code out, once. A machine that is to join only needs to know this address.

use std::time::Instant;

use futures_util::FutureExt;
use http::StatusCode;
use http::header::{CACHE_CONTROL, HeaderValue};
use serde_json::json;

use super::routes::{RouteCx, RouteEntry, RouteGuard, RouteMethods};
use crate::access::setup_codes;
use homard_http::answers::{Answer, json_answer, too_many};

/// Longest code looked up.
const MAX_CODE: usize = 64;

/// Addresses to join by.
pub(super) const ENTRY: RouteEntry = RouteEntry {
    reserved: &[],
    methods: RouteMethods::Look,
    guard: RouteGuard::Guarded,
    owns: |_known, path| code(path).is_some(),
    answer: |cx| answer(cx).boxed(),
};

/// The code in a path, when it is one of these.
fn code(path: &str) -> Option<&str> {
    path.strip_prefix("/j/")
}

/// What the code says, or that there is none. Wrong guesses are counted against whom they come from, here always: nobody
/// on this machine has a reason to guess.
async fn answer(cx: RouteCx<'_>) -> Answer {
    let (gateway, peer, code) = (cx.gateway, cx.peer, code(cx.path()).unwrap_or_default());
    let (who, now) = (format!("join:{}", peer.source), Instant::now());
    if let Some(wait) = gateway.access().guesses.shut_for(&who, now) {
        return too_many(wait.as_secs());
    }
    let found = if code.is_empty() || code.len() > MAX_CODE {
        Ok(None)
    } else {
        setup_codes::join(gateway, code).await
    };
    let mut answer = match found {
        Ok(Some(payload)) => json_answer(StatusCode::OK, &json!(payload)),
        Ok(None) => {
            gateway.access().guesses.wrong(&who, gateway.access().rules().guess_limit, now);
            json_answer(StatusCode::NOT_FOUND, &json!({"error": "not_found"}))
        }
        Err(error) => {
            if gateway.access().noise.allows("joining address not looked up") {
                tracing::error!(%error, "a joining address could not be looked up");
            }
            json_answer(StatusCode::SERVICE_UNAVAILABLE, &json!({"error": "unavailable"}))
        }
    };
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}
