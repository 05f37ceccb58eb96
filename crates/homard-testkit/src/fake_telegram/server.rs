//! The road of one request: who asks, what, what goes wrong, what is answered.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use homard_runtime::{OrLog as _, Tasks};
use http::{Request, Response, StatusCode, header};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use super::body::{self, Asked};
use super::desk::{Outcome, Sent, Shared};
use super::faults::Fault;
use super::refusal::Refusal;
use super::{grammar, methods, polling};

/// Calls that people see the effect of.
const SEEN: [&str; 9] = [
    "deleteMessage",
    "editMessageCaption",
    "editMessageReplyMarkup",
    "editMessageText",
    "pinChatMessage",
    "setMessageReaction",
    "unpinChatMessage",
    "createForumTopic",
    "editForumTopic",
];

/// Whether people see the effect of a method.
pub(super) fn is_seen(method: &str) -> bool {
    SEEN.contains(&method) || is_send(method)
}

fn is_send(method: &str) -> bool {
    method.starts_with("send") && method != "sendChatAction"
}

/// Accepts until cancelled.
pub(super) async fn serve(shared: Arc<Shared>, listener: TcpListener, tasks: Tasks) {
    let cancel = tasks.token().clone();
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(_) => continue,
            },
            () = cancel.cancelled() => return,
        };
        stream.set_nodelay(true).or_log("a socket without TCP_NODELAY answers late");
        let (shared, cancel) = (Arc::clone(&shared), cancel.clone());
        tasks.spawn(async move { connection(shared, stream, cancel).await });
    }
}

/// One connection; the token handed to each request cuts it without another word.
async fn connection(shared: Arc<Shared>, stream: TcpStream, cancel: CancellationToken) {
    let cut = shared.connection();
    let for_requests = cut.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        let (shared, cut) = (Arc::clone(&shared), for_requests.clone());
        async move { Ok::<_, Infallible>(handle(&shared, request, &cut).await) }
    });
    let served = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    tokio::select! {
        // A caller that hangs up is an ordinary end.
        _ended = served => {}
        () = cut.cancelled() => {}
        () = cancel.cancelled() => {}
    }
}

async fn handle(shared: &Shared, request: Request<Incoming>, cut: &CancellationToken) -> Response<Body> {
    let (head, incoming) = request.into_parts();
    let path = head.uri.path().to_owned();
    if let Some(rest) = path.strip_prefix("/file/bot") {
        return match rest.split_once('/') {
            Some((token, path)) if token == shared.token => download(shared, path),
            _ => refused(&Refusal::new(404, "Not Found")),
        };
    }
    let Some((token, method)) = path.strip_prefix("/bot").and_then(|rest| rest.split_once('/')) else {
        return refused(&Refusal::new(404, "Not Found"));
    };
    if token != shared.token {
        let looks_right = token.split_once(':').is_some_and(|(id, _)| id.parse::<u64>().is_ok());
        return refused(&if looks_right {
            Refusal::new(401, "Unauthorized")
        } else {
            Refusal::new(404, "Not Found")
        });
    }
    let Some(method) = grammar::method(method) else {
        return refused(&Refusal::new(404, "Not Found: method not found"));
    };
    let asked = match body::read(method, &head, Body::new(incoming)).await {
        Ok(asked) => asked,
        Err(refusal) => {
            let outcome = Outcome::Refused(refusal.code, refusal.description.clone());
            record(shared, method, Asked::default(), Done { outcome, message: None });
            return refused(&refusal);
        }
    };
    answer(shared, method, asked, cut).await
}

/// What a call came to.
struct Done {
    outcome: Outcome,
    message: Option<Value>,
}

async fn answer(
    shared: &Shared,
    method: &'static str,
    asked: Asked,
    cut: &CancellationToken,
) -> Response<Body> {
    let (fault, latency) = {
        let mut state = shared.state();
        let params = Value::Object(asked.params.clone());
        (state.faults.next(method, &params, is_send(method)), state.latency)
    };
    if !latency.is_zero() && method != "getUpdates" {
        tokio::time::sleep(latency).await;
    }
    let refusal = match &fault {
        Some(Fault::CutBefore | Fault::Hang) => {
            record(shared, method, asked, Done { outcome: Outcome::Lost, message: None });
            if fault == Some(Fault::CutBefore) {
                cut.cancel();
            }
            return std::future::pending().await;
        }
        Some(Fault::TooMany(seconds)) => Some(Refusal::wait(*seconds)),
        Some(Fault::Refuse(code, words)) => Some(Refusal::new(*code, words.clone())),
        Some(Fault::Answer(text)) => {
            record(shared, method, asked, Done { outcome: Outcome::Lost, message: None });
            return response(200, "application/json", Body::from(text.clone()));
        }
        Some(Fault::CutAfter | Fault::HangAfter) | None => None,
    };
    let done = match refusal {
        Some(refusal) => Err(refusal),
        None if method == "getUpdates" => {
            return polling::poll(shared, &asked).await.map_or_else(|r| refused(&r), |v| taken(&v));
        }
        None => methods::run(shared, method, &asked),
    };
    let outcome = match (&done, &fault) {
        (Err(refusal), _) => Outcome::Refused(refusal.code, refusal.description.clone()),
        (Ok(_), Some(Fault::CutAfter | Fault::HangAfter)) => Outcome::TakenUnheard,
        (Ok(_), _) => Outcome::Taken,
    };
    let unheard = outcome == Outcome::TakenUnheard;
    record(shared, method, asked, Done { outcome, message: done.as_ref().ok().cloned() });
    if unheard {
        if fault == Some(Fault::CutAfter) {
            cut.cancel();
        }
        return std::future::pending().await;
    }
    done.map_or_else(|refusal| refused(&refusal), |value| taken(&value))
}

fn record(shared: &Shared, method: &'static str, asked: Asked, done: Done) {
    if method == "getUpdates" {
        return;
    }
    let message = done.message.unwrap_or_default();
    let shown = message.get("text").or_else(|| message.get("caption")).and_then(Value::as_str);
    shared.record(Sent {
        method,
        params: Value::Object(asked.params),
        uploads: asked.uploads,
        outcome: done.outcome,
        message_id: message.get("message_id").and_then(Value::as_i64),
        shown: shown.map(str::to_owned),
        at: Instant::now(),
    });
}

fn download(shared: &Shared, path: &str) -> Response<Body> {
    let found = shared.state().files.values().find(|file| file.path == path).map(|file| file.bytes.clone());
    match found {
        Some(bytes) => response(200, "application/octet-stream", Body::from(bytes)),
        None => refused(&Refusal::new(404, "Not Found")),
    }
}

fn taken(result: &Value) -> Response<Body> {
    response(200, "application/json", Body::from(json!({"ok": true, "result": result}).to_string()))
}

/// The API's own refusals are JSON; what its web server says when the API is away is a page.
fn refused(refusal: &Refusal) -> Response<Body> {
    if refusal.code >= 500 {
        let page =
            format!("<html><head><title>{0} {1}</title></head></html>", refusal.code, refusal.description);
        return response(refusal.code, "text/html", Body::from(page));
    }
    response(refusal.code, "application/json", Body::from(refusal.document().to_string()))
}

fn response(status: u16, kind: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(kind));
    response
}
