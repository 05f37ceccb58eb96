//! Embedding calls as they are written and read.

use serde_json::json;

use super::{Embedded, read};

#[test]
fn vectors_stand_in_the_order_of_the_texts_whatever_the_order_of_the_answer() {
    let answer = json!({
        "object": "list",
        "data": [
            {"object": "embedding", "index": 1, "embedding": [3.0, 4.0]},
            {"object": "embedding", "index": 0, "embedding": [1.0, 2.0]},
        ],
        "usage": {"prompt_tokens": 7, "total_tokens": 7},
    });
    let expected = Embedded { vectors: vec![vec![1.0, 2.0], vec![3.0, 4.0]], tokens: 7 };
    assert_eq!(read(answer, 2).unwrap(), expected);
}

#[test]
fn an_answer_that_is_not_one_vector_for_each_text_is_refused() {
    let cases = [
        json!({"data": []}),
        json!({"data": [{"index": 0, "embedding": []}]}),
        json!({"data": [{"index": 5, "embedding": [1.0]}]}),
        json!({"data": [{"index": 0, "embedding": "AAAA"}]}),
        json!({"error": "no"}),
        json!([]),
    ];
    for answer in cases {
        assert!(read(answer.clone(), 1).is_err(), "{answer}");
    }
}
