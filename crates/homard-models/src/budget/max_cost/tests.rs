//! The bound holds for what is sent, and the guess stays below it.

use std::sync::Arc;

use homard_llm::{ModelSpec, Price, Request, ThinkingLevel, ToolSpec};
use homard_protocol::{Message, ModelId, ProviderId};
use serde_json::{Value, json};

use super::{MAX_IMAGE, MaxCost, estimate};
use crate::budget::Amount;

fn request(messages: Vec<Value>, price: Price) -> Request {
    let provider = ProviderId::parse("p").unwrap();
    let mut model = ModelSpec::new(provider, ModelId::parse("m").unwrap(), "openai-completions");
    model.price = price;
    model.max_tokens = 1_000;
    Request {
        model: Arc::new(model),
        system: Arc::from("Be kind."),
        messages: messages
            .into_iter()
            .map(|m| Arc::new(serde_json::from_value::<Message>(m).unwrap()))
            .collect(),
        tools: Arc::from([ToolSpec {
            name: "read".to_owned(),
            description: "Reads.".to_owned(),
            parameters: json!({"type": "object"}).into(),
        }]),
        max_tokens: None,
        sampling: homard_llm::Sampling::default(),
        thinking: ThinkingLevel::Off,
        credential: None,
        session: None,
        program_dir: None,
    }
}

#[test]
fn every_byte_of_every_kind_of_message_is_bounded() {
    let long = "ż".repeat(500);
    let rows = [
        (json!({"role": "user", "content": long, "timestamp": 1}), 1_000),
        (json!({"role": "user", "content": [{"type": "text", "text": long}], "timestamp": 1}), 1_000),
        (
            json!({"role": "user", "content": [{"type": "image", "data": "x", "mimeType": "image/png"}], "timestamp": 1}),
            MAX_IMAGE,
        ),
        (
            json!({"role": "user", "content": [{"type": "document", "data": "x".repeat(90_000), "mimeType": "application/pdf"}], "timestamp": 1}),
            90_000,
        ),
        (
            json!({"role": "assistant", "content": [{"type": "thinking", "thinking": long, "thinkingSignature": long}], "timestamp": 1}),
            2_000,
        ),
        (
            json!({"role": "assistant", "content": [{"type": "toolCall", "id": "c", "name": "read", "arguments": {"path": long}}], "timestamp": 1}),
            1_000,
        ),
        (
            json!({"role": "toolResult", "toolCallId": "c", "toolName": "read", "content": [{"type": "text", "text": long}], "timestamp": 1}),
            1_000,
        ),
        (json!({"role": "unheard-of", "text": long}), 0),
    ];
    let empty = MaxCost::of(&request(vec![], Price::default()));
    for (message, least) in rows {
        let worst = MaxCost::of(&request(vec![message.clone()], Price::default()));
        assert!(worst.prompt >= empty.prompt + least, "{message} is bounded by {}", worst.prompt);
        assert!(worst.likely_prompt <= worst.prompt, "{message}");
    }
}

#[test]
fn money_is_bounded_by_the_dearest_rate_and_rounded_up() {
    let price = Price { input: 3.0, output: 15.0, cache_read: 0.3, cache_write: 3.75 };
    let worst = MaxCost::of(&request(vec![], price));
    let micro = worst.prompt * 3_750 / 1_000 + 1 + 15_000;
    assert!(worst.amount().micro_usd.abs_diff(micro) <= 1, "{:?}", worst.amount());
    let cheap = MaxCost { prompt: 1, answer: 1, prompt_price: 1, answer_price: 1, ..MaxCost::default() };
    assert_eq!(cheap.amount(), Amount { tokens: 2, micro_usd: 2 });
    assert_eq!(MaxCost::of(&request(vec![], Price::default())).amount().micro_usd, 0, "no price, no money");
}

#[test]
fn absurd_prices_do_not_overflow() {
    for input in [f64::NAN, f64::INFINITY, -1.0, 1e300] {
        let worst = MaxCost::of(&request(vec![], Price { input, output: input, ..Price::default() }));
        let sum = worst.amount().plus(worst.amount());
        assert_eq!(sum.minus(worst.amount()), worst.amount(), "{input}");
    }
}

#[test]
fn a_call_nobody_counted_is_guessed_from_its_bytes() {
    let asked = request(
        vec![json!({"role": "user", "content": "x".repeat(4_000), "timestamp": 1})],
        Price { input: 1.0, output: 10.0, ..Price::default() },
    );
    let usage = estimate(&asked, 399);
    assert_eq!(usage.output, 100);
    assert!((1_000..1_500).contains(&usage.input), "{usage:?}");
    assert_eq!(usage.total_tokens, usage.input + 100);
    assert!(usage.cost.total > 0.002, "{usage:?}");
}
