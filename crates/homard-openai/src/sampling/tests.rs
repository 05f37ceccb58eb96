//! Sampling values within and outside their ranges.

use homard_llm::Sampling;
use serde_json::json;

use super::Numbers;

#[test]
fn numbers_within_their_ranges_are_taken() {
    let numbers: Numbers = serde_json::from_value(json!({
        "temperature": 0, "top_p": 1, "frequency_penalty": -2, "presence_penalty": 2.0, "seed": -5,
        "stop": ["a", "b"], "max_completion_tokens": 7, "max_tokens": 9,
    }))
    .unwrap();
    let expected = Sampling {
        temperature: Some(0.0),
        top_p: Some(1.0),
        frequency_penalty: Some(-2.0),
        presence_penalty: Some(2.0),
        seed: Some(-5),
        stop: vec!["a".to_owned(), "b".to_owned()],
        ..Sampling::default()
    };
    assert_eq!(numbers.sampling().unwrap(), expected);
    assert_eq!(numbers.max_tokens().unwrap(), Some(7));
    let nothing: Numbers = serde_json::from_value(json!({"temperature": null, "stop": null})).unwrap();
    assert_eq!(nothing.sampling().unwrap(), Sampling::default());
    assert_eq!(nothing.max_tokens().unwrap(), None);
}

#[test]
fn numbers_out_of_their_ranges_are_refused() {
    let cases = [
        json!({"temperature": 2.1}),
        json!({"temperature": "hot"}),
        json!({"top_p": -0.1}),
        json!({"frequency_penalty": 3}),
        json!({"presence_penalty": -3}),
        json!({"seed": 1.5}),
        json!({"stop": ["1", "2", "3", "4", "5"]}),
        json!({"stop": ""}),
        json!({"stop": [1]}),
        json!({"max_tokens": 0}),
        json!({"max_completion_tokens": -1}),
        json!({"max_output_tokens": "many"}),
        json!({"max_completion_tokens": 5, "max_tokens": 1.5}),
    ];
    for case in cases {
        let numbers: Numbers = serde_json::from_value(case.clone()).unwrap();
        assert!(numbers.sampling().is_err() || numbers.max_tokens().is_err(), "{case}");
    }
}
