//! What came into a conversation since a client last looked: a cursor names the newest message it has.

use homard_protocol::SessionId;
use serde_json::{Value, json};

/// The client has to ask for the page again: its message is too far back, on a branch that was left, or of another
/// transcript.
pub(super) const RESET: &str = "reset";
const DELTA: &str = "delta";

/// Where what comes after these messages begins.
pub(super) fn cursor(session: Option<&SessionId>, messages: &[Value]) -> Option<String> {
    Some(format!("{}:{}", session?, id_of(messages.last()?)?))
}

/// What came since, each message as `session.message` carries it, and how the answer is called.
pub(super) fn answer(
    cursor: &str,
    session: Option<&SessionId>,
    mut messages: Vec<Value>,
) -> (Option<&'static str>, Vec<Value>) {
    let known = cursor.rsplit_once(':').filter(|(of, _)| session.is_some_and(|id| id.as_str() == *of));
    let place = known.and_then(|(_, last)| messages.iter().position(|message| id_of(message) == Some(last)));
    let Some(place) = place else { return (Some(RESET), Vec::new()) };
    let new = messages.split_off(place + 1).into_iter().map(|message| {
        let mark = |name: &str| message.get("__openclaw").and_then(|mark| mark.get(name)).cloned();
        json!({"messageId": mark("id"), "messageSeq": mark("seq"), "message": message})
    });
    (Some(DELTA), new.collect())
}

fn id_of(message: &Value) -> Option<&str> {
    message.get("__openclaw")?.get("id")?.as_str()
}
