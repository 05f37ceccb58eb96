//! What a model with a small window is told and offered.

use std::sync::Arc;

use homard_agent::{PromptInput, PromptMode, tool_tokens};
use homard_llm::ToolSpec;

use super::{fit_prompt, fit_tools};
use crate::turn_setup::offer::Offer;

fn offer() -> Offer {
    let tool = |(name, words): (&str, usize)| ToolSpec {
        name: name.to_owned(),
        description: "word ".repeat(words),
        parameters: serde_json::json!({"type": "object"}).into(),
    };
    let tools = [("browser", 900), ("exec", 300), ("message", 700), ("read", 200), ("write", 200)].map(tool);
    Offer { described: Arc::from([]), for_model: Arc::from(tools) }
}

fn names(offer: &Offer) -> Vec<&str> {
    offer.for_model.iter().map(|tool| tool.name.as_str()).collect()
}

#[test]
fn a_small_context_is_offered_the_usual_tools_and_a_large_one_all() {
    for window in [4_096, 8_192] {
        let fitted = fit_tools(offer(), window);
        assert_eq!(names(&fitted), ["exec", "read", "write"], "{window}");
        assert!(fitted.for_model.iter().map(tool_tokens).sum::<u64>() <= u64::from(window / 4));
    }
    assert_eq!(names(&fit_tools(offer(), 2_000)), ["read"]);
    assert_eq!(fit_tools(offer(), 32_000).for_model.len(), 5);
}

#[test]
fn a_small_context_is_told_less() {
    let input = || {
        let mut input = PromptInput { skills: Some("skill ".repeat(5_000).into()), ..PromptInput::default() };
        (input.files.max_file_chars, input.files.max_total_chars) = (20_000, 150_000);
        input
    };
    let fitted = |window| {
        let mut input = input();
        fit_prompt(&mut input, window);
        (input.mode, input.files.max_total_chars, input.skills.is_some(), input.is_small)
    };
    assert_eq!(fitted(4_096), (PromptMode::Minimal, 2_048, false, true));
    assert_eq!(fitted(8_192), (PromptMode::Full, 4_096, false, true));
    assert_eq!(fitted(200_000), (PromptMode::Full, 150_000, true, false));
}
