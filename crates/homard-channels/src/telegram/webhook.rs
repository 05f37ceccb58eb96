//! Hearing by being told: the server brings updates to a small listener of ours.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use homard_channel::{ChannelError, InboundEvent, Inbox};
use homard_config::Secret;
use homard_runtime::{OrCancel as _, OrLog as _};
use serde_json::Value;
use subtle::ConstantTimeEq as _;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::poll::{ALLOWED, Backoff, introduce, pause};
use super::receiver::Ear;
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
/// How often the server is asked whether it still knows our address: what tells quiet from dead.
const CHECK_EVERY: Duration = Duration::from_secs(60);

/// An update, and where to say that it is kept.
type Brought = (Value, oneshot::Sender<()>);

#[derive(Clone)]
struct WebhookState {
    secret: Secret,
    inner: mpsc::Sender<Brought>,
}

/// Hears until cancelled or refused.
pub(super) async fn listen(
    telegram: &Telegram,
    webhook: &Webhook,
    inbox: Inbox,
    cancel: CancellationToken,
) -> Result<(), ChannelError> {
    let ear = Ear::new(telegram, inbox, &cancel);
    let Some(()) = introduce(telegram, &ear, &cancel).await? else { return Ok(()) };
    let bound = TcpListener::bind((webhook.host.as_str(), webhook.port)).await;
    let listener = bound.map_err(|error| {
        ChannelError::Unreachable(format!(
            "the webhook cannot listen on {}:{}: {error}",
            webhook.host, webhook.port
        ))
    })?;
    let (inner, brought) = mpsc::channel(WAITING);
    let door = WebhookState { secret: webhook.secret.clone(), inner };
    let app = Router::new()
        .route(HEALTH_PATH, get(|| async { "ok" }))
        .route(&webhook.path, post(receive))
        .with_state(Arc::new(door));
    let ended = tokio::select! {
        served = axum::serve(listener, app) => {
            served.map_err(|error| ChannelError::Unreachable(format!("the webhook's listener ended: {error}")))
        }
        () = hand_over(&ear, brought) => Ok(()),
        kept = keep_address(telegram, webhook, &ear, &cancel) => kept,
        () = cancel.cancelled() => Ok(()),
    };
    ear.finish().await;
    ended
}

/// Gives the server our address and looks after it.
async fn keep_address(
    telegram: &Telegram,
    webhook: &Webhook,
    ear: &Ear<'_>,
    cancel: &CancellationToken,
) -> Result<(), ChannelError> {
    let params = Params::new()
        .with("url", webhook.public.as_str())
        .with("secret_token", webhook.secret.expose())
        .with("allowed_updates", ALLOWED.to_vec());
    let mut backoff = Backoff::new();
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
async fn hand_over(ear: &Ear<'_>, mut brought: mpsc::Receiver<Brought>) {
    while let Some((update, kept)) = brought.recv().await {
        let heard: Vec<InboundEvent> = ear.understand(&update);
        if ear.keep(heard).await.is_err() {
            return;
        }
        // Whoever brought it may be gone; then it comes again and is known.
        kept.send(()).ok();
    }
}

async fn receive(State(door): State<Arc<WebhookState>>, request: Request) -> StatusCode {
    let (head, body) = request.into_parts();
    if !is_telegram(&head.headers, &door.secret) {
        return StatusCode::UNAUTHORIZED;
    }
    match tokio::time::timeout(PATIENCE, accept(&door, body)).await {
        Ok(status) => status,
        Err(_late) => StatusCode::SERVICE_UNAVAILABLE,
    }
}

async fn accept(door: &WebhookState, body: Body) -> StatusCode {
    let Ok(bytes) = to_bytes(body, MAX_BODY).await else { return StatusCode::PAYLOAD_TOO_LARGE };
    let Ok(update) = serde_json::from_slice::<Value>(&bytes) else {
        tracing::warn!("what came to Telegram's webhook is not readable and is skipped");
        // Anything else would bring it again, forever.
        return StatusCode::OK;
    };
    let (kept, is_kept) = oneshot::channel();
    if door.inner.send((update, kept)).await.is_err() {
        return StatusCode::SERVICE_UNAVAILABLE;
    }
    match is_kept.await {
        Ok(()) => StatusCode::OK,
        Err(_closed) => StatusCode::SERVICE_UNAVAILABLE,
    }
}

fn is_telegram(headers: &HeaderMap, secret: &Secret) -> bool {
    let given = headers.get(SECRET_HEADER).map(axum::http::HeaderValue::as_bytes).unwrap_or_default();
    bool::from(given.ct_eq(secret.expose().as_bytes()))
}
