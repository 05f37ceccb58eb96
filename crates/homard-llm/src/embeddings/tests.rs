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
fn what_gemini_voyage_and_ollama_answer_is_read_too() {
    let expected = |tokens| Embedded { vectors: vec![vec![1.0, 2.0], vec![3.0, 4.0]], tokens };
    let gemini = json!({"embeddings": [{"values": [1.0, 2.0]}, {"values": [3.0, 4.0]}]});
    assert_eq!(read(gemini, 2).unwrap(), expected(0));
    let ollama = json!({"model": "m", "embeddings": [[1.0, 2.0], [3.0, 4.0]], "total_duration": 9,
        "load_duration": 1, "prompt_eval_count": 5});
    assert_eq!(read(ollama, 2).unwrap(), expected(5));
    let voyage = json!({"object": "list", "model": "m", "usage": {"total_tokens": 6}, "data": [
        {"object": "embedding", "index": 0, "embedding": [1.0, 2.0]},
        {"object": "embedding", "index": 1, "embedding": [3.0, 4.0]}]});
    assert_eq!(read(voyage, 2).unwrap(), expected(6));
}

#[test]
fn an_answer_that_is_not_one_vector_for_each_text_is_refused() {
    let cases = [
        json!({"data": []}),
        json!({"data": [{"index": 0, "embedding": []}]}),
        json!({"data": [{"index": 5, "embedding": [1.0]}]}),
        json!({"data": [{"index": 0, "embedding": "AAAA"}]}),
        json!({"embeddings": [[1.0], [2.0]]}),
        json!({"embeddings": [{"values": []}]}),
        json!({"error": "no"}),
        json!([]),
    ];
    for answer in cases {
        assert!(read(answer.clone(), 1).is_err(), "{answer}");
    }
}
