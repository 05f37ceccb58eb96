//! What an HTTP answer is made of.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http::{Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Frame;
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// An answer: whole, or a stream of events.
pub type Answer = Response<UnsyncBoxBody<Bytes, Infallible>>;

/// Events a slow reader may be behind before the writer waits.
const EVENTS_AHEAD: usize = 64;

/// Words.
#[must_use]
pub fn text(status: StatusCode, body: &'static str) -> Answer {
    with_type(status, "text/plain; charset=utf-8", Bytes::from_static(body.as_bytes()))
}

/// JSON.
#[must_use]
pub fn json_answer(status: StatusCode, body: &Value) -> Answer {
    with_type(status, "application/json; charset=utf-8", Bytes::from(body.to_string()))
}

/// Bytes of a kind.
#[must_use]
pub fn with_type(status: StatusCode, content_type: &'static str, body: Bytes) -> Answer {
    let mut answer = empty(status);
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    *answer.body_mut() = Full::new(body).boxed_unsync();
    answer
}

/// Nothing but a status.
#[must_use]
pub fn empty(status: StatusCode) -> Answer {
    let mut answer = Response::new(Full::default().boxed_unsync());
    *answer.status_mut() = status;
    answer
}

/// Too many sockets or requests of theirs are under way.
#[must_use]
pub fn busy() -> Answer {
    let body = "too many connections from your address; close some, or try again later";
    text(StatusCode::TOO_MANY_REQUESTS, body)
}

/// The caller did not prove itself.
#[must_use]
pub fn unauthorized() -> Answer {
    json_answer(
        StatusCode::UNAUTHORIZED,
        &json!({"error": {"message": "Unauthorized", "type": "unauthorized"}}),
    )
}

/// Too many wrong guesses came from there.
#[must_use]
pub fn too_many(seconds: u64) -> Answer {
    let body = json!({"error": {"message": "Too many failed attempts; wait before trying again", "type": "rate_limited"}});
    let mut answer = json_answer(StatusCode::TOO_MANY_REQUESTS, &body);
    answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds.max(1)));
    answer
}

/// The path is known, the method is not its.
#[must_use]
pub fn method_not_allowed(allow: &'static str) -> Answer {
    let mut answer = text(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed");
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static(allow));
    answer
}

/// A stream of server-sent events: what goes into the sender goes out; dropping it ends the answer. A send
/// fails when the client is gone.
#[must_use]
pub fn events() -> (mpsc::Sender<Bytes>, Answer) {
    let (sender, mut receiver) = mpsc::channel(EVENTS_AHEAD);
    let frames = stream::poll_fn(move |cx| receiver.poll_recv(cx))
        .map(|bytes| Ok::<_, Infallible>(Frame::data(bytes)));
    let mut answer = empty(StatusCode::OK);
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    *answer.body_mut() = StreamBody::new(frames).boxed_unsync();
    (sender, answer)
}

/// What somebody reads who may not do it.
#[must_use]
pub fn missing_scope(scope: &str) -> Answer {
    let details = json!({"code": "MISSING_SCOPE", "missingScope": scope, "requiredScopes": [scope]});
    let error =
        json!({"type": "forbidden", "message": format!("missing scope: {scope}"), "details": details});
    json_answer(StatusCode::FORBIDDEN, &json!({"ok": false, "error": error}))
}
