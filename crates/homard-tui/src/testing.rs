//! What tests of several parts say: pages of history, events, keys.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use homard_protocol::methods::chat::ChatHistoryResult;
use serde_json::{Value, json};

use crate::app::{App, Effect, Greeting, Msg, Reply, Request, Screen, StartOptions};
use crate::text::theme::Theme;
use crate::wire::GatewayNews;

/// The conversation all tests are in.
pub(crate) const HERE: &str = "agent:main:main";
pub(crate) const NOW: i64 = 1_000_000;

/// A page of history, with other fields over the usual ones.
pub(crate) fn page(messages: &[Value], more: Value) -> ChatHistoryResult {
    let mut page = json!({
        "sessionKey": HERE, "sessionId": "s", "messages": messages,
        "pendingInputs": {"items": [], "total": 0}, "hasMore": false, "totalMessages": messages.len(),
        "defaults": {"modelProvider": "fake", "model": "fake-1", "contextTokens": 1000,
            "thinkingLevels": [{"id": "off", "label": "Off"}, {"id": "high", "label": "High"}], "thinkingDefault": "off"},
        "sessionInfo": {"key": HERE, "kind": "direct", "updatedAt": null, "totalTokens": 120},
    });
    merge(&mut page, more);
    serde_json::from_value(page).unwrap()
}

fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (name, value) in from {
                merge(into.entry(name).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from,
    }
}

/// What a person said, as the history has it.
pub(crate) fn user(run: &str, text: &str) -> Value {
    json!({"role": "user", "content": text, "timestamp": 1, "idempotencyKey": format!("{run}:user"),
        "__openclaw": {"id": format!("id-{run}"), "seq": 1}})
}

/// What the model said, as the history has it.
pub(crate) fn assistant(content: &Value) -> Value {
    json!({"role": "assistant", "content": content, "api": "x", "provider": "fake", "model": "fake-1",
        "usage": {"input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 2,
            "cost": {"input": 0.0, "output": 0.0, "cacheRead": 0.0, "cacheWrite": 0.0, "total": 0.012}},
        "stopReason": "stop", "timestamp": 2})
}

/// A text of the model's.
pub(crate) fn text(words: &str) -> Value {
    assistant(&json!([{"type": "text", "text": words}]))
}

/// An event of the gateway.
pub(crate) fn event(name: &str, payload: Value) -> GatewayNews {
    let mut whole = json!({"sessionKey": HERE, "ts": 5});
    merge(&mut whole, payload);
    let frame = json!({"type": "event", "event": name, "payload": whole});
    GatewayNews::read(&serde_json::from_value(frame).unwrap()).unwrap()
}

/// So much of an answer.
pub(crate) fn delta(run: &str, whole: &str) -> GatewayNews {
    event(
        "chat",
        json!({"runId": run, "state": "delta", "deltaText": "", "message": {"content": [{"type": "text", "text": whole}]}}),
    )
}

/// A question of the gateway's.
pub(crate) fn question(id: &str, command: &str) -> GatewayNews {
    event(
        "exec.approval.requested",
        json!({"approvalKind": "exec", "id": id, "createdAtMs": NOW, "expiresAtMs": NOW + 90_000,
            "request": {"command": command, "cwd": "/home/me", "host": "gateway", "sessionKey": HERE,
                "reasons": ["not on the allowlist"], "allowedDecisions": ["allow-once", "allow-always", "deny"]}}),
    )
}

/// A program that is connected and has read its conversation.
pub(crate) fn app(width: u16, height: u16, messages: &[Value], more: Value) -> App {
    let wishes = StartOptions { history_limit: 200, ..StartOptions::default() };
    let mut app = App::new(wishes, Screen::new(width, height, Theme::new(false)), || "run-1".to_owned());
    app.update(Msg::Connected(Greeting { main_session: HERE.to_owned(), version: "1".to_owned() }), NOW);
    read(&mut app, messages, more);
    app
}

/// The history is read.
pub(crate) fn read(app: &mut App, messages: &[Value], more: Value) {
    let page = Ok(Box::new(page(messages, more)));
    let reply = Reply::History { session: app.place.session.clone(), limit: 200, offset: None, page };
    app.update(Msg::Reply(reply), NOW);
}

/// Presses a key, written as `ctrl-x`, `alt-up`, `enter`, or a letter.
pub(crate) fn press(app: &mut App, key: &str) -> Vec<Effect> {
    let (modifiers, name) = match key.split_once('-') {
        Some(("ctrl", name)) => (KeyModifiers::CONTROL, name),
        Some(("alt", name)) => (KeyModifiers::ALT, name),
        _ => (KeyModifiers::NONE, key),
    };
    let code = match name {
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "tab" => KeyCode::Tab,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "pageup" => KeyCode::PageUp,
        "pagedown" => KeyCode::PageDown,
        "backspace" => KeyCode::Backspace,
        letter => KeyCode::Char(letter.chars().next().unwrap()),
    };
    app.update(Msg::Key(KeyEvent::new(code, modifiers)), NOW)
}

/// Types a text.
pub(crate) fn typed(app: &mut App, text: &str) -> Vec<Effect> {
    text.chars()
        .flat_map(|letter| {
            app.update(Msg::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)), NOW)
        })
        .collect()
}

/// Effects in short.
pub(crate) fn short(effects: &[Effect]) -> Vec<String> {
    let word = |effect: &Effect| match effect {
        Effect::Ask(Request::Send(params)) => {
            let mode = params.queue_mode.as_ref().map(|mode| format!(" {mode}")).unwrap_or_default();
            let files =
                params.attachments.as_ref().map(|files| format!(" +{}", files.len())).unwrap_or_default();
            format!("send{mode}{files}: {}", params.message)
        }
        Effect::Ask(Request::History { limit, offset, .. }) => format!("history {limit} {offset:?}"),
        Effect::Ask(Request::Decide { id, decision, .. }) => format!("decide {id} {decision:?}"),
        Effect::Ask(Request::Patch { settings, .. }) => {
            format!("patch {}", serde_json::to_string(settings).unwrap())
        }
        Effect::Ask(Request::Abort { .. }) => "abort".to_owned(),
        Effect::Ask(Request::TakeBack { run, .. }) => format!("take back {run}"),
        Effect::Ask(Request::Watch { session }) => format!("watch {session}"),
        Effect::Ask(Request::Commands { .. }) => "commands".to_owned(),
        other => format!("{other:?}").replace("Ask(", "").trim_end_matches(')').to_owned(),
    };
    effects.iter().map(word).collect()
}
