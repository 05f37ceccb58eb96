//! Lists as servers send them, and as servers should not.

use proptest::prelude::{Just, Strategy, any, prop, prop_oneof, proptest};
use serde_json::{Map, Value, json};

use super::{MAX_MODELS, Unit, read};
use crate::discovery::{bedrock, ollama};

/// Name, window, answer, sees, thinks, price.
type Facts<'a> = (&'a str, Option<u32>, Option<u32>, bool, bool, Option<[f64; 4]>);

fn one(item: &Value, unit: Unit) -> crate::discovery::FoundModel {
    let mut found = read(&json!({ "object": "list", "data": [item] }), unit).unwrap();
    assert_eq!(found.len(), 1);
    found.remove(0)
}

#[test]
fn each_servers_own_words_are_understood() {
    let table: &[(&str, Unit, Value, Facts<'_>)] = &[
        (
            "vLLM",
            Unit::Million,
            json!({"id": "m", "object": "model", "max_model_len": 32768}),
            ("m", Some(32_768), None, false, false, None),
        ),
        (
            "Venice",
            Unit::Million,
            json!({"id": "zai-org-glm-5", "type": "text", "model_spec": {
                "name": "GLM 5", "availableContextTokens": 198000, "maxCompletionTokens": 24000,
                "capabilities": {"supportsVision": true, "supportsReasoning": true},
                "pricing": {"input": {"usd": 0.7, "diem": 0.7}, "output": {"usd": 2.8}, "cache_input": {"usd": 0.07}}}}),
            ("GLM 5", Some(198_000), Some(24_000), true, true, Some([0.7, 2.8, 0.07, 0.0])),
        ),
        (
            "OpenRouter",
            Unit::Token,
            json!({"id": "a/b", "name": "A: B", "context_length": 200000,
                "architecture": {"input_modalities": ["text", "image"], "output_modalities": ["text"]},
                "pricing": {"prompt": "0.000003", "completion": "0.000015", "input_cache_read": "0.0000003", "input_cache_write": "0.00000375"},
                "top_provider": {"context_length": 200000, "max_completion_tokens": 64000},
                "supported_parameters": ["tools", "reasoning"]}),
            ("A: B", Some(200_000), Some(64_000), true, true, Some([3.0, 15.0, 0.3, 3.75])),
        ),
        (
            "Hugging Face",
            Unit::Million,
            json!({"id": "x/y", "providers": [
                {"provider": "p", "status": "live", "context_length": 131072, "pricing": {"input": 0.3, "output": 1.2}},
                {"provider": "q", "status": "live", "context_length": 65536, "pricing": {"input": 0.5, "output": 1.0}},
                {"provider": "r", "status": "staging", "context_length": 1, "pricing": {"input": 9.0, "output": 9.0}}]}),
            ("x/y", Some(65_536), None, false, false, Some([0.5, 1.2, 0.0, 0.0])),
        ),
        (
            "Vercel",
            Unit::Token,
            json!({"id": "a/b", "name": "B", "type": "language", "context_window": 200000, "max_tokens": 8192,
                "tags": ["vision", "reasoning"], "pricing": {"input": "0.000001", "output": "0.000005"}}),
            ("B", Some(200_000), Some(8_192), true, true, Some([1.0, 5.0, 0.0, 0.0])),
        ),
        (
            "llama.cpp",
            Unit::Million,
            json!({"id": "/models/x.gguf", "meta": {"n_ctx_train": 40960}}),
            ("/models/x.gguf", None, None, false, false, None),
        ),
        (
            "Mistral",
            Unit::Million,
            json!({"id": "m", "max_context_length": 131072, "capabilities": {"completion_chat": true, "vision": true}}),
            ("m", Some(131_072), None, true, false, None),
        ),
    ];
    for (server, unit, item, (name, window, answer, sees, thinks, price)) in table {
        let found = one(item, *unit);
        assert_eq!(found.name.as_deref().unwrap_or(found.id.as_str()), *name, "{server}");
        assert_eq!((found.context_window, found.max_tokens), (*window, *answer), "{server}");
        assert_eq!((found.sees, found.reasoning), (*sees, *thinks), "{server}");
        assert_eq!(found.price, *price, "{server}");
    }
}

#[test]
fn a_bare_list_is_a_list_too() {
    let together = json!([
        {"id": "a", "type": "chat", "context_length": 8192, "pricing": {"input": 0.2, "output": 0.6}},
        {"id": "b", "type": "embedding"},
        {"id": "c", "type": "image"},
    ]);
    let found = read(&together, Unit::Million).unwrap();
    assert_eq!(found.iter().map(|m| m.id.as_str()).collect::<Vec<_>>(), ["a"]);
}

#[test]
fn nonsense_is_passed_over_and_never_believed() {
    let nonsense = json!({"data": [
        null, 7, "x", [], {}, {"id": 7}, {"id": ""}, {"id": "a\u{0}b"}, {"id": "x".repeat(5_000)},
        {"id": "ok", "context_length": -5, "max_tokens": 1e300, "name": {"a": 1}, "pricing": {"prompt": "free", "completion": -1},
         "tags": "vision", "architecture": 3, "providers": {"x": 1}, "capabilities": []},
        {"id": "ok", "context_length": 99_999},
        {"id": "dear", "pricing": {"input": 1e99, "output": "NaN"}, "context_length": u64::MAX},
        {"id": "named", "name": format!("a\u{7}{}", "b".repeat(10_000))},
    ]});
    let found = read(&nonsense, Unit::Million).unwrap();
    assert_eq!(found.iter().map(|m| m.id.as_str()).collect::<Vec<_>>(), ["ok", "dear", "named"]);
    assert_eq!((found[0].context_window, found[0].max_tokens, found[0].price), (None, None, None));
    assert_eq!((found[1].context_window, found[1].price), (None, None));
    assert_eq!(found[2].name.as_ref().unwrap().len(), super::MAX_NAME);
    let many: Vec<Value> = (0..MAX_MODELS + 500).map(|n| json!({ "id": n.to_string() })).collect();
    assert_eq!(read(&Value::Array(many), Unit::Million).unwrap().len(), MAX_MODELS);
    for not_a_list in [json!({}), json!("x"), json!({"data": {"a": 1}}), Value::Null] {
        assert!(read(&not_a_list, Unit::Million).is_err());
    }
}

#[test]
fn only_streaming_text_models_of_wanted_makers_are_taken_from_bedrock() {
    let item = |id: &str, maker: &str, streams: bool, kinds: Value, types: Value| {
        json!({"modelId": id, "modelName": id, "providerName": maker, "inputModalities": ["TEXT", "IMAGE"],
            "outputModalities": kinds, "responseStreamingSupported": streams, "inferenceTypesSupported": types,
            "modelLifecycle": {"status": "ACTIVE"}})
    };
    let mut old = item("old", "Anthropic", true, json!(["TEXT"]), json!(["ON_DEMAND"]));
    old["modelLifecycle"]["status"] = json!("LEGACY");
    let list = json!({"modelSummaries": [
        item("anthropic.a", "Anthropic", true, json!(["TEXT"]), json!(["INFERENCE_PROFILE"])),
        item("amazon.b", "Amazon", true, json!(["TEXT"]), json!(["ON_DEMAND"])),
        item("silent", "Anthropic", false, json!(["TEXT"]), json!(["ON_DEMAND"])),
        item("painter", "Anthropic", true, json!(["IMAGE"]), json!(["ON_DEMAND"])),
        old, null, {"modelId": 3},
    ]});
    let mut settings = homard_config::config::models::BedrockDiscovery::default();
    let ids = |region: &str, settings: &_| -> Vec<String> {
        let found = bedrock::read(&list, region, settings).unwrap();
        assert!(
            found.iter().all(|m| m.context_window == Some(32_000) && m.max_tokens == Some(4_096) && m.sees)
        );
        found.iter().map(|m| m.id.to_string()).collect()
    };
    assert_eq!(ids("us-west-2", &settings), ["us.anthropic.a", "amazon.b"]);
    (settings.default_context_window, settings.default_max_tokens) = (9_000, 900);
    let found = bedrock::read(&list, "us-west-2", &settings).unwrap();
    assert_eq!((found[0].context_window, found[0].max_tokens), (Some(9_000), Some(900)));
    (settings.default_context_window, settings.default_max_tokens) = (32_000, 4_096);
    settings.provider_filter = vec!["anthropic".to_owned()];
    assert_eq!(ids("eu-central-1", &settings), ["eu.anthropic.a"]);
    assert!(bedrock::read(&json!([]), "us-east-1", &settings).is_err());
}

#[test]
fn ollama_says_how_long_a_context_is() {
    let tags =
        json!({"models": [{"name": "qwen3:8b", "model": "qwen3:8b"}, {"name": "qwq:latest"}, {"name": 1}]});
    let found = ollama::names(&tags).unwrap();
    assert_eq!(found.len(), 2);
    assert!(!found[0].reasoning && found[1].reasoning);
    let shown = json!({"capabilities": ["completion", "tools", "thinking", "vision"],
        "model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40960}});
    let idle = Value::Null;
    let model = ollama::describe(found[0].clone(), &shown, &idle);
    assert_eq!(
        (model.context_window, model.reasoning, model.sees),
        (None, true, true),
        "what it could hold is no fact"
    );
    assert_eq!(ollama::describe(found[0].clone(), &json!([]), &idle).context_window, None);
    let mut told = shown;
    told["parameters"] = json!("stop    \"<end>\"\nnum_ctx                        16384\n");
    assert_eq!(ollama::describe(found[0].clone(), &told, &idle).context_window, Some(16_384));
    let running = json!({"models": [{"model": "other", "context_length": 1}, {"model": "qwen3:8b", "context_length": 8192}]});
    assert_eq!(ollama::describe(found[0].clone(), &told, &running).context_window, Some(8_192));
}

/// Any JSON at all, with the keys lists use.
fn document() -> impl Strategy<Value = Value> {
    let key = prop_oneof![
        Just("data".to_owned()),
        Just("id".to_owned()),
        Just("pricing".to_owned()),
        Just("models".to_owned()),
        Just("model_spec".to_owned()),
        Just("providers".to_owned()),
        Just("name".to_owned()),
        Just("modelSummaries".to_owned()),
        Just("context_length".to_owned()),
        any::<String>(),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..8)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    #[test]
    fn no_document_breaks_the_readers(document in document()) {
        for unit in [Unit::Million, Unit::Token] {
            for model in read(&document, unit).unwrap_or_default() {
                assert!(model.price.unwrap_or_default().iter().all(|price| price.is_finite() && *price >= 0.0));
            }
        }
        drop(ollama::names(&document));
        drop(bedrock::read(&document, "us-east-1", &Default::default()));
    }
}
