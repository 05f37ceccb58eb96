//! When thinking may be asked for, and when it may go back.

use std::sync::Arc;

use homard_protocol::{Message, ModelId};
use serde_json::{Value, json};

use crate::call::request::{Request, ThinkingLevel};
use crate::spec::ModelSpec;
use crate::wire::find;
use crate::wire::tests::request;

const API: &str = "anthropic-messages";
const CLAUDE: &str = "claude-sonnet-4-5";

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text, "timestamp": 1})
}

fn thought() -> Value {
    json!({"type": "thinking", "thinking": "hm", "thinkingSignature": "S"})
}

fn said(model: &str, content: &[Value]) -> Value {
    json!({"role": "assistant", "content": content, "api": API, "provider": "p", "model": model,
           "stopReason": "toolUse", "timestamp": 1})
}

fn call(id: &str) -> Value {
    json!({"type": "toolCall", "id": id, "name": "read", "arguments": {}})
}

fn result(id: &str) -> Value {
    json!({"role": "toolResult", "toolCallId": id, "toolName": "read", "content": [], "timestamp": 1})
}

fn body(model: &str, messages: Vec<Value>, thinking: ThinkingLevel) -> Value {
    let plain = request(API);
    let mut spec = ModelSpec::clone(&plain.model);
    (spec.id, spec.reasoning) = (ModelId::parse(model).unwrap(), true);
    let read = |value| Arc::new(serde_json::from_value::<Message>(value).unwrap());
    let messages = messages.into_iter().map(read).collect();
    let request = Request { model: Arc::new(spec), messages, thinking, ..plain };
    serde_json::from_slice(&find(API).unwrap().body(&request).unwrap()).unwrap()
}

#[test]
fn thinking_does_not_begin_in_the_middle_of_a_turn() {
    let thoughtful = said(CLAUDE, &[thought(), call("a")]);
    let hasty = said(CLAUDE, &[call("b")]);
    let foreign = said("claude-opus-4-5", &[thought(), call("a")]);
    let rows = [
        (vec![user("hi")], true),
        (vec![user("hi"), thoughtful.clone(), result("a")], true),
        // Between its calls a model need not think again.
        (vec![user("hi"), thoughtful, result("a"), hasty.clone(), result("b")], true),
        (vec![user("hi"), hasty.clone(), result("b")], false),
        // Another model began the turn, and its thinking proves nothing here.
        (vec![user("hi"), foreign.clone(), result("a")], false),
        (vec![user("hi"), foreign, result("a"), user("hurry"), hasty.clone(), result("b")], false),
        // The turn is over.
        (
            vec![
                user("hi"),
                hasty,
                result("b"),
                said(CLAUDE, &[json!({"type": "text", "text": "ok"})]),
                user("go"),
            ],
            true,
        ),
    ];
    for (messages, expected) in rows {
        let body = body(CLAUDE, messages, ThinkingLevel::Low);
        assert_eq!(body.get("thinking").is_some(), expected, "{body}");
    }
}

#[test]
fn newer_models_decide_for_themselves_how_long_to_think() {
    let budget = json!({"type": "enabled", "budget_tokens": 7_168});
    let rows = [
        (CLAUDE, ThinkingLevel::High, budget, Value::Null),
        ("claude-opus-4-6", ThinkingLevel::XHigh, json!({"type": "adaptive"}), json!({"effort": "high"})),
        ("claude-opus-4-7", ThinkingLevel::XHigh, json!({"type": "adaptive"}), json!({"effort": "xhigh"})),
        ("claude-sonnet-5", ThinkingLevel::Minimal, json!({"type": "adaptive"}), json!({"effort": "low"})),
        ("claude-sonnet-5", ThinkingLevel::Off, Value::Null, Value::Null),
    ];
    for (model, level, thinking, effort) in rows {
        // They may also begin to think in the middle of a turn.
        let messages = match effort {
            Value::Null => vec![user("hi")],
            _ => vec![user("hi"), said(model, &[call("a")]), result("a")],
        };
        let body = body(model, messages, level);
        assert_eq!((&body["thinking"], &body["output_config"]), (&thinking, &effort), "{model}");
    }
}

#[test]
fn thinking_nobody_asked_for_goes_back_only_to_those_who_want_it() {
    for (model, kept) in [(CLAUDE, false), ("thinks-anyway-2", true)] {
        let messages = vec![user("hi"), said(model, &[thought(), call("a")]), result("a")];
        let body = body(model, messages, ThinkingLevel::Off);
        let first = &body["messages"][1]["content"][0]["type"];
        assert_eq!(first == "thinking", kept, "{body}");
    }
}

#[test]
fn a_request_is_marked_at_most_four_times() {
    let mut messages = vec![user("hi")];
    for n in 0..9 {
        let id = format!("c{n}");
        messages.extend([said(CLAUDE, &[call(&id)]), result(&id), user("more")]);
    }
    let marks = body(CLAUDE, messages, ThinkingLevel::Off).to_string().matches("cache_control").count();
    assert!(marks <= 4, "{marks}");
}

#[test]
fn calls_a_subscription_pays_for_begin_with_the_identity_the_api_wants() {
    let told = |secret: &str| {
        let credential = crate::Credential {
            kind: crate::CredentialKind::Token,
            secret: Some(crate::ApiKey::new(secret)),
            ..crate::Credential::default()
        };
        let mut asked = super::super::tests::request(super::ENTRY.api);
        (asked.system, asked.credential) = ("Be kind.".into(), Some(credential.into()));
        let body: serde_json::Value = serde_json::from_slice(&super::ENTRY.body(&asked).unwrap()).unwrap();
        body["system"]
            .as_array()
            .unwrap()
            .iter()
            .map(|block| block["text"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(told("sk-ant-api03-key"), ["Be kind."]);
    assert_eq!(
        told("sk-ant-oat01-token"),
        ["You are Claude Code, Anthropic's official CLI for Claude.", "Be kind."]
    );
}
