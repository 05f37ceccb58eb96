//! `node.event`: what happens on nodes, and what follows from it here.
//!
//! A node whose commands nobody approved may say how it is; it starts no turns and hears no conversation. Words
//! that come from a node are labelled as such: whoever spoke into a microphone need not be the owner.

use std::time::Duration;

use homard_channel::Inbound;
use homard_protocol::methods::nodes::invoke::{NodeEventHeard, NodeEventParams};
use homard_protocol::{RunId, ThinkingLevel, TurnSource, Word};
use homard_relay::{InlineSettings, Queue, TurnOptions};
use homard_runtime::{Clip, millis};
use homard_tools::{Label, Source as Taint};
use serde::Deserialize;
use serde_json::Value;

use crate::error::RequestError;
use crate::methods::nodes::invoke::own_id;
use crate::methods::session_key;
use crate::table::Cx;

/// The same words from the same node within this time are said once.
const SAME_WORDS: Duration = Duration::from_millis(1_500);
/// Longest message a node may bring in, in characters.
const MAX_MESSAGE: usize = 20_000;
/// Why a node may say that it is awake.
const WAKE_REASONS: [&str; 6] =
    ["background", "silent_push", "bg_app_refresh", "significant_location", "manual", "connect"];

/// What followed, or why nothing does; both are words the wire knows.
type Outcome = Result<&'static str, &'static str>;

/// `node.event`.
pub(crate) async fn event(cx: Cx, params: NodeEventParams) -> Result<NodeEventHeard, RequestError> {
    let payload = match params.payload_json.as_deref() {
        Some(text) => serde_json::from_str(text).unwrap_or(Value::Null),
        None => params.payload.unwrap_or(Value::Null),
    };
    let client = cx.caller.client.as_ref();
    let outcome: Outcome = match params.event.as_str() {
        "voice.transcript" => transcript(&cx, payload).await?,
        "agent.request" => request(&cx, payload).await?,
        "chat.subscribe" => subscribe(&cx, payload, true).await?,
        "chat.unsubscribe" => subscribe(&cx, payload, false).await?,
        "node.presence.alive" => alive(&cx, &payload).await?,
        "node.presence.activity" => cx.gateway.nodes().used(client, &payload),
        "node.host.stats" => cx.gateway.nodes().machine(client, &payload).await,
        "exec.started" | "exec.finished" | "exec.denied" => Err("unmatched_exec_event"),
        _ => Err("unsupported_event"),
    };
    let (handled, reason) = match outcome {
        Ok(reason) => (true, reason),
        Err(reason) => (false, reason),
    };
    Ok(NodeEventHeard {
        ok: true,
        event: Some(params.event),
        handled: Some(handled),
        reason: Some(reason.to_owned()),
    })
}

/// Whether the owner said yes to anything this node offers.
async fn is_approved(cx: &Cx) -> Result<bool, RequestError> {
    let node = cx.gateway.store().nodes().get(&own_id(cx)?).await?;
    Ok(node.is_some_and(|node| node.approved.is_some())
        && cx.gateway.nodes().registry().is_current(cx.caller.client.as_ref()))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Transcript {
    text: String,
    session_key: Option<String>,
    event_id: Option<String>,
}

async fn transcript(cx: &Cx, payload: Value) -> Result<Outcome, RequestError> {
    let Ok(said) = homard_runtime::json::from_value::<Transcript>(payload) else {
        return Ok(Err("invalid_payload"));
    };
    let text = said.text.trim().to_owned();
    if text.is_empty() || text.chars().count() > MAX_MESSAGE {
        return Ok(Err("invalid_payload"));
    }
    if !is_approved(cx).await? {
        return Ok(Err("surface_not_approved"));
    }
    if cx.gateway.nodes().registry().repeats(cx.caller.client.as_ref(), &text, SAME_WORDS) {
        return Ok(Err("duplicate"));
    }
    let message = Message { text, session_key: said.session_key, key: said.event_id, ..Message::default() };
    start(cx, message).await
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AgentRequest {
    message: String,
    session_key: Option<String>,
    thinking: Option<Word<ThinkingLevel>>,
    timeout_seconds: Option<u64>,
    key: Option<String>,
}

async fn request(cx: &Cx, payload: Value) -> Result<Outcome, RequestError> {
    let Ok(asked) = homard_runtime::json::from_value::<AgentRequest>(payload) else {
        return Ok(Err("invalid_payload"));
    };
    let text = asked.message.trim().to_owned();
    if text.is_empty() || text.chars().count() > MAX_MESSAGE {
        return Ok(Err("invalid_payload"));
    }
    if !is_approved(cx).await? {
        return Ok(Err("surface_not_approved"));
    }
    let message = Message {
        text,
        session_key: asked.session_key,
        key: asked.key,
        thinking: asked.thinking,
        timeout: asked.timeout_seconds.filter(|seconds| *seconds > 0).map(Duration::from_secs),
    };
    start(cx, message).await
}

/// What a node brings in.
#[derive(Default)]
struct Message {
    text: String,
    session_key: Option<String>,
    /// The node's own name for it: saying it twice says it once.
    key: Option<String>,
    thinking: Option<Word<ThinkingLevel>>,
    timeout: Option<Duration>,
}

/// Begins a turn with a node's words.
async fn start(cx: &Cx, message: Message) -> Result<Outcome, RequestError> {
    let (gateway, node) = (&cx.gateway, own_id(cx)?);
    if !gateway.nodes().registry().may_begin(&node) {
        return Ok(Err("throttled"));
    }
    let key = message.session_key.as_deref().map(str::trim).filter(|key| !key.is_empty()).unwrap_or("main");
    let Ok(key) = session_key(gateway, &key.into(), None) else { return Ok(Err("invalid_payload")) };
    let short = node.as_str().clip_chars(12).to_owned();
    let own =
        message.key.filter(|key| !key.trim().is_empty()).unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
    let Ok(run_id) = RunId::parse(&format!("node-{short}-{}", own.trim())) else {
        return Ok(Err("invalid_payload"));
    };
    let turn = Inbound::from_operator(key, run_id.to_string(), message.text, gateway.clock().now_ms());
    let options = TurnOptions {
        settings: InlineSettings::asking(None, message.thinking),
        timeout_ms: message.timeout.map(millis),
        labels: vec![Label::new(Taint::Hook, format!("from node {short}"))],
        ..TurnOptions::of(TurnSource::Node)
    };
    gateway.relay().accept(turn, options, Queue::Wait).await?;
    Ok(Ok("started"))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Conversation {
    session_key: String,
}

async fn subscribe(cx: &Cx, payload: Value, listens: bool) -> Result<Outcome, RequestError> {
    let Ok(Conversation { session_key: key }) = homard_runtime::json::from_value(payload) else {
        return Ok(Err("invalid_payload"));
    };
    let Ok(key) = session_key(&cx.gateway, &key.trim().into(), None) else {
        return Ok(Err("invalid_payload"));
    };
    // What others write to the owner's assistant is not for the owner's devices to pass on.
    if listens && key.channel().is_some() {
        return Ok(Err("conversation_not_allowed"));
    }
    let (nodes, client, key) = (cx.gateway.nodes().registry(), cx.caller.client.as_ref(), key.to_string());
    if !listens {
        return Ok(nodes.unsubscribe(client, &key).map(|()| "unsubscribed").ok_or("stale_connection"));
    }
    if !is_approved(cx).await? {
        return Ok(Err("surface_not_approved"));
    }
    Ok(match nodes.subscribe(client, &key) {
        Some(true) => Ok("subscribed"),
        Some(false) => Err("too_many_subscriptions"),
        None => Err("stale_connection"),
    })
}

/// A node woke for a moment.
async fn alive(cx: &Cx, payload: &Value) -> Result<Outcome, RequestError> {
    let said = payload.get("trigger").and_then(Value::as_str).unwrap_or_default();
    if cx.gateway.nodes().registry().may_tell(cx.caller.client.as_ref(), "alive") == Some(false) {
        return Ok(Err("throttled"));
    }
    let reason = WAKE_REASONS.into_iter().find(|known| *known == said).unwrap_or("background");
    let seen = cx.gateway.store().nodes().mark_seen(&own_id(cx)?, reason).await?;
    Ok(if seen { Ok("persisted") } else { Err("missing_device_identity") })
}
