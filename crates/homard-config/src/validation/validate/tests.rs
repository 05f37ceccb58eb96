//! What owners are told about mistakes.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::validate;
use crate::syntax::document::parse;

fn told(value: &Value) -> String {
    validate(value, None).iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_empty_and_a_null_configuration_are_fine() {
    assert_eq!(told(&json!({})), "");
    assert_eq!(told(&json!({ "gateway": null, "$schema": "https://x" })), "");
}

#[test]
fn every_problem_is_told_with_place_value_and_what_is_allowed() {
    let value = parse(
        "{
            gateway: { prot: 1, port: 99999, bind: 'lna', mode: 3, token: 'abc', controlUi: { enabled: 'yes' },
                auth: { token: 12345, rateLimit: { maxAttempts: 0 } } },
            agents: { defaults: { maxConcurrent: 'four', model: 7, contextPruning: { softTrimRatio: 2 } },
                list: [{ id: 'a', thinkingDefault: 'hihg' }, 'x'] },
            models: { providers: { p: { api: 'openai-completion', models: [{ name: 'no id' }], apiKey: true } } },
            ui: { seamColor: 'red', assistant: { name: 'a name that is far too long to be shown on a page, honestly' } },
            port: 1, gatway: {}, agent: {}, xyzzy: 1, tools: [],
        }",
    );
    assert_snapshot!(told(&parse_ok(value)), @r##"
    `gateway.prot`: unknown key; did you mean `port`?
    `gateway.port`: expected a whole number between 1 and 65535, found 99999
    `gateway.bind`: expected one of "auto", "lan", "loopback", "tailnet", "custom", found "lna"; did you mean "lan"?
    `gateway.mode`: expected "local" or "remote", found 3
    `gateway.token`: unknown key; use `gateway.auth.token`
    `gateway.controlUi.enabled`: expected true or false, found "yes"
    `gateway.auth.token`: expected a text or an object { … }, found ••••
    `gateway.auth.rateLimit.maxAttempts`: expected a whole number of at least 1, found 0
    `agents.defaults.maxConcurrent`: expected a whole number of at least 1, found "four"
    `agents.defaults.model`: expected a text or an object { … }, found 7
    `agents.defaults.contextPruning.softTrimRatio`: expected a number between 0 and 1, found 2
    `agents.list[0].thinkingDefault`: expected one of "off", "minimal", "low", "medium", "high", "xhigh", "adaptive", "max", "ultra", found "hihg"; did you mean "high"?
    `agents.list[1]`: expected an object { … }, found "x"
    `models.providers.p.api`: expected one of "openai-completions", "openai-responses", "openai-chatgpt-responses", "anthropic-messages", "google-generative-ai", "google-vertex", "github-copilot", "bedrock-converse-stream", "ollama", found "openai-completion"; did you mean "openai-completions"?
    `models.providers.p.models[0].id`: this key is needed here
    `models.providers.p.apiKey`: expected a text or an object { … }, found ••••
    `ui.seamColor`: expected a colour like "#FF4500", found "red"
    `ui.assistant.name`: expected a text of at most 50 characters, found "a name that is far too long to be shown on a page, honestly…
    `port`: unknown key; did you mean `gateway.port`?
    `gatway`: unknown key; did you mean `gateway`?
    `agent`: unknown key; use `agents.defaults`
    `xyzzy`: unknown key; known here: $schema, meta, env, wizard, update, logging, diagnostics, auth, …
    `tools`: expected an object { … }, found a list
    "##);
}

fn parse_ok(node: Result<crate::syntax::document::Node, crate::syntax::document::SyntaxError>) -> Value {
    node.unwrap().to_value()
}

#[test]
fn a_secret_is_never_quoted() {
    let text =
        told(&json!({ "gateway": { "auth": { "token": 918_273 } }, "env": { "vars": { "K": 918_273 } } }));
    assert!(!text.contains("918273"), "{text}");
    assert_eq!(text.lines().count(), 2);
}

#[test]
fn free_form_sections_take_anything() {
    assert_eq!(told(&json!({ "channels": { "x": { "any": [1, { "thing": true }] } } })), "");
    assert_eq!(
        told(&json!({ "plugins": { "entries": { "p": { "config": { "deep": { "er": 1 } } } } } })),
        ""
    );
    assert_eq!(told(&json!({ "env": { "NAME": "v", "shellEnv": { "enabled": true } } })), "");
    assert_eq!(told(&json!({ "broadcast": { "strategy": "parallel", "123": ["a", "b"] } })), "");
}
