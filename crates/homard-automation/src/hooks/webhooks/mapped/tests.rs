//! What mappings make of calls.

use std::collections::BTreeMap;

use futures_util::FutureExt;
use homard_config::config::hooks::{
    HookAction, HookDelivery, HookMapping, HookTransform, HookTurn, SessionMode,
};
use homard_protocol::WakeMode;
use serde_json::{Value, json};

use super::{MAX_ITEMS, calls, find};
use crate::hooks::TransformedCall;
use crate::hooks::webhooks::WebhookError;
use crate::hooks::webhooks::call::{CallDelivery, HookCall, NamedKey};
use crate::hooks::webhooks::template::TemplateValues;

fn mapping(id: &str) -> HookMapping {
    HookMapping { id: id.to_owned(), ..HookMapping::default() }
}

fn made(mapping: &HookMapping, payload: &Value) -> Result<Vec<HookCall>, WebhookError> {
    let (headers, query) = (BTreeMap::new(), BTreeMap::new());
    let given = TemplateValues { payload, headers: &headers, query: &query, path: "p", now: "", item: None };
    let none = |_: HookTransform, _: Value| std::future::ready(Ok(TransformedCall::Skip)).boxed();
    calls(mapping, &given, &none).now_or_never().unwrap()
}

fn messages(made: Vec<HookCall>) -> Vec<String> {
    made.into_iter()
        .map(|call| match call {
            HookCall::Agent(call) => call.message,
            HookCall::Wake(call) => call.text,
        })
        .collect()
}

#[test]
fn the_first_mapping_that_fits_path_and_source_takes_a_call() {
    let by = |id: &str, path: Option<&str>, source: Option<&str>| HookMapping {
        path: path.map(str::to_owned),
        source: source.map(str::to_owned),
        ..mapping(id)
    };
    let mappings =
        [by("both", Some("ci"), Some("x")), by("path", Some("ci"), None), by("source", None, Some("y"))];
    let rows = [
        ("ci", json!({"source": "x"}), Some("both")),
        ("ci", json!({"source": "z"}), Some("path")),
        ("ci", json!({}), Some("path")),
        ("other", json!({"source": "y"}), Some("source")),
        ("other", json!({"source": 7}), None),
        ("ci/deeper", json!({}), None),
    ];
    for (path, payload, expected) in rows {
        assert_eq!(find(&mappings, path, &payload).map(|m| m.id.as_str()), expected, "{path} {payload}");
    }
}

#[test]
fn every_item_of_a_list_is_a_call_of_its_own() {
    let each = HookMapping {
        template: Some("{{index}}: {{messages[0].from}} {{item.from}} {{box}}".to_owned()),
        for_each: Some("messages".to_owned()),
        turn: HookTurn {
            session_key: Some("hook:mail:{{messages[0].id}}".to_owned()),
            ..HookTurn::default()
        },
        ..mapping("mail")
    };
    let payload = json!({"box": "in", "messages": [{"from": "a", "id": 1}, {"from": "b", "id": "x:y"}]});
    let found = made(&each, &payload).unwrap();
    let keys: Vec<_> = found
        .iter()
        .map(|call| match call {
            HookCall::Agent(call) => call.target.key.clone().unwrap(),
            HookCall::Wake(_) => panic!("not a wake"),
        })
        .collect();
    assert_eq!(
        keys,
        [NamedKey::Owners("hook:mail:1".to_owned()), NamedKey::Owners("hook:mail:x-y".to_owned())]
    );
    assert_eq!(messages(found), ["0: a a in", "1: b b in"]);
    for nothing in [json!({}), json!({"messages": []}), json!({"messages": "no list"})] {
        assert_eq!(made(&each, &nothing).unwrap(), [], "{nothing}");
    }
    let many = json!({"messages": vec![json!({"from": "a"}); MAX_ITEMS + 1]});
    assert!(matches!(made(&each, &many), Err(WebhookError::Invalid(_))));
}

#[test]
fn a_mapping_says_who_is_told_and_how() {
    let rows = [
        (HookMapping { template: Some("{{a}}".to_owned()), ..mapping("t") }, json!({"a": "x"}), Ok("x")),
        (mapping("own"), json!({"message": "m", "text": "t"}), Ok("m")),
        (
            HookMapping { action: HookAction::Wake, ..mapping("own") },
            json!({"message": "m", "text": "t"}),
            Ok("t"),
        ),
        (mapping("empty"), json!({}), Err("mapping `empty` came to an empty message")),
        (
            HookMapping {
                template: Some(" {{gone}} ".to_owned()),
                action: HookAction::Wake,
                ..mapping("blank")
            },
            json!({}),
            Err("mapping `blank` came to an empty text"),
        ),
    ];
    for (mapping, payload, expected) in rows {
        let made = made(&mapping, &payload).map(|calls| messages(calls).concat()).map_err(|e| e.to_string());
        assert_eq!(made, expected.map(str::to_owned).map_err(str::to_owned), "{}", mapping.id);
    }
    let wake = HookMapping {
        action: HookAction::Wake,
        wake_mode: Some(WakeMode::NextHeartbeat),
        trusts_content: true,
        ..mapping("w")
    };
    match made(&wake, &json!({"text": "t"})).unwrap().remove(0) {
        HookCall::Wake(call) => assert!(call.is_trusted && call.mode == WakeMode::NextHeartbeat),
        HookCall::Agent(_) => panic!("not a wake"),
    }
}

#[test]
fn a_conversation_that_the_caller_spells_out_is_the_callers_choice() {
    for (template, expected) in [
        ("hook:{{id}}", NamedKey::Owners("hook:main".to_owned())),
        ("{{id}}", NamedKey::Callers("main".to_owned())),
        (" {{id}}:x", NamedKey::Callers(" main:x".to_owned())),
    ] {
        let turn = HookTurn { session_key: Some(template.to_owned()), ..HookTurn::default() };
        let mapping = HookMapping { turn, ..mapping("k") };
        match made(&mapping, &json!({"message": "m", "id": "main"})).unwrap().remove(0) {
            HookCall::Agent(call) => assert_eq!(call.target.key, Some(expected), "{template}"),
            HookCall::Wake(_) => panic!("not a wake"),
        }
    }
}

#[test]
fn a_mapping_says_all_that_a_call_may_say() {
    let mapping = HookMapping {
        session_mode: SessionMode::Persistent,
        delivery: HookDelivery {
            deliver: Some(false),
            channel: Some("chatter".to_owned()),
            to: Some("7".to_owned()),
        },
        turn: HookTurn {
            agent: Some("ops".to_owned()),
            model: Some("fake/other".to_owned()),
            thinking: Some("high".to_owned()),
            timeout_seconds: Some(9),
            ..HookTurn::default()
        },
        ..mapping("m")
    };
    let HookCall::Agent(call) = made(&mapping, &json!({"message": "m"})).unwrap().remove(0) else {
        panic!("not a wake")
    };
    assert_eq!((call.target.agent.as_deref(), call.model.as_deref()), (Some("ops"), Some("fake/other")));
    assert_eq!(call.thinking.as_ref().map(|word| word.as_str()), Some("high"));
    assert_eq!(call.timeout, Some(std::time::Duration::from_secs(9)));
    assert_eq!(call.session_mode, SessionMode::Persistent);
    let CallDelivery { deliver, channel, to, .. } = call.delivery;
    assert_eq!((deliver, channel.as_deref(), to.as_deref()), (Some(false), Some("chatter"), Some("7")));
}

#[test]
fn a_program_changes_what_the_mapping_says_or_leaves_the_call_out() {
    let mapping = HookMapping {
        template: Some("{{a}}".to_owned()),
        transform: Some(HookTransform { module: "x".to_owned(), export: None }),
        turn: HookTurn { session_key: Some("{{a}}".to_owned()), ..HookTurn::default() },
        ..mapping("m")
    };
    let (headers, query) = (BTreeMap::new(), BTreeMap::new());
    let payload = json!({"a": "from outside"});
    let rewritten = |answer: &TransformedCall| {
        let given = TemplateValues {
            payload: &payload,
            headers: &headers,
            query: &query,
            path: "p",
            now: "t",
            item: None,
        };
        let (answer, payload) = (answer.clone(), payload.clone());
        let rewrite = move |program: HookTransform, told: Value| {
            let expected = json!({"mapping": "m", "path": "p", "headers": {}, "query": {}, "payload": payload,
                "item": null, "index": null, "now": "t"});
            assert_eq!((program.module.as_str(), told), ("x", expected));
            std::future::ready(Ok(answer.clone())).boxed()
        };
        calls(&mapping, &given, &rewrite).now_or_never().unwrap()
    };
    let changed = |changes: Value| rewritten(&TransformedCall::Changes(changes.as_object().unwrap().clone()));
    assert_eq!(rewritten(&TransformedCall::Skip).unwrap(), []);
    let HookCall::Agent(as_it_is) = changed(json!({})).unwrap().remove(0) else { panic!("not a wake") };
    assert_eq!((as_it_is.message.as_str(), as_it_is.is_trusted), ("from outside", false));
    assert_eq!(as_it_is.target.key, Some(NamedKey::Callers("from-outside".to_owned())));
    let all = json!({"message": "{{a}} stays as it is", "sessionKey": "hook:mine", "channel": "chatter", "to": "7",
        "model": "fake/other", "timeoutSeconds": 9, "allowUnsafeExternalContent": true});
    let HookCall::Agent(call) = changed(all).unwrap().remove(0) else { panic!("not a wake") };
    assert_eq!((call.message.as_str(), call.is_trusted), ("{{a}} stays as it is", true));
    assert_eq!(call.target.key, Some(NamedKey::Owners("hook:mine".to_owned())));
    assert_eq!((call.delivery.to.as_deref(), call.model.as_deref()), (Some("7"), Some("fake/other")));
    let wake = json!({"kind": "wake", "text": "t", "wakeMode": "next-heartbeat"});
    let HookCall::Wake(call) = changed(wake).unwrap().remove(0) else { panic!("a wake") };
    assert_eq!((call.text.as_str(), call.mode), ("t", WakeMode::NextHeartbeat));
    for (wrong, words) in [
        (json!({"message": " "}), "mapping `m` came to an empty message"),
        (json!({"message": 7}), "message must be a string"),
        (json!({"timeoutSeconds": 0}), "timeoutSeconds must be"),
        (json!({"thinking": "a lot"}), "thinking is not a known level"),
    ] {
        assert!(changed(wrong.clone()).unwrap_err().to_string().contains(words), "{wrong}");
    }
}
