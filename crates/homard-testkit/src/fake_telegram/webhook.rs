//! Updates that are brought instead of fetched.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use http::{Request, header};
use http_body_util::Full;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::body::Asked;
use super::desk::{Shared, State};
use super::refusal::Refusal;

/// How long an update that was not taken waits before it is brought again. The real server waits longer.
const AGAIN: Duration = Duration::from_millis(50);
/// How long the other side may take.
const PATIENCE: Duration = Duration::from_secs(60);
const SECRET_HEADER: &str = "x-telegram-bot-api-secret-token";

/// Where updates are brought.
#[derive(Debug, Clone)]
pub(super) struct Webhook {
    pub(super) url: String,
    secret: Option<String>,
    last_error: Option<(i64, String)>,
}

/// `setWebhook`.
pub(super) fn set(state: &mut State, asked: &Asked) -> Result<Value, Refusal> {
    let text = |name: &str| asked.params.get(name).and_then(Value::as_str);
    let url = text("url").unwrap_or_default();
    if asked.params.get("drop_pending_updates") == Some(&Value::Bool(true)) {
        state.updates.clear();
    }
    if let Some(allowed) = asked.params.get("allowed_updates").and_then(Value::as_array) {
        state.allowed = Some(allowed.iter().filter_map(Value::as_str).map(str::to_owned).collect());
    }
    if url.is_empty() {
        state.webhook = None;
        return Ok(Value::Bool(true));
    }
    let parsed = Url::parse(url).or(Err(Refusal::bad("bad webhook: invalid URL")))?;
    let is_local = parsed.host_str() == Some("127.0.0.1");
    if parsed.scheme() != "https" && !is_local {
        return Err(Refusal::bad("bad webhook: HTTPS url must be provided for webhook"));
    }
    let secret = text("secret_token");
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if secret.is_some_and(|secret| secret.is_empty() || secret.len() > 256 || !secret.chars().all(fits)) {
        return Err(Refusal::bad("secret token contains unallowed characters"));
    }
    state.webhook =
        Some(Webhook { url: url.to_owned(), secret: secret.map(str::to_owned), last_error: None });
    Ok(Value::Bool(true))
}

/// `deleteWebhook`.
pub(super) fn delete(state: &mut State, asked: &Asked) -> Value {
    if asked.params.get("drop_pending_updates") == Some(&Value::Bool(true)) {
        state.updates.clear();
    }
    state.webhook = None;
    Value::Bool(true)
}

/// `getWebhookInfo`.
pub(super) fn info(state: &State) -> Value {
    let mut info = json!({
        "url": state.webhook.as_ref().map_or("", |webhook| webhook.url.as_str()),
        "has_custom_certificate": false,
        "pending_update_count": state.updates.len(),
    });
    let last_error = state.webhook.as_ref().and_then(|webhook| webhook.last_error.clone());
    if let (Some((date, message)), Some(map)) = (last_error, info.as_object_mut()) {
        map.insert("last_error_date".to_owned(), date.into());
        map.insert("last_error_message".to_owned(), message.into());
    }
    info
}

/// Brings updates, one after the other, for as long as there is an address.
pub(super) async fn bring(shared: Arc<Shared>, cancel: CancellationToken) {
    let mut tally = shared.tally();
    loop {
        tally.mark_unchanged();
        let next = {
            let state = shared.state();
            state.webhook.clone().zip(state.updates.front().cloned())
        };
        let Some((webhook, (number, update))) = next else {
            tokio::select! {
                changed = tally.changed() => if changed.is_err() { return },
                () = cancel.cancelled() => return,
            }
            continue;
        };
        let brought = tokio::select! {
            brought = tokio::time::timeout(PATIENCE, post(&webhook, &update)) => brought.unwrap_or_else(|late| Err(late.into())),
            () = cancel.cancelled() => return,
        };
        if !settle(&shared, number, brought) {
            tokio::time::sleep(AGAIN).await;
        }
    }
}

/// Notes whether an update was taken.
fn settle(shared: &Shared, number: i64, brought: Result<()>) -> bool {
    let now = shared.now();
    let mut state = shared.state();
    let is_taken = brought.is_ok();
    match brought {
        Ok(()) => state.updates.retain(|(known, _)| *known != number),
        Err(error) => {
            if let Some(webhook) = &mut state.webhook {
                webhook.last_error = Some((now, error.to_string()));
            }
        }
    }
    let waiting = state.updates.len();
    drop(state);
    shared.count(|tally| tally.waiting = waiting);
    is_taken
}

async fn post(webhook: &Webhook, update: &Value) -> Result<()> {
    let url = Url::parse(&webhook.url)?;
    let (host, port) = (url.host_str().context("no host")?, url.port_or_known_default().context("no port")?);
    let stream = TcpStream::connect((host, port)).await?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    let mut request = Request::post(url.path())
        .header(header::HOST, format!("{host}:{port}"))
        .header(header::CONTENT_TYPE, "application/json");
    if let Some(secret) = &webhook.secret {
        request = request.header(SECRET_HEADER, secret);
    }
    let request = request.body(Full::new(bytes::Bytes::from(update.to_string())))?;
    let answered = async move {
        let status = sender.send_request(request).await?.status();
        if !status.is_success() {
            bail!("Wrong response from the webhook: {status}");
        }
        Ok(())
    };
    // The connection ends once `answered` has let go of its sender.
    let (answered, _ended) = tokio::join!(answered, connection);
    answered
}
