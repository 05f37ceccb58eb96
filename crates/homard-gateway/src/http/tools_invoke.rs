//! `POST /tools/invoke`: one tool, called over HTTP.

use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt;
use homard_config::config::gateway::HttpTools;
use homard_protocol::methods::tools::invoke::ToolsInvoke;
use homard_protocol::{AgentId, Scope, SessionKey};
use homard_relay::{Invocation, Invoked, WhenAsked};
use homard_tools::canonical_name;
use http::{Method, StatusCode};
use serde_json::{Map, Value, json};

use super::auth;
use super::routes::{RouteCx, RouteEntry, RouteGuard, RouteMethods};
use crate::approvals::DECIDERS;
use crate::gateway::Gateway;
use crate::replay::{KeptAnswer, Turn, wait};
use crate::tool_answer::{tool_output, tool_words};
use homard_http::answers::{Answer, json_answer, method_not_allowed};
use homard_http::body;

/// The path.
const PATH: &str = "/tools/invoke";
/// Largest request, in bytes.
const MAX_BODY: usize = 2 * 1024 * 1024;
/// Longest name of a call, in characters.
const MAX_KEY: usize = 256;

/// Tools that programs call.
pub(super) const ENTRY: RouteEntry = RouteEntry {
    reserved: &["/tools/"],
    methods: RouteMethods::Own,
    guard: RouteGuard::Guarded,
    owns: |_known, path| path == PATH,
    answer: |cx| answer(cx).boxed(),
};

/// Answers a call.
async fn answer(RouteCx { gateway, request, peer }: RouteCx<'_>) -> Answer {
    if *request.method() != Method::POST {
        return method_not_allowed("POST");
    }
    let sender = match auth::check(gateway, request.headers(), peer, auth::scope_of::<ToolsInvoke>()) {
        Ok(sender) => sender,
        Err(refused) => return *refused,
    };
    let bytes = match body::read(request.into_body(), MAX_BODY).await {
        Ok(bytes) => bytes,
        Err(error) => return error.answer(),
    };
    let asked = match Asked::read(&bytes) {
        Ok(asked) => asked,
        Err(wrong) => return refused(StatusCode::BAD_REQUEST, "invalid_request", &wrong),
    };
    let config = gateway.config().current();
    let agent = config.agents.default_agent().id.clone();
    let key = match asked.session(&agent) {
        Ok(key) => key,
        Err(wrong) => return refused(StatusCode::BAD_REQUEST, "invalid_request", &wrong),
    };
    if key.agent_id().is_some_and(|id| config.agents.agent(id).is_none()) {
        return refused(StatusCode::BAD_REQUEST, "invalid_request", "unknown agent id");
    }
    if is_denied(&config.gateway.tools, &asked.tool) {
        return not_available(&asked.tool);
    }
    // Somebody must be there to be asked; otherwise the caller learns at once that a yes is needed.
    let heard = gateway.connections().clients.someone_hears(DECIDERS, None);
    let when_asked = if heard { WhenAsked::Ask } else { WhenAsked::Report };
    let call = Invocation {
        session_key: key,
        tool: asked.tool.clone(),
        arguments: Value::Object(asked.arguments),
        action: asked.action,
        call_id: None,
        when_asked,
        is_admin: sender.scopes.grants(Scope::Admin),
    };
    let (status, body) = once(gateway, asked.key, call).await;
    json_answer(status, &body)
}

/// What a request asks for.
struct Asked {
    tool: String,
    arguments: Map<String, Value>,
    action: Option<String>,
    session: Option<String>,
    agent: Option<String>,
    key: Option<String>,
}

impl Asked {
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let Ok(Value::Object(mut fields)) = serde_json::from_slice(bytes) else {
            return Err("the body must be a JSON object".to_owned());
        };
        let mut text = |field: &str| match fields.remove(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty())),
            Some(_other) => Err(format!("`{field}` must be a string")),
        };
        let (name, tool) = (text("name")?, text("tool")?);
        let tool = name.or(tool).ok_or("the body must name a `tool`")?;
        let (action, session, agent) = (text("action")?, text("sessionKey")?, text("agentId")?);
        let key = text("idempotencyKey")?;
        if key.as_ref().is_some_and(|key| key.chars().count() > MAX_KEY) {
            return Err(format!("`idempotencyKey` is longer than {MAX_KEY} characters"));
        }
        let arguments = match fields.remove("args") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(arguments)) => arguments,
            Some(_other) => return Err("`args` must be an object".to_owned()),
        };
        Ok(Self { tool, arguments, action, session, agent, key })
    }

    fn session(&self, default: &AgentId) -> Result<SessionKey, String> {
        let agent = match &self.agent {
            Some(agent) => AgentId::parse(agent).map_err(|wrong| wrong.to_string())?,
            None => default.clone(),
        };
        let key = self.session.as_deref().unwrap_or("main");
        SessionKey::parse_for(key, &agent).map_err(|wrong| wrong.to_string())
    }
}

/// Whether a tool is not for HTTP.
fn is_denied(rules: &HttpTools, tool: &str) -> bool {
    let name = canonical_name(tool);
    let lists =
        |list: &[String]| list.iter().any(|entry| entry.trim() == "*" || canonical_name(entry) == name);
    lists(&rules.deny) || (HttpTools::CLOSED.contains(&name.as_str()) && !lists(&rules.allow))
}

/// Makes a call, once for every key. A caller who leaves stops a call that nobody else waits for, in order.
async fn once(gateway: &Arc<Gateway>, key: Option<String>, call: Invocation) -> KeptAnswer {
    let stopped = || failure(StatusCode::SERVICE_UNAVAILABLE, "unavailable", "the gateway is stopping");
    let key = key.map(|key| format!("{}\n{}\n{key}", call.session_key, call.tool));
    let turn = match &key {
        Some(key) => gateway.http().tool_calls.enter(key, Instant::now()),
        None => Turn::First(tokio::sync::watch::Sender::new(None)),
    };
    let sender = match turn {
        Turn::Again(coming) => return wait(coming).await.unwrap_or_else(stopped),
        Turn::First(sender) => sender,
    };
    let coming = sender.subscribe();
    let cancel = gateway.lifecycle().tasks.token().child_token();
    let leaving = key.is_none().then(|| cancel.clone().drop_guard());
    let relay = gateway.relay().clone();
    gateway.lifecycle().tasks.spawn(async move {
        let tool = call.tool.clone();
        let said = match relay.setup().invoke(call, cancel).await {
            Ok(invoked) => told(&tool, invoked),
            Err(error) => {
                tracing::error!(%error, "a tool could not be called over HTTP");
                failure(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "internal_error",
                    "the conversation could not be read",
                )
            }
        };
        sender.send_replace(Some(said));
    });
    let said = wait(coming).await.unwrap_or_else(stopped);
    drop(leaving);
    said
}

fn told(tool: &str, invoked: Invoked) -> KeptAnswer {
    match invoked {
        Invoked::Ran(outcome) if !outcome.is_error => {
            (StatusCode::OK, json!({"ok": true, "result": tool_output(&outcome)}))
        }
        Invoked::Ran(outcome) => failure(StatusCode::BAD_REQUEST, "tool_error", &tool_words(&outcome)),
        Invoked::NotOffered => {
            failure(StatusCode::NOT_FOUND, "not_found", &format!("Tool not available: {tool}"))
        }
        Invoked::NotAllowed(why) => {
            let error = json!({"type": "forbidden", "message": why, "requiresApproval": true});
            (StatusCode::FORBIDDEN, json!({"ok": false, "error": error}))
        }
        Invoked::TimedOut => {
            failure(StatusCode::REQUEST_TIMEOUT, "timeout", "the tool took too long and was stopped")
        }
    }
}

fn failure(status: StatusCode, kind: &str, message: &str) -> KeptAnswer {
    (status, json!({"ok": false, "error": {"type": kind, "message": message}}))
}

fn refused(status: StatusCode, kind: &str, message: &str) -> Answer {
    let (status, body) = failure(status, kind, message);
    json_answer(status, &body)
}

fn not_available(tool: &str) -> Answer {
    refused(StatusCode::NOT_FOUND, "not_found", &format!("Tool not available: {tool}"))
}

#[cfg(test)]
mod tests;
