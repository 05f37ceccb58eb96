//! Hooks over HTTP: who may call, what is read of a call, and what is answered. What a call does is in `run`.

mod run;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use homard_automation::hooks::transform;
use homard_automation::hooks::webhooks::call::{AgentCall, HookCall, WakeCall, check_key};
use homard_automation::hooks::webhooks::template::TemplateValues;
use homard_automation::hooks::webhooks::{WebhookError, mapped};
use homard_config::Config;
use homard_config::config::hooks::{HookTransform, Hooks};
use homard_runtime::CollectOrdered as _;
use http::header::{HeaderValue, RETRY_AFTER};
use http::{HeaderMap, Method, Request, StatusCode};
use hyper::body::Incoming;
use serde_json::{Map, Value, json};
use subtle::ConstantTimeEq;

use super::auth;
use super::routes::{RouteCx, RouteEntry, RouteGuard, RouteMethods};
use crate::access::origin::Peer;
use crate::gateway::Gateway;
use crate::replay::{KeptAnswer, Turn, wait};
use homard_http::answers::{Answer, empty, json_answer, method_not_allowed, text};
use homard_http::body;

/// Largest call that carries letters, in bytes.
const MAIL_BODY: usize = 4 * 1024 * 1024;
/// Headers that prove who calls; templates never see them.
const PROOFS: [&str; 5] =
    ["authorization", "cookie", "proxy-authorization", "x-openclaw-token", "x-homard-token"];
/// Headers that name a call.
const KEY_HEADERS: [&str; 2] = ["idempotency-key", "x-openclaw-idempotency-key"];

/// The path of the call that gives an agent something to do.
const AGENT: &str = "agent";
/// How long it may take to find out what a call asks for, all of the owner's programs that rewrite it included.
const MEANT_WITHIN: Duration = Duration::from_secs(30);
/// What is said to whoever calls too late.
const STOPPING: &str = "the gateway is stopping";

/// Hooks.
pub(super) const ENTRY: RouteEntry = RouteEntry {
    reserved: &[],
    methods: RouteMethods::Own,
    guard: RouteGuard::Guarded,
    owns: |known, path| owned(known.config, path).is_some(),
    answer: |cx| answer(cx).boxed(),
};

/// Whether `path` is a hook's; the rest of it, if so.
fn owned<'p>(config: &Config, path: &'p str) -> Option<&'p str> {
    let hooks = Some(&config.hooks).filter(|hooks| hooks.enabled && hooks.token.is_some())?;
    let rest = path.strip_prefix(hooks.path.as_str())?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
}

/// Answers a call.
async fn answer(RouteCx { gateway, request, peer }: RouteCx<'_>) -> Answer {
    let config = gateway.config().current();
    let query = query(&request);
    if query.contains_key("token") {
        return text(
            StatusCode::BAD_REQUEST,
            "The token does not belong in the address: send it as `Authorization: Bearer` or `X-OpenClaw-Token`.",
        );
    }
    if *request.method() != Method::POST {
        return method_not_allowed("POST");
    }
    if let Err(refused) = check(gateway, &config.hooks, request.headers(), peer) {
        return *refused;
    }
    let path = owned(&config, request.uri().path()).unwrap_or_default().trim_matches('/').to_owned();
    if path.is_empty() {
        return text(StatusCode::NOT_FOUND, "Not Found");
    }
    let limit = body_limit(&config.hooks, &path);
    let (parts, incoming) = request.into_parts();
    let bytes = match body::read(incoming, limit).await {
        Ok(bytes) => bytes,
        Err(error) => return refused(&json!(error.to_string()), error.status()),
    };
    let payload = match read(&bytes) {
        Ok(payload) => payload,
        Err(error) => return refused(&json!(error.to_string()), status_of(&error)),
    };
    let call = HookRequest { path, headers: parts.headers, query, payload: Value::Object(payload) };
    let key = match call.key() {
        Ok(key) => key,
        Err(error) => return refused(&json!(error.to_string()), status_of(&error)),
    };
    let working = Arc::clone(gateway);
    match once(gateway, key, async move { call.comes_to(&working).await }).await {
        Some((StatusCode::NOT_FOUND, Value::Null)) => text(StatusCode::NOT_FOUND, "Not Found"),
        Some((status, Value::Null)) => empty(status),
        Some((status, body)) => json_answer(status, &body),
        None => refused(&json!(STOPPING), StatusCode::SERVICE_UNAVAILABLE),
    }
}

/// A call as it came in.
struct HookRequest {
    path: String,
    headers: HeaderMap,
    query: BTreeMap<String, String>,
    payload: Value,
}

/// What a call comes to.
struct HookIntent {
    /// The hook that was called, as budgets and the log name it.
    hook: String,
    /// Nothing when there is nothing to do.
    calls: Vec<HookCall>,
}

impl HookRequest {
    /// Finds out what it asks for, and does it.
    async fn comes_to(&self, gateway: &Arc<Gateway>) -> KeptAnswer {
        let config = gateway.config().current();
        match in_time(self.meant(gateway, &config)).await {
            Ok(None) => (StatusCode::NOT_FOUND, Value::Null),
            Ok(Some(HookIntent { calls, .. })) if calls.is_empty() => (StatusCode::NO_CONTENT, Value::Null),
            Ok(Some(HookIntent { hook, calls })) => {
                let key = self.key_of_its_own(&calls);
                let working = Arc::clone(gateway);
                let said = once(gateway, key, async move { run::all(&working, &hook, calls).await });
                said.await.unwrap_or_else(|| said_of(&WebhookError::Busy(STOPPING.to_owned())))
            }
            Err(error) => {
                tracing::info!(path = self.path, %error, "a hook was not done");
                said_of(&error)
            }
        }
    }

    /// What it asks for; `None` when nobody takes it.
    async fn meant(&self, gateway: &Gateway, config: &Config) -> Result<Option<HookIntent>, WebhookError> {
        let nothing = Map::new();
        let fields = self.payload.as_object().unwrap_or(&nothing);
        let known = match self.path.as_str() {
            "wake" => Some(HookCall::Wake(WakeCall::read(fields)?)),
            AGENT => Some(HookCall::Agent(Box::new(AgentCall::read(fields)?))),
            _named => None,
        };
        if let Some(call) = known {
            return Ok(Some(HookIntent { hook: self.path.clone(), calls: vec![call] }));
        }
        let Some(mapping) = mapped::find(&config.hooks.mappings, &self.path, &self.payload) else {
            return Ok(None);
        };
        let headers = self.plain_headers();
        let now = gateway.clock().now_rfc3339();
        let given = TemplateValues {
            payload: &self.payload,
            headers: &headers,
            query: &self.query,
            path: &self.path,
            now: &now,
            item: None,
        };
        let rewrite = move |program: HookTransform, told: Value| {
            let asked =
                async move { Ok(transform(gateway.automation(), &mapping.id, &program, &told).await?) };
            asked.boxed()
        };
        let calls = mapped::calls(mapping, &given, &rewrite).await?;
        Ok(Some(HookIntent { hook: mapping.account().to_owned(), calls }))
    }

    fn plain_headers(&self) -> BTreeMap<String, String> {
        let plain = self.headers.iter().filter(|(name, _)| !PROOFS.contains(&name.as_str()));
        plain
            .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())))
            .collect_map()
    }

    /// The name the caller gave the call, so that repeating it does nothing, not even ask a program of the owner.
    fn key(&self) -> Result<Option<String>, WebhookError> {
        let in_body = self.payload.get("idempotencyKey").and_then(Value::as_str);
        let in_body = in_body.map(str::trim).filter(|key| !key.is_empty() && self.path == AGENT);
        let key = self.key_in_header().or(in_body);
        check_key(key)?;
        Ok(key.map(|key| self.named(key)))
    }

    fn key_in_header(&self) -> Option<&str> {
        let header = |name: &&str| self.headers.get(*name).and_then(|value| value.to_str().ok());
        KEY_HEADERS.iter().find_map(header).map(str::trim).filter(|key| !key.is_empty())
    }

    /// The name a program of the owner gave what it made of the call, where the caller gave none.
    fn key_of_its_own(&self, meant: &[HookCall]) -> Option<String> {
        match meant {
            [HookCall::Agent(call)] if self.path != AGENT && self.key_in_header().is_none() => {
                call.idempotency_key.as_deref().map(|key| self.named(key))
            }
            _ => None,
        }
    }

    fn named(&self, key: &str) -> String {
        format!("{}\n{key}", self.path)
    }
}

/// Nobody is kept waiting for programs of the owner that are slow one after the other.
async fn in_time<T>(meant: impl Future<Output = Result<T, WebhookError>>) -> Result<T, WebhookError> {
    let late = |_elapsed| {
        WebhookError::Late(format!(
            "what rewrites the call took longer than {} s in all; send fewer items at once",
            MEANT_WITHIN.as_secs()
        ))
    };
    tokio::time::timeout(MEANT_WITHIN, meant).await.map_err(late).flatten()
}

/// Does some work, once for every key; `None` when whoever does it is gone. It goes on when the caller leaves.
async fn once(
    gateway: &Arc<Gateway>,
    key: Option<String>,
    work: impl Future<Output = KeptAnswer> + Send + 'static,
) -> Option<KeptAnswer> {
    let turn = match &key {
        Some(key) => gateway.http().hook_calls.enter(key, Instant::now()),
        None => Turn::First(tokio::sync::watch::Sender::new(None)),
    };
    let coming = match turn {
        Turn::Again(coming) => coming,
        Turn::First(sender) => {
            let coming = sender.subscribe();
            gateway.lifecycle().tasks.spawn(async move {
                sender.send_replace(Some(work.await));
            });
            coming
        }
    };
    wait(coming).await
}

/// Asks for the hooks' own token; wrong ones are counted against whom they come from.
fn check(gateway: &Gateway, hooks: &Hooks, headers: &HeaderMap, peer: &Peer) -> Result<(), Box<Answer>> {
    let who = peer.source.to_string();
    if let Some(left) = gateway.http().hooks_shut_for(&who) {
        let mut answer = text(StatusCode::TOO_MANY_REQUESTS, "Too Many Requests");
        answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from(left.as_secs().max(1)));
        return Err(Box::new(answer));
    }
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let sent = auth::bearer(headers).or_else(|| header("x-openclaw-token")).unwrap_or_default();
    let wanted = hooks.token.as_ref().map(|token| token.expose().as_bytes()).unwrap_or_default();
    let is_right = !wanted.is_empty() && bool::from(sent.as_bytes().ct_eq(wanted));
    if is_right {
        return Ok(());
    }
    gateway.http().wrong_hook_token(&who);
    if gateway.access().noise.allows("hook without the right token") {
        tracing::warn!(ip = %peer.ip, "a hook was called without the right token");
    }
    Err(Box::new(text(StatusCode::UNAUTHORIZED, "Unauthorized")))
}

fn body_limit(hooks: &Hooks, path: &str) -> usize {
    let is_mail =
        hooks.mappings.iter().any(|mapping| mapping.is_mail() && mapping.path.as_deref() == Some(path));
    if is_mail { hooks.max_body.max(MAIL_BODY) } else { hooks.max_body }
}

/// A body: an object, or nothing at all.
fn read(bytes: &[u8]) -> Result<Map<String, Value>, WebhookError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Map::new());
    }
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_other) => Err(WebhookError::Invalid("the body must be a JSON object".to_owned())),
        Err(_broken) => Err(WebhookError::Invalid("the body is not valid JSON".to_owned())),
    }
}

fn query(request: &Request<Incoming>) -> BTreeMap<String, String> {
    let query = request.uri().query().unwrap_or_default();
    url::form_urlencoded::parse(query.as_bytes()).into_owned().collect_map()
}

fn refused(error: &Value, status: StatusCode) -> Answer {
    json_answer(status, &json!({"ok": false, "error": error}))
}

/// The status that says why a call was not taken.
fn status_of(error: &WebhookError) -> StatusCode {
    match error {
        WebhookError::Invalid(_) | WebhookError::NotAllowed(_) => StatusCode::BAD_REQUEST,
        WebhookError::Transform(_) | WebhookError::Late(_) => StatusCode::INTERNAL_SERVER_ERROR,
        WebhookError::Busy(_) => StatusCode::SERVICE_UNAVAILABLE,
        WebhookError::Failed { .. } => StatusCode::BAD_GATEWAY,
    }
}

/// What a refusal says, for answers that are remembered.
fn said_of(error: &WebhookError) -> KeptAnswer {
    let mut body = json!({"ok": false, "error": error.to_string()});
    if let (WebhookError::Failed { run_id, .. }, Some(fields)) = (error, body.as_object_mut()) {
        fields.insert("runId".to_owned(), json!(run_id));
    }
    (status_of(error), body)
}

#[cfg(test)]
mod tests;
