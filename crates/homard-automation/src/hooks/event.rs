//! The gateway's own events as hooks are told them: which place on a message's way is which event.

use homard_runtime::Timestamp;
use homard_tools::{HookOccasion, HookPoint, HookValue};
use serde_json::{Map, Value, json};

/// Every event there is, with the place it happens at, and for those of one place what it is about.
const EVENTS: [(&str, HookPoint, Option<&str>); 15] = [
    ("command:new", HookPoint::SessionReset, Some("new")),
    ("command:reset", HookPoint::SessionReset, Some("reset")),
    ("command:stop", HookPoint::Stop, None),
    ("session:start", HookPoint::SessionStart, None),
    ("session:end", HookPoint::SessionEnd, None),
    ("session:compact", HookPoint::AfterCompaction, None),
    ("message:received", HookPoint::MessageIn, None),
    ("message:sent", HookPoint::MessageOut, None),
    ("agent:bootstrap", HookPoint::BeforePrompt, None),
    ("agent:start", HookPoint::AgentStart, None),
    ("agent:end", HookPoint::AgentEnd, None),
    ("gateway:startup", HookPoint::GatewayStart, None),
    ("gateway:shutdown", HookPoint::GatewayStop, None),
    ("tool:before", HookPoint::BeforeToolCall, None),
    ("tool:after", HookPoint::AfterToolCall, None),
];

/// The places at which something happens that a hook listens to.
pub(super) fn points(listens: &[String]) -> Vec<HookPoint> {
    let mut points: Vec<HookPoint> = Vec::new();
    for (event, point, _) in EVENTS {
        if listens_to(listens, event) && !points.contains(&point) {
            points.push(point);
        }
    }
    points
}

/// Whether a hook that names these listens to an event; a bare `command` means all of its kind.
fn listens_to(listens: &[String], event: &str) -> bool {
    let kind = event.split_once(':').map_or(event, |(kind, _)| kind);
    listens.iter().any(|name| name == event || name == kind)
}

/// Names that are no event.
pub(super) fn unknown(listens: &[String]) -> Vec<&str> {
    let is_known = |name: &str| EVENTS.iter().any(|(event, ..)| listens_to(&[name.to_owned()], event));
    listens.iter().map(String::as_str).filter(|name| !is_known(name)).collect()
}

/// The event an occasion is, where it is one that the hook listens to.
pub(super) fn of(occasion: &HookOccasion, listens: &[String]) -> Option<&'static str> {
    let subject = occasion.subject.as_deref();
    let found = EVENTS.into_iter().find(|(event, point, about)| {
        *point == occasion.point && (about.is_none() || *about == subject) && listens_to(listens, event)
    });
    found.map(|(event, ..)| event)
}

/// Whether what a hook says decides how it goes on there, so that it is waited for.
pub(super) fn decides(point: HookPoint) -> bool {
    matches!(
        point,
        HookPoint::MessageIn
            | HookPoint::MessageOut
            | HookPoint::BeforePrompt
            | HookPoint::BeforeToolCall
            | HookPoint::GatewayStop
    )
}

/// Whether something happens to the gateway as a whole and in no conversation.
pub(super) fn is_gateways(point: HookPoint) -> bool {
    matches!(point, HookPoint::GatewayStart | HookPoint::GatewayStop)
}

/// An occasion as a hook reads it.
pub(super) fn told(event: &str, occasion: &HookOccasion, now: Timestamp) -> Value {
    let (kind, action) = event.split_once(':').unwrap_or((event, ""));
    let mut context = Map::new();
    let about = match occasion.point {
        HookPoint::BeforeToolCall | HookPoint::AfterToolCall => "toolName",
        HookPoint::MessageIn | HookPoint::MessageOut => "channelId",
        HookPoint::BeforePrompt => "toldTo",
        _ => "reason",
    };
    context.extend(occasion.subject.as_ref().map(|subject| (about.to_owned(), json!(subject))));
    context.extend(occasion.run.as_ref().map(|run| ("runId".to_owned(), json!(run))));
    match &occasion.value {
        HookValue::Nothing => {}
        HookValue::Text(text) => {
            context.insert("content".to_owned(), json!(text));
        }
        // What ended, and who said so, is told field by field.
        HookValue::Arguments(Value::Object(fields))
            if matches!(occasion.point, HookPoint::SessionReset | HookPoint::Stop) =>
        {
            context.extend(fields.clone());
        }
        HookValue::Arguments(arguments) => {
            context.insert("arguments".to_owned(), arguments.clone());
        }
    }
    json!({
        "type": kind, "action": action, "sessionKey": occasion.session, "timestamp": now, "messages": [],
        "context": context,
    })
}
