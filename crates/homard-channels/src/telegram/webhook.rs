//! Hearing by being told: the server brings updates to the gateway's port, and to a small listener of ours if there is
//! to be one.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use homard_channel::{
    BoxFuture, ChannelError, InboundEvent, Inbox, IngressHandler, IngressLimits, IngressMount, Mounted,
};
use homard_config::Secret;
use homard_http::answers::{self, Answer};
use homard_http::body;
use homard_runtime::{OrCancel as _, OrLog as _};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::Value;
use subtle::ConstantTimeEq as _;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::poll::{ALLOWED, introduce, pause, pauses};
use super::receiver::UpdateReceiver;
use super::settings::Webhook;
use super::wire::Params;
use super::{Telegram, menu};

/// Where a load balancer may ask whether we are there.
pub(super) const HEALTH_PATH: &str = "/healthz";
const SECRET_HEADER: &str = "x-telegram-bot-api-secret-token";
/// Largest update.
const MAX_BODY: usize = 1024 * 1024;
/// How long one may take to arrive and be kept; then the server brings it again.
const PATIENCE: Duration = Duration::from_secs(10);
/// Updates between the listener and the inbox; when as many wait, the server waits too.
const WAITING: usize = 64;
/// Connections to the listener of its own at a time; the server uses 40 at the most.
const MAX_CONNECTIONS: usize = 128;
/// After a connection could not be taken: what is missing then (open files) is not there a moment later either.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);
/// How often the server is asked whether it still knows our address: what tells quiet from dead.
const CHECK_EVERY: Duration = Duration::from_secs(60);

/// An update, and where to say that it is kept.
type WebhookUpdate = (Value, oneshot::Sender<()>);

struct WebhookState {
    secret: Secret,
    inner: mpsc::Sender<WebhookUpdate>,
}

impl IngressHandler for WebhookState {
    fn admits(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(SECRET_HEADER).map(HeaderValue::as_bytes).unwrap_or_default();
        bool::from(given.ct_eq(self.secret.expose().as_bytes()))
    }

    fn answer(&self, body: Bytes) -> BoxFuture<'_, StatusCode> {
        Box::pin(self.accept(body))
    }
}

/// Hears until cancelled or refused.
pub(super) async fn listen(
    telegram: &Telegram,
    webhook: &Webhook,
    inbox: Inbox,
    cancel: CancellationToken,
) -> Result<(), ChannelError> {
    let ear = UpdateReceiver::new(telegram, inbox, &cancel);
    let Some(()) = introduce(telegram, &ear, &cancel).await? else { return Ok(()) };
    let (inner, brought) = mpsc::channel(WAITING);
    let state = Arc::new(WebhookState { secret: webhook.secret.clone(), inner });
    let _mounted = mount(telegram, webhook, &state)?;
    let listener = bind(webhook).await?;
    if listener.is_none() {
        tracing::info!(
            account = %telegram.account, path = webhook.path,
            "updates are taken at the gateway's port; for a proxy that leads elsewhere, write webhookPort"
        );
    }
    let ended = tokio::select! {
        served = serve(listener, webhook, state) => served,
        () = hand_over(&ear, brought) => Ok(()),
        kept = keep_address(telegram, webhook, &ear, &cancel) => kept,
        () = cancel.cancelled() => Ok(()),
    };
    ear.finish().await;
    ended
}

/// Takes updates at the gateway's port. An account with a listener of its own does without where another one has its
/// path.
fn mount(
    telegram: &Telegram,
    webhook: &Webhook,
    state: &Arc<WebhookState>,
) -> Result<Option<Mounted>, ChannelError> {
    let limits = IngressLimits { method: Method::POST, max_body: MAX_BODY, time: PATIENCE };
    let mount = IngressMount { limits, handler: Arc::clone(state) as Arc<dyn IngressHandler> };
    match telegram.ingress.mount(&webhook.path, mount) {
        Ok(mounted) => Ok(Some(mounted)),
        Err(taken) if webhook.listener.is_some() => {
            tracing::info!(account = %telegram.account, %taken, "updates come by the listener of their own alone");
            Ok(None)
        }
        Err(taken) => Err(ChannelError::Unreachable(format!("{taken}; give this one a webhookPath"))),
    }
}

async fn bind(webhook: &Webhook) -> Result<Option<TcpListener>, ChannelError> {
    let Some((host, port)) = &webhook.listener else { return Ok(None) };
    let bound = TcpListener::bind((host.as_str(), *port)).await;
    let unreachable =
        |error| ChannelError::Unreachable(format!("the webhook cannot listen on {host}:{port}: {error}"));
    bound.map(Some).map_err(unreachable)
}

/// Serves the listener of its own; without one, nothing ends it. Connections end with it.
async fn serve(
    listener: Option<TcpListener>,
    webhook: &Webhook,
    state: Arc<WebhookState>,
) -> Result<(), ChannelError> {
    let Some(listener) = listener else { return std::future::pending().await };
    let path: Arc<str> = Arc::from(webhook.path.as_str());
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        if connections.len() >= MAX_CONNECTIONS {
            // One that is over makes room for the next.
            connections.join_next().await;
        }
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "the webhook's listener could not take a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let (path, state) = (Arc::clone(&path), Arc::clone(&state));
        let service = service_fn(move |request| {
            let (path, state) = (Arc::clone(&path), Arc::clone(&state));
            async move { Ok::<_, std::convert::Infallible>(answer(&path, &state, request).await) }
        });
        connections.spawn(async move {
            let served = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(PATIENCE)
                .serve_connection(TokioIo::new(stream), service);
            if let Err(error) = served.await {
                tracing::debug!(%error, "a connection to the webhook's listener broke off");
            }
        });
    }
}

/// Gives the server our address and looks after it.
async fn keep_address(
    telegram: &Telegram,
    webhook: &Webhook,
    ear: &UpdateReceiver<'_>,
    cancel: &CancellationToken,
) -> Result<(), ChannelError> {
    let params = Params::new()
        .with("url", webhook.public.as_str())
        .with("secret_token", webhook.secret.expose())
        .with("allowed_updates", ALLOWED.to_vec());
    let mut backoff = pauses();
    while let Err(error) = telegram.api.call("setWebhook", &params).await {
        if pause(telegram, error, &mut backoff, cancel).await?.is_none() {
            return Ok(());
        }
    }
    ear.inbox().alive();
    menu::publish(telegram).await;
    while tokio::time::sleep(CHECK_EVERY).or_cancel(cancel).await.is_ok() {
        let Some(info) = telegram
            .api
            .call("getWebhookInfo", &serde_json::json!({}))
            .await
            .or_log("Telegram's webhook could not be checked")
        else {
            continue;
        };
        ear.inbox().alive();
        if info.get("url").and_then(Value::as_str) != Some(webhook.public.as_str()) {
            tracing::warn!(account = %telegram.account, "somebody changed this bot's webhook; it is set again");
            telegram.api.call("setWebhook", &params).await.or_log("the webhook could not be set again");
        }
    }
    Ok(())
}

/// One task understands, so that pieces of a text are seen in their order; returns when nobody takes any more.
async fn hand_over(ear: &UpdateReceiver<'_>, mut brought: mpsc::Receiver<WebhookUpdate>) {
    while let Some((update, kept)) = brought.recv().await {
        let heard: Vec<InboundEvent> = ear.understand(&update);
        if ear.keep(heard).await.is_err() {
            return;
        }
        // Whoever brought it may be gone; then it comes again and is known.
        kept.send(()).ok();
    }
}

/// Answers one request of the listener of its own.
async fn answer(path: &str, state: &WebhookState, request: Request<Incoming>) -> Answer {
    let (head, body) = request.into_parts();
    let status = match (head.uri.path(), &head.method) {
        (HEALTH_PATH, &Method::GET | &Method::HEAD) => return answers::text(StatusCode::OK, "ok"),
        (asked, &Method::POST) if asked == path => {
            let taken = receive(state, &head.headers, body);
            tokio::time::timeout(PATIENCE, taken).await.unwrap_or(StatusCode::SERVICE_UNAVAILABLE)
        }
        (asked, _) if asked == path || asked == HEALTH_PATH => StatusCode::METHOD_NOT_ALLOWED,
        _ => StatusCode::NOT_FOUND,
    };
    answers::empty(status)
}

async fn receive(state: &WebhookState, headers: &HeaderMap, body: Incoming) -> StatusCode {
    if !state.admits(headers) {
        return StatusCode::UNAUTHORIZED;
    }
    match body::read(body, MAX_BODY).await {
        Ok(bytes) => state.accept(bytes).await,
        Err(error) => error.status(),
    }
}

impl WebhookState {
    /// Takes one update and waits until it is kept.
    async fn accept(&self, body: Bytes) -> StatusCode {
        let Ok(update) = serde_json::from_slice::<Value>(&body) else {
            tracing::warn!("what came to Telegram's webhook is not readable and is skipped");
            // Anything else would bring it again, forever.
            return StatusCode::OK;
        };
        let (kept, is_kept) = oneshot::channel();
        if self.inner.send((update, kept)).await.is_err() {
            return StatusCode::SERVICE_UNAVAILABLE;
        }
        match is_kept.await {
            Ok(()) => StatusCode::OK,
            Err(_closed) => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}
