//! What an owner may write about calls, and what becomes of it.

use serde_json::{Map, Value, json};

use super::Params;

fn read(value: Value) -> (Params, Vec<String>) {
    let Value::Object(map) = value else { panic!("an object") };
    Params::read(&map)
}

#[test]
fn both_spellings_are_read_and_options_hold_more_of_the_same() {
    let rows = [
        json!({"topP": 0.5, "maxTokens": 7, "stop": "x", "topK": 3}),
        json!({"top_p": 0.5, "max_tokens": 7, "stop": ["x"], "top_k": 3}),
        json!({"options": {"top_p": 0.5, "num_predict": 7, "stop": ["x"], "top_k": 3}}),
    ];
    for row in rows {
        let (params, unused) = read(row.clone());
        assert_eq!(
            (params.sampling.top_p, params.max_tokens, params.sampling.top_k),
            (Some(0.5), Some(7), Some(3)),
            "{row}"
        );
        assert_eq!(
            (params.sampling.stop, unused, params.extra),
            (vec!["x".to_owned()], Vec::new(), Map::new())
        );
    }
}

#[test]
fn what_has_no_effect_is_named() {
    let written = json!({"messages": [], "cacheRetention": "long", "temperature": "hot", "min_p": 0.1, "options": {"stream": false}});
    let (params, mut unused) = read(written);
    unused.sort();
    assert_eq!(unused, ["cacheRetention", "messages", "options.stream", "temperature"]);
    assert_eq!(Value::Object(params.extra), json!({"min_p": 0.1}));
}

#[test]
fn what_is_said_nearer_wins() {
    let (far, _) = read(json!({"temperature": 1, "seed": 4, "min_p": 0.1, "top_a": 1}));
    let (near, _) = read(json!({"temperature": 0, "min_p": 0.2}));
    let both = far.under(near);
    assert_eq!((both.sampling.temperature, both.sampling.seed), (Some(0.0), Some(4)));
    assert_eq!(Value::Object(both.extra), json!({"min_p": 0.2, "top_a": 1}));
}
